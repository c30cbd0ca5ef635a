// The distinct labels so far, numbered in the order of their first use: a bounded hash table over bytes.

import BasicContainers
import Records
import CallStoreFormat

/// Numbers distinct labels. It holds at most `countMax` labels and `bytesMax` bytes. Memory for all of them is
/// reserved, and touched as it is used.
struct LabelIndex: ~Copyable {
  /// The result of a search for a label.
  enum SearchResult {
    /// The label has this index.
    case found(Int)
    /// The label is not in the index. Its slot would be this one.
    case absent(slot: Int)
  }

  /// The first ``used`` bytes are those of labels. The others were touched and have no meaning.
  private var bytes: RigidArray<UInt8>
  private var used = 0
  private var limits: RigidArray<UInt32>
  private var hashes: RigidArray<UInt32>
  /// Each slot holds 0, or the upper half of a label's hash above the label's index plus 1. The number of slots is a
  /// power of two; it doubles when a quarter of them is in use. When half of them were, a search for a new label was
  /// mispredicted twice as often.
  private var slots: RigidArray<UInt32>
  private static let slotCountMin = 64
  /// The hash for ``find(_:_:)`` and ``add(_:_:at:)``; the same in all indexes. The order of slots does not affect the
  /// store.
  let hash = SeededHash()

  init(countMax: Int, bytesMax: Int) {
    bytes = RigidArray(capacity: bytesMax)
    limits = RigidArray(capacity: countMax)
    hashes = RigidArray(capacity: countMax)
    slots = RigidArray(repeating: 0, count: Self.slotCountMin)
  }

  var count: Int { limits.count }

  /// The labels, one after another.
  var text: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { bytes.span.extracting(0..<used) }
  }

  /// The end of each label in ``text``.
  var ends: Span<UInt32> {
    @_lifetime(borrow self)
    borrowing get { limits.span }
  }

  /// Looks for a label.
  // Inlined, like the other functions that are called for each label: a call would copy the whole index.
  @inline(__always)
  borrowing func find(_ label: Span<UInt8>, _ hash: UInt32) -> SearchResult {
    let slots = slots.span
    let mask = slots.count &- 1
    let tag = hash >> 16
    var slot = Int(hash) & mask
    while true {
      // The slot's number is masked. Most slots are empty, so the loop ends.
      let entry = unsafe slots[unchecked: slot]
      if entry == 0 { return .absent(slot: slot) }
      let index = Int(entry & 0xFFFF) &- 1
      if entry >> 16 == tag, Self.isEqual(limits.span, bytes.span, index, label) { return .found(index) }
      slot = (slot &+ 1) & mask
    }
  }

  /// Adds a label that a search did not find, in the slot that the search returned. Returns the label's index; nil if
  /// the label does not fit.
  @inline(__always)
  mutating func add(_ label: Span<UInt8>, _ hash: UInt32, at slot: Int) -> Int? {
    guard limits.freeCapacity > 0, label.count <= bytes.capacity &- used else { return nil }
    return insert(label, hash, at: slot)
  }

  private mutating func insert(_ label: Span<UInt8>, _ hash: UInt32, at slot: Int) -> Int {
    append(label)
    let index = limits.count
    limits.append(UInt32(truncatingIfNeeded: used))
    hashes.append(hash)
    if 4 &* limits.count > slots.count { grow() } else { slots[slot] = Self.entry(index, hash) }
    return index
  }

  @inline(__always)
  private static func entry(_ index: Int, _ hash: UInt32) -> UInt32 {
    hash & 0xFFFF_0000 | UInt32(truncatingIfNeeded: index &+ 1)
  }

  /// Appends the bytes of a label that fits.
  @inline(__always)
  private mutating func append(_ label: Span<UInt8>) {
    let (start, count) = (used, label.count)
    if start &+ count > bytes.count { touch(start &+ count) }
    used = start &+ count
    let source = unsafe label.bytes
    var all = bytes.mutableSpan
    // UInt8 has no padding and no invalid values.
    var target = unsafe all.mutableBytes
    var at = 0
    // Word by word: for most labels, a call of a copying routine takes longer. The last word overlaps the one before
    // it.
    while at &+ 8 <= count {
      target.storeBytes(of: source.u64(at).littleEndian, toByteOffset: start &+ at, as: UInt64.self)
      at &+= 8
    }
    if count >= 8 {
      let last = count &- 8
      target.storeBytes(of: source.u64(last).littleEndian, toByteOffset: start &+ last, as: UInt64.self)
    } else {
      while at < count {
        target.storeBytes(of: source.byte(at), toByteOffset: start &+ at, as: UInt8.self)
        at &+= 1
      }
    }
  }

  /// The number of bytes touched ahead of those that are needed: a page.
  private static let touchedBytes = 4096

  /// Initializes at least the first `end` bytes, which are within the capacity.
  private mutating func touch(_ end: Int) {
    let count = min(end &+ Self.touchedBytes, bytes.capacity)
    bytes.append(addingCount: count &- bytes.count) { output in
      output.append(repeating: 0, count: output.freeCapacity)
    }
  }

  private static func isEqual(
    _ ends: Span<UInt32>, _ text: Span<UInt8>, _ index: Int, _ label: Span<UInt8>
  ) -> Bool {
    let start = index == 0 ? 0 : Int(ends[index &- 1])
    let end = Int(ends[index])
    guard end &- start == label.count else { return false }
    let known = unsafe text.bytes.extracting(start..<end)
    let label = unsafe label.bytes
    let count = label.byteCount
    guard count >= 8 else {
      for offset in 0..<count where known.byte(offset) != label.byte(offset) { return false }
      return true
    }
    var at = 0
    while at &+ 8 <= count {
      if known.u64(at) != label.u64(at) { return false }
      at &+= 8
    }
    return known.u64(count &- 8) == label.u64(count &- 8)
  }

  /// Removes all labels. Memory is kept.
  mutating func removeAll() {
    guard count > 0 else { return }
    used = 0
    limits.removeAll()
    hashes.removeAll()
    var all = slots.mutableSpan
    for slot in 0..<all.count { all[slot] = 0 }
  }

  /// Appends the ends of the labels, and their text.
  borrowing func write(to pending: inout ContiguousArray<UInt8>) {
    for index in 0..<limits.count { pending.append(littleEndian: limits[index]) }
    pending.append(copying: text)
  }

  /// Doubles the number of slots, and inserts the labels again.
  private mutating func grow() {
    slots = RigidArray(repeating: 0, count: slots.count * 2)
    let mask = slots.count &- 1
    for index in 0..<hashes.count {
      var slot = Int(hashes[index]) & mask
      while slots[slot] != 0 { slot = (slot &+ 1) & mask }
      slots[slot] = Self.entry(index, hashes[index])
    }
  }
}
