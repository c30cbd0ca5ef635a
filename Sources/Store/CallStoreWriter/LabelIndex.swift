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

  private var bytes: RigidArray<UInt8>
  private var limits: RigidArray<UInt32>
  private var hashes: RigidArray<UInt32>
  /// Place + 1 of a label, or 0; a power of two, more than twice `countMax` at most.
  private var slots: RigidArray<UInt16>
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
    borrowing get { bytes.span }
  }

  /// Where each label ends in ``text``.
  var ends: Span<UInt32> {
    @_lifetime(borrow self)
    borrowing get { limits.span }
  }

  /// Looks for a label.
  borrowing func find(_ label: Span<UInt8>, _ hash: UInt32) -> Search {
    let mask = slots.count &- 1
    var slot = Int(hash) & mask
    while slots[slot] != 0 {
      let place = Int(slots[slot]) - 1
      if hashes[place] == hash, isEqual(place, label) { return .held(place) }
      slot = (slot &+ 1) & mask
    }
    return .absent(slot: slot)
  }

  /// Adds a label that is not there, in the slot where a search for it ended, and returns its place; nil when there is
  /// no room for it.
  mutating func add(_ label: Span<UInt8>, _ hash: UInt32, at slot: Int) -> Int? {
    guard limits.freeCapacity > 0, label.count <= bytes.freeCapacity else { return nil }
    bytes.append(copying: label)
    limits.append(UInt32(bytes.count))
    hashes.append(hash)
    if 2 * limits.count > slots.count { grow() } else { slots[slot] = UInt16(limits.count) }
    return limits.count - 1
  }

  borrowing func isEqual(_ place: Int, _ label: Span<UInt8>) -> Bool {
    let start = place == 0 ? 0 : Int(limits[place - 1])
    guard Int(limits[place]) - start == label.count else { return false }
    let held = bytes.span
    for index in 0..<label.count where held[start + index] != label[index] { return false }
    return true
  }

  mutating func removeAll() {
    guard count > 0 else { return }
    bytes.removeAll()
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
      slots[slot] = UInt16(index + 1)
    }
  }

  /// A hash that depends on the process's seed, the same in all indexes.
  borrowing func hash(_ label: Span<UInt8>) -> UInt32 {
    var hash = seed ^ UInt64(label.count)
    let bytes = unsafe label.bytes
    var at = 0
    while at + 8 <= label.count {
      hash = Self.mix(hash ^ bytes.u64(at), seed)
      at += 8
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
