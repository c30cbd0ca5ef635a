// The names in a published folder that readers follow. PublishedFolder in Publishing describes the whole layout.

import Hashing
package import SystemPackage

/// The names in a published folder that readers follow.
package enum PublishedNames {
  /// The link to the current version.
  package static let current = "current"
  /// The directory of all versions. Each is named by its id.
  package static let versions = "versions"

  /// Whether a name has the form of a version's id: 64 hexadecimal digits.
  package static func isID(_ name: String) -> Bool { Hexadecimal.sha256(name) != nil }

  /// Whether a path is that of a version's folder, or is in one. Links are not followed.
  package static func isInVersion(_ path: FilePath) -> Bool {
    let names = path.components.map(\.string)
    return zip(names, names.dropFirst()).contains { $0 == versions && isID($1) }
  }
}
