// The sink before the parser: it detects the encoding of an input, and forwards the text in UTF-8.

import BasicContainers
package import Records
package import SystemIO

/// The encoding of an input before it was converted.
struct InputEncoding {
  /// The encoding's name, if it was chosen, recognised or declared by a byte order mark.
  var name: String?
  /// The encoding that a byte order mark declares, if it is not UTF-8.
  var marked: WideEncoding?
  /// Whether the bytes were converted to UTF-8.
  var isConverted = false
}

/// Converts inputs in any encoding to UTF-8 for a parser.
///
///     let parser = RowParser(
///         options: ParseOptions(), input: "list.json", context: context, downstream: next)
///     let decoder = InputDecoder(parser)
///     try decoder.receive(&chunk)     // for each chunk
///     try decoder.nextInput(name: "more.json")
///     try decoder.receive(&chunk)
///     try decoder.finish()            // also ends `parser` and `next`
///
/// An input in UTF-8 is not copied.
///
/// - Complexity: O(bytes).
package final class InputDecoder: ByteSink {
  private let parser: RowParser
  /// Divides the text among threads; nil for one thread.
  private let division: InputDivision?
  private var input: String

  /// The input's first bytes, until the encoding is detected; nil afterwards.
  private var firstBytes: ContiguousArray<UInt8>? = []
  private var decoder: TextDecoder?
  private var decoded = ByteChunk(capacity: 0)

  /// Makes a decoder for a parser, with the parser's options. With `threads` above 0, that number of threads find the rows
  /// for the parser where that is possible.
  package init(_ parser: RowParser, threads: Int = 0) {
    self.parser = parser
    division = threads > 0 ? InputDivision(parser, threads: threads) : nil
    input = parser.input
  }

  /// Decodes bytes in the input's encoding, and forwards the text.
  package func receive(_ chunk: inout ByteChunk) throws(Failure) {
    let bytes = chunk.span
    parser.context.meter.bytesIn.add(bytes.count)
    try parser.checkOptions()
    guard var first = firstBytes.take() else { return try decode(bytes) }
    // Whether the input is text must be known before its bytes are treated as text.
    let needed = max(
      ByteOrderMark.bytesMax, FormatTable.all.signatureBytesMax,
      parser.options.recognisesEncoding ? EncodingGuess.bytesMax : 0)
    var used = 0
    while used < bytes.count, first.count < needed {
      first.append(bytes[used])
      used += 1
    }
    guard first.count == needed else {
      firstBytes = first
      return
    }
    try chooseEncoding(first.span, isWhole: false)
    if used < first.count {
      try decode(first.span)
      try decode(bytes.extracting(used..<bytes.count))
    } else {
      // All of the bytes are in this chunk and are read in place.
      try decode(bytes)
    }
  }

  package func finish() throws(Failure) {
    try endInput()
    try division?.finish()
    try parser.finish()
  }

  /// Sends the rows found so far downstream: they are valid even if the input can't be read to its end.
  package func flush() throws(Failure) {
    try division?.drain()
    try parser.flush()
  }

  /// Ends the input and starts another one, whose name in messages is `name`. The numbering of rows continues.
  package func nextInput(name: String) throws(Failure) {
    try endInput()
    try parser.nextInput(name: name)
    division?.begin()
    input = name
    firstBytes = []
    decoder = nil
  }

  // MARK: Encodings

  /// Detects the encoding of the input by its first bytes. `isWhole`: they are the whole input.
  private func chooseEncoding(_ first: Span<UInt8>, isWhole: Bool) throws(Failure) {
    let (options, formats) = (parser.options, FormatTable.all)
    let found = formats.binaryFormat(first)
    if let found, options.format != .auto, options.format != found {
      throw .otherFormat(found, input: input)
    }
    // A workbook is a zip archive; one that is not recognised as a workbook can be named as one.
    if let content = formats.unreadableContent(first),
      content != .zip || options.format.row?.signature?.isZip != true
    {
      throw .binaryInput(parser.context.stage, input, content)
    }
    parser.encoding.marked = ByteOrderMark.encoding(first)
    var chosen = options.encoding
    if options.recognisesEncoding {
      let guess = EncodingGuess(first, isWhole: isWhole)
      chosen = guess.name
      if guess.basis != .declared {
        let name = guess.name ?? parser.encoding.marked?.rawValue ?? "UTF-8"
        parser.report(.encoding(name, guess.basis))
      }
    }
    parser.encoding.name = chosen ?? parser.encoding.marked?.rawValue
    guard let name = parser.encoding.name, !TextDecoder.isUTF8(name) else { return }
    if let format = found
      ?? options.format.row.flatMap({ $0.signature?.isOnlyForm == true ? $0.format : nil })
    {
      throw .encodingOfBinary(format, input: input)
    }
    guard let opened = TextDecoder(name) else { throw .unknownEncoding(name) }
    decoder = consume opened
    parser.encoding.isConverted = true
    if decoded.freeCapacity == 0 { decoded = ByteChunk(capacity: TextDecoder.outputBytesMax) }
  }

  private func decode(_ bytes: Span<UInt8>) throws(Failure) {
    guard var decoder = decoder.take() else { return try forward(bytes) }
    var output = ByteChunk(capacity: 0)
    swap(&output, &decoded)
    var used = 0
    while used < bytes.count {
      used = decoder.convert(bytes, from: used, into: &output)
      try forward(output.span)
      output.removeAll()
    }
    swap(&output, &decoded)
    self.decoder = consume decoder
  }

  private func forward(_ text: Span<UInt8>) throws(Failure) {
    if let division { try division.add(text) } else { try parser.parse(text) }
  }

  private func endInput() throws(Failure) {
    try parser.checkOptions()
    if let first = firstBytes.take() {
      try chooseEncoding(first.span, isWhole: true)
      try decode(first.span)
    }
    try endDecoding()
    try division?.drain()
  }

  private func endDecoding() throws(Failure) {
    guard var decoder = decoder.take() else { return }
    var output = ByteChunk(capacity: TextDecoder.outputBytesMax)
    decoder.finish(into: &output)
    try forward(output.span)
    self.decoder = consume decoder
  }
}

extension Failure {
  /// An encoding was chosen for an input that is not text and defines its own.
  static func encodingOfBinary(_ format: ParseOptions.Format, input: String) -> Failure {
    parse(
      "encoding-of-binary", "\(kind(format, input)), which declares its own encoding",
      hint: "remove \(option: "encoding")")
  }

  /// The input is in this format, which is not text, and another one was chosen.
  static func otherFormat(_ format: ParseOptions.Format, input: String) -> Failure {
    parse(
      "other-format", kind(format, input),
      hint: "remove \(option: "format"), or use \(option: "format=", format.rawValue)")
  }

  private static func kind(_ format: ParseOptions.Format, _ input: String) -> String {
    "\(InputName.quoted(input)) is \(format.row?.signature?.kind ?? format.rawValue)"
  }
}

// Converts a stream of text to UTF-8 with the system's iconv.
//
// Bytes that are invalid in the encoding become the byte 0xFF, which never occurs in UTF-8: the row that contains it is
// then rejected like any other that is not UTF-8, and nothing is replaced silently.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A converter from one encoding to UTF-8. It buffers the bytes of a character that crosses the end of a chunk.
@safe struct TextDecoder: ~Copyable {
  /// The maximum number of bytes of output per call: a reader's window stays in the second-level cache.
  static let outputBytesMax = 64 * 1024
  /// The minimum free capacity for another step: more than any character, or iconv's own state, needs.
  private static let stepBytesMax = 64
  /// The maximum size of an unfinished character. The longest known ones have 8 bytes, including a shift sequence.
  private static let carriedBytesMax = 16
  /// The byte that replaces an invalid byte.
  static let invalid: UInt8 = 0xFF

  /// The names of Apple's iconv for encodings that glibc's names otherwise.
  private static let otherNames = ["MAC-CYRILLIC": "MACCYRILLIC"]

  private let handle: iconv_t
  /// The size of the encoding's code unit: the number of bytes that are skipped after an error.
  let unitBytes: Int
  private var carried: ContiguousArray<UInt8> = []

  /// Opens a converter; nil if iconv does not support the encoding.
  init?(_ name: String) {
    // `//IGNORE` and similar suffixes would silently drop invalid bytes.
    guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")), !name.utf8.contains(0) else { return nil }
    var opened = unsafe iconv_open("UTF-8", name)
    if unsafe opened == iconv_t(bitPattern: -1), let other = Self.otherNames[name.uppercased()] {
      unsafe opened = iconv_open("UTF-8", other)
    }
    guard unsafe opened != iconv_t(bitPattern: -1), let opened = unsafe opened else { return nil }
    unsafe handle = opened
    #if canImport(Darwin)
      // Without this, Apple's iconv writes a question mark for a character that it can't convert, and reports no error.
      var isStrict: CInt = 1
      unsafe iconvctl(opened, ICONV_SET_ILSEQ_INVALID, &isStrict)
    #endif
    let upper = name.uppercased()
    if ["UTF-16", "UTF16", "UCS-2", "UCS2", "UNICODE"].contains(where: { upper.contains($0) }) {
      unitBytes = 2
    } else if ["UTF-32", "UTF32", "UCS-4", "UCS4", "10646"].contains(where: { upper.contains($0) }) {
      unitBytes = 4
    } else {
      unitBytes = 1
    }
  }

  deinit { unsafe iconv_close(handle) }

  /// Whether iconv supports the encoding.
  static func isKnown(_ name: String) -> Bool {
    let decoder = TextDecoder(name)
    return decoder != nil
  }

  /// Whether a name stands for UTF-8, which needs no converter.
  static func isUTF8(_ name: String) -> Bool { ["UTF-8", "UTF8"].contains(name.uppercased()) }

  /// Converts `bytes` from `start` on until they are used up or `output` is full; returns the index of the first
  /// byte that was not used.
  ///
  /// - Precondition: `output` has capacity for ``outputBytesMax`` bytes at first.
  mutating func convert(_ bytes: Span<UInt8>, from start: Int, into output: inout ByteChunk) -> Int {
    var at = start
    while !carried.isEmpty, at < bytes.count {
      guard output.freeCapacity >= Self.stepBytesMax else { return at }
      at = finishCarried(bytes, at, into: &output)
    }
    while at < bytes.count, output.freeCapacity >= Self.stepBytesMax {
      let step = run(bytes.extracting(at..<bytes.count), into: &output)
      at += step.used
      switch step.end {
      case .done, .full: break
      case .invalid:
        output.bytes.append(Self.invalid)
        at += min(unitBytes, bytes.count - at)
      case .cut:
        if bytes.count - at > Self.carriedBytesMax {
          output.bytes.append(Self.invalid)
          at += unitBytes
        } else {
          while at < bytes.count {
            carried.append(bytes[at])
            at += 1
          }
        }
      }
    }
    return at
  }

  /// Ends the text: an unfinished character is invalid; the output that iconv still buffers is written.
  mutating func finish(into output: inout ByteChunk) {
    if !carried.isEmpty { output.bytes.append(Self.invalid) }
    carried.removeAll()
    _ = unsafe output.fill { buffer in
      var target = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
      var left = buffer.count
      _ = unsafe iconv(handle, nil, nil, &target, &left)
      return buffer.count - left
    }
    _ = unsafe iconv(handle, nil, nil, nil, nil)
  }

  // MARK: Steps

  private enum ConversionEnd {
    case done, full, invalid, cut
  }

  /// Adds a byte to the carried ones, and converts them if they form a character or can't become one; returns the index
  /// after it.
  private mutating func finishCarried(_ bytes: Span<UInt8>, _ start: Int, into output: inout ByteChunk) -> Int
  {
    var at = start
    carried.append(bytes[at])
    at += 1
    let step = run(carried.span, into: &output)
    carried.removeFirst(step.used)
    if carried.isEmpty { return at }
    if step.end == .invalid || carried.count > Self.carriedBytesMax {
      output.bytes.append(Self.invalid)
      carried.removeFirst(min(unitBytes, carried.count))
      reread(into: &output)
    }
    return at
  }

  /// Converts the carried bytes that follow invalid bytes.
  private mutating func reread(into output: inout ByteChunk) {
    while !carried.isEmpty, output.freeCapacity > Self.carriedBytesMax {
      let step = run(carried.span, into: &output)
      carried.removeFirst(step.used)
      guard step.end == .invalid else { return }
      output.bytes.append(Self.invalid)
      carried.removeFirst(min(unitBytes, carried.count))
    }
  }

  private func run(_ bytes: Span<UInt8>, into output: inout ByteChunk) -> (used: Int, end: ConversionEnd) {
    var used = 0
    var end = ConversionEnd.done
    _ = unsafe output.fill { buffer in
      // One byte stays free for the replacement byte.
      let outputCapacity = buffer.count - 1
      var written = 0
      unsafe bytes.withUnsafeBufferPointer { (source: UnsafeBufferPointer<UInt8>) in
        let raw = unsafe UnsafeMutableRawPointer(mutating: UnsafeRawPointer(source.baseAddress))
        var from = unsafe raw?.assumingMemoryBound(to: CChar.self)
        var fromLeft = source.count
        var target = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
        var targetLeft = outputCapacity
        // iconv never writes through this pointer; it lacks `const` for historical reasons.
        let result = unsafe iconv(handle, &from, &fromLeft, &target, &targetLeft)
        let code = errno
        used = source.count - fromLeft
        written = outputCapacity - targetLeft
        if result == -1 {
          end = code == EINVAL ? .cut : code == E2BIG ? .full : .invalid
        }
      }
      return written
    }
    return (used, end)
  }
}

/// Decodes texts that declare an encoding of their own, such as those of a vCard.
struct DeclaredEncoding: ~Copyable {
  private var name = ""
  private var decoder: TextDecoder?

  /// The supersets that are meant where these are declared, as on the web.
  ///
  /// Source: WHATWG's Encoding Standard, section 4.2.
  private static let supersets = [
    "ISO-8859-1": "WINDOWS-1252", "LATIN1": "WINDOWS-1252", "ISO-8859-9": "WINDOWS-1254",
    "SHIFT_JIS": "CP932",
    "SHIFT-JIS": "CP932", "SJIS": "CP932", "GB2312": "GB18030", "GBK": "GB18030", "EUC-KR": "CP949",
    "KS_C_5601-1987": "CP949", "BIG5": "BIG5-HKSCS",
  ]

  /// A text in UTF-8, from the encoding with this name; from UTF-8 if the name is empty or `US-ASCII`. Nil if iconv does
  /// not support the encoding, or if a byte is invalid in it.
  mutating func text(_ bytes: Span<UInt8>, _ declared: String) -> ContiguousArray<UInt8>? {
    let upper = declared.uppercased()
    if upper.isEmpty || upper == "US-ASCII" || TextDecoder.isUTF8(upper) {
      return UTF8Check.isValid(bytes) ? ContiguousArray(copying: bytes) : nil
    }
    if upper != name {
      name = upper
      decoder = TextDecoder(Self.supersets[upper] ?? upper)
      // An iconv may lack the superset.
      if decoder == nil { decoder = TextDecoder(upper) }
    }
    guard var open = decoder.take() else { return nil }
    var output = ByteChunk(capacity: TextDecoder.outputBytesMax)
    var text: ContiguousArray<UInt8> = []
    var used = 0
    while used < bytes.count {
      used = open.convert(bytes, from: used, into: &output)
      text.append(copying: output.span)
      output.removeAll()
    }
    open.finish(into: &output)
    text.append(copying: output.span)
    decoder = consume open
    return text.contains(TextDecoder.invalid) ? nil : text
  }
}

/// The byte order marks at the start of an input.
///
/// Source: The Unicode Standard, section 23.8.
enum ByteOrderMark {
  /// The number of bytes that are needed to recognise a mark.
  static let bytesMax = 4

  /// The encoding that a byte order mark declares; nil for UTF-8, and without a mark.
  static func encoding(_ start: Span<UInt8>) -> WideEncoding? {
    guard start.count >= 2 else { return nil }
    let hasZeros = start.count >= 4 && start[2] == 0 && start[3] == 0
    switch (start[0], start[1]) {
    case (0xFF, 0xFE): return hasZeros ? .utf32LE : .utf16LE
    case (0xFE, 0xFF): return .utf16BE
    case (0, 0): return start.count >= 4 && start[2] == 0xFE && start[3] == 0xFF ? .utf32BE : nil
    default: return nil
    }
  }

  /// The length of a UTF-8 byte order mark: 3, or 0 when there is none.
  static func utf8Length(_ start: Span<UInt8>) -> Int {
    start.count >= 3 && start[0] == 0xEF && start[1] == 0xBB && start[2] == 0xBF ? 3 : 0
  }
}

/// An encoding that a byte order mark declares, other than UTF-8; the raw value is its name for iconv.
enum WideEncoding: String, Sendable {
  case utf16LE = "UTF-16LE"
  case utf16BE = "UTF-16BE"
  case utf32LE = "UTF-32LE"
  case utf32BE = "UTF-32BE"
}

// Texts with lines that end in a carriage return alone, which old spreadsheets and phones write: for the formats made of
// lines, each of them is replaced by a line feed. Programs that append to a file end their lines in another way than those
// before.

struct LineTerminators {
  /// The number of carriage returns without a line feed, and of line feeds, outside of quoted fields.
  private var alone = 0
  private var lineFeeds = 0

  /// Counts the line ends in the start of an input.
  ///
  /// - Complexity: O(bytes).
  init(_ start: Span<UInt8>) {
    var quotes = QuotedFields()
    var index = 0
    while index < start.count {
      if let end = quotes.end(start, at: index) {
        index = end
        continue
      }
      if start[index] == Byte.lineFeed { lineFeeds += 1 }
      // The byte after the last one is unknown.
      if start[index] == Byte.carriageReturn, index + 1 < start.count, start[index + 1] != Byte.lineFeed {
        alone += 1
      }
      index += 1
    }
  }

  /// Whether any line ends in a carriage return alone.
  var haveReturns: Bool { alone > 0 }

  /// Whether most lines do. A single line feed that a download or an editor added at the end changes nothing.
  var areReturns: Bool { alone > lineFeeds }

  /// The index of the first byte from `start` to `end` that ends a line of a list and is not a line feed: a carriage
  /// return alone, a vertical tab, a form feed, or Unicode's line ends; nil if there is none. In tables, these but the
  /// first are text.
  static func other(_ bytes: Span<UInt8>, from start: Int, to end: Int, isList: Bool) -> Int? {
    var index = start
    while index < end {
      switch bytes[index] {
      case Byte.carriageReturn where index + 1 < bytes.count && bytes[index + 1] != Byte.lineFeed:
        return index
      case 0x0B, 0x0C: if isList { return index }
      case 0xC2, 0xE2: if isList, unicodeEnd(bytes, at: index) > 0 { return index }
      default: break
      }
      index += 1
    }
    return nil
  }

  /// The length of the next-line character, or of the line or paragraph separator, at `index`; 0 if there is none.
  private static func unicodeEnd(_ bytes: Span<UInt8>, at index: Int) -> Int {
    if bytes[index] == 0xC2 { return index + 1 < bytes.count && bytes[index + 1] == 0x85 ? 2 : 0 }
    return index + 2 < bytes.count && bytes[index + 1] == 0x80 && bytes[index + 2] & 0xFE == 0xA8 ? 3 : 0
  }

  /// Returns the bytes with a line feed in place of each carriage return alone, and of each line end of a list. The last
  /// byte of a window may be followed by a line feed. The text is as long as the bytes.
  static func withLineFeeds(_ bytes: Span<UInt8>, isEnd: Bool, isList: Bool) -> ContiguousArray<UInt8> {
    var text = ContiguousArray<UInt8>()
    text.reserveCapacity(bytes.count)
    var index = 0
    while let next = other(bytes, from: index, to: bytes.count, isList: isList) {
      text.append(copying: bytes.extracting(index..<next))
      let length = bytes[next] < 0x80 ? 1 : unicodeEnd(bytes, at: next)
      for _ in 1..<length { text.append(0x20) }
      text.append(Byte.lineFeed)
      index = next + length
    }
    text.append(copying: bytes.extracting(index..<bytes.count))
    if isEnd, text.last == Byte.carriageReturn { text[text.count - 1] = Byte.lineFeed }
    return text
  }
}

/// Finds quoted fields in a table of which neither the columns nor the line terminator are known.
private struct QuotedFields {
  /// Where the search for a closing quote failed: there is none for later opening quotes either.
  private var unclosed = Int.max

  /// The index after the quoted field that starts at `index`; nil if none does.
  mutating func end(_ bytes: Span<UInt8>, at index: Int) -> Int? {
    guard bytes[index] == UInt8(ascii: "\""), index < unclosed,
      index == 0 || Self.isBoundary(bytes[index - 1])
    else { return nil }
    var next = index + 1
    while next < bytes.count {
      if bytes[next] == UInt8(ascii: "\"") {
        if next + 1 == bytes.count || Self.isBoundary(bytes[next + 1]) { return next + 1 }
        // A doubled quote, or one in the middle of a field.
        if bytes[next + 1] == UInt8(ascii: "\"") { next += 1 }
      }
      next += 1
    }
    unclosed = index
    return nil
  }

  /// Whether a field can begin after the byte, or end before it.
  private static func isBoundary(_ byte: UInt8) -> Bool {
    switch byte {
    case Byte.lineFeed, Byte.carriageReturn, Byte.tab, UInt8(ascii: ","), UInt8(ascii: ";"),
      UInt8(ascii: "|"):
      true
    default: false
    }
  }
}
