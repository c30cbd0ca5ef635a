// Makes rows from vCards, property by property.
//
// Not for: splitting text into lines (VCardLineReader), or decoding a line (VCardLine).

import Records
import SystemIO

/// The state between the lines of a card.
struct VCardRows: ~Copyable {
  /// A number, until its card ends and the label is known.
  private struct Number {
    var text: ContiguousArray<UInt8>
    var place: RecordPosition
  }

  private let names: NamedFields
  private(set) var chosenFields: ChosenFields
  /// Whether the label is the card's name, which may come from one of several properties.
  private let hasDefaultLabel: Bool
  private let recordBytesMax: Int

  /// The number of open cards: more than one if a card contains its agent's card.
  private var depth = 0
  private var place = RecordPosition()
  private var numbers: [Number] = []
  private var fields = RowFields()
  private var seen: FieldSet = []
  /// The rank of the label; a lower one takes precedence.
  private var labelRank = VCardRows.noLabel
  private var rejectReason: ParseReject?
  private var kept = 0
  /// Whether the property of the last line was skipped: a line without a colon then belongs to it.
  private var wasSkipped = false
  /// Whether the last property was an agent, whose value is a card.
  private var wasAgent = false
  /// Whether lines outside of a card were rejected; up to the next card they are one reject.
  private var isRecovering = false

  private static let noLabel = 3
  /// The property of telephone numbers.
  static let numberName: StaticString = "TEL"
  /// The memory of a number besides its text, in bytes. It is counted, so that a card with a million numbers is too
  /// long.
  private static let numberBytes = 64

  init(_ options: ParseOptions) {
    names = NamedFields(options, number: Self.numberName)
    chosenFields = ChosenFields(options)
    hasDefaultLabel = options.labelField == nil
    recordBytesMax = options.recordBytesMax
  }

  mutating func reset() {
    depth = 0
    isRecovering = false
    chosenFields.reset()
  }

  /// Whether a property of this name is part of a row, or the start or end of a card.
  func isNeeded(_ name: Span<UInt8>) -> Bool {
    if name.equalsIgnoringCase("BEGIN") || name.equalsIgnoringCase("END") { return true }
    if depth != 1 { return depth == 0 || name.equalsIgnoringCase("AGENT") }
    return name.equalsIgnoringCase("AGENT") || rank(name) != nil || !chosen(name).isEmpty
  }

  /// The fields that are read from properties of this name. Names are compared without case.
  private func chosen(_ name: Span<UInt8>) -> FieldSet {
    var fields: FieldSet = []
    if let number = names.number, name.equalsIgnoringCase(number) { fields.insert(.number) }
    if let label = names.label, name.equalsIgnoringCase(label) { fields.insert(.label) }
    if let source = names.source, name.equalsIgnoringCase(source) { fields.insert(.source) }
    if let score = names.score, name.equalsIgnoringCase(score) { fields.insert(.score) }
    return fields
  }

  /// The rank of a property as the label, unless another one was chosen: the formatted name, the parts of the name, the
  /// organization.
  private func rank(_ name: Span<UInt8>) -> Int? {
    guard hasDefaultLabel else { return nil }
    if name.equalsIgnoringCase("FN") { return 0 }
    if name.equalsIgnoringCase("N") { return 1 }
    return name.equalsIgnoringCase("ORG") ? 2 : nil
  }

  /// Reads a logical line. Of a skipped line, only the start is available.
  mutating func receiveLine(
    _ line: Span<UInt8>, at linePlace: RecordPosition, isTooLong: Bool, isSkipped: Bool,
    _ rows: inout RowWriter
  ) throws(Failure) {
    if line.skippingSpace() == line.count { return }
    let name = VCardLine.name(line)
    let isEdge = name.equalsIgnoringCase("BEGIN") || name.equalsIgnoringCase("END")
    if isEdge, !isTooLong, Self.isCard(line) {
      return try name.equalsIgnoringCase("BEGIN") ? begin(at: linePlace, &rows) : end(&rows)
    }
    if depth == 0 { return try rejectOutside(line, at: linePlace, &rows) }
    wasAgent = name.equalsIgnoringCase("AGENT")
    if wasAgent, !isTooLong, VCardLine.beginsCard(line), depth < VCardLimits.depthMax {
      // The agent's card starts on the agent's own line.
      wasAgent = false
      depth += 1
      return
    }
    if depth > 1 { return }
    if isTooLong { return note(.recordTooLong(limit: recordBytesMax)) }
    if VCardLine.headEnd(line) == nil {
      // In version 2.1 the lines of a photo need not be folded.
      if !wasSkipped, !isSkipped { note(.unexpectedText) }
      return
    }
    wasSkipped = isSkipped
    if !isEdge, !name.equalsIgnoringCase("VERSION") { chosenFields.note(name, readInto: chosen(name)) }
    if !isSkipped { readProperty(name, line, at: linePlace) }
  }

  private static func isCard(_ line: Span<UInt8>) -> Bool {
    VCardLine.trimmed(VCardLine.value(line) ?? []).span.equalsIgnoringCase("VCARD")
  }

  private mutating func begin(at linePlace: RecordPosition, _ rows: inout RowWriter) throws(Failure) {
    if depth > 0, wasAgent, depth < VCardLimits.depthMax {
      wasAgent = false
      depth += 1
      return
    }
    if depth > 0 {
      // The previous card has no end.
      note(.missingEnd)
      try endCard(&rows)
    }
    depth = 1
    place = linePlace
    numbers.removeAll(keepingCapacity: true)
    fields.removeAll()
    seen = []
    labelRank = Self.noLabel
    rejectReason = nil
    kept = 0
    wasSkipped = false
    wasAgent = false
    isRecovering = false
  }

  private mutating func end(_ rows: inout RowWriter) throws(Failure) {
    wasAgent = false
    if depth == 0 { return }
    depth -= 1
    if depth == 0 { try endCard(&rows) }
  }

  /// Ends the input.
  mutating func finish(_ rows: inout RowWriter) throws(Failure) {
    guard depth > 0 else { return }
    depth = 0
    note(.truncated)
    try endCard(&rows)
  }

  private mutating func rejectOutside(
    _ line: Span<UInt8>, at linePlace: RecordPosition, _ rows: inout RowWriter
  ) throws(Failure) {
    if !isRecovering {
      try rows.reject(line: linePlace.line, byte: linePlace.byte, .unexpectedText, text: line)
    }
    isRecovering = true
  }

  private mutating func note(_ reason: ParseReject) {
    if rejectReason == nil { rejectReason = reason }
  }

  private mutating func readProperty(_ name: Span<UInt8>, _ line: Span<UInt8>, at linePlace: RecordPosition) {
    let targetFields = chosen(name)
    let rank = rank(name)
    if targetFields.isEmpty && rank == nil { return }
    kept += line.count
    if kept > recordBytesMax { note(.recordTooLong(limit: recordBytesMax)) }
    if rejectReason != nil, !numbers.isEmpty { return }
    guard let value = VCardLine.value(line) else { return note(.unexpectedText) }
    if targetFields.contains(.number) { readNumber(value.span, line, at: linePlace) }
    // If several properties have the same name, the first one that is not blank is used.
    let text = VCardLine.trimmed(VCardLine.unescaped(value.span))
    let newFields = targetFields.subtracting(seen).subtracting(.number)
    if !newFields.isEmpty, !text.isEmpty {
      fields.set(newFields, text)
      seen.formUnion(newFields)
    }
    if let rank, rank < labelRank {
      let label = rank == 0 ? text : Self.joined(VCardLine.parts(value.span), isName: rank == 1)
      if label.isEmpty { return }
      fields.label = label
      labelRank = rank
    }
  }

  /// Adds a number: a text, or a `tel:` URI without its scheme.
  private mutating func readNumber(_ value: Span<UInt8>, _ line: Span<UInt8>, at linePlace: RecordPosition) {
    let isURI = value.startsIgnoringCase("TEL:")
    let text =
      isURI
      ? VCardLine.trimmed(ContiguousArray(copying: value.extracting(4..<value.count)))
      : VCardLine.trimmed(VCardLine.unescaped(value))
    if text.isEmpty { return }
    kept += Self.numberBytes
    numbers.append(Number(text: text, place: linePlace))
  }

  /// Joins the parts of a name in spoken order (given names before the family name), or those of an organization.
  private static func joined(_ parts: [ContiguousArray<UInt8>], isName: Bool) -> ContiguousArray<UInt8> {
    // Family; given; additional; prefixes; suffixes (RFC 6350, section 6.2.2).
    let order = isName ? [3, 1, 2, 0, 4] : Array(parts.indices)
    var text: ContiguousArray<UInt8> = []
    for index in order where index < parts.count && !parts[index].isEmpty {
      if !text.isEmpty { text.append(0x20) }
      text.append(contentsOf: parts[index])
    }
    return text
  }

  private mutating func endCard(_ rows: inout RowWriter) throws(Failure) {
    if let rejectReason {
      if let first = numbers.first { fields.number = first.text }
      return try rows.reject(fields, at: place, rejectReason)
    }
    for number in numbers {
      fields.number = number.text
      try rows.add(&fields, at: number.place)
    }
  }
}
