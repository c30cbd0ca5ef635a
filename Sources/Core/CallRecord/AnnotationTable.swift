// The annotations of one batch, each kept once: a record names its annotation by an index.
//
// Lists repeat few labels millions of times, so a stage looks at a label once a batch, not once a record.
// Not for: a whole sort's annotations (SortStage keeps its own, bounded table).

public import BasicContainers

/// The different annotations of one batch, in the order in which they came.
///
/// `intern` gives an annotation's index, and nil when the batch has no room for it: hand the batch on, start
/// a new one, and intern again. A table that is empty always has room for one annotation.
@frozen
public struct AnnotationTable: ~Copyable, Sendable {
  /// The most bytes that a batch's annotations take together.
  public static let bytesMax = 64 * 1024

  /// Twice the records of a batch: the table is never more than half full.
  @usableFromInline static let slotCount = 1 << slotBits
  @usableFromInline static let slotBits = 13

  @usableFromInline var bytes: RigidArray<UInt8>
  @usableFromInline var ends: RigidArray<UInt32>
  @usableFromInline var hashes: RigidArray<UInt32>
  /// Index + 1 of an annotation, or 0.
  @usableFromInline var slots: RigidArray<UInt16>

  /// Makes an empty table.
  public init() {
    bytes = RigidArray(capacity: Self.bytesMax)
    ends = RigidArray(capacity: RecordBatch.recordsMax)
    hashes = RigidArray(capacity: RecordBatch.recordsMax)
    slots = RigidArray(repeating: 0, count: Self.slotCount)
  }

  /// The number of different annotations.
  @inlinable public var count: Int { ends.count }

  /// The bytes of an annotation.
  @inlinable
  public subscript(index: Int) -> Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get {
      let start = index == 0 ? 0 : Int(ends[index - 1])
      return bytes.span.extracting(start..<Int(ends[index]))
    }
  }

  /// All annotations, one behind the other.
  @inlinable
  public var text: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { bytes.span }
  }

  /// Where each annotation ends in ``text``.
  @inlinable
  public var textEnds: Span<UInt32> {
    @_lifetime(borrow self)
    borrowing get { ends.span }
  }

  /// The index of an annotation that equals `annotation`, added if it is new; nil when there is no room.
  ///
  /// - Precondition: `annotation` passed ``Annotation/check(_:)``.
  /// - Complexity: O(bytes) on average.
  @inlinable
  public mutating func intern(_ annotation: Span<UInt8>) -> Int? {
    let hash = Self.hash(annotation)
    let slot = slot(of: annotation, hash)
    let held = Int(slots[slot])
    if held != 0 { return held - 1 }
    guard ends.count < RecordBatch.recordsMax, bytes.count + annotation.count <= Self.bytesMax else {
      return nil
    }
    bytes.append(copying: annotation)
    ends.append(UInt32(bytes.count))
    hashes.append(hash)
    slots[slot] = UInt16(ends.count)
    return ends.count - 1
  }

  /// The index of an annotation that equals `annotation`, or nil if it is new. What stands in the table has been
  /// checked, so bytes that are found need no check of their own.
  ///
  /// - Complexity: O(bytes) on average.
  @inlinable
  public borrowing func index(of annotation: Span<UInt8>) -> Int? {
    let held = Int(slots[slot(of: annotation, Self.hash(annotation))])
    return held == 0 ? nil : held - 1
  }

  /// The slot that holds the annotation, or the empty one where it would go.
  @inlinable
  borrowing func slot(of annotation: Span<UInt8>, _ hash: UInt32) -> Int {
    var slot = Self.firstSlot(hash)
    while true {
      let held = Int(slots[slot])
      if held == 0 || (hashes[held - 1] == hash && isEqual(held - 1, annotation)) { return slot }
      slot = (slot + 1) & (Self.slotCount - 1)
    }
  }

  /// Empties the table and keeps its memory.
  ///
  /// - Complexity: O(annotations), or O(slots) when there were many.
  public mutating func removeAll() {
    if ends.count < 64 {
      for index in 0..<ends.count { clearSlot(of: index) }
    } else {
      var all = slots.mutableSpan
      for slot in 0..<Self.slotCount { all[slot] = 0 }
    }
    bytes.removeAll()
    ends.removeAll()
    hashes.removeAll()
  }

  private mutating func clearSlot(of index: Int) {
    var slot = Self.firstSlot(hashes[index])
    // Other entries of the chain are cleared in their own turn: walk on until this one is found.
    while Int(slots[slot]) != index + 1 { slot = (slot + 1) & (Self.slotCount - 1) }
    slots[slot] = 0
  }

  @inlinable
  borrowing func isEqual(_ index: Int, _ annotation: Span<UInt8>) -> Bool {
    let held = self[index]
    let count = held.count
    guard count == annotation.count else { return false }
    var at = 0
    if count >= 8 {
      // Eight bytes at a time, the last eight over those before rather than byte by byte.
      let one = unsafe held.bytes
      let other = unsafe annotation.bytes
      while at < count {
        let place = min(at, count &- 8)
        let a = unsafe one.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self)
        let b = unsafe other.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self)
        if a != b { return false }
        at &+= 8
      }
      return true
    }
    while at < count {
      if held[at] != annotation[at] { return false }
      at += 1
    }
    return true
  }

  /// Where the search for an annotation begins: the hash's upper bits, which depend on all the bytes.
  @inlinable
  static func firstSlot(_ hash: UInt32) -> Int {
    Int(hash >> UInt32(32 - slotBits))
  }

  /// A quick hash whose upper bits are the good ones; flooding it costs time within one batch only.
  @inlinable
  package static func hash(_ bytes: Span<UInt8>) -> UInt32 {
    let count = bytes.count
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(count)
    guard count >= 8 else {
      for index in 0..<count { hash = (hash ^ UInt64(bytes[index])) &* 0x9E37_79B9_7F4A_7C15 }
      return UInt32(truncatingIfNeeded: hash >> 32)
    }
    let raw = unsafe bytes.bytes
    var index = 0
    while index + 8 <= count {
      let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
      hash ^= hash >> 29
      index += 8
    }
    // The last word overlaps the one before it rather than going byte by byte.
    let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
    return UInt32(truncatingIfNeeded: hash >> 32)
  }
}
