// The columns of a table that the fields of a row come from: chosen by name or position, or guessed by common names.

import Records

/// The columns of a table that a row's fields are read from, counted from 0; -1 for none.
struct TableColumns: Equatable {
  var number = 0
  var label = -1
  var source = -1
  var score = -1
  var date = -1
  /// The last number of a range.
  var last = -1
  /// The calling code or country of the number.
  var country = -1
  /// The first digits of the number, in a column of their own.
  var areaCode = -1
  /// In a log of calls with both parties, the one who is called: the number of an outgoing call. Its direction shows
  /// that it is one, or the number of the caller, which is the subscriber's own line.
  var callee = -1
  var direction = -1
  /// A column that shows which rows have numbers that are not blocked, and how.
  struct VerdictColumn: Equatable {
    var column: Int
    var kind: CommonFieldNames.Verdict
  }
  private(set) var verdicts: [VerdictColumn] = []
  /// Whether one party of the calls is an extension of a telephone system.
  private(set) var haveExtensions = false
  /// The column of the party who is called, if nothing shows which calls are outgoing.
  private(set) var unreadCallee = -1
  private(set) var ownLine: ContiguousArray<UInt8> = []
  /// The columns with numbers of other people than the caller: the name before one of them is theirs.
  private var othersNumbers: [Int] = []
  /// The columns of contacts, if a record may have several numbers. Then ``number`` is the first of their columns.
  var contacts: ContactColumns?

  /// Whether the columns are those of a call log, whose other numbers are the subscriber's own.
  private(set) var areOfCalls = false
  /// Whether the number's column was found by its contents.
  private(set) var isNumberGuessed = false
  /// Whether neither a name nor the contents show the number's column.
  private(set) var isNumberUnknown = false
  /// Whether records may lack the source, score and last number: they were not chosen.
  var mayLackFields = false
  /// Whether the label's column was chosen: then a record without it is rejected. A guessed label may be missing.
  var isLabelChosen = false
  /// The names of the chosen columns, for rejects.
  var numberName = ""
  var labelName = ""
  var sourceName = ""
  var scoreName = ""
  var dateName = ""
  var lastName = ""

  /// The number of fields that are read from a record.
  var fieldsMax: Int {
    max(
      number, label, source, score, last,
      max(date, country, areaCode, callee, direction, verdicts.map(\.column).max() ?? -1),
      contacts?.last ?? -1)
      + 1
  }

  /// Whether numbers are read as they are in one column.
  var areNumbersPlain: Bool {
    contacts == nil && number >= 0 && last < 0 && country < 0 && areaCode < 0 && callee < 0
      && verdicts.isEmpty
  }

  /// The columns that numbers are read from, without those of the other fields.
  var ofNumbers: TableColumns {
    var columns = self
    (columns.label, columns.source, columns.score, columns.date) = (-1, -1, -1, -1)
    columns.isLabelChosen = false
    columns.contacts = contacts.map { ContactColumns(numbers: $0.numbers) }
    return columns
  }

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
    date = position(options.dateField)
    last = position(options.lastField)
    country = position(options.countryField)
    isLabelChosen = label >= 0
    switch options.numberField {
    case .constant: number = -1
    case .name: number = position(options.numberField)
    case nil:
      let chosen = [label, source, score, date, last, country]
      let found = sample?.numberColumn(except: chosen)
      isNumberGuessed = found != nil
      number = found ?? [0, 1, 2, 3, 4, 5].first { !chosen.contains($0) } ?? 0
      if let found, let sample, found > 0, !chosen.contains(found - 1),
        sample.hasTrunkCodes(in: found - 1, of: found)
      {
        areaCode = found - 1
      }
      if options.labelField == nil, found != nil || number == 0 {
        let text = found == nil ? nil : sample?.textColumn(except: chosen + [number])
        let isFigure = sample.map { $0.hasFigures(in: number + 1) || $0.hasDates(in: number + 1) } ?? false
        let hasNext = !chosen.contains(number + 1) && !isFigure
        label = text ?? (hasNext ? number + 1 : -1)
      }
      if let sample, !options.ignoresVerdicts {
        verdicts = sample.textColumns.filter { $0 != number && sample.verdict(in: $0) != nil }
          .map { VerdictColumn(column: $0, kind: .remark) }
      }
    }
    nameAll(options)
  }

  /// The columns of a table with a header.
  ///
  /// A chosen name must be in the header; the first column with that name is used. A position that is not a name must
  /// be within the header. A column that is not chosen is guessed by common names, then from the contents of the
  /// sampled cells; the label only if the number is not chosen either. If the number is not chosen, a table of contacts
  /// has all of its columns of numbers. By a title above the header, the numbers in the columns `ofOthers` are not blocked.
  ///
  /// Throws an error with the name that is missing.
  init(
    _ options: ParseOptions, header: [String], sample: TableSample, ofOthers: Set<Int> = []
  ) throws(NoSuchColumn) {
    var options = options
    let isEmitted = EmittedFields.areColumns(header) && options.numberField == nil
    if isEmitted {
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
    date = try find(options.dateField)
    last = try find(options.lastField)
    number = try find(options.numberField)
    country = try find(options.countryField)
    isLabelChosen = label >= 0 && !mayLackFields
    if options.numberField == nil {
      let chosen = [label, source, score, date, last, country]
      let others = ofOthers.union(Self.allowed(header, sample))
      let free = header.indices.filter { !chosen.contains($0) && !others.contains($0) }
      let numbers = free.filter { !CommonFieldNames.isAmount(header[$0]) }
      findNumber(header, numbers, sample, findsNames: options.labelField == nil)
      if !isEmitted { findPrefixes(header, free, sample, options) }
      if !options.ignoresVerdicts { findVerdicts(header, free, sample) }
      if options.labelField == nil { findLabel(header, free, sample) }
    } else if number >= 0, !isEmitted {
      let chosen = [label, source, score, date, last, number]
      findPrefixes(header, header.indices.filter { !chosen.contains($0) }, sample, options)
    }
    nameAll(options)
  }

  /// The columns of numbers that are not blocked, by their names, beside other numbers.
  private static func allowed(_ header: [String], _ sample: TableSample) -> [Int] {
    let numbers = header.indices.filter { sample.hasLongNumbers(in: $0) }
    let allowed = numbers.filter { CommonFieldNames.isAllowed(header[$0]) }
    return allowed.count < numbers.count ? allowed : []
  }

  /// Finds the number by its name, or if none shows it, by the contents of the columns.
  private mutating func findNumber(
    _ header: [String], _ free: [Int], _ sample: TableSample, findsNames: Bool
  ) {
    areOfCalls = last < 0 && CommonFieldNames.areOfCalls(header)
    if areOfCalls, findParties(header, free, sample) { return }
    let figures = header.indices.filter { CommonFieldNames.isOtherFigure(header[$0]) }
    let own = ownLines(header, free, sample)
    let taken = header.indices.filter { !free.contains($0) || own.contains($0) }
    // The number that all calls have is that of the line.
    let lines = areOfCalls ? header.indices.filter { sample.hasOneNumber(in: $0) } : []
    let unusable = taken + figures + lines
    let ranks = header.map { CommonFieldNames.numberRank($0) }
    // A column that only counts the rows may have the name of numbers, too.
    func counts(_ column: Int) -> Bool {
      guard let rank = ranks[column], rank >= .general || rank == .caller,
        sample.rank(of: column) == nil
      else { return false }
      return sample.numberColumn(except: unusable + [column]).map { sample.hasLongNumbers(in: $0) } ?? false
    }
    let usable = free.filter { !own.contains($0) && !counts($0) }
    let callers = callers(header, usable, sample)
    let named = callers.isEmpty ? phones(header, usable, sample) : callers
    if !named.contains(where: { ranks[$0].map { $0 < .pattern } ?? false }),
      let first = firstOfRanges(header, free, sample)
    {
      number = first
      isNumberGuessed = true
      return
    }
    if last < 0 {
      contacts = ContactColumns(header, numbers: named, among: free, sample, findsNames: findsNames)
    }
    if let column = contacts?.numbers.first
      ?? CommonFieldNames.bestNumber(named.map { (field: $0, name: header[$0]) }) ?? callers.first
    {
      number = column
      isNumberGuessed = ranks[column] == nil
      if !callers.isEmpty { noteOthers(header, usable, sample) }
      return
    }
    let found =
      mentioned(header, unusable, sample) ?? sample.numberColumn(except: unusable)
      ?? sample.numberColumn(except: taken)
    isNumberGuessed = found != nil
    isNumberUnknown = found == nil && sample.hasRecords
    number = found ?? free.first ?? 0
  }

  /// The columns of those who call or were reported, by their names: beside them, any other phone number is that of
  /// somebody else. `From` is one only beside `To`.
  private func callers(_ header: [String], _ free: [Int], _ sample: TableSample) -> [Int] {
    let callers = free.filter {
      CommonFieldNames.numberRank(header[$0]) == .caller
        || CommonFieldNames.mentionsCaller(header[$0]) && !CommonFieldNames.isOtherFigure(header[$0])
          && sample.hasLongNumbers(in: $0)
    }
    let areRanges = last >= 0 || header.contains { CommonFieldNames.isAreaCode($0, inRanges: true) }
    if !callers.isEmpty || areRanges || !header.contains(where: CommonFieldNames.isCallee) { return callers }
    return free.filter { CommonFieldNames.isCaller(header[$0]) && sample.hasLongNumbers(in: $0) }
  }

  /// The columns with names of numbers. A bare `Number` beside a `Phone` is that of a customer or an invoice, unless its
  /// numbers are alike and it precedes the phone: then that is a second one.
  private func phones(_ header: [String], _ free: [Int], _ sample: TableSample) -> [Int] {
    let ranks = header.map { CommonFieldNames.numberRank($0) }
    let named = free.filter { ranks[$0] != nil }
    let phones = named.filter { ranks[$0] == .phone && (sample.rank(of: $0) != nil || !sample.hasRecords) }
    if phones.isEmpty { return named }
    let hasUsers = header.contains { CommonFieldNames.isUserLine($0) }
    return named.filter {
      ranks[$0] != .general || !hasUsers && phones.contains($0 + 1) && sample.isAlike($0, $0 + 1)
    }
  }

  /// Notes whose numbers those in the other columns are, beside the one of the caller.
  private mutating func noteOthers(_ header: [String], _ free: [Int], _ sample: TableSample) {
    othersNumbers = header.indices.filter {
      $0 != number && sample.rank(of: $0) != nil
        && (CommonFieldNames.isNumber(header[$0]) || CommonFieldNames.isOwnLine(header[$0]))
    }
    unreadCallee =
      free.first {
        CommonFieldNames.isCallee(header[$0]) && sample.hasLongNumbers(in: $0) && !sample.precedes(number, $0)
      } ?? -1
  }

  /// The columns of the lines of the list's author or of its users; the latter only beside other numbers.
  private func ownLines(_ header: [String], _ free: [Int], _ sample: TableSample) -> [Int] {
    let own = header.indices.filter { CommonFieldNames.isOwnLine(header[$0]) }
    let users = header.indices.filter {
      !own.contains($0) && CommonFieldNames.isUserLine(header[$0])
        && CommonFieldNames.mentionsNumber(header[$0])
    }
    let others = free.filter { column in
      !own.contains(column) && !users.contains(column) && sample.hasLongNumbers(in: column)
        && (CommonFieldNames.mentionsNumber(header[column])
          || CommonFieldNames.mentionsCaller(header[column]))
    }
    return others.isEmpty ? own : own + users
  }

  /// The column of phone numbers by its contents whose name has a word for numbers, unless only another one has their
  /// calling codes: a column beside it may have identifiers of the same length.
  private func mentioned(_ header: [String], _ unusable: [Int], _ sample: TableSample) -> Int? {
    let others = header.indices.filter {
      !CommonFieldNames.mentionsNumber(header[$0]) || !sample.hasLongNumbers(in: $0)
    }
    // `Número de folio;Número`
    let records = header.indices.filter { CommonFieldNames.mentionsRecord(header[$0]) }
    guard
      let column = sample.numberColumn(except: unusable + others + records)
        ?? sample.numberColumn(except: unusable + others)
    else { return nil }
    let best = sample.numberColumn(except: unusable).flatMap { sample.rank(of: $0) }
    return best == .international && sample.rank(of: column) != .international ? nil : column
  }

  /// The first numbers of ranges that have their first digits in a column of its own: `prefix;from;to`. Without these
  /// digits, the numbers are others; unless the last numbers were chosen, a prefix that they begin with is a pattern.
  private func firstOfRanges(_ header: [String], _ free: [Int], _ sample: TableSample) -> Int? {
    guard let last = last >= 0 ? last : header.indices.first(where: { CommonFieldNames.isLast(header[$0]) }),
      let prefix = free.first(where: {
        $0 != last && CommonFieldNames.isAreaCode(header[$0], inRanges: true)
      })
    else { return nil }
    let firsts = free.filter {
      guard $0 != prefix, $0 != last, let rank = sample.rank(of: $0), rank > .time else { return false }
      return (CommonFieldNames.isCaller(header[$0]) || sample.precedes($0, last))
        && (self.last >= 0 || sample.hasAreaCodes(in: prefix, of: $0))
    }
    return firsts.first { CommonFieldNames.isCaller(header[$0]) } ?? firsts.last { $0 < last } ?? firsts.first
  }

  /// Finds the other party of a call; returns false if no name shows it.
  private mutating func findParties(_ header: [String], _ free: [Int], _ sample: TableSample) -> Bool {
    let numbers = free.filter { sample.rank(of: $0) != nil && !CommonFieldNames.isOwnLine(header[$0]) }
    let columns = numbers.isEmpty ? free.filter { !CommonFieldNames.isOwnLine(header[$0]) } : numbers
    let callees = free.filter {
      CommonFieldNames.isCallee(header[$0]) && !CommonFieldNames.isOwnLine(header[$0])
    }
    // If a name shows only one party of two, the other column is that of the other one.
    let parties = columns.filter { sample.hasLongNumbers(in: $0) }
    func other(than party: Int) -> Int? {
      parties.count == 2 && parties.contains(party) ? parties.first { $0 != party } : nil
    }
    let named = columns.first { CommonFieldNames.isCaller(header[$0]) }
    let inferred = named == nil ? callees.first.flatMap { other(than: $0) } : nil
    let caller =
      named ?? columns.first { CommonFieldNames.mentionsCaller(header[$0]) } ?? inferred
      ?? columns.first { CommonFieldNames.isNumber(header[$0]) }
    guard let caller else { return false }
    number = caller
    guard caller == named || caller == inferred,
      let callee = callees.first(where: { $0 != caller }) ?? other(than: caller)
    else { return true }
    direction = free.first { CommonFieldNames.isDirection(header[$0]) } ?? -1
    let calls = zip(sample.texts(in: caller), sample.texts(in: callee)).map { (caller: $0, callee: $1) }
    ownLine = CommonFieldNames.ownLine(of: calls) ?? []
    if direction >= 0, ownLine.isEmpty, !showsDirection(sample) { direction = -1 }
    haveExtensions =
      direction < 0 && ownLine.isEmpty
      && calls.contains {
        CommonFieldNames.isExtension($0.caller) != CommonFieldNames.isExtension($0.callee)
      }
    if direction >= 0 || !ownLine.isEmpty || haveExtensions {
      self.callee = callee
    } else if calls.count > 1, sample.rank(of: callee) != nil {
      unreadCallee = callee
    }
    return true
  }

  /// Whether the direction's column has words for outgoing calls, or the same text for all.
  private func showsDirection(_ sample: TableSample) -> Bool {
    let texts = sample.texts(in: direction).filter { !$0.isEmpty }
    return Set(texts).count < 2
      || texts.contains { CommonFieldNames.isOutgoing(String(decoding: $0, as: UTF8.self)) }
  }

  private mutating func findLabel(_ header: [String], _ free: [Int], _ sample: TableSample) {
    let used = [number, country, areaCode, callee] + (contacts?.numbers ?? [])
    let rest = free.filter { !used.contains($0) && !isOfOthers(header, $0) }
    // The kind of a call may be a digit.
    let named = rest.filter {
      !CommonFieldNames.isCallee(header[$0])
        && (sample.hasWords(in: $0) || CommonFieldNames.labelRank(header[$0]) != .kind)
    }.map { (field: $0, name: header[$0]) }
    let unusable = header.indices.filter {
      !rest.contains($0) || areOfCalls && CommonFieldNames.isOtherFigure(header[$0])
    }
    let next = rest.first {
      $0 == number + 1 && sample.hasWords(in: $0) && !CommonFieldNames.isNumber(header[$0])
        && !CommonFieldNames.isExtension(header[$0]) && !CommonFieldNames.isTime(header[$0]) && !isVerdict($0)
        // A column of words with the name of an axis has none.
        && (header[$0].utf8.count == 1 || !CommonFieldNames.isOtherFigure(header[$0]))
    }
    label =
      contacts?.names.first ?? CommonFieldNames.bestLabel(named)
      ?? (isNumberGuessed || areOfCalls ? sample.textColumn(except: unusable) : nil)
      ?? next ?? -1
  }

  /// Finds the columns that show which numbers are blocked. If none is, or in a list of calls, a column is about something
  /// else: whether a call was blocked. A label that was chosen may have remarks.
  private mutating func findVerdicts(_ header: [String], _ free: [Int], _ sample: TableSample) {
    let numbers = [number] + (contacts?.numbers ?? [])
    let found = (label >= 0 ? free + [label] : free).compactMap { column in
      numbers.contains(column)
        ? nil : sample.verdict(header[column], in: column).map { (field: column, kind: $0) }
    }.filter { $0.field != label || $0.kind == .remark }
    let areCalls = areOfCalls || CommonFieldNames.areDated(header)
    verdicts = CommonFieldNames.Verdict.deciding(found, areCalls: areCalls)
      .map { VerdictColumn(column: $0.field, kind: $0.kind) }
  }

  /// Whether a column is not a label, because it shows which numbers are blocked.
  private func isVerdict(_ column: Int) -> Bool {
    verdicts.contains { $0.column == column && $0.kind != .remark }
  }

  /// Whether a column is about those who report: by its name, or as the name of a person before another number than that
  /// of the caller.
  private func isOfOthers(_ header: [String], _ column: Int) -> Bool {
    if CommonFieldNames.isOwnLine(header[column]) { return true }
    guard CommonFieldNames.labelRank(header[column]) == .name,
      !CommonFieldNames.mentionsCaller(header[column])
    else { return false }
    let next = (othersNumbers + [number]).filter { $0 > column }.min()
    return next.map { othersNumbers.contains($0) } ?? false
  }

  /// Finds the columns of calling codes, countries and area codes that belong to the number.
  private mutating func findPrefixes(
    _ header: [String], _ free: [Int], _ sample: TableSample, _ options: ParseOptions
  ) {
    let free = free.filter { $0 != number && !(contacts?.numbers.contains($0) ?? false) }
    if options.countryField == nil {
      country =
        free.first { CommonFieldNames.isCallingCode(header[$0]) }
        ?? free.first { CommonFieldNames.isCountry(header[$0]) && sample.hasCountries(in: $0) } ?? -1
    }
    guard contacts == nil else { return }
    let isRange = last >= 0 || header.contains { CommonFieldNames.isLast($0) }
    areaCode =
      free.first {
        $0 != country
          && (CommonFieldNames.isAreaCode(header[$0], inRanges: isRange)
            && sample.hasAreaCodes(in: $0, of: number)
            || CommonFieldNames.isAreaCode(header[$0], inRanges: false)
              && sample.hasAnyAreaCode(in: $0, of: number, isCertain: true)
            || CommonFieldNames.isAreaCode(header[$0], inRanges: true)
              && sample.hasTrunkCodes(in: $0, of: number)
            || CommonFieldNames.numberRank(header[$0]) == .pattern
              && sample.hasAreaCodes(in: $0, of: number, digitsMax: Self.localDigitsMax))
      } ?? -1
  }

  /// Numbers with at most this many digits are local ones: a prefix beside them is an area code, not a calling code.
  private static let localDigitsMax = 8

  private mutating func nameAll(_ options: ParseOptions) {
    func name(_ field: FieldSelector?, _ column: Int) -> String {
      if case .name(let name)? = field { name } else { String(column + 1) }
    }
    numberName = name(options.numberField, number)
    labelName = name(options.labelField, label)
    sourceName = name(options.sourceField, source)
    scoreName = name(options.scoreField, score)
    dateName = name(options.dateField, date)
    lastName = name(options.lastField, last)
  }
}

/// A chosen column that is missing.
struct NoSuchColumn: Error {
  var name: String
}

// The columns of a table of contacts, as Google and Outlook export it: several columns of numbers, and a name in parts.
// Each number of a record is a row.
//
//     First Name,Last Name,Organization Name,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value
//
// Google writes several numbers with the same label into one cell, with ` ::: ` between them.
//
// Source: exports of Google Contacts (the columns before and since 2024); open-xchange/appsuite-middleware,
// importCSV/outlook2003.*.properties, for Outlook's columns in several languages.

/// The columns of a table of contacts, counted from 0.
struct ContactColumns: Equatable {
  /// The columns of numbers, at least one.
  let numbers: [Int]
  /// The columns of a name's parts, in spoken order; empty if the label is not a name in parts.
  let names: [Int]
  /// The columns of which the first one with a text is the label if the name is empty.
  let otherNames: [Int]
  /// The columns of the labels if each number has its own; else empty.
  let labels: [Int]
  /// The last one of all these columns.
  let last: Int

  /// Finds the columns in a header; nil if a record has at most one number. `named` are the columns with common names
  /// for numbers, and `free` those that are not chosen.
  ///
  /// A column with a common name that is not a contact's, such as `caller` or `prefix`, is the only column of numbers, unless
  /// all have that name (`Blocked Number 1`, `Blocked Number 2`): the phone next to it may be that of somebody else. A single column has several numbers only if it is Google's; it
  /// is a contact's, too, if there are a given and a family name and no other name.
  init?(_ header: [String], numbers named: [Int], among free: [Int], _ sample: TableSample, findsNames: Bool)
  {
    let letters = header.map { Self.letters($0) }
    func columns(_ names: [RankedNames]) -> [Int] {
      names.compactMap { name in free.first { name.contains(letters[$0]) } }
    }
    let ownNames = columns([Self.givenNames, Self.familyNames])
    let hasOtherLabel = free.contains {
      guard !ownNames.contains($0), let rank = CommonFieldNames.labelRank(header[$0]) else { return false }
      return rank <= .name
    }
    let isNamed = findsNames && ownNames.count == 2 && !hasOtherLabel
    let isSeries = named.count > 1 && Set(named.map { letters[$0] }).count == 1
    guard isSeries || named.allSatisfy({ CommonFieldNames.isContactNumber(header[$0]) }),
      named.count > 1 || isNamed && !named.isEmpty
        || named.contains(where: { letters[$0] == Self.googleNumber })
    else { return nil }
    numbers = named
    if findsNames, !columns([Self.givenNames, Self.familyNames]).isEmpty {
      let whole = columns([Self.wholeNames])
      let parts = [Self.namePrefixes, Self.givenNames, Self.middleNames, Self.familyNames, Self.nameSuffixes]
      names = whole.isEmpty ? columns(parts) : whole
      otherNames = columns(Self.otherNames)
    } else {
      names = []
      otherNames = []
    }
    labels = findsNames && names.isEmpty ? Self.ownLabels(header, of: named, among: free, sample) : []
    last = (numbers + names + otherNames + labels).max() ?? 0
  }

  /// Columns of numbers without labels.
  init(numbers: [Int]) {
    self.numbers = numbers
    names = []
    otherNames = []
    labels = []
    last = numbers.max() ?? 0
  }

  /// The columns of the labels of tables side by side, `Number;Name;;Number;Name`: as many of the same name as there are
  /// numbers, one beside each; empty if there are none.
  private static func ownLabels(
    _ header: [String], of numbers: [Int], among free: [Int], _ sample: TableSample
  ) -> [Int] {
    let others = free.filter { !numbers.contains($0) }
    let best = CommonFieldNames.bestLabel(others.map { (field: $0, name: header[$0]) })
    guard numbers.count > 1 else { return [] }
    guard let first = best else { return repeated(header, beside: numbers, among: others, sample) }
    let labels = others.filter { letters(header[$0]) == letters(header[first]) }
    let isAfter = first > numbers[0]
    guard labels.count == numbers.count,
      zip(numbers, labels).allSatisfy({ isAfter ? $0 < $1 : $1 < $0 }),
      isAfter
        ? zip(numbers.dropFirst(), labels).allSatisfy({ $1 < $0 })
        : zip(labels.dropFirst(), numbers).allSatisfy({ $1 < $0 })
    else { return [] }
    return labels
  }

  /// The columns of words of the same name that are at the same distance from each of the numbers: `Number;Who;;Number;Who`.
  private static func repeated(
    _ header: [String], beside numbers: [Int], among others: [Int], _ sample: TableSample
  ) -> [Int] {
    let distance = zip(numbers, numbers.dropFirst()).map { $1 - $0 }.min() ?? 0
    guard distance > 1 else { return [] }
    for step in Array(1..<distance) + (1..<distance).map({ -$0 }) {
      let columns = numbers.map { $0 + step }.filter { others.contains($0) && !letters(header[$0]).isEmpty }
      if columns.count == numbers.count, Set(columns.map { letters(header[$0]) }).count == 1,
        columns.contains(where: { sample.hasWords(in: $0) })
      {
        return columns
      }
    }
    return []
  }

  /// A plain name without digits, which distinguish columns of the same kind.
  private static func letters(_ name: String) -> String {
    CommonFieldNames.plain(name).filter { !("0"..."9").contains($0) }
  }

  /// `Phone 1 - Value`, `Phone 2 - Value` …
  private static let googleNumber = "phonevalue"

  private static let wholeNames = RankedNames(["name fullname displayname"])
  private static let namePrefixes = RankedNames(["nameprefix"])
  static let givenNames = RankedNames([
    """
    firstname givenname forename vorname prenom nombre nombres primernombre voornaam imie jmeno имя імя nome
    primeironome ad fornavn fornamn etunimi keresztnev prenume ime ονομα الاسمالأول नाम tengoi namadepan
    名 名字 이름
    """
  ])
  private static let middleNames = RankedNames([
    "middlename additionalname weiterevornamen deuxiemeprenom segundonombre"
  ])
  static let familyNames = RankedNames([
    """
    lastname familyname surname nachname familienname nom nomdefamille apellidos apellido primerapellido achternaam
    nazwisko prijmeni фамилия прізвище cognome sobrenome apelido soyad soyadi etternavn efternavn efternamn sukunimi
    vezeteknev numedefamilie prezime επωνυμο اسمالعائلة namabelakang 姓 姓氏 성
    """
  ])
  private static let nameSuffixes = RankedNames(["namesuffix suffix"])
  private static let otherNames = [
    RankedNames(["fileas"]), RankedNames(["nickname"]),
    RankedNames([
      "organizationname organization company companyname firma societe organizacion bedrijf 单位 公司"
    ]),
  ]
}

// Samples the contents of a table's columns in its first records: which column has the numbers, if no name shows it,
// and which one has words.

enum TableCell {
  case empty
  /// A date, with or without a time: `2024-11-21`, `21.11.2024 12:30`, `20241121`.
  case date
  /// A number of at least five digits: a shorter one is more often a count. With wildcards, three digits are enough.
  case number(TableNumberRank)
  /// Anything else with a letter in it.
  case text
  /// Counts, decimal fractions, signs.
  case other

  /// The minimum number of digits of a phone number. The shortest numbers have fewer, but look like counts.
  static let numberDigitsMin = 5
  /// The minimum number of digits before a mask's wildcards.
  private static let maskDigitsMin = 2
  /// The minimum number of digits of a long number: postcodes and small identifiers have fewer.
  private static let longDigitsMin = 7
  /// The maximum size of a number in bytes: two numbers of a range with spaces and signs have fewer. A longer text of
  /// digits and the letter x is not a mask.
  private static let numberBytesMax = 128

  /// Classifies the bytes from `start` to `end`.
  ///
  /// - Complexity: O(bytes).
  init(_ bytes: Span<UInt8>, from start: Int, to end: Int) {
    let body = NumberText.body(bytes, from: start, to: end)
    self.init(
      bytes, from: body.lowerBound, to: body.upperBound,
      NumberText.contents(bytes, from: body.lowerBound, to: body.upperBound))
  }

  /// Classifies the bytes from `start` to `end`, which have these contents.
  ///
  /// - Complexity: O(bytes).
  init(_ bytes: Span<UInt8>, from start: Int, to end: Int, _ contents: NumberText.Contents) {
    guard start < end else {
      self = .empty
      return
    }
    if Self.isDate(bytes, start, end) {
      self = .date
      return
    }
    let hasExponent = SpreadsheetNumber.hasExponent(bytes.extracting(start..<end))
    let wildcards = Self.wildcards(bytes, start, end)
    // `070-XXXX-XXXX`
    let isMask = wildcards > 1 && contents.digits + wildcards >= Self.longDigitsMin
    let digitsMin = isMask ? Self.maskDigitsMin : Self.numberDigitsMin
    let isNumber =
      hasExponent || contents.isNumber(digitsMin: digitsMin) && end - start <= Self.numberBytesMax
    if isNumber, !Self.isDecimal(bytes, start, end) {
      if Self.isSeconds(bytes, start, end) {
        self = .number(.time)
        return
      }
      let isInternational = bytes[start] == UInt8(ascii: "+")
      let places = contents.digits + wildcards
      self = .number(
        isInternational ? .international : hasExponent || places >= Self.longDigitsMin ? .long : .short)
    } else {
      self = contents.letters > 0 ? .text : .other
    }
  }

  var rank: TableNumberRank? { if case .number(let rank) = self { rank } else { nil } }
  var isText: Bool { if case .text = self { true } else { false } }
  var isEmpty: Bool { if case .empty = self { true } else { false } }

  /// Whether this is a negative number or a decimal fraction, such as a coordinate or an amount: digits with one point,
  /// except where only zeros follow the point, or where the digits before it are a zero and another digit
  /// (`030.12345678`).
  private static func isDecimal(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    var index = start
    let isNegative = bytes[index] == UInt8(ascii: "-")
    if isNegative { index += 1 }
    let digits = index
    index = bytes.skippingDigits(from: digits, to: end)
    if index == end { return isNegative }
    guard bytes[index] == UInt8(ascii: "."), index + 1 < end else { return false }
    if !isNegative, index - digits > 1, bytes[digits] == UInt8(ascii: "0") { return false }
    var hasFraction = false
    for at in index + 1..<end {
      guard bytes[at] &- 0x30 < 10 else { return false }
      if bytes[at] != UInt8(ascii: "0") { hasFraction = true }
    }
    return hasFraction || isNegative
  }

  private static func wildcards(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    var count = 0
    for index in start..<end {
      switch bytes[index] {
      case UInt8(ascii: "#"), UInt8(ascii: "*"), UInt8(ascii: "x"), UInt8(ascii: "X"): count += 1
      default: break
      }
    }
    return count
  }

  // MARK: Dates

  /// Whether this may be a time in seconds or milliseconds since 1970, from 2008 to 2030.
  static func isSeconds(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard end - start == 10 || end - start == 13, bytes.skippingDigits(from: start, to: end) == end else {
      return false
    }
    return bytes[start] == UInt8(ascii: "1") && bytes[start + 1] &- 0x32 < 7
  }

  static func isDate(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    var groups: [(value: Int, digits: Int)] = []
    var index = start
    var mark: UInt8 = 0
    while groups.count < 3 {
      var value = 0
      let first = index
      while index < end, bytes[index] &- 0x30 < 10, index - first < 8 {
        value = value * 10 + Int(bytes[index] &- 0x30)
        index += 1
      }
      if index == first { return false }
      groups.append((value, index - first))
      if groups.count == 1, index - first == 8 {
        // 20241121
        groups = [(value / 10_000, 4), (value / 100 % 100, 2), (value % 100, 2)]
        break
      }
      if groups.count == 3 { break }
      guard index + 1 < end, "-./".utf8.contains(bytes[index]), mark == 0 || mark == bytes[index] else {
        return false
      }
      mark = bytes[index]
      index += 1
    }
    guard isTime(bytes, index, end) else { return false }
    // The calendars of Thailand and Iran, apart from eight digits, which may be a number.
    func isYear(_ value: Int) -> Bool {
      1900..<2100 ~= value || mark != 0 && (2400..<2600 ~= value || 1350..<1450 ~= value)
    }
    let (first, middle, last) = (groups[0], groups[1], groups[2])
    guard middle.digits <= 2 else { return false }
    if first.digits == 4 {
      return last.digits <= 2 && isYear(first.value) && isMonth(middle.value) && isDay(last.value)
    }
    guard first.digits <= 2, last.digits == 2 || (last.digits == 4 && isYear(last.value)) else {
      return false
    }
    return isDay(first.value) && isMonth(middle.value) || isMonth(first.value) && isDay(middle.value)
  }

  /// Whether a date is followed by nothing, or by a time of day only.
  private static func isTime(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    if start == end { return true }
    guard bytes[start] == 0x20 || bytes[start] == UInt8(ascii: "T") else { return false }
    for index in start + 1..<end {
      let byte = bytes[index]
      guard byte &- 0x30 < 10 || " :.+-ZAPMapm".utf8.contains(byte) else { return false }
    }
    return true
  }

  private static func isMonth(_ value: Int) -> Bool { value >= 1 && value <= 12 }
  private static func isDay(_ value: Int) -> Bool { value >= 1 && value <= 31 }
}

enum TableNumberRank: Int, Comparable {
  /// A number that is more often a time than a phone number.
  case time
  case short, long, international

  static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// The contents of the columns in the first ``TableStart/recordsMax`` records.
struct TableSample {
  private struct ColumnStatistics {
    var filled = 0
    var texts = 0
    var dates = 0
    /// The number of numbers of each rank or a higher one.
    var numbers = [0, 0, 0, 0]
    /// The last number, and how many follow the one before them without a gap, as the identifiers of rows do.
    var previous: Int?
    var following = 0
    /// The first record's cell, which may be a header.
    var first = TableCell.empty

    /// The highest rank that at least half of the cells have; nil if fewer than half are numbers.
    var rank: TableNumberRank? {
      if filled == 0 { return first.rank }
      return [.international, .long, .short, .time].first { 2 * numbers[$0.rawValue] >= filled }
    }
    /// Whether the numbers are those of an ascending identifier, in at least three records.
    var isSequence: Bool { filled >= 3 && following == filled - 1 }
    var hasDates: Bool { filled > 0 && 2 * dates >= filled }
    var isText: Bool { filled == 0 ? first.isText : 2 * texts >= filled }

    mutating func noteSequence(_ bytes: Span<UInt8>, _ field: TableField) {
      var value = bytes[field.start] == UInt8(ascii: "0") ? nil : Int?(0)
      for index in field.start..<field.end {
        guard let known = value, bytes[index] &- 0x30 < 10, known < 1 << 56 else {
          value = nil
          break
        }
        value = known * 10 + Int(bytes[index] &- 0x30)
      }
      if let value, let previous, value == previous + 1 { following += 1 }
      previous = value
    }
  }

  /// The texts of a column in the records after the first one; empty where a record has none.
  func texts(in column: Int) -> [ContiguousArray<UInt8>] { texts(of: fields, in: column) }

  private func texts(of records: [[TableField]], in column: Int) -> [ContiguousArray<UInt8>] {
    records.map { fields in
      var text: ContiguousArray<UInt8> = []
      if column < fields.count { fields[column].append(bytes.span, to: &text) }
      return text
    }
  }

  /// How a column with this name shows which rows have numbers that are not blocked; nil if it does not.
  func verdict(_ name: String, in column: Int) -> CommonFieldNames.Verdict? {
    CommonFieldNames.verdict(name, of: texts(in: column).map { String(decoding: $0, as: UTF8.self) })
  }

  /// How a column of a table without a header shows it.
  func verdict(in column: Int) -> CommonFieldNames.Verdict? {
    let texts = texts(of: [first] + fields, in: column)
    return CommonFieldNames.verdict("", of: texts.map { String(decoding: $0, as: UTF8.self) })
  }

  private var columns: [ColumnStatistics] = []
  private var records = 0
  /// The bytes, and the fields of the records after the first one, which may be a header.
  private var bytes: ContiguousArray<UInt8> = []
  private var fields: [[TableField]] = []
  private var first: [TableField] = []

  /// Makes an empty sample.
  init() {}

  /// Samples the records from `start` on.
  init(_ start: Int, of text: ContiguousArray<UInt8>, _ grammar: TableGrammar) {
    self.bytes = text
    let bytes = text.span
    var fields: [TableField] = []
    var recovery = TableRecovery()
    var at = start
    while at < bytes.count, records < TableStart.recordsMax {
      let end = grammar.record(
        bytes, from: at, atEnd: true, mayHaveLines: recovery.mayHaveLines(at: UInt64(at)),
        fieldsMax: bytes.count, into: &fields)
      guard case .whole(let last, let next) = end else {
        var examined = bytes.count
        if case .broken(_, at: let place) = end { examined = place }
        recovery.noteReject(from: UInt64(at), examinedTo: UInt64(examined))
        at = grammar.lineEnd(bytes, from: at) ?? bytes.count
        continue
      }
      // The window may end inside the last record.
      if next == bytes.count, bytes[next - 1] != Byte.lineFeed, records > 0 { break }
      defer { at = next }
      if grammar.isBlank(bytes, from: at, to: last) { continue }
      while columns.count < fields.count { columns.append(ColumnStatistics()) }
      for (index, field) in fields.enumerated() {
        let cell = TableCell(bytes, from: field.start, to: field.end)
        note(cell, index)
        if records > 0, cell.rank == .long { columns[index].noteSequence(bytes, field) }
      }
      if records > 0 { self.fields.append(fields) } else { first = fields }
      records += 1
    }
  }

  private mutating func note(_ cell: TableCell, _ index: Int) {
    if records == 0 {
      columns[index].first = cell
      return
    }
    if cell.isEmpty { return }
    columns[index].filled += 1
    if cell.isText { columns[index].texts += 1 }
    if case .date = cell { columns[index].dates += 1 }
    guard let rank = cell.rank else { return }
    for lower in 0...rank.rawValue { columns[index].numbers[lower] += 1 }
  }

  /// The first column of the numbers that are most likely phone numbers, apart from the excluded columns. A column that
  /// is mostly empty ranks lower, and identifiers are not used if there are other long numbers.
  func numberColumn(except excluded: [Int]) -> Int? {
    let free = columns.indices.filter { !excluded.contains($0) }
    let hasOthers = free.contains { hasLongNumbers(in: $0) && !columns[$0].isSequence }
    var best: (column: Int, rank: TableNumberRank, isDense: Bool)?
    for index in free where !(hasOthers && columns[index].isSequence) {
      let column = columns[index]
      guard let rank = column.rank else { continue }
      let isDense = 2 * column.filled >= records - 1
      if let best, (rank.rawValue, isDense ? 1 : 0) <= (best.rank.rawValue, best.isDense ? 1 : 0) { continue }
      best = (index, rank, isDense)
    }
    return best?.column
  }

  /// Whether all records have the same long number in a column.
  func hasOneNumber(in column: Int) -> Bool {
    let texts = hasLongNumbers(in: column) ? texts(in: column) : []
    return texts.count > 1 && Set(texts).count == 1
  }

  /// Whether a column has several long numbers in at least half of its cells.
  func hasNumberLists(in column: Int) -> Bool {
    let cells = texts(in: column).filter { !$0.isEmpty }
    let lists = cells.count { cell in
      let parts = cell.split { ",;\n".utf8.contains($0) }
      return parts.count > 1
        && parts.allSatisfy { part in
          let part = ContiguousArray(part.drop { $0 == 0x20 })
          return TableCell(part.span, from: 0, to: part.count).rank.map { $0 >= .long } ?? part.isEmpty
        }
    }
    return lists > 0 && 2 * lists >= cells.count
  }

  /// The rank that at least half of a column's numbers have; nil if it is not a column of numbers.
  func rank(of column: Int) -> TableNumberRank? {
    columns.indices.contains(column) ? columns[column].rank : nil
  }

  /// Whether the numbers of a column have as many digits as those of another one, and none of them is higher.
  func precedes(_ first: Int, _ last: Int) -> Bool {
    let pairs = zip(texts(in: first), texts(in: last)).filter { !$0.isEmpty && !$1.isEmpty }
    return !pairs.isEmpty
      && pairs.allSatisfy { $0.count == $1.count && !$1.lexicographicallyPrecedes($0) }
  }

  /// Whether the numbers of a column are written as phone numbers, or as long as those of another column, where both have
  /// some: with a leading zero or signs.
  func isAlike(_ column: Int, _ number: Int) -> Bool {
    if columns.indices.contains(column), columns[column].isSequence { return false }
    let pairs = zip(texts(in: column), texts(in: number)).filter { !$0.0.isEmpty }
    let alike = pairs.count { text, number in
      let digits = text.count { $0 &- 0x30 < 10 }
      return text[0] == UInt8(ascii: "0") || digits < text.count
        || digits == number.count { $0 &- 0x30 < 10 }
    }
    return alike > 0 && 2 * alike >= pairs.count
  }

  /// Whether at least half of a column's cells are phone numbers by their length.
  func hasLongNumbers(in column: Int) -> Bool { rank(of: column).map { $0 >= .long } ?? false }

  /// Whether at least half of a column's cells are too long for counts.
  func hasFigures(in column: Int) -> Bool { rank(of: column).map { $0 != .short } ?? false }

  /// Whether at least half of a column's cells are dates.
  func hasDates(in column: Int) -> Bool { columns.indices.contains(column) && columns[column].hasDates }

  var hasRecords: Bool { !fields.isEmpty }

  /// Whether a column may have words: a count, an identifier or a date is not a label.
  func hasWords(in column: Int) -> Bool { !hasRecords || textColumns.contains(column) }

  var textColumns: [Int] { columns.indices.filter { columns[$0].isText } }

  /// The first column of words, apart from the excluded columns.
  func textColumn(except excluded: [Int]) -> Int? {
    columns.indices.first { !excluded.contains($0) && columns[$0].isText }
  }
}
