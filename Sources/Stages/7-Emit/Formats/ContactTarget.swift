// Writes records as contacts: names with up to a number of phone numbers each.

import BasicContainers
import DequeModule
import Records
import SystemIO
import SystemPackage

/// What a list of contacts looks like.
protocol ContactForm {
  /// The bytes before the first contact of one of several files.
  func header(ofBook number: Int) -> [UInt8]
  /// The bytes after the last contact.
  var footer: [UInt8] { get }
  func append(_ contact: Contact, to text: inout [UInt8])
  /// Whether a name is read as it was written.
  func canRepresent(name: String) -> Bool
}

/// How many contacts were written, and the numbers in them.
package struct ContactCounts: Equatable, Sendable {
  package var contacts: UInt64 = 0
  package var numbers: UInt64 = 0

  /// The number of files of at most `limit` contacts that are needed.
  func files(limit: UInt64) -> UInt64 { contacts / limit + (contacts % limit > 0 ? 1 : 0) }

  /// What to do about more contacts than `files` files have space for, `limit` in each. The numbers that are kept are
  /// those of as many contacts, if these are about as full.
  func advice(limit: UInt64, files: Int, isFile: Bool) -> String {
    let numbers = Double(numbers) * Double(limit) * Double(files) / Double(contacts)
    let kept = "keep the most important numbers: cdpipe dedupe --limit \(UInt64(numbers))"
    let needed = self.files(limit: limit)
    if !isFile || needed > UInt64(EmitOptions.booksMax) { return kept }
    return "write \(needed) files with \(option: "books", String(needed)), or \(kept)"
  }
}

final class ContactTarget: ListTarget, EmitTarget {
  private let form: any ContactForm
  private let ranges: EntryRanges
  private let numbersMax: Int
  private let options: EmitOptions
  private let context: StageContext
  private var contacts: OpenContacts
  private var numbers: UInt64 = 0
  /// The complete files before the one that is being written, and the number of contacts in them.
  private var complete: (files: [EmitFile], contacts: UInt64) = ([], 0)

  init(
    _ form: any ContactForm, numbersMax: Int, _ options: EmitOptions, _ context: StageContext
  ) throws(Failure) {
    self.form = form
    ranges = EntryRanges(.numbers, options)
    self.numbersMax = numbersMax
    self.options = options
    self.context = context
    contacts = OpenContacts(numbersMax: numbersMax)
    try super.init(header: form.header(ofBook: 1), options, context)
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
        numbers &+= 1
        if let full = contacts.add(block.prefix, to: name) { try append(full) }
        while let excess = contacts.takeExcess() { try append(excess) }
      }
    }
  }

  private func append(_ contact: Contact) throws(Failure) {
    if let books = options.books, let limit = options.format.entriesMax,
      entries - complete.contacts >= limit
    {
      guard complete.files.count + 1 < books else {
        // No file has space for it: it is counted for the error.
        entries &+= 1
        return
      }
      try endFile()
      complete = (complete.files + [file], entries)
      file = try EmitFile(options.path(ofBook: complete.files.count + 1), context)
      text += form.header(ofBook: complete.files.count + 1)
    }
    form.append(contact, to: &text)
    try endEntry()
  }

  private func endFile() throws(Failure) {
    text += form.footer
    try file.drain(&text)
  }

  func seal() throws(Failure) {
    for contact in contacts.takeAll() { try append(contact) }
    if let books = options.books, let limit = options.format.entriesMax {
      let counts = ContactCounts(contacts: entries, numbers: numbers)
      if counts.files(limit: limit) > UInt64(books) { throw .tooManyBooks(counts, limit: limit, options) }
    }
    try endFile()
  }

  override func publish() throws(Failure) {
    let files = complete.files + [file]
    if files.count > 1 { for file in files { try file.sync() } }
    try UnpublishedFiles.shared.publishing { () throws(Failure) in
      for file in files { try file.publish() }
    }
  }

  override func outcome(_ output: inout EmittedOutput) {
    super.outcome(&output)
    for file in complete.files { output.bytes &+= file.bytes }
    if options.books != nil { return noteOtherBooks(&output) }
    if let limit = options.format.entriesMax, entries > limit {
      output.notices.append(
        .tooManyContacts(
          ContactCounts(contacts: entries, numbers: numbers), limit: limit, numbersMax: numbersMax,
          format: options.format, path: options.output))
    }
  }

  /// Notes files that a longer list may have left. They are not removed, because they may be another's.
  private func noteOtherBooks(_ output: inout EmittedOutput) {
    let first = complete.files.count + 2
    var next = first
    while next - first < EmitOptions.booksMax,
      FileKind(of: FilePath(options.path(ofBook: next)), calls: context.calls) != .none
    { next += 1 }
    if next == first { return }
    output.notices.append(
      .otherBooks(
        first: options.path(ofBook: first),
        last: next - first == 1 ? nil : options.path(ofBook: next - 1)))
  }
}

extension Failure {
  fileprivate static func tooManyBooks(
    _ counts: ContactCounts, limit: UInt64, _ options: EmitOptions
  ) -> Failure {
    let books = options.books ?? 1
    return Failure(
      .emit, .badData, "too-many-books",
      "'\(options.output)' needs \(Figures.counted(counts.files(limit: limit), "file")) of up to "
        + "\(Figures.grouped(limit)) contacts, and \(option: "books") allows \(books)",
      hint: counts.advice(limit: limit, files: books, isFile: true))
  }
}

extension EmitFormat {
  /// A format that is a list of contacts. `entriesMax` is a number of contacts.
  static func contacts(
    _ name: String, names: [String] = [], _ what: String, extensions: [String] = [], shared: [String] = [],
    numbers: ContactNumbers, entriesMax: UInt64?,
    form: @escaping @Sendable (EmitOptions) -> any ContactForm
  ) -> EmitFormat {
    EmitFormat(
      rawValue: name, otherNames: names, what: what, group: .contacts, extensions: extensions,
      sharedExtensions: shared, fields: .label, ranges: .numbers, hasNumberForms: true,
      entriesMax: entriesMax, contactNumbers: numbers
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

  /// The number of uses from which on those that others have followed are removed.
  private static let usesMin = 4096

  private struct OpenContact {
    var numbers: [UInt64] = []
    /// The use that opened the contact.
    let opened: UInt64
    var lastUse: UInt64 = 0
  }

  private let numbersMax: Int
  private let contactsMax: Int
  private let bytesMax: Int
  private var contacts: [[UInt8]: OpenContact] = [:]
  /// The last uses of the contacts, the oldest first, among uses that others have followed.
  private var uses = Deque<(name: [UInt8], use: UInt64)>()
  private var use: UInt64 = 0
  private var bytes = 0

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
    use += 1
    let count = Self.add(number, use, to: &contacts[name, default: OpenContact(opened: use)])
    bytes += MemoryLayout<UInt64>.size + (count == 1 ? name.count : 0)
    if count >= numbersMax { return close(name) }
    uses.append((name, use))
    if uses.count > Self.usesMin, uses.count > 2 * contacts.count {
      uses.removeAll { [contacts] in contacts[$0.name]?.lastUse != $0.use }
    }
    return nil
  }

  private static func add(_ number: UInt64, _ use: UInt64, to contact: inout OpenContact) -> Int {
    contact.numbers.append(number)
    contact.lastUse = use
    return contact.numbers.count
  }

  /// Closes and returns the contact that was not used for the longest time, if the contacts exceed a limit.
  mutating func takeExcess() -> Contact? {
    guard contacts.count > contactsMax || bytes > bytesMax else { return nil }
    while let oldest = uses.popFirst() {
      if contacts[oldest.name]?.lastUse == oldest.use { return close(oldest.name) }
    }
    return nil
  }

  /// Closes and returns all contacts, in the order in which they were opened.
  mutating func takeAll() -> [Contact] {
    let all = contacts.sorted { $0.value.opened < $1.value.opened }
    self = OpenContacts(numbersMax: numbersMax, contactsMax: contactsMax, bytesMax: bytesMax)
    return all.map { Contact(name: $0.key, numbers: $0.value.numbers) }
  }

  private mutating func close(_ name: [UInt8]) -> Contact {
    let numbers = contacts.removeValue(forKey: name)?.numbers ?? []
    bytes -= name.count + numbers.count * MemoryLayout<UInt64>.size
    return Contact(name: name, numbers: numbers)
  }
}
