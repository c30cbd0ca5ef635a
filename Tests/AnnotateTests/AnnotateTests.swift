// Annotated tables: every row of the input, with its number, and nothing else changed.

import BasicContainers
import InputStages
import NumberPlan
import RecordStages
import Records
import Runner
import SystemIO
import TestSupport
import Testing

/// Keeps what was written.
private final class OutputText: ByteSink {
  private(set) var bytes: [UInt8] = []

  func receive(_ chunk: inout ByteChunk) {
    bytes.append(copying: chunk.span)
    chunk.removeAll()
  }

  func finish() {}
}

enum Annotated {
  /// Annotates bytes that arrive in pieces of these sizes, one after another, and from the start again.
  static func bytes(
    _ input: [UInt8], _ options: AnnotateOptions, pieces: [Int] = [.max]
  ) throws(Failure) -> [UInt8] {
    let output = OutputText()
    var annotator = Annotator(options, input: "list.csv", output: output)
    var chunk = ByteChunk(capacity: 64)
    var (at, turn) = (0, 0)
    while at < input.count {
      let end = at + min(pieces[turn % pieces.count], chunk.freeCapacity, input.count - at)
      chunk.append(input.span.extracting(at..<end))
      try annotator.read(&chunk, isEnd: false)
      (at, turn) = (end, turn + 1)
    }
    try annotator.read(&chunk, isEnd: true)
    try annotator.finish()
    return output.bytes
  }

  static func text(_ input: String, _ change: (inout AnnotateOptions) -> Void = { _ in }) throws -> String {
    var options = AnnotateOptions()
    change(&options)
    return String(decoding: try bytes(Array(input.utf8), options), as: UTF8.self)
  }
}

/// What `parse` and `normalize` make of a cell: the number of its only row.
enum CellOracle {
  private final class Rows: RawRowSink {
    var texts: [[UInt8]] = []

    func receive(_ batch: inout RawRowBatch) {
      for row in 0..<batch.count { texts.append([UInt8](copying: batch[textAt: row])) }
      batch.removeAll()
    }

    func finish() {}
  }

  static func number(_ cell: String, _ options: NormalizeOptions) throws -> UInt64? {
    var parse = ParseOptions()
    parse.format = .csv
    parse.header = .no
    parse.numberField = .name("1")
    let rows = Rows()
    let meter = StageMeter(.parse)
    let parser = RowParser(
      options: parse, input: "-", context: StageContext(meter: meter, rejects: try RejectLog()),
      downstream: rows)
    var chunk = ByteChunk()
    let quoted =
      "\"" + cell.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
    chunk.append(Array("\(quoted)\"\n".utf8).span)
    try parser.receive(&chunk)
    try parser.finish()
    guard rows.texts.count == 1, meter.rejects.value == 0 else { return nil }
    let text = rows.texts[0]
    switch NumberExplanation(text.span, options: options).outcome {
    case .number(let number, _, _): return number
    case .ranges(let ranges): return ranges.count == 1 && ranges[0].count == 1 ? ranges[0].lowerBound : nil
    case .reject: return nil
    }
  }
}

/// A generated table, and what is known about its lines.
private struct GeneratedTable {
  struct Line {
    enum LineKind { case header, row, other }

    var kind: LineKind
    var text: String
    var fields = 0
    var number: String?
  }

  enum Encoding: CaseIterable {
    case utf8, utf8Mark, windows1252, utf16LE, utf16LEMark, utf16BE
  }

  var lines: [Line] = []
  let separator: String
  let lineEnd: String
  private(set) var hasLastEnd: Bool
  let encoding: Encoding
  var options = AnnotateOptions()
  private(set) var width: Int

  private static let numbers = [
    "+49 30 23125001", "4915112345678", "030 23125001", "", "", "unknown", "+4930####", "+1 212 555 0123",
    "12",
    "0171 1234567, 0172 7654321", "tel:+493023125001", "8613800138000", "+86 138 0013 8001", "1.5E+10", "\\N",
    "+44 20 7946 0018 (2 calls)", "+999123456789", "030/23125-001", "2026-11-29", "+4930..+4931", "0030",
    "004930 23125001", "+33 1 62 00 00 00", "(0)30 23125001", "+39 06 123456", "a \"quoted\" +4930",
  ]
  private static let words = [
    "", "spam", "Müller", "a b", " padded ", "line\nbreak", "two\r\nlines", "say \"hi\"", "x,y;z|t\tu", "'",
    "é",
    "0", "https://example.org/?q=1", "#tag", "sep=;",
  ]

  init(_ random: inout SplitMix64) {
    separator = [",", ";", "\t", "|"][random.below(4)]
    lineEnd = random.chance(oneIn: 3) ? "\r\n" : "\n"
    hasLastEnd = !random.chance(oneIn: 3)
    encoding = Encoding.allCases[random.below(Encoding.allCases.count)]
    width = 1 + random.below(4)
    let column = random.below(width)
    let hasHeader = random.chance(oneIn: 2)
    let quotesAll = random.chance(oneIn: 4)
    options.parse.separator = separator.utf8.first
    options.parse.format = .csv
    options.parse.header = hasHeader ? .yes : .no
    options.parse.numberField = .name(hasHeader && random.chance(oneIn: 2) ? "Phone" : "\(column + 1)")
    options.normalize.region = [nil, Region("DE"), Region("CN")][random.below(3)]
    switch encoding {
    case .utf8: options.parse.encoding = random.chance(oneIn: 2) ? "UTF-8" : nil
    case .utf8Mark, .utf16LEMark: break
    case .windows1252: options.parse.encoding = "WINDOWS-1252"
    case .utf16LE: options.parse.encoding = "UTF-16LE"
    case .utf16BE: options.parse.encoding = "UTF-16BE"
    }
    if hasHeader {
      if options.parse.numberField == .name("Phone"), width > 1, random.chance(oneIn: 3) {
        lines.append(
          Line(kind: .other, text: "Report of a \(random.chance(oneIn: 2) ? "day" : "Zürich office")"))
        lines.append(Line(kind: .other, text: ""))
      }
      var names = (0..<width).map { "Field\($0)" }
      names[column] = "Phone"
      let text = names.map { quotesAll ? "\"\($0)\"" : $0 }.joined(separator: separator)
      lines.append(Line(kind: .header, text: text, fields: width))
    }
    for row in 0..<random.below(30) + 1 {
      add(row: row, column, hasHeader: hasHeader, quotesAll: quotesAll, &random)
    }
    if lines.last?.text.isEmpty ?? true { hasLastEnd = true }
  }

  private mutating func add(
    row: Int, _ column: Int, hasHeader: Bool, quotesAll: Bool, _ random: inout SplitMix64
  ) {
    if row > 0, random.chance(oneIn: 10) {
      return lines.append(
        width == 1
          ? Line(kind: .row, text: "", fields: 1, number: "")
          : Line(kind: .other, text: random.chance(oneIn: 2) ? "" : "  "))
    }
    // Without a header, the first record shows how many columns there are.
    let isRagged = row > 0 && random.chance(oneIn: 8)
    let count = isRagged ? 1 + random.below(width + 2) : width
    var cells: [String] = []
    var number: String?
    var isTooLong = false
    for index in 0..<count {
      let cell =
        index == column
        ? Self.numbers[random.below(Self.numbers.count)] : Self.words[random.below(Self.words.count)]
      if index == column { number = cell }
      // It is not certain which column is which then.
      if index >= width, hasHeader, !cell.isEmpty { isTooLong = true }
      cells.append(field(cell, quotesAll: quotesAll, &random))
    }
    let isBlank = cells.allSatisfy { $0.allSatisfy { $0 == " " } } && count == 1
    if isBlank, width > 1 { return lines.append(Line(kind: .other, text: cells[0])) }
    lines.append(
      Line(
        kind: .row, text: cells.joined(separator: separator), fields: count,
        number: isTooLong ? nil : number))
  }

  private func field(_ cell: String, quotesAll: Bool, _ random: inout SplitMix64) -> String {
    let needsQuotes = cell.utf8.contains { "\"\r\n".utf8.contains($0) } || cell.contains(separator)
    guard needsQuotes || quotesAll || random.chance(oneIn: 10) else { return cell }
    return "\"" + cell.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }

  func encoded(_ text: String) -> [UInt8] {
    switch encoding {
    case .utf8, .utf8Mark: Array(text.utf8)
    // All characters of the words are in Latin-1.
    case .windows1252: text.unicodeScalars.map { UInt8($0.value) }
    case .utf16LE, .utf16LEMark: text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    case .utf16BE: text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }
  }

  var mark: [UInt8] {
    switch encoding {
    case .utf8Mark: [0xEF, 0xBB, 0xBF]
    case .utf16LEMark: [0xFF, 0xFE]
    default: []
    }
  }

  var bytes: [UInt8] {
    mark
      + lines.indices.flatMap { index in
        encoded(lines[index].text + (index == lines.count - 1 && !hasLastEnd ? "" : lineEnd))
      }
  }
}

@Suite("Annotate: any table")
struct AnnotatePropertyTests {
  /// Removes what is expected to follow a text; returns nil, and fails, if something else does.
  private static func remove(
    _ expected: [UInt8], from output: inout ArraySlice<UInt8>, _ place: Comment
  ) -> Bool {
    guard output.starts(with: expected) else {
      let got = String(decoding: output.prefix(80), as: UTF8.self)
      Issue.record("expected \(String(decoding: expected, as: UTF8.self)), got \(got) \(place)")
      return false
    }
    output = output.dropFirst(expected.count)
    return true
  }

  /// Compares an output with its table, line by line. What is left without the added cells is the table.
  private static func check(_ output: [UInt8], _ table: GeneratedTable, _ place: Comment) throws {
    var rest = output[...]
    guard remove(table.mark, from: &rest, place) else { return }
    for (index, line) in table.lines.enumerated() {
      guard remove(table.encoded(line.text), from: &rest, place) else { return }
      if line.kind != .other {
        let missing = String(repeating: table.separator, count: max(0, table.width - line.fields))
        guard remove(table.encoded(missing), from: &rest, place) else { return }
        let cells = added(&rest, table)
        if line.kind == .header {
          #expect(cells == ["e164", "country", "type", "valid", "reason"], place)
        } else {
          try check(cells, line, table, place)
        }
      }
      let isLast = index == table.lines.count - 1
      guard remove(table.encoded(isLast && !table.hasLastEnd ? "" : table.lineEnd), from: &rest, place) else {
        return
      }
    }
    #expect(rest.isEmpty, place)
  }

  /// Removes five cells of ASCII without separators and line ends in them, with or without quotes.
  private static func added(_ rest: inout ArraySlice<UInt8>, _ table: GeneratedTable) -> [String] {
    let unit = table.encoded("a").count
    let zeros = unit == 1 ? 0 : 1
    var cells: [String] = []
    while let low = rest.prefix(unit).first(where: { zeros == 0 || $0 != 0 }), low != 0x0D, low != 0x0A {
      if low == table.separator.utf8.first {
        if cells.count == 5 { break }
        cells.append("")
      } else if cells.isEmpty {
        break
      } else if low != UInt8(ascii: "\"") {
        cells[cells.count - 1].append(Character(Unicode.Scalar(low)))
      }
      rest = rest.dropFirst(unit)
    }
    return cells
  }

  private static func check(
    _ cells: [String], _ line: GeneratedTable.Line, _ table: GeneratedTable, _ place: Comment
  ) throws {
    let number = try line.number.flatMap { try CellOracle.number($0, table.options.normalize) }
    guard cells.count == 5 else {
      Issue.record("\(cells.count) cells: \(cells) \(place)")
      return
    }
    #expect(cells[0] == (number.map { "+\($0)" } ?? ""), "\(line) \(place)")
    let block = number.map { NumberPlan.block(ofDigits: $0) }
    let isValid = block.map { $0.type != .unknown } ?? false
    #expect(cells[1] == block?.region?.code ?? "", place)
    #expect(cells[2].isEmpty == !isValid, place)
    #expect(cells[3] == (isValid ? "true" : "false"), place)
    #expect(cells[4].isEmpty == isValid, place)
  }

  @Test("one row out per row in, and without the added cells the table as it was")
  func anyTable() throws {
    let seed = TestSeed.value
    print("annotate: \(TestSeed.variable)=\(seed)")
    var random = SplitMix64(test: "annotate")
    for turn in 0..<TestEffort.cases(short: 1500, long: 100_000) {
      let table = GeneratedTable(&random)
      let input = table.bytes
      let shown = "seed \(seed), turn \(turn), \(table.encoding): \(String(decoding: input, as: UTF8.self))"
      let place = Comment(rawValue: shown)
      let whole = try Annotated.bytes(input, table.options)
      try Self.check(whole, table, place)
      let pieces = (0..<7).map { _ in 1 + random.below(random.chance(oneIn: 2) ? 3 : 200) }
      let divided = try Annotated.bytes(input, table.options, pieces: pieces)
      #expect(divided == whole, "pieces \(pieces) \(place)")
    }
  }
}

@Suite("Annotate: inputs")
struct AnnotateInputTests {
  @Test("the first record decides nothing but the number of columns if the options say everything")
  func rowsAtOnce() throws {
    var options = AnnotateOptions()
    options.parse.format = .tsv
    options.parse.header = .no
    options.parse.numberField = .name("1")
    let output = OutputText()
    var annotator = Annotator(options, input: "-", output: output)
    var chunk = ByteChunk()
    for (row, expected) in [
      ("\n", "\t\t\tfalse\tmissing-number\n"), ("# 1\n", "# 1\t\t\t\tfalse\tcommented-out\n"),
      ("+493023125001\n", "+493023125001\t+493023125001\tDE\tfixed-line\ttrue\t\n"),
    ] {
      let before = output.bytes.count
      chunk.append(Array(row.utf8).span)
      try annotator.read(&chunk, isEnd: false)
      #expect(String(decoding: output.bytes[before...], as: UTF8.self).hasSuffix(expected))
    }
    try annotator.read(&chunk, isEnd: true)
    try annotator.finish()
  }

  @Test("what has arrived decides if nothing follows for the moment")
  func idle() throws {
    let output = OutputText()
    var annotator = Annotator(AnnotateOptions(), input: "-", output: output)
    var chunk = ByteChunk()
    chunk.append(Array("name;phone\nAnna;+493023125001\nBe".utf8).span)
    try annotator.read(&chunk, isEnd: false)
    #expect(output.bytes.isEmpty)
    try annotator.read(&chunk, isEnd: false, isIdle: true)
    #expect(
      String(decoding: output.bytes, as: UTF8.self)
        == "name;phone;e164;country;type;valid;reason\nAnna;+493023125001;+493023125001;DE;fixed-line;true;\n"
    )
    try annotator.read(&chunk, isEnd: true)
    try annotator.finish()
  }

  @Test("a broken record of several windows has its reason at the end of its first line")
  func longBrokenRecord() throws {
    let long = String(repeating: "x", count: 3 << 20)
    let text = "phone,note\n+493023125001,\"\(long)\n+493023125001,a\n"
    let output = try Annotated.text(text) { $0.parse.numberField = .name("phone") }
    let lines = output.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[1].hasSuffix("x,,,,false,unterminated-quote"))
    #expect(lines[2] == "+493023125001,a,+493023125001,DE,fixed-line,true,")
  }

  @Test("what a row or a heading states about blocking decides nothing")
  func verdicts() throws {
    let cells = [
      ("Anna", "030 23125001", "nein"), ("Ben", "030 23125002", "ja"), ("Whitelist", "", ""),
      ("Cem", "Mein Handy: 030 23125003", "ja"), ("Dora", "~~030 23125004~~", "ja"),
      ("Emil", "030 23125005 (nicht blockieren)", "ja"),
    ]
    let columns = try #require(AddedColumns("e164"))
    for separator in [";", ",", "\t"] {
      let rows = [("Name", "Telefon", "Aktiv")] + cells
      let lines = rows.map { [$0.0, $0.1, $0.2].joined(separator: separator) + "\n" }
      let output = try Annotated.text(lines.joined()) {
        $0.columns = columns
        $0.normalize.region = Region("DE")
      }
      let added = output.split(separator: "\n").map { $0.split(separator: separator.first ?? ";").last }
      #expect(
        added == [
          "e164", "+493023125001", "+493023125002", "Whitelist", "+493023125003", "+493023125004",
          "+493023125005",
        ])
    }
  }

  @Test("long inputs in other encodings, in pieces")
  func longEncoded() throws {
    var options = AnnotateOptions()
    options.parse.encoding = "UTF-16LE"
    let row = "Müller;+493023125001\r\n"
    let text = "name;phone\r\n" + String(repeating: row, count: 40_000)
    func bytes(_ text: String) -> [UInt8] { text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } }
    let expected = text.split(separator: "\r\n").enumerated().map { index, line in
      line + (index == 0 ? ";e164;country;type;valid;reason" : ";+493023125001;DE;fixed-line;true;")
    }
    let output = try Annotated.bytes(bytes(text), options, pieces: [1, 70_001, 3])
    #expect(output == bytes(expected.joined(separator: "\r\n") + "\r\n"))
  }
}

@Suite("Annotate: JSON lines")
struct AnnotateJSONTests {
  @Test("what a member states about blocking decides nothing")
  func verdicts() throws {
    let columns = try #require(AddedColumns("e164"))
    let output = try Annotated.text(
      """
      {"phone":"Mein Handy: 030 23125001","blocked":false}
      {"phone":"030 23125002","blocked":true}

      """
    ) {
      $0.columns = columns
      $0.normalize.region = Region("DE")
    }
    #expect(output.contains(#"false,"e164":"+493023125001"}"#))
    #expect(output.contains(#"true,"e164":"+493023125002"}"#))
  }

  @Test("members are added to each object; without them the lines are as they were")
  func lines() throws {
    var random = SplitMix64(test: "annotate JSON")
    let values = [
      "\"+49 30 23125001\"", "4915112345678", "null", "\"x\"", "\"030 1\\/2\"", "[]",
      "\"\\u002B44 20 7946 0018\"",
    ]
    for _ in 0..<TestEffort.cases(short: 300, long: 10_000) {
      var lines: [String] = []
      for _ in 0..<1 + random.below(12) {
        let members = [
          "\"phone\": \(values[random.below(values.count)])", "\"a\":{\"b\":[1,\"}\"]}", "\"c\" : \"\"",
        ].filter { _ in !random.chance(oneIn: 3) }
        let space = ["", " ", "\t"][random.below(3)]
        lines.append(
          space + "{\(space)\(members.shuffled(using: &random).joined(separator: ","))\(space)}\(space)")
        if random.chance(oneIn: 8) { lines.append(["", "[1]", "# text", "{\"phone\":"][random.below(4)]) }
      }
      let end = random.chance(oneIn: 2) ? "\n" : "\r\n"
      let input = lines.joined(separator: end) + (random.chance(oneIn: 2) ? end : "")
      var options = AnnotateOptions()
      options.parse.format = .json
      options.parse.numberField = .name("phone")
      let output = try Annotated.bytes(Array(input.utf8), options, pieces: [1 + random.below(50), 3])
      let text = String(decoding: output, as: UTF8.self)
      let added =
        #/,?"e164":("\+\d+"|null),"country":("..")?(null)?,"type":("[a-z-]+"|null),"valid":(true|false),"reason":("[a-z-]+"|null)/#
      #expect(text.replacing(added, with: "") == input)
      #expect(
        text.matches(of: added).count
          == lines.count { $0.trimmed.hasPrefix("{") && $0.trimmed.hasSuffix("}") })
    }
  }

  @Test("objects without a comma, with numbers and with null")
  func objects() throws {
    let output = try Annotated.text("{}\n{\"phone\":\"+493023125001\"}\n") {
      $0.parse.numberField = .name("phone")
      $0.columns = AddedColumns("valid,e164=number")!
    }
    #expect(
      output == "{\"valid\":false,\"number\":null}\n"
        + "{\"phone\":\"+493023125001\",\"valid\":true,\"number\":\"+493023125001\"}\n")
  }
}

extension String {
  fileprivate var trimmed: Substring { drop { " \t".contains($0) }.trimmedEnd }
}

extension Substring {
  fileprivate var trimmedEnd: Substring {
    var text = self
    while let last = text.last, " \t".contains(last) { text.removeLast() }
    return text
  }
}
