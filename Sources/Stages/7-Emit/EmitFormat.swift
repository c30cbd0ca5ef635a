// The formats other than stores as a table. To add a format, write its target and its EmitFormatDescription,
// and add a row to the table: here, or in ApplicationOutputs for the format of another application.

package import Records

/// The fields of a record besides its number.
package struct RecordFieldSet: OptionSet, Sendable {
  /// One bit per field.
  package let rawValue: UInt8

  /// Makes a set.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The label.
  package static let label = RecordFieldSet(rawValue: 1)
  /// The source.
  package static let source = RecordFieldSet(rawValue: 2)
  /// The score.
  package static let score = RecordFieldSet(rawValue: 4)
  /// All fields.
  package static let all: RecordFieldSet = [.label, .source, .score]

  /// The fields that are not empty in record fields, as the text form writes them.
  init(of fields: Span<UInt8>) {
    self = []
    var field = RecordFieldSet.label
    for index in fields.indices {
      if fields[index] == UInt8(ascii: "\t") {
        field = RecordFieldSet(rawValue: field.rawValue << 1)
      } else {
        insert(field)
      }
    }
  }
}

/// How a format represents ranges.
package enum RangeForm: Sendable {
  /// As their first and last number.
  case bounds
  /// As patterns: the first digits, and the number of digits that follow.
  case patterns
  /// As all of their numbers.
  case numbers
}

/// How many numbers a contact has in a format of contacts.
package struct ContactNumbers: Sendable {
  /// The maximum number of numbers in a contact if none was chosen.
  package let standard: Int
  /// The highest maximum that can be chosen.
  package let max: Int

  package init(standard: Int, max: Int) {
    self.standard = standard
    self.max = max
  }
}

/// A format: what it can represent, and how it is written.
package struct EmitFormatDescription: Sendable {
  /// The format.
  package let format: EmitFormat
  /// The extensions of a file's name that stand for the format, without the dot.
  package let extensions: [String]
  /// The fields that are written.
  package let fields: RecordFieldSet
  /// How ranges are written.
  package let ranges: RangeForm
  /// The number of entries that programs which read the format accept; nil if no limit is known.
  package let entriesMax: UInt64?
  /// How many numbers a contact has; nil if the format has no contacts.
  package let contactNumbers: ContactNumbers?
  /// Opens an output.
  let makeTarget: @Sendable (EmitOptions, StageContext) throws(Failure) -> any EmitTarget

  package init(
    _ format: EmitFormat, extensions: [String] = [], fields: RecordFieldSet, ranges: RangeForm,
    entriesMax: UInt64? = nil, contactNumbers: ContactNumbers? = nil,
    makeTarget: @escaping @Sendable (EmitOptions, StageContext) throws(Failure) -> any EmitTarget
  ) {
    self.format = format
    self.extensions = extensions
    self.fields = fields
    self.ranges = ranges
    self.entriesMax = entriesMax
    self.contactNumbers = contactNumbers
    self.makeTarget = makeTarget
  }
}

/// The formats, other than stores, that an emitter writes.
package struct EmitFormatTable: Sendable {
  /// The formats, in the order of help and documents.
  package let rows: [EmitFormatDescription]

  package init(_ rows: [EmitFormatDescription]) {
    self.rows = rows
  }

  /// The formats that are not specific to an application: all fields and ranges are written.
  package static let general = EmitFormatTable([
    EmitFormatDescription(
      .tsv, extensions: ["tsv"], fields: .all, ranges: .bounds
    ) { (options, context) throws(Failure) in try TextFormTarget(options.output, context) },
    EmitFormatDescription(
      .csv, extensions: ["csv"], fields: .all, ranges: .bounds
    ) { (options, context) throws(Failure) in
      try RowTarget(CSVRow(isSafe: options.isCSVSafe), options.output, context)
    },
    EmitFormatDescription(
      .jsonl, extensions: ["jsonl", "ndjson"], fields: .all, ranges: .bounds
    ) { (options, context) throws(Failure) in try RowTarget(JSONRow(), options.output, context) },
  ])

  /// Concatenates two tables.
  package static func + (first: EmitFormatTable, second: EmitFormatTable) -> EmitFormatTable {
    EmitFormatTable(first.rows + second.rows)
  }

  /// The description of a format; nil for stores, and for a format that is not in the table.
  package func description(of format: EmitFormat) -> EmitFormatDescription? {
    rows.first { $0.format == format }
  }

  /// The format that the extension of an output's name stands for, ignoring its case; the text form if the extension is
  /// not known, or stands for no single format.
  package func format(named output: String) -> EmitFormat { ownFormat(Self.fileExtension(output)) ?? .tsv }

  /// The formats that fit the extension of an output's name; empty for one of a format that is not written, such as
  /// `.xlsx`, and nil for one that is not known.
  package func formats(fitting output: String) -> [EmitFormat]? {
    let name = Self.fileExtension(output)
    let own = ownFormat(name)
    let sharing = rows.map(\.format).filter { $0.sharedExtensions.contains(name) && $0 != own }
    if own == nil, sharing.isEmpty { return Self.unwrittenExtensions.contains(name) ? [] : nil }
    return (own.map { [$0] } ?? []) + sharing
  }

  /// The formats that fit the extension of an output's name, if it stands for none of them alone, so that one must be
  /// chosen; empty if none is written with such a name; nil if the extension stands for a format or is not known.
  package func choices(named output: String) -> [EmitFormat]? {
    ownFormat(Self.fileExtension(output)) == nil ? formats(fitting: output) : nil
  }

  private func ownFormat(_ name: String) -> EmitFormat? {
    name == "cdstore" ? .store : rows.first { $0.extensions.contains(name) }?.format
  }

  /// The extension of a name in lower case; empty if there is none.
  private static func fileExtension(_ output: String) -> String {
    guard let dot = output.utf8.lastIndex(of: UInt8(ascii: ".")) else { return "" }
    return output[output.index(after: dot)...].lowercased()
  }

  /// The extensions of spreadsheets, which are not written.
  private static let unwrittenExtensions: Set<String> = ["xlsx", "xlsm", "xls", "ods"]
}

extension EmitFormat {
  /// The extensions that the format's files have, too, but that do not stand for it alone.
  fileprivate var sharedExtensions: [String] {
    switch self {
    case .asterisk, .spamblocker: ["csv"]
    case .vcard4: ["vcf"]
    case .jsonl, .saracroche, .phoneblock: ["json"]
    case .plist, .phonebook: ["xml"]
    case .store, .tsv, .csv, .sqlite, .yacb, .vcard, .pir: []
    }
  }
}

// MARK: - The table of all formats

extension EmitFormatTable {
  /// All formats.
  package static let all =
    general
    + EmitFormatTable([
      .vCard, .vCard4, .phoneBook, .asterisk, .spamBlocker, .saracroche, .phoneBlock, .begone, .dataSlice,
      .sqlite, .lookup,
    ])
}

extension EmitFormatDescription {
  /// A format that is a list of entries.
  static func entries(
    _ format: EmitFormat, extensions: [String] = [], fields: RecordFieldSet, ranges: RangeForm,
    entriesMax: UInt64? = nil, form: @escaping @Sendable (EmitOptions) -> any EntryForm
  ) -> EmitFormatDescription {
    EmitFormatDescription(
      format, extensions: extensions, fields: fields, ranges: ranges, entriesMax: entriesMax
    ) { (options, context) throws(Failure) in
      try EntryTarget(form(options), ranges, options, context)
    }
  }
}

// MARK: - The formats that `emit` writes

/// Formats the list of formats.
package enum EmitFormatMessages {
  /// The error for an output whose name fits several formats, or one that is not written.
  package static func unclearName(_ output: String, _ choices: [EmitFormat]) -> String {
    choices.isEmpty
      ? "'\(output)': spreadsheets are written as CSV; choose a name in .csv"
      : "'\(output)' may have several formats; choose one with --format: "
        + choices.map(\.rawValue).joined(separator: ", ")
  }

  /// What `cdpipe emit --formats` prints, as ``TextTable`` formats it.
  package static func table(width: Int? = nil) -> String {
    TextTable.lines(
      [["format", "names", "fields", "ranges", "what it is"]]
        + emitFormats.map { format in
          [
            format.name, format.extensions.map { "." + $0 }.joined(separator: " "),
            format.fields.joined(separator: " "), format.ranges, format.what,
          ]
        }, width: width)
  }

  /// The formats that `emit` writes, as JSON, one object per line.
  package static func json() -> String {
    emitFormats.map { format in
      JSONLine.text(
        EmitFormatDocument(
          format: format.name, description: format.what, extensions: format.extensions, fields: format.fields,
          ranges: format.ranges, entriesMax: format.entriesMax)) + "\n"
    }.joined()
  }

  /// The names of fields, as in a sentence.
  static func names(of fields: RecordFieldSet) -> String {
    let names = list(of: fields).map { $0 + "s" }
    return names.dropLast().joined(separator: ", ") + (names.count > 1 ? " or " : "") + (names.last ?? "")
  }

  private struct EmitFormatDocument: Encodable {
    var format: String
    var description: String
    var extensions: [String]
    var fields: [String]
    var ranges: String
    var entriesMax: UInt64?
  }

  private struct EmitFormatText {
    var name: String
    var extensions: [String]
    var fields: [String]
    var ranges: String
    var entriesMax: UInt64?
    var what: String
  }

  private static var emitFormats: [EmitFormatText] {
    let store = EmitFormatText(
      name: EmitFormat.store.rawValue, extensions: ["cdstore"], fields: ["label"], ranges: "bounds",
      what: what(.store))
    return [store]
      + EmitFormatTable.all.rows.map { row in
        EmitFormatText(
          name: row.format.rawValue, extensions: row.extensions, fields: list(of: row.fields),
          ranges: ranges(row.ranges), entriesMax: row.entriesMax, what: what(row.format))
      }
  }

  private static func list(of fields: RecordFieldSet) -> [String] {
    let names: [(RecordFieldSet, String)] = [(.label, "label"), (.source, "source"), (.score, "score")]
    return names.filter { fields.contains($0.0) }.map(\.1)
  }

  private static func ranges(_ form: RangeForm) -> String {
    switch form {
    case .bounds: "bounds"
    case .patterns: "patterns"
    case .numbers: "numbers"
    }
  }

  private static func what(_ format: EmitFormat) -> String {
    switch format {
    case .store: "stores that a phone loads"
    case .tsv: "the text form of records"
    case .csv: "CSV with a header line"
    case .jsonl: "one JSON object per line"
    case .sqlite: "an SQLite database with the table 'records'"
    case .asterisk: "the blacklist of Asterisk and FreePBX, as CSV"
    case .spamblocker: "the rules of SpamBlocker, as CSV"
    case .saracroche: "a pattern list of Saracroche"
    case .phoneblock: "a block list of PhoneBlock"
    case .plist: "a list of Begone, as an XML property list"
    case .yacb: "a data slice of YetAnotherCallBlocker and Should I Answer"
    case .vcard: "contacts as vCards 3.0"
    case .vcard4: "contacts as vCards 4.0"
    case .phonebook: "the phone book of a FRITZ!Box"
    case .pir: "the input of Apple's Live Caller ID Lookup, a directory"
    }
  }
}
