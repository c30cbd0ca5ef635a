// vCards of the versions 2.1, 3.0 and 4.0 (RFC 6350): each telephone number of a card is a row, and the card's name is
// its label. A card without numbers is not a row.
//
// The bytes are read line by line, and only the properties that are needed for rows are stored, so a photo costs
// nothing and may have any length.

import Records
import SystemIO

extension ParseOptions.Format {
  static let vcard = Self("vcard")
}

extension FormatDescription {
  static let vCard = FormatDescription(
    format: .vcard, what: "vCards", recognised: "BEGIN:VCARD",
    matches: { $0.startsIgnoringCase("BEGIN:VCARD", at: $0.skippingSpace()) },
    makeReader: { VCardReader($0) }, needsStart: true, hasLines: true)
}

/// The limits of reading vCards, with their reasons.
enum VCardLimits {
  /// The maximum size of a property's name with its group, in bytes. Real ones have a few dozen bytes.
  static let nameBytesMax = 256
  /// The deepest nesting of cards: version 2.1 lets a card contain its agent's card.
  static let depthMax = 8
}

/// The reader for the `vcard` format. It joins physical lines to logical ones: a line that starts with white space
/// continues the previous one, as does a line after a soft line break of quoted-printable.
final class VCardReader: FormatReader {
  private let options: ParseOptions
  private var card: VCardRows
  private let lineBytesMax: Int

  /// The stored part of the current logical line.
  private var line: ContiguousArray<UInt8> = []
  /// Whether a logical line has started.
  private var hasLine = false
  /// Whether the line's property is not needed, or too long: then nothing more is stored.
  private var isSkipping = false
  private var hasName = false
  private var isQuoted = false
  /// Whether the line's name and parameters have been read.
  private var isKnown = false
  private var isQuotedPrintable = false
  private var isTooLong = false
  /// Whether the next line continues this one, regardless of its first byte.
  private var isSoft = false
  /// The blanks at the start of such lines, as indexes in the logical line: text, or marks of folds.
  private var foldBlanks: [Int] = []
  private var isAtLineStart = true
  /// The last byte of the physical line that is not a carriage return, for lines that are not stored.
  private var lastByte: UInt8 = 0

  /// The position of the current byte, and that of the logical line's start.
  private var place = RecordPosition()
  private var linePlace = RecordPosition()
  private var hasBegun = false

  init(_ setting: ReaderConfiguration) {
    options = setting.options
    card = VCardRows(options, isConverted: setting.isConverted)
    lineBytesMax = options.recordBytesMax
  }

  var endFindings: [InputNotice.Finding] {
    [card.chosenFields.finding, card.undecodedFinding].compactMap(\.self)
  }

  func layout(of start: InputStart) -> InputLayout {
    InputLayout(NamedFields(options, number: VCardRows.numberName, label: "FN"), options)
  }

  func reset() {
    card.reset()
    forgetLine()
    isAtLineStart = true
    hasBegun = false
    place = RecordPosition()
  }

  private func forgetLine() {
    line.removeAll(keepingCapacity: true)
    hasLine = false
    isSkipping = false
    hasName = false
    isQuoted = false
    isKnown = false
    isQuotedPrintable = false
    isTooLong = false
    isSoft = false
    foldBlanks.removeAll(keepingCapacity: true)
    lastByte = 0
  }

  func read(_ window: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter) throws(Failure) -> Int {
    if !hasBegun {
      hasBegun = true
      place.byte = rows.windowStart
    }
    let start = place.byte
    var at = 0
    while at < window.count {
      if isAtLineStart {
        let isFolded = window[at] == 0x20 || window[at] == 0x09
        if hasLine, !isSoft, !isFolded { try endLine(&rows) }
        if hasLine, !isSoft, isFolded {
          // One byte of white space marks the fold and is not part of the line.
          at += 1
        } else if !hasLine {
          place.byte = start + UInt64(at)
          linePlace = place
          hasLine = true
        } else if isFolded, !isSkipping {
          foldBlanks.append(line.count)
        }
        isSoft = false
        lastByte = 0
        isAtLineStart = false
        continue
      }
      let end = LineScan.lineFeed(in: window, from: at)
      addPart(window.extracting(at..<end))
      at = end
      if end < window.count {
        at += 1
        place.line += 1
        endPhysicalLine()
      }
    }
    place.byte = start + UInt64(window.count)
    if isEnd {
      if hasLine { try endLine(&rows) }
      try card.finish(&rows)
      try card.chosenFields.checkNumber(rows.input)
    }
    return window.count
  }

  private func addPart(_ piece: Span<UInt8>) {
    if piece.isEmpty { return }
    var last = piece.count
    while last > 0, piece[last - 1] == 0x0D { last -= 1 }
    if last > 0 { lastByte = piece[last - 1] }
    if isSkipping && isKnown { return }
    var index = 0
    while index < piece.count, !isKnown, line.count <= lineBytesMax {
      line.append(piece[index])
      index += 1
      readHeader()
    }
    if isSkipping, isKnown { return }
    // One byte more than the limit shows that the line is too long, regardless of where the windows end.
    let space = lineBytesMax + 1 - line.count
    if index < piece.count, space > 0 {
      line.append(copying: piece.extracting(index..<min(piece.count, index + space)))
    }
    if line.count > lineBytesMax {
      isTooLong = !isSkipping
      isSkipping = true
      isKnown = true
    }
  }

  /// Processes the last byte of a line whose name and parameters have not ended yet.
  private func readHeader() {
    let last = line[line.count - 1]
    if last == UInt8(ascii: "\"") { isQuoted.toggle() }
    if !hasName, last == UInt8(ascii: ":") || last == UInt8(ascii: ";") {
      hasName = true
      // The parameters of a line that is not needed must be read nevertheless: they determine where it ends.
      isSkipping = !card.isNeeded(VCardLine.name(line.span))
    }
    if last == UInt8(ascii: ":"), !isQuoted {
      isKnown = true
      isQuotedPrintable = VCardLine.isQuotedPrintable(line.span)
    } else if !hasName, line.count > VCardLimits.nameBytesMax {
      isKnown = true
      isSkipping = true
    }
  }

  private func endPhysicalLine() {
    isAtLineStart = true
    if !isSkipping, line.last == 0x0D { line.removeLast() }
    guard isQuotedPrintable, lastByte == UInt8(ascii: "=") else { return }
    isSoft = true
    if !isSkipping, line.last == UInt8(ascii: "=") { line.removeLast() }
  }

  private func endLine(_ rows: inout RowWriter) throws(Failure) {
    // At the end of the input no line feed has caused the carriage return to be removed.
    if !isSkipping, line.last == 0x0D { line.removeLast() }
    var logicalLine: ContiguousArray<UInt8> = []
    swap(&logicalLine, &line)
    card.foldBlanks = foldBlanks
    try card.receiveLine(logicalLine.span, at: linePlace, isTooLong: isTooLong, isSkipped: isSkipping, &rows)
    swap(&logicalLine, &line)
    forgetLine()
  }
}

/// The state between the lines of a card.
struct VCardRows: ~Copyable {
  private let names: NamedFields
  private(set) var chosenFields: ChosenFields
  /// Whether the label is the card's name, which may come from one of several properties.
  private let hasDefaultLabel: Bool
  private let recordBytesMax: Int

  /// The number of open cards: more than one if a card contains its agent's card.
  private var depth = 0
  private var card = ContactRows()
  /// The rank of the label; a lower one takes precedence.
  private var labelRank = VCardRows.noLabel
  /// Whether the property of the last line was skipped: a line without a colon then belongs to it.
  private var wasSkipped = false
  /// Whether the last property was an agent, whose value is a card.
  private var wasAgent = false
  /// Whether lines outside of a card were rejected; up to the next card they are one reject.
  private var isRecovering = false

  /// The blanks of the current line that may mark folds.
  var foldBlanks: [Int] = []
  private let isConverted: Bool
  private var decoder = DeclaredEncoding()
  /// The number of texts that could not be decoded, and the encoding of the first one; empty if it declares none.
  private var undecodedCount: UInt64 = 0
  private var undecodedName = ""

  private static let noLabel = 3
  /// The property of telephone numbers.
  static let numberName: StaticString = "TEL"

  init(_ options: ParseOptions, isConverted: Bool) {
    self.isConverted = isConverted
    names = NamedFields(options, number: Self.numberName)
    chosenFields = ChosenFields(options)
    hasDefaultLabel = options.labelField == nil
    recordBytesMax = options.recordBytesMax
  }

  mutating func reset() {
    depth = 0
    isRecovering = false
    chosenFields.reset()
    undecodedCount = 0
  }

  var undecodedFinding: InputNotice.Finding? {
    undecodedCount == 0 ? nil : .undecodedTexts(undecodedCount, encoding: undecodedName)
  }

  /// Whether a property of this name is part of a row, or the start or end of a card.
  func isNeeded(_ name: Span<UInt8>) -> Bool {
    if name.equalsIgnoringCase("BEGIN") || name.equalsIgnoringCase("END") { return true }
    if depth != 1 { return depth == 0 || name.equalsIgnoringCase("AGENT") }
    return name.equalsIgnoringCase("AGENT") || rank(name) != nil || !chosen(name).isEmpty
  }

  /// The fields that are read from properties of this name. Names are compared without case.
  private func chosen(_ name: Span<UInt8>) -> FieldSet {
    names.fields { name.equalsIgnoringCase($0) }
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
    if isTooLong { return card.reject(.recordTooLong(limit: recordBytesMax)) }
    if VCardLine.headEnd(line) == nil {
      // In version 2.1 the lines of a photo need not be folded.
      if !wasSkipped, !isSkipped { card.reject(.unexpectedText) }
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
      card.reject(.missingEnd)
      try card.end(&rows)
    }
    depth = 1
    card.begin(at: linePlace)
    labelRank = Self.noLabel
    wasSkipped = false
    wasAgent = false
    isRecovering = false
  }

  private mutating func end(_ rows: inout RowWriter) throws(Failure) {
    wasAgent = false
    if depth == 0 { return }
    depth -= 1
    if depth == 0 { try card.end(&rows) }
  }

  /// Ends the input.
  mutating func finish(_ rows: inout RowWriter) throws(Failure) {
    guard depth > 0 else { return }
    depth = 0
    card.reject(.truncated)
    try card.end(&rows)
  }

  private mutating func rejectOutside(
    _ line: Span<UInt8>, at linePlace: RecordPosition, _ rows: inout RowWriter
  ) throws(Failure) {
    if !isRecovering {
      try rows.reject(line: linePlace.line, byte: linePlace.byte, .unexpectedText, text: line)
    }
    isRecovering = true
  }

  private mutating func readProperty(_ name: Span<UInt8>, _ line: Span<UInt8>, at linePlace: RecordPosition) {
    let targetFields = chosen(name)
    let rank = rank(name)
    if targetFields.isEmpty && rank == nil { return }
    card.kept += line.count
    if card.kept > recordBytesMax { card.reject(.recordTooLong(limit: recordBytesMax)) }
    if card.rejectReason != nil, card.hasNumber { return }
    guard let value = decodedValue(line) else {
      if targetFields.contains(.number) {
        return card.reject(VCardLine.value(line) == nil ? .unexpectedText : .invalidUTF8)
      }
      // The number is more important than a text.
      undecodedCount += 1
      if undecodedCount == 1 { undecodedName = VCardLine.charset(line) }
      return
    }
    if targetFields.contains(.number) { readNumber(value.span, line, at: linePlace) }
    let text = VCardLine.trimmed(VCardLine.unescaped(value.span))
    if !text.isEmpty { card.set(targetFields, text) }
    if let rank, rank < labelRank {
      let label = rank == 0 ? text : Self.joined(VCardLine.parts(value.span), isName: rank == 1)
      if label.isEmpty { return }
      card.fields.label = label
      labelRank = rank
    }
  }

  /// A line's value in UTF-8; nil if it is not in the encoding that it declares, or if that is unknown.
  private mutating func decodedValue(_ line: Span<UInt8>) -> ContiguousArray<UInt8>? {
    guard let bytes = VCardLine.value(line) else { return nil }
    let isEncoded = VCardLine.isEncoded(line)
    let charset = VCardLine.charset(line)
    // Bytes that are not encoded were converted with the input, or are rejected if they are not UTF-8.
    if !isEncoded, isConverted || charset.isEmpty { return bytes }
    if let text = decoder.text(bytes.span, charset) { return text }
    guard !foldBlanks.isEmpty else { return nil }
    // Some programs fold quoted-printable with blanks, even inside characters: there these are not text.
    var unfolded: ContiguousArray<UInt8> = []
    var start = 0
    for blank in foldBlanks where blank >= start && blank < line.count {
      unfolded.append(copying: line.extracting(start..<blank))
      start = blank + 1
    }
    unfolded.append(copying: line.extracting(start..<line.count))
    guard let whole = VCardLine.value(unfolded.span) else { return nil }
    return decoder.text(whole.span, charset)
  }

  /// Adds a number: a text, or a `tel:` URI without its scheme.
  private mutating func readNumber(_ value: Span<UInt8>, _ line: Span<UInt8>, at linePlace: RecordPosition) {
    let isURI = value.startsIgnoringCase("TEL:")
    let text =
      isURI
      ? VCardLine.trimmed(ContiguousArray(copying: value.extracting(4..<value.count)))
      : VCardLine.trimmed(VCardLine.unescaped(value))
    if text.isEmpty { return }
    card.add(text, at: linePlace)
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
}

// One logical line of a vCard, `[group.]NAME[;PARAMETER…]:VALUE`, and the decoding of its value.
//
// Source: RFC 6350, sections 3.3, 3.4, 5 and 6.4.1; versit's vCard 2.1 for quoted-printable and bare parameters.

enum VCardLine {
  /// The property's name without its group, from the start of a line.
  @_lifetime(copy line) static func name(_ line: Span<UInt8>) -> Span<UInt8> {
    var start = 0
    var end = 0
    while end < line.count, line[end] != UInt8(ascii: ":"), line[end] != UInt8(ascii: ";") {
      if line[end] == UInt8(ascii: ".") { start = end + 1 }
      end += 1
    }
    return line.extracting(start..<end)
  }

  /// The index of the colon after the name and the parameters; nil if there is none yet. A colon in a quoted parameter
  /// is text.
  static func headEnd(_ line: Span<UInt8>) -> Int? {
    var isQuoted = false
    for index in 0..<line.count {
      if line[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
      if line[index] == UInt8(ascii: ":"), !isQuoted { return index }
    }
    return nil
  }

  static func isQuotedPrintable(_ line: Span<UInt8>) -> Bool {
    has(line, "ENCODING", "QUOTED-PRINTABLE") || hasBare(line, "QUOTED-PRINTABLE")
  }

  /// Whether the line's value is base64 (RFC 2426, section 2.4.1; in version 2.1 by another name).
  private static func isBase64(_ line: Span<UInt8>) -> Bool {
    has(line, "ENCODING", "B") || has(line, "ENCODING", "BASE64") || hasBare(line, "BASE64")
  }

  /// Whether the line's value is encoded in ASCII.
  static func isEncoded(_ line: Span<UInt8>) -> Bool { isQuotedPrintable(line) || isBase64(line) }

  /// The encoding that the line declares for its value; empty if there is none.
  static func charset(_ line: Span<UInt8>) -> String {
    var name = ""
    forEachParameter(line) { parameter, value in
      if parameter.equalsIgnoringCase("CHARSET") {
        name = String(
          decoding: ContiguousArray(copying: value.extracting(first: charsetBytesMax)), as: UTF8.self)
      }
    }
    return name
  }
  private static let charsetBytesMax = 40

  /// Whether a parameter has a value, ignoring case.
  static func has(_ line: Span<UInt8>, _ parameter: StaticString, _ value: StaticString) -> Bool {
    var isFound = false
    forEachParameter(line) { name, parameterValue in
      if name.equalsIgnoringCase(parameter), parameterValue.equalsIgnoringCase(value) { isFound = true }
    }
    return isFound
  }

  /// Whether the line has a parameter of version 2.1 that consists of a value without a name.
  private static func hasBare(_ line: Span<UInt8>, _ value: StaticString) -> Bool {
    var isFound = false
    forEachParameter(line) { name, parameterValue in
      if name.isEmpty, parameterValue.equalsIgnoringCase(value) { isFound = true }
    }
    return isFound
  }

  /// Calls `body` with each parameter's name, which version 2.1 may omit, and its value without quotes.
  private static func forEachParameter(
    _ line: Span<UInt8>, _ body: (_ name: Span<UInt8>, _ value: Span<UInt8>) -> Void
  ) {
    let end = headEnd(line) ?? line.count
    var start = 0
    var index = 0
    var isQuoted = false
    var isFirst = true
    while index <= end {
      if index < end, line[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
      if index == end || (line[index] == UInt8(ascii: ";") && !isQuoted) {
        if !isFirst { split(line.extracting(start..<index), body) }
        isFirst = false
        start = index + 1
      }
      index += 1
    }
  }

  private static func split(
    _ parameter: Span<UInt8>, _ body: (_ name: Span<UInt8>, _ value: Span<UInt8>) -> Void
  ) {
    var equals = 0
    while equals < parameter.count, parameter[equals] != UInt8(ascii: "=") { equals += 1 }
    if equals == parameter.count { return body(parameter.extracting(0..<0), parameter) }
    var first = equals + 1
    var last = parameter.count
    if last - first >= 2, parameter[first] == UInt8(ascii: "\""), parameter[last - 1] == UInt8(ascii: "\"") {
      first += 1
      last -= 1
    }
    body(parameter.extracting(0..<equals), parameter.extracting(first..<last))
  }

  // MARK: Values

  /// Whether a line's value starts another card.
  static func beginsCard(_ line: Span<UInt8>) -> Bool {
    trimmed(value(line) ?? []).span.equalsIgnoringCase("BEGIN:VCARD")
  }

  /// A line's value in its own encoding: quoted-printable and base64 are decoded, escapes are not. Nil if the value is
  /// declared as base64 but is not valid base64.
  static func value(_ line: Span<UInt8>) -> ContiguousArray<UInt8>? {
    guard let colon = headEnd(line) else { return [] }
    let raw = line.extracting(colon + 1..<line.count)
    var bytes: ContiguousArray<UInt8> = []
    if isQuotedPrintable(line) {
      decodeQuotedPrintable(raw, &bytes)
    } else if isBase64(line) {
      guard decodeBase64(raw, &bytes) else { return nil }
    } else {
      bytes.append(copying: raw)
    }
    return bytes
  }

  private static func decodeQuotedPrintable(_ raw: Span<UInt8>, _ bytes: inout ContiguousArray<UInt8>) {
    var index = 0
    while index < raw.count {
      if raw[index] == UInt8(ascii: "="), index + 2 < raw.count, let high = raw[index + 1].hexDigit,
        let low = raw[index + 2].hexDigit
      {
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(raw[index])
        index += 1
      }
    }
  }

  /// Decodes base64 (RFC 4648, section 4), ignoring white space; returns false if it is invalid. Some phones encode each
  /// component of a name, and leave the semicolons between them.
  private static func decodeBase64(_ raw: Span<UInt8>, _ bytes: inout ContiguousArray<UInt8>) -> Bool {
    var bits: UInt32 = 0
    var count = 0
    var isPadded = false
    for index in 0..<raw.count where !raw[index].isASCIISpace {
      if raw[index] == UInt8(ascii: "=") {
        isPadded = true
        continue
      }
      if raw[index] == UInt8(ascii: ";") {
        guard count < 6 else { return false }
        (count, isPadded) = (0, false)
        bytes.append(raw[index])
        continue
      }
      guard !isPadded, let digit = base64Digit(raw[index]) else { return false }
      bits = (bits & 0xFFFF) << 6 | UInt32(digit)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return count < 6
  }

  private static func base64Digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - 0x41
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 0x61 + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 0x30 + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }

  /// A text value with its escapes decoded.
  static func unescaped(_ value: Span<UInt8>) -> ContiguousArray<UInt8> {
    var text: ContiguousArray<UInt8> = []
    var index = 0
    while index < value.count {
      if value[index] == UInt8(ascii: "\\"), index + 1 < value.count {
        index += 1
        let isLineFeed = value[index] == UInt8(ascii: "n") || value[index] == UInt8(ascii: "N")
        text.append(isLineFeed ? 0x0A : value[index])
      } else {
        text.append(value[index])
      }
      index += 1
    }
    return text
  }

  /// The parts of a value that semicolons separate, unescaped and without surrounding white space.
  static func parts(_ value: Span<UInt8>) -> [ContiguousArray<UInt8>] {
    var parts: [ContiguousArray<UInt8>] = []
    var start = 0
    var index = 0
    while index <= value.count {
      if index == value.count || value[index] == UInt8(ascii: ";") {
        parts.append(trimmed(unescaped(value.extracting(start..<index))))
        start = index + 1
      } else if value[index] == UInt8(ascii: "\\") {
        index += 1
      }
      index += 1
    }
    return parts
  }

  /// A text without the surrounding white space.
  static func trimmed(_ text: ContiguousArray<UInt8>) -> ContiguousArray<UInt8> {
    ContiguousArray(copying: text.span.trimmed)
  }
}
