// A store file, opened: what it holds in all, its labels, and the way to its blocks.
//
// Not for: walking the records (StoreCursor), finding one (CallStore+Lookup), checking all (CallStore+Verify).

public import CallStoreFormat

/// A label of a store, as a reference: equal references of one store are the same label, so that a caller can
/// keep what it made of one.
public struct StoreLabel: Hashable, Sendable {
  /// 48 bits offset in the file, 16 bits length.
  let place: UInt64

  @inline(__always)
  init(offset: Int, count: Int) {
    place = UInt64(truncatingIfNeeded: offset) << 16 | UInt64(truncatingIfNeeded: count)
  }
}

/// A store, mapped and not read: opening it checks the trailer, the label table, the label codes and the block index, and
/// a block is checked when it is first decoded. Nothing in a damaged or hostile file is trusted.
///
/// It takes 8 bytes of memory for each block, and 25 KiB for each label code, of which there are 8 at most.
///
///     let store = try CallStore(path: "cn.cdstore")
///     if let record = try store.record(of: 86196852102) { show(store.bytes(of: record.label)) }
///
/// A store belongs to one thread at a time.
public struct CallStore: ~Copyable {
  let mapping: FileMapping
  let marks: BlockMarks
  let limits: CodeLimits
  let trailer: StoreTrailer
  /// The codes that blocks share, made ready once.
  let codes: ContiguousArray<PrefixCode>
  /// The first number of each block, so that a search reads few lines of memory.
  private let blockFirsts: ContiguousArray<UInt64>

  /// Opens the file at a path.
  ///
  /// - Complexity: O(blocks + bytes of the label table and the codes).
  public init(path: String) throws(CallStoreError) {
    try self.init(FileMapping(path: path))
  }

  /// Opens the file that a descriptor names. The descriptor stays the caller's and may be closed.
  public init(descriptor: Int32) throws(CallStoreError) {
    try self.init(FileMapping(descriptor: descriptor))
  }

  /// Opens a store that stands inside another file, as the two of a delta do.
  ///
  /// - Parameter part: the store's bytes, counted from the start of the file.
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
    limits = CodeLimits()
    self.mapping = mapping
  }

  /// Lets the system take the memory back that the pages read so far occupy. They are the file's own, so nothing is
  /// lost; but they count as the process's memory, and who goes through a large store once wants them gone.
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

  /// The number of labels in the store's table. Labels that stand in blocks are not counted.
  public var labelCount: Int { trailer.labelCount }

  /// The number of blocks.
  public var blockCount: Int { trailer.blockCount }

  /// The size of the file in bytes.
  public var byteCount: Int { mapping.count }

  /// The store's identity: the SHA-256 of every byte before it, 32 bytes. It was not computed but read.
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

  /// The bytes of a label: UTF-8 if the writer was given UTF-8. No bytes for a label of another store.
  @_lifetime(borrow self)
  public func bytes(of label: StoreLabel) -> RawSpan {
    let bytes = mapping.bytes
    let offset = Int(label.place >> 16)
    let count = Int(label.place & 0xFFFF)
    guard offset <= bytes.byteCount, count <= bytes.byteCount - offset else { return bytes.extracting(0..<0) }
    return bytes.extracting(offset..<(offset + count))
  }

  /// The bytes of a label as text; what is no UTF-8 becomes U+FFFD.
  public func text(of label: StoreLabel) -> String {
    let bytes = bytes(of: label)
    return unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }

  /// Every byte of the file, for whoever computes the content hash.
  package var fileBytes: RawSpan {
    @_lifetime(borrow self)
    get { mapping.bytes }
  }

  /// The end of the bytes that the content hash covers.
  package var hashedByteCount: Int { mapping.count - TrailerLayout.bytes + TrailerLayout.contentHash }

  /// `index` is below the count of the table.
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

  /// The index entry of a block, which `StoreTrailer` has checked.
  @inline(__always)
  func entry(_ block: Int) -> IndexEntry {
    IndexEntry(mapping.bytes, at: trailer.indexOffset + block * IndexLayout.bytes)
  }

  /// The last block of a kind that starts at `number` or before it.
  ///
  /// - Complexity: O(log blocks), without a branch that depends on the numbers: each would be guessed wrongly half of
  ///   the time.
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
      // Both are below 2 ** 50, so the sign says which is greater: all ones where the block starts behind the number.
      let sign = Int(truncatingIfNeeded: number &- firsts[block &+ half]) &>> (Int.bitWidth - 1)
      block &+= half & ~sign
      count &-= half
    }
    return block
  }

  /// The bytes of a block. Its checksum is computed the first time.
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

extension CallStoreError {
  /// Runs the decoding of a block and says which block was damaged.
  @inline(__always)
  static func at<Result: ~Copyable>(
    block: Int, _ body: () throws(BlockError) -> Result
  ) throws(CallStoreError) -> Result {
    do throws(BlockError) {
      return try body()
    } catch {
      throw .damaged(.block(block))
    }
  }
}
