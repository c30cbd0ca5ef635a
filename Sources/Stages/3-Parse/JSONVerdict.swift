// Objects as rows, or as the details of a number, with a field that shows which numbers are not blocked, as columns of
// tables do: `"blocked": false`.

import Records

struct JSONVerdict {
  /// Empty for the label of a pair.
  let field: String
  fileprivate let kind: CommonFieldNames.Verdict

  /// Whether the field's text means that the number of its object is not blocked.
  func isUnblocked(_ text: ContiguousArray<UInt8>) -> Bool {
    CommonFieldNames.isUnblocked(String(decoding: text, as: UTF8.self), kind)
  }
}

/// What shows which numbers of an input are not blocked.
struct JSONVerdicts {
  /// The fields of objects, at most ``fieldsMax``.
  private(set) var fields: [JSONVerdict] = []
  /// The labels of pairs; nil if they don't show it.
  private(set) var labels: JSONVerdict?

  static let fieldsMax = 5

  var exist: Bool { !fields.isEmpty || labels != nil }

  init() {}

  /// Finds the fields by their names and their values in the start of an input, and examines the labels of pairs. If none of
  /// the values is that of a blocked number, or in a list of calls, a field is about something else.
  ///
  /// - Complexity: O(bytes).
  init(_ bytes: Span<UInt8>) {
    var texts: [String: Set<String>] = [:]
    var names: [String] = []
    var labels: Set<String> = []
    var index = 0
    while index < bytes.count {
      index += 1
      guard bytes[index - 1] == UInt8(ascii: "\"") else { continue }
      guard let key = try? JSONToken.string(bytes, from: index) else { break }
      index = key.next
      let colon = bytes.skippingSpace(from: index)
      guard colon < bytes.count else { break }
      let isPair = bytes[colon] == UInt8(ascii: ":")
      if JSONMachine.isNumberKey(bytes, key.start, key.end, digitsMin: JSONMachine.stringDigitsMin) {
        if isPair { index = bytes.skippingSpace(from: colon + 1) }
        if let label = isPair ? Self.text(bytes, &index) : Self.secondText(bytes, colon) {
          labels.insert(label)
        }
        continue
      }
      guard isPair, let name = JSONLists.text(bytes, key) else { continue }
      index = bytes.skippingSpace(from: colon + 1)
      if texts[name] == nil {
        guard names.count < InputLayout.fieldsMax else { continue }
        names.append(name)
        texts[name] = []
      }
      if let text = Self.text(bytes, &index) { texts[name]?.insert(text) }
    }
    let found = names.compactMap { name in
      texts[name].flatMap { $0.isEmpty ? nil : CommonFieldNames.verdict(name, of: Array($0)) }
        .map { (field: name, kind: $0) }
    }
    let areCalls = CommonFieldNames.areOfCalls(names) || CommonFieldNames.areDated(names)
    fields = CommonFieldNames.Verdict.deciding(found, areCalls: areCalls).prefix(Self.fieldsMax)
      .map { JSONVerdict(field: $0.field, kind: $0.kind) }
    self.labels = CommonFieldNames.verdict(ofLabels: Array(labels)).map { JSONVerdict(field: "", kind: $0) }
  }

  /// The last text of an array, after the comma at `comma`: `["+15550100", "not spam"]`; nil if there is none.
  private static func secondText(_ bytes: Span<UInt8>, _ comma: Int) -> String? {
    guard bytes[comma] == UInt8(ascii: ",") else { return nil }
    var index = bytes.skippingSpace(from: comma + 1)
    let text = text(bytes, &index)
    let end = bytes.skippingSpace(from: index)
    return end < bytes.count && bytes[end] == UInt8(ascii: "]") ? text : nil
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
}
