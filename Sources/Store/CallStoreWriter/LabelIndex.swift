// Labels seen, each kept once and named by its order: a bounded hash table over bytes.

import BasicContainers
import CallStoreFormat

/// It holds at most `countMax` labels and `bytesMax` bytes. Memory for as much is reserved, and touched as it is used.
struct LabelIndex: ~Copyable {
  /// Where a search for a label ended.
  enum Search {
    /// It is there, in this place.
    case held(Int)
    /// It is not there, and would be named in this slot.
    case absent(slot: Int)
  }

  /// The first ``used`` are those of labels; the others were touched and have no meaning.
  private var bytes: RigidArray<UInt8>
  private var used = 0
  private var limits: RigidArray<UInt32>
  private var hashes: RigidArray<UInt32>
  /// Place + 1 of a label below the upper half of its hash, or 0; a power of two, more than twice `countMax` at most.
  private var slots: RigidArray<UInt32>
  private static let slotCountMin = 64
  /// Lists made to collide in one run don't collide in the next. The order of slots never shows in a store.
  private static let processSeed = UInt64.random(in: 0...UInt64.max)
  /// The same at hand.
  private let seed = processSeed

  init(countMax: Int, bytesMax: Int) {
    bytes = RigidArray(capacity: bytesMax)
    limits = RigidArray(capacity: countMax)
    hashes = RigidArray(capacity: countMax)
    slots = RigidArray(repeating: 0, count: Self.slotCountMin)
  }

  var count: Int { limits.count }

  /// The labels, one behind the other.
  var text: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { bytes.span.extracting(0..<used) }
  }

  /// Where each label ends in ``text``.
  var ends: Span<UInt32> {
    @_lifetime(borrow self)
    borrowing get { limits.span }
  }

  /// Looks for a label.
  // Inlined, as is what else is called for each label: a call would get a copy of the whole index.
  @inline(__always)
  borrowing func find(_ label: Span<UInt8>, _ hash: UInt32) -> Search {
    let slots = slots.span
    let mask = slots.count &- 1
    let tag = hash >> 16
    var slot = Int(hash) & mask
    while true {
      // A slot's number is masked. Half of the slots are empty, so there is an end.
      let held = unsafe slots[unchecked: slot]
      if held == 0 { return .absent(slot: slot) }
      let place = Int(held & 0xFFFF) &- 1
      if held >> 16 == tag, Self.isEqual(limits.span, bytes.span, place, label) { return .held(place) }
      slot = (slot &+ 1) & mask
    }
  }

  /// Adds a label that is not there, in the slot where a search for it ended, and returns its place; nil when there is
  /// no room for it.
  @inline(__always)
  mutating func add(_ label: Span<UInt8>, _ hash: UInt32, at slot: Int) -> Int? {
    guard limits.freeCapacity > 0, label.count <= bytes.capacity &- used else { return nil }
    return insert(label, hash, at: slot)
  }

  private mutating func insert(_ label: Span<UInt8>, _ hash: UInt32, at slot: Int) -> Int {
    append(label)
    let place = limits.count
    limits.append(UInt32(truncatingIfNeeded: used))
    hashes.append(hash)
    if 2 &* limits.count > slots.count { grow() } else { slots[slot] = Self.entry(place, hash) }
    return place
  }

  @inline(__always)
  private static func entry(_ place: Int, _ hash: UInt32) -> UInt32 {
    hash & 0xFFFF_0000 | UInt32(truncatingIfNeeded: place &+ 1)
  }

  /// Appends a label's bytes, for which there is room.
  @inline(__always)
  private mutating func append(_ label: Span<UInt8>) {
    let (start, count) = (used, label.count)
    if start &+ count > bytes.count { touch(start &+ count) }
    used = start &+ count
    let source = unsafe label.bytes
    var all = bytes.mutableSpan
    // Bytes are bytes: no value is invalid.
    var target = unsafe all.mutableBytes
    var at = 0
    // By words: a call of a copying routine takes longer for most labels. The last lies over some of those before.
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

  /// So much more memory than is needed at once is touched at a time: a page.
  private static let touchedBytes = 4096

  /// Makes at least the first `end` bytes ready to be written, of which there is room for all.
  private mutating func touch(_ end: Int) {
    let count = min(end &+ Self.touchedBytes, bytes.capacity)
    bytes.append(addingCount: count &- bytes.count) { output in
      output.append(repeating: 0, count: output.freeCapacity)
    }
  }

  private static func isEqual(
    _ ends: Span<UInt32>, _ text: Span<UInt8>, _ place: Int, _ label: Span<UInt8>
  ) -> Bool {
    let start = place == 0 ? 0 : Int(ends[place &- 1])
    let end = Int(ends[place])
    guard end &- start == label.count else { return false }
    let held = unsafe text.bytes.extracting(start..<end)
    let label = unsafe label.bytes
    let count = label.byteCount
    guard count >= 8 else {
      for index in 0..<count where held.byte(index) != label.byte(index) { return false }
      return true
    }
    var at = 0
    while at &+ 8 <= count {
      if held.u64(at) != label.u64(at) { return false }
      at &+= 8
    }
    return held.u64(count &- 8) == label.u64(count &- 8)
  }

  mutating func removeAll() {
    guard count > 0 else { return }
    used = 0
    limits.removeAll()
    hashes.removeAll()
    var all = slots.mutableSpan
    for slot in 0..<all.count { all[slot] = 0 }
  }

  /// Appends where the labels end, and the labels.
  borrowing func write(to pending: inout ContiguousArray<UInt8>) {
    for place in 0..<limits.count { pending.append(littleEndian: limits[place]) }
    pending.append(copying: text)
  }

  /// Makes the slots twice as many, and gives each label one.
  private mutating func grow() {
    slots = RigidArray(repeating: 0, count: slots.count * 2)
    let mask = slots.count &- 1
    for index in 0..<hashes.count {
      var slot = Int(hashes[index]) & mask
      while slots[slot] != 0 { slot = (slot &+ 1) & mask }
      slots[slot] = Self.entry(index, hashes[index])
    }
  }

  /// A hash that depends on the process's seed, the same in all indexes.
  @inline(__always)
  borrowing func hash(_ label: Span<UInt8>) -> UInt32 {
    let seed = seed
    var hash = seed ^ UInt64(label.count)
    let bytes = unsafe label.bytes
    var at = 0
    while at &+ 8 <= label.count {
      hash = Self.mix(hash ^ bytes.u64(at), seed)
      at &+= 8
    }
    var rest: UInt64 = 0
    if label.count >= 8 {
      // The last eight bytes, over some of those before.
      rest = bytes.u64(label.count - 8)
      at = label.count
    }
    while at < label.count {
      rest = rest &<< 8 | UInt64(label[at])
      at += 1
    }
    return UInt32(truncatingIfNeeded: Self.mix(hash ^ rest, seed))
  }

  private static func mix(_ value: UInt64, _ seed: UInt64) -> UInt64 {
    let product = (value ^ seed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low
  }
}
