// Lists the fields of the first row in JSON whose rows are objects, with the paths of nested fields: `contact.phone`.
// For previews.
//
// Not for: choosing fields (JSONCommonFields), or reading them (JSONObjects).

import CallRecord

/// The fields of the first object that may be a row.
enum JSONFieldNames {
  /// The maximum size of a listed key, in bytes; real keys are shorter.
  private static let keyBytesMax = 128
  /// Keys with at least this many digits are numbers: the rows are pairs.
  private static let digitsMin = 3

  /// An open bracket.
  private struct OpenBracket {
    var isObject: Bool
    /// The last key that was read, and the paths of the fields with values.
    var key: String?
    var paths: [String] = []
    /// The number of elements of an array that were read.
    var elements = 0
  }

  /// The paths of the fields in the first object of an array, or in the first object that is not inside another one;
  /// empty if keys are numbers.
  ///
  /// - Complexity: O(bytes).
  static func list(_ bytes: Span<UInt8>) -> [String] {
    var open: [OpenBracket] = []
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if open.count >= ParseLimits.wrapperDepthMax { return [] }
        open.append(OpenBracket(isObject: byte == UInt8(ascii: "{")))
        index += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        guard let closed = open.popLast() else { return [] }
        if closed.isObject, isRow(open) { return closed.paths }
        addInner(closed.paths, &open)
        index += 1
      case UInt8(ascii: "\""):
        let start = index + 1
        index = stringEnd(bytes, from: start)
        let next = bytes.skippingSpace(from: index + 1)
        if next < bytes.count, bytes[next] == UInt8(ascii: ":"), open.last?.isObject == true {
          let contents = NumberText.contents(bytes, from: start, to: min(index, bytes.count))
          if contents.isNumber(digitsMin: digitsMin) { return [] }
          open[open.count - 1].key = key(bytes, start, index)
          index = next + 1
        } else {
          addScalar(&open)
          index += 1
        }
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "a")...UInt8(ascii: "z"):
        addScalar(&open)
        while index < bytes.count, !isEnd(bytes[index]) { index += 1 }
      default:
        index += 1
      }
    }
    // The first row is longer than the start of the input.
    return open.last { $0.isObject }?.paths ?? []
  }

  /// Whether an object inside these brackets is a row: not a value of another object, nor of an object in an array.
  private static func isRow(_ around: [OpenBracket]) -> Bool {
    guard let last = around.last else { return true }
    if last.isObject { return false }
    let outer = around.dropLast()
    guard let holder = outer.last, holder.isObject else { return true }
    return !outer.dropLast().contains { !$0.isObject }
  }

  /// Adds the paths of an inner object or array to the bracket around it.
  private static func addInner(_ paths: [String], _ open: inout [OpenBracket]) {
    guard let last = open.indices.last, let step = pathStep(&open[last]) else { return }
    for path in paths where open[last].paths.count < InputLayout.fieldsMax {
      open[last].paths.append(step + "." + path)
    }
  }

  /// Adds a field with a plain value.
  private static func addScalar(_ open: inout [OpenBracket]) {
    guard let last = open.indices.last, let step = pathStep(&open[last]) else { return }
    if open[last].paths.count < InputLayout.fieldsMax { open[last].paths.append(step) }
  }

  /// The step of a path to the current value of a bracket: a key, or a position; nil if it is not listed.
  private static func pathStep(_ bracket: inout OpenBracket) -> String? {
    if bracket.isObject { return bracket.key.take() }
    bracket.elements += 1
    return bracket.elements == 1 ? "1" : nil
  }

  private static func stringEnd(_ bytes: Span<UInt8>, from start: Int) -> Int {
    var index = start
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      index += bytes[index] == Byte.backslash ? 2 : 1
    }
    return index
  }

  private static func isEnd(_ byte: UInt8) -> Bool {
    byte.isASCIISpace || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
  }

  /// The text of a key as a part of a path; nil if it is too long or invalid.
  private static func key(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> String? {
    guard end <= bytes.count, end > start, end - start <= keyBytesMax else { return nil }
    var text: ContiguousArray<UInt8> = []
    do throws(ParseReject) {
      try JSONToken.decode(bytes, from: start, to: end, into: &text)
    } catch {
      return nil
    }
    var part = ""
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      if scalar == "." || scalar == "\\" { part.append("\\") }
      part.unicodeScalars.append(scalar)
    }
    // A selector that starts with this sign is a constant.
    return part.hasPrefix("=") ? nil : part
  }
}
