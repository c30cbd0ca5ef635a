// The columns of a table that the fields of a row come from: chosen by name or position, or guessed by common names.
//
// Not for: splitting records (TableGrammar).

import Records

/// The columns of a table that a row's fields are read from, counted from 0; -1 for none.
struct TableColumns: Equatable {
  var number = 0
  var label = -1
  var source = -1
  var score = -1
  /// The last number of a range.
  var last = -1
  /// The columns of contacts, if a record may have several numbers. Then ``number`` is the first of their columns.
  var contacts: ContactColumns?

  /// Whether records may lack the source, score and last number: they were not chosen.
  var mayLackFields = false
  /// Whether the label's column was chosen: then a record without it is rejected. A guessed label may be missing.
  var isLabelChosen = false
  /// The names of the chosen columns, for rejects.
  var numberName = ""
  var labelName = ""
  var sourceName = ""
  var scoreName = ""
  var lastName = ""

  /// The number of fields that are read from a record.
  var fieldsMax: Int { max(number, label, source, score, last, contacts?.last ?? -1) + 1 }

  /// The columns of a table without a header.
  ///
  /// A column that is not chosen is guessed from the contents of the sampled cells: the number is the first column of
  /// numbers, or if there is none, the first column that is not chosen. The label is guessed only if the number is not
  /// chosen: the first column of words, or the one after the number.
  init(_ options: ParseOptions, sample: TableSample? = nil) {
    func position(_ field: FieldSelector?) -> Int { (field?.position ?? 0) - 1 }
    label = position(options.labelField)
    source = position(options.sourceField)
    score = position(options.scoreField)
    last = position(options.lastField)
    isLabelChosen = label >= 0
    switch options.numberField {
    case .constant: number = -1
    case .name: number = position(options.numberField)
    case nil:
      let chosen = [label, source, score, last]
      let found = sample?.numberColumn(except: chosen)
      number = found ?? [0, 1, 2, 3, 4].first { !chosen.contains($0) } ?? 0
      if options.labelField == nil, found != nil || number == 0 {
        let text = found == nil ? nil : sample?.textColumn(except: chosen + [number])
        let hasNext = !chosen.contains(number + 1) && !(sample?.hasLongNumbers(in: number + 1) ?? false)
        label = text ?? (hasNext ? number + 1 : -1)
      }
    }
    nameAll(options)
  }

  /// The columns of a table with a header.
  ///
  /// A chosen name must be in the header; the first column with that name is used. A position that is not a name must
  /// be within the header. A column that is not chosen is guessed by common names, then from the contents of the
  /// sampled cells; the label only if the number is not chosen either. If the number is not chosen, a table of contacts
  /// has all of its columns of numbers.
  ///
  /// Throws an error with the name that is missing.
  init(_ options: ParseOptions, header: [String], sample: TableSample) throws(NoSuchColumn) {
    var options = options
    if EmittedFields.areColumns(header), options.numberField == nil {
      mayLackFields = true
      options.chooseEmitted(header)
    }
    func find(_ field: FieldSelector?) throws(NoSuchColumn) -> Int {
      guard case .name(let name)? = field else { return -1 }
      if let column = header.firstIndex(of: name) { return column }
      if let position = field?.position, position <= header.count { return position - 1 }
      throw NoSuchColumn(name: name)
    }
    label = try find(options.labelField)
    source = try find(options.sourceField)
    score = try find(options.scoreField)
    last = try find(options.lastField)
    number = try find(options.numberField)
    isLabelChosen = label >= 0 && !mayLackFields
    if options.numberField == nil {
      let chosen = [label, source, score, last]
      let free = header.indices.filter { !chosen.contains($0) }
      if last < 0 {
        contacts = ContactColumns(header, among: free, findsNames: options.labelField == nil)
      }
      let named =
        contacts?.numbers.first
        ?? free.first { CommonFieldNames.number.contains(CommonFieldNames.plain(header[$0])) }
      let found = named == nil ? sample.numberColumn(except: chosen) : nil
      number = named ?? found ?? free.first ?? 0
      if options.labelField == nil {
        let rest = free.filter { $0 != number && !(contacts?.numbers.contains($0) ?? false) }
        label =
          contacts?.names.first
          ?? rest.first { CommonFieldNames.label.contains(CommonFieldNames.plain(header[$0])) }
          ?? CommonFieldNames.otherLabels.lazy.compactMap { names in
            rest.first { names.contains(CommonFieldNames.plain(header[$0])) }
          }.first
          ?? (found == nil ? nil : sample.textColumn(except: chosen + [number]))
          ?? rest.first {
            $0 == number + 1 && !CommonFieldNames.isNumber(header[$0]) && !sample.hasLongNumbers(in: $0)
          }
          ?? -1
      }
    }
    nameAll(options)
  }

  private mutating func nameAll(_ options: ParseOptions) {
    func name(_ field: FieldSelector?, _ column: Int) -> String {
      if case .name(let name)? = field { name } else { String(column + 1) }
    }
    numberName = name(options.numberField, number)
    labelName = name(options.labelField, label)
    sourceName = name(options.sourceField, source)
    scoreName = name(options.scoreField, score)
    lastName = name(options.lastField, last)
  }
}

/// A chosen column that is missing.
struct NoSuchColumn: Error {
  var name: String
}
