// The sink before the parser: it detects the encoding of an input, and forwards the text in UTF-8.
//
// Not for: the conversion itself (TextDecoder), or a byte order mark of UTF-8 (RowParser).

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
///         options: ParseOptions(), formats: .general, input: "list.json", context: context, downstream: next)
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
  /// The decoder's output.
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
      ByteOrderMark.bytesMax, parser.formats.signatureBytesMax,
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

  /// Ends the input, and the parser.
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
    let (options, formats) = (parser.options, parser.formats)
    let found = formats.binaryFormat(first)
    if let found, options.format != .auto, options.format != found {
      throw .otherFormat(found, input: input)
    }
    // A workbook is a zip archive; one that is not recognised as a workbook can be named as one.
    if let content = formats.unreadableContent(first), content != .zip || options.format.row?.signature?.isZip != true {
      throw Failure(parser.context.stage, BinaryInputError(input, content))
    }
    parser.encoding.marked = ByteOrderMark.encoding(first)
    var chosen = options.encoding
    if options.recognisesEncoding {
      let guess = EncodingGuess(first, isWhole: isWhole, formats: formats)
      chosen = guess.name
      if guess.basis != .declared {
        let name = guess.name ?? parser.encoding.marked?.rawValue ?? "UTF-8"
        parser.report(.encoding(name, guess.basis))
      }
    }
    parser.encoding.name = chosen ?? parser.encoding.marked?.rawValue
    guard let name = parser.encoding.name, !TextDecoder.isUTF8(name) else { return }
    if let format = found ?? options.format.row.flatMap({ $0.signature?.isOnlyForm == true ? $0.format : nil }) {
      throw .encodingOfBinary(format, input: input)
    }
    guard let opened = TextDecoder(name) else { throw .unknownEncoding(name) }
    decoder = consume opened
    parser.encoding.isConverted = true
    if decoded.freeCapacity == 0 { decoded = ByteChunk(capacity: TextDecoder.outputBytesMax) }
  }

  /// Forwards bytes in UTF-8.
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
      "encoding-of-binary", "\(kind(format, input)), which declares its own encoding", hint: "remove --encoding")
  }

  /// The input is in this format, which is not text, and another one was chosen.
  static func otherFormat(_ format: ParseOptions.Format, input: String) -> Failure {
    parse(
      "other-format", kind(format, input), hint: "remove --format, or use --format=\(format.rawValue)")
  }

  private static func kind(_ format: ParseOptions.Format, _ input: String) -> String {
    "\(InputName.quoted(input)) is \(format.row?.signature?.kind ?? format.rawValue)"
  }
}
