// vCards of the versions 2.1, 3.0 and 4.0 (RFC 6350): each telephone number of a card is a row, and the card's name is
// its label. A card without numbers is not a row.
//
// The bytes are read line by line and only the properties that make rows are kept, so a photo costs nothing and may
// be of any length.
//
// Not for: what is in a line (VCardLine), or how a card's lines make rows (VCardRows).

import CallRecord
import ParseStage
import PipeStage
import SystemIO

extension FormatDescription {
  static let vCard = FormatDescription(
    format: .vcard,
    matches: { $0.startsIgnoringCase("BEGIN:VCARD", at: $0.skippingSpace()) },
    makeReader: { VCardReader($0.options) }, needsStart: true, hasLines: true)
}

/// The limits of reading vCards, with their reasons.
enum VCardLimits {
  /// The longest name of a property, with its group. Real ones have some dozens of bytes.
  static let nameBytesMax = 256
  /// The most cards inside one another: version 2.1 lets a card hold its agent's.
  static let depthMax = 8
}

/// The reader for the `vcard` format.
final class VCardReader: FormatReader {
  private var machine: VCardLineReader

  init(_ options: ParseOptions) {
    machine = VCardLineReader(options)
  }

  func read(_ window: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter) throws(StageError) -> Int {
    try machine.read(window, isEnd, &rows)
    return window.count
  }

  func reset() { machine.reset() }
}

/// Joins physical lines to logical ones: a line that begins with white space continues the one before it, as does a
/// line after a soft line break of quoted-printable.
struct VCardLineReader: ~Copyable {
  private var card: VCardRows
  private let lineBytesMax: Int

  /// The logical line so far, as far as it is kept.
  private var line: ContiguousArray<UInt8> = []
  /// A logical line has begun.
  private var hasLine = false
  /// The line's property is not needed, or too long: nothing more is kept.
  private var isSkipping = false
  /// The name is over.
  private var hasName = false
  /// A quoted parameter has begun.
  private var isQuoted = false
  /// The line's name and parameters have been read.
  private var isKnown = false
  private var isQuotedPrintable = false
  private var isTooLong = false
  /// Whether the next line continues this one, whatever it begins with.
  private var isSoft = false
  private var isAtLineStart = true
  /// The last byte of the physical line that is not a carriage return, for lines that are not kept.
  private var lastByte: UInt8 = 0

  /// Where the present byte is, and where the logical line began.
  private var place = RecordPosition()
  private var linePlace = RecordPosition()
  private var hasBegun = false

  init(_ options: ParseOptions) {
    card = VCardRows(options)
    lineBytesMax = options.recordBytesMax
  }

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
  ) throws(StageError) {
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
      take(window.extracting(at..<end))
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

  /// Adds a piece of a physical line.
  private mutating func take(_ piece: Span<UInt8>) {
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
    // One byte more than the limit shows that the line is too long, wherever the input is cut.
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

  /// Reads the last byte of a line whose name and parameters have not ended yet.
  private mutating func readHeader() {
    let last = line[line.count - 1]
    if last == UInt8(ascii: "\"") { isQuoted.toggle() }
    if !hasName, last == UInt8(ascii: ":") || last == UInt8(ascii: ";") {
      hasName = true
      // The parameters of a line that is not needed must be read all the same: they determine where it ends.
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

  private mutating func endLine(_ rows: inout RowWriter) throws(StageError) {
    // At the end of the input no line feed has taken the carriage return away.
    if !isSkipping, line.last == 0x0D { line.removeLast() }
    var taken: ContiguousArray<UInt8> = []
    swap(&taken, &line)
    try card.take(taken.span, at: linePlace, isTooLong: isTooLong, isSkipped: isSkipping, &rows)
    swap(&taken, &line)
    forgetLine()
  }
}
