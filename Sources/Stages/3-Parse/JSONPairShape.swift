// What the pairs of JSON are, judged by the first of them: numbers and labels, labels and numbers, or columns. Also
// recognises JSON in a standard that has no rows. Row indexes, dates and times are not numbers.

import Records
import SystemIO

struct JSONPairShape {
  enum PairMeaning: Equatable {
    /// More bytes are needed to decide.
    case cut
    case numbersAreKeys
    case numbersAreValues
    /// Keys are numbers, and values are dates or times, which are no labels.
    case numbersAlone
    /// The members of an object are columns: objects with the indexes of rows as keys, or lists of values.
    case columns
    /// A contact in JSON (RFC 7095).
    case jCard
  }

  /// A member of the outermost object: its name, and the keys of the object or the first element of the list in it.
  private struct Member {
    var name: Range<Int>
    var keys: [Range<Int>] = []
    var firstElement: Range<Int>?
  }

  /// The maximum number of pairs that are examined.
  private static let pairsMax = 16

  private var open: [UInt8] = []
  private var pairs: [(key: Range<Int>, value: Range<Int>)] = []
  private var members: [Member] = []
  /// Whether the first pair, before any member, has a text: then no member is a column.
  private var beginsWithText = false

  /// Examines the first pairs of an input whose rows are pairs.
  ///
  /// The result depends only on the input's first `bytesMax` bytes (at most ``ParseLimits/startBytesMax``), not on the
  /// window.
  ///
  /// - Complexity: O(bytes).
  static func examine(_ window: Span<UInt8>, isEnd: Bool, bytesMax: Int) -> PairMeaning {
    let limit = min(bytesMax, ParseLimits.startBytesMax)
    let bytes = window.extracting(first: limit)
    var shape = JSONPairShape()
    let isDecided = shape.walk(bytes)
    if !isDecided, !isEnd, window.count < limit { return .cut }
    return shape.kind(bytes)
  }

  /// Reads pairs until the kind is certain, or as many as are examined; returns false if the bytes end before.
  private mutating func walk(_ bytes: Span<UInt8>) -> Bool {
    var index = bytes.skippingSpace()
    while index < bytes.count, pairs.count < Self.pairsMax {
      switch bytes[index] {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if open.count == ParseLimits.wrapperDepthMax { return true }
        open.append(bytes[index])
        index += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        _ = open.popLast()
        index += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"): index += 1
      case let byte where byte.isASCIISpace: index += 1
      default:
        guard let token = Self.token(bytes, index) else { return false }
        index = bytes.skippingSpace(from: token.next)
        guard index < bytes.count else { return false }
        if bytes[index] == UInt8(ascii: ":"), open.last == UInt8(ascii: "{") {
          index = bytes.skippingSpace(from: index + 1)
          guard index < bytes.count, let next = add(token.range, bytes, index) else { return false }
          index = next
        } else if addElement(token.range) {
          return true
        }
        if isCommon(bytes) { return true }
      }
    }
    return pairs.count == Self.pairsMax
  }

  /// Whether the first pair is a number and a text: most lists are decided by it.
  private mutating func isCommon(_ bytes: Span<UInt8>) -> Bool {
    guard pairs.count == 1, members.isEmpty else { return false }
    let (key, value) = pairs[0]
    beginsWithText = Self.rank(bytes, value) == nil && !Self.isDate(bytes, value)
    let contents = NumberText.contents(bytes, from: key.lowerBound, to: key.upperBound)
    return beginsWithText && !Self.isBlank(bytes, value) && contents.isNumber(digitsMin: Self.keyDigitsMin)
  }
  /// A key with at least this many digits is a number.
  private static let keyDigitsMin = 3

  /// Adds a key and its value, which starts at `start`; returns the index after what was read of it, or nil if the
  /// bytes end before.
  private mutating func add(_ key: Range<Int>, _ bytes: Span<UInt8>, _ start: Int) -> Int? {
    let isOuter = open.count == 1
    if bytes[start] == UInt8(ascii: "{") || bytes[start] == UInt8(ascii: "[") {
      if isOuter { members.append(Member(name: key)) }
      return start
    }
    guard let value = Self.token(bytes, start) else { return nil }
    pairs.append((key, value.range))
    if open.count == 2, open[0] == UInt8(ascii: "{"), !members.isEmpty {
      members[members.count - 1].keys.append(key)
    }
    return value.next
  }

  /// Adds an element of a list; returns whether the input is a list, and not a list of pairs.
  private mutating func addElement(_ value: Range<Int>) -> Bool {
    if open.isEmpty || open.first == UInt8(ascii: "["), pairs.isEmpty { return true }
    if open.count == 2, open[0] == UInt8(ascii: "{"), let last = members.indices.last,
      members[last].firstElement == nil
    {
      members[last].firstElement = value
    }
    return false
  }

  /// The string or the word at `start`; nil if the bytes end inside it. The range is without quotes.
  private static func token(_ bytes: Span<UInt8>, _ start: Int) -> (range: Range<Int>, next: Int)? {
    var index = start
    if bytes[start] == UInt8(ascii: "\"") {
      index += 1
      while index < bytes.count, bytes[index] != UInt8(ascii: "\""), bytes[index] != Byte.lineFeed {
        index += bytes[index] == Byte.backslash ? 2 : 1
      }
      return index < bytes.count ? (start + 1..<index, index + 1) : nil
    }
    while index < bytes.count, !bytes[index].isASCIISpace, !isEnd(bytes[index]) { index += 1 }
    return index < bytes.count ? (start..<index, max(index, start + 1)) : nil
  }

  private static func isEnd(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["),
      UInt8(ascii: "]"), UInt8(ascii: "\""):
      true
    default: false
    }
  }

  // MARK: The decision

  private func kind(_ bytes: Span<UInt8>) -> PairMeaning {
    if Self.isJCard(bytes) { return .jCard }
    if !beginsWithText, areColumns(bytes) { return .columns }
    if numbersAreValues(bytes) { return .numbersAreValues }
    let areDates = !pairs.isEmpty && pairs.allSatisfy { Self.isDate(bytes, $0.value) }
    return areDates ? .numbersAlone : .numbersAreKeys
  }

  /// Whether the input is a jCard, or a list of them.
  private static func isJCard(_ bytes: Span<UInt8>) -> Bool {
    var index = bytes.skippingSpace()
    for _ in 0..<2 where index < bytes.count && bytes[index] == UInt8(ascii: "[") {
      index = bytes.skippingSpace(from: index + 1)
    }
    guard bytes.startsIgnoringCase("\"VCARD\"", at: index) else { return false }
    index = bytes.skippingSpace(from: index + 7)
    return index < bytes.count && bytes[index] == UInt8(ascii: ",")
  }

  private func areColumns(_ bytes: Span<UInt8>) -> Bool {
    guard let first = members.first,
      Self.text(bytes, first.name).unicodeScalars.contains(where: \.properties.isAlphabetic)
    else { return false }
    // `{"columns": ["phone", "label"], "index": [0, 1], "data": [ … ]}`
    let names = members.map { Self.text(bytes, $0.name) }
    if names.starts(with: ["columns", "index"]) || names.starts(with: ["columns", "data"]) { return true }
    // `{"phone": {"0": "+4930123456"}, "label": {"0": "Spam"}}`: counted indexes, or the same ones in two columns.
    let keys = first.keys.map { Self.text(bytes, $0) }
    if !keys.isEmpty, first.keys.allSatisfy({ Self.isIndex(bytes, $0) }) {
      let counted = keys.compactMap { Int($0) }
      if let start = counted.first, counted.count == keys.count, counted.count > 1 || start == 0,
        counted == Array(start..<start + counted.count)
      {
        return true
      }
      if members.count > 1, members[1].keys.map({ Self.text(bytes, $0) }).starts(with: keys) { return true }
    }
    // `{"id": [10001, 10002], "phone": ["+4930123456", "+4930123457"]}`
    let lists = members.filter { $0.firstElement.map { Self.rank(bytes, $0) != nil } ?? false }
    let numbers = lists.count { CommonFieldNames.isNumber(Self.text(bytes, $0.name)) }
    return numbers > 0 && numbers < lists.count
  }

  /// Whether the values are numbers, and the keys are not. A few may lack theirs: most of those that have a value decide.
  private func numbersAreValues(_ bytes: Span<UInt8>) -> Bool {
    guard Set(pairs.map { Self.text(bytes, $0.key) }).count == pairs.count else { return false }
    let ranks = pairs.map { Self.rank(bytes, $0.value) }
    let filled = pairs.count { !Self.isBlank(bytes, $0.value) }
    let international = ranks.count { $0 == .international }
    let numbers = ranks.count { $0 ?? .short >= .long }
    // One number may be an identifier.
    guard 2 * international > filled || numbers > 1 && 2 * numbers > filled else { return false }
    return zip(pairs, ranks).allSatisfy { pair, rank in
      // The labels of hotlines are words.
      if Self.isIndex(bytes, pair.key) { return rank != nil || Self.isBlank(bytes, pair.value) }
      let keyRank = Self.rank(bytes, pair.key)
      return keyRank == nil || international == pairs.count && keyRank != .international
    }
  }

  /// Whether a value is empty, or consists of signs only.
  private static func isBlank(_ bytes: Span<UInt8>, _ value: Range<Int>) -> Bool {
    let contents = NumberText.contents(bytes, from: value.lowerBound, to: value.upperBound)
    return contents.digits == 0 && contents.letters == 0 || bytes.extracting(value).equals("null")
  }

  private static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
    String(decoding: ContiguousArray(copying: bytes.extracting(range)), as: UTF8.self)
  }

  private static func rank(_ bytes: Span<UInt8>, _ range: Range<Int>) -> TableNumberRank? {
    isTime(bytes, range) || bytes[range.lowerBound] == UInt8(ascii: "-")
      ? nil : TableCell(bytes, from: range.lowerBound, to: range.upperBound).rank
  }

  /// Whether a value is a date or a time.
  private static func isDate(_ bytes: Span<UInt8>, _ value: Range<Int>) -> Bool {
    let text = bytes.extracting(value)
    return isTime(bytes, value) || DateText.end(text, from: 0, to: text.count) == text.count
  }

  /// Whether a key is the index of a row: a short number, a date or a time.
  private static func isIndex(_ bytes: Span<UInt8>, _ key: Range<Int>) -> Bool {
    if key.isEmpty { return false }
    if isTime(bytes, key) { return true }
    if case .date = TableCell(bytes, from: key.lowerBound, to: key.upperBound) { return true }
    return key.count <= indexDigitsMax
      && bytes.skippingDigits(from: key.lowerBound, to: key.upperBound) == key.upperBound
  }

  /// The maximum number of digits of an index; a phone number has more.
  private static let indexDigitsMax = 6

  /// Whether a text is a time in seconds or milliseconds since 1970, in this century up to 2033.
  private static func isTime(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    (range.count == 10 || range.count == 13) && bytes[range.lowerBound] == UInt8(ascii: "1")
      && bytes.skippingDigits(from: range.lowerBound, to: range.upperBound) == range.upperBound
  }
}

extension JSONMachine {
  /// A pair as a row: of labels and numbers, the number is the value. An index, a date or a time is not a label.
  func exchanged(_ pair: JSONUnit, _ bytes: Span<UInt8>) -> JSONUnit {
    var row = pair
    swap(&row.number, &row.label)
    if NumberText.contents(bytes, from: row.label.start, to: row.label.end).letters == 0,
      !row.label.hasNonASCII
    {
      row.label = JSONValue()
    }
    return row
  }
}

extension Failure {
  static func jsonColumns(input: String) -> Failure {
    parse(
      "json-columns", "\(InputName.quoted(input)) is JSON by columns, with one list of values per field",
      hint: "write one object per row; in pandas: to_json(orient='records')")
  }

  static func jCard(input: String) -> Failure {
    parse(
      "json-contact", "\(InputName.quoted(input)) is a jCard, a contact in JSON, which is not read",
      hint: "export the contacts as vCards (.vcf)")
  }
}

// A value with its type, as databases write it: `{"$numberLong": "4930123456"}`.

enum JSONTypedValue {
  /// The keys of values in MongoDB's Extended JSON, DynamoDB's and Firestore's JSON, and JSON-LD and GraphSON.
  private static let tags: Set<String> = [
    "$numberLong", "$numberInt", "$numberDouble", "$numberDecimal", "S", "N", "stringValue", "integerValue",
    "doubleValue", "@value", "$date",
  ]
  private static let tagBytesMax = 14
  /// The key of a type before the value.
  private static let typeKey = "@type"

  static func isTag(_ key: String) -> Bool { tags.contains(key) }

  /// The value in the object at `start`, and the index after the object; nil if it is not a typed value, or if the bytes
  /// end inside it.
  static func value(_ bytes: Span<UInt8>, _ start: Int) -> (value: JSONValue, next: Int)? {
    guard start < bytes.count, bytes[start] == JSONMachine.object else { return nil }
    return try? read(bytes, start + 1)
  }

  /// The start of the value in the object at `start`, with its quote, and the index after the object; twice the start of
  /// any other value.
  static func bounds(_ bytes: Span<UInt8>, _ start: Int) -> (start: Int, next: Int) {
    guard let typed = value(bytes, start) else { return (start, start) }
    return (typed.value.start - (typed.value.kind == .string ? 1 : 0), typed.next)
  }

  private static func read(
    _ bytes: Span<UInt8>, _ start: Int
  ) throws(JSONUnitError) -> (value: JSONValue, next: Int)? {
    var index = start
    for _ in 0..<2 {
      index = try JSONToken.skipSpace(bytes, from: index)
      guard bytes[index] == UInt8(ascii: "\"") else { return nil }
      let key = try JSONToken.string(bytes, from: index + 1)
      guard key.end - key.start <= tagBytesMax else { return nil }
      let name = String(
        decoding: ContiguousArray(copying: bytes.extracting(key.start..<key.end)), as: UTF8.self)
      guard isTag(name) || name == typeKey else { return nil }
      index = try JSONToken.skipSpace(bytes, from: key.next)
      guard bytes[index] == UInt8(ascii: ":") else { return nil }
      index = try JSONToken.skipSpace(bytes, from: index + 1)
      let value: JSONValue
      if let inner = self.value(bytes, index) {
        // `{"$date": {"$numberLong": "…"}}`
        (value, index) = inner
      } else {
        value =
          bytes[index] == UInt8(ascii: "\"")
          ? try JSONToken.string(bytes, from: index + 1)
          : try JSONToken.scalar(bytes, from: index, atEnd: false)
        index = value.next
      }
      index = try JSONToken.skipSpace(bytes, from: index)
      if isTag(name) { return bytes[index] == UInt8(ascii: "}") ? (value, index + 1) : nil }
      guard bytes[index] == UInt8(ascii: ",") else { return nil }
      index += 1
    }
    return nil
  }
}
