// An open store file: its totals, its labels, and access to its blocks.
//
// Not for: walking the records (StoreCursor), finding one (CallStore+Lookup), checking all (CallStore+Verify), records
// and labels as plain values (LabeledRecords).

// Apps need the types that both modules have: one import is enough.
@_exported public import CallStoreFormat
import Hashing

/// A reference to a label of a store. Equal references of one store are the same label, so a caller can cache what it
/// derived from a label.
public struct StoreLabel: Hashable, Sendable {
  /// 48 bits offset in the file, 16 bits length.
  package let offsetAndCount: UInt64

  @inline(__always)
  init(offset: Int, count: Int) {
    offsetAndCount = UInt64(truncatingIfNeeded: offset) << 16 | UInt64(truncatingIfNeeded: count)
  }
}

/// A store file, mapped into memory. Opening it checks the trailer, the label table, the label codes and the block
/// index. A block is checked when it is first decoded. Nothing in a damaged or hostile file is trusted.
///
/// It uses 8 bytes of memory for each block, and 25 KiB for each of at most 8 label codes.
///
///     let store = try CallStore(url: url)
///     let label = try store.label(of: 86196852102)
///
///     for record in try CallStore(url: url).records() { show(record.first, record.label) }
///
/// Several threads may use a store at a time.
public struct CallStore: ~Copyable, Sendable {
  let mapping: FileMapping
  let marks: BlockMarks
  let trailer: StoreTrailer
  /// The codes that blocks share, ready to decode.
  let codes: ContiguousArray<PrefixCode>
  /// The first number of each block, close together, so that a search reads few cache lines.
  private let blockFirsts: ContiguousArray<UInt64>

  /// Opens the file at a path.
  ///
  /// - Complexity: O(blocks + bytes of the label table and the codes).
  public init(path: String) throws(CallStoreError) {
    try self.init(FileMapping(path: path))
  }

  /// Opens a store by an open file's descriptor. The caller keeps the descriptor and may close it.
  public init(descriptor: Int32) throws(CallStoreError) {
    try self.init(FileMapping(descriptor: descriptor))
  }

  /// Opens a store that is part of another file, such as a delta.
  ///
  /// - Parameters:
  ///   - descriptor: the open file's descriptor. The caller keeps it and may close it.
  ///   - part: the range of the store's bytes in the file.
  public init(descriptor: Int32, part: Range<Int>) throws(CallStoreError) {
    try self.init(FileMapping(descriptor: descriptor, part: part))
  }

  private init(_ mapping: consuming FileMapping) throws(CallStoreError) {
    let trailer = try StoreTrailer(mapping.bytes)
    let codes = try trailer.codes(mapping.bytes)
    self.trailer = trailer
    self.codes = codes
    blockFirsts = trailer.blockFirsts(mapping.bytes)
    marks = BlockMarks(count: trailer.blockCount)
    self.mapping = mapping
  }

  /// Releases the memory of the pages that were read so far. They are pages of the file, so nothing is lost, but they
  /// count as the process's memory: call it now and then when reading through a large store once.
  public func releasePages() {
    mapping.releasePages()
  }

  /// The number of records of a kind; a range is one record.
  public func recordCount(of kind: StoreKind) -> UInt64 {
    kind == .blocking ? trailer.blockingRecords : trailer.identificationRecords
  }

  /// The number of entries of a kind: single numbers, as iOS counts them.
  public func entryCount(of kind: StoreKind) -> UInt64 {
    kind == .blocking ? trailer.blockingEntries : trailer.identificationEntries
  }

  /// The number of records of each kind; a range is one record.
  public var recordCounts: KindCounts {
    KindCounts(blocking: trailer.blockingRecords, identification: trailer.identificationRecords)
  }

  /// The number of entries of each kind: single numbers, as iOS counts them.
  public var entryCounts: KindCounts {
    KindCounts(blocking: trailer.blockingEntries, identification: trailer.identificationEntries)
  }

  /// The smallest number; nil when the store is empty.
  public var firstNumber: UInt64? { trailer.blockCount == 0 ? nil : trailer.firstNumber }

  /// The largest number; nil when the store is empty.
  public var lastNumber: UInt64? { trailer.blockCount == 0 ? nil : trailer.lastNumber }

  /// The number of labels in the store's table. Labels in blocks are not counted.
  public var labelCount: Int { trailer.labelCount }

  /// The number of blocks.
  public var blockCount: Int { trailer.blockCount }

  /// The size of the file in bytes.
  public var byteCount: Int { mapping.count }

  /// The store's identity: the SHA-256 of every byte before it, 32 bytes. It is read from the file, not computed.
  public var contentHash: [UInt8] {
    let bytes = mapping.bytes
    let start = bytes.byteCount - TrailerLayout.bytes + TrailerLayout.contentHash
    return (0..<TrailerLayout.contentHashBytes).map { bytes.byte(start + $0) }
  }

  /// The label of the table at `index`, in the order of first use.
  ///
  /// - Precondition: `index` is below ``labelCount``.
  public func label(at index: Int) -> StoreLabel {
    precondition(index >= 0 && index < labelCount, "no such label")
    return tableLabel(index)
  }

  /// The bytes of a label: UTF-8 if the writer's input was UTF-8. For a label of another store, the bytes are arbitrary
  /// or none.
  @_lifetime(borrow self)
  public func bytes(of label: StoreLabel) -> RawSpan {
    let bytes = mapping.bytes
    let offset = Int(label.offsetAndCount >> 16)
    let count = Int(label.offsetAndCount & 0xFFFF)
    guard offset <= bytes.byteCount, count <= bytes.byteCount - offset else { return bytes.extracting(0..<0) }
    return bytes.extracting(offset..<(offset + count))
  }

  /// The bytes of a label as text. Invalid UTF-8 becomes U+FFFD.
  public func text(of label: StoreLabel) -> String {
    let bytes = bytes(of: label)
    return unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// All bytes of the store, to compute the content hash.
  package var fileBytes: RawSpan {
    @_lifetime(borrow self)
    get { mapping.bytes }
  }

  /// The end of the bytes that the content hash covers.
  package var hashedByteCount: Int { mapping.count - TrailerLayout.bytes + TrailerLayout.contentHash }

  /// The label of the table at `index`, which is below ``labelCount``.
  @inline(__always)
  func tableLabel(_ index: Int) -> StoreLabel {
    let bytes = mapping.bytes
    let table = trailer.labelsOffset
    let start = index == 0 ? 0 : Int(bytes.u32(table + 4 * (index - 1)))
    let end = Int(bytes.u32(table + 4 * index))
    return StoreLabel(offset: table + 4 * trailer.labelCount + start, count: end - start)
  }

  /// The indices of the blocks of a kind; they ascend.
  func blocks(of kind: StoreKind) -> Range<Int> {
    kind == .blocking ? 0..<trailer.blockingBlocks : trailer.blockingBlocks..<trailer.blockCount
  }

  /// The index entry of a block. `StoreTrailer` has checked it.
  @inline(__always)
  func entry(_ block: Int) -> IndexEntry {
    IndexEntry(mapping.bytes, at: trailer.indexOffset + block * IndexLayout.bytes)
  }

  /// The last block of a kind whose first number is at most `number`.
  ///
  /// - Complexity: O(log blocks). No branch depends on the numbers: it would be mispredicted half of the time.
  @inline(__always)
  func block(of number: UInt64, _ kind: StoreKind) -> Int? {
    let blocks = blocks(of: kind)
    let firsts = blockFirsts.span
    guard number <= StoreLimits.numberMax, !blocks.isEmpty, firsts[blocks.lowerBound] <= number else {
      return nil
    }
    var block = blocks.lowerBound
    var count = blocks.count
    while count > 1 {
      let half = count / 2
      // Both are below 2 ** 50, so the sign of the difference is all ones if the block starts after the number.
      let sign = Int(truncatingIfNeeded: number &- firsts[block &+ half]) &>> (Int.bitWidth - 1)
      block &+= half & ~sign
      count &-= half
    }
    return block
  }

  /// The bytes of a block. Its checksum is verified the first time.
  @_lifetime(borrow self)
  func blockBytes(_ block: Int, _ entry: IndexEntry) throws(CallStoreError) -> RawSpan {
    let offset = Int(entry.offset)
    let bytes = mapping.bytes.extracting(offset..<(offset + entry.length))
    if !marks.contains(block) {
      guard CRC32C.checksum(bytes) == entry.crc else { throw .damaged(.block(block)) }
      marks.insert(block)
    }
    return bytes
  }
}
