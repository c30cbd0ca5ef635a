// Reads an XML document in blocks of a fixed size, regardless of the windows, so that the results do not depend on
// where the windows end.

import CLibraries
import Records
package import SystemIO
import SystemPackage

protocol XMLRowHandler: XMLHandler {
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

  var endFindings: [InputNotice.Finding] { [handler.chosenFields.finding].compactMap(\.self) }

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

  /// The name of the root element of a document that is certainly XML: it has a declaration, or a known root. Nil for any
  /// other input.
  static func document(_ start: Span<UInt8>) -> String? {
    guard let root = root(start) else { return nil }
    let isDeclared = start.startsIgnoringCase("<?XML", at: start.skippingSpace())
    return isDeclared || XMLDocumentKind.named(root) != nil ? root : nil
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

  private static let encodingBytesMax = 40

  private static func name(_ start: Span<UInt8>, from first: Int) -> String? {
    var end = first
    while end < start.count, !start[end].isASCIISpace, start[end] != UInt8(ascii: ">"),
      start[end] != UInt8(ascii: "/")
    { end += 1 }
    guard end < start.count else { return nil }
    return String(decoding: [UInt8](copying: start.extracting(first..<end)), as: UTF8.self)
  }

  /// The index after the first `mark` from `first` on; the count if there is none.
  private static func end(of mark: StaticString, in start: Span<UInt8>, from first: Int) -> Int {
    start.firstIndex(of: mark, from: first).map { $0 + mark.utf8CodeUnitCount } ?? max(first, start.count)
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

/// Documents of other programs that are not read, by their root elements.
enum XMLDocumentKind {
  case workbook, flatDocument, callLog, messages, contacts, feed, map

  static func named(_ root: String) -> XMLDocumentKind? {
    let name = root.split(separator: ":").last.map { $0.lowercased() } ?? ""
    switch name {
    case "workbook": return .workbook
    case "document-content": return .flatDocument
    case "document": return root.hasPrefix("office:") ? .flatDocument : nil
    case "calllog", "call-log": return .callLog
    case "smses": return .messages
    case "vcards": return .contacts
    case "rss", "feed": return .feed
    case "kml", "gpx", "osm": return .map
    default: return nil
    }
  }

  var what: String {
    switch self {
    case .workbook: "an Excel 2003 workbook (SpreadsheetML)"
    case .flatDocument: "an OpenDocument file"
    case .callLog: "a call log"
    case .messages: "a backup of messages (SMS Backup & Restore)"
    case .contacts: "an xCard, contacts in XML"
    case .feed: "a web feed"
    case .map: "a map"
    }
  }

  var hint: String {
    switch self {
    case .workbook, .flatDocument: "save it as .xlsx or CSV"
    case .callLog: "export the calls as CSV"
    case .contacts: "export the contacts as vCards (.vcf)"
    case .messages, .feed, .map: "get the list itself, as CSV or JSON"
    }
  }
}

// Every pointer to expat, and the context of its callbacks, is here.

/// Receives the contents of an XML document.
protocol XMLHandler: AnyObject {
  func start(
    _ name: Span<UInt8>, _ attributes: borrowing XMLAttributes, at place: () -> RecordPosition,
    into rows: inout RowWriter) throws(Failure)
  func end(
    _ name: Span<UInt8>, at place: () -> RecordPosition, into rows: inout RowWriter) throws(Failure)
  func text(_ bytes: Span<UInt8>)
  /// Called when the current element's text refers to an entity that is not declared, or that is outside of the
  /// document.
  func unknownEntity()
}

/// The limits of reading XML, with their reasons. `--max-record` limits the length of a text.
enum XMLLimits {
  /// The maximum size of a tag, comment or declaration in bytes. expat buffers an unfinished one, at most twice this
  /// size; the tags of phone books have a few dozen bytes.
  static let tokenBytesMax = 256 * 1024
  /// The deepest nesting of elements. Real lists have six levels.
  static let depthMax = 256
  /// The expanded size of entities, in bytes, up to which expat does not compare it with the size of the document;
  /// above it, the ratio may be up to 100. Lists declare no entities.
  static let entityBytesFree = 64 * 1024
}

@safe struct XMLAttributes: ~Copyable {
  fileprivate let list: UnsafePointer<UnsafePointer<CChar>?>?

  /// The value of an attribute; empty if there is none. `ignoringPrefix`: with or without the prefix of a namespace.
  func value(of name: StaticString, ignoringPrefix: Bool = false) -> ContiguousArray<UInt8> {
    guard var next = unsafe list else { return [] }
    while let key = unsafe next.pointee, let value = unsafe next[1] {
      let isFound = unsafe ExpatParser.withName(key) {
        $0.equals(name) || (ignoringPrefix && $0.localName.equals(name))
      }
      if isFound {
        var bytes: ContiguousArray<UInt8> = []
        unsafe ExpatParser.withName(value) { bytes.append(copying: $0) }
        return bytes
      }
      unsafe next += 2
    }
    return []
  }

  /// Calls `body` with the name and the value of each attribute.
  func forEach(_ body: (_ name: Span<UInt8>, _ value: ContiguousArray<UInt8>) -> Void) {
    guard var next = unsafe list else { return }
    while let key = unsafe next.pointee, let value = unsafe next[1] {
      var bytes: ContiguousArray<UInt8> = []
      unsafe ExpatParser.withName(value) { bytes.append(copying: $0) }
      unsafe ExpatParser.withName(key) { body($0, bytes) }
      unsafe next += 2
    }
  }
}

@safe final class ExpatParser {
  private var parser: OpaquePointer?
  private let handler: any XMLHandler
  /// The destination of rows while a block is parsed.
  private var rows: UnsafeMutablePointer<RowWriter>?
  private var failure: Failure?
  private let offset: UInt64
  private let document: String
  private let declaredEncoding: String?

  /// Makes a parser of a document with this name in messages. `encoding` overrides the one that the document declares, and
  /// `offset` is the number of bytes before the document.
  init(
    _ document: String, encoding: String? = nil, declared: String? = nil, offset: UInt64 = 0,
    handler: any XMLHandler
  ) throws(Failure) {
    self.document = document
    self.handler = handler
    self.offset = offset
    declaredEncoding = declared
    let code = Errno(rawValue: cdp_xml_load())
    guard code.rawValue == 0 else {
      let name = unsafe String(cString: cdp_xml_library_name())
      throw code.blamesMachine
        ? Failure(.parse, SystemError(.openInput, name, code)) : .parserMissing(name, package: Self.package)
    }
    var handlers = unsafe cdp_xml_handlers()
    unsafe handlers.context = Unmanaged.passUnretained(self).toOpaque()
    unsafe handlers.start = { name, attributes, context in
      unsafe ExpatParser.call(context) { (parser, rows) throws(Failure) in
        let list = unsafe XMLAttributes(list: attributes)
        unsafe try ExpatParser.withName(name) { (name) throws(Failure) in
          try parser.handler.start(name, list, at: { parser.place }, into: &rows)
        }
      }
    }
    unsafe handlers.end = { name, context in
      unsafe ExpatParser.call(context) { (parser, rows) throws(Failure) in
        unsafe try ExpatParser.withName(name) { (name) throws(Failure) in
          try parser.handler.end(name, at: { parser.place }, into: &rows)
        }
      }
    }
    unsafe handlers.text = { bytes, count, context in
      unsafe ExpatParser.call(context) { (parser, _) throws(Failure) in
        guard let bytes = unsafe bytes else { return }
        parser.handler.text(unsafe Span(_unsafeStart: bytes, count: count))
      }
    }
    unsafe handlers.skipped = { _, context in
      unsafe ExpatParser.call(context) { (parser, _) throws(Failure) in parser.handler.unknownEntity() }
    }
    let limits = cdp_xml_limits(
      token_bytes_max: UInt64(XMLLimits.tokenBytesMax), depth_max: UInt32(XMLLimits.depthMax),
      entity_bytes_free: UInt64(XMLLimits.entityBytesFree))
    unsafe parser = cdp_xml_new(encoding, limits, handlers)
    if unsafe parser == nil { throw .notXML(document, at: RecordPosition(), "out of memory") }
  }

  deinit { unsafe cdp_xml_free(parser) }

  private static let package = "libexpat1"

  /// Tries to load a library by this name; returns the error, or nil if it can be used.
  static func problem(loading name: String) -> Failure? {
    unsafe cdp_xml_library_is_usable(name) ? nil : .parserMissing(name, package: package)
  }

  /// The parser's position: the start of the token that a handler was called for, or the position of an error.
  var place: RecordPosition {
    unsafe RecordPosition(line: cdp_xml_line(parser), byte: cdp_xml_byte(parser) + offset)
  }

  /// Parses the next block.
  func parse(_ piece: Span<UInt8>, isLast: Bool, into rows: inout RowWriter) throws(Failure) {
    let result = unsafe withUnsafeMutablePointer(to: &rows) { pointer in
      unsafe self.rows = pointer
      defer { unsafe self.rows = nil }
      return unsafe piece.withUnsafeBufferPointer { bytes in
        unsafe cdp_xml_parse(parser, bytes.baseAddress, bytes.count, isLast)
      }
    }
    if let failure { throw failure }
    if result != CDP_XML_FINE { throw problem(result) }
  }

  private func problem(_ result: cdp_xml_result) -> Failure {
    let repair = "repair the document; the rows before this place were written"
    switch result {
    case CDP_XML_TRUNCATED:
      return .notXML(document, at: place, "the XML document ends inside an element", hint: repair)
    case CDP_XML_ENCODING:
      let declared = declaredEncoding.map { PrintableText.line($0) }
      return .notXML(
        document, at: place,
        "the XML document is in an unsupported encoding, or not in the one that it declares"
          + (declared.map { ", \($0)" } ?? ""),
        hint: "set the encoding with \(option: "encoding") "
          + (declared.map { ShellQuoting.quoted($0) } ?? "NAME"))
    case CDP_XML_TOKEN_TOO_LONG:
      return .notXML(
        document, at: place, "a tag or comment longer than \(Figures.bytes(XMLLimits.tokenBytesMax))")
    case CDP_XML_TOO_DEEP:
      return .notXML(document, at: place, "nested deeper than \(XMLLimits.depthMax) elements")
    case CDP_XML_BOMB:
      return .notXML(document, at: place, "its entities expand to far more than the document")
    case CDP_XML_MEMORY: return .notXML(document, at: place, "out of memory")
    default:
      let text = unsafe String(cString: cdp_xml_error_text(parser))
      return .notXML(document, at: place, "not well-formed XML: \(text)", hint: repair)
    }
  }

  /// Runs a handler for the parser in `context`; an error that it throws ends parsing.
  private static func call(
    _ context: UnsafeMutableRawPointer?, _ body: (ExpatParser, inout RowWriter) throws(Failure) -> Void
  ) {
    guard let context = unsafe context else { return }
    let parser = unsafe Unmanaged<ExpatParser>.fromOpaque(context).takeUnretainedValue()
    guard parser.failure == nil, let rows = unsafe parser.rows else { return }
    do throws(Failure) {
      unsafe try body(parser, &rows.pointee)
    } catch {
      parser.failure = error
      unsafe cdp_xml_stop(parser.parser)
    }
  }

  /// Calls `body` with the bytes of a string that ends in a zero byte.
  fileprivate static func withName<Result, E: Error>(
    _ name: UnsafePointer<CChar>?, _ body: (Span<UInt8>) throws(E) -> Result
  ) throws(E) -> Result {
    guard let name = unsafe name else { return try body(Span()) }
    var count = 0
    while unsafe name[count] != 0 { count += 1 }
    let bytes = unsafe UnsafeBufferPointer(start: name, count: count)
    return unsafe try bytes.withMemoryRebound(to: UInt8.self) { (bytes) throws(E) in
      unsafe try body(Span(_unsafeElements: bytes))
    }
  }
}

extension Failure {
  /// An XML document that can't be read any further.
  static func notXML(
    _ document: String, at place: RecordPosition, _ reason: String, hint: String? = nil
  ) -> Failure {
    parse("not-xml", "\(document):\(place.line) (byte \(place.byte)): \(reason)", hint: hint)
  }

  /// A document of another program, with this root element.
  static func unknownXML(_ root: String, input: String) -> Failure {
    let kind = XMLDocumentKind.named(root)
    return parse(
      "unknown-xml",
      "\(InputName.quoted(input)) is \(kind?.what ?? "an XML document with the root element '\(PrintableText.line(root))'")"
        + ", which is not read",
      hint: kind?.hint ?? "export the list as CSV or vCards (.vcf)")
  }

  /// A document whose root element is not the one of the format.
  static func otherRoot(
    _ name: Span<UInt8>, expected: String, at place: RecordPosition, _ input: String
  ) -> Failure {
    let found = PrintableText.line(String(decoding: ContiguousArray(copying: name), as: UTF8.self))
    return notXML(
      InputName.plain(input), at: place, "the root element is '\(found)', expected '\(expected)'",
      hint: "see the formats with 'cdpipe parse --formats'")
  }
}

// MARK: - Version

extension RuntimeLibrary {
  package static var expat: RuntimeLibrary {
    RuntimeLibrary(
      name: unsafe String(cString: cdp_xml_library_name()), command: "parse", isUsable: cdp_xml_load() == 0)
  }

  /// SQLite, for databases. Opens it.
  package static var sqlite: RuntimeLibrary {
    RuntimeLibrary(
      name: unsafe String(cString: cdp_sqlite_library_name()), command: "parse",
      isUsable: cdp_sqlite_load() == 0)
  }
}
