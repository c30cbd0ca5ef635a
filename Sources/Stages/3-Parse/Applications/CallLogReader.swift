// Logs of calls in XML. The number of each blocked call is a row, with the contact's name or the comment as its label; the
// log states which calls its telephone has blocked, and any other call is a reject: it may be a friend's, or an outgoing
// one. If the number's field is chosen, all calls are rows.
//
//     <calls count="…"><call number="…" type="6" date="1520000000000" contact_name="…"/></calls>       SMS Backup & Restore
//     <calls><entry calltype="call_in_blocked"><date>17.06.2009 08:18</date><caller>…</caller></entry></calls>     JFritz
//
// Sources: SMS Backup & Restore, "Fields in XML Backup Files" (types: 1 incoming, 2 outgoing, 3 missed, 4 voicemail, 5
// rejected, 6 refused list); an unknown contact as karlicoss/HPI, my/smscalls.py has it; jfritz-org/jfritz, CallType.java,
// Call.java.

import Records
import SystemIO

extension ParseOptions.Format {
  static let calls = Self("calls")
}

extension FormatDescription {
  static let callLog = FormatDescription(
    format: .calls, what: "a call log of SMS Backup & Restore or JFritz: its blocked calls",
    recognised: "the root element", matches: { XMLStart.root($0) == "calls" },
    makeReader: { XMLReader($0, CallLogHandler($0)) })
}

/// Makes rows from calls, whose fields are the attributes and the elements of each.
private final class CallLogHandler: XMLRowHandler {
  private let namesOfCalls: NamedFields
  private let namesOfEntries: NamedFields
  private let listsAllCalls: Bool
  private let recordBytesMax: Int

  private(set) var names: NamedFields
  private(set) var chosenFields: ChosenFields
  /// The number of open elements.
  private var depth = 0
  private var isInCall = false
  private var place = RecordPosition()
  private var fields = RowFields()
  private var rejectReason: ParseReject?
  /// The fields that are read from the current element, and its text.
  private var targetFields: FieldSet = []
  private var text: ContiguousArray<UInt8> = []
  /// The number of bytes of the call that are stored.
  private var kept = 0

  init(_ setting: ReaderConfiguration) {
    namesOfCalls = NamedFields(setting.options, number: "number", label: "contact_name")
    namesOfEntries = NamedFields(setting.options, number: "caller", label: "comment")
    names = namesOfCalls
    listsAllCalls = setting.options.numberField != nil
    chosenFields = ChosenFields(setting.options)
    recordBytesMax = setting.options.recordBytesMax
  }

  func reset() {
    names = namesOfCalls
    chosenFields.reset()
    depth = 0
    isInCall = false
    targetFields = []
  }

  func start(
    _ name: Span<UInt8>, _ attributes: borrowing XMLAttributes, at place: () -> RecordPosition,
    into rows: inout RowWriter
  ) throws(Failure) {
    depth += 1
    targetFields = []
    switch depth {
    case 1:
      if !name.equals("calls") { throw .otherRoot(name, expected: "calls", at: place(), rows.input) }
    case 2:
      let isEntry = name.equals("entry")
      isInCall = isEntry || name.equals("call")
      guard isInCall else { return }
      self.place = place()
      names = isEntry ? namesOfEntries : namesOfCalls
      let type = attributes.value(of: isEntry ? "calltype" : "type")
      begin(attributes, isBlocked: type.span.equals(isEntry ? "call_in_blocked" : "6"))
    case 3 where isInCall:
      text.removeAll(keepingCapacity: true)
      targetFields = fields(named: name)
    default: break
    }
  }

  private func begin(_ attributes: borrowing XMLAttributes, isBlocked: Bool) {
    fields.removeAll()
    kept = 0
    rejectReason = isBlocked || listsAllCalls ? nil : .notBlocked
    attributes.forEach { name, value in
      let found = fields(named: name)
      if !found.isEmpty { keep(value.count) }
      fields.set(found, value)
    }
    if fields.label.span.equals("(Unknown)") { fields.label.removeAll() }
  }

  private func fields(named name: Span<UInt8>) -> FieldSet {
    let found = names.fields(named: name)
    chosenFields.note(name, readInto: found)
    return found
  }

  func end(
    _ name: Span<UInt8>, at place: () -> RecordPosition, into rows: inout RowWriter
  ) throws(Failure) {
    depth -= 1
    if depth == 0 { return try chosenFields.checkNumber(rows.input) }
    if !targetFields.isEmpty { fields.set(targetFields, text) }
    targetFields = []
    guard depth == 1, isInCall else { return }
    isInCall = false
    if rejectReason == nil, names.number != nil, fields.number.isEmpty { rejectReason = .missingNumber }
    if let rejectReason { return try rows.reject(fields, at: self.place, rejectReason) }
    try rows.add(&fields, at: self.place)
  }

  func text(_ bytes: Span<UInt8>) {
    if targetFields.isEmpty { return }
    keep(bytes.count)
    if kept <= recordBytesMax { text.append(copying: bytes) }
  }

  private func keep(_ bytes: Int) {
    kept += bytes
    if kept > recordBytesMax { rejectReason = .recordTooLong(limit: recordBytesMax) }
  }

  func unknownEntity() {
    if !targetFields.isEmpty { rejectReason = .unknownEntity }
  }
}
