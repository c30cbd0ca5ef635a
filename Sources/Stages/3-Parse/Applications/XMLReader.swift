// Reads an XML document in blocks of a fixed size, regardless of the windows, so that the results do not depend on
// where the windows end.
//
// Not for: the meaning of the elements (the handlers for property lists and phone books).

import Records
import SystemIO

/// Makes rows of the contents of XML documents.
protocol XMLRowHandler: XMLHandler {
  /// The names of a row's fields.
  var names: NamedFields { get }
  /// The fields that the user chose by name.
  var chosenFields: ChosenFields { get }
  /// Called before another document starts.
  func reset()
  /// Adds to a layout what the document's rows showed.
  func complete(_ layout: inout InputLayout, _ options: ParseOptions)
}

extension XMLRowHandler {
  func complete(_ layout: inout InputLayout, _ options: ParseOptions) {}
}

/// A reader for XML formats.
final class XMLReader: FormatReader {
  /// expat scans an unfinished tag again for each block.
  private static let blockBytes = 32 * 1024

  private let handler: any XMLRowHandler
  private let options: ParseOptions
  /// Whether the bytes were converted to UTF-8, so that the encoding that the document declares is ignored.
  private let isConverted: Bool
  private var parser: ExpatParser?
  /// The start of a block that is not complete yet.
  private var block: ContiguousArray<UInt8> = []
  /// The number of bytes before the document: those of a byte order mark.
  private var offset: UInt64 = 0
  private var hasBegun = false

  init(_ setting: ReaderConfiguration, _ handler: any XMLRowHandler) {
    self.handler = handler
    options = setting.options
    isConverted = setting.isConverted
  }

  func reset() {
    handler.reset()
    parser = nil
    hasBegun = false
    block.removeAll(keepingCapacity: true)
  }

  func layout(of start: InputStart) -> InputLayout {
    var layout = InputLayout(handler.names, options)
    handler.complete(&layout, options)
    return layout
  }

  var endFinding: InputNotice.Finding? { handler.chosenFields.finding }

  func read(_ window: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter) throws(Failure) -> Int {
    if !hasBegun {
      offset = rows.windowStart
      hasBegun = true
    }
    var used = 0
    while used < window.count {
      let missing = Self.blockBytes - block.count
      let piece = window.extracting(used..<min(window.count, used + missing))
      used += piece.count
      if piece.count == Self.blockBytes {
        try parse(piece, isLast: false, &rows)
        continue
      }
      block.append(copying: piece)
      if block.count == Self.blockBytes { try parseBlock(isLast: false, &rows) }
    }
    // An input without any bytes is an empty list, not a truncated document.
    if isEnd, parser != nil || !block.isEmpty { try parseBlock(isLast: true, &rows) }
    return window.count
  }

  private func parseBlock(isLast: Bool, _ rows: inout RowWriter) throws(Failure) {
    var bytes: ContiguousArray<UInt8> = []
    swap(&bytes, &block)
    try parse(bytes.span, isLast: isLast, &rows)
    bytes.removeAll(keepingCapacity: true)
    swap(&bytes, &block)
  }

  private func parse(_ piece: Span<UInt8>, isLast: Bool, _ rows: inout RowWriter) throws(Failure) {
    do throws(Failure) {
      let parser: ExpatParser
      if let begun = self.parser {
        parser = begun
      } else {
        parser = try ExpatParser(
          InputName.plain(rows.input), encoding: isConverted ? "UTF-8" : nil,
          declared: XMLStart.declaredEncoding(piece), offset: offset, handler: handler)
        self.parser = parser
      }
      try parser.parse(piece, isLast: isLast, into: &rows)
    } catch {
      // The rows before the error are valid.
      try rows.flush()
      throw error
    }
  }
}

/// The start of an XML document.
enum XMLStart {
  /// The name of the document's root element; nil if the start does not contain it.
  static func root(_ start: Span<UInt8>) -> String? {
    var index = start.skippingSpace()
    while index + 1 < start.count, start[index] == UInt8(ascii: "<") {
      switch start[index + 1] {
      case UInt8(ascii: "?"): index = end(of: "?>", in: start, from: index + 2)
      case UInt8(ascii: "!"):
        index =
          start.startsIgnoringCase("<!--", at: index)
          ? end(of: "-->", in: start, from: index + 4) : indexAfterDeclaration(start, from: index + 2)
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
        return name(start, from: index + 1)
      default: return nil
      }
      index = start.skippingSpace(from: index)
    }
    return nil
  }

  /// The encoding in the XML declaration, `<?xml version="1.0" encoding="windows-1251"?>`; nil if there is none.
  static func declaredEncoding(_ start: Span<UInt8>) -> String? {
    let mark: StaticString = "ENCODING="
    guard start.startsIgnoringCase("<?XML", at: start.skippingSpace()) else { return nil }
    var index = 0
    while index < start.count, start[index] != UInt8(ascii: ">"), !start.startsIgnoringCase(mark, at: index) {
      index += 1
    }
    guard start.startsIgnoringCase(mark, at: index) else { return nil }
    index += mark.utf8CodeUnitCount
    guard index < start.count, start[index] == 0x22 || start[index] == 0x27 else { return nil }
    let quote = start[index]
    var name: [UInt8] = []
    index += 1
    while index < start.count, start[index] != quote, name.count < encodingBytesMax {
      name.append(start[index])
      index += 1
    }
    return name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
  }

  /// The maximum length of an encoding's name in bytes.
  private static let encodingBytesMax = 40

  private static func name(_ start: Span<UInt8>, from first: Int) -> String? {
    var end = first
    while end < start.count, !start[end].isASCIISpace, start[end] != UInt8(ascii: ">"),
      start[end] != UInt8(ascii: "/")
    {
      end += 1
    }
    guard end < start.count else { return nil }
    return String(decoding: [UInt8](copying: start.extracting(first..<end)), as: UTF8.self)
  }

  /// The index after the first `mark` from `first` on; the count if there is none.
  private static func end(of mark: StaticString, in start: Span<UInt8>, from first: Int) -> Int {
    var index = first
    while index < start.count {
      if start.startsIgnoringCase(mark, at: index) { return index + mark.utf8CodeUnitCount }
      index += 1
    }
    return index
  }

  /// The index after `<!DOCTYPE …>`, whose brackets may contain angle brackets.
  private static func indexAfterDeclaration(_ start: Span<UInt8>, from first: Int) -> Int {
    var index = first
    var isInBrackets = false
    while index < start.count {
      switch start[index] {
      case UInt8(ascii: "["): isInBrackets = true
      case UInt8(ascii: "]"): isInBrackets = false
      case UInt8(ascii: ">") where !isInBrackets: return index + 1
      default: break
      }
      index += 1
    }
    return index
  }
}
