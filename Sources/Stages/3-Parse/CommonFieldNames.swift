// The common names of columns and fields, in the languages in which lists are published: what a field is, and how clearly
// its name is that of one. One table for all formats whose fields have names: JSON, tables, workbooks, property lists and
// databases.
//
// Names are compared without case, accents, spaces and signs: see CommonFieldNames.plain(_:).
//
// Sources of the names: exports of call logs, contacts and block lists; registers of numbering plans; Google Contacts;
// open-xchange/appsuite-middleware, importCSV/outlook2003.*.properties, for Outlook's columns in several languages.

import Records

enum CommonFieldNames {
  /// Numbers, from the clearest names to the least clear ones.
  enum NumberRank: Int, Comparable {
    /// A complete number: `e164`, `msisdn`.
    case complete
    /// The other party of a call: `caller`.
    case caller
    /// A phone of a person or company.
    case phone
    /// Any number, also one that only counts the rows: `number`, `Número`.
    case general
    /// A pattern or a prefix.
    case pattern
    /// A fax machine, a pager.
    case otherLine

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  /// Labels, in the order of precedence: whom a number belongs to by name, what is known about it, also in a name of several
  /// words, the kind of a fraud, other owners, and the kind of a call or an entry, which is used if there is nothing else.
  enum LabelRank: Int, Comparable {
    case label, name, company, description, mentioned, scheme, owner, kind

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  // MARK: The meaning of a name

  /// A longer text is not a name.
  private static let nameBytesMax = 128

  static func isNumber(_ name: String) -> Bool { numberRank(name) != nil }

  /// Whether a name is that of a list of numbers: `phones`, `numbers`, `phone`.
  static func isNumberList(_ name: String) -> Bool { listRank(name) != nil }

  /// How clearly a name is that of a list of numbers; nil if it is not.
  static func listRank(_ name: String) -> NumberRank? {
    numberRank(name) ?? (name.hasSuffix("s") ? numberRank(String(name.dropLast())) : nil)
  }

  /// How clearly a name is that of a number; nil if it is not.
  static func numberRank(_ name: String) -> NumberRank? {
    if name.utf8.count > nameBytesMax { return nil }
    let rank = number.rank(plain(name)).flatMap { NumberRank(rawValue: $0) }
    if let rank, rank < .phone || rank == .otherLine { return rank }
    return mentionsCaller(name) && mentionsNumber(name) && !isOwnLine(name) ? .caller : rank
  }

  /// How clearly a name is that of the number of a record with others: those of the list's author or of its users come
  /// last.
  static func rankBesideOthers(_ name: String) -> NumberRank? {
    guard let rank = numberRank(name) else { return nil }
    return isOwnLine(name) || isUserLine(name) ? .otherLine : rank
  }

  /// The words of a name, plain: `Scam Category`, `scam_category`, `scamCategory`.
  private static func words(_ name: String) -> [String] {
    if name.utf8.allSatisfy({ $0 < 0x80 }) { return englishWords(name) }
    var words: [String] = []
    var word = ""
    for character in name {
      // Chinese and Japanese need no blanks: `QQ群`.
      let isOther =
        word.last.map { $0.isASCII != character.isASCII && ($0 >= "⺀" || character >= "⺀") } ?? false
      if !character.isLetter || isOther || character.isUppercase && word.last?.isLowercase == true {
        words.append(plain(word))
        word = ""
      }
      if character.isLetter { word.append(character) }
    }
    return (words + [plain(word)]).filter { !$0.isEmpty }
  }

  /// The words of a name in ASCII.
  private static func englishWords(_ name: String) -> [String] {
    var words: [String] = []
    var word: [UInt8] = []
    var last: UInt8 = 0
    for byte in name.utf8 {
      let isCapital = byte &- 0x41 < 26
      if (byte | 0x20) &- 0x61 >= 26 || isCapital && last &- 0x61 < 26 {
        if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
        word.removeAll(keepingCapacity: true)
      }
      if (byte | 0x20) &- 0x61 < 26 { word.append(byte | 0x20) }
      last = byte
    }
    if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
    return words
  }

  /// Whether a name is that of a number of a contact, who may have several.
  static func isContactNumber(_ name: String) -> Bool {
    switch numberRank(name) {
    case .phone, .general, .otherLine: true
    case .complete, .caller, .pattern, nil: false
    }
  }

  /// Whether one of the words of a name is that of a number, `Gemeldete Nummer`; or its end, in scripts that don't separate
  /// words: `举报号码`.
  static func mentionsNumber(_ name: String) -> Bool {
    if name.utf8.count > nameBytesMax { return false }
    func isWord(_ word: some StringProtocol) -> Bool {
      number.rank(plain(String(word))).map { $0 < NumberRank.pattern.rawValue } ?? false
    }
    if words(name).contains(where: { isWord($0) || isCallerWord($0) && endsInNumber($0) }) { return true }
    guard let last = name.unicodeScalars.last, last.value >= 0x2E80 else { return false }
    return blankless.contains { isWord(name.suffix($0)) }
  }

  /// Whether a name is that of the one who calls, deceives or was reported: `Número que llamó`, `Spamnummer`, `스팸번호`.
  static func mentionsCaller(_ name: String) -> Bool {
    if name.utf8.count > nameBytesMax { return false }
    let plain = plain(name)
    // `Кому звонили`
    if callees.contains(plain) { return false }
    return words(name).contains(where: isCallerWord) || callerPhrases.areIn(plain)
  }

  /// Whether a word is one of the caller, an inflected one, or a compound with a number: `Spammer`, `Störnummer`.
  private static func isCallerWord(_ word: String) -> Bool {
    callerWords.contains(word) || callerStems.begin(word)
      || isCompound(Array(word.utf8)) {
        $0 >= numberLettersMin && $1 >= numberLettersMin && callerWords.contains($2)
      }
  }

  /// Whether a name ends in a word for numbers, after another one: `matches` has the letters of both, and the other one.
  private static func isCompound(
    _ name: [UInt8], where matches: (_ letters: Int, _ numberLetters: Int, _ other: ArraySlice<UInt8>) -> Bool
  ) -> Bool {
    func letters(_ part: ArraySlice<UInt8>) -> Int { part.count { $0 & 0xC0 != 0x80 } }
    return name.indices.dropFirst().contains { index in
      number.contains(name[index...])
        && matches(letters(name[..<index]), letters(name[index...]), name[..<index])
    }
  }

  /// Whether the last part of a compound is a word for numbers.
  private static func endsInNumber(_ word: String) -> Bool {
    number.contains(word) || isCompound(Array(word.utf8)) { _, letters, _ in letters >= numberLettersMin }
  }
  /// The shortest parts of compounds have as many letters.
  private static let numberLettersMin = 3

  /// Whether one of the words of a name is that of something else that is numbered: `Numéro de dossier`.
  static func mentionsRecord(_ name: String) -> Bool {
    words(name).contains { otherFigures.rank($0).map { $0 < 2 } ?? false }
  }

  /// Whether one of the words before digits is that of something else, such as `QQ` and `Konto`.
  static func namesOther(_ text: String) -> Bool {
    (words(text) + [plain(text)]).contains { otherFigures.rank($0) == 0 }
  }

  /// Whether the words before digits lead to a list's author, or to whom its readers may write: `Contact : 01 62 00 00 00`,
  /// `Questions? Call …`, `Parish Clerk: …`.
  static func namesAuthor(_ text: String) -> Bool {
    let words = words(text)
    guard let first = words.first else { return false }
    // `Contact us`; but not `US`, a country before its number.
    if authorWords.contains(first),
      words.dropFirst().allSatisfy({ authorWords.contains($0) || ["us", "nous", "uns"].contains($0) })
    {
      return true
    }
    // `Callus` is a name.
    let mayBePhrase = words.count > 1 || first.utf8.first.map { $0 >= 0x80 } ?? false
    if askingWords.contains(first) || mayBePhrase && askingPhrases.begin(plain(text)) { return true }
    // `fake admin`
    return words.contains(where: authorRoles.contains) && !mentionsCaller(text)
  }

  /// Whether the last word before digits ends like that of an identifier, `Vorgangsnr.`, and is none for phone numbers.
  static func endsInRecord(_ text: String) -> Bool {
    guard let word = words(text).last, !number.contains(word), number.rank(word) == nil else { return false }
    return recordWords.contains(word)
      || recordEndings.contains { word.hasSuffix($0) && word.count > $0.count + 2 }
  }

  private static let recordWords = RankedNames([
    """
    az gz ref refnr refno referenz reference referencia riferimento referentie file filenr docket matter
    aktenzeichen geschaftszeichen zeichen vorgang vorgangsnr ticket ticketnr bestellung bestellnr vertrag vertragsnr
    contrato contrat contratto contract commande pedido ordine bestelling orden sprawa sygn sygnatura spis cj spzn
    исх вх договор заказ заявление протокол номердела 案号 卷号 合同 工单 工单号 单号 受付 受付番号 整理番号 접수 접수번호
    """
  ])
  private static let recordEndings = ["nr", "nummer", "number", "zeichen", "numéro", "nummern", "kennung"]

  /// Whether one of the words before digits is that of an area code.
  static func namesAreaCode(_ text: String) -> Bool { words(text).contains { areaCodes.contains($0) } }

  /// Whether one of the words after digits is that of a line that many call: `12345 hotline`, `12345 政务热线`.
  static func namesService(_ text: String) -> Bool {
    words(text).contains { word in
      services.contains(word) || number.contains(word)
        || word.unicodeScalars.allSatisfy { $0.value >= 0x2E80 }
          && (2...4).contains {
            services.contains(String(word.suffix($0))) || number.contains(String(word.suffix($0)))
          }
    }
  }

  /// Whether one of the words before digits is that of numbers.
  static func namesNumber(_ text: String) -> Bool { words(text).contains { number.contains($0) } }

  /// Whether a name is exactly one of a label that describes more than another owner of the number.
  static func isLabel(_ name: String) -> Bool {
    label.rank(plain(name)).map { $0 != LabelRank.owner.rawValue } ?? false
  }

  static func labelRank(_ name: String) -> LabelRank? {
    let rank = label.rank(plain(name)).flatMap { LabelRank(rawValue: $0) }
    if let rank, rank != .kind { return rank }
    guard name.utf8.count <= nameBytesMax else { return nil }
    let words = words(name)
    func describes(_ word: String) -> Bool { label.rank(word) == LabelRank.description.rawValue }
    func counts(_ word: String) -> Bool {
      times.contains(word) || number.contains(word) || otherFigures.contains(word) && !describes(word)
    }
    if isOtherFigure(name) || words.contains(where: counts) { return rank }
    if words.contains(where: describes) { return .mentioned }
    // `Tipo de estafa`
    let isKind = words.contains { label.rank($0) == LabelRank.kind.rawValue }
    return isKind && mentionsCaller(name) ? .scheme : rank
  }

  /// The best field for the number: the first of those with the clearest names; nil if none has a common name.
  static func bestNumber<Field>(_ fields: [(field: Field, name: String)]) -> Field? {
    best(fields, numberRank)
  }

  /// The best field for the label: the first of those with the highest precedence; nil if none has a common name.
  static func bestLabel<Field>(_ fields: [(field: Field, name: String)]) -> Field? {
    best(fields, labelRank)
  }

  private static func best<Field, Rank: Comparable>(
    _ fields: [(field: Field, name: String)], _ rank: (String) -> Rank?
  ) -> Field? {
    var best: (field: Field, rank: Rank)?
    for (field, name) in fields {
      guard let rank = rank(name), best.map({ rank < $0.rank }) ?? true else { continue }
      best = (field, rank)
    }
    return best?.field
  }

  static func isLast(_ name: String) -> Bool { last.contains(plain(name)) }

  /// Whether a name is that of a range's first number, beside one of its last number.
  static func isFirst(_ name: String) -> Bool { first.contains(plain(name)) || isCaller(name) }

  /// Whether a name is that of the calling code of the row's number.
  static func isCallingCode(_ name: String) -> Bool { callingCodes.contains(plain(name)) }

  /// Whether a name is that of a country, in which the row's number may be.
  static func isCountry(_ name: String) -> Bool { countries.contains(plain(name)) }

  /// Whether a name is that of the first digits of the row's number: an area code. Short names of codes and those of
  /// patterns are used only in tables of ranges.
  static func isAreaCode(_ name: String, inRanges: Bool) -> Bool {
    let plain = plain(name)
    return areaCodes.contains(plain)
      || inRanges && (rangePrefixes.contains(plain) || numberRank(name) == .pattern)
  }

  /// Whether a name is that of the extensions of the row's numbers.
  static func isExtension(_ name: String) -> Bool { extensions.contains(plain(name)) }

  /// Whether a name is that of something that has digits and is not a phone number: an ID, a time, an amount.
  static func isOtherFigure(_ name: String) -> Bool {
    let plain = plain(name)
    return otherFigures.contains(plain) || times.contains(plain) || plain.hasSuffix("uuid")
      || plain.hasSuffix("guid") || plain.hasSuffix("id") && callFields.contains(plain)
      || name.hasSuffix("_id") || name.hasSuffix("Id") || name.hasSuffix(" ID")
      || name.hasSuffix("_ID")
  }

  /// Whether a name is that of an amount, `Numbers allocated`, `Einwohner`, which does not belong to a number.
  static func isAmount(_ name: String) -> Bool {
    if name.utf8.count > nameBytesMax { return false }
    return amounts.contains(plain(name))
      || words(name).contains { word in
        amounts.rank(word) == 0
          || word.unicodeScalars.allSatisfy { $0.value >= 0x2E80 }
            && blankless.contains { amounts.rank(String(word.suffix($0))) == 0 }
      }
  }

  /// Whether a name is that of numbers that are not blocked, beside others: `Allowed number`, `doNotBlock`.
  static func isAllowed(_ name: String) -> Bool {
    if name.utf8.count > nameBytesMax { return false }
    let plain = plain(name)
    if allowing.contains(plain) || unblockedPhrases.contain(plain) { return true }
    let words = words(name).filter { !listWords.contains($0) && listRank($0) == nil }
    return !words.isEmpty
      && (words.allSatisfy { allowing.contains($0) } || unblockedPhrases.contain(words.joined()))
  }

  /// Whether a name is that of a date or a time.
  static func isTime(_ name: String) -> Bool { times.contains(plain(name)) }

  /// Whether one of the words of a name is that of a date or a time: `date_unixtime`.
  static func mentionsTime(_ name: String) -> Bool {
    isTime(name) || words(name).contains(where: times.contains)
  }

  /// Whether the names are those of a list of calls or messages, with the date and the time of each.
  static func areDated(_ names: [String]) -> Bool {
    let ranks = names.compactMap { times.rank(plain($0)) }
    return ranks.count > 1 && ranks.contains(1)
  }

  /// Whether a name is that of a list of numbers that its author does not block, beside those that are: `whitelist`,
  /// `contacts`, `myNumbers`, `removed_numbers`; not `blocked_contacts`.
  static func isOfOthers(_ name: String) -> Bool {
    if name.utf8.count > nameBytesMax { return false }
    if isOwnLine(name) || isAllowed(name) || unblocked.contains(plain(name)) { return true }
    let words = words(name).filter { !listWords.contains($0) && listRank($0) == nil }
    return !words.isEmpty && words.allSatisfy { unblocked.contains($0) || allowing.contains($0) }
  }

  /// Whose numbers are below a heading of a list.
  enum Heading {
    /// They are not blocked: `Whitelist`, `Exceptions (family)`, `Nicht sperren:`.
    case others
    /// They are blocked: `Blacklist`, `Spam callers`.
    case blocked
  }

  /// What a heading names; nil if it is none for a list, or only explains something: all of its words before a bracket or
  /// a sign have to name one.
  static func heading(_ text: String) -> Heading? {
    let text = text.drop { !$0.isLetter }
    let end = text.firstIndex { "(:,;=—–[{<*/".contains($0) } ?? text.endIndex
    let name = String(text[..<end])
    let words = words(name)
    guard !words.isEmpty, words.count <= headingWordsMax else { return nil }
    let plain = plain(name)
    if unblockedPhrases.contain(plain) || ownLines.contains(plain)
      || words.count > 1 && (unblocked.contains(plain) || allowing.contains(plain))
    {
      return .others
    }
    let named = words.filter { !headingWords.contains($0) && !listWords.contains($0) && listRank($0) == nil }
    // `# Removed from the whitelist`
    if named.isEmpty || words.count > 1 && words.contains(where: withoutWords.contains) { return nil }
    // `# Owner: Anna` and `# Contact: …` are about the list.
    let isRemark = text[end...].contains { $0.isLetter } && text[end] == ":"
    if named.allSatisfy({ allowing.contains($0) || !isRemark && unblocked.contains($0) }) {
      return namesAuthor(name) ? nil : .others
    }
    return named.allSatisfy { isCallerWord($0) || verdicts.rank($0) == 0 || blocking.contains($0) }
      ? .blocked : nil
  }

  private static let headingWordsMax = 6

  /// Whether a remark beside a number states that it is not blocked: `NOT SPAM - my doctor`, `(removed, false positive)`.
  /// A part of the remark ends like that: in the middle, `fake whitelist service`, it is about something else.
  static func namesUnblocked(_ remark: Span<UInt8>) -> Bool {
    guard mayNameUnblocked(remark) else { return false }
    let remark = TableField(start: 0, end: remark.count).text(remark)
    guard unblockedPhrases.areIn(plain(remark)) else { return false }
    var parts = remark.split(whereSeparator: partSigns.contains)
    if let last = parts.last, last.contains("?") { parts.removeLast() }
    return parts.contains { unblockedPhrases.end(plain(String($0))) }
  }

  /// The signs between the parts of a remark.
  private static let partSigns: Set<Character> = Set(",;:.!()[]#|/–—~*\t\n")

  /// Whether a remark may state that: a quick check, with false positives only.
  static func mayNameUnblocked(_ remark: Span<UInt8>) -> Bool { unblockedPhrases.mayBeIn(remark) }

  /// Whether a label as a whole is a word for numbers that are not blocked: `allow`, `Whitelisted`.
  static func labelsAllowed(_ label: Span<UInt8>) -> Bool {
    guard mayLabelAllowed(label), label.count <= nameBytesMax else { return false }
    return labelsAllowed(TableField(start: 0, end: label.count).text(label))
  }

  private static func labelsAllowed(_ label: String) -> Bool { allowing.rank(word(label)) == 0 }

  /// Whether a label may be such a word: a quick check of its first letters, with false positives only.
  static func mayLabelAllowed(_ label: Span<UInt8>) -> Bool {
    let first = label.indices.first {
      label[$0] &- 0x30 < 10 || (label[$0] | 0x20) &- 0x61 < 26 || label[$0] >= 0x80
    }
    guard let first else { return false }
    // Four characters.
    let end = min(label.count, first + (label[first] < 0x80 ? 4 : 12))
    return allowedBeginnings.mayBeIn(label.extracting(first..<end))
  }

  /// How a column shows which rows have numbers that are not blocked, from the clearest columns to the least clear ones.
  enum Verdict: Int, Comparable {
    /// `Blocked` with `No`.
    case blocked
    /// `Whitelisted` with `Yes`.
    case allowed
    /// `is_spam` with `false`.
    case spam
    /// `Action` with `allow`.
    case action
    /// `Status` with `whitelisted`; other columns with such names have other texts.
    case status
    /// `Rating` with `positive`.
    case rating
    /// `Active` with `No`.
    case active
    /// `Deleted` with `Yes` or a date.
    case removed
    /// `Notes` with `do not block`.
    case remark
    /// `Blocked` with `x` in some rows and nothing in the others.
    case marked

    /// Whether any of several such columns decides. Of the others, only the clearest ones do.
    private var isAnother: Bool { self >= .active && self != .marked }

    private var clearness: Int { self == .marked ? Verdict.blocked.rawValue : rawValue }

    static func < (one: Self, other: Self) -> Bool { one.clearness < other.clearness }

    /// Those of the found columns or fields that decide. In a list of calls, others are about the calls.
    static func deciding<Field>(
      _ found: [(field: Field, kind: Verdict)], areCalls: Bool
    ) -> [(field: Field, kind: Verdict)] {
      if areCalls { return found.filter { $0.kind == .remark } }
      let clearest = found.lazy.filter { !$0.kind.isAnother }.map(\.kind.clearness).min()
      return found.filter { $0.kind.isAnother || $0.kind.clearness == clearest }
    }
  }

  /// Whether a name is that of a column that may show which numbers are blocked.
  static func isVerdict(_ name: String) -> Bool { verdicts.rank(plain(name)) != nil }

  /// How a column with this name and these texts shows which numbers are blocked; nil if it does not, or if it has a text in
  /// all rows, and none of them is that of a blocked number.
  static func verdict(
    _ name: String, of texts: @autoclosure () -> [String], inAllRows: Bool = true
  ) -> Verdict? {
    let texts = texts()
    guard let verdict = verdicts.rank(plain(name)).flatMap(Verdict.init) else {
      return haveRemarks(name, texts) ? .remark : nil
    }
    guard isClear(verdict, texts) else { return haveRemarks(name, texts) ? .remark : nil }
    let filled = texts.filter { !word($0).isEmpty }
    if verdict == .blocked || verdict == .spam, !filled.isEmpty, areMarks(filled) { return .marked }
    if inAllRows, verdict != .removed, !filled.isEmpty, filled.allSatisfy({ isUnblocked($0, verdict) }) {
      return nil
    }
    return verdict
  }

  /// Whether texts mark some rows, of which the others need none: `x`, `✓` or a date, or the same word in all of them.
  private static func areMarks(_ texts: [String]) -> Bool {
    texts.contains { word($0) == "x" || $0.unicodeScalars.contains(where: yesMarks.contains) }
      || texts.allSatisfy { affirmations.contains(word($0)) || isDay($0) }
  }

  /// Whether the texts of a column are those of its name.
  private static func isClear(_ verdict: Verdict, _ texts: [String]) -> Bool {
    let words = texts.map(word).filter { !$0.isEmpty }
    func areAnswers() -> Bool { words.allSatisfy { negations.contains($0) || affirmations.contains($0) } }
    return switch verdict {
    // Not counts.
    case .blocked: !texts.contains { UInt64(word($0)).map { $0 > 1 } ?? false && !isDay($0) }
    case .action, .removed: true
    case .allowed, .spam: !words.isEmpty && areAnswers()
    case .active: areAnswers()
    case .status:
      words.contains { verdicts.rank($0) == Verdict.blocked.rawValue || additions.contains($0) }
        || texts.contains { isUnblocked($0, .status) }
    case .rating: words.contains { ratings.contains($0) } || texts.contains { isUnblocked($0, .rating) }
    case .remark, .marked: false
    }
  }

  /// Whether some texts of a column state that a number is not blocked. The column of a remark or a label may do so with a
  /// word for it.
  private static func haveRemarks(_ name: String, _ texts: [String]) -> Bool {
    let hasLabels = labelRank(name) != nil
    return texts.contains {
      (hasLabels || name.isEmpty) && labelsAllowed($0)
        || (hasLabels ? statesUnblocked($0) : namesUnblocked(ContiguousArray($0.utf8).span))
    }
  }

  /// How the labels of pairs show which numbers are blocked, `true` and `false`, or `spam` and `not spam`; nil if they don't.
  static func verdict(ofLabels texts: [String]) -> Verdict? {
    let words = Set(texts.map(word)).subtracting([""])
    // Single letters are labels.
    let areAnswers = words.allSatisfy {
      ($0.utf8.count > 1 || $0 == "0" || $0 == "1")
        && (negations.contains($0) || affirmations.contains($0))
    }
    if areAnswers, words.contains(where: negations.contains) {
      return words.contains(where: affirmations.contains) ? .blocked : nil
    }
    if texts.contains(where: { statesUnblocked($0) || labelsAllowed($0) }) { return .rating }
    // `good` beside `nobody` is a name.
    let areRatings = words.contains {
      ratings.rank($0) == 1 || blocking.contains($0) || ["spam", "scam", "bad"].contains($0)
    }
    return areRatings && texts.contains { isUnblocked($0, .rating) } ? .rating : nil
  }

  /// Whether a text in such a column means that the row's number is not blocked.
  static func isUnblocked(_ text: String, _ verdict: Verdict) -> Bool {
    let word = word(text)
    return switch verdict {
    case .blocked, .spam: negations.contains(word) || states(word, text)
    case .marked: word.isEmpty || negations.contains(word) || states(word, text)
    case .allowed: affirmations.contains(word) || allowing.contains(word)
    case .action, .status: states(word, text)
    case .rating: ratings.rank(word) == 0 || states(word, text)
    case .active: negations.contains(word) || released.contains(word)
    case .removed: isRemoval(word, text)
    case .remark: labelsAllowed(text) || statesUnblocked(text)
    }
  }

  private static func states(_ word: String, _ text: String) -> Bool {
    allowing.contains(word) || statesUnblocked(text)
  }

  /// Whether a cell of the column `Removed` is that of a removed number: a date or any words, but no count and no number.
  private static func isRemoval(_ word: String, _ text: String) -> Bool {
    if word.isEmpty || negations.contains(word) || word.allSatisfy({ $0 == "0" }) { return false }
    return isDay(text) || affirmations.contains(word) || text.contains(where: \.isLetter)
  }

  /// A text without what differs between writers: marks such as `✓` and `-` are words.
  private static func word(_ text: String) -> String {
    let plain = plain(text)
    if !plain.isEmpty || text.isEmpty { return plain }
    if text.unicodeScalars.contains(where: yesMarks.contains) { return "yes" }
    return text.unicodeScalars.contains(where: noMarks.contains) ? "no" : ""
  }
  private static let yesMarks: Set<Unicode.Scalar> = ["✓", "✔", "☑", "✅", "☒", "√", "🗹"]
  private static let noMarks: Set<Unicode.Scalar> = ["✗", "✘", "☐", "❌", "-", "–", "—", "−"]

  /// Whether a text is a date, with or without a time, or a time in seconds.
  private static func isDay(_ text: String) -> Bool {
    let bytes = ContiguousArray(text.utf8)
    switch TableCell(bytes.span, from: 0, to: bytes.count) {
    case .date, .number(.time): return true
    case .text:
      // `4 May 2024`
      return text.split { !("0"..."9").contains($0) }.contains {
        $0.utf8.count == 4 && ($0.hasPrefix("19") || $0.hasPrefix("20") || $0.hasPrefix("25"))
      }
    case .empty, .number, .other: return false
    }
  }

  /// Whether a remark in a field of its own states that the number is not blocked: as beside a number in a list, or one of its
  /// parts is a word for it, `false positive - remove from list`.
  static func statesUnblocked(_ remark: String) -> Bool {
    let mayNameUnblocked = mayNameUnblocked(ContiguousArray(remark.utf8).span)
    func states(_ plain: String) -> Bool {
      released.contains(plain) || mayNameUnblocked && unblockedPhrases.end(plain)
    }
    // Most labels have one part.
    if !remark.utf8.contains(where: { $0 == 0xE2 || ",;:.!?()[]#|/~*-\t\n".utf8.contains($0) }) {
      return states(plain(remark))
    }
    let characters = Array(remark)
    var parts = characters.indices.split { index in
      let isBetween = index > 0 && index + 1 < characters.count
      return partSigns.contains(characters[index])
        || characters[index] == "-" && isBetween && characters[index - 1] == " "
          && characters[index + 1] == " "
    }.map { String(characters[$0.startIndex..<$0.endIndex]) }
    if let last = parts.last, last.contains("?") { parts.removeLast() }
    return parts.contains { states(plain($0)) }
  }

  // MARK: Calls

  /// Whether the names are those of a call log: then one of its numbers is the other party, and another one may be the
  /// subscriber's own line.
  static func areOfCalls(_ names: [String]) -> Bool {
    let plain = names.map { Self.plain($0) }
    if plain.contains(where: callFields.contains) { return true }
    let isDated = plain.contains(where: times.contains)
    return isDated && names.contains(where: isCaller) && names.contains(where: isCallee)
  }

  /// Whether a name is that of the line of the list's author: `own number`, `meu_telefone`, `complainant phone`.
  static func isOwnLine(_ name: String) -> Bool {
    let plain = plain(name)
    return ownLines.contains(plain)
      || ownBeginnings.begin(name)
      || ownPhrases.areIn(plain)
      || name.split { !$0.isLetter }.contains { ownWords.contains(Self.plain(String($0))) }
  }

  /// Whether the words before digits name the line of the list's author: `My cell:`, `meine Nummer`.
  static func namesOwnLine(_ text: String) -> Bool {
    let words = words(text)
    return ownPronouns.areIn(plain(text))
      || zip(words, words.dropFirst()).contains {
        (ownWords.rank($0) == 0 || ["mi", "min", "mitt"].contains($0)) && number.contains($1)
      }
  }

  /// Whether a line is what is written before the name of the one who wrote a message: `Mit freundlichen Grüßen`.
  static func isClosing(_ line: String) -> Bool { closings.contains(plain(line)) }

  /// Whether a name is that of the line of a list's user, `User Phone Number`: beside another number, it is not the one that
  /// the list is about.
  static func isUserLine(_ name: String) -> Bool {
    guard !mentionsCaller(name) else { return false }
    return userBeginnings.begin(name) || words(name).contains { userWords.contains($0) }
  }

  /// Whether a name is that of the party who calls, or who is called.
  static func isCaller(_ name: String) -> Bool { isParty(name, callers, letters: "aа") && !isCallee(name) }
  static func isCallee(_ name: String) -> Bool {
    isParty(name, callees, letters: "bбв") && !mentionsCaller(name)
  }

  /// Whether a name is one of these, or has one of them beside a word for numbers: `Número de origen`, `発信番号`, `A-Number`.
  private static func isParty(_ name: String, _ parties: RankedNames, letters: String) -> Bool {
    let plain = plain(name)
    if parties.contains(plain) { return true }
    guard name.utf8.count <= nameBytesMax, !isOwnLine(name) else { return false }
    // `Zielrufnummer`, `発信番号`
    let isOfParty = isCompound(Array(plain.utf8)) {
      ($1 <= blankless.upperBound || $0 >= partyLettersMin) && parties.contains($2)
    }
    if isOfParty { return true }
    guard mentionsNumber(name) else { return false }
    let words = words(name)
    if words.count == 2, words.contains(where: { $0.count == 1 && letters.contains($0) }) { return true }
    // Shorter ones are prepositions.
    return words.contains { $0.count >= partyLettersMin && parties.contains($0) }
  }
  private static let partyLettersMin = 4
  /// The letters of words for numbers in scripts without blanks.
  private static let blankless = 2...4

  /// The number that each of at least two calls has as one of its parties; nil if there is none, or more than one.
  static func ownLine(
    of calls: [(caller: ContiguousArray<UInt8>, callee: ContiguousArray<UInt8>)]
  ) -> ContiguousArray<UInt8>? {
    guard calls.count > 1 else { return nil }
    let common = [calls[0].caller, calls[0].callee].filter { number in
      !number.isEmpty && calls.allSatisfy { $0.caller == number || $0.callee == number }
    }
    return common.count == 1 ? common[0] : nil
  }

  /// Whether a name is that of the number under which a caller wants to be called.
  static func isCallback(_ name: String) -> Bool { callbacks.contains(plain(name)) }

  /// Whether a party of a call is an extension of a telephone system; false if the text has no number.
  static func isExtension(_ party: borrowing ContiguousArray<UInt8>) -> Bool {
    let number = partyNumber(party)
    let digits = number.count { party[$0] &- 0x30 < 10 }
    return digits > 0 && digits <= extensionDigitsMax && digits == number.count
  }
  /// The maximum number of digits of an extension; the shortest numbers that call have more.
  private static let extensionDigitsMax = 4

  /// The number of a party that is written after its name: `Reception (100)`, `612345678 (612345678)`; the whole text of
  /// any other party.
  static func partyNumber(_ party: borrowing ContiguousArray<UInt8>) -> Range<Int> {
    guard party.last == UInt8(ascii: ")"), let bracket = party.lastIndex(of: UInt8(ascii: "(")) else {
      return party.indices
    }
    let inside = bracket + 1..<party.count - 1
    let name = party[..<bracket].filter { $0 > 0x20 }
    let isNamed = name.contains { ($0 | 0x20) &- 0x61 < 26 || $0 >= 0x80 } || name == Array(party[inside])
    let isNumber =
      !inside.isEmpty && inside.allSatisfy { party[$0] &- 0x30 < 10 || party[$0] == UInt8(ascii: "+") }
    return isNamed && isNumber ? inside : party.indices
  }

  static func isDirection(_ name: String) -> Bool { directions.contains(plain(name)) }

  /// Whether the text of a call's direction is that of an outgoing call.
  static func isOutgoing(_ text: String) -> Bool {
    let plain = plain(text)
    func isOutgoing(_ word: String) -> Bool { outgoing.contains { word.hasPrefix($0) } }
    // `Llamada saliente`
    return isOutgoing(plain) || plain.utf8.count < text.utf8.count && words(text).contains(where: isOutgoing)
  }

  // MARK: Names without what differs between writers

  /// A name without case, accents, spaces and signs: only letters and digits are left.
  static func plain(_ name: String) -> String {
    if name.utf8.allSatisfy({ $0 < 0x80 }) {
      return String(
        decoding: name.utf8.compactMap {
          $0 &- 0x30 < 10 || ($0 | 0x20) &- 0x61 < 26 ? $0 | 0x20 : nil
        }, as: UTF8.self)
    }
    var plain = ""
    for scalar in name.unicodeScalars {
      if scalar.isASCII {
        switch UInt8(scalar.value) {
        case 0x30...0x39, 0x61...0x7A: plain.unicodeScalars.append(scalar)
        case 0x41...0x5A: plain.unicodeScalars.append(Unicode.Scalar(UInt8(scalar.value) | 0x20))
        default: break
        }
        continue
      }
      if let syllable = Hangul.joined(plain.unicodeScalars.last, scalar) {
        plain.unicodeScalars.removeLast()
        plain.unicodeScalars.append(syllable)
        continue
      }
      // Most scripts from Hebrew on have no cases, and East Asian ones have none.
      if (0x0590..<0x1E00).contains(scalar.value) || (0x2E80..<0xFF00).contains(scalar.value) {
        if scalar.properties.isAlphabetic { plain.unicodeScalars.append(scalar) }
        continue
      }
      if let base = accents[scalar] {
        plain += base
        continue
      }
      for lower in scalar.properties.lowercaseMapping.unicodeScalars {
        if let base = accents[lower] {
          plain += base
        } else if lower.properties.isAlphabetic || lower.properties.generalCategory == .decimalNumber {
          plain.unicodeScalars.append(lower)
        }
      }
    }
    return plain
  }

  /// The letters without the accents of letters that have some, and what stands for signs of numbers.
  private static let accents: [Unicode.Scalar: String] = {
    var accents: [Unicode.Scalar: String] = [
      "ß": "ss", "æ": "ae", "œ": "oe", "№": "no", "º": "o", "°": "o", "ª": "a",
    ]
    let groups = """
      aáàâãäåăąāạảấầẩẫậắằẳẵặ cçćčĉ dđďð eéèêëěęēėẹẻẽếềểễệ gğģ iíìîïıįīịỉĩ lłľļ nñńňņ oóòôõöøőōọỏốồổỗộơớờởỡợ
      rřŕ sśšşșŝ tťţț uúùûüůűūųụủũưứừửữự yýÿỳỵỷỹ zžźż αά εέ ηή ιίϊΐ οό υύϋΰ ωώ еёѐ ий ії
      """
    for group in groups.split(whereSeparator: \.isWhitespace) {
      let letters = Array(group.unicodeScalars)
      for letter in letters.dropFirst() { accents[letter] = String(Character(letters[0])) }
    }
    return accents
  }()
}

/// Syllables of Korean texts whose letters are separate, as in the names of files on a Mac.
///
/// Source: The Unicode Standard, 3.12, Conjoining Jamo Behavior.
private enum Hangul {
  private static let first: UInt32 = 0xAC00
  private static let vowels: UInt32 = 21
  private static let ends: UInt32 = 28

  /// The syllable of a consonant and a vowel, or of an open syllable and the consonant that closes it.
  static func joined(_ last: Unicode.Scalar?, _ next: Unicode.Scalar) -> Unicode.Scalar? {
    guard (0x1161..<0x11C3).contains(next.value), let last = last?.value else { return nil }
    if (0x1100..<0x1113).contains(last), next.value < 0x1161 + vowels {
      return Unicode.Scalar(first + ((last - 0x1100) * vowels + next.value - 0x1161) * ends)
    }
    let isOpen = last >= first && last < 0xD7A4 && (last - first) % ends == 0
    return isOpen && next.value > 0x11A7 ? Unicode.Scalar(last + next.value - 0x11A7) : nil
  }
}

// MARK: - The table

extension CommonFieldNames {
  /// In the order of ``NumberRank``.
  static let number = RankedNames([
    "e164 e164number e164format phonee164 msisdn fullphonenumber fullnumber internationalnumber normalizednumber",
    """
    caller callernumber callerid calleridnumber callingnumber callerphone callerphonenumber callingparty clid cli companyphonenumber
    anrufer anrufernummer appelant numeroappelant llamante numerollamante chiamante numerochiamante chamador beller
    来电号码 主叫号码 主叫 來電號碼 発信者番号 발신번호 발신자번호
    """,
    """
    phone phonenumber phoneno phonenum telephone telephonenumber telephoneno tel telno telnumber mobile mobilenumber
    mobilephone mobileno mobilephonenumber cell cellphone cellnumber cellphonenumber contactnumber contactno
    homephone homenumber homephonenumber workphone worknumber workphonenumber officephone landline landlinenumber
    businessphone assistantsphone callback carphone companymainphone isdn otherphone primaryphone radiophone ttytddphone
    phonevalue whatsapp whatsappnumber alternate alternatephone alternatenumber alternativephone alternativenumber
    secondphone secondaryphone secondnumber secondarynumber otherphonenumber callbacknumber callbackphone
    returncallnumber nationalnumber
    telefon telefonnummer telefonnr telefonnummern telnr telnummer rufnummer rufnummern rufnr handy handynummer handynr
    mobil mobilnummer mobilnr mobilfunk mobilfunknummer mobiltelefon festnetz festnetznummer telefonmobil
    telefonassistent telefongeschaftlich ruckmeldung autotelefon telefonfirma telefonprivat weiterestelefon
    haupttelefon funkruf telefonfurhorbehinderte anrufnummer zweitnummer zweittelefon zweitenummer
    ruckrufnummer ausweichnummer alternativnummer
    telephones numerodetelephone numerotelephone numtelephone numtel numerotel notelephone nodetelephone notel portable
    numeroportable telephonemobile telephonefixe telephoneportable fixe telephonedelassistante telephonebureau rappel
    telephonevoiture telephonesociete telephonedomicile rnis telmobile telephoneautre telephoneprincipal telprincipal
    radiotelephone telephonetddtty
    telefono telefonos numerodetelefono numerotelefono numerotelefonico notelefono nodetelefono celular movil
    numerodecelular numerocelular numerodemovil numeromovil telefonomovil telefonocelular telefonofijo fijo
    telefonodeltrabajo devoluciondellamada numerodecentralitadelaorganizacion otrotelefono telefonoprincipal
    radiotelefono
    telefone telefones numerodetelefone numerodotelefone numerotelefone telefonecelular telefonefixo telemovel fone
    numerodetelemovel
    numeroditelefono numeroditelefonocellulare cellulare numerocellulare
    telefonocellulare telefonofisso recapito recapitotelefonico
    telefoon telefoonnummer telefoonnr mobiel mobielnummer gsm gsmnummer nummervandebeller telefoonopwerk terugbellen
    autotelefoon telefoonthuis mobieletelefoon anderetelefoon radiotelefoon telefoonassistent
    tlf tlfnr tlfnummer telefonnumre mobiltelefonnummer puhelin puhelinnumero matkapuhelin
    matkapuhelinnumero simi simanumer
    numertelefonu nrtelefonu nrtel telefonkomorkowy telefonstacjonarny telefondomowy telefonsluzbowy komorka
    numerkomorkowy
    telefonul telefonnicislo cislotelefonu mobilnitelefon telefonnecislo telefonnycislo telefonszam telefonszamok
    mobiltelefonszam numardetelefon numartelefon nrdetelefon brojtelefona telefonskibroj telefonskastevilka mobitel
    telefonas telefononumeris talrunis talrunanumurs telefoninumber
    telefonnumarasi telefonno ceptelefonu ceptelefon cep gsmno evtelefonu istelefonu
    телефон телефоны номертелефона телефонныиномер мобильныи мобильныителефон номермобильного домашниителефон
    рабочиителефон сотовыи сотовыителефон мобільнии мобільниителефон номертелефону телефоненномер бројтелефона тел
    τηλεφωνο αριθμοςτηλεφωνου κινητο κινητοτηλεφωνο τηλ
    הטלפון טלפון מספרטלפון נייד הנייד هاتف الهاتف رقمالهاتف رقمهاتف جوال الجوال رقمالجوال موبايل
    رقمالموبايل تلفن شمارهتلفن موبایل شمارهموبایل
    फोन फोननंबर मोबाइल मोबाइलनंबर दूरभाष โทรศัพท หมายเลขโทรศัพท เบอรโทร เบอรโทรศัพท เบอร เบอรมือถือ
    dienthoai sodienthoai sdt sodt didong sodidong dienthoaididong
    telepon nomortelepon nomertelepon notelepon notelp notlp telp nomorhp nohp hp nombortelefon
    nomorponsel ponsel numerongtelepono telepono
    电话 电话号码 联系电话 联系方式 手机 手机号 手机号码 手机电话 移动电话 家庭电话 办公电话 固定电话 座机 固话 商务电话
    助理的电话 回电话 车载电话 单位主要电话 住宅电话 其他电话 主要电话 无绳电话 ttytdd电话
    電話 電話號碼 聯絡電話 手機 手機號碼 行動 行動電話 市話 助理電話 商務電話 回撥電話 汽車電話 公司代表線 住家電話 其他電話
    代表電話 無線電話 ttytdd電話
    電話番号 携帯 携帯電話 携帯番号 携帯電話番号 固定電話 自宅電話 전화 전화번호 휴대폰 휴대폰번호 휴대전화 휴대전화번호 핸드폰
    집전화 연락처
    """,
    """
    number num numero nummer numer numara numarasi numarul nomor nombor so номер номера број broj cislo szam
    numar numur numeris αριθμος رقم الرقم شماره מספר नंबर หมายเลข 号码 號碼 番号 번호
    """,
    "prefix prefixes range pattern patterns numberpattern mask prafix prefixe prefijo prefisso rufnummernmuster",
    """
    fax faxnumber faxno faxnummer faxnr telefax telefaxnummer numerodefax numerodifax pager telex businessfax homefax otherfax faxgeschaftlich faxprivat weiteresfax
    telecopiebureau faxbureau telecopiedomicile faxdomicile telecopieautre faxautre recepteurderadiomessagerie
    otrofax numerodeteletipo faxopwerk faxthuis anderefax 商务传真 住宅传真 其他传真 寻呼机 电报 商務傳真 住家傳真 其他傳真
    呼叫器 telecopie telefaks faks факс ファックス 传真 傳真 팩스
    """,
  ])

  /// In the order of ``LabelRank``.
  static let label = RankedNames([
    """
    label labels libelle etiquette etiqueta etichetta etikett etykieta bezeichnung метка 标签 标记 標籤 標記 ラベル 라벨
    """,
    """
    name names displayname fullname completename callername cnam contactname personname screenname
    nom nomcomplet nomducontact nombre nombrecompleto nombrecontacto nome nomecompleto nomecontatto nominativo
    naam volledigenaam contactnaam vollstandigername anzeigename kontaktname navn namn nimi nafn jmeno meno nazev nev
    nazwa imieinazwisko nume ime naziv adsoyad adisoyadi isim vardas vards имя название фио полноеимя контакт імя назва
    пiб име ονομα ονοματεπωνυμο الاسم اسم نام שם नाम ชือ ten hoten hovaten nama pangalan
    名称 名稱 姓名 联系人 联系人姓名 聯絡人 聯絡人姓名 名前 氏名 お名前 이름 성명 성함
    """,
    """
    company companyname firma firmenname unternehmen societe entreprise empresa compania azienda ditta bedrijf firmanaam
    nazwafirmy foretag virksomhed yritys компания фирма компанія sirket εταιρεια شركة الشركة שםחברה חברה
    公司 公司名称 公司名稱 企业 会社 会社名 業者 회사 회사명 업체 업체명 congty perusahaan
    """,
    """
    category categories subject title tag tags comment comments description note notes reason remark remarks memo
    kategorie grund anlass betreff bemerkung bemerkungen kommentar notiz beschreibung categorie commentaire remarque
    motif objet categoria comentario motivo asunto descripcion observaciones commento descrizione oggetto
    descricao opmerking omschrijving reden kategoria komentarz opis powod aciklama kategori
    kommentti luokka категория комментарии примечание описание причина категорія коментар опис σχολιο κατηγορια
    تعليق وصف הערה ghichu mota keterangan catatan
    分类 类别 备注 说明 描述 原因 分類 類別 備註 說明 メモ 備考 메모 비고 분류
    complaint issue violation offence beschwerde vorwurf plainte reclamo queja assunto reclamacao
    segnalazione klacht orsak anledning arsag arsak syy skarga stiznost panasz sikayet жалоба скарга
    内容 用件 件名 理由 投诉内容 举报内容 내용 사유
    whathappened wasistpassiert questcequisestpasse quepaso oqueaconteceu cosaesuccesso watisergebeurd чтослучилось
    ктозвонил ктоэтобыл
    """,
    "",
    """
    typeofcall typeofcallormessage typeofscam typeoffraud masche betrugsmasche artdesanrufs typedappel tipodellamada
    tipodeligacao tipodichiamata soortoproep rodzajpolaczenia rodzajoszustwa типзвонка видзвонка 诈骗类型 詐騙類型 詐欺の種類
    사기유형 loaicuocgoi
    """,
    """
    firstname lastname givenname familyname surname contact contactperson customer customername client clientname
    person owner ownername subscriber username business businessname organization organizationname organisation
    organisationname operator operatorname carrier provider kontakt ansprechpartner kunde kundenname vorname nachname
    inhaber anbieter prenom operateur apellidos contacto cliente
    organizacion operador cognome contatto operatore contato voornaam achternaam klant klantnaam imie
    nazwisko klient prijmeni ad musteri фамилия клиент организация оператор клієнт
    operadora prestadora operaattori innehavare innehaver indehaver haltija houder titulaire titular
    intestatario abonent drzitel tulajdonos titularul абонент владелец власник κατοχος sahibi
    名字 客户 客户名称 客户姓名 单位 客戶 客戶名稱 고객명 운영자
    """,
    """
    type kind direction calldirection action status calltype callstatus disposition state typ art anruftyp anrufart
    richtung aktion tipo direccion estado direzione stato direcao sens statut soort richting typpolaczenia тип статус
    деиствие направление типвызова tur durum kieu loai jenis 类型 状态 通话类型 方向 類型 狀態 種別 状態 유형 상태 구분
    """,
  ])

  /// The first number of a range.
  private static let first = RankedNames([
    """
    first from start begin beginning since firstnumber startnumber fromnumber numberfrom numberstart rangestart startrange
    startofrange rangefirst rangefrom lower lowerbound min von ab anfang beginn erste anfangsnummer vonnummer debut
    premier numerodebut tranchedebut debutplage debutdetranche bornedebut desde inicio comienzo primero primeiro
    inizio primo dalnumero van vanaf eerste fra fran od poczatek zacatek pocetak nuo no alates dela inceput
    baslangic baslama ilk с от начало первыи від початок першии почетак απο αρχη من بداية از शुरू tu batdau จาก dari
    awal mulai 开始 起始 起始号码 起 始 開始 起點 から 始まり 시작 부터
    """
  ])

  /// The last number of a range.
  static let last = RankedNames([
    """
    last to end until upto till lastnumber endnumber tonumber numberto numberend rangeend endrange endofrange rangelast
    rangeto upper upperbound max rangestop stop bis ende endnummer letzte bisnummer fin afin jusqua jusque numerofin
    tranchefin finplage findetranche bornefin hasta final fim ate fino afino fine anumero do tot tiltal til eind
    koniec konec kraj veg asti loppu sfarsit bitis son по до конец кон дономера кінець дономеру краи εως μεχρι τελος
    إلى نهاية تا עד den ถึง sampai hingga akhir 结束 结束号码 终止号码 止 终止 結束 終止 終了 まで 끝 종료
    """
  ])

  private static let callingCodes = RankedNames([
    """
    countrycode callingcode countrycallingcode callingcountrycode dialcode dialingcode diallingcode countrydialcode
    countrydialingcode countryprefix internationalcode internationalprefix idc isdcode isd phonecountrycode
    phonecode numbercountrycode countryphonecode cc landervorwahl landesvorwahl landesvorwahlnummer landerkennzahl
    landeskennzahl landescode landercode auslandsvorwahl indicatif indicatifpays codepays indicatifinternational
    codigopais codigodepais codigodelpais prefijointernacional prefijopais codigodopais ddi prefissointernazionale
    prefissopaese codicepaese landnummer landcode landskode landekode landskod maatunnus kierunkowykraju kodkraju
    predvolbazeme kodzeme orszagkod orszaghivo codtara ulkekodu кодстраны кодкраіни κωδικοςχωρας رمزالدولة مفتاحالدولة
    کدکشور קידומתמדינה maquocgia manuoc kodenegara kodnegara 国家代码 国家区号 国码 國碼 國家代碼 國際冠碼 国番号 国コード
    국가번호 국가코드
    """
  ])

  /// Not regions: the codes of states are those of countries, too.
  private static let countries = RankedNames([
    """
    country countryname countryiso isocountry iso iso2 isocode countryiso2 phonecountry
    countryofnumber land staat lander pays pais paese nazione maa kraj zeme zemlja orszag tara ulke страна краіна
    χωρα الدولة بلد کشور מדינה देश ประเทศ quocgia nuoc negara 国家 国 國家 国名 국가 나라
    """
  ])

  private static let areaCodes = RankedNames([
    """
    areacode areacodeprefix phoneareacode phoneprefix numberprefix npa ndc std stdcode trunkcode citycode
    vorwahl ortsvorwahl ortsnetzkennzahl onkz vorwahlnummer indicatifregional indicatifzone codigodearea codigoarea
    prefijoarea clavelada clavearea codigolada lada ddd codigoddd prefissolocale prefissotelefonico kengetal netnummer retningsnummer riktnummer
    suuntanumero kierunkowy numerkierunkowy nrkierunkowy strefanumeracyjna strefa predvolba smerovecislo korzetszam prefixtelefonic alankodu кодгорода кодобласти
    abcdef авсdef авсдеф defкод кодавс кодміста codprefix 区号 長途區號 區號 區域號碼 市外局番 지역번호
    """
  ])

  /// Names of codes that are those of numbers only in tables of ranges.
  private static let rangePrefixes = RankedNames([
    "code prefix код def abc prefijo prefixe prefisso kod serie series"
  ])

  private static let services = RankedNames([
    """
    hotline helpline infoline infotel service services servicenummer servicenumber support callcenter callcentre helpdesk
    emergency police taxi sms shortcode kurzwahl notruf polizei kundenservice kundendienst auskunft storung urgence urgences
    assistance standard renseignements atencion emergencias policia ayuda soporte atendimento ajuda emergencia suporte
    servizio assistenza emergenza klantenservice hulplijn kundtjanst kundeservice asiakaspalvelu infolinia pomoc alarm
    danisma destek горячая линия поддержка справочная служба полиция гаряча лінія підтримка γραμμη εξυπηρετηση
    خدمة خدمات طوارئ خط पुलिस हेलपलाइन สายดวน tongdai 热线 服务热线 客服 客服中心 服务 专线 短号 短信 报警 急救 熱線 服務 專線 客服專線
    ホットライン 相談 相談窓口 窓口 サポート 警察 센터 고객센터 콜센터 상담 핫라인 대표 경찰
    """
  ])

  private static let extensions = RankedNames([
    """
    extension extensions ext extn extensionnumber phoneext phoneextension durchwahl durchwahlnummer dw nebenstelle klappe
    poste numerodeposte interno anexo ramal doorkiesnummer toestel toestelnummer anknytning lokalnummer alanumero
    wewnetrzny numerwewnetrzny klapka linka mellek dahili dahilino добавочныи доб внутреннии εσωτερικο تحويلة داخلی שלוחה
    内線 内線番号 分机 分机号 分機 내선 내선번호
    """
  ])

  /// What has digits and is not a phone number: what a text names that follows such a word, what else has a number, and counts.
  private static let otherFigures = RankedNames([
    """
    qq icq iban bic isbn issn imei uuid guid plz zip zipcode postcode postalcode postnummer postleitzahl codepostal
    codigopostal cep nip regon pesel krs vat ean cpf cnpj siren siret skype wechat telegram kd kdnr kundennr kundennummer
    rechnung rechnungsnr rechnungsnummer invoice order ticket customer postfach apartado partitaiva piva codicefiscale konto kontonr kontonummer blz hrb
    hra pzn ust ustid kvk btw acn abn ruc nit cuit cuil ondernemingsnummer handelsregister pin aadhaar gstin dni curp rfc инн снилс кпп огрн индекс 微信 微信号 身份证 身份证号 卡号 账号 银行卡 邮编
    订单 订单号 郵便番号 口座番号 우편번호 계좌 계좌번호 사업자번호 사업자등록번호 주민등록번호
    """,
    """
    id ids userid rowid customerid orderid ordernumber invoicenumber imsi iccid ssn tin taxid inn account accountnumber
    bankaccount passport serial case complaint report incident dossier folio vorgang fall anzeige beschwerde aktenzeichen
    signalement expediente denuncia queja protocolo chamado pratica segnalazione zaak melding arende anmalan sak sag tapaus
    sprawa sprawy zgloszenie zgloszenia stiznost hlaseni pripad bejelentes ugy dosar dosarului sesizare sikayet basvuru
    обращение обращения жалоба жалобы дело дела заявка заявки звернення αναφορα αναφορας υποθεση بلاغ البلاغ شكوى الشكوى
    laporan aduan 案件号 编号 序号 編號
    """,
    """
    index idx pos position row line seq sequence lfdnr lfd count total sum amount price cost duration seconds score votes
    rating rank cp cap latitude longitude lat lon lng x y port version year month day size bytes capacity anzahl dauer summe
    betrag preis duree montant duracion importe cantidad durata importo duracao quantita емкость количество длительность
    сумма 時長 时长 数量 件数
    """,
  ])

  /// Words for amounts, and names that only as a whole are those of amounts.
  private static let amounts = RankedNames([
    """
    population populations inhabitants residents households subscribers subscriptions quantity count counts total totals
    amount capacity einwohner einwohnerzahl anzahl bevolkerung haushalte teilnehmer teilnehmerzahl kapazitat menge
    gesamtzahl habitants abonnes quantite capacite effectif poblacion habitantes abonados cantidad capacidad suscriptores
    populacao assinantes quantidade capacidade popolazione abitanti abbonati quantita capacita inwoners abonnees aantal
    capaciteit bevolking befolkning indbyggere innbyggere invanare abonnenter antal antall kapacitet kapasitet vaesto
    asukkaat asukasluku tilaajat maara lukumaara ludnosc mieszkancy mieszkancow abonenci abonentow liczba ilosc pojemnosc
    obyvatel obyvatele obyvatelstvo pocet kapacita lakossag nepesseg elofizetok mennyiseg darab populatie locuitori
    abonati cantitate stanovnistvo stanovnika nufus abone adet miktar kapasite население жителеи жители абонентов абоненты
    количество емкость кол населення кількість чисельність мешканців πληθυσμος κατοικοι συνδρομητες πληθος سكان السكان عدد
    مشتركين المشتركين אוכלוסייה תושבים כמות जनसंखया ประชากร จำนวน danso soluong penduduk jumlah populasi 人口 数量 容量 户数 号码数
    号码数量 用户数 件数 人数 數量 戶數 號碼數 인구 가입자수 개수 수량 加入者数 契約数 回線数 世帯数 番号数
    """,
    """
    numbersallocated allocatednumbers numbersassigned assignednumbers numbersinuse numbersavailable availablenumbers
    numbersused numbersissued numberofnumbers numberoflines nooflines lines mainlines telephonelines phonelines
    rufnummernzahl rufnummernanzahl anschlusse leitungen lignes nombredelignes nombredenumeros numerosattribues
    numerosasignados numerosatribuidos lineas numerodelineas linhas numerodelinhas linee numerodilinee numeriassegnati
    lijnen toegekendenummers tildeltenumre przydzielonenumery
    """,
  ])

  private static let authorWords = RankedNames([
    """
    contact contacto contatto contato kontakt kontaktni contactenos contactez iletisim bizeulasin yhteystiedot
    επικοινωνια контакт контакты контакти impressum colophon redaktion redaction redazione redaccion redakcja redakce
    редакция herausgeber webmaster 联系 联系我们 聯絡 聯絡我們 お問い合わせ 問い合わせ 문의 문의처
    """
  ])

  /// First words of a line that asks its readers to write or to call.
  private static let askingWords = RankedNames([
    """
    question questions submit submissions fragen ruckfragen einsenden preguntas dudas consultas sugerencias domande dubbi
    suggerimenti perguntas duvidas sugestoes vragen pytania dotazy kerdesek intrebari sorular fragor sporgsmal sporsmal
    kysymykset вопросы питання ερωτησεις للتواصل للاستفسار שאלות 疑问 疑問 ご質問 質問 문의는 제보 제보는
    """
  ])

  /// Those who write or keep a list.
  private static let authorRoles = RankedNames([
    """
    admin administrator moderator maintainer author clerk autor autorin auteur autrice autore administrador
    amministratore beheerder administratorka админ администратор автор адмін διαχειριστης الأدمن الادمن المشرف מנהל 管理员
    管理員 作者 管理人 작성자 관리자
    """
  ])

  /// What such a line begins with.
  private static let askingPhrases = NameParts(
    """
    maintainedby beifragen neuenummernbittean neuenummernan contactezmoi paraavisar persegnalazioni kontaktz kontaktna повопросам
    звязокз 管理人連絡先 reportto reportthemto reportspamto reportscamsto reportedby submittedby contactus contactme callus callme textus textme
    writeto writeus emailus sendnewnumbers sendnumbers meldenan meldenbei meldensiesichbei gemeldetvon schreibenan
    schreibtan ecrirea ecriveza appeleznous contacteznous signalera signalezau signalepar escribea escribanos llamenos
    contactenos reportara reportadopor scrivia scriveteci chiamateci contattateci segnalareal segnalatoda escrevapara
    faleconosco ligueparanos schrijfnaar meldenbij belons gemelddoor piszcie zglaszajdo zgloszoneprzez
    skrivtill kontaktaoss пишите звоните связьс 联系管理员 联系作者 联系我 聯絡我 有问题请 如有疑问 お問い合わせ 문의 관리자
    """)

  /// Words in the names of numbers that called or were reported: beside them, other numbers are those of somebody else.
  private static let callerWords = RankedNames([
    """
    anrufende anrufender anrufenden anrufendes storer stor tater
    appelante signale signalee signales signalees bloque bloques bloquee
    llamo llama acosador chamou ligou trote
    belde gemeld gemelde anmalt anmald innklaget anmeldt ringte ringde soitti
    dzwonil dzwonila natret volal hivo keresett sunat inselator reclamat edilen arayan
    звонил звонила позвонил позвонила дзвонив дзвонила телефонував καλει
    المتصل متصل المبلغ محتال المحتال احتيال الاحتيال مزعج المزعج نصاب النصاب مزاحم کلاهبردار
    מתקשר המתקשר מטריד המטריד נוכל הנוכל עוקץ ספאם
    """
  ])

  /// The beginnings of such words, which are inflected or parts of compounds.
  private static let callerStems = NameParts(
    """
    caller calling suspect scam spam fraud offend reported robocall telemarket harass nuisance spoof phish unwanted
    blocked blacklist anrufer gemeldet verdachtig betrug belastig abzock werbeanruf unerwunscht blockiert gesperrt
    appelant arnaq escroc harcel demarch importun malveillan indesirable llamante estaf denunciad reportad sospechos
    molest bloquead timador golpe golpista suspeit chamador incomod chiamant truff segnalat disturbator bloccat
    sospett beller oplicht verdacht geblokkeerd lastigvall bedragar bedrager svindl opkalder innringer uppringare
    soittaja huijar huijau hairik ilmoitet dzwoniac oszust naciagacz zgloszon podejrzan zablokowan volajic volajuc
    podvod nahlasen obtezuj csalo bejelentett zaklat apelant raportat dolandir supheli engellen rahatsiz
    sikayetedilen звонивш звонящ мошен спам нарушит вызывающ обманщ аферист заблокирован подозр шахра измам απατ
    καλουντ penipu penelepon pemanggil mencuriga dilaporkan
    """)

  /// What such names contain in scripts without blanks, and where only several words say who calls.
  private static let callerPhrases = NameParts(
    """
    calledyou calledme calledus hatangerufen hatsieangerufen hatdichangerufen angerufenhat aappele hachiamato
    heeftgebeld gebeldheeft luadao quayroi lamphien goiden nguoigoi กวนใจ มิจฉาชีพ หลอกลวง โทรเขา โทรมา सपैम धोखेबाज
    कॉलर 举报 诈骗 骚扰 来电 主叫 骗子 欺诈 可疑 黑名单 舉報 檢舉 詐騙 騷擾 來電 騙子 黑名單 迷惑 詐欺 不審 通報された 発信 架電 着信拒否 スパム 스팸 사기 피싱 발신 걸려온 신고된 신고번호 의심
    차단
    """)

  /// Names of dates and times, and of times of day alone.
  private static let times = RankedNames([
    """
    date datetime timestamp epoch unixtime unixtimestamp created createdat createddate updated updatedat modified lastmodified dateadded
    addedat starttime endtime calldate calltime answeredat endedat received receivedat sent sentat when datum
    zeit zeitpunkt zeitstempel dato fecha fechahora data dataora horodatage datetijd paivamaara tarih дата
    времявызова датавремя ημερομηνια تاريخ תאריך ngay tanggal วันที दिनांक तारीख 日期 时间 通话时间 日時 日付 날짜 일시
    """,
    """
    time uhrzeit tid hora ora heure tijd aika godzina cas ido saat время час ωρα الوقت שעה gio waktu เวลา 時間
    時刻 시간
    """,
  ])

  /// Fields that only logs of calls and messages have.
  private static let callFields = RankedNames([
    """
    kierunek suunta arah smer duration callduration durationseconds durationsec talktime billsec direction calldirection calltype callsid callid
    callstatus disposition hangupcause ringtime answertime missed messagesid conversationid dauer gesprachsdauer
    anrufdauer anruftyp anrufart richtung gesprachsart duree dureeappel duracion duraciondellamada durata
    duratachiamata duracao duracaodachamada duur gespreksduur varighed varighet samtalstid kesto czastrwania
    czasrozmowy delkahovoru trvani idotartam sure gorusmesuresi продолжительность длительность
    длительностьразговора тривалість διαρκεια مدة المدة مدت משך thoiluong durasi 通话时长 时长 通話時間 通话类型 通話時長
    통화시간 통화유형
    """
  ])

  private static let ownLines = RankedNames([
    """
    ownnumber ownline ownphone ownphonenumber mynumber myline myphone myphonenumber localnumber localparty ownernumber
    outgoingcallerid subscribernumber eigenerufnummer eigenenummer eigeneleitung eigenummer eigenummers eigennummer egennummer egetnummer
    numeropropre ligne lignepropre monnumero numeropropio minumero lineapropia numeroproprio
    miononumero lineapropria meunumero numerwlasny vlastnicislo sajatszam kendinumaram своиномер моиномер
    本机号码 本机 本機號碼 自分の番号 自局番号 내번호
    """
  ])

  /// Words in the names of fields with the author's own line.
  private static let ownWords = RankedNames([
    """
    my own mein meine meiner eigene eigener mon meu minha mio mijn moj moja muj moje мои моя міи benim 我的 私の
    """,
    """
    your ihre deine votre tu tuo suo seu sua uw twoj ваш ваша sizin victim opfer victime victima vitima vittima
    complainant complainants reporter reporters victims consumer consumidor reclamante denunciante plaignant informant witness melder meldender anzeigender
    beschwerdefuhrer geschadigter geschadigte declarant signaleur informante segnalante querelante
    melderinnen aangever anmalare anmelder ilmoittaja zglaszajacy zglaszajacego poszkodowany poszkodowanego oznamovatel
    bejelento sikayetci ihbarci заявитель заявителя потерпевшии потерпевшего скаржник заявник καταγγελλων المشتكي المبلّغ
    """,
  ])

  /// The beginnings of such names in scripts that don't separate words.
  private static let ownBeginnings = NameParts(
    """
    举报人 投诉人 报案人 申诉人 受害人 受害者 机主 本人 舉報人 投訴人 報案人 檢舉人 受害人 通報者 通報人 被害者 申告者 相談者 신고자 신고인 피해자 제보자 민원인
    """)

  /// What names of those who report contain, beside a word for what was reported.
  private static let ownPhrases = NameParts(
    """
    reportedby blockedby gemeldetvon signalepar reportadopor denunciadopor denunciadapor segnalatoda gemelddoor
    zgloszonyprzez
    """)

  /// What texts contain that name it in languages that join both words, or have them in another order.
  private static let ownPronouns = NameParts(
    """
    我的号码 我的電話 我的电话 我的號碼 我的手机 私の番号 私の電話 自分の番号 제번호 내번호 제전화 내전화 numarulmeu telefonulmeu numaram telefonum
    αριθμοςμου τηλεφωνομου رقمي هاتفي המספרשלי הטלפוןשלי sodienthoaicuatoi nomorsaya
    """)

  /// What is before the name of the one who wrote a message.
  private static let closings = RankedNames([
    """
    thanks thankyou manythanks cheers regards bestregards kindregards warmregards bestwishes sincerely sincerelyyours
    yourssincerely yoursfaithfully bestthanks mitfreundlichengrussen mitfreundlichemgruss freundlichegrusse vielegrusse
    bestegrusse liebegrusse gruss grusse mfg schonegrusse cordialement biencordialement cordiales
    bienavous merci saludos unsaludo saludoscordiales atentamente cordialmente gracias saluti cordialisaluti
    distintisaluti grazie atenciosamente cumprimentos abracos obrigado obrigada groeten metvriendelijkegroet
    vriendelijkegroeten mvg pozdrawiam zpowazaniem spozdravem spozdravom dekuji medvanlighalsning vanligahalsningar mvh
    medvennlighilsen medvenlighilsen venlighilsen ystavallisinterveisin terveisin udvozlettel tisztelettel
    saygilarimla selamlar custima cubine multumesc суважением зповагою спасибо ευχαριστω
    μεεκτιμηση 此致 谢谢 よろしくお願いします よろしくお願いいたします 敬具 감사합니다 trantrong camon salamhormat terimakasih
    sentfrommyiphone vonmeinemiphonegesendet envoyedemoniphone
    """
  ])

  /// Words in the names of people who use a service: beside other numbers, theirs are not those of callers.
  private static let userWords = RankedNames([
    """
    user users member customer client subscriber benutzer nutzer kunde kunden mitglied utilisateur abonne usuario cliente
    suscriptor utente gebruiker klant anvandare bruger bruker kayttaja uzytkownik uzytkownika klienta uzivatel
    felhasznalo utilizator kullanici musteri пользователь пользователя клиента абонента користувач χρηστης المستخدم
    """
  ])
  private static let userBeginnings = NameParts(
    """
    用户 客户 会员 用戶 客戶 會員 利用者 顧客 会員 사용자 이용자 고객 회원
    """)

  /// What numbers have in common that are not blocked, and words for lists beside it.
  private static let unblocked = RankedNames([
    """
    whitelist white allowlist allow allowed trusted safe contact contacts favorite favorites favourite favourites starred
    deleted removed unblocked exception exceptions exclude excluded ignore ignored owner support
    ok legit legitimate ham notspam nospam friends family verified good known freunde familie bekannt harmlos amis famille
    amigos familia amici famiglia vrienden друзья семья знакомые 好友 家人 家族 友達 친구 가족
    erlaubt erlaubte weiss weisse kontakt kontakte favoriten geloscht geloschte entfernt ausnahmen vertrauenswurdig
    autorises blanche favoris supprimes permitidos blanca contactos favoritos eliminados bianca contatti preferiti eliminati
    consentiti contatos excluidos branca witte contacten favorieten verwijderd biala kontakty ulubione usuniete
    белыи контакты избранное удаленные разрешенные 白名单 白名單 联系人 聯絡人 收藏 已删除 ホワイトリスト 連絡先 許可 화이트리스트
    연락처 즐겨찾기
    izinliler istisnalar silinenler kaldirilanlar guvenilir engellenmeyenler permise exceptii sterse deblocate
    alba albe tilladte undtagelser fjernede slettede betroede tillatte unntak fjernet slettet tillatna undantag
    borttagna raderade betrodda sallitut poikkeukset poistetut luotetut εξαιρεσεις επιτρεπονται επιτρεπομενοι
    επιτρεπομενα επιτρεπομενες αξιοπιστοι διαγραμμενα 허용 허용목록 예외 제외 삭제됨 해제 해제됨 許可リスト 許可番号 除外 例外 削除 削除済み 解除 解除済み
    ブロック解除 着信許可 放行 排除 已移除 已解除 误报 誤報 信任 可信 允许名单 允许 已允许 允許 अनुमत शवेतसूची अपवाद อนุญาต ยกเวน รายการทีอนุญาต
    diizinkan pengecualian dihapus dibenarkan مجاز مسموح المسموح استثناءات محذوفة استثنا מותרים מותר חריגים
    הוסרו kivetelek torolt eltavolitva eltavolitott megbizhato dovoljeni dovoljene dopusteni iznimke izuzeci
    uklonjeni izbrisani vyjimky vynimky odblokovane odblokovano smazane odstranene vymazane dozwolone wyjatki
    odblokowane zaufane rimossi rimosse eccezioni sbloccati affidabili debloques retires desbloqueados
    excepciones retirados quitados removidos excecoes liberados freigegeben freigegebene entsperrt entsperrte
    aufgehoben toegestaan toegestane uitzonderingen gedeblokkeerd удалены исключения разблокированы
    разблокированные доверенные дозволені винятки видалені розблоковані изключения премахнати разрешени unlisted
    delisted cleared released whitelisted exempt exempted ngoaile izinverilenler duocphep daxoa
    remove delete unblock vip
    """
  ])
  /// In the order of ``Verdict``.
  private static let verdicts = RankedNames([
    """
    blocked isblocked block blacklisted gesperrt geblockt blockiert bloque bloquee bloqueado bloqueada bloccato bloccata
    geblokkeerd blockerad blokeret estetty zablokowany zablokowane blokovano tiltott blocat engellendi engelli
    заблокирован заблокировано блокировать заблоковано محظور חסום blokir dachan 已拉黑 拉黑 已封鎖 封鎖 ブロック 着信拒否 차단
    isblacklisted blacklist blocklist blocklisted banned isbanned deny denied geblockte blokovany blokovane zablokovany
    zablokovano zablokowana zablokowano blokirano listenoire listanegra listanera schwarzeliste черныисписок 黑名单 黑名單
    sperren sperre bloccare abloquer bloquer bloquear blockieren blokkeren blokowac zablokowac blokovat zablokovat
    letiltva letiltani blockera blokere blokker esta blocheaza engelle engellensin блокування заблокувати блокировка
    блокирован μπλοκαρισμενο αποκλεισμενο حظر לחסום บลอก chan 屏蔽 是否拉黑 是否屏蔽 拦截 是否拦截 攔截 차단여부
    """,
    """
    allowed isallowed whitelist whitelisted iswhitelisted allowlist allowlisted isallowlisted trusted istrusted safe issafe
    erlaubt zugelassen autorise autorisee permitido permitida consentito consentita toegestaan dozwolony povoleno разрешен
    разрешено 允许 白名单 允許 白名單 許可 허용
    """,
    "spam isspam",
    """
    action list listtype mode rule aktion liste regel accion lista azione acao regla regola actie lijst akcja деиствие список
    操作 名单 動作 名單 リスト 목록
    """,
    """
    status state type kind typ tipo art stav estado estato stato statut etat tila stan allapot durum tur статус состояние
    тип вид category kategorie categorie categoria kategoria kategori luokka категория verdict decision classification class
    group gruppe groupe grupo gruppo grupa skupina группа trangthai loai 状态 狀態 状態 类型 類型 類別 类别 分類 分类 分组 種別 상태
    유형 구분 분류
    op operation event changetype evento evenement operacion operazione operacao operacja operace muvelet islem операция
    операція событие подія 事件 이벤트
    """,
    """
    rating ratings bewertung valoracion calificacion avaliacao valutazione beoordeling ocena hodnoceni ertekeles evaluare
    degerlendirme оценка реитинг оцінка αξιολογηση evaluation avis reputation reputacion reputazione sentiment danhgia
    penilaian 评价 評価 評價 평가
    """,
    """
    active isactive enabled isenabled inuse aktiv aktive aktiviert eingeschaltet actif activee activo activa activado
    habilitado attivo attiva attivato abilitato ativo ativa ativado actief ingeschakeld aktivt aktiverad aktiveret
    aktivert aktiivinen kaytossa aktywny aktywne aktywna aktivni aktivne bekapcsolva activ activat aktivan aktivno aktiven
    aktif etkin активен активна активно активныи активнии активність включен включено увімкнено ενεργο ενεργος فعال نشط
    פעיל מופעל सकरिय ใชงาน kichhoat hoatdong 启用 是否启用 有效 啟用 有効 활성 활성화 사용
    """,
    """
    removed isremoved removedat removedon dateremoved removaldate deleted isdeleted deletedat deletedon datedeleted
    unblocked isunblocked unblockedat unblockedon dateunblocked unblockdate inactive isinactive disabled isdisabled
    disabledat deactivated deactivatedat revoked revokedat lifted liftedon liftedat expired isexpired expiredat cleared
    clearedat resolved resolvedat delisted delistedat delistedon withdrawn releasedat entsperrt entsperrtam geloscht
    geloschtam entfernt entferntam freigegeben freigegebenam aufgehoben aufgehobenam deaktiviert deaktiviertam inaktiv
    debloque debloquee debloquele debloqueele datededeblocage supprime supprimee supprimele retire retiree retirele 
    desactive desactivele desbloqueado desbloqueada desbloqueadoel fechadesbloqueo fechadedesbloqueo eliminado
    eliminada eliminadoel borrado borradoel retirado retiradoel baja fechabaja fechadebaja inactivo desactivado removido
    removida removidoem excluido excluidoem desbloqueadoem apagado apagadoem inativo desativado rimosso rimossa rimossoil
    sbloccato sbloccata sbloccatoil eliminatoil eliminato cancellato cancellatoil disattivato verwijderd verwijderdop
    gedeblokkeerd gedeblokkeerdop opgeheven opgehevenop slettet fjernet ophaevet opphevet borttagen borttaget avblockerad
    raderad upphavd poistettu estopoistettu usunieto usuniety usuniete odblokowano odblokowany odblokowane
    dataodblokowania datausuniecia nieaktywny zdjeto odblokovano odblokovan odblokovany datumodblokovani smazano
    odstraneno zruseno odblokovane zrusene odstranene feloldva feloldas torolve eltavolitva deblocat deblocatla sters
    eliminatla deblokirano uklonjeno obrisano odblokirano izbrisano kaldirildi kaldirilma kaldirilmatarihi silindi
    engelikaldirildi engelkaldirma pasif разблокирован разблокировано датаразблокировки удален удалено датаудаления снят
    снято исключен отменено неактивен розблоковано видалено знято премахнат διαγραφηκε αφαιρεθηκε ξεμπλοκαριστηκε محذوف
    ملغى رفعالحظر الغاءالحظر הוסר נמחק שוחרר हटायागया ลบแลว ปลดบลอก daxoa dago dabochan dihapus dicabut 已删除 已解除 已移除 删除时间
    解除时间 解封 解封时间 移除 已刪除 刪除時間 解除 解除日 解除日時 削除 削除日 削除日時 削除済み 해제 해제일 차단해제 차단해제일 삭제 삭제일 삭제됨
    """,
  ])
  private static let negations = RankedNames([
    """
    0 no n not false f off nein falsch non faux falso nao nee nej nei ei nie ne nem nu hayir yok нет ні не οχι لا לא khong tidak 否 不
    いいえ 아니요 아니오
    aus disabled inactive desactive desactivado desativado disattivato uit av fra pois wyl vyp ki kapali oprit выкл
    выключено вимк ไม ไมใช 关 否定 關 停用 已停用 オフ 無効 꺼짐 미사용 none never null nil na nieaktywny spento desligado inaktiv
    """
  ])
  private static let affirmations = RankedNames([
    """
    1 yes y true t on ja wahr oui vrai si vero sim verdadero verdadeiro tak prawda ano igen jo kylla da evet да так ναι نعم כן
    co ya 是 はい 예 네
    x ein an enabled active aktiv activado ativado attivato aan pa til paalle wl zap be acik pornit вкл включено увімк ใช
    开 開 启用 啟用 已启用 オン 有効 켜짐 사용 ligado acceso
    """
  ])
  /// Words for numbers that are not blocked, and those that as a label may be a name, `Weiss`, or something else.
  private static let allowing = RankedNames([
    allowedLabels, "white weiss pass accept permit permis ham белыи",
  ])
  private static let allowedBeginnings = NameParts(allowedLabels)
  private static let allowedLabels = """
    allow allowed whitelist whitelisted allowlist permitted unblock unblocked erlauben erlaubt
    zulassen zugelassen entsperrt autoriser autorise listeblanche permitir permitido permitida listablanca listabranca
    consenti consentito listabianca toestaan toegestaan tillat tillad zezwol dozwolony izinver разрешить разрешен
    белыисписок дозволити 允许 白名单 放行 允許 白名單 許可 허용
    allowlisted trusted safe legit legitimate notspam nospam keinspam weisseliste whiteliste sicher autorisee autorises
    listablanche autorizado autorizada permitidos permitidas consentita consentiti permesso witlijst tillaten tilladt tillatet
    hvidliste vitlista sallittu dozwolona dozwolone bialalista povoleno povoleny povolena povolene povolit
    povolenie bilalista engedelyezett engedelyezve autorizat dozvoljeno beyazliste izinli разрешено разрешена
    разрешенныи дозволено дозволении επιτρεπεται مسموح מותר diizinkan chophep 已允许 已允許 ホワイトリスト 화이트리스트
    sallitut sallittuja sallitaan erlaubte erlaubten erlaubter zugelassene zulassig tillatna tilladte tillatte permise
    permisi permisa autorizate autorizados consentite permesse autorizadas toegestane dozwolonych povoleni engedelyezettek
    επιτρεπονται επιτρεπομενα επιτρεπομενοι разрешенные разрешены дозволені izinliler izinverilenler izinverilen duocphep
    อนุญาต diperbolehkan freigegeben freigegebene entsperrte autorisees dovoljeni dovoljene dozvoljeni dozvoljene
    разрешени مسموحة المسموحة מותרים เชือถือได 已放行 放行名单
    """

  /// The statuses and remarks of numbers that are on a list no longer, or are there by mistake.
  private static let released = RankedNames([
    """
    removed deleted inactive resolved expired cleared revoked lifted released delisted deactivated disabled withdrawn
    retracted dismissed remove delete delist removefromlist removefromthelist pleaseremove pleasedelete toberemoved
    tobedeleted removedfromlist removedfromthelist takenofflist takenoffthelist nolongerblocked nolongerspam
    nolongeractive blockremoved blocklifted wronglyreported reportedbymistake blockedbymistake blockedinerror falsereport
    falsealarm geloscht entfernt entsperrt freigegeben freigeschaltet wiederfreigegeben wiederentsperrt aufgehoben inaktiv
    erledigt abgelaufen deaktiviert entsperren freigeben loschen bitteloschen entfernen vonderlisteentfernt
    vonderlistestreichen ausderlisteloschen sperreaufgehoben sperrungaufgehoben nichtmehrgesperrt nichtmehrblockiert
    fehlalarm falschmeldung irrtum irrtumlichgesperrt versehentlichgesperrt supprime supprimee retire retiree debloque
    debloquee inactif expire expiree resolu resolue annule annulee retiredelaliste retireedelaliste
    supprimedelaliste aretirer asupprimer supprimer retirer debloquer plusbloque nestplusbloque desactive faussealerte
    signaleparerreur bloqueparerreur eliminado eliminada borrado borrada desbloqueado desbloqueada inactivo inactiva
    resuelto caducado vencido levantado retirado retirada quitado anulado desactivado desbloquear eliminar quitar
    retiradodelalista eliminadodelalista quitardelalista yanobloqueado dadodebaja falsaalarma bloqueadoporerror
    reportadoporerror removido removida excluido excluida apagado inativo inativa resolvido expirado cancelado desativado
    removidodalista retiradodalista removerdalista remover excluir alarmefalso bloqueadoporengano rimosso rimossa
    eliminato eliminata cancellato cancellata sbloccato sbloccata inattivo inattiva risolto scaduto revocato disattivato
    rimuovere eliminare sbloccare rimossodallalista toltodallalista falsoallarme bloccatopererrore segnalatopererrore
    verwijderd gewist gedeblokkeerd opgeheven vrijgegeven inactief opgelost verlopen deblokkeren verwijderen
    vandelijstverwijderd vanlijstverwijderd nietmeergeblokkeerd valsalarm slettet fjernet ophaevet frigivet udlobet
    afblokeret fjernetfralisten opphevet utlopt avblokkert borttagen borttaget raderad upphavd avblockerad avblockera
    frislappt utgangen tasbort borttagenfranlistan poistettu estopoistettu vapautettu vanhentunut eiaktiivinen
    poistettulistalta vaarailmoitus usuniety usunieta usuniete usunieto odblokowany odblokowana odblokowane odblokowano
    nieaktywny nieaktywne wygasl wygasly zniesiony zniesiono zdjeto zdjety zdjetyzlisty usunietyzlisty anulowany
    odblokowac usunac falszywyalarm odstraneno odstranen smazano smazan odblokovano odblokovan odblokovany odblokovana
    odblokovane zruseno neaktivni vyprselo uvolneno odstranenozeseznamu planypoplach odstranene zmazane zrusene neaktivne
    torolve torolt feloldva feloldott eltavolitva lejart megszunt tevesbejelentes tevesriasztas sters stearsa eliminat
    deblocat deblocata inactiv expirat rezolvat anulat scosdinlista alarmafalsa uklonjeno obrisano deblokirano neaktivno
    neaktivan isteklo odstranjeno izbrisano odblokirano preklicano kaldirildi silindi engelikaldirildi engelkaldirildi
    pasif cozuldu iptal iptaledildi cikarildi listedencikarildi yanlissikayet yanlisalarm удален удалена удалено
    разблокирован разблокирована разблокировано снят снята снято неактивен неактивна неактивно истек истекло решено
    отменен отменено исключен исключено удалить разблокировать удаленизсписка исключенизсписка заблокированпоошибке
    ошибочно ложнаятревога ложнаяжалоба видалено видалении розблоковано розблоковании знято неактивнии скасовано вилучено
    вилученозісписку помилково премахнат премахнато изтрит деблокиран отблокиран διαγραφηκε διαγραμμενο αφαιρεθηκε
    ξεμπλοκαριστηκε ανενεργο ανενεργος εληξε محذوف محذوفة تمالحذف تمحذفه ملغى ملغي غيرنشط منتهي رفعالحظر تمرفعالحظر
    تمإلغاءالحظر حذفشده غیرفعال הוסר נמחק שוחרר בוטל לאפעיל הוסרמהרשימה हटायागया हटादियागया निषकरिय ลบแลว ปลดบลอก
    ปลดบลอกแลว ยกเลิก ไมใชงาน daxoa dago dabochan bochan hethan khonghoatdong dihapus dicabut nonaktif tidakaktif
    kedaluwarsa 误报 误标 误拦 误判 误拉黑 已解除 已删除 已移除 已失效 已过期 已取消 已撤销 已解封 已恢复 解封 解除 删除 移除 无效 取消拉黑 从名单移除 誤報 誤標 誤判 已刪除 已過期 已撤銷 已恢復 刪除
    取消封鎖 削除 削除済み 削除済 解除済み 解除済 無効 期限切れ 解決済み 誤登録 リストから削除 삭제 삭제됨 삭제완료 해제 해제됨 차단해제 차단해제됨 만료 만료됨 비활성 해결됨 오신고 오탐
    """
  ])
  /// The ratings, and labels of pairs in JSON, of numbers that are not to be blocked, and other ratings.
  private static let ratings = RankedNames([
    """
    positive positiv positif positivo pozytywna pozytywny pozitivni pozitiv olumlu положительная положительныи
    положительно позитивна позитивнии θετικη إيجابي חיובי บวก tichcuc 正面 好评 積極的 良い 긍정 ok okay good fine harmless legit
    safe verified known trustworthy serios harmlos unbedenklich inordnung sur fiable inoffensif bueno confiable inofensivo
    confiavel affidabile innocuo betrouwbaar onschuldig saker trygg turvallinen bezpieczny bezpieczna bezpecny bezpecne
    megbizhato sigur guvenli guvenilir безопасно безопасныи надежныи безпечно ασφαλης آمن בטוח ปลอดภัย antoan aman 安全 正常
    安心 안전 正規
    alegitimate legitimate
    """,
    """
    negative negativ negatif negativo negatywna negatywny negativni olumsuz отрицательная отрицательныи отрицательно
    негативна αρνητικη سلبي שלילי ลบ tieucuc 负面 差评 悪い 부정 neutral neutre neutro
    """,
  ])

  /// What the operations of a list's log say of numbers that are added.
  private static let additions = RankedNames([
    "add added insert inserted create created update updated report reported"
  ])

  private static let blocking = RankedNames([
    """
    blacklist blocklist denylist block black deny denied ban banned sperren sperrliste schwarze blockieren bloquer noire
    bloquear negra preta bloccare nera blokkeren zwarte czarna zablokuj черныи заблокированные 黑名单 黑名單 ブロックリスト
    차단목록
    """
  ])

  /// Words of headings that don't say what a list is: those of declarations, and `always`, `people`.
  private static let headingWords = RankedNames([
    """
    const let var val my our static final private public export default return string array set new the these those this
    of and for to always only all callers calls people die der meine unsere immer und fur nur les mes nos et pour los las
    mis nuestros y i gli e os as meus de het mijn onze en
    """
  ])

  /// What a remark on a number, or a heading of several, has if they are not blocked.
  private static let unblockedPhrases = NameParts(
    """
    whitelist whitelisted allowlist allowlisted donotblock dontblock notblocked neverblock notspam notaspam notascam
    notarobocall falsepositive falsepositives
    unblocked pleaseunblock ismynumber ismyownnumber ismycell mydoctor
    nichtsperren nichtblockieren nichtgesperrt nichtblockiert niesperren nieblockieren keinspam keinbetrug weisseliste
    istmeinenummer meinarzt meinenarzt
    nepasbloquer pasbloque nebloquezpas pasunspam pasduspam listeblanche fauxpositif estmonnumero mondocteur monmedecin
    nobloquear nobloqueen nobloqueado noesspam noesestafa listablanca falsopositivo esminumero mimedico
    nonbloccare nonbloccate nonbloccato nonespam listabianca eilmionumero
    naobloquear naobloqueie naoespam listabranca eomeunumero emeunumero
    nietblokkeren nietgeblokkeerd geenspam wittelijst ismijnnummer
    nieblokowac nieblokuj tonieespam tonieoszust bialalista blockerainte interspam vitlista blokerikke ikkeblokker
    ikkespam hvidliste alaesta eiroskapostia neblokovat neblokujte bilalista engellemeyin beyazliste
    неблокировать незаблокирован неспам белыисписок неблокувати μηναποκλειστει لاتحظر القائمةالبيضاء
    不要屏蔽 不要拉黑 不是骚扰 非骚扰 不是诈骗 白名单 白名單 不要封鎖 不是騷擾 ブロックしない 迷惑電話ではない ホワイトリスト 차단하지 스팸아님
    스팸이아 화이트리스트
    nublocati nubloca ikkebloker blockeraej ejblockera eiestettavat μηνμπλοκαρετε μηνμπλοκαρεις μηναποκλειετε
    차단하지않음 차단금지 차단해제 拒否しない 不要拦截 不拦截 勿拦截 不屏蔽 不要攔截 बलॉकनकरें หามบลอก ไมบลอก janganblokir jangandiblokir
    tidakdiblokir daftarputih jangansekat مسدودنکنید لیستسفید לאלחסום אלתחסום אלתחסמו רשימהלבנה khongchan
    dungchan danhsachtrang feherlista netiltsd netiltsa netiltsak neblokiraj neblokirati bijelalista bielyzoznam
    bilyseznam neblokuj nuseblocheaza listaalba неблокуите неблокируите неблокираи бялсписък білиисписок
    engellemeyiniz
    """)

  /// Words of headings for numbers that are on such a list no longer, or for those who have to do with it.
  private static let withoutWords: Set<String> = [
    "not", "no", "none", "removed", "removals", "formerly", "deleted", "fake", "spoofed", "scam", "abusers",
  ]

  private static let listWords = RankedNames([
    """
    list lists liste lista listen lijst список entries items records rows nummern nummers numre numeri numerot numery
    cisla cislach cisel szamok numere brojevi stevilke numaralar номери номеров номера αριθμοι أرقام الأرقام מספרים
    """
  ])

  private static let callers = RankedNames([
    """
    rufende rufender anrufende anrufender bellend bellende quell sogoi sogoiden nguoigoi
    מתקשר המתקשר
    from caller callernumber callerid callingnumber callingno aparty partya callingparty callingpartynumber fromnumber src source sourcenumber
    originator origin sender remitente ani clid von anrufer absender de desde origen llamante origem remetente da mittente
    chiamante appelant expediteur van beller afzender fra fran od nadawca dzwoniacy volajici hivo arayan quelle zdroj
    calling originating origine pozivajuci uppringande asal kaynak zrodlowy znumeru zcisla хто καλων
    apelant soittaja sochugoi pemanggil المتصل откуда источник вызывающии откого от кто звонящии отправитель ктозвонил від хтодзвонив 相手番号 主叫
    主叫号码 发件人 發話方 発信 発信者 発信元 발신 발신자 발신번호
    """
  ])

  private static let callees = RankedNames([
    """
    gerufene gerufener gebeld sobigoi נקרא הנקרא
    to callee called callednumber calledno bparty partyb calledparty calledpartynumber tonumber dst destination destinationnumber dialed
    dialednumber dnis dnid recipient receiver an angerufener empfanger a appele destinataire para destino destinatario
    llamado chiamato destinazione angerufene gewahlte ziel cil dialled terminating wybierany wybrany docelowy volany
    volane hivott aranan nach vers pozvani uppringt tujuan hedef nanumer nacislo apelat vastaanottaja καλουμενος
    penerima المتصلبه المستقبل נמען вызываемыи набранныи aan naar gebelde ontvanger til till do odbiorca кому куда получатель комузвонили до 被叫 被叫号码
    收件人 受話方 着信 着信先 着信者 宛先 수신 수신자 수신번호 착신
    """
  ])

  private static let callbacks = RankedNames([
    """
    callback callbacknumber callbackphone returncallnumber ruckruf ruckrufnummer numerorappel numeroderappel rappel
    numerodedevolucion numerodevolucion richiamare numerodirichiamata terugbelnummer oddzwon 回电号码 回電號碼 折り返し番号
    """
  ])

  private static let directions = RankedNames([
    """
    kierunek suunta arah smer direction calldirection type calltype richtung anruftyp typ sens direccion tipo direzione direcao soort richting
    tipochiamata tipollamada typhovoru typpolaczenia типвызова tur art anrufart 種別 区分 구분 유형 类型
    направление тип 方向 通话类型 類型 种类
    """
  ])

  /// The beginnings of texts for outgoing calls.
  private static let outgoing = [
    "out", "dialed", "dialled", "ausgehend", "abgehend", "sortant", "emis", "saliente", "realizada",
    "efetuada", "uscente", "ausgang", "iesire", "goidi", "keluar", "صادر", "יוצא", "โทรออก",
    "inuscita", "effettuata", "uitgaand", "udgaende", "utgaende", "lahteva", "wychodz", "odchozi", "kimeno",
    "giden",
    "исходящ", "вихідн", "εξερχ", "去电", "呼出", "拨出", "撥出", "発信", "발신",
  ]

  /// Short names of numbers and labels in objects. They are used only if no field has one of the names above.
  static let shortNumber: Set<String> = ["n", "nr", "no", "p", "ph", "pn"]
  static let shortLabel: Set<String> = ["l", "lb", "lbl"]

  /// The names that have precedence in databases, the most common first. Only databases have common names for sources
  /// and scores.
  static let databaseNumber = [
    "number", "phone", "phone_number", "phonenumber", "tel", "telephone", "msisdn", "e164_number", "e164",
    "normalized_number", "original_number",
  ]
  static let databaseLabel = ["label", "name", "title"]
  static let databaseSource = ["source", "list"]
  static let databaseScore = ["score", "votes"]
}
