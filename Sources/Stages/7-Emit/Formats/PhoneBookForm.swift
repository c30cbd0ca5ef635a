// The phone book of FRITZ!Box routers, as they export and import it: XML with contacts of up to nine numbers.
// A book can block calls (Calls > Call Blocking), or show names.
//
// Numbers have a plus sign unless another form is chosen. Ranges are written as all of their numbers: a trailing `*` is
// seen in books, but the manufacturer does not document what it stands for.
//
// Source: andig/carddav2fb, src/FritzBox/Converter.php (elements, nine numbers per contact),
// Kruemelino/FBoxAPI, Basics/Enums.vb (types), BlaM's gist db8ffdc86f236a221d69e92a01157762 (an export).
// Limits: haumacher/phoneblock, settings.html (1,000 entries recommended by the manufacturer, 2,000 work on
// current boxes; a box reports no error).

import NumberPlan

extension EmitFormat {
  package static let phonebook = contacts(
    "phonebook", names: ["fritzbox"], "the phone book of a FRITZ!Box", shared: ["xml"],
    numbers: ContactNumbers(standard: PhoneBookForm.numbersMax, max: PhoneBookForm.numbersMax),
    entriesMax: PhoneBookForm.contactsMax,
    form: { PhoneBookForm(bookName: $0.bookName, numbers: $0.numbers ?? .plus) })
}

struct PhoneBookForm: ContactForm {
  static let numbersMax = 9
  /// The number of contacts in a book that current boxes accept.
  static let contactsMax: UInt64 = 2_000

  let bookName: String
  var numbers = NumberForm.plus

  func header(ofBook number: Int) -> [UInt8] {
    let name = number == 1 ? bookName : "\(bookName) \(number)"
    return Array(
      """
      <?xml version="1.0" encoding="utf-8"?>
      <phonebooks>
      <phonebook name="\(XMLText.escaped(name))">

      """.utf8)
  }

  var footer: [UInt8] { Array("</phonebook>\n</phonebooks>\n".utf8) }

  func append(_ contact: Contact, to text: inout [UInt8]) {
    let name = XMLText.escaped(String(decoding: contact.name, as: UTF8.self))
    text += "<contact><category>0</category><person><realName>\(name)</realName></person>".utf8
    text += "<telephony nid=\"\(contact.numbers.count)\">".utf8
    for (index, number) in contact.numbers.enumerated() {
      text += "<number type=\"home\" prio=\"\(index == 0 ? 1 : 0)\" id=\"\(index)\">".utf8
      NumberPlan.append(number, as: numbers, to: &text)
      text += "</number>".utf8
    }
    text += "</telephony></contact>\n".utf8
  }

  func canRepresent(name: String) -> Bool {
    // A name of white space only is none.
    XMLText.canRepresent(name)
      && (name.isEmpty || !name.utf8.allSatisfy { $0 == 0x20 || (0x09...0x0D).contains($0) })
  }
}
