// Contacts: which numbers they collect, and how they are written as vCards and phone books.
//
// Not for: other programs that read them (Oracle/read_contacts.py), or reading them back (the session contacts.md).

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
}
