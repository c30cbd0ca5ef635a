// What a parser recognised about an input: its format and encoding, its fields, and which of them a row's fields are
// read from. For previews.
//
// Not for: reading rows, which does not depend on it.

import Records

/// The recognised properties of an input.
package struct InputLayout: Sendable, Equatable {
  /// The format.
  package var format: ParseOptions.Format = .auto
  /// The encoding that was chosen or that a byte order mark declares; nil if the bytes were read as UTF-8, or as the
  /// input itself declares.
  package var encoding: String?
  /// The byte between the fields of a table; nil for other formats.
  package var separator: UInt8?
  /// Whether the first record of a table contains the names of its columns; nil for other formats.
  package var hasHeader: Bool?
  /// Whether rows are pairs of a number and its label, which have no field names.
  package var rowsArePairs = false
  /// The name of the sheet of a workbook; nil for other formats.
  package var sheet: String?
  /// The names of the workbook's other visible sheets with values, unless a sheet was chosen; at most 20.
  package var otherSheets: [String] = []
  /// The number of the sheet's merged ranges of several rows, of which only the first row has the value.
  package var merges = 0
  /// The number of the sheet's formulas without a stored result, which are read as empty.
  var missingResults = 0
  /// The names of the fields in the order of the input, as ``FieldSelector`` accepts them; positions from 1 if they have
  /// no names. At most ``fieldsMax``.
  package var fields: [String] = []
  /// The field of the number, or `=TEXT` for a constant; nil if it is the key of a pair.
  package var number: String?
  /// The field of the label, or `=TEXT` for a constant; nil if it is the value of a pair, or if there is none.
  package var label: String?
  /// The field of the source, or `=TEXT` for a constant; nil if there is none.
  package var source: String?
  /// The field of the score, or `=TEXT` for a constant; nil if there is none.
  package var score: String?

  /// The field of a range's last number; nil if there is none.
  package var last: String?
  /// The fields of the numbers if a record may have several; else empty.
  package var numbers: [String] = []
  /// The fields that the label is made of: the parts of a name, then those that replace an empty one; empty if it is
  /// made of at most one.
  package var labels: [String] = []
  /// The fields that may be the label, because they contain text, if none has a common name for labels and none was
  /// chosen.
  var possibleLabels: [String] = []
  /// What may belong to the rows and is not read from any field above.
  var unread: [UnreadFields] = []
  /// The fields that may be the number, if pairs are rows and no key is a number.
  var possibleNumbers: [String] = []

  /// The maximum number of fields that are listed. Real tables have a few dozen columns.
  package static let fieldsMax = 64

  /// Creates an empty layout.
  package init() {}

  /// Creates the layout of a format whose fields have names, with the fields that were chosen or that the format has by
  /// default.
  package init(_ fields: [String], _ options: ParseOptions) {
    self.fields = Array(fields.prefix(Self.fieldsMax))
    number = options.numberField?.text
    label = options.labelField?.text
    source = options.sourceField?.text
    score = options.scoreField?.text
    last = options.lastField?.text
  }

  /// The fields that no part of a row is read from.
  package var others: [String] {
    // The second field of a plain list is the rest of the line.
    if format.isLines || rowsArePairs { return [] }
    let used = numbers + labels + [number, last, label, source, score].compactMap(\.self)
    return fields.filter { !used.contains($0) }
  }

  /// The first field with a common name for labels, apart from one field; nil if there is none.
  package func commonLabel(except excluded: String) -> String? {
    fields.first { $0 != excluded && CommonFieldNames.label.contains(CommonFieldNames.plain($0)) }
  }
}

extension FieldSelector {
  /// The selector as it is typed: a name, or `=TEXT`.
  package var text: String {
    switch self {
    case .name(let name): name
    case .constant(let text): "=" + text
    }
  }
}

extension InputLayout {
  /// The layout of a table.
  init(_ table: TableStart, _ options: ParseOptions) {
    separator = table.grammar.separator
    hasHeader = table.fieldNames != nil
    let names = table.fieldNames ?? []
    fields = (0..<min(table.fieldCount, Self.fieldsMax)).map { column in
      // A name that is empty or not unique selects nothing, or another column.
      guard column < names.count, !names[column].isEmpty, !names[column].hasPrefix("="),
        names.firstIndex(of: names[column]) == column
      else { return String(column + 1) }
      return names[column]
    }
    number = field(table.columns.number, options.numberField)
    label = field(table.columns.label, options.labelField)
    source = field(table.columns.source, options.sourceField)
    score = field(table.columns.score, options.scoreField)
    last = field(table.columns.last, options.lastField)
    if let contacts = table.columns.contacts {
      numbers = contacts.numbers.compactMap { field($0, nil) }
      labels = (contacts.names + contacts.otherNames).compactMap { field($0, nil) }
    }
    if table.titleLines > 0 { unread.append(.lines(table.titleLines)) }
    if options.numberField == nil { noteUnread(table, options) }
  }

  /// Notes the columns that may belong to the rows and are not read.
  private mutating func noteUnread(_ table: TableStart, _ options: ParseOptions) {
    let columns = table.columns
    let used =
      [columns.number, columns.label, columns.source, columns.score, columns.last]
      + (columns.contacts.map { $0.numbers + $0.names + $0.otherNames } ?? [])
    let free = fields.indices.filter { !used.contains($0) }
    let isLabelled = columns.label >= 0 || !(columns.contacts?.names.isEmpty ?? true)
    if options.labelField == nil, !isLabelled {
      possibleLabels = table.sample.textColumns.filter { free.contains($0) }.map { fields[$0] }
    }
    var lasts: [String] = []
    var others: [String] = []
    for column in free {
      guard let rank = table.sample.rank(of: column) else { continue }
      let names = table.fieldNames ?? []
      let name = names.indices.contains(column) ? names[column] : ""
      if columns.last < 0, rank >= .long, CommonFieldNames.last.contains(CommonFieldNames.plain(name)) {
        lasts.append(fields[column])
      } else if rank == .international || CommonFieldNames.isNumber(name) {
        others.append(fields[column])
      }
    }
    if !lasts.isEmpty { unread.append(.lastNumbers(lasts)) }
    if !others.isEmpty { unread.append(.numbers(others)) }
  }

  private func field(_ column: Int, _ chosen: FieldSelector?) -> String? {
    if case .constant = chosen { return chosen?.text }
    return fields.indices.contains(column) ? fields[column] : chosen?.text
  }
}
