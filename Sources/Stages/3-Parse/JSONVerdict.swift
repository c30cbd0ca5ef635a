// Objects as rows, or as the details of a number, with a field that shows which numbers are not blocked, as columns of
// tables do: `"blocked": false`.

import Records

struct JSONVerdict {
  let field: String
  private let kind: CommonFieldNames.Verdict

  /// Finds the field by its name and its values in the start of an input. If none of them is that of a blocked number, or in
  /// a list of calls, the field is about something else. Nil if there is none.
  ///
  /// - Complexity: O(bytes).
  init?(_ bytes: Span<UInt8>) {
    var texts: [String: [String]] = [:]
    var names: [String] = []
    var index = 0
    while index < bytes.count {
      index += 1
      guard bytes[index - 1] == UInt8(ascii: "\"") else { continue }
      guard let key = try? JSONToken.string(bytes, from: index) else { break }
      index = key.next
      let colon = bytes.skippingSpace(from: index)
      guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":"), let name = JSONLists.text(bytes, key)
      else {
        continue
      }
      index = bytes.skippingSpace(from: colon + 1)
      if JSONMachine.isNumberKey(bytes, key.start, key.end, digitsMin: JSONMachine.stringDigitsMin) {
        continue
      }
      if texts[name] == nil {
        guard names.count < InputLayout.fieldsMax else { continue }
        names.append(name)
      }
      texts[name, default: []] += Self.text(bytes, &index).map { [$0] } ?? []
    }
    if CommonFieldNames.areOfCalls(names) || CommonFieldNames.areDated(names) { return nil }
    var best: (field: String, kind: CommonFieldNames.Verdict)?
    for name in names {
      guard let found = texts[name], !found.isEmpty, let kind = CommonFieldNames.verdict(name, of: found)
      else { continue }
      if best.map({ kind < $0.kind }) ?? true { best = (name, kind) }
    }
    guard let best else { return nil }
    (field, kind) = best
  }

  /// The text of the value at `index`, which is then after it; nil if it has none.
  private static func text(_ bytes: Span<UInt8>, _ index: inout Int) -> String? {
    guard index < bytes.count else { return nil }
    let isString = bytes[index] == UInt8(ascii: "\"")
    let found =
      try? isString
      ? JSONToken.string(bytes, from: index + 1) : JSONToken.scalar(bytes, from: index, atEnd: false)
    guard let value = found else { return nil }
    index = value.next
    return value.kind == .null ? nil : String(decoding: JSONMachine.text(bytes, value), as: UTF8.self)
  }

  /// Whether the field's text means that the number of its object is not blocked.
  func isUnblocked(_ text: ContiguousArray<UInt8>) -> Bool {
    CommonFieldNames.isUnblocked(String(decoding: text, as: UTF8.self), kind)
  }
}
