// expat: every pointer to it, and the context of its callbacks, is in this file.
//
// Not for: the meaning of the elements (the handlers), or splitting the input into blocks (XMLReader).

import CLibraries
import Records
import SystemIO
import SystemPackage

/// Receives the contents of an XML document.
protocol XMLHandler: AnyObject {
  /// Called when an element starts.
  func start(
    _ name: Span<UInt8>, _ attributes: borrowing XMLAttributes, at place: () -> RecordPosition,
    into rows: inout RowWriter
  ) throws(Failure)
  /// Called when an element ends.
  func end(_ name: Span<UInt8>, into rows: inout RowWriter) throws(Failure)
  /// Receives a part of the text in the current element.
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

/// The attributes of an element.
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
}

/// A parser of one document.
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
          try parser.handler.end(name, into: &rows)
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

  deinit {
    unsafe cdp_xml_free(parser)
  }

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
        hint: "set the encoding with --encoding " + (declared.map { ShellQuoting.quoted($0) } ?? "NAME"))
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
    _ context: UnsafeMutableRawPointer?,
    _ body: (ExpatParser, inout RowWriter) throws(Failure) -> Void
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
