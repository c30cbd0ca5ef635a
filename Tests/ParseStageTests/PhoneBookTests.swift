// Phone books: each number of a contact is a row with the contact's name.

import Records
import Testing

@testable import InputStages

@Suite struct PhoneBookTests {
  static func book(_ contacts: String..., name: String = " name=\"Sperrliste\"") -> String {
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<phonebooks>\n<phonebook owner=\"1\"\(name)>\n"
      + contacts.map { "<contact>\($0)</contact>\n" }.joined() + "</phonebook>\n</phonebooks>\n"
  }

  static func contact(_ name: String, _ numbers: String...) -> String {
    "<category>0</category><person><realName>\(name)</realName></person><telephony nid=\"\(numbers.count)\">"
      + numbers.map { "<number type=\"home\" prio=\"1\" id=\"0\">\($0)</number>" }.joined()
      + "</telephony><services/><setup/><uniqueid>7</uniqueid>"
  }

  static let sample = book(
    contact("Gewinnspiel &amp; Co", "0301234567", "+49 30 765432"), contact("Ohne"),
    "<telephony><number type=\"mobile\">0151999</number><number type=\"work\"/><number> </number></telephony><person><realName>Später</realName></person>"
  )

  @Test(arguments: [ParseOptions.Format.phonebook, .auto])
  func everyNumberIsARow(_ format: ParseOptions.Format) throws {
    let outcome = try parseHoweverCut(Self.sample, options(format))
    #expect(
      outcome.rows == [
        RawRow("0301234567", "Gewinnspiel & Co\tSperrliste"),
        RawRow("+49 30 765432", "Gewinnspiel & Co\tSperrliste"),
        RawRow("0151999", "Später\tSperrliste"),
      ])
    #expect(outcome.rejects == [] && outcome.failure == nil)
  }

  @Test(arguments: [ParseOptions.Format.phonebook, .auto])
  func jfritz(_ format: ParseOptions.Format) throws {
    let book = """
      <?xml version="1.0" encoding="UTF-8"?>
      <phonebook>
      <comment>Phonebook for JFritz v0.7.2</comment>
      <entry private="false">
      \t<name>
      \t\t<firstname>Erika</firstname>
      \t\t<lastname>Beispiel</lastname>
      \t</name>
      \t<address>
      \t\t<city>Berlin</city>
      \t</address>
      \t<phonenumbers standard="home">
      \t\t<number type="home">+4930231250001</number>
      \t\t<number type="mobile">+4930231250002</number>
      \t</phonenumbers>
      </entry>
      <entry private="true">
      \t<name>

      \t\t<lastname>Muster</lastname>
      \t</name>
      \t<phonenumbers standard="home">
      \t\t<number type="home">+4930231250003</number>
      \t</phonenumbers>
      </entry>
      </phonebook>

      """
    let outcome = try parseHoweverCut(book, options(format))
    #expect(
      outcome.rows.map(\.description) == [
        "+4930231250001|Erika Beispiel", "+4930231250002|Erika Beispiel", "+4930231250003|Muster",
      ])
    #expect(outcome.rejects == [] && outcome.failure == nil)
    let city = options(format) { $0.labelField = .name("city") }
    #expect(try parseHoweverCut(book, city).rows.first == RawRow("+4930231250001", "Berlin"))
  }

  @Test func fieldsAreChosen() throws {
    let chosen = options(.phonebook) {
      $0.labelField = .name("type")
      $0.sourceField = .name("category")
      $0.scoreField = .name("uniqueid")
    }
    let text = Self.book(Self.contact("a", "1", "2"))
    #expect(try parseHoweverCut(text, chosen).rows == [RawRow("1", "home\t0\t7"), RawRow("2", "home\t0\t7")])
    let none = options(.phonebook) { $0.sourceField = .constant("") }
    #expect(try parseHoweverCut(text, none).rows == [RawRow("1", "a"), RawRow("2", "a")])
    #expect(
      try parseHoweverCut(Self.book(Self.contact("a", "1"), name: ""), options(.phonebook)).rows == [
        RawRow("1", "a")
      ])
  }

  @Test func aNumberThatNoContactHasIsAnError() throws {
    let chosen = options(.phonebook) { $0.numberField = .name("tel") }
    let failure = try parseHoweverCut(Self.book(Self.contact("a", "1", "2")), chosen).failure
    #expect(failure?.message.message == "'in0' has no field 'tel'")
    let names = try #require(failure?.message.hint)
    #expect(names.contains("number") && names.contains("realName") && !names.contains("person"))
    #expect(try parseHoweverCut(Self.book(), chosen).failure == nil)
  }

  @Test func onlyTheBrokenContactIsLost() throws {
    for (broken, code) in [
      (Self.contact("x&undeclared;", "5"), "unknown-entity"),
      (Self.contact(String(repeating: "x", count: 700), "5"), "record-too-long"),
    ] {
      let text = Self.book(Self.contact("a", "1"), broken, Self.contact("c", "3"))
        .replacing("<phonebooks>", with: "<!DOCTYPE phonebooks SYSTEM \"x\"><phonebooks>")
      let outcome = try parseHoweverCut(text, options(.phonebook) { $0.recordBytesMax = 600 })
      #expect(outcome.rows == [RawRow("1", "a\tSperrliste"), RawRow("3", "c\tSperrliste")])
      #expect(outcome.codes == [code] && outcome.lines == [5])
    }
    // A name that is too long for a label rejects each of its numbers.
    let long = Self.book(
      Self.contact(String(repeating: "x", count: 33_000), "1", "2"), Self.contact("c", "3"))
    let outcome = try parseHoweverCut(long, options(.phonebook))
    #expect(
      outcome.codes == ["label-too-long", "label-too-long"] && outcome.rows == [RawRow("3", "c\tSperrliste")])
    #expect(outcome.rejects.map(\.text) == ["1", "2"])
  }

  @Test func aContactOfManyNumbersIsBounded() throws {
    let numbers = String(repeating: "<number>1</number>", count: 6_000)
    let text = Self.book("<telephony>\(numbers)</telephony>", Self.contact("c", "3"))
    let outcome = try parse(text, options(.phonebook) { $0.recordBytesMax = 100_000 })
    #expect(outcome.codes == ["record-too-long"] && outcome.rows == [RawRow("3", "c\tSperrliste")])
  }

  @Test func otherDocumentsAreNamed() throws {
    #expect(
      try parseHoweverCut("\n<plist/>", options(.phonebook)).failure
        == .otherRoot(
          Array("plist".utf8).span, expected: "phonebooks", at: RecordPosition(line: 2, byte: 1), "in0"))
    #expect(try parseHoweverCut("<phonebooks><phonebook>", options(.phonebook)).failure != nil)
  }

  @Test func manyContactsNeedNoMoreMemory() throws {
    // Only one contact is kept in memory, so the buffers do not grow.
    var text = "<phonebooks><phonebook>"
    for ordinal in 0..<5_000 { text += "<contact>\(Self.contact("n\(ordinal)", "\(ordinal)"))</contact>" }
    let outcome = try parse(text + "</phonebook></phonebooks>", options(.phonebook), cuts: [60_000])
    #expect(outcome.rows.count == 5_000 && outcome.rows.last == RawRow("4999", "n4999"))
  }

  @Test func mutatedBooks() throws {
    try fuzz(Array(Self.sample.utf8), [options(.phonebook), options(.auto)], turns: fuzzTurns)
  }
}
