// The phone books of FRITZ!Box routers: XML in which a contact has a name and numbers. Each number is a row, with the
// contact's name as its label and the book's name as its source. Contacts without numbers are not rows, nor are empty
// numbers; the router writes one for each kind of number that a contact lacks.
//
//     <phonebooks><phonebook name="…"><contact><person><realName>…</realName></person>
//       <telephony><number type="home">…</number></telephony></contact></phonebook></phonebooks>

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

/// Forwards a phone book's elements to ``PhoneBookRows``.
private final class PhoneBookHandler: XMLRowHandler {
  private var machine: PhoneBookRows
  /// The name of the root element, once it was read.
  private var root: ContiguousArray<UInt8>?

  init(_ setting: ReaderConfiguration) { machine = PhoneBookRows(setting.options) }

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
    machine.start(name, attributes, at: place)
  }

  func end(_ name: Span<UInt8>, into rows: inout RowWriter) throws(Failure) {
    try machine.end(name, &rows)
    if let root, name.equals(root) { try machine.chosenFields.checkNumber(rows.input) }
  }

  var chosenFields: ChosenFields { machine.chosenFields }
  var names: NamedFields { machine.names }
  func text(_ bytes: Span<UInt8>) { machine.add(bytes) }
  func unknownEntity() { machine.unknownEntity() }

  func reset() {
    root = nil
    machine.reset()
  }
}

struct PhoneBookRows: ~Copyable {
  /// A number, until its contact ends and the label is known.
  private struct Number {
    var text: ContiguousArray<UInt8>
    var kind: ContiguousArray<UInt8>
    var place: RecordPosition
  }

  let names: NamedFields
  private(set) var chosenFields: ChosenFields
  private let recordBytesMax: Int

  private var book: ContiguousArray<UInt8> = []
  private var isInContact = false
  private var contactPlace = RecordPosition()
  private var numbers: [Number] = []
  /// The fields of the contact, as opposed to those of a number.
  private var fields = RowFields()
  private var seen: FieldSet = []
  private var rejectReason: ParseReject?
  private var kept = 0

  /// The fields that are read from the current element, and its text.
  private var targetFields: FieldSet = []
  private var text: ContiguousArray<UInt8> = []
  private var kind: ContiguousArray<UInt8> = []
  private var numberPlace = RecordPosition()

  init(_ options: ParseOptions) {
    names = NamedFields(options, number: "number", label: "realName", source: "phonebook")
    chosenFields = ChosenFields(options)
    recordBytesMax = options.recordBytesMax
  }

  mutating func reset() {
    book.removeAll()
    chosenFields.reset()
    isInContact = false
    targetFields = []
  }

  mutating func start(
    _ name: Span<UInt8>, _ attributes: borrowing XMLAttributes, at place: () -> RecordPosition
  ) {
    text.removeAll(keepingCapacity: true)
    targetFields = []
    if !isInContact {
      if name.equals("contact") {
        beginContact(place())
      } else if name.equals("phonebook") {
        book = attributes.value(of: "name")
      }
      return
    }
    targetFields = names.fields(named: name)
    // The elements around the fields are none themselves.
    if !name.equals("person"), !name.equals("telephony"), !name.equals("services") {
      chosenFields.note(name, readInto: targetFields)
    }
    guard targetFields.contains(.number) else { return }
    numberPlace = place()
    kind = attributes.value(of: "type")
    keep(kind.count)
  }

  private mutating func beginContact(_ place: RecordPosition) {
    isInContact = true
    contactPlace = place
    numbers.removeAll(keepingCapacity: true)
    fields.removeAll()
    let ofBook = names.fields(named: ContiguousArray("phonebook".utf8).span)
    fields.set(ofBook, book)
    if !ofBook.isEmpty { chosenFields.note(ContiguousArray("phonebook".utf8).span, readInto: ofBook) }
    seen = []
    rejectReason = nil
    kept = 0
  }

  mutating func end(_ name: Span<UInt8>, _ rows: inout RowWriter) throws(Failure) {
    guard isInContact else { return }
    if name.equals("contact") {
      isInContact = false
      targetFields = []
      return try endContact(&rows)
    }
    if targetFields.contains(.number), !Self.isBlank(text), rejectReason == nil {
      numbers.append(Number(text: text, kind: kind, place: numberPlace))
      keep(Self.numberBytes)
    }
    // If several elements have the same name, the first one that is not blank is used.
    let newFields = targetFields.subtracting(seen).subtracting(.number)
    if !newFields.isEmpty, !Self.isBlank(text) {
      fields.set(newFields, text)
      seen.formUnion(newFields)
    }
    targetFields = []
  }

  /// The memory of a number besides its text, in bytes. It is counted, so that a contact with a million numbers is too
  /// long.
  private static let numberBytes = 64

  private static func isBlank(_ text: borrowing ContiguousArray<UInt8>) -> Bool {
    text.span.skippingSpace() == text.count
  }

  /// Stores a part of the current text, if it is needed.
  mutating func add(_ bytes: Span<UInt8>) {
    guard !targetFields.isEmpty else { return }
    keep(bytes.count)
    if rejectReason == nil { text.append(copying: bytes) }
  }

  private mutating func keep(_ bytes: Int) {
    kept += bytes
    if kept > recordBytesMax, rejectReason == nil { rejectReason = .recordTooLong(limit: recordBytesMax) }
  }

  /// Records that the current text refers to an unknown entity.
  mutating func unknownEntity() {
    if !targetFields.isEmpty, rejectReason == nil { rejectReason = .unknownEntity }
  }

  private mutating func endContact(_ rows: inout RowWriter) throws(Failure) {
    if let rejectReason {
      if let first = numbers.first { fields.number = first.text }
      return try rows.reject(fields, at: contactPlace, rejectReason)
    }
    let ofKind = names.fields(named: ContiguousArray("type".utf8).span).subtracting(.number)
    if !ofKind.isEmpty { chosenFields.note(ContiguousArray("type".utf8).span, readInto: ofKind) }
    for number in numbers {
      fields.number = number.text
      fields.set(ofKind, number.kind)
      try rows.add(&fields, at: number.place)
    }
  }
}
