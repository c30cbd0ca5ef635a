// Writes records as contacts: names with up to a number of phone numbers each.
//
// Not for: which numbers belong together (OpenContacts).

import BasicContainers
import Records

/// What a list of contacts looks like.
protocol ContactForm {
  /// The bytes before the first contact.
  var header: [UInt8] { get }
  /// The bytes after the last contact.
  var footer: [UInt8] { get }
  /// Appends a contact.
  func append(_ contact: Contact, to text: inout [UInt8])
  /// Whether a name is read as it was written.
  func canRepresent(name: String) -> Bool
}

/// Writes records as the contacts of a form. A label is the name of its contacts.
final class ContactTarget: EmitTarget {
  private let form: any ContactForm
  private let ranges: EntryRanges
  private let file: EmitFile
  private var contacts: OpenContacts
  private var text: [UInt8]
  private var entries: UInt64 = 0
  private var replaced: RecordFieldSet = []

  init(
    _ form: any ContactForm, numbersMax: Int, _ options: EmitOptions, _ context: StageContext
  ) throws(Failure) {
    self.form = form
    ranges = EntryRanges(.numbers, options)
    contacts = OpenContacts(numbersMax: numbersMax)
    file = try EmitFile(options.output, context)
    text = form.header
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
    entries &+= 1
    if text.count >= EmitFile.flushBytes { try file.drain(&text) }
  }

  func seal() throws(Failure) {
    for contact in contacts.takeAll() { try append(contact) }
    text += form.footer
    try file.drain(&text)
  }

  func publish() throws(Failure) { try file.publish() }

  func outcome(_ output: inout EmittedOutput) {
    output.bytes = file.bytes
    output.entries = entries
    output.replaced = replaced
  }
}

extension EmitFormatDescription {
  /// A format that is a list of contacts. `entriesMax` is a number of contacts.
  static func contacts(
    _ format: EmitFormat, extensions: [String] = [], numbers: ContactNumbers, entriesMax: UInt64?,
    form: @escaping @Sendable (EmitOptions) -> any ContactForm
  ) -> EmitFormatDescription {
    EmitFormatDescription(
      format, extensions: extensions, fields: .label, ranges: .numbers, entriesMax: entriesMax,
      contactNumbers: numbers
    ) { (options, context) throws(Failure) in
      try ContactTarget(
        form(options), numbersMax: min(options.contactNumbers ?? numbers.standard, numbers.max), options,
        context)
    }
  }
}
