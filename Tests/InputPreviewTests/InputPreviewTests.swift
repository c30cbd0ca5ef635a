// What a preview recognises, and how little of an input it reads. Encodings and countries of whole files are tested with
// the program (Tests/CommandTests/Programs/preview_cases.py).

import InputStages
import NumberPlan
import Records
import Runner
import SystemIO
import Testing

/// An input that never ends, and counts what it has sent.
private struct EndlessInput: InputPlan {
  let block: [UInt8]
  let sent: SentBytes

  var name: StageName { StageName(rawValue: "endless") }
  var displayName: String { "endless" }

  func run(_ environment: StageEnvironment, into downstream: any ByteSink) throws(Failure) {
    while true {
      var chunk = ByteChunk(capacity: block.count)
      chunk.append(block.span)
      sent.counter.add(block.count)
      try downstream.receive(&chunk)
    }
  }
}

private final class SentBytes: Sendable {
  let counter = Counter()
}

/// An input of some bytes.
private struct BytesInput: InputPlan {
  let bytes: [UInt8]

  var name: StageName { StageName(rawValue: "bytes") }
  var displayName: String { "bytes" }

  func run(_ environment: StageEnvironment, into downstream: any ByteSink) throws(Failure) {
    // Single bytes at first: formats must be recognised whatever the pieces are.
    for index in bytes.indices {
      var chunk = ByteChunk(capacity: 1)
      chunk.append(bytes.span.extracting(index..<index + 1))
      try downstream.receive(&chunk)
    }
    try downstream.finish()
  }
}

@Suite("Previews")
struct InputPreviewTests {
  private func preview(_ text: String) throws -> InputPreview {
    try InputPreview(InputPreview.Request(.stage(BytesInput(bytes: Array(text.utf8))), name: "list"))
  }

  @Test("an endless input is read up to the limit")
  func endless() throws {
    let sent = SentBytes()
    let block = Array(String(repeating: "+493023125001,spam\n", count: 1000).utf8)
    let preview = try InputPreview(
      InputPreview.Request(.stage(EndlessInput(block: block, sent: sent)), name: "endless"))
    #expect(!preview.isWhole)
    #expect(preview.counts.rows == InputPreview.rowsMax)
    #expect(preview.counts.valid == InputPreview.rowsMax)
    #expect(sent.counter.value <= UInt64(InputHead.textBytesMax) + UInt64(block.count))
  }

  @Test("a cut input has no broken last row")
  func cut() throws {
    // One object of many pairs, which never ends.
    let sent = SentBytes()
    let block = Array(String(repeating: "{\"tel\": \"030 23125001\", \"tag\": \"a\"},\n", count: 999).utf8)
    let preview = try InputPreview(
      InputPreview.Request(.stage(EndlessInput(block: block, sent: sent)), name: "endless"))
    #expect(preview.counts.unreadable == 0)
    #expect(preview.layout.format == .json)
    #expect(preview.layout.fields == ["tel", "tag"])
  }

  @Test("the fields of objects are listed with their paths")
  func paths() throws {
    let preview = try preview(
      """
      {"ok": true, "data": {"list": [
      {"id": 1, "contact": {"phone": "+493023125001", "a.b": "x"}, "tags": ["t"], "more": [{"k": "v"}]},
      {"id": 2, "contact": {"phone": "+493023125002", "a.b": "y"}, "tags": ["t"], "more": []}]}}
      """)
    #expect(preview.layout.fields == ["id", "contact.phone", "contact.a\\.b", "tags.1", "more.1.k"])
  }

  @Test("a number's field without a common name is found, and the field of its label")
  func fieldTrials() throws {
    let rows = (100..<160).map { number in
      "{\"kennung\": \"x\(number)\", \"rufnr\": \"030 23125\(number)\", "
        + "\"anlass\": \"\(number % 2 == 0 ? "Werbung" : "Umfrage")\"}"
    }
    let preview = try preview("[" + rows.joined(separator: ",\n") + "]")
    #expect(preview.parse.numberField == .name("rufnr"))
    #expect(preview.parse.labelField == .name("anlass"))
    #expect(preview.counts.valid == 60)
    #expect(preview.rows.first?.row.fields.label == "Werbung")
  }

  @Test("prefixes of six digits decide no country")
  func prefixes() throws {
    let rows = (0..<200).map { "\(201 + $0 % 90)-\(200 + $0),AREA \($0)" }
    let preview = try preview("NPA-NXX,Company\n" + rows.joined(separator: "\n") + "\n")
    #expect(preview.region.certainty == .undecided)
    #expect(preview.region.region == nil)
    #expect(preview.region.triedCount == 200)
  }

  /// Numbers that start with one of some prefixes; the other digits are random, but the same in every run.
  private func numbers(_ prefixes: [String], digits: Int, count: Int) -> String {
    var state: UInt64 = 5
    func next(below limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(truncatingIfNeeded: state >> 33) % limit
    }
    return (0..<count).map { index in
      var number = prefixes[index % prefixes.count]
      while number.utf8.count < digits { number += String(next(below: 10)) }
      return number + ",spam\n"
    }.joined()
  }

  @Test(
    "mobile numbers of China are not those of the United States, whose calling code is 1",
    arguments: [["138", "159", "186"], ["138", "139"], ["199", "198"]], [3, 5, 400])
  func chinese(prefixes: [String], count: Int) throws {
    let region = try preview("phone,label\n" + numbers(prefixes, digits: 11, count: count)).region
    #expect(region.region?.code == "CN")
    #expect(region.candidates.first?.share == 1)
    #expect(!region.candidates.contains { $0.region.code == "US" && $0.share > 0.9 })
  }

  @Test(
    "mobile numbers with a trunk prefix",
    arguments: [
      ("FR", ["061", "0142", "0478", "0770"], 10),
      ("DE", ["0151", "0176"], 12), ("AU", ["041", "043"], 10),
    ])
  func trunkPrefix(code: String, prefixes: [String], digits: Int) throws {
    let region = try preview("phone,label\n" + numbers(prefixes, digits: digits, count: 200)).region
    #expect(region.region?.code == code)
  }

  @Test("numbers written as in North America are of the United States, even if they fit elsewhere as well")
  func american() throws {
    let rows = (0..<300).map { "(415) 657-\(1000 + $0 * 7)\n" }.joined()
    #expect(try preview("phone\n" + rows).region.region?.code == "US")
  }

  @Test(
    "the language of the header, and the size of the country",
    arguments: [
      ("Numero;Nome;Chiamate", "06", "IT"), ("Phone;Name", "0207", "GB"), ("Numer;Nazwa", "22", "PL"),
    ])
  func languages(header: String, prefix: String, code: String) throws {
    let digits = code == "GB" ? 11 : 9
    let rows = numbers([prefix], digits: digits, count: 40).replacing(",", with: ";")
    #expect(try preview(header + "\n" + rows).region.region?.code == code)
  }

  @Test("a region is not clear if another one has nearly the same share of valid numbers")
  func clear() throws {
    // All of them are valid in Germany and in Austria.
    let region = try preview("phone,label\n" + numbers(["0151", "0176"], digits: 12, count: 200)).region
    #expect(region.candidates[1].share >= region.candidates[0].share - 0.05)
    #expect(region.certainty == .probable)
    let codes = ["21220", "41523", "31222", "71323", "20255"]
    let us = try preview("phone,label\n" + numbers(codes, digits: 10, count: 200)).region
    #expect(us.region?.code == "US")
  }

  @Test("what is recognised is chosen, so that it is written to a pipeline file")
  func explicit() throws {
    let rows = (100..<160).map { "Herr M\($0);030 23125\($0);Werbung" }.joined(separator: "\n")
    let preview = try preview("Kunde;Telefon;Grund\n" + rows + "\n")
    #expect(preview.parse.format == .csv)
    #expect(preview.parse.separator == UInt8(ascii: ";"))
    #expect(preview.parse.numberField == .name("Telefon"))
    #expect(preview.layout.hasHeader == true)
    #expect(preview.isWhole)
  }

  @Test("one or two numbers tell no country; the likely ones are named by their size")
  func few() throws {
    let region = try preview("2125550101\n4155550102\n").region
    #expect(region.certainty == .undecided && region.region == nil && region.areTooFew)
    #expect(region.candidates.first?.region.code == "US")
  }

  @Test(
    "a wrong region is worse than none: a few numbers that fit several, and labels in the language of another",
    arguments: [
      "03-1234501\n072-123-4511\n08-1234567\n09-7654321\n",
      "Nomor;Nama\n03012345678;A\n022112345678;B\n08912345678;C\n04012345678;D\n",
    ])
  func doubtfulRegions(list: String) throws {
    let region = try preview(list).region
    #expect(region.region == nil && region.certainty == .undecided, "\(region)")
  }

  /// Rows with consecutive numbers after a prefix.
  private func rows(_ prefix: String, count: Int) -> String {
    (100..<100 + count).map { "\(prefix)\($0),spam\n" }.joined()
  }

  @Test(
    "a country without any of the numbers that have a country code is not certain",
    arguments: ["+57 300 1234", "0057 300 1234"])
  func otherCountryOfCodes(prefix: String) throws {
    let german = "phone,label\n" + numbers(["0151", "0176"], digits: 12, count: 200)
    #expect(try preview(german + rows(prefix, count: 2)).region.region?.code == "DE")
    let region = try preview(german + rows(prefix, count: 3)).region
    #expect(region.region == nil && region.certainty == .undecided, "\(region)")
    #expect(region.candidates.first?.region.code == "DE" && region.countryOfCodes?.code == "CO")
    #expect(region.proposed == nil)
  }

  @Test("a few numbers do not decide for another country than that of most numbers")
  func fewBesideCodes() throws {
    let few = numbers(["0151", "0176"], digits: 12, count: 15) + rows("+49 151 23456", count: 1)
    let region = try preview("phone,label\n" + few + rows("+56 9 1234 5", count: 100)).region
    #expect(region.region == nil && region.countryOfCodes?.code == "CL", "\(region)")
  }

  @Test("numbers after 00 show their country like those with a plus sign")
  func codesAfterZeros() throws {
    let mobiles = (0..<200).map { "300\(1_000_000 + $0 * 7919),spam\n" }.joined()
    for prefix in ["+57 300 1234", "0057 300 1234"] {
      let region = try preview("phone,label\n" + mobiles + rows(prefix, count: 4)).region
      #expect(region.region?.code == "CO", "\(region)")
    }
  }

  @Test("foreign numbers do not change the country of the others if they are of several, or beside its own")
  func foreignNumbers() throws {
    let american = (0..<300).map { "(415) 657-\(1000 + $0 * 7),spam\n" }.joined()
    let us = american + rows("+1 415 657 1", count: 5) + rows("+44 20 7946 0", count: 3)
    #expect(try preview("phone,label\n" + us).region.region?.code == "US")
    let german = numbers(["0151", "0176"], digits: 12, count: 200)
    let foreign =
      rows("+44 20 7946 0", count: 2) + rows("+57 300 1234", count: 2) + rows("+39 06 123", count: 1)
    #expect(try preview("phone,label\n" + german + foreign).region.region?.code == "DE")
  }

  @Test("fields are not chosen if rows after the sample may lack them, or if parse warns")
  func implicit() throws {
    let rows = (0..<5000).map { "+4930\(1_000_000 + $0)\tSpam" } + ["+49401234567"]
    let long = try preview("phone\tlabel\n" + rows.joined(separator: "\n") + "\n")
    #expect(long.parse.labelField == nil && long.parse.format == .auto && long.layout.label == "label")
    let ranges = try preview("from;to;op\n0199000000;0199000999;A\n0199001000;0199001999;B\n")
    #expect(ranges.parse.numberField == nil && ranges.layout.number == "from")
    #expect(ranges.notices.flatMap(\.warnings).count == 1)
  }

  @Test("an input without rows is an error", arguments: ["", "\n\n"])
  func empty(text: String) {
    #expect {
      _ = try preview(text)
    } throws: { error in
      guard let failure = error as? Failure else { return false }
      return failure.code == "no-rows" || failure.stage == .parse
    }
  }
}

@Suite("Encodings by their bytes")
struct EncodingGuessTests {
  private func guess(_ bytes: [UInt8], isWhole: Bool = true) -> EncodingGuess {
    EncodingGuess(bytes.span, isWhole: isWhole)
  }

  @Test("UTF-8 is certain, also if the last character is cut")
  func utf8() {
    let text = Array("13800138000,骚扰电话".utf8)
    #expect(guess(text) == EncodingGuess(.validUTF8))
    #expect(guess(Array(text.dropLast(2)), isWhole: false) == EncodingGuess(.validUTF8))
    #expect(guess([]) == EncodingGuess(.validUTF8))
  }

  @Test("ISO-2022-JP is recognised by its escape sequences, which are not those of terminals")
  func escapes() {
    #expect(
      guess(Array("03-1234-5678,\u{1B}$B4+\u{1B}(B".utf8)) == EncodingGuess(.escapes, name: "ISO-2022-JP"))
    #expect(guess(Array("03-1234-5678,\u{1B}[31m$B".utf8)) == EncodingGuess(.validUTF8))
  }

  @Test("UTF-16 without a mark is recognised by its zero bytes")
  func utf16() {
    let units = "13800138000,骚扰电话\n".utf16
    #expect(guess(units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }).name == "UTF-16LE")
    #expect(guess(units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }).name == "UTF-16BE")
  }

  @Test("one damaged row does not make UTF-8 another encoding")
  func damaged() {
    let text = Array(String(repeating: "13800138000,骚扰电话\n", count: 50).utf8) + [0xFF, 0x0A]
    #expect(guess(text) == EncodingGuess(.validUTF8))
  }

  @Test("Western European text is windows-1252")
  func western() {
    // Müller, Büro, Straße
    let text: [UInt8] = [
      0x4D, 0xFC, 0x6C, 0x6C, 0x65, 0x72, 0x2C, 0x42, 0xFC, 0x72, 0x6F, 0x2C, 0x61, 0xDF, 0x65,
    ]
    #expect(guess(text) == EncodingGuess(.plausible, name: "WINDOWS-1252"))
  }

  @Test("random bytes are not text in any encoding")
  func noise() {
    var state: UInt64 = 7
    let bytes = (0..<4096).map { _ -> UInt8 in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 40) | 1
    }
    #expect(guess(bytes).basis == .unknown)
  }

  @Test("a declared encoding that XML readers do not read is chosen")
  func declared() {
    #expect(guess(Array("<?xml version=\"1.0\" encoding=\"GB18030\"?><plist/>".utf8)).name == "GB18030")
    #expect(
      guess(Array("<?xml version=\"1.0\" encoding=\"iso-8859-1\"?><plist/>".utf8)) == EncodingGuess(.declared)
    )
  }
}
