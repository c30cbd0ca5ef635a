// Opens a store: reads everything outside the blocks, and checks its checksums and its consistency.

import CIntrinsics
import CallStoreFormat
import Hashing

/// The trailer. Once it was read, the label table and the index lie inside the file and are valid: labels ascend to the
/// table's end, blocks of a kind ascend, and the blocks fill the file from the head to the labels.
struct StoreTrailer: Sendable {
  /// 0, or more in a store of a newer writer. This reader ignores such a store's reserved fields and extensions.
  let minorVersion: Int
  let labelsOffset: Int
  let labelCount: Int
  let codeCount: Int
  private let codesOffset: Int
  let indexOffset: Int
  let blockingBlocks: Int
  let blockCount: Int
  let firstNumber: UInt64
  let lastNumber: UInt64
  let blockingEntries: UInt64
  let identificationEntries: UInt64
  let blockingRecords: UInt64
  let identificationRecords: UInt64

  init(_ file: RawSpan) throws(CallStoreError) {
    minorVersion = try Self.checkHead(file)
    let end = file.byteCount - TrailerLayout.bytes
    let trailer = file.extracting(end..<file.byteCount)
    guard trailer.u64(TrailerLayout.magicOffset) == TrailerLayout.magic else { throw .truncated }
    guard CRC32C.checksum(trailer.extracting(0..<TrailerLayout.crc)) == trailer.u32(TrailerLayout.crc),
      trailer.u16(TrailerLayout.version) == Int(HeadLayout.version),
      trailer.u16(TrailerLayout.length) == TrailerLayout.bytes,
      minorVersion > HeadLayout.minorVersion
        || Self.isZero(trailer, TrailerLayout.reserved, TrailerLayout.reservedBytes)
    else { throw .damaged(.trailer) }
    firstNumber = trailer.u64(TrailerLayout.firstNumber)
    lastNumber = trailer.u64(TrailerLayout.lastNumber)
    blockingEntries = trailer.u64(TrailerLayout.blockingEntries)
    identificationEntries = trailer.u64(TrailerLayout.identificationEntries)
    blockingRecords = trailer.u64(TrailerLayout.blockingRecords)
    identificationRecords = trailer.u64(TrailerLayout.identificationRecords)
    blockingBlocks = Int(trailer.u32(TrailerLayout.blockingBlocks))
    blockCount = blockingBlocks + Int(trailer.u32(TrailerLayout.identificationBlocks))
    labelCount = Int(trailer.u32(TrailerLayout.labelCount))
    codeCount = Int(trailer.u32(TrailerLayout.codeCount))
    let labelsLength = trailer.u64(TrailerLayout.labelsLength)
    let codesLength = trailer.u64(TrailerLayout.codesLength)
    let extensionsLength = trailer.u64(TrailerLayout.extensionsLength)
    let labelsBytesMax = UInt64(StoreLimits.tableBytesMax + 4 * StoreLimits.tableLabelsMax)
    let indexLength = blockCount * IndexLayout.bytes
    let contentBytes = UInt64(end - HeadLayout.bytes)
    guard blockCount <= StoreLimits.blocksMax, labelCount <= StoreLimits.tableLabelsMax,
      codeCount <= StoreLimits.codesMax, codesLength <= UInt64(StoreLimits.codesBytesMax),
      labelsLength <= labelsBytesMax, Int(labelsLength) >= 4 * labelCount,
      trailer.u64(TrailerLayout.indexLength) == UInt64(indexLength),
      minorVersion > HeadLayout.minorVersion || extensionsLength == 0, extensionsLength <= contentBytes,
      contentBytes - extensionsLength >= UInt64(indexLength) + labelsLength + codesLength
    else { throw .damaged(.trailer) }
    let extensionsOffset = end - Int(extensionsLength)
    indexOffset = extensionsOffset - indexLength
    codesOffset = indexOffset - Int(codesLength)
    labelsOffset = codesOffset - Int(labelsLength)
    guard trailer.u64(TrailerLayout.extensionsOffset) == UInt64(extensionsOffset),
      trailer.u64(TrailerLayout.indexOffset) == UInt64(indexOffset),
      trailer.u64(TrailerLayout.codesOffset) == UInt64(codesOffset),
      trailer.u64(TrailerLayout.labelsOffset) == UInt64(labelsOffset)
    else { throw .damaged(.trailer) }

    let extensions = file.extracting(extensionsOffset..<end)
    guard CRC32C.checksum(extensions) == trailer.u32(TrailerLayout.extensionsCRC) else {
      throw .damaged(.extensions)
    }
    let labels = file.extracting(labelsOffset..<codesOffset)
    guard CRC32C.checksum(labels) == trailer.u32(TrailerLayout.labelsCRC) else { throw .damaged(.labels) }
    try Self.checkLabels(labels, count: labelCount)
    let codes = file.extracting(codesOffset..<indexOffset)
    guard CRC32C.checksum(codes) == trailer.u32(TrailerLayout.codesCRC) else { throw .damaged(.codes) }
    let index = file.extracting(indexOffset..<extensionsOffset)
    guard CRC32C.checksum(index) == trailer.u32(TrailerLayout.indexCRC) else { throw .damaged(.index) }
    try checkIndex(index)
  }

  /// Checks the head and returns the minor version.
  private static func checkHead(_ file: RawSpan) throws(CallStoreError) -> Int {
    guard file.byteCount >= HeadLayout.bytes, file.u64(0) == HeadLayout.magic else { throw .notAStore }
    let version = file.u16(HeadLayout.versionOffset)
    guard version == Int(HeadLayout.version) else { throw .unsupportedVersion(version) }
    let minor = file.u16(HeadLayout.minorVersionOffset)
    guard minor > HeadLayout.minorVersion || file.u32(HeadLayout.reserved) == 0 else { throw .damaged(.head) }
    guard file.byteCount >= HeadLayout.bytes + TrailerLayout.bytes else { throw .truncated }
    return minor
  }

  private static func isZero(_ bytes: RawSpan, _ start: Int, _ count: Int) -> Bool {
    (0..<count).allSatisfy { bytes.byte(start + $0) == 0 }
  }

  /// The codes that blocks share, ready to decode.
  func codes(_ file: RawSpan) throws(CallStoreError) -> ContiguousArray<PrefixCode> {
    do throws(BlockError) {
      // With the bytes after the codes: a decoder loads eight bytes wherever a code starts.
      return try decodedCodes(file.extracting(codesOffset..<file.byteCount), end: indexOffset - codesOffset)
    } catch {
      throw .damaged(.codes)
    }
  }

  private func decodedCodes(_ bytes: RawSpan, end: Int) throws(BlockError) -> ContiguousArray<PrefixCode> {
    var codes: ContiguousArray<PrefixCode> = []
    codes.reserveCapacity(codeCount)
    var at = 0
    for _ in 0..<codeCount {
      guard end - at >= CodeLayout.bytes else { throw BlockError() }
      let symbols = bytes.u16(at + CodeLayout.symbols)
      let length = Int(bytes.u32(at + CodeLayout.length))
      guard symbols >= 1, symbols <= StoreLimits.tableLabelsMax + 1,
        minorVersion > HeadLayout.minorVersion || bytes.u16(at + CodeLayout.reserved) == 0,
        length <= end - at - CodeLayout.bytes
      else { throw BlockError() }
      let start = at + CodeLayout.bytes
      at = start + length
      let keys = try SequenceReader(bytes, from: start, to: at, count: symbols)
      var code = PrefixCode()
      let labelCount = labelCount
      try code.set(bytes, keys) { $0 < labelCount || $0 == LabelLayout.escape }
      codes.append(code)
    }
    guard at == end else { throw BlockError() }
    return codes
  }

  func blockFirsts(_ file: RawSpan) -> ContiguousArray<UInt64> {
    var firsts: ContiguousArray<UInt64> = []
    firsts.reserveCapacity(blockCount)
    for block in 0..<blockCount {
      firsts.append(file.u64(indexOffset + block * IndexLayout.bytes + IndexLayout.first))
    }
    return firsts
  }

  private static func checkLabels(_ labels: RawSpan, count: Int) throws(CallStoreError) {
    var previous = 0
    for index in 0..<count {
      let end = Int(labels.u32(4 * index))
      guard end >= previous, end - previous <= StoreLimits.labelBytesMax else { throw .damaged(.labels) }
      previous = end
    }
    guard 4 * count + previous == labels.byteCount else { throw .damaged(.labels) }
  }

  /// Blocks of a kind are in the file in the order of their numbers, so one position per kind is enough to visit all
  /// blocks in the order of the file.
  private func checkIndex(_ index: RawSpan) throws(CallStoreError) {
    var next = (blocking: 0, identification: blockingBlocks)
    var offset = UInt64(HeadLayout.bytes)
    var lasts = (blocking: UInt64(0), identification: UInt64(0))
    var records = (blocking: UInt64(0), identification: UInt64(0))
    var entries = (blocking: UInt64(0), identification: UInt64(0))
    var first = UInt64.max
    for _ in 0..<blockCount {
      func entry(_ at: Int) -> IndexEntry { IndexEntry(index, at: at * IndexLayout.bytes) }
      let isBlocking = next.blocking < blockingBlocks && entry(next.blocking).offset == offset
      guard isBlocking || next.identification < blockCount else { throw .damaged(.index) }
      let entry = entry(isBlocking ? next.blocking : next.identification)
      guard entry.offset == offset,
        entry.kind == UInt32((isBlocking ? StoreKind.blocking : .identification).rawValue),
        entry.first > (isBlocking ? lasts.blocking : lasts.identification),
        entry.first <= entry.last, entry.last <= StoreLimits.numberMax,
        (1...StoreLimits.blockRecordsMax).contains(entry.records),
        entry.entries >= UInt64(entry.records), entry.entries <= entry.last - entry.first + 1,
        entry.length >= BlockLayout.bytes + BlockLayout.padding,
        UInt64(entry.length) <= UInt64(labelsOffset) - offset
      else { throw .damaged(.index) }
      offset += UInt64(entry.length)
      first = min(first, entry.first)
      if isBlocking {
        next.blocking += 1
        lasts.blocking = entry.last
        records.blocking += UInt64(entry.records)
        entries.blocking += entry.entries
      } else {
        next.identification += 1
        lasts.identification = entry.last
        records.identification += UInt64(entry.records)
        entries.identification += entry.entries
      }
    }
    guard offset == UInt64(labelsOffset), records == (blockingRecords, identificationRecords),
      entries == (blockingEntries, identificationEntries),
      lastNumber == max(lasts.blocking, lasts.identification), firstNumber == (blockCount == 0 ? 0 : first)
    else { throw .damaged(.index) }
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The requirement that a file is regular, because it is mapped into memory or read at offsets.
package enum RegularFile {
  /// The error number for a file that is not regular; messages name its kind by it. Nil for a regular file.
  ///
  /// - Parameter mode: the file's `st_mode`.
  package static func errorNumber(ofMode mode: UInt32) -> Int32? {
    switch mode & UInt32(S_IFMT) {
    case UInt32(S_IFREG): nil
    case UInt32(S_IFDIR): EISDIR
    case UInt32(S_IFIFO): ESPIPE
    case UInt32(S_IFSOCK): ENXIO
    default: ENODEV
    }
  }
}

/// A whole file, mapped into memory. It stays readable after the file was removed. But if the file is truncated while
/// it is mapped, reading it ends the process (SIGBUS), so replace stores by renaming.
@safe
struct FileMapping: ~Copyable {
  private let buffer: UnsafeRawBufferPointer
  /// The range of the store's bytes: the whole file, unless the store is part of another file.
  private let part: Range<Int>

  init(path: String) throws(CallStoreError) {
    var descriptor: Int32
    // Only regular files are accepted. Without O_NONBLOCK, opening a pipe would wait for a writer.
    repeat {
      descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else { throw .cannotOpen(errno) }
    defer { close(descriptor) }
    try self.init(descriptor: descriptor)
  }

  /// Maps an open file. The caller keeps the descriptor and may close it. With `part`, only these bytes of the file are
  /// read.
  init(descriptor: Int32, part: Range<Int>? = nil) throws(CallStoreError) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .cannotOpen(errno) }
    if let code = RegularFile.errorNumber(ofMode: UInt32(status.st_mode)) { throw .cannotOpen(code) }
    guard status.st_size > 0 else { throw .notAStore }
    let count = Int(status.st_size)
    let part = part ?? 0..<count
    guard part.lowerBound >= 0, part.upperBound <= count else { throw .truncated }
    let start = unsafe mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else { throw .cannotOpen(errno) }
    unsafe buffer = UnsafeRawBufferPointer(start: start, count: count)
    self.part = part
  }

  deinit {
    unsafe munmap(UnsafeMutableRawPointer(mutating: buffer.baseAddress), buffer.count)
  }

  var count: Int { part.count }

  /// Releases the memory of the pages that were read so far. Reading them again loads them from the file.
  func releasePages() {
    unsafe madvise(UnsafeMutableRawPointer(mutating: buffer.baseAddress), buffer.count, MADV_DONTNEED)
  }

  var bytes: RawSpan {
    @_lifetime(borrow self)
    get {
      // The mapping lives as long as this value.
      unsafe _overrideLifetime(RawSpan(_unsafeBytes: buffer).extracting(part), borrowing: self)
    }
  }
}

// The bytes of a mapping never change, and the system releases pages and loads them again unnoticed.
extension FileMapping: @unchecked Sendable {}

/// The set of blocks whose checksum was verified: one bit per block. Several threads may read and change it at a time;
/// at worst, two of them verify the same block.
@safe
struct BlockMarks: ~Copyable {
  private let words: UnsafeMutableBufferPointer<UInt64>
  private let count: Int

  init(count: Int) {
    self.count = count
    unsafe words = .allocate(capacity: (count + 63) / 64)
    unsafe words.initialize(repeating: 0)
  }

  deinit { unsafe words.deallocate() }

  /// Whether a block was verified. `index` is below the count.
  @inline(__always)
  func contains(_ index: Int) -> Bool {
    precondition(index >= 0 && index < count)
    return unsafe cdp_contains_bit(words.baseAddress, index)
  }

  /// Marks a block as verified. `index` is below the count.
  func insert(_ index: Int) {
    precondition(index >= 0 && index < count)
    unsafe cdp_insert_bit(words.baseAddress, index)
  }
}

// The bits are read and set atomically, and the pointer is constant.
extension BlockMarks: @unchecked Sendable {}
