// The formats other than stores as a table. To add a format, write its target and its EmitFormatDescription, and add a
// row to the table: here, or in ApplicationOutputs for the format of another application.

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
