// The keys of a property list's first row, for messages and previews.
//
// Not for: reading rows (PropertyListRows).

/// The keys of the first row, and which fields were read from them.
struct PropertyListKeys {
  /// Whether the row has not ended.
  private(set) var isOpen = true
  /// The keys, in the order of the list.
  private(set) var all: [String] = []
  /// Those whose values contain letters.
  private(set) var texts: [String] = []

  /// The keys that the number and the label were read from; nil for none.
  private(set) var number: String?
  private(set) var label: String?

  /// The maximum size of a key that is listed, in bytes.
  private static let keyBytesMax = 128

  mutating func noteKey(_ key: ContiguousArray<UInt8>) {
    guard all.count < InputLayout.fieldsMax, key.count <= Self.keyBytesMax else { return }
    all.append(String(decoding: key, as: UTF8.self))
  }

  mutating func noteValue(_ value: Span<UInt8>) {
    guard let key = all.last, texts.last != key else { return }
    if NumberText.contents(value, from: 0, to: value.count).letters > 0 { texts.append(key) }
  }

  /// Records that fields were read from the last key.
  mutating func noteUse(_ fields: FieldSet) {
    if fields.contains(.number) { number = all.last }
    if fields.contains(.label) { label = all.last }
  }

  /// Completes a layout whose fields are the format's own and the chosen ones; without a row it has no fields.
  func complete(_ layout: inout InputLayout, _ options: ParseOptions) {
    layout.fields = isOpen ? [] : all
    if options.numberField == nil { layout.number = number }
    guard options.labelField == nil else { return }
    layout.label = label
    if label == nil, options.numberField == nil { layout.possibleLabels = texts.filter { $0 != number } }
  }

  mutating func end() { isOpen = false }
}
