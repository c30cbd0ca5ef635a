// Splits input into questions: one `REGION TAB TEXT` per line, with `\\ \t \n \r` in TEXT for the four characters that
// a line can't contain. Not for answering them.

import Foundation
import NumberPlan

/// Finds the lines in chunks of input; a line may span several chunks.
struct QuestionLines {
  /// The start of a line whose end has not been read yet.
  private var line: [UInt8] = []
  private var text: ContiguousArray<UInt8> = []
  private var regionCode = ""
  private var region: Region?

  /// Passes on each question that ends in `chunk`: its region, nil for `ZZ` and invalid codes, and its text.
  mutating func forEach(in chunk: Data, isLast: Bool, _ body: (Region?, Span<UInt8>) -> Void) {
    for byte in chunk {
      if byte != UInt8(ascii: "\n") {
        line.append(byte)
        continue
      }
      finish(body)
    }
    if isLast, !line.isEmpty { finish(body) }
  }

  private mutating func finish(_ body: (Region?, Span<UInt8>) -> Void) {
    let tab = line.firstIndex(of: UInt8(ascii: "\t")) ?? line.endIndex
    let code = String(decoding: line[..<tab], as: UTF8.self)
    // Questions about one region are often adjacent.
    if code != regionCode {
      regionCode = code
      region = Region(code)
    }
    text.removeAll(keepingCapacity: true)
    var isEscaped = false
    for byte in line[min(tab + 1, line.endIndex)...] {
      if isEscaped {
        text.append(Self.unescaped(byte))
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else {
        text.append(byte)
      }
    }
    line.removeAll(keepingCapacity: true)
    body(region, text.span)
  }

  private static func unescaped(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    default: byte
    }
  }
}
