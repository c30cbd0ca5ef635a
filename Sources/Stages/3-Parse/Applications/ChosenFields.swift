// The fields that the user chose by name, in formats whose fields have names but no header: whether any record had them.
// A misspelt name would otherwise only bring empty fields, or no rows at all.
//
// Not for: finding fields (NamedFields), or tables and databases, whose columns are known before their rows.

import Records
import SystemIO

/// The chosen names that occurred in an input, and the first names that did.
struct ChosenFields {
  /// The chosen names and their fields.
  private let chosen: [(field: FieldSet, name: String)]
  private var found: FieldSet = []
  private var names: [ContiguousArray<UInt8>] = []

  /// The maximum number of names that are listed, and of bytes of each.
  private static let namesMax = 16
  private static let nameBytesMax = 64

  init(_ options: ParseOptions) {
    let fields: [(FieldSet, FieldSelector?)] = [
      (.number, options.numberField), (.label, options.labelField), (.source, options.sourceField),
      (.score, options.scoreField),
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
      hint: "use one of its \(kind)s: \(list(names))")
  }

  /// Names, as they are printed.
  static func list(_ names: [String]) -> String {
    names.map { PrintableText.line($0) }.joined(separator: ", ")
  }
}
