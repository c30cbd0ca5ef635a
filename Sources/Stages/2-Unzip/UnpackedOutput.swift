// The unpacked output, checked against the limits before it is sent downstream; and streams that are unpacked from front
// to back.

import BasicContainers
import Records
import SystemIO

/// A chunk of unpacked bytes, and the limits on all of them.
struct UnpackedOutput: ~Copyable {
  private let downstream: any ByteSink
  private let maxBytes: UInt64
  private let maxRatio: Double
  private var chunk = ByteChunk()
  private(set) var total: UInt64 = 0
  private var last: UInt8?
  private var needsNewline = false
  private var memberStart: UInt64 = 0
  private var firstBytes: [UInt8] = []
  /// Whether a byte order mark may follow that is not the first text of the output.
  private var mayHaveMark = false
  /// The index in the chunk at which the member starts, while that may be.
  private var memberIndex = 0
  /// The size of the packed input around this one; nil if there is none.
  private let packedBytes: UInt64?

  init(_ options: UnzipOptions, packedBytes: UInt64? = nil, downstream: any ByteSink) {
    self.downstream = downstream
    self.packedBytes = packedBytes
    maxBytes = options.maxBytes
    maxRatio = options.maxRatio
  }

  /// The byte order mark of UTF-8.
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Starts another member. If it has any bytes and the previous member lacks a final newline, one is inserted, so that
  /// their rows stay separate. Its byte order mark, which would be a character of its first row, is removed.
  mutating func beginMember() throws(Failure) {
    needsNewline = last != nil && last != UInt8(ascii: "\n")
    memberStart = total
    firstBytes.removeAll(keepingCapacity: true)
    mayHaveMark = last != nil
    // The mark, with the newline before it, is then in one chunk.
    if chunk.freeCapacity < 8 { try flush() }
  }

  /// Removes a byte order mark, if the chunk ends with the first bytes of a member.
  private mutating func removeMark() {
    guard mayHaveMark, firstBytes.count >= Self.mark.count else { return }
    mayHaveMark = false
    guard firstBytes.starts(with: Self.mark) else { return }
    chunk.bytes.removeSubrange(memberIndex..<memberIndex + Self.mark.count)
    total -= UInt64(Self.mark.count)
  }

  /// The format of the current member if it is one that is read as a whole, as far as its first bytes show.
  var wholeFormat: WholeFormat? { WholeFormat(firstBytes.span) }

  /// The bytes of output since the last member started.
  var memberBytes: UInt64 { total - memberStart }

  /// Lets `write` fill the chunk's free space, which is never empty.
  mutating func fill<Produced>(
    _ write: (inout ByteChunk) throws(Failure) -> Produced
  ) throws(Failure) -> Produced {
    // Space for a newline and one more byte.
    if chunk.freeCapacity < 2 { try flush() }
    if needsNewline { chunk.bytes.append(UInt8(ascii: "\n")) }
    let before = chunk.count
    let produced = try write(&chunk)
    let count = chunk.count - before
    if count > 0 {
      total += UInt64(count) + (needsNewline ? 1 : 0)
      if firstBytes.isEmpty { memberIndex = before }
      if firstBytes.count < WholeFormat.startBytes {
        let missing = WholeFormat.startBytes - firstBytes.count
        let newest = [UInt8](copying: chunk.span.extracting(last: count).extracting(first: missing))
        firstBytes += newest
      }
      let newest = chunk.span[chunk.count - 1]
      last = newest
      needsNewline = false
      if mayHaveMark { removeMark() }
      if total > maxBytes { throw .tooLarge(limit: maxBytes) }
    } else if needsNewline {
      chunk.bytes.removeLast()
    }
    return produced
  }

  mutating func append(_ bytes: Span<UInt8>) throws(Failure) {
    var rest = bytes
    while !rest.isEmpty {
      let more = rest
      let count = try fill { chunk in
        let count = min(chunk.freeCapacity, more.count)
        chunk.append(more.extracting(first: count))
        return count
      }
      rest = rest.extracting(droppingFirst: count)
    }
  }

  /// Throws if the output is too large for the input.
  func checkRatio(bytesIn: UInt64, bytesOut: UInt64) throws(Failure) {
    let bytesIn = min(bytesIn, packedBytes ?? .max)
    if bytesOut > UnzipOptions.ratioFreeBytes, Double(bytesOut) > maxRatio * Double(bytesIn) {
      throw .expandsTooMuch(limit: maxRatio, bytesIn: bytesIn, bytesOut: bytesOut)
    }
  }

  /// Throws if the announced output would exceed the limit, before anything is output.
  func checkTotal(_ bytes: UInt64) throws(Failure) {
    if bytes > maxBytes { throw .tooLarge(limit: maxBytes) }
  }

  mutating func flush() throws(Failure) {
    if !chunk.isEmpty {
      try downstream.receive(&chunk)
      chunk.removeAll()
    }
    // A sink may have swapped the chunk for one of its own.
    if chunk.freeCapacity < 2 { chunk = ByteChunk() }
  }
}

/// A compressed stream in chunks of any size. zlib: a single stream (RFC 1950) and nothing more. Others: members (gzip,
/// RFC 1952, 2.2), frames (zstd) or streams (xz, bzip2) one after another, optionally followed by zeros: tapes and some
/// tools pad with zeros, and gzip accepts them. With xz, more streams may follow the zeros (the .xz file format, 2.2).
struct StreamUnpacker: ~Copyable {
  private enum Phase { case member, betweenMembers, padding, end }
  /// If the bytes after a gzip member are not another member, zlib detects that within its first bytes.
  private static let magicBytes: UInt64 = 2

  private let stream: CompressedStream
  private var decompressor: Decompressor
  private var phase = Phase.member
  private(set) var position: UInt64 = 0
  private var memberStart: UInt64 = 0

  init(_ stream: CompressedStream) throws(Failure) {
    // Everything that can fail comes before the first property is set.
    guard let made = try Self.decompressor(of: stream.format) else { throw .noMemoryToUnzip }
    self.stream = stream
    decompressor = made
  }

  private static func decompressor(of format: CompressedFormat) throws(Failure) -> Decompressor? {
    guard let library = format.library else { return Decompressor(format == .zlib ? .zlib : .gzip) }
    try throwing({ Failure.zip($0, .openInput, "") }) { () throws(ZipError) in
      try Decompressor.load(library)
    }
    return Decompressor(library, windowBytesMax: UnzipLimits.windowBytesMax)
  }

  /// Unpacks the next chunk. `check` is called with the output and the number of bytes read after each step.
  mutating func receive(
    _ bytes: Span<UInt8>, into output: inout UnpackedOutput,
    check: (borrowing UnpackedOutput, UInt64) throws(Failure) -> Void
  ) throws(Failure) {
    var rest = bytes
    var hasMore = !bytes.isEmpty
    while hasMore {
      switch phase {
      case .member:
        hasMore = try unpack(&rest, &output)
        try check(output, position)
      case .betweenMembers where stream.format.mayStart(with: rest[0]),
        .padding where stream.format == .xz && stream.format.mayStart(with: rest[0]):
        memberStart = position
        guard decompressor.restart() else { throw .noMemoryToUnzip }
        phase = .member
      case .betweenMembers, .padding:
        guard rest[0] == 0 else { throw .trailingGarbage(stream, atByte: position) }
        phase = .padding
        position += 1
        rest = rest.extracting(droppingFirst: 1)
        hasMore = !rest.isEmpty
      case .end:
        throw .trailingGarbage(stream, atByte: position)
      }
    }
  }

  func finish() throws(Failure) {
    if phase == .member { throw .truncatedStream(stream, atByte: position) }
  }

  /// Calls the decompressor once. Returns whether there is more to do with the bytes received so far.
  private mutating func unpack(
    _ rest: inout Span<UInt8>, _ output: inout UnpackedOutput
  ) throws(Failure) -> Bool {
    let input = rest
    let (result, consumed, isFull, isStuck) = try output.fill { chunk in
      let before = chunk.count
      let (result, consumed) = decompressor.decompress(input, into: &chunk)
      let isStuck = consumed == 0 && chunk.count == before && !input.isEmpty
      return (result, consumed, chunk.freeCapacity == 0, isStuck)
    }
    position += UInt64(consumed)
    rest = rest.extracting(droppingFirst: consumed)
    switch result {
    case .inProgress where isStuck:
      // With input and free space there is always progress; if not, avoid an infinite loop.
      throw .damagedStream(stream, atByte: position, text: decompressor.text)
    case .inProgress:
      // If the chunk is full, the decompressor may have more output although its input is used up.
      return !rest.isEmpty || isFull
    case .end:
      phase = stream.format == .zlib ? .end : .betweenMembers
      return !rest.isEmpty
    case .outOfMemory:
      throw .noMemoryToUnzip
    case .windowTooLarge:
      throw .windowTooLarge(stream)
    case .otherFormat where memberStart > 0:
      throw .trailingGarbage(stream, atByte: memberStart)
    case .damaged
    where stream.format == .gzip && memberStart > 0 && position - memberStart <= Self.magicBytes:
      throw .trailingGarbage(stream, atByte: memberStart)
    case .damaged, .otherFormat:
      throw .damagedStream(stream, atByte: position, text: decompressor.text)
    }
  }
}

/// A member that may itself be a compressed stream, unpacked one level deep for `--nested`.
///
/// It is detected by its first bytes, not by its name. A zip archive within an archive is refused: its directory is at
/// its end, and the first zip bombs were archives nested in archives.
struct NestedOutput: ~Copyable {
  private let entry: ZipEntry
  private var chunk = ByteChunk()
  private var isDetected = false
  private var stream: StreamUnpacker?

  init(_ entry: ZipEntry) { self.entry = entry }

  /// Passes on the bytes that `write` produces. Returns the result of `write`: 0 at the end.
  mutating func fill(
    _ output: inout UnpackedOutput, _ write: (inout ByteChunk) throws(Failure) -> Int
  ) throws(Failure) -> Int {
    let count = try write(&chunk)
    if !isDetected {
      let magic = Magic(chunk.span, isWhole: count == 0)
      // The chunk has more capacity than is needed for detection.
      if magic == .unclear { return count }
      isDetected = true
      try begin(magic)
    }
    if var stream = stream.take() {
      try stream.receive(chunk.span, into: &output) { (output, position) throws(Failure) in
        try output.checkRatio(bytesIn: max(position, 1), bytesOut: output.memberBytes)
      }
      if count == 0 { try stream.finish() }
      self.stream = consume stream
    } else {
      try output.append(chunk.span)
    }
    chunk.removeAll()
    return count
  }

  private mutating func begin(_ magic: Magic) throws(Failure) {
    switch magic {
    case .plain, .unclear, .office: break
    case .packed(.zip), .damaged(.zip):
      throw .nestedArchive(name: entry.name)
    case .foreign(let format):
      throw .unsupportedFormat(format, member: entry.name)
    case .packed(let format):
      stream = try StreamUnpacker(CompressedStream(format, member: entry.name))
    case .damaged(let format):
      throw .damagedStream(CompressedStream(format, member: entry.name), atByte: 0, text: "")
    }
  }
}
