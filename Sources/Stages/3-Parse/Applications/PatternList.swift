// The lists of call blockers that are arrays of JSON objects whose fields have fixed names:
//
//     {"version": "…", "patterns": [{"name": "…", "action": "block", "pattern": "33162######"}, …]}   Saracroche
//     [{"operator": "…", "prefix": "+33162", "pattern": "33162######"}, …]                            Saracroche, 2025
//     {"numbers": [{"phone": "+49…", "votes": 12, "rating": "C_PING"}, …]}                            PhoneBlock
//
// A pattern is the number (normalize turns it into a range). Fields that the user chooses take precedence. With `auto`,
// choosing the number's field by name makes both formats plain JSON, in which only the chosen fields are read.
//
// Source: cbouvat/saracroche-ios/docs/french-list-arcep-operators.json, and its history: saracroche/prefixes.json (32de9fd3),
// blocked-prefixes.json (c6492348), blocked-patterns.json (079cb240); haumacher/phoneblock, api.proto (Blocklist,
// BlockListEntry).

import Records

extension ParseOptions.Format {
  static let saracroche = Self("saracroche")
  static let phoneblock = Self("phoneblock")
}

extension FormatDescription {
  static let saracroche = PatternList.description(.saracroche, "a Saracroche list of patterns")
  static let phoneBlock = PatternList.description(.phoneblock, "a PhoneBlock block list")
}

/// A known list: where its entries are, and the names of their fields.
struct PatternList {
  let format: ParseOptions.Format
  /// The key of the array of entries; nil if the array is the whole document.
  var array: StaticString?
  /// The keys of an entry by which the list is recognised.
  let marks: [StaticString]
  let number: String
  let label: String
  var score: String?

  /// The known lists. If several match, the first one is used.
  static let all = [
    PatternList(
      format: .saracroche, array: "patterns", marks: ["pattern", "action"], number: "pattern", label: "name"),
    PatternList(
      format: .saracroche, marks: ["operator_name", "pattern"], number: "pattern", label: "operator_name"),
    PatternList(format: .saracroche, marks: ["operator", "pattern"], number: "pattern", label: "operator"),
    PatternList(format: .saracroche, marks: ["operator", "prefix"], number: "prefix", label: "operator"),
    PatternList(
      format: .phoneblock, array: "numbers", marks: ["phone", "votes"], number: "phone", label: "rating",
      score: "votes"),
  ]

  static func description(_ format: ParseOptions.Format, _ what: String) -> FormatDescription {
    let lists = all.filter { $0.format == format }
    return FormatDescription(
      format: format, what: what, recognised: "its keys", isJSON: true,
      matches: { start in lists.contains { $0.isAt(start) } },
      makeReader: { PatternListReader(lists, $0.options) }, needsStart: true)
  }

  /// Whether an input starts with this list and its first entry, or is one without entries.
  func isAt(_ start: Span<UInt8>) -> Bool {
    if isEmpty(start) { return true }
    guard let entry = entry(start) else { return false }
    return marks.allSatisfy { start.firstKey($0, from: entry.lowerBound, to: entry.upperBound) != nil }
  }

  /// Whether an input starts with this list without entries: an empty array, and either the version that such lists have,
  /// or nothing else.
  func isEmpty(_ start: Span<UInt8>) -> Bool {
    let opening = start.skippingSpace()
    guard let array, opening < start.count, start[opening] == UInt8(ascii: "{"),
      let bracket = Self.opening(of: array, in: start)
    else { return false }
    let closing = start.skippingSpace(from: bracket + 1)
    guard closing < start.count, start[bracket] == UInt8(ascii: "["), start[closing] == UInt8(ascii: "]")
    else { return false }
    let brace = start.skippingSpace(from: closing + 1)
    let isAlone =
      start.firstKey(array) == start.skippingSpace(from: opening + 1) && brace < start.count
      && start[brace] == UInt8(ascii: "}")
    return isAlone || start.firstKey("version") != nil
  }

  /// The index of the value of a key; nil if there is none.
  private static func opening(of key: StaticString, in start: Span<UInt8>) -> Int? {
    guard let index = start.firstKey(key) else { return nil }
    let value = start.skippingSpace(from: start.skippingSpace(from: index + key.utf8CodeUnitCount + 2) + 1)
    return value < start.count ? value : nil
  }

  /// The bytes in which the keys of an entry must be; nil if the input does not start with such a list.
  private func entry(_ start: Span<UInt8>) -> Range<Int>? {
    let opening = start.skippingSpace()
    guard opening < start.count else { return nil }
    var bracket = opening
    if let array {
      guard start[opening] == UInt8(ascii: "{"), let value = Self.opening(of: array, in: start) else {
        return nil
      }
      bracket = value
    }
    let brace = start.skippingSpace(from: bracket + 1)
    guard brace < start.count, start[bracket] == UInt8(ascii: "["), start[brace] == UInt8(ascii: "{") else {
      return nil
    }
    var end = start.count
    // Other arrays have objects with such keys, too: the first one must have all of them.
    if array == nil {
      end = brace
      while end < start.count, start[end] != UInt8(ascii: "}") { end += 1 }
    }
    return brace..<end
  }

  func reader(_ chosen: ParseOptions) -> JSONReader {
    var options = chosen
    if options.format != .auto || !options.rowsAreObjects || options.numberField == nil {
      options.numberField = options.numberField ?? .name(number)
      options.labelField = options.labelField ?? .name(label)
      options.scoreField = options.scoreField ?? score.map { .name($0) }
    }
    return JSONReader(options)
  }
}

/// Reads the list that an input starts with.
final class PatternListReader: FormatReader {
  private let lists: [PatternList]
  private let options: ParseOptions
  private var json: JSONReader
  /// Whether the input is a list without entries, of which nothing is a row.
  private var isEmpty = false

  init(_ lists: [PatternList], _ options: ParseOptions) {
    self.lists = lists
    self.options = options
    json = lists[0].reader(options)
  }

  func begin(_ start: InputStart) throws(Failure) {
    let list = lists.first { $0.isAt(start.bytes.span) } ?? lists[0]
    json = list.reader(options)
    isEmpty = start.isWhole && list.isEmpty(start.bytes.span)
  }

  func read(_ window: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter) throws(Failure) -> Int {
    if isEmpty { return window.count }
    return try json.read(window, isEnd: isEnd, into: &rows)
  }

  func checkEnd(input: String) throws(Failure) { if !isEmpty { try json.checkEnd(input: input) } }

  func reset() {
    json.reset()
    isEmpty = false
  }

  func layout(of start: InputStart) -> InputLayout { json.layout(of: start) }
}

extension Span where Element == UInt8 {
  /// The index of the first key `key` of a JSON object, including its quotes and followed by a colon, between `start`
  /// and `end`; nil if there is none.
  func firstKey(_ key: StaticString, from start: Int = 0, to end: Int = .max) -> Int? {
    let length = key.utf8CodeUnitCount
    let end = Swift.min(end, count)
    var index = start
    while index + length + 2 <= end {
      if self[index] == UInt8(ascii: "\""), self[index + length + 1] == UInt8(ascii: "\""),
        extracting(index + 1..<index + 1 + length).equals(key)
      {
        var next = index + length + 2
        while next < end, self[next].isASCIISpace { next += 1 }
        if next < end, self[next] == UInt8(ascii: ":") { return index }
      }
      index += 1
    }
    return nil
  }
}
