// Labels seen, each kept once and named by its order: a bounded hash table over bytes.

import CallStoreFormat

/// It holds at most `countMax` labels and `bytesMax` bytes.
struct LabelIndex {
  private let countMax: Int
  private let bytesMax: Int
  private(set) var text: ContiguousArray<UInt8> = []
  /// Where each label ends in `text`.
  private(set) var ends: ContiguousArray<UInt32> = []
  private var hashes: ContiguousArray<UInt32> = []
  /// Place + 1 of a label, or 0; a power of two, more than twice `countMax` at most.
  private var slots: ContiguousArray<UInt16>
  private static let slotCountMin = 64
  /// Lists made to collide in one run don't collide in the next. The order of slots never shows in a store.
  private static let seed = UInt64.random(in: 0...UInt64.max)

  init(countMax: Int, bytesMax: Int) {
    self.countMax = countMax
    self.bytesMax = bytesMax
    slots = ContiguousArray(repeating: 0, count: Self.slotCountMin)
  }

  var count: Int { ends.count }

  /// The place of a label that is there.
  func find(_ label: Span<UInt8>, _ hash: UInt32) -> Int? {
    var slot = Int(hash) & (slots.count - 1)
    while slots[slot] != 0 {
      let place = Int(slots[slot]) - 1
      if hashes[place] == hash, isEqual(place, label) { return place }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  /// Adds a label that is not there, and returns its place; nil when there is no room for it.
  mutating func add(_ label: Span<UInt8>, _ hash: UInt32) -> Int? {
    guard ends.count < countMax, text.count + label.count <= bytesMax else { return nil }
    if 2 * (ends.count + 1) > slots.count { grow() }
    // One check of room for a label, not one for each of its bytes.
    unsafe label.withUnsafeBufferPointer { unsafe text.append(contentsOf: $0) }
    ends.append(UInt32(text.count))
    hashes.append(hash)
    place(ends.count, hash)
    return ends.count - 1
  }

  func isEqual(_ place: Int, _ label: Span<UInt8>) -> Bool {
    let start = place == 0 ? 0 : Int(ends[place - 1])
    guard Int(ends[place]) - start == label.count else { return false }
    let held = text.span
    for index in 0..<label.count where held[start + index] != label[index] { return false }
    return true
  }

  mutating func removeAll() {
    guard count > 0 else { return }
    text.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    hashes.removeAll(keepingCapacity: true)
    for slot in 0..<slots.count { slots[slot] = 0 }
  }

  private mutating func place(_ held: Int, _ hash: UInt32) {
    var slot = Int(hash) & (slots.count - 1)
    while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = UInt16(held)
  }

  private mutating func grow() {
    slots = ContiguousArray(repeating: 0, count: slots.count * 2)
    for index in 0..<hashes.count { place(index + 1, hashes[index]) }
  }

  /// A hash that depends on the process's seed.
  static func hash(_ label: Span<UInt8>) -> UInt32 {
    var hash = seed ^ UInt64(label.count)
    let bytes = unsafe label.bytes
    var at = 0
    while at + 8 <= label.count {
      hash = mix(hash ^ bytes.u64(at))
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
    return UInt32(truncatingIfNeeded: mix(hash ^ rest))
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    let product = (value ^ seed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low
  }
}
