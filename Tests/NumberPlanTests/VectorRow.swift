// Reads the vector files byte by byte: their inputs contain tabs, combining marks and other characters that String
// would join with adjacent ones. Not for judging rows.

import Foundation

struct VectorRow {
  let region: String
  let input: ContiguousArray<UInt8>
  /// The oracle's words: the columns of an answer, or ! and an error.
  let expected: String

  /// The input for messages.
  var text: String { String(decoding: input, as: UTF8.self) }

  /// The rows of `Vectors/NAME.tsv`; see make-vectors.py for the columns.
  static func all(in name: String) throws -> [VectorRow] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors/\(name).tsv")
    return [UInt8](try Data(contentsOf: file)).split(separator: UInt8(ascii: "\n"))
      .filter { $0.first != UInt8(ascii: "#") }
      .map { line in
        let fields = line.split(separator: UInt8(ascii: "\t"), maxSplits: 2, omittingEmptySubsequences: false)
        return VectorRow(
          region: String(decoding: fields[0], as: UTF8.self), input: unescaped(fields[1]),
          expected: String(decoding: fields[2], as: UTF8.self))
      }
  }

  private static func unescaped(_ field: ArraySlice<UInt8>) -> ContiguousArray<UInt8> {
    var result: ContiguousArray<UInt8> = []
    var isEscaped = false
    for byte in field {
      if isEscaped {
        result.append(byte == UInt8(ascii: "t") ? 9 : byte)
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else {
        result.append(byte)
      }
    }
    return result
  }
}
