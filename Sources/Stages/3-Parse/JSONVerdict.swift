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

  /// Finds the fields by their names and their values in the start of an input, and examines the labels of pairs. If all
  /// objects have a field, and none of its values is that of a blocked number, or in a list of calls, it is about something
  /// else. `number` is the path of the objects' number; nil for pairs.
  ///
  /// - Complexity: O(bytes).
  init(_ bytes: Span<UInt8>, number: String? = nil) {
    let start = StartFields(bytes, number: number.map { JSONPaths.keys(ContiguousArray($0.utf8)) } ?? [])
    let found = start.names.compactMap { name in
      start.fields[name].flatMap {
        $0.texts.isEmpty
          ? nil : CommonFieldNames.verdict(name, of: Array($0.texts), inAllRows: $0.count >= start.objects)
      }.map { (field: name, kind: $0) }
    }
    let areCalls = CommonFieldNames.areOfCalls(start.names) || CommonFieldNames.areDated(start.names)
    fields = CommonFieldNames.Verdict.deciding(found, areCalls: areCalls).prefix(Self.fieldsMax)
      .map { JSONVerdict(field: $0.field, kind: $0.kind) }
    // Objects after the start may have it.
    if number != nil, !areCalls, fields.count < Self.fieldsMax, start.fields[Self.laterField] == nil {
      fields.append(JSONVerdict(field: Self.laterField, kind: .blocked))
    }
    labels = CommonFieldNames.verdict(ofLabels: Array(start.labels)).map { JSONVerdict(field: "", kind: $0) }
  }
  private static let laterField = "blocked"

  /// The fields in the start of an input, and the labels of its pairs.
  private struct StartFields {
    var names: [String] = []
    /// The number of times that each field occurs at the depth where it is first found, and its texts.
    var fields: [String: (depth: Int, count: Int, texts: Set<String>)] = [:]
    /// The number of objects with a number that are whole.
    var objects = 0
    var labels: Set<String> = []

    init(_ bytes: Span<UInt8>, number: [ContiguousArray<UInt8>]) {
      let number = (name: number.last.map { String(decoding: $0, as: UTF8.self) }, depth: number.count - 1)
      var depth = 0
      var lastDepth: Int?
      var index = 0
      while index < bytes.count {
        let byte = bytes[index]
        index += 1
        switch byte {
        case JSONMachine.object, JSONMachine.array: depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
          depth -= 1
          if let last = lastDepth, depth < last {
            objects += 1
            lastDepth = nil
          }
        case UInt8(ascii: "\""):
          guard let key = try? JSONToken.string(bytes, from: index) else { return }
          index = key.next
          let colon = bytes.skippingSpace(from: index)
          guard colon < bytes.count else { return }
          let isPair = bytes[colon] == UInt8(ascii: ":")
          if JSONMachine.isNumberKey(bytes, key.start, key.end, digitsMin: JSONMachine.stringDigitsMin) {
            if isPair { index = bytes.skippingSpace(from: colon + 1) }
            if isPair, number.name == nil { lastDepth = depth + 1 }
            let label = isPair ? JSONVerdicts.text(bytes, &index) : JSONVerdicts.secondText(bytes, colon)
            if let label { labels.insert(label) }
          } else if isPair, let name = JSONLists.text(bytes, key) {
            index = bytes.skippingSpace(from: colon + 1)
            note(name, JSONVerdicts.text(bytes, &index), depth)
            if name == number.name, fields[name]?.depth == depth { lastDepth = depth - number.depth }
          }
        default: break
        }
      }
    }

    private mutating func note(_ name: String, _ text: String?, _ depth: Int) {
      if fields[name] == nil {
        guard names.count < InputLayout.fieldsMax else { return }
        names.append(name)
        fields[name] = (depth, 0, [])
      }
      if fields[name]?.depth == depth { fields[name]?.count += 1 }
      if let text { fields[name]?.texts.insert(text) }
    }
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
