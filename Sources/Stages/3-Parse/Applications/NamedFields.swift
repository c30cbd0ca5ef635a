// The names of a row's fields in a record: those that the user chose, or the format's own. Used by the formats of other
// applications.
//
// Not for: finding the fields (the readers), or tables, whose columns also have positions.

/// A set of the four fields of a row.
struct FieldSet: OptionSet {
  var rawValue: UInt8

  static let number = FieldSet(rawValue: 1)
  static let label = FieldSet(rawValue: 2)
  static let source = FieldSet(rawValue: 4)
  static let score = FieldSet(rawValue: 8)
}

/// The names of a row's fields; nil for a field that is not read from the input.
struct NamedFields {
  var number: ContiguousArray<UInt8>?
  var label: ContiguousArray<UInt8>?
  var source: ContiguousArray<UInt8>?
  var score: ContiguousArray<UInt8>?

  /// Uses the chosen names, and the format's own names for the other fields.
  init(
    _ options: ParseOptions, number: StaticString, label: StaticString? = nil, source: StaticString? = nil,
    score: StaticString? = nil
  ) {
    self.number = Self.name(options.numberField, number)
    self.label = Self.name(options.labelField, label)
    self.source = Self.name(options.sourceField, source)
    self.score = Self.name(options.scoreField, score)
  }

  private static func name(_ chosen: FieldSelector?, _ defaultName: StaticString?) -> ContiguousArray<UInt8>?
  {
    if let chosen { return chosen.nameBytes }
    return defaultName.map { ContiguousArray("\($0)".utf8) }
  }

  /// The fields that have this name.
  func fields(named name: Span<UInt8>) -> FieldSet {
    var fields: FieldSet = []
    if let number, name.equals(number) { fields.insert(.number) }
    if let label, name.equals(label) { fields.insert(.label) }
    if let source, name.equals(source) { fields.insert(.source) }
    if let score, name.equals(score) { fields.insert(.score) }
    return fields
  }

  /// The name of the number's field.
  var numberName: String { String(decoding: number ?? [], as: UTF8.self) }
}

/// The common names of the fields that were not chosen, for formats whose writers name them differently.
struct CommonNames {
  private let hasNumber: Bool
  private let hasLabel: Bool
  /// The fields of the names that occurred; lists have a few different ones.
  private var known: [ContiguousArray<UInt8>: FieldSet] = [:]

  /// The maximum number of names that are stored.
  private static let knownMax = 256
  /// The maximum size of a common name in bytes.
  private static let nameBytesMax = 64

  init(_ options: ParseOptions) {
    hasNumber = options.numberField == nil
    hasLabel = options.labelField == nil
  }

  /// The fields that this is a common name of.
  mutating func fields(named name: ContiguousArray<UInt8>) -> FieldSet {
    if let found = known[name] { return found }
    guard name.count <= Self.nameBytesMax else { return [] }
    let plain = CommonFieldNames.plain(String(decoding: name, as: UTF8.self))
    var fields: FieldSet = []
    if hasNumber, CommonFieldNames.number.contains(plain) { fields.insert(.number) }
    if hasLabel, CommonFieldNames.label.contains(plain) { fields.insert(.label) }
    if known.count < Self.knownMax { known[name] = fields }
    return fields
  }
}

extension InputLayout {
  /// The layout of a format whose own names are used for the fields that were not chosen.
  init(_ names: NamedFields, _ options: ParseOptions) {
    var options = options
    func chosen(_ field: FieldSelector?, _ name: ContiguousArray<UInt8>?) -> FieldSelector? {
      field ?? name.map { .name(String(decoding: $0, as: UTF8.self)) }
    }
    options.numberField = chosen(options.numberField, names.number)
    options.labelField = chosen(options.labelField, names.label)
    options.sourceField = chosen(options.sourceField, names.source)
    options.scoreField = chosen(options.scoreField, names.score)
    var fields: [String] = []
    for case .name(let name)? in [
      options.numberField, options.labelField, options.sourceField, options.scoreField,
    ] where !fields.contains(name) { fields.append(name) }
    self.init(fields, options)
  }
}

extension RowFields {
  /// Sets some of the fields to a text.
  mutating func set(_ fields: FieldSet, _ text: borrowing ContiguousArray<UInt8>) {
    if fields.contains(.number) { number = copy text }
    if fields.contains(.label) { label = copy text }
    if fields.contains(.source) { source = copy text }
    if fields.contains(.score) { score = copy text }
  }
}
