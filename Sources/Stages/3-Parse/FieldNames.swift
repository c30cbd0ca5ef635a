// The fields of a row in formats whose fields have names.

import Records
import SystemIO

// The fields of the lists that `emit` writes, and of its databases: an input with exactly these is read back with all of
// them, as it was written.

enum EmittedFields {
  /// The names in JSON, in their order; those that are empty are left out.
  static let inJSON = ["number", "last", "label", "source", "score", "day"]

  /// Whether the names of a table's columns are those of a CSV file of `emit`, or of the table in its databases.
  static func areColumns(_ names: [String]) -> Bool {
    [[], ["last"], ["day"], ["last", "day"]].contains { lacking in
      names == inJSON.filter { !lacking.contains($0) }
    }
  }
}

extension ParseOptions {
  /// Chooses the fields that are not chosen yet from those of a list that `emit` wrote; `names` are the ones in it.
  mutating func chooseEmitted(_ names: [String] = EmittedFields.inJSON) {
    func chosen(_ field: FieldSelector?, _ name: String) -> FieldSelector? {
      field ?? (names.contains(name) ? .name(name) : nil)
    }
    numberField = chosen(numberField, "number")
    lastField = chosen(lastField, "last")
    labelField = chosen(labelField, "label")
    sourceField = chosen(sourceField, "source")
    scoreField = chosen(scoreField, "score")
    dateField = chosen(dateField, "day")
  }
}

// The names of a row's fields in a record: those that the user chose, or the format's own. Used by the formats of other
// applications.

struct FieldSet: OptionSet {
  var rawValue: UInt8

  static let number = FieldSet(rawValue: 1)
  static let label = FieldSet(rawValue: 2)
  static let source = FieldSet(rawValue: 4)
  static let score = FieldSet(rawValue: 8)
  static let date = FieldSet(rawValue: 16)
  /// Whether the number is not blocked.
  static let verdict = FieldSet(rawValue: 32)
}

/// The names of a row's fields; nil for a field that is not read from the input.
struct NamedFields {
  var number: ContiguousArray<UInt8>?
  var label: ContiguousArray<UInt8>?
  var source: ContiguousArray<UInt8>?
  var score: ContiguousArray<UInt8>?
  var date: ContiguousArray<UInt8>?

  /// Uses the chosen names, and the format's own names for the other fields.
  init(
    _ options: ParseOptions, number: StaticString, label: StaticString? = nil, source: StaticString? = nil,
    score: StaticString? = nil
  ) {
    self.number = Self.name(options.numberField, number)
    self.label = Self.name(options.labelField, label)
    self.source = Self.name(options.sourceField, source)
    self.score = Self.name(options.scoreField, score)
    date = options.dateField?.nameBytes
  }

  private static func name(_ chosen: FieldSelector?, _ defaultName: StaticString?) -> ContiguousArray<UInt8>?
  {
    if let chosen { return chosen.nameBytes }
    return defaultName.map { ContiguousArray("\($0)".utf8) }
  }

  func fields(named name: Span<UInt8>) -> FieldSet { fields { name.equals($0) } }

  /// The fields whose names satisfy a condition.
  func fields(where isTheirs: (ContiguousArray<UInt8>) -> Bool) -> FieldSet {
    var fields: FieldSet = []
    if let number, isTheirs(number) { fields.insert(.number) }
    if let label, isTheirs(label) { fields.insert(.label) }
    if let source, isTheirs(source) { fields.insert(.source) }
    if let score, isTheirs(score) { fields.insert(.score) }
    if let date, isTheirs(date) { fields.insert(.date) }
    return fields
  }

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
  private static let nameBytesMax = 64

  init(_ options: ParseOptions) {
    hasNumber = options.numberField == nil
    hasLabel = options.labelField == nil
  }

  mutating func fields(named name: ContiguousArray<UInt8>) -> FieldSet {
    if let found = known[name] { return found }
    guard name.count <= Self.nameBytesMax else { return [] }
    let text = String(decoding: name, as: UTF8.self)
    var fields: FieldSet = []
    if hasNumber, CommonFieldNames.isNumber(text) { fields.insert(.number) }
    if hasLabel, CommonFieldNames.isLabel(text) { fields.insert(.label) }
    if hasNumber, CommonFieldNames.isVerdict(text) { fields.insert(.verdict) }
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
      options.numberField, options.labelField, options.sourceField, options.scoreField, options.dateField,
    ] where !fields.contains(name) { fields.append(name) }
    self.init(fields, options)
  }
}

extension RowFields {
  mutating func set(_ fields: FieldSet, _ text: borrowing ContiguousArray<UInt8>) {
    if fields.contains(.number) { number = copy text }
    if fields.contains(.label) { label = copy text }
    if fields.contains(.source) { source = copy text }
    if fields.contains(.score) { score = copy text }
    if fields.contains(.date) { date = copy text }
  }
}

// The fields that the user chose by name, in formats whose fields have names but no header: whether any record had them.
// A misspelt name would otherwise only bring empty fields, or no rows at all.

struct ChosenFields {
  private let chosen: [(field: FieldSet, name: String)]
  private var found: FieldSet = []
  private var names: [ContiguousArray<UInt8>] = []

  /// The maximum number of names that are listed, and of bytes of each.
  private static let namesMax = 16
  private static let nameBytesMax = 64

  init(_ options: ParseOptions) {
    let fields: [(FieldSet, FieldSelector?)] = [
      (.number, options.numberField), (.label, options.labelField), (.source, options.sourceField),
      (.score, options.scoreField), (.date, options.dateField),
    ]
    var chosen: [(field: FieldSet, name: String)] = []
    for (field, selector) in fields {
      if case .name(let name)? = selector { chosen.append((field, name)) }
    }
    self.chosen = chosen
  }

  /// Starts another input.
  mutating func reset() {
    found = []
    names.removeAll()
  }

  /// Notes the name of a record's field, from which these fields are read.
  ///
  /// - Complexity: O(1) if no field was chosen by name.
  mutating func note(_ name: Span<UInt8>, readInto fields: FieldSet) {
    if chosen.isEmpty { return }
    found.formUnion(fields)
    guard names.count < Self.namesMax, name.count <= Self.nameBytesMax,
      !names.contains(where: { name.equals($0) })
    else { return }
    names.append(ContiguousArray(copying: name))
  }

  /// The chosen fields that no record had, for a message at the end of an input with records; nil if there are none.
  var finding: InputNotice.Finding? {
    let missing = names.isEmpty ? [] : chosen.filter { !found.contains($0.field) }.map(\.name)
    return missing.isEmpty ? nil : .missingFields(missing, available: available)
  }

  /// Throws if the number's field was chosen, and no record had it, although there are records.
  func checkNumber(_ input: String) throws(Failure) {
    guard !names.isEmpty, let number = chosen.first, number.field == .number, !found.contains(.number) else {
      return
    }
    throw .noSuchField(number.name, names: available, input: input)
  }

  private var available: [String] { names.map { String(decoding: $0, as: UTF8.self) } }

  /// Throws if a chosen field is none of a format with fixed names.
  func check(_ known: [String], _ input: String) throws(Failure) {
    guard let unknown = chosen.first(where: { !known.contains($0.name) }) else { return }
    throw .noSuchField(unknown.name, names: known, input: input)
  }
}

extension Failure {
  static func noSuchField(_ name: String, names: [String], input: String) -> Failure {
    missing("field", name, names, input)
  }

  /// `names` are the columns that the table has, or the first of them.
  static func noSuchColumn(_ name: String, names: [String], input: String) -> Failure {
    missing("column", name, names, input)
  }

  private static func missing(_ kind: String, _ name: String, _ names: [String], _ input: String) -> Failure {
    parse(
      "no-such-\(kind)", "\(InputName.quoted(input)) has no \(kind) '\(PrintableText.line(name))'",
      hint: "use one of its \(kind)s: \(nameList(names))")
  }

  static func nameList(_ names: [String]) -> String {
    names.map { PrintableText.line($0) }.joined(separator: ", ")
  }
}
