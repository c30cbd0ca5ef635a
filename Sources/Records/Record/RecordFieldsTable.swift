// The different record fields of one batch. A record refers to its fields by an index.
//
// Lists repeat few labels millions of times, so a stage processes a label once per batch, not once per
// record. Where nearly all labels are different, searching for them is wasted, and some may be added twice.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import BasicContainers

/// The different record fields of one batch, in the order in which they were added.
///
/// `intern` returns the index of record fields. When it returns nil, the table is full: pass the batch on, empty it and
/// intern again. Any record fields fit into an empty table. The same record fields may have several indices: after
/// thousands of new ones in a row, `intern` searches only for every sixteenth.
public struct RecordFieldsTable: ~Copyable, Sendable {
  /// The largest total size of a batch's record fields, in bytes.
  public static let bytesMax = 64 * 1024

  static let memoryBytes = bytesMax + RecordBatch.recordsMax * 4 + slotCount * 4

  /// Twice the records of a batch: the table is never more than half full.
  @usableFromInline static let slotCount = 1 << slotBits
  /// The number of bits of an index + 1 as well. The other 19 bits of a slot are the bits of the hash that do not
  /// determine the slot's position.
  @usableFromInline static let slotBits = 13

  /// The record fields, followed by stale bytes from ``bytesUsed`` on. It grows only as far as needed.
  @usableFromInline var bytes: RigidArray<UInt8>
  @usableFromInline var bytesUsed: Int
  @usableFromInline var ends: RigidArray<UInt32>
  @usableFromInline let hash = SeededHash()
  /// Index + 1 of record fields, with the lower bits of their hash above it; 0 for an empty slot.
  @usableFromInline var slots: RigidArray<UInt32>
  @usableFromInline var slotsUsed = 0

  /// The number of consecutive calls of ``intern(_:)`` that found nothing, in this batch and the ones before it.
  @usableFromInline var consecutiveNew = 0
  /// After this many, only one in ``searchInterval`` is searched for: nearly all are different.
  @usableFromInline static let consecutiveNewMax = 2 * RecordBatch.recordsMax
  @usableFromInline static let searchInterval = 16

  public init() {
    bytes = RigidArray(capacity: Self.bytesMax)
    bytesUsed = 0
    ends = RigidArray(capacity: RecordBatch.recordsMax)
    slots = RigidArray(repeating: 0, count: Self.slotCount)
  }

  @inlinable public var count: Int { ends.count }

  @inlinable
  public subscript(index: Int) -> Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get {
      let start = index == 0 ? 0 : Int(ends[index - 1])
      return bytes.span.extracting(start..<Int(ends[index]))
    }
  }

  /// All record fields, one after another.
  @inlinable
  public var text: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { bytes.span.extracting(0..<bytesUsed) }
  }

  /// The end of each of the record fields in ``text``.
  @inlinable
  public var textEnds: Span<UInt32> {
    @_lifetime(borrow self)
    borrowing get { ends.span }
  }

  /// The index of `recordFields`, which are added if they are new; nil when they don't fit.
  ///
  /// - Precondition: `recordFields` passed ``RecordFields/check(_:)``.
  /// - Complexity: O(bytes) on average.
  @inlinable
  public mutating func intern(_ recordFields: Span<UInt8>) -> Int? {
    consecutiveNew &+= 1
    if consecutiveNew > Self.consecutiveNewMax, consecutiveNew % Self.searchInterval != 0 {
      return append(recordFields)
    }
    let hash = hash.of(recordFields)
    let count = recordFields.count
    // Most are new and fit, which can be determined without comparing record fields. All other cases are left to a
    // call, to keep the inlined code short.
    var slot = Self.firstSlot(hash)
    while slots[slot] != 0 {
      if Self.mayBe(slots[slot], hash) { return internSlow(recordFields, hash) }
      slot = (slot &+ 1) & (Self.slotCount &- 1)
    }
    guard ends.count < RecordBatch.recordsMax, count <= bytes.count &- bytesUsed else {
      return internSlow(recordFields, hash)
    }
    return add(recordFields, hash, slot)
  }

  /// Does what `intern` does, in all cases.
  @usableFromInline
  @inline(never)
  mutating func internSlow(_ recordFields: Span<UInt8>, _ hash: UInt32) -> Int? {
    let slot = slot(of: recordFields, hash)
    guard let known = index(at: slot) else { return addIfTheyFit(recordFields, hash, slot) }
    consecutiveNew = 0
    return known
  }

  /// Adds record fields without searching for them, and returns their index; nil when they don't fit.
  ///
  /// - Precondition: `recordFields` passed ``RecordFields/check(_:)``.
  /// - Complexity: O(bytes).
  @inlinable
  public mutating func append(_ recordFields: Span<UInt8>) -> Int? {
    let count = recordFields.count
    guard ends.count < RecordBatch.recordsMax, count <= bytes.count &- bytesUsed || grow(for: count)
    else { return nil }
    copy(recordFields)
    return ends.count &- 1
  }

  /// Adds record fields that are not in the table at the slot that was found for them; nil when they don't fit.
  mutating func addIfTheyFit(_ recordFields: Span<UInt8>, _ hash: UInt32, _ slot: Int) -> Int? {
    let count = recordFields.count
    guard ends.count < RecordBatch.recordsMax, count <= bytes.count - bytesUsed || grow(for: count)
    else { return nil }
    return add(recordFields, hash, slot)
  }

  @inlinable @inline(__always)
  mutating func add(_ recordFields: Span<UInt8>, _ hash: UInt32, _ slot: Int) -> Int {
    copy(recordFields)
    slotsUsed &+= 1
    slots[slot] = hash &<< UInt32(Self.slotBits) | UInt32(truncatingIfNeeded: ends.count)
    return ends.count &- 1
  }

  @inlinable @inline(__always)
  mutating func copy(_ recordFields: Span<UInt8>) {
    Self.copy(recordFields, to: &bytes, at: bytesUsed)
    bytesUsed &+= recordFields.count
    ends.append(UInt32(truncatingIfNeeded: bytesUsed))
  }

  /// The index of `recordFields`; nil if the search finds none. All bytes in the table have been checked, so bytes
  /// that are found need no check.
  ///
  /// - Complexity: O(bytes) on average.
  @inlinable
  public borrowing func index(of recordFields: Span<UInt8>) -> Int? {
    index(at: slot(of: recordFields, hash.of(recordFields)))
  }

  /// The index in a slot; nil if the slot is empty.
  @inlinable
  borrowing func index(at slot: Int) -> Int? { slots[slot] == 0 ? nil : Self.index(slots[slot]) }

  /// The index of empty record fields, which are added if they are new; -1 when they don't fit.
  mutating func indexOfNone() -> Int {
    let none = Span<UInt8>()
    return index(of: none) ?? intern(none) ?? -1
  }

  /// The slot of record fields, or the empty slot where they would be added.
  @usableFromInline
  borrowing func slot(of recordFields: Span<UInt8>, _ hash: UInt32) -> Int {
    var slot = Self.firstSlot(hash)
    while slots[slot] != 0 {
      if Self.mayBe(slots[slot], hash), isEqual(Self.index(slots[slot]), recordFields) { return slot }
      slot = (slot &+ 1) & (Self.slotCount &- 1)
    }
    return slot
  }

  @inlinable @inline(__always)
  static func mayBe(_ held: UInt32, _ hash: UInt32) -> Bool {
    (held ^ hash &<< UInt32(slotBits)) &>> UInt32(slotBits) == 0
  }

  @inlinable
  static func index(_ held: UInt32) -> Int { Int(held & UInt32(slotCount &- 1)) &- 1 }

  /// The smallest growth of ``bytes``: a page. Tables of few short labels never touch the remaining memory.
  private static let growthBytes = 4096

  /// Makes ``bytes`` long enough for `count` more bytes; returns false when they don't fit into the table.
  @usableFromInline
  mutating func grow(for count: Int) -> Bool {
    let missing = count - (bytes.count - bytesUsed)
    guard missing <= bytes.freeCapacity else { return false }
    let added = min(max(missing, Self.growthBytes), bytes.freeCapacity)
    bytes.append(addingCount: added) { output in
      for _ in 0..<added { output.append(0) }
    }
    return true
  }

  /// Copies record fields to offset `place`, eight bytes at a time.
  ///
  /// - Precondition: There are `recordFields.count` bytes from `place` on.
  @inlinable @inline(__always)
  static func copy(_ recordFields: Span<UInt8>, to bytes: inout RigidArray<UInt8>, at place: Int) {
    let count = recordFields.count
    precondition(place >= 0 && count <= bytes.count &- place)
    var target = bytes.mutableSpan
    guard count >= 8 else {
      for index in 0..<count { unsafe target[unchecked: place &+ index] = recordFields[index] }
      return
    }
    // All words lie within the record fields and the checked target. The last one overlaps the one before it.
    let from = unsafe recordFields.bytes
    var to = unsafe target.mutableBytes
    let last = count &- 8
    var at = 0
    while at < last {
      let word = unsafe from.unsafeLoadUnaligned(fromUncheckedByteOffset: at, as: UInt64.self)
      unsafe to.storeBytes(of: word, toUncheckedByteOffset: place &+ at, as: UInt64.self)
      at &+= 8
    }
    let word = unsafe from.unsafeLoadUnaligned(fromUncheckedByteOffset: last, as: UInt64.self)
    unsafe to.storeBytes(of: word, toUncheckedByteOffset: place &+ last, as: UInt64.self)
  }

  /// Removes all record fields and keeps the memory.
  ///
  /// - Complexity: O(bytes) for few record fields, else O(slots).
  public mutating func removeAll() {
    if slotsUsed == ends.count, slotsUsed < 64 {
      for index in 0..<slotsUsed { clearSlot(of: index) }
    } else {
      var all = slots.mutableSpan
      for slot in 0..<Self.slotCount { all[slot] = 0 }
    }
    slotsUsed = 0
    bytesUsed = 0
    ends.removeAll()
  }

  private mutating func clearSlot(of index: Int) {
    var slot = Self.firstSlot(hash.of(self[index]))
    // The other entries of the chain are cleared by their own calls; skip them.
    while Self.index(slots[slot]) != index { slot = (slot + 1) & (Self.slotCount - 1) }
    slots[slot] = 0
  }

  @inlinable
  borrowing func isEqual(_ index: Int, _ recordFields: Span<UInt8>) -> Bool {
    let held = self[index]
    return held.count == recordFields.count && Self.begins(held, with: recordFields)
  }

  /// Whether the record fields at an index begin with a label, and have nothing else in that field.
  @inlinable
  borrowing func hasLabel(_ label: Span<UInt8>, at index: Int) -> Bool {
    let held = self[index]
    guard label.count <= held.count, Self.begins(held, with: label) else { return false }
    return held.count == label.count || held[label.count] == UInt8(ascii: "\t")
  }

  /// Whether the bytes, which are not fewer, begin with others.
  @inlinable @inline(__always)
  static func begins(_ held: Span<UInt8>, with beginning: Span<UInt8>) -> Bool {
    let count = beginning.count
    var at = 0
    if count >= 8 {
      // Eight bytes at a time. The last eight overlap the ones before, which avoids a loop over single bytes.
      let one = unsafe held.bytes
      let other = unsafe beginning.bytes
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
      if held[at] != beginning[at] { return false }
      at += 1
    }
    return true
  }

  /// The slot where the search starts: the upper bits of the hash.
  @inlinable
  static func firstSlot(_ hash: UInt32) -> Int {
    Int(hash >> UInt32(32 - slotBits))
  }
}

/// A fast hash of bytes for the tables of labels. Its keys are random, the same in all of a process, so that no
/// list can be made whose labels collide: with known keys, sorting a million such rows took 11 s instead of 0.2 s.
public struct SeededHash: Sendable {
  // Both factors of every product contain a key: with one that is known, a factor could be made 0, and all labels with
  // it would collide.
  @usableFromInline let first: UInt64
  @usableFromInline let second: UInt64

  private static let ofProcess = SeededHash(
    keys: .random(in: .min ... .max), .random(in: .min ... .max))

  public init() { self = Self.ofProcess }

  public init(keys first: UInt64, _ second: UInt64) {
    self.first = first
    self.second = second
  }

  /// Returns the hash of bytes. All of its bits are equally well mixed.
  ///
  /// - Complexity: O(bytes).
  @inlinable @inline(__always)
  public func of(_ bytes: Span<UInt8>) -> UInt32 {
    let count = bytes.count
    let raw = unsafe bytes.bytes
    var state = first
    let front: UInt64
    let back: UInt64
    if count >= 8 {
      // All words lie within the bytes. The last ones overlap the ones before, which avoids a loop over single bytes.
      let last = count &- 8
      var at = 0
      while at &+ 8 < last {
        let one = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: at, as: UInt64.self)
        let other = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: at &+ 8, as: UInt64.self)
        state = Self.mixed(one ^ state, other ^ second)
        at &+= 16
      }
      front = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: min(at, last), as: UInt64.self)
      back = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: last, as: UInt64.self)
    } else if count >= 4 {
      front = unsafe UInt64(raw.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt32.self))
      back = unsafe UInt64(raw.unsafeLoadUnaligned(fromUncheckedByteOffset: count &- 4, as: UInt32.self))
    } else if count > 0 {
      // One to three bytes: the first, the middle and the last one.
      front = UInt64(bytes[0]) | UInt64(bytes[count &>> 1]) &<< 8 | UInt64(bytes[count &- 1]) &<< 16
      back = 0
    } else {
      (front, back) = (0, 0)
    }
    let hash = Self.mixed(front ^ state, back ^ UInt64(truncatingIfNeeded: count) ^ second)
    return UInt32(truncatingIfNeeded: hash &>> 32)
  }

  /// The exclusive or of both halves of the product: every bit depends on all bits of both words.
  @inlinable @inline(__always)
  static func mixed(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let product = one.multipliedFullWidth(by: other)
    return product.high ^ product.low
  }
}
