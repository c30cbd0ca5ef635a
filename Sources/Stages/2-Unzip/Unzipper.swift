// The unzip stage: detects the format by the first bytes, and unpacks a zip archive or a compressed stream, or passes other
// bytes through.

package import Records
package import SystemIO
import SystemPackage

/// Unpacks packed input.
///
/// Bytes are pushed, as from a pipe; a zip archive is then spooled to an unnamed temporary file, because its directory
/// is at its end. ``read(_:)`` processes a file instead, and reads an archive in place. Each input has its own format,
/// and the limits apply to each.
///
/// Zip members are output one after another in directory order, with a newline between two if the first lacks one; the
/// members of a compressed stream with nothing in between. An archive is checked as a whole before anything is output: its
/// directory and headers must agree, and respect the limits. Checksums are verified at the end of each member: bytes
/// that turn out wrong may have been sent downstream by then, and the stage fails. Memory use does not depend on the
/// size or the number of members. An office document, such as a workbook, is passed through unless members are chosen
/// or listed.
package final class Unzipper: ByteSink {
  private enum InputFormat: Equatable {
    case unknown, plain, office, zip
    case stream(CompressedFormat)
    /// A zip archive that was unpacked completely.
    case unpackedZip
  }

  private let options: UnzipOptions
  private let context: StageContext
  private let downstream: any ByteSink
  private let listing: ((ArchiveEntry) throws(Failure) -> Void)?
  private var format = InputFormat.unknown
  private var prefix: [UInt8] = []
  private var stream: StreamUnpacker?
  private var output: UnpackedOutput?
  private var spool: TemporaryFile?
  private var bytesPassed: UInt64 = 0
  /// The last bytes passed through, at least as many as an archive's end record has with its comment, if there are that
  /// many.
  private var tail: [UInt8] = []
  /// Whether the end of a file was examined before its first bytes were passed on.
  private var isEndChecked = false
  /// Unpacks what a stream contains, with `--nested`; nil before.
  private var inner: Unzipper?
  /// The size of the stream that contains this input; nil if it is not inside one.
  private var packedBytes: UInt64?
  /// What messages call the input.
  var inputName = "-"
  /// Receives notices; nil when they are not shown.
  var notify: (@Sendable (any StageNotice) -> Void)?

  /// Makes the stage. With `listing`, a zip archive's entries are passed to it, and downstream is only finished.
  package init(
    options: UnzipOptions, context: StageContext, downstream: any ByteSink,
    listing: ((ArchiveEntry) throws(Failure) -> Void)? = nil
  ) {
    self.options = options
    self.context = context
    self.downstream = downstream
    self.listing = listing
  }

  package func receive(_ chunk: inout ByteChunk) throws(Failure) {
    if packedBytes == nil { context.meter.bytesIn.add(chunk.count) }
    if format == .unknown {
      guard let found = try detectFormat(from: chunk.span) else { return }
      try begin(found)
    }
    switch format {
    case .unknown, .unpackedZip: break
    case .plain, .office: try pass(&chunk)
    case .stream: try unpack(chunk.span)
    case .zip: try spool(chunk.span)
    }
  }

  /// Ends the input. A zip archive is only unpacked now.
  package func finish() throws(Failure) {
    try endInput()
    context.meter.finish()
    try downstream.finish()
  }

  /// Ends the input and begins another one, whose format is detected again.
  package func nextInput(name: String) throws(Failure) {
    try endInput()
    format = .unknown
    prefix = []
    stream = nil
    output = nil
    inner = nil
    isEndChecked = false
    bytesPassed = 0
    tail = []
    inputName = name
    try downstream.nextInput(name: name)
  }

  private func endInput() throws(Failure) {
    // There were too few bytes to decide, or they were too similar to text.
    if format == .unknown { try begin(inputFormat(Magic(prefix.span, isWhole: true))) }
    switch format {
    case .unknown, .unpackedZip, .office: break
    case .plain:
      let tail = tail
      if EndOfCentralDirectory.isAtEnd(of: tail.span, inputBytes: bytesPassed) {
        throw .archiveAfterOtherData
      }
    case .stream:
      try stream?.finish()
      try output?.flush()
      try inner?.endInput()
    case .zip: try unpackSpool()
    }
  }

  /// Processes a whole file instead of ``receive(_:)``. A zip archive in a regular file is read in place.
  package func read(_ file: consuming InputFile) throws(Failure) {
    // A shell may pass a descriptor from which bytes have been read already: treat the rest as a stream.
    let start = (try? file.descriptor.seek(offset: 0, from: .current)) ?? 0
    let size = start == 0 ? file.size : nil

    var chunk = ByteChunk()
    var isFirst = true
    while true {
      let count = try asFailure(context.stage) { () throws(SystemError) in try file.read(into: &chunk) }
      guard count > 0 else { return }
      if isFirst, let size, try inputFormat(Magic(chunk.span, isWhole: false)) == .zip {
        try unpackZip(
          ZipReader.ArchiveFile(
            descriptor: file.descriptor, size: size, operation: .readInput, path: file.path),
          countsBytes: true)
        format = .unpackedZip
        return
      }
      if isFirst, let size {
        try checkEnd(of: file.descriptor, size, chunk.span)
        isEndChecked = true
      }
      isFirst = false
      try receive(&chunk)
      chunk.removeAll()
      if chunk.freeCapacity == 0 { chunk = ByteChunk() }
    }
  }

  /// Checks that a file that is not an archive does not end with one, before anything is output.
  private func checkEnd(of file: FileDescriptor, _ size: UInt64, _ start: Span<UInt8>) throws(Failure) {
    guard size >= UInt64(EndOfCentralDirectory.endBytes), Magic(start, isWhole: false) == .plain else {
      return
    }
    let count = min(size, UInt64(EndOfCentralDirectory.searchedBytes))
    var end = ByteChunk(capacity: Int(count))
    // A read error is reported when the stage gets there.
    _ = try? context.calls.read(file, at: Int64(size - count), into: &end)
    if EndOfCentralDirectory.isAtEnd(of: end.span, inputBytes: size) {
      throw .archiveAfterOtherData
    }
  }

  // MARK: - Format detection

  /// The format, according to the first bytes, which are kept; nil if more are needed.
  private func detectFormat(from bytes: Span<UInt8>) throws(Failure) -> InputFormat? {
    if prefix.isEmpty {
      let magic = Magic(bytes, isWhole: false)
      if magic != .unclear { return try inputFormat(magic) }
    }
    let before = prefix.count
    for index in bytes.indices { prefix.append(bytes[index]) }
    let magic = Magic(prefix.span, isWhole: false)
    if magic == .unclear { return nil }
    // The caller processes the bytes of this chunk.
    prefix.removeSubrange(before...)
    return try inputFormat(magic)
  }

  private func inputFormat(_ magic: Magic) throws(Failure) -> InputFormat {
    switch magic {
    case .plain, .unclear: .plain
    case .office where options.entries.isEmpty && listing == nil: .office
    case .packed(.zip), .office: .zip
    case .packed(let format): .stream(format)
    case .damaged(let format): throw .damagedSignature(format)
    case .foreign(let format):
      throw .unsupportedFormat(format, member: nil)
    }
  }

  /// Prepares for the format, and processes the bytes kept so far.
  private func begin(_ found: InputFormat) throws(Failure) {
    var isArchive = found == .zip
    if case .stream = found, options.unpacksNested { isArchive = true }
    if !isArchive, listing != nil || !options.entries.isEmpty { throw .notAnArchive }
    format = found
    let kept = prefix
    prefix = []
    switch found {
    case .unknown, .unpackedZip: break
    case .plain, .office:
      guard !kept.isEmpty else { break }
      var first = ByteChunk(capacity: kept.count)
      first.append(kept.span)
      try pass(&first)
    case .stream(let format):
      options.observe?(.stream(format))
      if options.unpacksNested {
        var one = options
        one.unpacksNested = false
        let unzipper = Unzipper(options: one, context: context, downstream: downstream, listing: listing)
        unzipper.packedBytes = 0
        (unzipper.inputName, unzipper.notify) = (inputName, notify)
        inner = unzipper
      }
      let target: any ByteSink = if let inner { inner } else { downstream }
      output = UnpackedOutput(options, downstream: target)
      stream = try StreamUnpacker(CompressedStream(format))
      try unpack(kept.span)
    case .zip:
      spool = try asFailure(context.stage) { () throws(SystemError) in
        try TemporaryFile(in: options.tempDirectory ?? TemporaryFile.defaultDirectory, calls: context.calls)
      }
      try spool(kept.span)
    }
  }

  // MARK: - Unpacking

  private func pass(_ chunk: inout ByteChunk) throws(Failure) {
    bytesPassed += UInt64(chunk.count)
    if bytesPassed > options.maxBytes { throw .tooLarge(limit: options.maxBytes) }
    if !isEndChecked { keepTail(of: chunk.span) }
    try downstream.receive(&chunk)
  }

  private func keepTail(of bytes: Span<UInt8>) {
    let needed = EndOfCentralDirectory.searchedBytes
    // Most chunks are as large as that.
    if tail.count + bytes.count > 2 * needed { tail.removeFirst(tail.count - max(needed - bytes.count, 0)) }
    tail.append(copying: bytes.extracting(last: needed))
  }

  private func unpack(_ bytes: Span<UInt8>) throws(Failure) {
    if let inner { inner.packedBytes = (inner.packedBytes ?? 0) + UInt64(bytes.count) }
    // Moved out of the object and back, for exclusive access to local values.
    guard var stream = stream.take(), var unpacked = output.take() else { return }
    try stream.receive(bytes, into: &unpacked) { (output, position) throws(Failure) in
      try output.checkRatio(bytesIn: min(position, packedBytes ?? .max), bytesOut: output.total)
    }
    self.stream = consume stream
    output = consume unpacked
  }

  private func spool(_ bytes: Span<UInt8>) throws(Failure) {
    guard var file = spool.take() else { return }
    try asFailure(context.stage) { () throws(SystemError) in try file.append(bytes) }
    context.meter.bytesSpilled.add(bytes.count)
    spool = consume file
  }

  private func unpackSpool() throws(Failure) {
    guard let file = spool.take() else { return }
    try unpackZip(
      ZipReader.ArchiveFile(
        descriptor: file.descriptor, size: UInt64(file.size), operation: .readSpill, path: file.directory),
      countsBytes: false)
    // The archive reads from the file until here.
    _ = consume file
  }

  private func unpackZip(_ source: ZipReader.ArchiveFile, countsBytes: Bool) throws(Failure) {
    var reader = try ZipReader(source, context: context)
    if let listing { return try reader.list(options.entries, listing) }
    var unpacked = UnpackedOutput(options, packedBytes: packedBytes, downstream: downstream)
    var counted: UInt64 = 0
    // Progress counts the bytes read; members that are not selected, and the directory, are added at the end.
    func count(_ bytes: UInt64) {
      let now = min(bytes, source.size)
      guard countsBytes, now > counted else { return }
      context.meter.bytesIn.add(Int(clamping: now - counted))
      counted = now
    }
    try reader.unpack(noticing, into: &unpacked, progress: count)
    count(source.size)
    try unpacked.flush()
  }

  /// The options, with notices about members whose numbers are not blocked, by their names.
  private var noticing: UnzipOptions {
    guard let notify else { return options }
    var noticing = options
    let (archive, source) = (inputName, context.origin.source)
    noticing.observe = { [observe = options.observe] part in
      observe?(part)
      if case .exceptions(let name, let isRead) = part {
        notify(UnzipNotice(archive: archive, member: name, isRead: isRead, source: source))
      }
    }
    return noticing
  }
}
