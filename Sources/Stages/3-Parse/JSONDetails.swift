// A pair whose value is an object or an array with details of the number:
// `{"13800138000": {"label": "spam", "count": 3}}`. The first field in it with a common name for labels is the label;
// without one the row is a reject, and its content is not read as rows.
//
// If it contains numbers, as keys or as elements of arrays, the number is the key of an object with other rows, or it
// lacks its value and the next rows follow.
//
// Not for: a pair's other values (JSONPairs), objects as rows (JSONObjects).

import Records

extension JSONMachine {
  /// The maximum size of an object or array with details, in bytes. Apps store a few hundred bytes per number; a longer
  /// object is treated as a list.
  private static let detailBytesMax = 4096
  /// The deepest nesting in it.
  private static let detailDepthMax = 32
  /// The maximum size of a key that is examined, in bytes; common names are shorter.
  private static let detailKeyBytesMax = 64

  /// The details of a number.
  struct NumberDetails {
    /// The label, or the container itself if it contains none.
    var label: JSONValue
    /// The container.
    var value: JSONValue
  }

  /// The details of the number `key` in the container at `start`; nil if it has none. The unit starts at `at`.
  ///
  /// - Complexity: O(bytes of the container), 4,096 at most.
  func details(
    _ bytes: Span<UInt8>, _ key: JSONValue, _ start: Int, _ at: Int, atEnd: Bool
  ) throws(JSONUnitError) -> NumberDetails? {
    let limit = start + Self.detailBytesMax
    // A longer window is never provided.
    let isFull = bytes.count >= limit || bytes.count - at >= recordBytesMax + ParseLimits.lookaheadCapacity
    guard case .number(let rank) = TableCell(bytes, from: key.start, to: key.end), rank >= .long else {
      return nil
    }
    do throws(JSONUnitError) {
      return try walk(bytes.extracting(0..<min(limit, bytes.count)), start)
    } catch {
      if case .cut = error, !isFull, !atEnd { throw error }
      return nil
    }
  }

  /// Reads the container at `start`; nil if it contains numbers, as rows do, or is not JSON.
  private func walk(_ bytes: Span<UInt8>, _ start: Int) throws(JSONUnitError) -> NumberDetails? {
    var details = NumberDetails(
      label: JSONValue(kind: .container, start: start, end: start), value: JSONValue())
    var hasLabel = false
    var open: [UInt8] = []
    var index = start
    while true {
      guard index < bytes.count else { throw .cut }
      let byte = bytes[index]
      switch byte {
      case Self.object, Self.array:
        if open.count == Self.detailDepthMax { return nil }
        open.append(byte)
        index += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        // In ASCII, `}` and `]` come two after `{` and `[`.
        guard open.popLast() == byte - 2 else { return nil }
        index += 1
        if open.isEmpty {
          details.value = JSONValue(kind: .container, start: start, end: index)
          return details
        }
      case UInt8(ascii: ","), 0x20, 0x09, 0x0A, 0x0D:
        index += 1
      case UInt8(ascii: "\"") where open.last == Self.object:
        let key = try JSONToken.string(bytes, from: index + 1)
        let contents = NumberText.contents(bytes, from: key.start, to: key.end)
        if contents.isNumber(digitsMin: Self.stringDigitsMin) { return nil }
        let colon = try JSONToken.skipSpace(bytes, from: key.next)
        guard bytes[colon] == UInt8(ascii: ":") else { return nil }
        index = try JSONToken.skipSpace(bytes, from: colon + 1)
        if bytes[index] == Self.object || bytes[index] == Self.array { continue }
        let value = try plainValue(bytes, index)
        index = value.next
        if open.count == 1, !hasLabel, isLabel(bytes, key) {
          hasLabel = true
          details.label = value
        }
      default:
        guard open.last == Self.array else { return nil }
        let value = try plainValue(bytes, index)
        if looksLikeNumber(bytes, value) { return nil }
        index = value.next
      }
    }
  }

  private func plainValue(_ bytes: Span<UInt8>, _ start: Int) throws(JSONUnitError) -> JSONValue {
    bytes[start] == UInt8(ascii: "\"")
      ? try JSONToken.string(bytes, from: start + 1) : try JSONToken.scalar(bytes, from: start, atEnd: false)
  }

  private func isLabel(_ bytes: Span<UInt8>, _ key: JSONValue) -> Bool {
    guard key.end - key.start <= Self.detailKeyBytesMax else { return false }
    var text: ContiguousArray<UInt8> = []
    do throws(ParseReject) {
      try JSONToken.decode(bytes, from: key.start, to: key.end, into: &text)
    } catch {
      return false
    }
    return CommonFieldNames.label.contains(CommonFieldNames.plain(String(decoding: text, as: UTF8.self)))
  }
}
