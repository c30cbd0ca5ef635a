// The phone books of FRITZ!Box routers and of JFritz: XML in which a contact has a name and numbers. Each number is a row,
// with the contact's name as its label and the book's name as its source. Contacts without numbers are not rows, nor are
// empty numbers; the router writes one for each kind of number that a contact lacks.
//
//     <phonebooks><phonebook name="…"><contact><person><realName>…</realName></person>
//       <telephony><number type="home">…</number></telephony></contact></phonebook></phonebooks>
//
//     <phonebook><entry private="false"><name><firstname>…</firstname><lastname>…</lastname></name>
//       <phonenumbers standard="home"><number type="home">…</number></phonenumbers></entry></phonebook>
//
// Source of the second form: jfritz-org/jfritz, PhonebookFileXMLHandler.java.

import Records
import SystemIO

extension ParseOptions.Format {
  static let phonebook = Self("phonebook")
}

extension FormatDescription {
  static let phoneBook = FormatDescription(
    format: .phonebook, what: "an XML phone book of a router or telephone", recognised: "the root element",
    matches: { ["phonebooks", "phonebook"].contains(XMLStart.root($0)) },
    makeReader: { XMLReader($0, PhoneBookHandler($0)) })
}

/// Makes rows from a phone book's elements.
private final class PhoneBookHandler: XMLRowHandler {
  let names: NamedFields
  private(set) var chosenFields: ChosenFields
  private let recordBytesMax: Int
  /// Whether the parts of a name are its label.
  private let readsNameParts: Bool

  /// The name of the root element, once it was read.
  private var root: ContiguousArray<UInt8>?
  private var book: ContiguousArray<UInt8> = []
  private var isInContact = false
  private var contact = ContactRows()

  /// The fields that are read from the current element, and its text.
  private var targetFields: FieldSet = []
  private var isNamePart = false
  private var text: ContiguousArray<UInt8> = []
  private var kind: ContiguousArray<UInt8> = []
  private var numberPlace = RecordPosition()

  init(_ setting: ReaderConfiguration) {
    names = NamedFields(setting.options, number: "number", label: "realName", source: "phonebook")
    chosenFields = ChosenFields(setting.options)
    recordBytesMax = setting.options.recordBytesMax
    readsNameParts = setting.options.labelField == nil
  }

  func reset() {
    root = nil
    book.removeAll()
    chosenFields.reset()
    isInContact = false
    targetFields = []
  }

  func start(
    _ name: Span<UInt8>, _ attributes: borrowing XMLAttributes, at place: () -> RecordPosition,
    into rows: inout RowWriter
  ) throws(Failure) {
    if root == nil {
      root = ContiguousArray(copying: name)
      if !name.equals("phonebooks"), !name.equals("phonebook") {
        throw .otherRoot(name, expected: "phonebooks", at: place(), rows.input)
      }
    }
    text.removeAll(keepingCapacity: true)
    targetFields = []
    if !isInContact {
      if isContact(name) {
        beginContact(place())
      } else if name.equals("phonebook") {
        book = attributes.value(of: "name")
      }
      return
    }
    targetFields = names.fields(named: name)
    // The elements around the fields are none themselves.
    let around: [StaticString] = ["person", "telephony", "services", "name", "phonenumbers", "address"]
    if !targetFields.isEmpty || !around.contains(where: { name.equals($0) }) {
      chosenFields.note(name, readInto: targetFields)
    }
    isNamePart = readsNameParts && (name.equals("firstname") || name.equals("lastname"))
    if isNamePart { targetFields.insert(.label) }
    guard targetFields.contains(.number) else { return }
    numberPlace = place()
    kind = attributes.value(of: "type")
    keep(kind.count + Self.elementBytes)
  }

  private func isContact(_ name: Span<UInt8>) -> Bool { name.equals("contact") || name.equals("entry") }

  private func beginContact(_ place: RecordPosition) {
    isInContact = true
    contact.begin(at: place)
    let ofBook = fields(named: "phonebook")
    contact.fields.set(ofBook, book)
  }

  /// The fields that are read from what has no element of its own.
  private func fields(named name: String) -> FieldSet {
    let bytes = ContiguousArray(name.utf8)
    let fields = names.fields(named: bytes.span)
    if !fields.isEmpty { chosenFields.note(bytes.span, readInto: fields) }
    return fields
  }

  func end(
    _ name: Span<UInt8>, at place: () -> RecordPosition, into rows: inout RowWriter
  ) throws(Failure) {
    if isInContact, isContact(name) {
      isInContact = false
      let kindFields = contact.rejectReason == nil ? fields(named: "type").subtracting(.number) : []
      try contact.end(kindsReadInto: kindFields, &rows)
    } else if isInContact, text.span.skippingSpace() < text.count {
      if targetFields.contains(.number), contact.rejectReason == nil {
        contact.add(text, kind, at: numberPlace)
      }
      if isNamePart, !contact.fields.label.isEmpty {
        contact.fields.label += [0x20] + text
      } else {
        contact.set(targetFields, text)
      }
    }
    targetFields = []
    isNamePart = false
    if let root, name.equals(root) { try chosenFields.checkNumber(rows.input) }
  }

  /// Stores a part of the current text, if it is needed.
  func text(_ bytes: Span<UInt8>) {
    guard !targetFields.isEmpty else { return }
    keep(bytes.count)
    if contact.rejectReason == nil { text.append(copying: bytes) }
  }

  /// The minimum size of a number's element, `<number></number>`, in bytes of the input.
  private static let elementBytes = 17

  private func keep(_ bytes: Int) {
    contact.kept += bytes
    if contact.kept > recordBytesMax { contact.reject(.recordTooLong(limit: recordBytesMax)) }
  }

  func unknownEntity() {
    if !targetFields.isEmpty { contact.reject(.unknownEntity) }
  }
}
