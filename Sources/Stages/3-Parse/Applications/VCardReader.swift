// vCards of the versions 2.1, 3.0 and 4.0 (RFC 6350): each telephone number of a card is a row, and the card's name is
// its label. A card without numbers is not a row.
//
// The bytes are read line by line, and only the properties that are needed for rows are stored, so a photo costs
// nothing and may have any length.
//
// Not for: decoding a line (VCardLine), or making rows from a card's lines (VCardRows).

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

/// The reader for the `vcard` format.
final class VCardReader: FormatReader {
  private var machine: VCardLineReader
  private let options: ParseOptions

  init(_ setting: ReaderConfiguration) {
    options = setting.options
    machine = VCardLineReader(options)
  }

  func read(_ window: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter) throws(Failure) -> Int {
    try machine.read(window, isEnd, &rows)
    if isEnd { try machine.chosenFields.checkNumber(rows.input) }
    return window.count
  }

  var endFinding: InputNotice.Finding? { machine.chosenFields.finding }

  func reset() { machine.reset() }

  func layout(of start: InputStart) -> InputLayout {
    InputLayout(NamedFields(options, number: VCardRows.numberName, label: "FN"), options)
  }
}

/// Joins physical lines to logical ones: a line that starts with white space continues the previous one, as does a line
/// after a soft line break of quoted-printable.
struct VCardLineReader: ~Copyable {
  private var card: VCardRows
  private let lineBytesMax: Int

  /// The stored part of the current logical line.
  private var line: ContiguousArray<UInt8> = []
  /// Whether a logical line has started.
  private var hasLine = false
  /// Whether the line's property is not needed, or too long: then nothing more is stored.
  private var isSkipping = false
  /// Whether the name is complete.
  private var hasName = false
  /// Whether a quoted parameter has started.
  private var isQuoted = false
  /// Whether the line's name and parameters have been read.
  private var isKnown = false
  private var isQuotedPrintable = false
  private var isTooLong = false
  /// Whether the next line continues this one, regardless of its first byte.
  private var isSoft = false
  private var isAtLineStart = true
  /// The last byte of the physical line that is not a carriage return, for lines that are not stored.
  private var lastByte: UInt8 = 0

  /// The position of the current byte, and that of the logical line's start.
  private var place = RecordPosition()
  private var linePlace = RecordPosition()
  private var hasBegun = false

  init(_ options: ParseOptions) {
    card = VCardRows(options)
    lineBytesMax = options.recordBytesMax
  }

  var chosenFields: ChosenFields { card.chosenFields }

  mutating func reset() {
    card.reset()
    forgetLine()
    isAtLineStart = true
    hasBegun = false
    place = RecordPosition()
  }

  private mutating func forgetLine() {
    line.removeAll(keepingCapacity: true)
    hasLine = false
    isSkipping = false
    hasName = false
    isQuoted = false
    isKnown = false
    isQuotedPrintable = false
    isTooLong = false
    isSoft = false
    lastByte = 0
  }

  mutating func read(
    _ window: Span<UInt8>, _ isEnd: Bool, _ rows: inout RowWriter
  ) throws(Failure) {
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
    }
  }

  /// Adds a part of a physical line.
  private mutating func addPart(_ piece: Span<UInt8>) {
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
  private mutating func readHeader() {
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

  private mutating func endPhysicalLine() {
    isAtLineStart = true
    if !isSkipping, line.last == 0x0D { line.removeLast() }
    guard isQuotedPrintable, lastByte == UInt8(ascii: "=") else { return }
    isSoft = true
    if !isSkipping, line.last == UInt8(ascii: "=") { line.removeLast() }
  }

  private mutating func endLine(_ rows: inout RowWriter) throws(Failure) {
    // At the end of the input no line feed has caused the carriage return to be removed.
    if !isSkipping, line.last == 0x0D { line.removeLast() }
    var logicalLine: ContiguousArray<UInt8> = []
    swap(&logicalLine, &line)
    try card.receiveLine(logicalLine.span, at: linePlace, isTooLong: isTooLong, isSkipped: isSkipping, &rows)
    swap(&logicalLine, &line)
    forgetLine()
  }
}
