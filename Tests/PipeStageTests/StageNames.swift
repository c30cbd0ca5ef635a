// Stage names for the tests of code that all stages share.

import Records

extension StageName {
  static let parse = StageName(rawValue: "parse")
  static let normalize = StageName(rawValue: "normalize")
  static let sort = StageName(rawValue: "sort")
  static let emit = StageName(rawValue: "emit")
  static let unzip = StageName(rawValue: "unzip")
}
