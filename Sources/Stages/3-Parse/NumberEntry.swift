// What an entry of a list has besides its number: remarks, extensions, further numbers. One rule for lines, fields and
// JSON: whatever follows a complete number adds no digits to it, and is never a part of another number either.
//
//     030 1234567 (3 Meldungen)         a remark
//     +43 1 5805801 Fax                 a remark
//     +4930123456p12                    a dialling pause
//     030 1234567, 0171 1234567         two numbers
//     030 1234500 bis 030 1234599       a range in words, which is a reject
//
// Vanity numbers (`1-800-FLOWERS`), masks (`070-XXXX-XXXX`) and a first extension (`ext. 12`) are parts of a number, which
// `normalize` reads. The country is not known here, so a number is complete by the number of its digits.

import Records

/// The end of a number in a text, and what follows it.
struct NumberEnd: Equatable {
  enum Follower: Equatable {
    case nothing
    /// Text, or digits that are not a number.
    case remark
    /// Another number, which is written alike or in a way that only numbers are written.
    case number
    /// Digits that may be another number or not.
    case digits
    /// The end of a range, or an area code: without it, the number may be another one.
    case essential
  }

  /// The index after the number.
  var end: Int
  /// The index of what follows it.
  var next: Int
  var follower = Follower.nothing

  /// With at least this many digits, what follows a number may be another one, or a word that adds no digits.
  static let digitsMin = 7
  /// With at least this many digits, a number needs no more, however they are grouped: those of most countries have at
  /// most ten without a calling code.
  fileprivate static let certainDigitsMin = 10
  /// Emergency and other short numbers.
  private static let shortDigitsMin = 3
  /// At most this many digits after a number are the last ones of another number.
  fileprivate static let endingDigitsMax = 4

  /// Finds the end of the number that is in the text from `start` to `end`. A regular expression is one number.
  ///
  /// A text whose first bytes have a number that does not end there is none, and is returned whole.
  ///
  /// - Complexity: O(1): at most ``scannedBytesMax`` bytes are examined, each of them that often at most.
  static func find(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> NumberEnd {
    let limit = min(end, start + scannedBytesMax)
    if isExpression(bytes, start, limit) { return NumberEnd(end: end, next: end) }
    var scan = NumberScan(start: start, end: limit)
    let found = scan.run(bytes)
    return found.end == limit ? NumberEnd(end: end, next: end) : found
  }

  /// No number is longer, together with what follows it and marks its end.
  private static let scannedBytesMax = 256

  /// The index of another number in the text after a number, such as a remark: one with a plus sign or a trunk prefix and
  /// enough digits, or one with as many digits as `number` if that has neither.
  static func otherNumber(
    _ bytes: Span<UInt8>, from start: Int, to end: Int, after number: Range<Int>
  ) -> Int? {
    let bareDigits = bareDigits(bytes, number)
    for index in start..<max(start, end) {
      let isMarked = bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "0")
      guard isMarked || bareDigits > 0 && (bytes[index] &- 0x30 < 10 || bytes[index] == UInt8(ascii: "(")),
        index == start || isBeforeNumber(bytes[index - 1]),
        DateText.end(bytes, from: index, to: min(end, index + scannedBytesMax)) == nil
      else { continue }
      var digits = 0
      var at = index
      while at < min(end, index + scannedBytesMax),
        bytes[at] &- 0x30 < 10 || " -.()/+".utf8.contains(bytes[at])
      {
        if bytes[at] &- 0x30 < 10 { digits += 1 }
        at += 1
      }
      if isMarked ? digits >= otherDigitsMin : digits == bareDigits { return index }
    }
    return nil
  }

  /// The number of digits of a number without a plus sign and trunk prefix; 0 for another one, and for a short one.
  private static func bareDigits(_ bytes: Span<UInt8>, _ number: Range<Int>) -> Int {
    let body = NumberText.body(bytes, from: number.lowerBound, to: number.upperBound)
    var first = body.lowerBound
    while first < body.upperBound, bytes[first] == UInt8(ascii: "(") { first += 1 }
    guard first < body.upperBound, bytes[first] &- 0x31 < 9 else { return 0 }
    let digits = NumberText.contents(bytes, from: first, to: body.upperBound).digits
    return digits >= bareDigitsMin ? digits : 0
  }

  private static let otherDigitsMin = 9
  /// With fewer digits, numbers without a plus sign and trunk prefix are not compared.
  static let bareDigitsMin = 8

  private static func isBeforeNumber(_ byte: UInt8) -> Bool {
    byte.isASCIISpace || "([,;:|/\"'>".utf8.contains(byte)
  }

  /// Whether the text may be something other than a number alone: a quick check with false positives only. True for texts
  /// with letters, brackets after the first byte, slashes, commas and the like; plain digits and groups of them are
  /// numbers, unless they are too many or a date.
  static func isPossible(_ text: Span<UInt8>) -> Bool {
    guard text.count > 0 else { return false }
    if text.count > oneNumberBytesMax { return true }
    if text.skippingDigits(from: 0, to: text.count) == text.count { return false }
    let first = text[0]
    if first &- 0x30 >= 10, first != UInt8(ascii: "+"), first != UInt8(ascii: "(") { return true }
    var longGroups = 0
    var index = 1
    while true {
      let start = index
      index = text.skippingDigits(from: start, to: text.count)
      if index - start >= digitsMin - 1 { longGroups += 1 }
      if longGroups > 1 { return true }
      if index == text.count { return false }
      switch text[index] {
      case 0x20: break
      // `1) 030 1234567`
      case UInt8(ascii: ")"): if index < 3 { return true }
      case UInt8(ascii: "-"), UInt8(ascii: "."):
        // A date, a time after the number, a dash before the last digits of another one or before a main extension, or an
        // address or ISBN.
        if index == 3 && (text[0] == UInt8(ascii: "1") || text.count == EntryText.isbnBytes) { return true }
        if isDatePosition(index) || text[index - 1] == 0x20 || isTimePosition(text, index, index - start)
          || index + 2 < text.count && text[index + 1] == UInt8(ascii: "0") && text[index + 2] == 0x20
        {
          return true
        }
      default: return true
      }
      index += 1
    }
  }

  /// No number in groups of digits is longer, but two numbers are.
  private static let oneNumberBytesMax = 20

  /// Whether a date has its first sign at the index.
  private static func isDatePosition(_ index: Int) -> Bool { index == 1 || index == 2 || index == 4 }

  /// Whether a time or an amount after a number may have its point at the index.
  private static func isTimePosition(_ text: Span<UInt8>, _ index: Int, _ group: Int) -> Bool {
    1...2 ~= group && index > digitsMin + group && text[index - group - 1] == 0x20
  }

  /// Whether digits after a word may belong to the number before it, or be those of another one.
  static func mayContinue(after word: Span<UInt8>) -> Bool { NumberScan.mayContinue(after: word) }

  private static func isExpression(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    var wordEnd = start
    while wordEnd < end, bytes[wordEnd] > 0x20 { wordEnd += 1 }
    let signs = bytes.extracting(start..<wordEnd)
    let mayHaveAlternatives = signs.count > 0 && signs[0] == UInt8(ascii: "(")
    return signs.indices.contains {
      "\\^$".utf8.contains(signs[$0]) || mayHaveAlternatives && signs[$0] == UInt8(ascii: "|")
    }
  }

  fileprivate static func isComplete(_ digits: Int, isInternational: Bool) -> Bool {
    digits >= certainDigitsMin + (isInternational ? 1 : 0)
  }

  fileprivate static func isShort(_ digits: Int) -> Bool { digits >= shortDigitsMin }
}

/// The state of the search for the end of a number.
private struct NumberScan {
  let start: Int
  let end: Int
  /// The digits so far, and the letters that stand for digits.
  var digits = 0
  /// The digits of the current group, and of the one before it.
  var group = 0
  var lastGroup = 0
  var firstDigit: UInt8 = 0
  var isInternational = false
  /// The digits of an international prefix, which are not the number's: `00`.
  private var prefixDigits = 0
  /// How many groups come before the local number: a calling code and an area code.
  private var leadingGroups = 1
  /// Whether the groups of the local number have one or two digits, so that its last one may be single:
  /// `030 12 34 56 7`.
  private var isInPairs = true
  var hasExtension = false
  /// Whether the last group is the main line of a company, `030 1234-0`, so that no other group follows.
  private var isMainLine = false
  /// Whether letters are digits of the number.
  private var hasVanity = false
  /// Whether the digits are written in a way that only phone numbers are.
  var isGrouped = false

  init(start: Int, end: Int) {
    self.start = start
    self.end = end
  }

  mutating func run(_ bytes: Span<UInt8>) -> NumberEnd {
    var index = start
    while index < end {
      let byte = bytes[index]
      if let length = digit(bytes, index) {
        if hasExtension { return finish(bytes, at: index, next: index, .remark) }
        if digits == 0 { begin(bytes, index) }
        digits += 1
        group += 1
        index += length
        continue
      }
      if group > 0 { endGroup(bytes, index) }
      if digits > 0, let found = follower(bytes, &index) { return found }
      if digits > 0, byte != UInt8(ascii: ".") { isGrouped = true }
      index += 1
    }
    return NumberEnd(end: end, next: end)
  }

  private mutating func begin(_ bytes: Span<UInt8>, _ index: Int) {
    firstDigit = bytes[index]
    isInternational =
      index > start && bytes[index - 1] == UInt8(ascii: "+")
      || index + 1 < end && bytes[index] == UInt8(ascii: "0") && bytes[index + 1] == UInt8(ascii: "0")
    if isInternational, bytes[index] == UInt8(ascii: "0") { prefixDigits = 2 }
    // What is dialled in front of a calling code in North America.
    if bytes.extracting(index..<end).startsIgnoringCase("011 ") {
      (isInternational, prefixDigits) = (true, 3)
    }
    if isInternational { leadingGroups = 2 }
  }

  private mutating func endGroup(_ bytes: Span<UInt8>, _ index: Int) {
    if leadingGroups == 0 {
      if group > 2 { isInPairs = false }
    } else if group > 1 || bytes[index - 1] != UInt8(ascii: "0") {
      // A single zero is the trunk prefix.
      leadingGroups -= 1
    }
    isMainLine =
      group == 1 && hasEnough && bytes[index - 1] == UInt8(ascii: "0")
      && bytes[index - 2] == UInt8(ascii: "-")
    (lastGroup, group) = (group, 0)
  }

  private func digit(_ bytes: Span<UInt8>, _ index: Int) -> Int? {
    if bytes[index] < 0x80 { return bytes[index] &- 0x30 < 10 ? 1 : nil }
    guard let (scalar, length) = NumberText.scalar(bytes, at: index, end: end), NumberText.isDigit(scalar)
    else { return nil }
    return length
  }

  /// Ends the number before the signs that precede `at`.
  private func finish(
    _ bytes: Span<UInt8>, at: Int, next: Int, _ follower: NumberEnd.Follower
  ) -> NumberEnd {
    var last = at
    // `*blocked*` is a word, and no mask.
    if at < end, isLetter(bytes, at) {
      while last > start, "*#?~_".utf8.contains(bytes[last - 1]) { last -= 1 }
    }
    while last > start {
      // U+2013 and U+2014 are dashes, too.
      let isDash = last - start > 3 && bytes[last - 3] == 0xE2 && bytes[last - 2] == 0x80
      guard isSign(bytes[last - 1]) || isDash && (bytes[last - 1] == 0x93 || bytes[last - 1] == 0x94) else {
        break
      }
      last -= isSign(bytes[last - 1]) ? 1 : 3
    }
    return NumberEnd(end: last, next: next, follower: follower)
  }

  /// Whether a sign can be between a number and what follows it.
  private func isSign(_ byte: UInt8) -> Bool {
    byte.isASCIISpace || "-,;:|/&+<\"'".utf8.contains(byte)
  }

  // MARK: What follows

  private var isComplete: Bool {
    NumberEnd.isComplete(digits - prefixDigits, isInternational: isInternational)
  }
  private var hasEnough: Bool { digits >= NumberEnd.digitsMin }
  /// Whether the last group is a whole local number, so that no other group continues it.
  private var isAfterLongGroup: Bool { lastGroup >= NumberEnd.digitsMin }
  private var isWholeLine: Bool { isMainLine || isAfterLongGroup }

  /// What follows the number at a byte that is not a digit; nil if it is a part of the number. Then `index` is that of its
  /// last byte.
  private mutating func follower(_ bytes: Span<UInt8>, _ index: inout Int) -> NumberEnd? {
    let byte = bytes[index]
    switch byte {
    case 0x20, Byte.tab: return afterSpace(bytes, index)
    case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "<"):
      return afterBracket(
        bytes, index,
        closing: byte == UInt8(ascii: "(")
          ? ")" : byte == UInt8(ascii: "[") ? "]" : byte == UInt8(ascii: "{") ? "}" : ">")
    case UInt8(ascii: "/"), Byte.backslash: return afterSlash(bytes, index)
    case UInt8(ascii: "-"):
      return isRange(bytes, index + 1) ? finish(bytes, at: index, next: index, .essential) : nil
    case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "|"), UInt8(ascii: "&"), Byte.lineFeed,
      Byte.carriageReturn, UInt8(ascii: "+"):
      return afterSeparator(bytes, index, next: index + 1)
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      let next = bytes.skippingSpace(from: index + 1, to: end)
      guard hasEnough, next < end, !",;|".utf8.contains(bytes[next]) else { return nil }
      guard next > index + 1, isNumber(bytes, at: next) else {
        return finish(bytes, at: index, next: index, .remark)
      }
      let isQuoted = bytes[next] == byte
      return finish(bytes, at: index, next: isQuoted ? next + 1 : next, kind(bytes, at: next))
    case UInt8(ascii: "@"), UInt8(ascii: ">"), UInt8(ascii: "!"), UInt8(ascii: "="):
      return hasEnough ? finish(bytes, at: index, next: index, .remark) : nil
    case UInt8(ascii: ":"):
      return hasEnough && index + 1 < end ? finish(bytes, at: index, next: index + 1, .remark) : nil
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...0xFF:
      return word(bytes, &index)
    default: return nil
    }
  }

  private func afterSpace(_ bytes: Span<UInt8>, _ index: Int) -> NumberEnd? {
    let next = bytes.skippingSpace(from: index, to: end)
    if let found = afterDash(bytes, index, next) { return found }
    guard hasEnough || NumberEnd.isShort(digits), next < end, digit(bytes, next) != nil else { return nil }
    if !hasEnough {
      let groupEnd = bytes.skippingDigits(from: next, to: end)
      return isCounted(bytes, groupEnd, groupEnd - next) ? finish(bytes, at: index, next: next, .remark) : nil
    }
    // `0161 162 2011/2/3` is a number and two suffixes.
    let isWhole = digits > NumberEnd.digitsMin || isAfterLongGroup
    let groupEnd = bytes.skippingDigits(from: next, to: end)
    if isWhole && DateText.end(bytes, from: next, to: end) != nil || isAmount(bytes, next, groupEnd) {
      return finish(bytes, at: index, next: next, .remark)
    }
    if isBroken(bytes, index, next, groupEnd) {
      return finish(bytes, at: index, next: next, .essential)
    }
    if let count = count(bytes, next, groupEnd) { return finish(bytes, at: index, next: next, count) }
    if isDoubtfulDigit(bytes, next, groupEnd) {
      return finish(bytes, at: groupEnd, next: bytes.skippingSpace(from: groupEnd, to: end), .remark)
    }
    if isAfterLongGroup, groupEnd - next >= NumberEnd.digitsMin, bytes[index - 1] &- 0x30 < 10 {
      return finish(bytes, at: index, next: next, kind(bytes, at: next))
    }
    var tokenEnd = next
    while tokenEnd < end, bytes[tokenEnd] > 0x20, !",;|)".utf8.contains(bytes[tokenEnd]) { tokenEnd += 1 }
    let token = bytes.extracting(next..<tokenEnd)
    if token.equals("24/7") { return finish(bytes, at: index, next: next, .remark) }
    guard isWholeLine || isComplete && (tokenEnd > groupEnd || !isPair(token)) else { return nil }
    if isRemark(token, bytes, tokenEnd) { return finish(bytes, at: index, next: next, .remark) }
    return isMainLine ? finish(bytes, at: index, next: next, kind(bytes, at: next)) : nil
  }

  /// Whether a few digits before a word are either a count or the number's last ones, since those before them are a number
  /// with its area code that is cut at any place: `0912345 679 vay`, `+86 1380013 8006`.
  private func isBroken(_ bytes: Span<UInt8>, _ index: Int, _ next: Int, _ groupEnd: Int) -> Bool {
    let word = bytes.skippingSpace(from: groupEnd, to: end)
    guard isAfterLongGroup, !isComplete, 2...4 ~= groupEnd - next, word > groupEnd, word < end,
      isLetter(bytes, word), !isMarker(bytes, word), !isCounted(bytes, groupEnd, groupEnd - next)
    else { return false }
    let before = digits - prefixDigits - lastGroup
    // A local number may be whole, and counts are small.
    if !isInternational {
      return before == 0 && (firstDigit == UInt8(ascii: "0") || groupEnd - next > 2)
    }
    // Not a calling code and an area code of one digit each or more: `+43 1 5805801`.
    return before <= 3 && !(before > 1 && bytes[index - lastGroup - 3].isASCIISpace)
  }

  /// Whether the digits of a group begin an amount or a day: `1,99 €`, `1.5 h`, `24.12.`
  private func isAmount(_ bytes: Span<UInt8>, _ start: Int, _ groupEnd: Int) -> Bool {
    guard groupEnd < end, bytes[groupEnd] == UInt8(ascii: ",") || bytes[groupEnd] == UInt8(ascii: ".") else {
      return false
    }
    let last = bytes.skippingDigits(from: groupEnd + 1, to: end)
    guard 1...2 ~= last - groupEnd - 1, groupEnd - start < NumberEnd.digitsMin else { return false }
    if bytes[groupEnd] == UInt8(ascii: ",") { return true }
    // A time: `10.33`.
    if last == end, last - groupEnd == 3, isComplete, lastGroup >= NumberEnd.digitsMin - 1 { return true }
    guard isComplete || lastGroup >= NumberEnd.digitsMin - 1, groupEnd - start <= 2 else { return false }
    if last < end, bytes[last] == UInt8(ascii: ".") { return last + 1 == end || bytes[last + 1].isASCIISpace }
    let unit = bytes.skippingSpace(from: last, to: end)
    return unit < end && (bytes[unit] >= 0x80 || bytes[unit] == UInt8(ascii: "$") || isLetter(bytes, unit))
  }

  /// What a group is that counts something: one digit before a word, or a few before a word for times or hours, or before
  /// a unit: `3 gånger`, `12 vezes`, `5 €`. A single digit after pairs of them may be the number's last one. Nil if it
  /// is not a count.
  private func count(_ bytes: Span<UInt8>, _ start: Int, _ groupEnd: Int) -> NumberEnd.Follower? {
    let isOrdinal = groupEnd + 1 < end && bytes[groupEnd] == UInt8(ascii: ".") && bytes[groupEnd + 1] == 0x20
    let next = bytes.skippingSpace(from: isOrdinal ? groupEnd + 1 : groupEnd, to: end)
    let size = groupEnd - start
    guard next < end, 1...3 ~= size else { return nil }
    if size != lastGroup || isComplete, isUnit(bytes, next) { return .remark }
    // `24시`, `12월`: the last group of a number has more digits where words follow without a blank.
    if size < min(lastGroup, 3), next == groupEnd, bytes[next] >= 0xE3, isLetter(bytes, next) {
      return .remark
    }
    if isCounted(bytes, groupEnd, size) { return .remark }
    // `0316 1234 3x` is a count or a mask.
    if size < lastGroup, !isComplete, !isWholeLine, bytes[next] == UInt8(ascii: "x"), isTimes(bytes, start) {
      return .essential
    }
    let isBeforeWord =
      isLetter(bytes, next) && !beginsMask(bytes, next) && (!isMarker(bytes, next) || next + 1 == end)
      && (next > groupEnd || !mayBeVanity(bytes, next, size))
    guard size == 1, lastGroup > 1, isBeforeWord || next == groupEnd && isMark(bytes, next),
      !isDoubtfulDigit(bytes, start, groupEnd)
    else { return nil }
    let isInPairs = isInPairs && lastGroup == 2 && leadingGroups == 0
    return isInPairs && (firstDigit == UInt8(ascii: "0") || isInternational) ? .essential : .remark
  }

  /// Whether a single digit before a word may be the number's last one, since the word is not one for times, and the digits
  /// before it are not in pairs: `0211 876543 2 Bank`. It stays in the number, which is then a reject of `normalize`.
  private func isDoubtfulDigit(_ bytes: Span<UInt8>, _ start: Int, _ groupEnd: Int) -> Bool {
    guard groupEnd - start == 1, lastGroup > 1, !isMainLine, groupEnd < end, bytes[groupEnd] == 0x20 else {
      return false
    }
    let next = bytes.skippingSpace(from: groupEnd, to: end)
    let isInPairs = isInPairs && lastGroup == 2 && leadingGroups == 0
    return next < end && isLetter(bytes, next) && !beginsMask(bytes, next) && !isMarker(bytes, next)
      && !(isInPairs && (firstDigit == UInt8(ascii: "0") || isInternational))
      && !isCounted(bytes, groupEnd, 1)
  }

  /// Whether the letters after a group may be the digits that a North American number lacks: `1 800 555 4YOU`.
  private func mayBeVanity(_ bytes: Span<UInt8>, _ index: Int, _ size: Int) -> Bool {
    let letters = wordEnd(bytes, index) - index
    return letters > 2 && 10...11 ~= digits + size + letters && firstDigit != UInt8(ascii: "0")
  }

  /// Whether a sign that is not used in numbers follows a digit directly: `3★`, `1&1`, a footnote's `1)`.
  private func isMark(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
    if bytes[index] < 0x80 { return "+&)".utf8.contains(bytes[index]) }
    return NumberText.scalar(bytes, at: index, end: end).map {
      $0.0.properties.generalCategory == .otherSymbol && Wildcard.ascii($0.0) != UInt8(ascii: "#")
    } ?? false
  }

  /// Whether a word for times or hours begins at the index, after a group of a few digits.
  private func isCounted(_ bytes: Span<UInt8>, _ index: Int, _ size: Int) -> Bool {
    let next = bytes.skippingSpace(from: index, to: end)
    guard next < end, 1...3 ~= size, isLetter(bytes, next) else { return false }
    let word = bytes.extracting(next..<wordEnd(bytes, next))
    return Self.countedWords.contains(word)
  }

  /// Whether a plus sign or the sign of a currency or of multiplication begins at the index, and no digits follow it.
  private func isUnit(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
    guard let (scalar, length) = NumberText.scalar(bytes, at: index, end: end),
      scalar == "\u{D7}" || scalar == "+" || scalar.properties.generalCategory == .currencySymbol
    else { return false }
    let next = bytes.skippingSpace(from: index + length, to: end)
    return next == end || digit(bytes, next) == nil
  }

  private static let countedWords = WordList([
    "REPORT", "REPORTS", "COMPLAINT", "COMPLAINTS", "COMMENT", "COMMENTS", "VOTE", "VOTES", "STARS", "USERS",
    "MELDUNG", "MELDUNGEN", "BESCHWERDEN", "KOMMENTARE", "BEWERTUNGEN", "STIMMEN", "STERNE", "ANRUF",
    "SIGNALEMENT", "SIGNALEMENTS", "PLAINTES", "COMMENTAIRES", "AVIS", "APPEL", "QUEJAS", "DENUNCIAS",
    "COMENTARIOS", "RECLAMOS", "REPORTES", "LLAMADA", "DENúNCIAS", "RECLAMAçõES", "COMENTáRIOS", "CHAMADA",
    "VEZ", "SEGNALAZIONI", "COMMENTI", "VOLTA", "CHIAMATA", "KLACHTEN", "MELDINGEN", "REACTIES",
    "ANMäLNINGAR",
    "KOMMENTARER", "SAMTAL", "OPKALD", "ZGłOSZENIA", "ZGłOSZEń", "SKARGI", "OPINIE", "OPINII", "KOMENTARZE",
    "TELEFONY", "POłąCZENIA", "STížNOSTI", "KOMENTářE", "şIKAYET", "YORUM", "ARAMA", "жалоба", "жалобы",
    "жалоб", "отзыв", "отзыва", "отзывов", "звонка", "звонков", "скарги", "скарг", "投诉", "举报", "评论", "投訴",
    "件",
    "コメント", "通報", "신고", "댓글", "MAL", "TIMES", "CALLS", "CALL", "ANRUFE", "FOIS", "APPELS", "VECES",
    "LLAMADAS", "VEZES", "CHAMADAS", "VOLTE",
    "CHIAMATE", "KEER", "GANGER", "GåNGER", "GGR", "GANGE", "KERTAA", "RAZ", "RAZY", "KROTNIE", "KRAT",
    "ALKALOMMAL", "ORI", "KEZ", "KERE", "DEFA", "KALI", "LầN", "раз", "раза", "разів", "φορές", "مرات", "مرة",
    "बार", "ครั้ง", "次", "回", "번", "건", "件", "通", "H", "HRS", "EURO", "EUR", "Zł", "PLN", "Kč", "KR", "LEI",
    "TL", "USD", "GBP", "руб", "грн", "元", "円", "CT", "CENT", "CENTS", "CHF", "MIN",
    "HOUR", "HOURS", "STUNDEN", "HEURES",
    "HORAS", "ORE", "UUR", "TIMMAR", "TIMER", "GODZIN", "HODIN", "SAAT", "JAM", "часа", "часов", "години",
    "ώρες", "小时", "時間", "시간",
  ])

  /// Whether a group continues a number in groups of the same size: `0176 12 34 56 78`.
  private func isPair(_ token: Span<UInt8>) -> Bool { token.count == lastGroup }

  /// Whether a short token after a complete number is a count: `3x`, `24/7`, `3 Anrufe`. It certainly does not belong to the
  /// number after a whole local number; otherwise a sign may follow the number's last group (`0171 12 34 567!`).
  private func isRemark(_ token: Span<UInt8>, _ bytes: Span<UInt8>, _ tokenEnd: Int) -> Bool {
    let contents = NumberText.contents(token, from: 0, to: token.count)
    guard contents.digits <= 4 else { return false }
    let next = bytes.skippingSpace(from: tokenEnd, to: end)
    let isBeforeWord =
      next < end && isLetter(bytes, next) && !beginsMask(bytes, next) && !isMarker(bytes, next)
    if contents.letters > 0 {
      // A mask has several wildcards, or belongs to fewer digits.
      let wildcards = token.indices.count { token[$0] | 0x20 == UInt8(ascii: "x") }
      return wildcards < contents.letters || isBeforeWord || wildcards == 1
    }
    if isBeforeWord { return true }
    // `5+`, a footnote's `1)`, `3★`.
    let isMarked =
      contents.hasOther || token[token.count - 1] == UInt8(ascii: "+")
      || tokenEnd < end && bytes[tokenEnd] == UInt8(ascii: ")")
    return isWholeLine && isMarked && !token.indices.contains { "#*?%_(".utf8.contains(token[$0]) }
  }

  /// Brackets of other scripts, each with the closing one.
  private static let wideBrackets: [(opening: StaticString, closing: StaticString)] = [
    ("\u{FF08}", "\u{FF09}"), ("\u{3010}", "\u{3011}"), ("\u{FF3B}", "\u{FF3D}"), ("\u{3014}", "\u{3015}"),
    ("\u{300C}", "\u{300D}"), ("\u{3008}", "\u{3009}"),
  ]

  /// What a bracket after the number begins; nil if it is a part of the number.
  private func afterBracket(_ bytes: Span<UInt8>, _ index: Int, closing: StaticString) -> NumberEnd? {
    guard hasEnough else { return nil }
    let first = index + (bytes[index] < 0x80 ? 1 : 3)
    let close = bytes.extracting(0..<end).firstIndex(of: closing, from: first) ?? end
    if isAreaCode(bytes, first, close) { return finish(bytes, at: index, next: index, .essential) }
    if mayBeExtension(bytes, bracket: index, first, close) { return nil }
    // `01 62 00 12 66 (ou 67)`
    if first < close, isLetter(bytes, first) {
      let wordEnd = wordEnd(bytes, first)
      let found = afterWord(bytes, index, bytes.extracting(first..<wordEnd), wordEnd)
      if let found, found.next > index, found.follower != .number { return found }
    }
    return isRemark(bytes, bracket: index, first, close, closing.utf8CodeUnitCount)
      ? finish(bytes, at: index, next: index, .remark) : nil
  }

  /// Whether the digits in a bracket after a local number may be its area code: `123-45-67 (495)`, `1234567 (030)`.
  private func isAreaCode(_ bytes: Span<UInt8>, _ first: Int, _ close: Int) -> Bool {
    guard first < close, bytes.skippingDigits(from: first, to: close) == close, 3...5 ~= close - first,
      firstDigit != UInt8(ascii: "0"), !isInternational, bytes[start] != UInt8(ascii: "(")
    else { return false }
    return digits <= NumberEnd.digitsMin
      || digits < NumberEnd.certainDigitsMin && bytes[first] == UInt8(ascii: "0")
  }

  /// Whether the digits in a bracket may be the number's last ones, which its numbering plan decides: `030 12345 (67)`,
  /// `030 12345-(67-69)`, `030 12345 [0]`; but not a count, `030 12345 (3)`.
  private func mayBeExtension(_ bytes: Span<UInt8>, bracket: Int, _ first: Int, _ close: Int) -> Bool {
    guard !isComplete, !isWholeLine, firstDigit == UInt8(ascii: "0") || isInternational,
      bytes[bracket] == UInt8(ascii: "(") || bytes[bracket] == UInt8(ascii: "["), first < close,
      (first..<close).allSatisfy({ bytes[$0] &- 0x30 < 10 || " -/".utf8.contains(bytes[$0]) })
    else { return false }
    return close - first > 1 || bytes[first] == UInt8(ascii: "0") || !bytes[bracket - 1].isASCIISpace
  }

  /// Whether a bracket is a remark and not a part of the number: `(0)`, `[2-9]XX`, `{4}`.
  private func isRemark(
    _ bytes: Span<UInt8>, bracket: Int, _ first: Int, _ close: Int, _ closingBytes: Int
  ) -> Bool {
    let byte = bytes[bracket]
    if byte == UInt8(ascii: "<") { return true }
    let isAfterSpace = bytes[bracket - 1].isASCIISpace
    // A class of one digit is none.
    let isCount = bytes.skippingDigits(from: first, to: close) == first + 1 && close == first + 1
    if byte < 0x80, byte != UInt8(ascii: "("), !isAfterSpace, !isCount || close + 1 < end { return false }
    let wildcards = (first..<close).count { Wildcard.isWildcard(bytes[$0]) }
    let contents = NumberText.contents(bytes, from: first, to: close)
    if contents.letters == wildcards, wildcards > 0, contents.digits == 0 { return false }
    var next = close + closingBytes
    while next < end, bytes[next].isASCIISpace || bytes[next] == UInt8(ascii: "-") { next += 1 }
    // Digits in brackets before others are a part of the number.
    let isInside = next < end && (digit(bytes, next) != nil || beginsMask(bytes, next))
    return contents.letters > wildcards || !isInside
  }

  private func afterSlash(_ bytes: Span<UInt8>, _ index: Int) -> NumberEnd? {
    let next = bytes.skippingSpace(from: index + 1, to: end)
    guard hasEnough, next < end else { return nil }
    if isTimes(bytes, next) { return finish(bytes, at: index, next: next, .remark) }
    // An area code may have as many digits with a calling code, but no number after one begins with another.
    let groupEnd = bytes.skippingDigits(from: next, to: end)
    let areLong = isAfterLongGroup && groupEnd - next >= NumberEnd.digitsMin
    if isNumber(bytes, at: next),
      isComplete || areLong || "+0(".utf8.contains(bytes[next]) || isAlike(bytes, next)
    {
      return finish(bytes, at: index, next: next, kind(bytes, at: next))
    }
    let isSuffix = groupEnd > next && groupEnd - next < lastGroup && lastGroup >= 4 && isComplete
    return isSuffix || isEnding(bytes, afterSlash: index)
      ? finish(bytes, at: index, next: next, .digits) : nil
  }

  /// Whether what follows a slash are the last digits of other numbers: `030 12345-42/43`, `06 1234567/8/9`, `/-20`; but
  /// not the last group of a number with slashes between all of its groups.
  private func isEnding(_ bytes: Span<UInt8>, afterSlash index: Int) -> Bool {
    let isInSlashes = index > start + lastGroup && bytes[index - lastGroup - 1] == bytes[index]
    let localDigits = digits - (isInternational ? 2 : 0)
    guard isComplete && !isInSlashes || lastGroup >= 4 && localDigits > NumberEnd.digitsMin else {
      return false
    }
    return isEnding(bytes, bytes.skippingSpace(from: index + 1, to: end))
  }

  /// Whether nothing but a few digits follow, which may be the last ones of other numbers.
  private func isEnding(_ bytes: Span<UInt8>, _ index: Int) -> Bool { endings(bytes, index)?.next == end }

  /// The size of the last of a few groups of digits, which may be the last ones of other numbers, and the index after them
  /// and the blanks; nil if there are none.
  private func endings(_ bytes: Span<UInt8>, _ index: Int) -> (size: Int, next: Int)? {
    var at = index
    while at < end {
      let first = bytes[at] == UInt8(ascii: "-") ? at + 1 : at
      let last = bytes.skippingDigits(from: first, to: end)
      guard 1...NumberEnd.endingDigitsMax ~= last - first else { return nil }
      at = bytes.skippingSpace(from: last, to: end)
      guard at < end, "/,".utf8.contains(bytes[at]) else { return (last - first, at) }
      at = bytes.skippingSpace(from: at + 1, to: end)
    }
    return nil
  }

  /// Whether a few digits after a word or a comma may be the last ones of other numbers: at the end, or several before a
  /// word; after a word for ranges, two digits before a word may be hours.
  private func areEndings(_ bytes: Span<UInt8>, _ index: Int, isRange: Bool) -> Bool {
    guard let (size, next) = endings(bytes, index) else { return false }
    if next == end || bytes[next] == UInt8(ascii: ")") { return true }
    return size > 1 && bytes[next - 1].isASCIISpace && !(isRange && size == 2 && isLetter(bytes, next))
  }

  /// The last digits of another number after a dash between blanks, `030 1234519 – 22`; nil if there are none.
  /// Two numbers that are written alike may be a range.
  private func afterDash(_ bytes: Span<UInt8>, _ index: Int, _ dash: Int) -> NumberEnd? {
    guard hasEnough, dash < end else { return nil }
    let isWide =
      bytes.startsIgnoringCase("\u{2013}", at: dash) || bytes.startsIgnoringCase("\u{2014}", at: dash)
    guard isWide || bytes[dash] == UInt8(ascii: "-") else { return nil }
    let first = dash + (isWide ? 3 : 1)
    let next = bytes.skippingSpace(from: first, to: end)
    guard next > first else { return nil }
    if isAlike(bytes, next) || isRange(bytes, next) {
      return finish(bytes, at: index, next: next, .essential)
    }
    guard isComplete || isAfterLongGroup, isEnding(bytes, next) else { return nil }
    return finish(bytes, at: index, next: next, .digits)
  }

  /// Whether a number with as many digits as this one follows, so that both have more than one number can have.
  private func isAlike(_ bytes: Span<UInt8>, _ next: Int) -> Bool {
    digits >= NumberEnd.bareDigitsMin && digitCount(bytes, at: next) == digits
  }

  /// Whether a number that is written as the first one follows a dash: the last one of a range.
  private func isRange(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
    let isWhole = isComplete || lastGroup >= NumberEnd.digitsMin
    return isWhole && index < end && digitCount(bytes, at: index) == digits
      && kind(bytes, at: index) == .number
  }

  /// Whether a count with an X follows and nothing else: `2x`.
  private func isTimes(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
    let mark = bytes.skippingDigits(from: start, to: end)
    guard 1...2 ~= mark - start, mark < end, bytes[mark] | 0x20 == UInt8(ascii: "x") else { return false }
    return mark + 1 == end || bytes[mark + 1].isASCIISpace
  }

  private func afterSeparator(_ bytes: Span<UInt8>, _ index: Int, next first: Int) -> NumberEnd? {
    guard hasEnough else { return ",;|".utf8.contains(bytes[index]) ? NumberEnd(end: end, next: end) : nil }
    var next = first
    if bytes[index] == UInt8(ascii: "+"), index + 1 < end, bytes[index + 1] &- 0x30 < 10 {
      // After another sign, it is a part of an expression: `441632960.+5`.
      guard bytes[index - 1].isASCIISpace || bytes[index - 1] &- 0x30 < 10 else { return nil }
      let follower: NumberEnd.Follower =
        isNumber(bytes, at: index) ? .number : isPartAfterPlus(bytes, index) ? .digits : .remark
      return finish(bytes, at: index, next: index, follower)
    }
    if bytes.startsIgnoringCase("&AMP;", at: index) { next = index + 5 }
    while next < end, isSign(bytes[next]), bytes[next] != UInt8(ascii: "+") { next += 1 }
    guard next < end else {
      // A bar can't end a number.
      if bytes[index] == UInt8(ascii: "|") { return finish(bytes, at: index, next: end, .remark) }
      return NumberEnd(end: end, next: end)
    }
    // The parameters of a URI.
    if bytes[index] == UInt8(ascii: ";"), isLetter(bytes, next) {
      var name = next
      while name < end, isLetter(bytes, name) || bytes[name] == UInt8(ascii: "-") { name += 1 }
      if name < end, bytes[name] == UInt8(ascii: "=") { return NumberEnd(end: end, next: end) }
    }
    if isNumber(bytes, at: next) { return finish(bytes, at: index, next: next, kind(bytes, at: next)) }
    // The alternatives of an expression.
    if bytes[index] == UInt8(ascii: "|"), digit(bytes, next) != nil { return NumberEnd(end: end, next: end) }
    let isJoined = bytes[index] == UInt8(ascii: "&") || bytes[index] == UInt8(ascii: "+")
    // `495 123-45-14, 15`, `030 1234501, 02`; but not a count: `13800138000, 15`.
    let mayBeDigits =
      bytes[next] == UInt8(ascii: "0")
      || isGrouped && lastGroup > 1 && bytes.skippingDigits(from: next, to: end) - next == lastGroup
    return finish(
      bytes, at: index, next: next,
      isPartAfterPlus(bytes, next) || isJoined && isEnding(bytes, next)
        || mayBeDigits && areEndings(bytes, next, isRange: false)
        ? .digits : .remark)
  }

  /// Whether more digits than those of a count follow a plus sign: a number that is too short, or a part of one.
  private func isPartAfterPlus(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
    bytes[index] == UInt8(ascii: "+") && digitCount(bytes, at: index) > Self.countDigitsMax
  }
  private static let countDigitsMax = 3

  private func isNumber(_ bytes: Span<UInt8>, at index: Int) -> Bool {
    digitCount(bytes, at: index) >= NumberEnd.digitsMin
  }

  /// The number of digits of the number that begins at `index`; 0 for a date and for anything else.
  private func digitCount(_ bytes: Span<UInt8>, at index: Int) -> Int {
    guard index < end, DateText.end(bytes, from: index, to: end) == nil else { return 0 }
    var at = NumberText.body(bytes, from: index, to: end).lowerBound
    var digits = 0
    guard at < end,
      bytes[at] == UInt8(ascii: "+") || bytes[at] == UInt8(ascii: "(") || digit(bytes, at) != nil
    else { return 0 }
    var group = 0
    while at < end {
      if let length = digit(bytes, at) {
        digits += 1
        group += 1
        at += length
        continue
      }
      // Another number follows a blank or a slash.
      let next = bytes.skippingSpace(from: bytes[at] == UInt8(ascii: "/") ? at + 1 : at, to: end)
      if group >= NumberEnd.digitsMin, next > at,
        bytes.skippingDigits(from: next, to: end) - next >= NumberEnd.digitsMin
      {
        break
      }
      group = 0
      if " -.()/+".utf8.contains(bytes[at]), bytes[at] != UInt8(ascii: "+") || digits == 0 {
        at += 1
      } else {
        break
      }
    }
    return digits
  }

  /// Whether the digits at `index`, of which there are enough, are certainly another number: one that is written like the
  /// first one, or with a sign that other digits don't have.
  private func kind(_ bytes: Span<UInt8>, at index: Int) -> NumberEnd.Follower {
    let first = bytes[NumberText.body(bytes, from: index, to: end).lowerBound]
    let isMarked = "+(0".utf8.contains(first)
    let isFirstMarked =
      isInternational || firstDigit == UInt8(ascii: "0") || bytes[start] == UInt8(ascii: "(")
    if first == UInt8(ascii: "+") || isMarked && isFirstMarked { return .number }
    return isMarked == isFirstMarked && digitCount(bytes, at: index) == digits ? .number : .digits
  }

  // MARK: Words

  private func isLetter(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
    if bytes[index] < 0x80 { return (bytes[index] | 0x20) &- 0x61 < 26 }
    return NumberText.scalar(bytes, at: index, end: end).map { NumberText.isLetter($0.0) } ?? false
  }

  private func wordEnd(_ bytes: Span<UInt8>, _ index: Int) -> Int {
    var at = index
    while at < end, isLetter(bytes, at) { at += NumberText.scalar(bytes, at: at, end: end)?.length ?? 1 }
    return at
  }

  /// What follows the number at a letter or another sign; nil if it is a part of the number.
  private mutating func word(_ bytes: Span<UInt8>, _ index: inout Int) -> NumberEnd? {
    let isDash = bytes.startsIgnoringCase("\u{30FC}", at: index)
    guard isLetter(bytes, index), !isDash || index + 3 == end || digit(bytes, index + 3) == nil else {
      if let bracket = Self.wideBrackets.first(where: { bytes.startsIgnoringCase($0.opening, at: index) }),
        let found = afterBracket(bytes, index, closing: bracket.closing)
      {
        return found
      }
      if let length = NumberText.separatorLength(bytes, at: index), hasEnough {
        return afterSeparator(bytes, index, next: index + length)
      }
      // Spaces, dashes and wildcards of other scripts.
      index += (NumberText.scalar(bytes, at: index, end: end)?.length ?? 1) - 1
      return nil
    }
    if let exponentEnd = exponentEnd(bytes, index) {
      index = exponentEnd - 1
      return nil
    }
    let wordEnd = joinedWordEnd(bytes, index) ?? wordEnd(bytes, index)
    let word = bytes.extracting(index..<wordEnd)
    if beginsMask(bytes, index) {
      index = wordEnd - 1
      return nil
    }
    if let extensionEnd = extensionEnd(bytes, index, wordEnd) {
      if hasExtension { return finish(bytes, at: index, next: index, .remark) }
      hasExtension = true
      index = extensionEnd - 1
      return nil
    }
    if hasEnough, let found = afterWord(bytes, index, word, wordEnd) { return found }
    if let vanityEnd = vanityEnd(bytes, index) {
      digits += (index..<vanityEnd).count { isLetter(bytes, $0) }
      hasVanity = true
      index = vanityEnd - 1
      return nil
    }
    let isAfterSpace = index > start && bytes[index - 1] == 0x20
    guard hasEnough || isAfterSpace && NumberEnd.isShort(digits) && digits < NumberEnd.digitsMin else {
      index = wordEnd - 1
      return nil
    }
    // A last X is a mask of another program, or nothing.
    if wordEnd == end, word.count == 1, word[0] | 0x20 == UInt8(ascii: "x") { return nil }
    return finish(bytes, at: index, next: index, .remark)
  }

  /// The end of a word for ranges that has a slash or an apostrophe in it, or is two words; nil if none begins here.
  private func joinedWordEnd(_ bytes: Span<UInt8>, _ index: Int) -> Int? {
    guard "tTjJbBuUfFhHaA".utf8.contains(bytes[index]) else { return nil }
    let word = Self.joinedRangeWords.first { bytes.extracting(0..<end).startsIgnoringCase($0, at: index) }
    guard let word, index + word.utf8CodeUnitCount < end else { return nil }
    return isLetter(bytes, index + word.utf8CodeUnitCount) ? nil : index + word.utf8CodeUnitCount
  }

  private static let joinedRangeWords: [StaticString] = [
    "T/M", "JUSQU'à", "JUSQU'AU", "JUSQU\u{2019}à", "JUSQU\u{2019}AU", "BIS ZU", "BIS ZUR", "UP TO", "FINO A",
    "FINO AL", "HASTA EL", "Aż DO",
  ]

  /// The number after a word, or the last digits of another one; nil if the word is followed by something else.
  private func afterWord(
    _ bytes: Span<UInt8>, _ index: Int, _ word: Span<UInt8>, _ wordEnd: Int
  ) -> NumberEnd? {
    let isRange =
      Self.rangeWords.contains(word)
      || Self.joinedRangeWords.contains { word.equalsIgnoringCase($0) }
    let isJoined = Self.joiningWords.contains(word)
    // An abbreviation has a point: `u. 24`.
    let point = isJoined && wordEnd < end && bytes[wordEnd] == UInt8(ascii: ".") ? 1 : 0
    let next = bytes.skippingSpace(from: wordEnd + point, to: end)
    // Chinese and Japanese need no blank.
    guard next < end, next > wordEnd || word[0] >= 0xE3 && (isRange || isJoined) else { return nil }
    if isNumber(bytes, at: next) {
      return finish(
        bytes, at: index, next: isRange || isJoined ? next : index,
        isRange ? .essential : isJoined ? kind(bytes, at: next) : .digits)
    }
    // `030 1234567 Fax 79`
    if !isRange, !isJoined, let (size, last) = endings(bytes, next), size > 1, last == end,
      CommonFieldNames.namesNumber(TableField(start: wordEnd - word.count, end: wordEnd).text(bytes))
    {
      return finish(bytes, at: index, next: next, .digits)
    }
    guard isRange || isJoined, areEndings(bytes, next, isRange: isRange) else { return nil }
    return finish(bytes, at: index, next: next, isRange ? .essential : .digits)
  }

  /// The index after the exponent of a spreadsheet's number, `4.93012E+10`, whose mark is at `index`; nil if it is none.
  private func exponentEnd(_ bytes: Span<UInt8>, _ index: Int) -> Int? {
    guard bytes[index] | 0x20 == UInt8(ascii: "e"), bytes[index - 1] &- 0x30 < 10 else { return nil }
    var first = index + 1
    if first < end, bytes[first] == UInt8(ascii: "+") || bytes[first] == UInt8(ascii: "-") { first += 1 }
    let last = bytes.skippingDigits(from: first, to: end)
    return first < last && last - first <= SpreadsheetNumber.exponentDigitsMax ? last : nil
  }

  static func mayContinue(after word: Span<UInt8>) -> Bool {
    rangeWords.contains(word) || joiningWords.contains(word) || markers.contains(word)
  }

  /// Words between two numbers. Other words may lead to a number of somebody else.
  private static let joiningWords = WordList([
    "OR", "AND", "ODER", "UND", "BZW", "SOWIE", "OU", "ET", "Y", "O", "U", "E", "OF", "EN", "OG", "OCH",
    "ELLER", "JA",
    "SAMT", "TAI", "SEKä", "PUIS", "ó", "LUB", "I", "ORAZ", "NEBO", "ALEBO", "ALI", "ILI", "VE", "VEYA",
    "șI", "SAU", "éS", "VAGY", "DAN", "ATAU", "Và", "HOặC", "и", "или", "та", "або", "και", "ή",
    "و", "او", "או", "أو", "یا", "और", "या", "และ", "หรือ", "和", "或", "及", "と", "または", "및", "또는", "와",
  ])

  private static let rangeWords = WordList([
    "TO", "TILL", "UNTIL", "THRU", "THROUGH", "BIS", "HASTA", "AL", "A", "AU", "à", "FINO", "ATé", "TOT",
    "DO", "TIL", "SAMPAI", "HINGGA", "PâNă", "đếN", "TớI", "έως", "по", "до", "עד", "إلى", "الى", "تا",
    "ถึง", "至", "到", "から",
  ])

  /// The index after the digits of an extension whose mark is the word; nil if it is not one that `normalize` reads.
  private func extensionEnd(_ bytes: Span<UInt8>, _ index: Int, _ wordEnd: Int) -> Int? {
    guard NumberEnd.isShort(digits), isMarker(bytes, index) else { return nil }
    var at = wordEnd
    while at < end, ".: -".utf8.contains(bytes[at]) { at += 1 }
    let digitsEnd = bytes.skippingDigits(from: at, to: end)
    return digitsEnd > at ? digitsEnd : nil
  }

  private func isMarker(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
    let word = bytes.extracting(index..<wordEnd(bytes, index))
    return Self.markers.contains(word)
  }

  /// The words before extensions that `normalize` reads.
  private static let markers = WordList([
    "X", "EXT", "EXTN", "XT", "XTN", "EXTENSION", "ANEXO", "INT", "доб",
  ])

  /// Whether a word consists of the Cyrillic letter that looks like an X, at least twice: `ХХХ-ХХ-ХХ`.
  private func beginsKhas(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
    var at = index
    while at + 1 < end,
      bytes[at] == 0xD0 && bytes[at + 1] == 0xA5 || bytes[at] == 0xD1 && bytes[at + 1] == 0x85
    {
      at += 2
    }
    return at > index + 2 && (at == end || !isLetter(bytes, at))
  }

  /// Whether a word consists of wildcards: `XXXX`, `NXX`; a single X is one before another, or between digits.
  private func beginsMask(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
    var at = index
    while at < end, "xXnN".utf8.contains(bytes[at]) { at += 1 }
    if at == index { return beginsKhas(bytes, index) }
    guard at == end || !isLetter(bytes, at) else { return false }
    if at - index > 1 { return true }
    guard bytes[index] | 0x20 == UInt8(ascii: "x") else { return false }
    let next = bytes.skippingSpace(from: at, to: end)
    let isBeforeX = next < end && next > at && bytes[next] | 0x20 == UInt8(ascii: "x")
    let isAfterX =
      index >= start + 2 && bytes[index - 2] | 0x20 == UInt8(ascii: "x") && bytes[index - 1] == 0x20
    let isAfterDigit =
      index > start && bytes[index - 1] &- 0x30 < 10 && (at == end || bytes[at] &- 0x30 >= 10)
    return isBeforeX
      && (next + 1 == end || !isLetter(bytes, next + 1) || bytes[next + 1] | 0x20 == UInt8(ascii: "x"))
      || isAfterX || isAfterDigit
  }

  /// The end of letters that are digits of the number: as many as a North American number lacks, or after a code for free
  /// calls.
  private func vanityEnd(_ bytes: Span<UInt8>, _ index: Int) -> Int? {
    var last = index
    var letters = 0
    while last < end, bytes[last] < 0x80,
      isLetter(bytes, last)
        || letters > 0 && last + 1 < end && "-.".utf8.contains(bytes[last]) && isLetter(bytes, last + 1)
    {
      if isLetter(bytes, last) { letters += 1 }
      last += 1
    }
    guard letters > 0 else { return nil }
    let isAttached = index > start && !bytes[index - 1].isASCIISpace
    let isUpper = (index..<last).allSatisfy { bytes[$0] &- 0x61 >= 26 }
    let total = digits + letters
    if firstDigit == UInt8(ascii: "1"), digits < 11, total == 11 {
      return isUpper || isAttached || digits == 4 ? last : nil
    }
    if digits == 3 || digits == 6 || hasVanity, total == 10, firstDigit >= UInt8(ascii: "2") {
      return isUpper || isAttached ? last : nil
    }
    return digits < NumberEnd.digitsMin && (isAttached || isUpper && Self.isFree(bytes, start, index))
      ? last : nil
  }

  /// Whether the digits before `index` are a code for free or premium calls.
  private static func isFree(_ bytes: Span<UInt8>, _ start: Int, _ index: Int) -> Bool {
    var code: [UInt8] = []
    for at in start..<index where bytes[at] &- 0x30 < 10 { code.append(bytes[at]) }
    return ["800", "0800", "0808", "00800", "0900", "0300", "1300", "1800", "1900", "01800"].contains {
      code.starts(with: $0.utf8)
    }
  }
}

/// The numbers of a field, without what follows them.
struct NumberEntry {
  private(set) var numbers: [Range<Int>] = []
  /// Why something in the field is left out; nil if nothing but a remark is.
  private(set) var rejectReason: ParseReject?
  /// The text after the last number, if it is only a remark.
  private(set) var remark: Range<Int>?

  /// Whether a field is not one number as it is written.
  static func isNeeded(_ text: Span<UInt8>) -> Bool {
    guard NumberEnd.isPossible(text) else { return false }
    if let grouped = GroupedNumber(text, from: 0, to: text.count), grouped.end == text.count { return false }
    do throws(ParseReject) { return try NumberEntry(text) != nil } catch { return true }
  }

  /// Examines the text of a field; nil if it is one number as it is written, which may be none.
  ///
  /// - Complexity: O(bytes) for each number.
  init?(_ text: Span<UInt8>, ignoresVerdicts: Bool = false) throws(ParseReject) {
    guard NumberEnd.isPossible(text) else { return nil }
    var start = 0
    if let uri = SIPAddress(text, from: 0, to: text.count) {
      numbers = [uri.number]
      if uri.other(text, to: text.count) != nil { rejectReason = .severalNumbers }
      return
    }
    if CommentMark.begins(text, at: 0) || text.startsIgnoringCase("# ", at: 0) { throw .commentedOut }
    if let link = MarkdownLink(text, from: 0, to: text.count) {
      numbers = [link.number]
      if NumberEnd.otherNumber(text, from: link.end, to: text.count, after: link.number) != nil {
        rejectReason = .severalNumbers
      }
      return
    }
    let first = text[0] == UInt8(ascii: "<") ? 1 : ListMarker.end(text, from: 0, to: text.count)
    if EntryText.isOther(text, from: first, to: text.count) { throw .unexpectedText }
    switch DateText.beginning(text, from: first, to: text.count) {
    case .noDate:
      start = try EntryText.numberStart(
        text, from: first, to: text.count, ignoresVerdicts: ignoresVerdicts)
    case .date: throw .date
    case .number(let index): start = index
    }
    if start > first, !ignoresVerdicts, CommonFieldNames.labelsAllowed(text.extracting(first..<start)) {
      throw .notBlocked
    }
    while start < text.count {
      let found = NumberEnd.find(text, from: start, to: text.count)
      numbers.append(start..<found.end)
      switch found.follower {
      case .number: start = found.next
      case .essential: throw .severalNumbers
      case .digits:
        rejectReason = .severalNumbers
        start = text.count
      case .remark:
        let remarkText = text.extracting(found.end...)
        if !ignoresVerdicts,
          CommonFieldNames.namesUnblocked(remarkText) || CommonFieldNames.labelsAllowed(remarkText)
        {
          throw .notBlocked
        }
        rejectReason = try Self.rejectReason(text, found, start) ?? rejectReason
        if rejectReason == nil { remark = found.next..<text.count }
        start = text.count
      case .nothing: start = text.count
      }
    }
    if numbers == [0..<text.count] { return nil }
  }

  /// Why what follows a number is not only a remark; nil if it is. Throws if the number is none then.
  private static func rejectReason(
    _ text: Span<UInt8>, _ found: NumberEnd, _ start: Int
  ) throws(ParseReject) -> ParseReject? {
    // The sign is in the place of a digit: remarks do not begin with a digit after one of them.
    if ">\"".utf8.contains(text[found.end]), found.end + 1 < text.count, text[found.end + 1] &- 0x30 < 10 {
      throw .unexpectedText
    }
    let number = NumberText.contents(text, from: start, to: found.end)
    let rest = NumberText.contents(text, from: found.next, to: text.count)
    let isMarked = !(0x31...0x39).contains(text[start])
    // A postal code and a town.
    if !isMarked, 4...6 ~= number.digits, number.letters == 0, rest.letters > 0,
      text[found.next] &- 0x30 >= 10,
      !CommonFieldNames.namesService(TableField(start: found.next, end: text.count).text(text))
    {
      throw .unexpectedText
    }
    if NumberEnd.otherNumber(text, from: found.next, to: text.count, after: start..<found.end) != nil {
      return .severalNumbers
    }
    guard found.end < found.next, ",;".utf8.contains(text[found.end]), rest.letters == 0,
      rest.isNumber(digitsMin: 1), text[found.next] &- 0x30 < 10,
      // A pause.
      text[found.end + 1] == 0x20
        || text[start] != UInt8(ascii: "+") && text[found.end + 1] != UInt8(ascii: ","),
      DateText.end(text, from: found.next, to: text.count) == nil
    else { return nil }
    let isPlain = (start..<found.end).allSatisfy { text[$0] &- 0x30 < 10 || text[$0] == UInt8(ascii: ".") }
    if !isMarked, isPlain, found.next == found.end + 1, rest.digits <= 2 { throw .notWhole }
    return .severalNumbers
  }
}

/// The number in an address of internet telephony: `sip:+12125550199@example.com`, `"Spam" <sip:…>;tag=1`.
struct SIPAddress {
  let number: Range<Int>
  /// The name before the address, without quotes.
  let name: Range<Int>

  init?(_ bytes: Span<UInt8>, from start: Int, to end: Int) {
    var scheme = start
    var length = 0
    while scheme < end {
      length =
        bytes[scheme] | 0x20 != UInt8(ascii: "s")
        ? 0
        : bytes.startsIgnoringCase("SIP:", at: scheme)
          ? 4 : bytes.startsIgnoringCase("SIPS:", at: scheme) ? 5 : 0
      if length > 0 { break }
      scheme += 1
    }
    guard length > 0, scheme + length < end, Self.isBoundary(bytes, scheme, start) else { return nil }
    // A name may be before the address, but no number.
    guard NumberText.contents(bytes, from: start, to: scheme).digits < NumberEnd.digitsMin else { return nil }
    let first = scheme + length
    var last = first
    while last < end, !"@;>?:".utf8.contains(bytes[last]) { last += 1 }
    let contents = NumberText.contents(bytes, from: first, to: last)
    // Without a user, digits are an address.
    let hasUser = last < end && bytes[last] == UInt8(ascii: "@") || bytes[first] == UInt8(ascii: "+")
    guard hasUser, contents.isNumber(digitsMin: 3) else { return nil }
    number = first..<last
    var nameEnd = scheme
    while nameEnd > start, bytes[nameEnd - 1].isASCIISpace || "<\"".utf8.contains(bytes[nameEnd - 1]) {
      nameEnd -= 1
    }
    var nameStart = start
    while nameStart < nameEnd, bytes[nameStart].isASCIISpace || bytes[nameStart] == UInt8(ascii: "\"") {
      nameStart += 1
    }
    name = nameStart..<nameEnd
  }

  /// The index of another number or address after this one; nil if there is none.
  func other(_ bytes: Span<UInt8>, to end: Int) -> Int? {
    var next = number.upperBound
    while next < end, !bytes[next].isASCIISpace, bytes[next] != UInt8(ascii: ",") { next += 1 }
    if let other = NumberEnd.otherNumber(bytes, from: next, to: end, after: number) { return other }
    return SIPAddress(bytes, from: next, to: end)?.number.lowerBound
  }

  private static func isBoundary(_ bytes: Span<UInt8>, _ index: Int, _ start: Int) -> Bool {
    index == start || bytes[index - 1].isASCIISpace || "<\"',;".utf8.contains(bytes[index - 1])
  }
}

/// The signs of comments in lists, programming languages and markup.
enum CommentMark {
  /// Signs at the start of a line.
  private static let ofLines: [StaticString] = ["//", "--", "::", "!", "% ", "' ", "REM "]
  private static let afterNumbers: [StaticString] = ["//", "/*", "<!--"]
  /// Signs around comments that may span lines.
  static let blocks: [(opening: StaticString, closing: StaticString)] = [
    ("/*", "*/"), ("<!--", "-->"), ("{-", "-}"), ("(* ", "*)"), ("<#", "#>"), ("{#", "#}"), ("#|", "|#"),
    ("--[[", "]]"), ("%{", "%}"),
  ]

  /// The size of the longest sign at the end of a comment.
  static let closingBytesMax = 3

  /// Whether a line or field that begins at `index` is commented out.
  static func begins(_ bytes: Span<UInt8>, at index: Int) -> Bool {
    guard index < bytes.count, bytes[index] &- 0x30 >= 10, bytes[index] != UInt8(ascii: "+") else {
      return false
    }
    return ofLines.contains { bytes.startsIgnoringCase($0, at: index) } || block(bytes, at: index) != nil
  }

  /// The position in ``blocks`` of the comment that begins at `index`; nil if none does.
  static func block(_ bytes: Span<UInt8>, at index: Int) -> Int? {
    guard index < bytes.count, bytes[index] &- 0x30 >= 10, bytes[index] != UInt8(ascii: "+") else {
      return nil
    }
    return blocks.firstIndex { bytes.startsIgnoringCase($0.opening, at: index) }
  }

  /// Whether a comment begins after a number: in a label, the same signs are text.
  static func beginsAfterNumber(_ bytes: Span<UInt8>, at index: Int) -> Bool {
    guard bytes[index] == UInt8(ascii: "/") || bytes[index] == UInt8(ascii: "<") else { return false }
    return afterNumbers.contains { bytes.startsIgnoringCase($0, at: index) }
  }
}
