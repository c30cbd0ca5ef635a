// The unzip stage: looks at the first bytes, and unpacks a zip archive or a gzip or zlib stream, or lets the bytes
// pass.
//
// Not for: any other format (some are told and refused), and for putting members into files.

public import PipeStage
public import SystemIO
import SystemPackage

/// Unpacks what is packed.
///
/// Bytes come pushed, as from a pipe; then a zip archive is spooled to a nameless temporary file, because its
/// directory stands at its end. ``read(_:)`` takes a file instead, and reads an archive where it lies.
///
/// Zip members come out one behind the other in the order of the directory, with a newline between two if
/// the first lacks one; a gzip stream's members with nothing between. An archive is looked at as a whole before
/// anything comes out: what its directory and headers say must agree and be within the limits. Checksums are checked
/// at the end of each member: until then, bytes that turn out wrong may have gone downstream, and then the stage
/// fails. Memory stays the same whatever the size and the number of members.
public final class Unzipper: ByteSink {
  private enum InputFormat: Equatable { case unknown, plain, zip, stream(PackedFormat) }

  private let options: UnzipOptions
  private let context: StageContext
  private let downstream: any ByteSink
  private let listing: ((ArchiveEntry) throws(StageError) -> Void)?
  private var format = InputFormat.unknown
  private var prefix: [UInt8] = []
  private var stream: DeflateStream?
  private var output: UnpackedOutput?
  private var spool: TemporaryFile?
  /// The bytes that passed as they are.
  private var bytesPassed: UInt64 = 0

  /// Makes the stage. With `listing`, the entries of a zip archive go there, and nothing goes downstream but
  /// the end.
  public init(
    options: UnzipOptions, context: StageContext, downstream: any ByteSink,
    listing: ((ArchiveEntry) throws(StageError) -> Void)? = nil
  ) {
    self.options = options
    self.context = context
    self.downstream = downstream
    self.listing = listing
  }

  /// Takes packed bytes.
  public func receive(_ chunk: inout ByteChunk) throws(StageError) {
    context.meter.bytesIn.add(chunk.count)
    if format == .unknown {
      guard let found = try detectFormat(from: chunk.span) else { return }
      try begin(found)
    }
    switch format {
    case .unknown: break
    case .plain: try pass(&chunk)
    case .stream: try unpack(chunk.span)
    case .zip: try spool(chunk.span)
    }
  }

  /// There is no more. A zip archive is only unpacked now.
  public func finish() throws(StageError) {
    // Too few bytes, or too much like text, to tell before.
    if format == .unknown { try begin(Self.format(Magic(prefix.span, isWhole: true), context.stage)) }
    switch format {
    case .unknown, .plain: break
    case .stream:
      try stream?.finish()
      try output?.flush()
    case .zip: try unpackSpool()
    }
    context.meter.finish()
    try downstream.finish()
  }

  /// Takes a whole file in place of ``receive(_:)`` and ``finish()``, and ends the stream downstream. A zip
  /// archive in a regular file is read where it lies.
  public func read(_ file: consuming InputFile) throws(StageError) {
    // A shell may have handed over a file of which something was read before: then what is left is a stream.
    let start = (try? file.descriptor.seek(offset: 0, from: .current)) ?? 0
    let size = start == 0 ? file.size : nil
    if let size { context.meter.bytesExpected.add(Int(clamping: size)) }

    var chunk = ByteChunk()
    var isFirst = true
    while true {
      let count = try asStageError(context.stage) { () throws(SystemError) in try file.read(into: &chunk) }
      guard count > 0 else { return try finish() }
      if isFirst, let size, Magic(chunk.span, isWhole: false) == .packed(.zip) {
        format = .zip
        try unpackZip(
          ZipReader.ArchiveFile(
            descriptor: file.descriptor, size: size, operation: .readInput, path: file.path),
          countsBytes: true)
        context.meter.finish()
        return try downstream.finish()
      }
      isFirst = false
      try receive(&chunk)
      chunk.removeAll()
      if chunk.freeCapacity == 0 { chunk = ByteChunk() }
    }
  }

  // MARK: - What it is

  /// What the first bytes say; nil as long as they don't, and then they are kept.
  private func detectFormat(from bytes: Span<UInt8>) throws(StageError) -> InputFormat? {
    if prefix.isEmpty {
      let magic = Magic(bytes, isWhole: false)
      if magic != .unclear { return try Self.format(magic, context.stage) }
    }
    let before = prefix.count
    for index in bytes.indices { prefix.append(bytes[index]) }
    let magic = Magic(prefix.span, isWhole: false)
    if magic == .unclear { return nil }
    // The bytes of this time come another way.
    prefix.removeSubrange(before...)
    return try Self.format(magic, context.stage)
  }

  private static func format(_ magic: Magic, _ stage: StageName) throws(StageError) -> InputFormat {
    switch magic {
    case .plain, .unclear: .plain
    case .packed(.zip): .zip
    case .packed(let format): .stream(format)
    case .damaged(let format): throw StageError(stage, UnzipError.damagedSignature(format))
    case .foreign(let format): throw StageError(stage, UnzipError.unsupportedFormat(format, member: nil))
    }
  }

  /// Makes what the format needs, and feeds it what had to be kept until now.
  private func begin(_ found: InputFormat) throws(StageError) {
    if found != .zip, listing != nil || !options.entries.isEmpty {
      throw StageError(context.stage, UnzipError.notAnArchive)
    }
    format = found
    let kept = prefix
    prefix = []
    switch found {
    case .unknown: break
    case .plain:
      guard !kept.isEmpty else { break }
      var first = ByteChunk(capacity: kept.count)
      first.append(kept.span)
      try pass(&first)
    case .stream(let format):
      output = UnpackedOutput(options, stage: context.stage, downstream: downstream)
      stream = try DeflateStream(PackedStream(format), stage: context.stage)
      try unpack(kept.span)
    case .zip:
      spool = try asStageError(context.stage) { () throws(SystemError) in
        try TemporaryFile(
          in: options.tempDirectory ?? TemporaryFile.defaultDirectory, calls: context.calls)
      }
      try spool(kept.span)
    }
  }

  // MARK: - Unpacking

  /// Hands bytes on as they are.
  private func pass(_ chunk: inout ByteChunk) throws(StageError) {
    bytesPassed += UInt64(chunk.count)
    if bytesPassed > options.maxBytes {
      throw StageError(context.stage, UnzipError.tooLarge(limit: options.maxBytes))
    }
    try downstream.receive(&chunk)
  }

  private func unpack(_ bytes: Span<UInt8>) throws(StageError) {
    // Out of the object and back, so that the work is done on values of this call.
    guard var stream = stream.take(), var unpacked = output.take() else { return }
    try stream.receive(bytes, into: &unpacked) { (output, position) throws(StageError) in
      try output.checkRatio(bytesIn: position, bytesOut: output.total)
    }
    self.stream = consume stream
    output = consume unpacked
  }

  private func spool(_ bytes: Span<UInt8>) throws(StageError) {
    guard var file = spool.take() else { return }
    try asStageError(context.stage) { () throws(SystemError) in try file.append(bytes) }
    context.meter.bytesSpilled.add(bytes.count)
    spool = consume file
  }

  private func unpackSpool() throws(StageError) {
    guard let file = spool.take() else { return }
    try unpackZip(
      ZipReader.ArchiveFile(
        descriptor: file.descriptor, size: UInt64(file.size), operation: .readSpill, path: file.directory),
      countsBytes: false)
    // The archive reads from it until here.
    _ = consume file
  }

  private func unpackZip(_ source: ZipReader.ArchiveFile, countsBytes: Bool) throws(StageError) {
    var reader = try ZipReader(source, context: context)
    if let listing { return try reader.list(options.entries, listing) }
    var unpacked = UnpackedOutput(options, stage: context.stage, downstream: downstream)
    var counted: UInt64 = 0
    // Progress is what was gone through; what isn't wanted, and the directory, count at the end.
    func count(_ bytes: UInt64) {
      let now = min(bytes, source.size)
      guard countsBytes, now > counted else { return }
      context.meter.bytesIn.add(Int(clamping: now - counted))
      counted = now
    }
    try reader.unpack(options, into: &unpacked, progress: count)
    count(source.size)
    try unpacked.flush()
  }
}
