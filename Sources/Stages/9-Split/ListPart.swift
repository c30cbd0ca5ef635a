// A part of a list: consecutive records between two cuts.

/// A part of a list.
package struct ListPart: Equatable, Sendable {
  /// The lowest number, from which the first part begins.
  package static let numberMin: UInt64 = 1

  /// The number of the part, from 1.
  package var number: Int
  /// The cut at which it begins: its first possible number.
  package var from: UInt64
  /// The offset of its first byte in the list.
  package var offset: UInt64
  /// Its size in bytes.
  package var bytes: UInt64 = 0
  /// The number of records; nil if the list was not read.
  package var records: UInt64?
  /// The first number of its first record; nil if it is empty.
  package var first: UInt64?

  /// The name of its file in a directory of parts.
  package var fileName: String {
    let digits = String(number)
    return "part-\(String(repeating: "0", count: max(0, Self.digitsMin - digits.count)))\(digits).tsv"
  }

  /// The digits in the name of a file, enough for all parts, so that the names sort like the parts.
  private static let digitsMin = 4

  /// Whether a file's name is that of a part.
  static func isFileName(_ name: String) -> Bool {
    guard let number = Int(name.dropFirst("part-".count).prefix(digitsMin)) else { return false }
    return number > 0 && name == ListPart(number: number, from: numberMin, offset: 0).fileName
  }
}
