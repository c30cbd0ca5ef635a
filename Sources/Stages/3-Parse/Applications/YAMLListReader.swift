// YAML with lists of numbers or of mappings with a number, which may be the values of keys. It is read as the JSON that it
// stands for, so that the names of fields and lists have the same meaning in both.
//
//     - title: Démarchage                 blocked:
//       numbers:                            - number: "+33199000001"
//         - '+33 1 99 ## ## ##'               label: Spam
//
// A mapping with one list of numbers is a row for each of them.
//
// The text is cut into its items, of which libyaml reads one at a time, so that a list of any length needs the memory of one
// item. An item that is not YAML ends the input: what follows may be a part of it.
//
// Source of the first form: danroc/begone-fr, data/numbers.yaml (cf1176ea).

import Records

extension ParseOptions.Format {
  static let yaml = Self("yaml")
}

extension FormatDescription {
  static let yaml = FormatDescription(
    format: .yaml, what: "YAML lists and mappings",
    recognised: "items with keys or quotes", fieldNames: .chosen,
    turn: .last, matches: { YAMLStart.isList($0) }, makeReader: { YAMLListReader($0.options) },
    needsStart: true, hasLines: true)
}

final class YAMLListReader: FormatReader {
  /// What surrounds an item.
  private enum Level {
    /// Nothing: none has been read yet.
    case start
    /// The document, a list whose items have this indentation, or a mapping.
    case list(Int)
    case mapping
    /// A list in that mapping.
    case listInMapping(Int)
  }

  private let options: ParseOptions
  private let reader: JSONReader

  private var level = Level.start
  /// The number of lines so far.
  private var lines: UInt64 = 0
  /// The current item, its indentation, its place, and the number of its lines with text.
  private var item: [UInt8] = []
  private var indentation = 0
  private var place = RecordPosition()
  private var textLines = 0

  /// The JSON that was not read yet, where its rows start, and how much of it was there when it was read last.
  private var text: ContiguousArray<UInt8> = []
  private var records: ContiguousArray<ConvertedRecord> = []
  private var known = 0
  /// The start of the JSON, by which the fields are recognised.
  private var sample: ContiguousArray<UInt8> = []

  init(_ options: ParseOptions) {
    self.options = options
    var options = options
    options.isStrict = false
    reader = JSONReader(options)
  }

  func reset() {
    reader.reset()
    level = .start
    lines = 0
    item.removeAll()
    text.removeAll()
    records.removeAll()
    known = 0
    sample.removeAll()
  }

  func checkEnd(input: String) throws(Failure) { try reader.checkEnd(input: input) }

  func layout(of start: InputStart) -> InputLayout {
    if sample.isEmpty { return InputLayout() }
    return reader.layout(of: InputStart(bytes: sample, isWhole: false, input: start.input))
  }

  // MARK: Lines

  func read(_ window: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter) throws(Failure) -> Int {
    do throws(Failure) {
      return try readLines(window, isEnd, &rows)
    } catch {
      // The rows before an error of the input are valid.
      try rows.flush()
      throw error
    }
  }

  private func readLines(
    _ window: Span<UInt8>, _ isEnd: Bool, _ rows: inout RowWriter
  ) throws(Failure) -> Int {
    var at = 0
    while at < window.count {
      let end = LineScan.lineFeed(in: window, from: at)
      let place = RecordPosition(line: lines + 1, byte: rows.windowStart + UInt64(at))
      if end - at > options.recordBytesMax { throw tooLong(place, rows.input) }
      guard end < window.count || isEnd else { return at }
      let next = min(end + 1, window.count)
      try readLine(window.extracting(at..<next), place, &rows)
      lines += 1
      at = next
    }
    if isEnd { try finish(&rows) }
    return at
  }

  private func readLine(
    _ line: Span<UInt8>, _ place: RecordPosition, _ rows: inout RowWriter
  ) throws(Failure) {
    var indentation = 0
    while indentation < line.count, line[indentation] == 0x20 { indentation += 1 }
    let first = line.skippingSpace(from: indentation)
    if first == line.count || line[first] == UInt8(ascii: "#") {
      return item.isEmpty ? () : try add(line, rows.input)
    }
    if Self.cutsPattern(line) {
      throw .notYAML(
        "\(InputName.plain(rows.input)):\(place.line): a pattern without quotes: '#' after a blank begins a comment",
        rows.input)
    }
    let isItem = YAMLStart.isItem(line.extracting(indentation...))
    if case .mapping = level, isItem, textLines == 1, try openList(rows.input) {
      level = .listInMapping(indentation)
    } else if !item.isEmpty, indentation > self.indentation {
      textLines += 1
      return try add(line, rows.input)
    } else {
      if case .start = level, YAMLStart.isMark(line) { return }
      try endItem(&rows)
      try enter(isItem, indentation, place, line, rows.input)
    }
    (self.indentation, self.place, textLines) = (indentation, place, 1)
    try add(line, rows.input)
  }

  /// Whether the comment after digits is the rest of a pattern that lacks a quote: `- +33 1 99 ## ## ##`.
  private static func cutsPattern(_ line: Span<UInt8>) -> Bool {
    var quote: UInt8 = 0
    var previous = Byte.lineFeed
    var hasDigits = false
    for index in line.indices {
      let byte = line[index]
      if byte == quote {
        quote = 0
      } else if quote == 0, byte == UInt8(ascii: "#"), previous.isASCIISpace || isQuote(previous) {
        return hasDigits && isPattern(line.extracting(index...).trimmed)
      } else if quote == 0, isQuote(byte), previous < 0x80, previous &- 0x30 >= 10,
        (previous | 0x20) &- 0x61 >= 26
      {
        quote = byte
      }
      if byte &- 0x30 < 10 { hasDigits = true }
      previous = byte
    }
    return false
  }

  /// Whether a comment may be the rest of a pattern, not a remark such as `# 2024`.
  private static func isPattern(_ comment: Span<UInt8>) -> Bool {
    let isSigns = comment.indices.allSatisfy {
      comment[$0] &- 0x30 < 10 || comment[$0] == 0x20 || comment[$0] == UInt8(ascii: "#")
        || isQuote(comment[$0])
    }
    return isSigns
      && (comment.count == 1 || comment.firstIndex(of: "##") != nil
        || comment.indices.contains { isQuote(comment[$0]) })
  }

  private static func isQuote(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"")
  }

  /// Adds a line to the item.
  private func add(_ line: Span<UInt8>, _ input: String) throws(Failure) {
    if item.count + line.count > options.recordBytesMax + 1 { throw tooLong(place, input) }
    for index in line.indices { item.append(line[index]) }
  }

  /// Opens or closes what surrounds the item that a line begins.
  private func enter(
    _ isItem: Bool, _ indentation: Int, _ place: RecordPosition, _ line: Span<UInt8>, _ input: String
  ) throws(Failure) {
    let isKey = !isItem && indentation == 0 && !YAMLStart.isMark(line)
    switch level {
    case .start where isItem:
      level = .list(indentation)
      append("[\n")
    case .start where isKey:
      level = .mapping
      append("{\n")
    case .list(indentation) where isItem, .listInMapping(indentation) where isItem: break
    case .mapping where isKey: break
    case .listInMapping where isKey:
      level = .mapping
      append("],\n")
    default:
      let text = YAMLStart.isMark(line) ? "a second document" : "expected an item of the list, or a key"
      throw .notYAML("\(InputName.plain(input)):\(place.line): \(text)", input)
    }
  }

  private func tooLong(_ place: RecordPosition, _ input: String) -> Failure {
    let reason = ParseReject.recordTooLong(limit: options.recordBytesMax).text
    return .notYAML("\(InputName.plain(input)):\(place.line): an item \(reason)", input)
  }

  // MARK: Items

  private func node(_ input: String) throws(Failure) -> YAMLNode {
    do throws(YAMLError) {
      return try YAMLReader.read(item, file: InputName.plain(input), firstLine: Int(place.line))
    } catch {
      throw .notYAML(error.userMessage.message, input)
    }
  }

  /// Begins the list whose items follow, if the current item is a key without a value.
  private func openList(_ input: String) throws(Failure) -> Bool {
    guard case .mapping(let entries, _) = try node(input), entries.count == 1, entries[0].value.isNull else {
      return false
    }
    append(JSONQuoting.quoted(entries[0].key) + ": [\n")
    item.removeAll(keepingCapacity: true)
    return true
  }

  private func endItem(_ rows: inout RowWriter) throws(Failure) {
    if item.isEmpty { return }
    let node = try node(rows.input)
    item.removeAll(keepingCapacity: true)
    switch (level, node) {
    case (.mapping, .mapping(let entries, _)):
      for entry in entries {
        appendRecord(JSONQuoting.quoted(entry.key) + ": " + json(entry.value))
      }
    case (.list, .sequence(let items, _)), (.listInMapping, .sequence(let items, _)):
      for item in items { try appendRows(of: item, rows.input) }
    default:
      throw .notYAML("\(InputName.plain(rows.input)):\(place.line): neither a list nor a mapping", rows.input)
    }
    if text.count - known >= ParseLimits.startBytesMax { try readJSON(isEnd: false, &rows) }
  }

  /// Appends an item, or an object for each of its numbers if it has a list of them.
  private func appendRows(of item: YAMLNode, _ input: String) throws(Failure) {
    guard case .mapping(let entries, _) = item, let (name, numbers) = numberList(entries) else {
      return appendRecord(json(item))
    }
    let fields = entries.map { entry in
      if case .sequence = entry.value { return "" }
      return "\(JSONQuoting.quoted(entry.key)): \(json(entry.value)), "
    }.joined()
    guard fields.utf8.count * numbers.count <= Self.repeatedBytesMax else {
      throw .notYAML(
        "\(InputName.plain(input)):\(place.line): too many numbers with such a long label", input)
    }
    for number in numbers { appendRecord("{\(fields)\(JSONQuoting.quoted(name)): \(json(number))}") }
  }

  /// The only list of numbers in a mapping without a number of its own, and the name that its elements get.
  private func numberList(_ entries: [YAMLEntry]) -> (name: String, numbers: [YAMLNode])? {
    var chosen: String?
    if case .name(let name)? = options.numberField { chosen = name }
    var list: (name: String, numbers: [YAMLNode])?
    for entry in entries {
      let isChosen = entry.key == chosen
      let isNamed = chosen == nil || chosen == Self.numberName
      guard case .sequence(let values, _) = entry.value else {
        if isChosen || isNamed && CommonFieldNames.isNumber(entry.key) { return nil }
        continue
      }
      guard !values.isEmpty, values.allSatisfy(\.isScalar),
        isChosen
          || isNamed && CommonFieldNames.isNumberList(entry.key) && !CommonFieldNames.isOfOthers(entry.key)
      else { continue }
      if list != nil { return nil }
      list = (chosen ?? (CommonFieldNames.isNumber(entry.key) ? entry.key : Self.numberName), values)
    }
    return list
  }

  private static let numberName = "number"
  /// The maximum size of the fields that the numbers of a list share, for all of them: a thousand numbers with labels of a
  /// few kilobytes.
  private static let repeatedBytesMax = 8 << 20

  // MARK: JSON

  private func json(_ node: YAMLNode) -> String {
    switch node {
    case .scalar(let text, _, _): node.isNull ? "null" : JSONQuoting.quoted(text)
    case .sequence(let items, _): "[" + items.map { json($0) }.joined(separator: ", ") + "]"
    case .mapping(let entries, _):
      "{" + entries.map { JSONQuoting.quoted($0.key) + ": " + json($0.value) }.joined(separator: ", ") + "}"
    }
  }

  private func append(_ json: String) { text.append(contentsOf: json.utf8) }

  private func appendRecord(_ json: String) {
    records.append(ConvertedRecord(start: text.count, place: place))
    append(json + ",\n")
  }

  private func finish(_ rows: inout RowWriter) throws(Failure) {
    try endItem(&rows)
    switch level {
    case .start: break
    case .list: append("]\n")
    case .mapping: append("}\n")
    case .listInMapping: append("]}\n")
    }
    try readJSON(isEnd: true, &rows)
  }

  private func readJSON(isEnd: Bool, _ rows: inout RowWriter) throws(Failure) {
    // Moved out, so that nothing else can change it while its span is read.
    var bytes: ContiguousArray<UInt8> = []
    swap(&bytes, &text)
    if sample.isEmpty { sample = ContiguousArray(bytes.prefix(ParseLimits.startBytesMax)) }
    rows.records = records
    let used = try reader.read(bytes.span, isEnd: isEnd, into: &rows)
    rows.records.removeAll()
    bytes.removeFirst(used)
    swap(&bytes, &text)
    known = text.count
    // What is left begins inside the last row that started before it.
    let first = records.lastIndex { $0.start <= used } ?? 0
    records.removeFirst(first)
    for index in records.indices { records[index].start = max(records[index].start - used, 0) }
  }
}

extension YAMLNode {
  fileprivate var isScalar: Bool { if case .scalar = self { true } else { false } }

  /// Whether it is null: the value of a key without one, too.
  fileprivate var isNull: Bool {
    guard case .scalar(let text, isPlain: true, _) = self else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(text)
  }
}

/// Recognises YAML by the lines of its start.
enum YAMLStart {
  private static let linesMax = 200

  /// Whether a text begins with an item or a key, and one of its lines is an item with a key or quotes, or a key with a
  /// list in brackets.
  static func isList(_ start: Span<UInt8>) -> Bool {
    var at = 0
    var isFirst = true
    for _ in 0..<linesMax where at < start.count {
      let end = LineScan.lineFeed(in: start, from: at)
      let line = start.extracting(at..<end).trimmed
      at = end + 1
      if line.isEmpty || line[0] == UInt8(ascii: "#") || isMark(line) { continue }
      let isItem = isItem(line)
      let value = isItem ? line.extracting(1...).trimmed : line
      let keyEnd = keyEnd(value)
      if isFirst, !isItem, keyEnd == nil { return false }
      isFirst = false
      if isItem {
        if keyEnd != nil || !value.isEmpty && "\"'{".utf8.contains(value[0]) { return true }
      } else if let keyEnd {
        let rest = value.skippingSpace(from: keyEnd)
        if rest < value.count, value[rest] == UInt8(ascii: "[") { return true }
      }
    }
    return false
  }

  /// Whether a text is a pipeline file of this program: it has the keys of its sources and of a stage after them.
  static func isPipeline(_ start: Span<UInt8>) -> Bool {
    func has(_ name: StaticString) -> Bool {
      var at = 0
      while at < start.count {
        if start.startsIgnoringCase(name, at: at) { return true }
        at = LineScan.lineFeed(in: start, from: at) + 1
      }
      return false
    }
    let stages: [StaticString] = ["EMIT:", "PUBLISH:", "SORT:", "DEDUPE:"]
    return has("SOURCES:") && stages.contains(where: has)
  }

  /// Whether a line is one that begins or ends a document, or a directive before it.
  static func isMark(_ line: Span<UInt8>) -> Bool {
    let text = line.trimmed
    return text.equals("---") || text.equals("...") || text.startsIgnoringCase("--- #")
      || !text.isEmpty && text[0] == UInt8(ascii: "%")
  }

  /// Whether a text without its indentation is an item of a list.
  static func isItem(_ text: Span<UInt8>) -> Bool {
    text[0] == UInt8(ascii: "-") && (text.count == 1 || text[1].isASCIISpace)
  }

  /// The index after the key and the colon that a text begins with; nil if there is none.
  private static func keyEnd(_ text: Span<UInt8>) -> Int? {
    var index = 0
    while index < text.count, isKeyByte(text[index]) { index += 1 }
    guard index > 0, text[0] &- 0x30 >= 10, index < text.count, text[index] == UInt8(ascii: ":"),
      index + 1 == text.count || text[index + 1].isASCIISpace
    else { return nil }
    return index + 1
  }

  private static func isKeyByte(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || byte >= 0x80 || byte == UInt8(ascii: "_")
      || byte == UInt8(ascii: "-")
  }
}

extension Failure {
  fileprivate static func notYAML(_ text: String, _ input: String) -> Failure {
    let file = input == "-" ? "FILE" : ShellQuoting.quoted(input)
    return parse("not-yaml", text, hint: "write it as JSON, for example with: yq -o json \(file)")
  }
}
