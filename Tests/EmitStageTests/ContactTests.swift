// Contacts: which numbers they collect, and how they are written as vCards and phone books.
//
// Not for: other programs that read them (Oracle/read_contacts.py), or reading them back (the session contacts.md).

import Records
import Synchronization
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import RecordStages

@Suite("Contacts")
struct ContactTests {
  // MARK: Collecting

  /// The simplest algorithm: an array of open contacts, the least recently used one first.
  private struct Model {
    let numbersMax: Int
    let contactsMax: Int
    let bytesMax: Int
    var open: [(serial: Int, contact: Contact)] = []
    var closed: [Contact] = []
    var serial = 0

    mutating func add(_ number: UInt64, to name: [UInt8]) {
      var entry = (serial: serial, contact: Contact(name: name, numbers: []))
      if let index = open.firstIndex(where: { $0.contact.name == name }) {
        entry = open.remove(at: index)
      } else {
        serial += 1
      }
      entry.contact.numbers.append(number)
      if entry.contact.numbers.count == numbersMax {
        closed.append(entry.contact)
      } else {
        open.append(entry)
      }
      while open.count > contactsMax || bytes > bytesMax { closed.append(open.removeFirst().contact) }
    }

    var bytes: Int { open.reduce(0) { $0 + $1.contact.name.count + 8 * $1.contact.numbers.count } }

    mutating func finish() { closed += open.sorted { $0.serial < $1.serial }.map(\.contact) }
  }

  @Test("numbers of a label become contacts, within the limits of contacts, numbers and bytes")
  func collecting() {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("ContactTests: seed \(seed)")
    var random = SplitMix64(seed: seed)
    for _ in 0..<100 {
      let limits = (1 + random.below(5), 1 + random.below(6), 20 + random.below(200))
      let labels = 1 + random.below(12)
      var model = Model(numbersMax: limits.0, contactsMax: limits.1, bytesMax: limits.2)
      var contacts = OpenContacts(numbersMax: limits.0, contactsMax: limits.1, bytesMax: limits.2)
      var closed: [Contact] = []
      for number in 0..<UInt64(random.below(200)) {
        let name = Array(repeating: UInt8(ascii: "x"), count: random.below(labels))
        model.add(number, to: name)
        if let full = contacts.add(number, to: name) { closed.append(full) }
        while let excess = contacts.takeExcess() { closed.append(excess) }
      }
      closed += contacts.takeAll()
      model.finish()
      #expect(closed == model.closed, "seed \(seed)")
    }
  }

  // MARK: vCards

  private func vCard(_ name: String, _ version: VCardForm.Version = .three, _ numbers: [UInt64] = [1])
    -> String
  {
    var text: [UInt8] = []
    VCardForm(version: version).append(Contact(name: Array(name.utf8), numbers: numbers), to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  @Test("a card has the required properties, and one TEL per number")
  func card() {
    for (version, text) in [(VCardForm.Version.three, "3.0"), (.four, "4.0")] {
      #expect(
        vCard("A; \"b\", \\c\nd", version, [4930, 86_755]) == """
          BEGIN:VCARD\r
          VERSION:\(text)\r
          N:A\\; "b"\\, \\\\c\\nd;;;;\r
          FN:A\\; "b"\\, \\\\c\\nd\r
          TEL:+4930\r
          TEL:+86755\r
          END:VCARD\r\n
          """)
    }
    #expect(vCard("").contains("\r\nN:;;;;\r\nFN:\r\n"))
    #expect(vCard("a\r\nb\rc\u{07}").contains("\r\nFN:a\\nb\\nc\u{FFFD}\r\n"))
  }

  @Test("lines have at most 75 bytes, and no character is cut")
  func folding() {
    for length in Array(0...40) + Array(65...85) + Array(140...155) + [220] {
      for character in ["a", "é", "话", "😀", "\\", " "] {
        let line =
          "FN:" + String(repeating: "x", count: length % 7) + String(repeating: character, count: length)
        var text: [UInt8] = []
        VCardForm.appendFolded(Array(line.utf8), to: &text)
        let folded = String(decoding: text, as: UTF8.self)
        let lines = folded.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
        let areLines = lines.enumerated().allSatisfy { index, part in
          part.count <= 76 && part.last == 0x0D && (index == 0 || part.first == 0x20)
        }
        let joined = lines.enumerated().flatMap { $1.dropFirst($0 == 0 ? 0 : 1).dropLast() }
        #expect(
          areLines && joined.elementsEqual(line.utf8) && folded.utf8.elementsEqual(text),
          "\(character) \(length)")
        // As few lines as possible, but for characters that do not fit the end of one.
        #expect(lines.count <= 1 + line.utf8.count / 70)
      }
    }
  }

  @Test("which names a vCard and a phone book can't represent")
  func names() {
    let card = VCardForm(version: .three)
    for name in ["", "a", "a b", "a\tb", "a\nb", "话,;\\"] { #expect(card.canRepresent(name: name)) }
    for name in [" ", " a", "a\n", "a\rb", "a\u{07}", "\u{7F}"] { #expect(!card.canRepresent(name: name)) }
    let book = PhoneBookForm(bookName: "")
    for name in ["", "a", " a ", "a\tb", "a\nb", "a\rb", "<&>\"'", "话"] {
      #expect(book.canRepresent(name: name))
    }
    for name in [" ", "\n\t", "a\u{07}", "\u{FFFF}"] { #expect(!book.canRepresent(name: name)) }
  }

  // MARK: Phone books

  @Test("a phone book has a name, contacts, and at most nine numbers in each")
  func phoneBook() throws {
    let directory = try TemporaryDirectory()
    var options = EmitOptions(format: .phonebook, output: directory / "book.xml")
    options.bookName = "Me & \"you\""
    options.contactNumbers = 50
    let stage = try StageFixture(.emit)
    try feed(
      [TestRecord(31, to: 39, "<a>"), TestRecord(40, "b"), TestRecord(41, "<a>")],
      to: try Emitter(options: [options], context: stage.context))
    let numbers = (31...39).enumerated().map { index, number in
      "<number type=\"home\" prio=\"\(index == 0 ? 1 : 0)\" id=\"\(index)\">+\(number)</number>"
    }.joined()
    func contact(_ name: String, _ count: Int, _ numbers: String) -> String {
      "<contact><category>0</category><person><realName>\(name)</realName></person>"
        + "<telephony nid=\"\(count)\">\(numbers)</telephony></contact>"
    }
    #expect(
      directory.text("book.xml") == """
        <?xml version="1.0" encoding="utf-8"?>
        <phonebooks>
        <phonebook name="Me &amp; &quot;you&quot;">
        \(contact("&lt;a&gt;", 9, numbers))
        \(contact("b", 1, "<number type=\"home\" prio=\"1\" id=\"0\">+40</number>"))
        \(contact("&lt;a&gt;", 1, "<number type=\"home\" prio=\"1\" id=\"0\">+41</number>"))
        </phonebook>
        </phonebooks>

        """)
  }

  // MARK: Several files

  /// Options for contacts of at most two numbers, in a format that accepts `limit` contacts.
  private static func options(_ form: EmitFormat, limit: Int, _ output: String) -> EmitOptions {
    var form = form
    form.entriesMax = UInt64(limit)
    var options = EmitOptions(format: form, output: output)
    options.allowsEmpty = true
    options.contactNumbers = 2
    return options
  }

  /// The contacts in a phone book or a file of vCards.
  private static func contacts(_ text: String) -> [Substring] {
    text.hasPrefix("<?xml")
      ? text.split(separator: "\n").filter { $0.hasPrefix("<contact>") }
      : text.split(separator: "BEGIN:VCARD")
  }

  @Test("the files together have the contacts of a single one, in its order", .seeded)
  func books() throws {
    var random = SplitMix64(test: "books")
    for round in 0..<60 {
      let form: EmitFormat = [.phonebook, .vcard, .vcard4][round % 3]
      let limit = 1 + random.below(5)
      let records = (0..<UInt64(random.below(30))).map { TestRecord(31 + $0, "label \(random.below(6))") }
      let directory = try TemporaryDirectory()
      var options = Self.options(form, limit: limit, directory / "single.x")
      try EmitterTests.emit(records, [options])
      let single = Self.contacts(try #require(directory.text("single.x")))
      let needed = max(1, (single.count + limit - 1) / limit)
      options.output = directory / "book.x"
      options.books = needed + random.below(2)
      try EmitterTests.emit(records, [options])
      var united: [Substring] = []
      for number in 1...needed {
        let text = try #require(directory.text("book-\(number).x"), "\(form) \(number) of \(needed)")
        united += Self.contacts(text)
        #expect(Self.contacts(text).count <= limit)
        #expect(form != .phonebook || text.hasPrefix("<?xml") && text.hasSuffix("</phonebooks>\n"))
        let name = number == 1 ? "cdpipe" : "cdpipe \(number)"
        #expect(form != .phonebook || text.contains("<phonebook name=\"\(name)\">"))
      }
      #expect(united == single, "\(form)")
      #expect(directory.names.count == needed + 1, "\(directory.names)")
    }
  }

  @Test("contacts that need more files are an error, which leaves the files of an earlier run")
  func tooFewBooks() throws {
    let directory = try TemporaryDirectory()
    var options = Self.options(.phonebook, limit: 3, directory / "a.b" + "/book.de.xml")
    options.books = 2
    try EmitterTests.emit([TestRecord(31, to: 40)], [options])
    #expect(directory.names(in: "a.b") == ["book.de-1.xml", "book.de-2.xml"])
    let files = directory.names(in: "a.b").map { directory.read("a.b/\($0)") }
    let error = #expect(throws: Failure.self) {
      try EmitterTests.emit([TestRecord(31, to: 50)], [options])
    }
    #expect(error?.code == "too-many-books" && error?.errorClass == .badData)
    #expect(
      error?.message.message.contains("needs 4 files of up to 3 contacts, and --books allows 2") == true)
    // Six contacts of the ten had 12 of the 20 numbers.
    #expect(
      error?.message.hint
        == "write 4 files with --books 4, or keep the most important numbers: cdpipe dedupe --limit 12")
    // A disk that is full for the second file: none has its name yet.
    #expect(throws: Failure.self) {
      try EmitterTests.emit(
        [TestRecord(51, to: 60)], [options], calls: FailingCalls(.sync, at: 2, .fails(.noSpace)))
    }
    #expect(directory.names(in: "a.b").map { directory.read("a.b/\($0)") } == files)
  }

  @Test("a file that a longer list left is reported, and kept")
  func otherBooks() throws {
    let directory = try TemporaryDirectory()
    var options = Self.options(.vcard, limit: 1, directory / "c.vcf")
    options.books = 5
    try EmitterTests.emit([TestRecord(31, to: 40)], [options])
    #expect(directory.names == (1...5).map { "c-\($0).vcf" })
    let notices = Mutex<[EmitNotice]>([])
    let stage = try StageFixture(.emit)
    try feed(
      [TestRecord(31, to: 33)],
      to: try Emitter(
        options: [options], context: stage.context,
        notify: { notice in notices.withLock { $0 += [notice as? EmitNotice].compactMap { $0 } } }))
    #expect(
      notices.withLock { $0 } == [.otherBooks(first: directory / "c-3.vcf", last: directory / "c-5.vcf")])
    #expect(directory.names.count == 5)
  }

  @Test("how many numbers are kept, and how many files are needed, if there are too many contacts")
  func advice() {
    let full = ContactCounts(contacts: 2_223, numbers: 20_001)
    #expect(full.advice(limit: 2_000, files: 1, isFile: false).hasSuffix("--limit 17994"))
    #expect(
      UserMessage("", hint: full.advice(limit: 2_000, files: 1, isFile: true)).hint?
        .hasPrefix("write 2 files with --books 2, or keep") == true)
    // As many labels as numbers: nine times as many would not fit.
    #expect(
      ContactCounts(contacts: 2_501, numbers: 2_501).advice(limit: 2_000, files: 1, isFile: false)
        .hasSuffix("--limit 2000"))
    #expect(ContactCounts(contacts: 2_000, numbers: 9_000).files(limit: 2_000) == 1)
    #expect(
      !ContactCounts(contacts: 200_001, numbers: 200_001).advice(limit: 2_000, files: 1, isFile: true)
        .contains("books"))
  }
}
