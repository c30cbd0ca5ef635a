// Writes records as contacts: names with up to a number of phone numbers each.

import BasicContainers
import Records

/// What a list of contacts looks like.
protocol ContactForm {
  /// The bytes before the first contact.
  var header: [UInt8] { get }
  /// The bytes after the last contact.
  var footer: [UInt8] { get }
  func append(_ contact: Contact, to text: inout [UInt8])
  /// Whether a name is read as it was written.
  func canRepresent(name: String) -> Bool
}

final class ContactTarget: ListTarget, EmitTarget {
  private let form: any ContactForm
  private let ranges: EntryRanges
  private var contacts: OpenContacts

  init(
    _ form: any ContactForm, numbersMax: Int, _ options: EmitOptions, _ context: StageContext
  ) throws(Failure) {
    self.form = form
    ranges = EntryRanges(.numbers, options)
    contacts = OpenContacts(numbersMax: numbersMax)
    try super.init(header: form.header, options, context)
  }

  func write(_ batch: borrowing RecordBatch) throws(Failure) {
    var names: [[UInt8]] = []
    for index in 0..<batch.fieldsTable.count {
      let label = RecordFields.fields(batch.fieldsTable[index]).label
      if !form.canRepresent(name: label) { replaced.insert(.label) }
      names.append(Array(label.utf8))
    }
    for index in 0..<batch.count {
      let name = names[Int(batch.fieldsIndices[index])]
      try ranges.forEach(in: batch.firsts[index]...batch.lasts[index]) { (block) throws(Failure) in
        if let full = contacts.add(block.prefix, to: name) { try append(full) }
        while let excess = contacts.takeExcess() { try append(excess) }
      }
    }
  }

  private func append(_ contact: Contact) throws(Failure) {
    form.append(contact, to: &text)
    try endEntry()
  }

  func seal() throws(Failure) {
    for contact in contacts.takeAll() { try append(contact) }
    text += form.footer
    try file.drain(&text)
  }
}

extension EmitFormat {
  /// A format that is a list of contacts. `entriesMax` is a number of contacts.
  static func contacts(
    _ name: String, _ what: String, extensions: [String] = [], shared: [String] = [],
    numbers: ContactNumbers, entriesMax: UInt64?,
    form: @escaping @Sendable (EmitOptions) -> any ContactForm
  ) -> EmitFormat {
    EmitFormat(
      rawValue: name, what: what, group: .contacts, extensions: extensions, sharedExtensions: shared,
      fields: .label, ranges: .numbers, entriesMax: entriesMax, contactNumbers: numbers
    ) { (options, context) throws(Failure) in
      try ContactTarget(
        form(options), numbersMax: min(options.contactNumbers ?? numbers.standard, numbers.max), options,
        context)
    }
  }
}

// Collects the numbers of records into contacts: one contact per label, or several if there are many numbers.
//
// Records are in the order of their numbers, so the numbers of a label may be anywhere. A bounded number of
// contacts stays open for more numbers; when there are more, the one that was not used for the longest time
// is closed. So the result depends on nothing but the records.

/// A contact: a name and the numbers that have it.
struct Contact: Equatable {
  /// The label of the records, in UTF-8; may be empty.
  var name: [UInt8]
  /// Ascending, at least one.
  var numbers: [UInt64]
}

struct OpenContacts {
  /// The maximum number of open contacts, about 200 bytes each besides their numbers. Lists of spam have a few dozen
  /// labels; those of subscribers have a distinct label per number, and no limit would collect more of their numbers.
  static let contactsMax = 16_384
  /// The maximum size of the names and numbers of all open contacts, in bytes: 250 numbers each for 1,000 labels.
  static let bytesMax = 2 << 20

  /// An open contact, in a list from the least to the most recently used one.
  private struct Slot {
    var contact: Contact
    /// When the contact was opened.
    var serial: UInt64
    var older: Int
    var newer: Int
  }

  private static let none = -1

  private let numbersMax: Int
  private let contactsMax: Int
  private let bytesMax: Int
  private var slots: [Slot] = []
  private var free: [Int] = []
  private var indices: [[UInt8]: Int] = [:]
  private var oldest = none
  private var newest = none
  private var bytes = 0
  private var serial: UInt64 = 0

  /// Makes an empty collection of contacts of up to `numbersMax` numbers.
  init(
    numbersMax: Int, contactsMax: Int = OpenContacts.contactsMax, bytesMax: Int = OpenContacts.bytesMax
  ) {
    self.numbersMax = numbersMax
    self.contactsMax = contactsMax
    self.bytesMax = bytesMax
  }

  /// Adds a number. Returns its contact if it is full; it is then closed.
  mutating func add(_ number: UInt64, to name: [UInt8]) -> Contact? {
    let index: Int
    if let known = indices[name] {
      index = known
      if index != newest {
        unlink(index)
        linkAsNewest(index)
      }
    } else {
      index = open(name)
    }
    slots[index].contact.numbers.append(number)
    bytes += MemoryLayout<UInt64>.size
    return slots[index].contact.numbers.count < numbersMax ? nil : close(index)
  }

  /// Closes and returns the contact that was not used for the longest time, if the contacts exceed a limit.
  mutating func takeExcess() -> Contact? {
    guard indices.count > contactsMax || bytes > bytesMax, oldest != Self.none else { return nil }
    return close(oldest)
  }

  /// Closes and returns all contacts, in the order in which they were opened.
  mutating func takeAll() -> [Contact] {
    let contacts = indices.values.map { slots[$0] }.sorted { $0.serial < $1.serial }.map(\.contact)
    self = OpenContacts(numbersMax: numbersMax, contactsMax: contactsMax, bytesMax: bytesMax)
    return contacts
  }

  private mutating func open(_ name: [UInt8]) -> Int {
    let slot = Slot(
      contact: Contact(name: name, numbers: []), serial: serial, older: Self.none, newer: Self.none)
    serial += 1
    bytes += name.count
    let index: Int
    if let last = free.popLast() {
      slots[last] = slot
      index = last
    } else {
      slots.append(slot)
      index = slots.count - 1
    }
    indices[name] = index
    linkAsNewest(index)
    return index
  }

  private mutating func close(_ index: Int) -> Contact {
    let contact = slots[index].contact
    indices[contact.name] = nil
    unlink(index)
    slots[index].contact = Contact(name: [], numbers: [])
    free.append(index)
    bytes -= contact.name.count + contact.numbers.count * MemoryLayout<UInt64>.size
    return contact
  }

  private mutating func unlink(_ index: Int) {
    let (older, newer) = (slots[index].older, slots[index].newer)
    if older == Self.none { oldest = newer } else { slots[older].newer = newer }
    if newer == Self.none { newest = older } else { slots[newer].older = older }
  }

  private mutating func linkAsNewest(_ index: Int) {
    slots[index].older = newest
    slots[index].newer = Self.none
    if newest == Self.none { oldest = index } else { slots[newest].newer = index }
    newest = index
  }
}
