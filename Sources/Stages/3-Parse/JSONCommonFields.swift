// Whether the objects of an input are rows, where nobody chose fields: they are if the first of them has a field with a
// usual name for numbers. A key that is a number itself says at once that pairs are rows.
//
// Not for: reading rows (JSONObjects, JSONPairs), the names (CommonFieldNames).

import CallRecord

/// The fields of a row by their usual names.
struct JSONCommonFields {
  /// What the start of an input says of its rows.
  enum Answer {
    /// More must be seen.
    case cut
    case pairs
    case objects(JSONCommonFields)
  }

  var number: String
  var label: String?

  /// Whether it is to be found out: no field was chosen that stands in the input.
  static func areWanted(_ options: ParseOptions) -> Bool {
    options.numberField == nil && !options.rowsAreObjects
  }

  /// The options with these fields chosen.
  func chosen(_ options: ParseOptions) -> ParseOptions {
    var options = options
    options.numberField = .name(number)
    if options.labelField == nil, let label { options.labelField = .name(label) }
    return options
  }

  /// A bracket that is open, and what was seen in it.
  private struct Frame {
    var isObject: Bool
    var number: String?
    var label: String?
    /// The usual name of a list of numbers: beside a label the object is a row, though one that can't be used.
    var numbers: String?

    var fields: JSONCommonFields? {
      (number ?? (label == nil ? nil : numbers)).map { JSONCommonFields(number: $0, label: label) }
    }
  }

  /// The longest key that is looked at; usual names are shorter.
  private static let keyBytesMax = 64
  /// So many digits make a key a number.
  private static let digitsMin = 3

  /// Looks at the window's first bytes: up to the end of the first object that stands in an array or in nothing.
  ///
  /// What is found depends on the input's first `bytesMax` bytes (and the most that is looked at of any input) only,
  /// not on the window.
  ///
  /// - Complexity: O(bytes).
  static func look(_ window: Span<UInt8>, isEnd: Bool, bytesMax: Int) -> Answer {
    let limit = min(bytesMax, ParseLimits.startBytesMax)
    let isWhole = isEnd || window.count >= limit
    let bytes = window.extracting(first: limit)
    var open: [Frame] = []
    var found: JSONCommonFields?
    func end() -> Answer {
      if !isWhole { return .cut }
      return (open.lazy.compactMap(\.fields).first ?? found).map { .objects($0) } ?? .pairs
    }
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if open.count >= ParseLimits.wrapperDepthMax { return .pairs }
        open.append(Frame(isObject: byte == UInt8(ascii: "{")))
      case UInt8(ascii: "]"):
        _ = open.popLast()
      case UInt8(ascii: "}"):
        let closed = open.popLast()
        found = closed?.fields ?? found
        if open.last?.isObject == true { continue }
        return found.map { .objects($0) } ?? .pairs
      case UInt8(ascii: "\""):
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "\""), bytes[index] != Byte.lineFeed {
          index += bytes[index] == Byte.backslash ? 2 : 1
        }
        let keyEnd = index
        index = bytes.skippingSpace(from: index + 1)
        guard index < bytes.count else { return end() }
        guard bytes[keyEnd] == UInt8(ascii: "\""), bytes[index] == UInt8(ascii: ":") else { continue }
        index = bytes.skippingSpace(from: index + 1)
        let contents = NumberText.contents(bytes, from: start, to: keyEnd)
        if contents.isNumber(digitsMin: digitsMin) { return .pairs }
        guard index < bytes.count else { return end() }
        guard let value = value(bytes, index) else { return end() }
        if value != .object, keyEnd - start <= keyBytesMax {
          note(bytes, start, keyEnd, value, &open)
        }
      default:
        break
      }
    }
    return end()
  }

  /// What stands behind a key, as far as it matters here.
  private enum Value { case object, list, word, other }

  /// Looks at the value that begins at `start`; nil if it is cut.
  private static func value(_ bytes: Span<UInt8>, _ start: Int) -> Value? {
    switch bytes[start] {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["):
      let first = bytes.skippingSpace(from: start + 1)
      guard first < bytes.count else { return nil }
      // Objects in a list may be rows, and so may lists.
      return bytes[first] == UInt8(ascii: "\"") || bytes[first] &- 0x30 < 10 ? .list : .object
    case UInt8(ascii: "\""): break
    default: return .other
    }
    var isEmpty = true
    var index = start + 1
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") || byte == Byte.lineFeed { return isEmpty ? .other : .word }
      // Digits of other scripts are not told from their letters here.
      if byte &- 0x30 < 10 || byte >= 0x80 { return .other }
      if byte > 0x20 { isEmpty = false }
      index += byte == Byte.backslash ? 2 : 1
    }
    return nil
  }

  /// Keeps a key that has a usual name with the object it stands in.
  private static func note(
    _ bytes: Span<UInt8>, _ start: Int, _ end: Int, _ value: Value, _ open: inout [Frame]
  ) {
    guard let last = open.indices.last, open[last].isObject else { return }
    var text: ContiguousArray<UInt8> = []
    do throws(ParseReject) {
      try JSONToken.decode(bytes, from: start, to: end, into: &text)
    } catch {
      return
    }
    let name = String(decoding: text, as: UTF8.self)
    let plain = CommonFieldNames.plain(name)
    if open[last].number == nil, CommonFieldNames.number.contains(plain) {
      // `{"number": "label"}` may be the heading of a list of pairs.
      if value == .word { return }
      if value == .list {
        open[last].numbers = name
      } else {
        open[last].number = name
      }
    } else if open[last].label == nil, value != .list, CommonFieldNames.label.contains(plain) {
      open[last].label = name
    }
  }
}
