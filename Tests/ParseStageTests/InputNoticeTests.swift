// What parse reports about an input: the encoding that it recognises or suggests, its fields, and what it does not
// recognise.

import Records
import Synchronization
import SystemIO
import Testing

@testable import InputStages

/// The rows and notices of inputs that are parsed as a stage of a run.
struct NoticeOutcome {
  var rows: [String] = []
  var notices: [InputNotice] = []
  var rejectCount = 0

  /// The names of encodings that were suggested.
  var suggestions: [String] {
    notices.compactMap { if case .otherEncoding(let name) = $0.finding { name } else { nil } }
  }
  /// The encodings that were recognised.
  var encodings: [String] {
    notices.compactMap { if case .encoding(let name, _) = $0.finding { name } else { nil } }
  }
  var layouts: [InputLayout] {
    notices.compactMap { if case .layout(let layout) = $0.finding { layout } else { nil } }
  }
}

private final class NoticeCollector: Sendable {
  let notices = Mutex<[InputNotice]>([])
}

/// The failure of inputs that are parsed as the stage of a run with one source.
func failure(of inputs: [String], _ options: ParseOptions = ParseOptions()) throws -> Failure? {
  var environment = StageEnvironment(StageContext(meter: StageMeter(.parse), rejects: try RejectLog()))
  environment.inputName = "in0"
  let sink = try ParsePlan(options).makeSink(environment, downstream: .rawRows(RowCollector())).byteSink
  do throws(Failure) {
    for (index, input) in inputs.enumerated() {
      if index > 0 { try sink.nextInput(name: "in\(index)") }
      if input.isEmpty { continue }
      var chunk = ByteChunk(capacity: input.utf8.count)
      chunk.append(Array(input.utf8).span)
      try sink.receive(&chunk)
    }
    try sink.finish()
    return nil
  } catch {
    return error
  }
}

func parseWithNotices(_ bytes: [UInt8], _ options: ParseOptions, cut: Int = .max) throws -> NoticeOutcome {
  let meter = StageMeter(.parse)
  let context = StageContext(meter: meter, rejects: try RejectLog())
  var environment = StageEnvironment(context)
  environment.inputName = "in0"
  let found = NoticeCollector()
  environment.notify = { notice in
    if let notice = notice as? InputNotice { found.notices.withLock { $0.append(notice) } }
  }
  let rows = RowCollector()
  let sink = try ParsePlan(options).makeSink(environment, downstream: .rawRows(rows)).byteSink
  var outcome = NoticeOutcome()
  do throws(Failure) {
    var at = 0
    while at < bytes.count {
      let size = min(cut, bytes.count - at)
      var chunk = ByteChunk(capacity: size)
      chunk.append(bytes.span.extracting(at..<at + size))
      try sink.receive(&chunk)
      at += size
    }
    try sink.finish()
  } catch {}
  outcome.rows = rows.rows.map(\.description)
  outcome.notices = found.notices.withLock { $0 }
  outcome.rejectCount = Int(meter.rejects.value)
  return outcome
}

@Suite struct InputNoticeTests {
  @Test func anInputWithoutRowsIsAnError() throws {
    let card = "BEGIN:VCARD\nFN:A\nEMAIL:a@example.org\nEND:VCARD\n"
    #expect(try failure(of: [card])?.code == "no-rows")
    #expect(try failure(of: ["phone,label\n"])?.code == "no-rows")
    // An empty input is an empty list, and what is rejected is reported elsewhere.
    #expect(try failure(of: [""]) == nil && failure(of: [" \n\n"]) == nil)
    #expect(try failure(of: ["8610\nx\n"]) == nil && failure(of: ["8610\n", card]) == nil)
    let several = try failure(of: [card, card])
    #expect(several?.message.message.contains("'in1'") == true)
  }

  /// 13800138000,骚扰电话 and two more rows, in GB18030. Source of the bytes: Python's codecs.
  static let chinese: [UInt8] = [
    [UInt8]("13800138000,".utf8), [0xC9, 0xA7, 0xC8, 0xC5, 0xB5, 0xE7, 0xBB, 0xB0, 0x0A],
    [UInt8]("13800138001,".utf8), [0xD5, 0xA9, 0xC6, 0xAD, 0xB5, 0xE7, 0xBB, 0xB0, 0x0A],
    [UInt8]("13800138002,".utf8), [0xB9, 0xE3, 0xB8, 0xE6, 0x0A],
  ].flatMap { $0 }
  static let chineseRows = ["13800138000|骚扰电话", "13800138001|诈骗电话", "13800138002|广告"]

  static func recognising(_ format: ParseOptions.Format = .auto) -> ParseOptions {
    options(format) { $0.encoding = "auto" }
  }

  static func utf16(_ text: String, isLittle: Bool) -> [UInt8] {
    text.utf16.flatMap {
      isLittle ? [UInt8($0 & 0xFF), UInt8($0 >> 8)] : [UInt8($0 >> 8), UInt8($0 & 0xFF)]
    }
  }

  @Test("an encoding is recognised and converted, wherever the input is cut", arguments: [1, 3, 64, Int.max])
  func recognised(cut: Int) throws {
    let gb = try parseWithNotices(Self.chinese, Self.recognising(), cut: cut)
    #expect(gb.rows == Self.chineseRows && gb.encodings == ["GB18030"])
    #expect(gb.layouts.map(\.encoding) == ["GB18030"])
    for isLittle in [true, false] {
      let wide = Self.utf16("13800138000,骚扰电话\n13800138001,诈骗电话\n13800138002,广告\n", isLittle: isLittle)
      let outcome = try parseWithNotices(wide, Self.recognising(.csv), cut: cut)
      #expect(outcome.rows == Self.chineseRows)
      #expect(outcome.encodings == [isLittle ? "UTF-16LE" : "UTF-16BE"])
    }
    let plain = try parseWithNotices(Array("\u{FEFF}13800138000,骚扰电话\n".utf8), Self.recognising(), cut: cut)
    #expect(plain.rows == ["13800138000|骚扰电话"] && plain.encodings == ["UTF-8"])
  }

  /// The label of a list in Big5, 中介, is as plausible in Japanese and Korean. Source of the bytes: Python's codecs.
  @Test("few characters that are plausible in several encodings are in none")
  func doubtful() throws {
    let rows = (0..<31).flatMap { (row: Int) -> [UInt8] in
      Array("09123456\(70 + row),".utf8) + [0xA4, 0xA4, 0xA4, 0xB6, 0x0A]
    }
    let outcome = try parseWithNotices(rows, Self.recognising(.csv))
    #expect(outcome.notices.contains { $0.finding == .encoding("UTF-8", .unknown) })
    #expect(try parseWithNotices(rows, options(.csv)).suggestions == [])
  }

  @Test("bytes after the examined start that do not fit are rejects")
  func late() throws {
    let head = Array(String(repeating: "13800138000,spam\n", count: 16_000).utf8)
    #expect(head.count > EncodingGuess.bytesMax)
    let outcome = try parseWithNotices(head + Self.chinese, Self.recognising(), cut: 65_536)
    #expect(outcome.rows.count == 16_000 && outcome.rejectCount == 3)
    #expect(outcome.encodings == ["UTF-8"])
  }

  @Test("text in no encoding is read as UTF-8")
  func unknown() throws {
    let noise =
      Array("13800138000,a".utf8) + [0x81, 0x90, 0x8D, 0x9D, 0xFF, 0xFE] + Array("\n13800138001,b\n".utf8)
    let outcome = try parseWithNotices(noise, Self.recognising(.csv))
    #expect(outcome.rows == ["13800138001|b"] && outcome.rejectCount == 1)
    #expect(outcome.notices.contains { $0.finding == .encoding("UTF-8", .unknown) })
  }

  @Test("an encoding that was not chosen is suggested once", arguments: [1, 7, 64, Int.max])
  func suggested(cut: Int) throws {
    for format in [ParseOptions.Format.csv, .lines, .auto] {
      let outcome = try parseWithNotices(Self.chinese, options(format), cut: cut)
      #expect(outcome.rows == [] && outcome.rejectCount == 3)
      #expect(outcome.suggestions == ["GB18030"], "\(format)")
    }
    let late = Array(String(repeating: "13800138000,spam\n", count: 30_000).utf8) + Self.chinese
    #expect(try parseWithNotices(late, options(.csv), cut: max(cut, 4096)).suggestions == ["GB18030"])
    let wide = try parseWithNotices(
      Self.utf16("13800138000,骚扰电话\n13800138001,a\n", isLittle: true), options(.csv), cut: max(cut, 64))
    #expect(wide.suggestions == ["UTF-16LE"])
    // Only the names of columns.
    let french = Array("fax;t".utf8) + [0xE9] + Array("l".utf8) + [0xE9] + Array("phone;note\n".utf8)
    let row = Array("+33123456789;+33612345678;x\n".utf8)
    let names = try parseWithNotices(french + row, options(.csv), cut: cut)
    #expect(names.rejectCount == 0 && names.suggestions == ["WINDOWS-1252"])
  }

  @Test("UTF-8 with damaged rows, and a chosen encoding, bring no suggestion")
  func notSuggested() throws {
    let damaged =
      Array(String(repeating: "13800138000,骚扰电话\n", count: 50).utf8) + Array("1,".utf8) + [0xC9, 0x0A]
    #expect(try parseWithNotices(damaged, options(.csv)).suggestions == [])
    // One row of another program among few.
    let mixed =
      Array("Telefon;Name\n0301234567;M\u{fc}ller\n01711234567;J".utf8) + [0xE4] + Array("ger\n".utf8)
    let outcome = try parseWithNotices(mixed, options(.csv))
    #expect(outcome.suggestions == [] && outcome.rows == ["0301234567|M\u{fc}ller"])
    #expect(try parseWithNotices(mixed, Self.recognising()).encodings == ["UTF-8"])
    #expect(try parseWithNotices(Self.chinese, options(.csv) { $0.encoding = "UTF-8" }).suggestions == [])
  }

  @Test("cut and damaged inputs are read without a crash")
  func damaged() throws {
    for length in 0...Self.chinese.count {
      var bytes = Array(Self.chinese.prefix(length))
      _ = try parseWithNotices(bytes, Self.recognising())
      if length < Self.chinese.count {
        bytes = Self.chinese
        bytes[length] ^= 0x80
        _ = try parseWithNotices(bytes, Self.recognising())
        _ = try parseWithNotices(bytes, options(.auto), cut: 5)
      }
    }
  }

  // MARK: Fields

  @Test("the fields that are read and the others are reported once", arguments: [1, Int.max])
  func fields(cut: Int) throws {
    let text =
      "{\"phone\":\"13800138000\",\"name\":\"a\",\"votes\":3,\"city\":\"x\"}\n{\"phone\":\"13800138001\"}\n"
    for format in [ParseOptions.Format.json, .auto] {
      let layouts = try parseWithNotices(Array(text.utf8), options(format), cut: cut).layouts
      #expect(layouts.count == 1)
      let layout = try #require(layouts.first)
      #expect(layout.number == "phone" && layout.label == "name" && layout.others == ["votes", "city"])
      #expect(layout.possibleLabels == [] && layout.possibleNumbers == [])
    }
  }

  @Test("a label that is not recognised is reported with the fields that contain text")
  func unknownLabel() throws {
    let objects = try parseWithNotices(
      Array("[{\"phone\":\"13800138000\",\"x\":\"spam\",\"votes\":3,\"ok\":true}]".utf8), options(.auto))
    #expect(objects.rows == ["13800138000|"])
    #expect(objects.layouts.first?.possibleLabels == ["x"])
    // Nothing to choose from, or already chosen.
    for text in ["[{\"phone\":\"13800138000\",\"votes\":3}]", "[\"13800138000\",\"13800138001\"]"] {
      #expect(
        try parseWithNotices(Array(text.utf8), options(.auto)).layouts.first?.possibleLabels ?? [] == [])
    }
    let chosen = options(.auto) { $0.numberField = .name("phone") }
    let layouts = try parseWithNotices(Array("[{\"phone\":\"13800138000\",\"x\":\"spam\"}]".utf8), chosen)
      .layouts
    #expect(layouts.first?.possibleLabels == [])
  }

  @Test("objects that are read as pairs without a number are reported")
  func unknownNumber() throws {
    for text in [
      "[{\"a\":\"13800138000\",\"b\":\"spam\"}]", "{\"a\":\"13800138000\"}\n{\"a\":\"13800138001\"}\n",
    ] {
      #expect(try parseWithNotices(Array(text.utf8), options(.json)).layouts.first?.possibleNumbers == ["a"])
    }
    for text in [
      "[[\"13800138000\",\"a\"]]", "[[\"13800138000\",\"13800138001\"]]", "{\"13800138000\":\"a\"}",
      "[{\"13800138000\":\"13800138001\"}]",
      "{\"version\":\"20240101\",\"list\":[\"13800138000\"]}",
    ] {
      #expect(
        try parseWithNotices(Array(text.utf8), options(.json)).layouts.first?.possibleNumbers ?? [] == [])
    }
  }

  /// Fields of other parties and of times are not proposed as the number.
  @Test(arguments: [
    (#"[{"npa":"212","nxx":"555","line":"0142","reported_by":"6465550100"}]"#, []),
    (#"[{"a":"x","b":"y","c":"z","d":"w","callee":"6465550101","created_unixtime":"1790848800"}]"#, []),
    (#"[{"a":"x","c":"y","d":"z","victim":"6465550100","b":"6465550101"}]"#, ["b"]),
    (
      #"{"name":"chat","messages":[{"id":1,"date_unixtime":"1790848800","from":"A","text":"+7 495 123-45-67 спам"}]}"#,
      ["text"]
    ),
    (
      #"{"range":"A1:B3","majorDimension":"ROWS","values":[["STT","Số điện thoại"],["1","02471234567"],["2","02471234568"]]}"#,
      ["2"]
    ),
    (#"[["a","x","02471234567"],["b","y","02471234568"]]"#, ["3"]),
  ])
  func numbersThatAreProposed(_ text: String, _ proposed: [String]) throws {
    let layout = try #require(parseWithNotices(Array(text.utf8), options(.json)).layouts.first)
    #expect(layout.possibleNumbers == proposed && layout.hasOnlyOtherNumbers == proposed.isEmpty)
    let warnings = InputNotice(.layout(layout), input: "-").warnings
    #expect(warnings.count == 1 && warnings[0].hint?.contains("reported_by") == false)
  }
}

@Suite struct PlausibilityTests {
  private func share(_ text: String) -> Double { TextPlausibility.share(Array(text.utf8)) }

  @Test("words of real languages are plausible")
  func plausible() {
    for text in [
      "Müller, Büro", "Démarchage ; Énergie", "Реклама и банк", "Шахраї", "Διαφήμιση", "骚扰电话", "VIP客户", "詐騙",
      "迷惑電話、アンケート", "스팸 전화", "פרסומת", "إعلان", "โฆษณา", "Dolandırıcı", "Oszuści łódzcy", "l’été",
    ] {
      #expect(share(text) == 1, "\(text)")
    }
    #expect(share("plain") == 0)
  }

  @Test("text in another encoding is not")
  func implausible() {
    // As other encodings: UTF-8, windows-1251, windows-1252, ISO-8859-2, Shift_JIS.
    #expect(share(String(repeating: "А", count: 100)) == 0)
    #expect(share("€€€€") == 0)
    for text in ["MÃ¼ller", "Ðåêëàìà", "сПЮДХ╓", "Oszu¶ci", "fｼr", "f黵r", "aЖb", "\u{FFFD}", "\u{80}"] {
      #expect(share(text) < 0.7, "\(text)")
    }
  }

  @Test("the listed encodings are known to the system, and have different names")
  func known() {
    #expect(Set(KnownEncoding.all.map(\.name)).count == KnownEncoding.all.count)
    #expect(KnownEncoding.available.count >= KnownEncoding.all.count - 2)
    #expect(KnownEncoding.names(forLibrary: "ISO-8859-2") == ["ISO-8859-2", "WINDOWS-1250"])
    #expect(KnownEncoding.names(forLibrary: "IBM852") == [])
    for candidate in EncodingCandidate.all {
      for name in candidate.names { #expect(KnownEncoding.all.contains { $0.name == name }, "\(name)") }
    }
  }
}
