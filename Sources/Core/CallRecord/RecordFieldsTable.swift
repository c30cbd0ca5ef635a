// The record fields of one batch, each kept once: a record names its record fields by an index.
//
// Lists repeat few labels millions of times, so a stage looks at a label once a batch, not once a record.
// Not for: a whole sort's record fields (SortStage keeps its own, bounded table).

public import BasicContainers

/// The different record fields of one batch, in the order in which they came.
///
/// `intern` gives a record\'s fields's index, and nil when the batch has no room for it: hand the batch on, start
/// a new one, and intern again. A table that is empty always has room for one record fields.
@frozen
public struct RecordFieldsTable: ~Copyable, Sendable {
  /// The most bytes that a batch's record fields take together.
  public static let bytesMax = 64 * 1024

  /// The memory that a table takes, in bytes.
  static let memoryBytes = bytesMax + RecordBatch.recordsMax * 4 + slotCount * 4

  /// Twice the records of a batch: the table is never more than half full.
  @usableFromInline static let slotCount = 1 << slotBits
  /// An index + 1 needs as many bits, too: the other 19 of a slot are those of the hash that its place does not tell.
  @usableFromInline static let slotBits = 13

  /// The record fields, and behind ``bytesUsed`` whatever was there before; no longer than was ever needed.
  @usableFromInline var bytes: RigidArray<UInt8>
  @usableFromInline var bytesUsed: Int
  @usableFromInline var ends: RigidArray<UInt32>
  /// Index + 1 of a record\'s fields with its hash's lower bits above, or 0.
  @usableFromInline var slots: RigidArray<UInt32>

  /// Makes an empty table.
  public init() {
    bytes = RigidArray(capacity: Self.bytesMax)
    bytesUsed = 0
    ends = RigidArray(capacity: RecordBatch.recordsMax)
    slots = RigidArray(repeating: 0, count: Self.slotCount)
  }

  /// The number of different record fields.
  @inlinable public var count: Int { ends.count }

  /// The bytes of a record\'s fields.
  @inlinable
  public subscript(index: Int) -> Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get {
      let start = index == 0 ? 0 : Int(ends[index - 1])
      return bytes.span.extracting(start..<Int(ends[index]))
    }
  }

  /// All record fields, one behind the other.
  @inlinable
  public var text: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { bytes.span.extracting(0..<bytesUsed) }
  }

  /// Where each record fields ends in ``text``.
  @inlinable
  public var textEnds: Span<UInt32> {
    @_lifetime(borrow self)
    borrowing get { ends.span }
  }

  /// The index of a record\'s fields that equals `recordFields`, added if it is new; nil when there is no room.
  ///
  /// - Precondition: `recordFields` passed ``RecordFields/check(_:)``.
  /// - Complexity: O(bytes) on average.
  @inlinable
  public mutating func intern(_ recordFields: Span<UInt8>) -> Int? {
    let hash = Self.hash(recordFields)
    let count = recordFields.count
    // Most are new and have room, which is seen without looking at other record fields; whatever else is left to a call,
    // so that this is short.
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

  /// As `intern`, for any record fields.
  @usableFromInline
  @inline(never)
  mutating func internSlow(_ recordFields: Span<UInt8>, _ hash: UInt32) -> Int? {
    let slot = slot(of: recordFields, hash)
    let held = slots[slot]
    if held != 0 { return Self.index(held) }
    let count = recordFields.count
    guard ends.count < RecordBatch.recordsMax, count <= bytes.count - bytesUsed || makeRoom(for: count)
    else { return nil }
    return add(recordFields, hash, slot)
  }

  /// Adds a record\'s fields that has room.
  @inlinable
  @inline(__always)
  mutating func add(_ recordFields: Span<UInt8>, _ hash: UInt32, _ slot: Int) -> Int {
    Self.copy(recordFields, to: &bytes, at: bytesUsed)
    bytesUsed &+= recordFields.count
    ends.append(UInt32(truncatingIfNeeded: bytesUsed))
    slots[slot] = hash &<< UInt32(Self.slotBits) | UInt32(truncatingIfNeeded: ends.count)
    return ends.count &- 1
  }

  /// The index of a record\'s fields that equals `recordFields`, or nil if it is new. What stands in the table has been
  /// checked, so bytes that are found need no check of their own.
  ///
  /// - Complexity: O(bytes) on average.
  @inlinable
  public borrowing func index(of recordFields: Span<UInt8>) -> Int? {
    let held = slots[slot(of: recordFields, Self.hash(recordFields))]
    return held == 0 ? nil : Self.index(held)
  }

  /// The slot that holds the record fields, or the empty one where it would go.
  @usableFromInline
  borrowing func slot(of recordFields: Span<UInt8>, _ hash: UInt32) -> Int {
    var slot = Self.firstSlot(hash)
    while slots[slot] != 0 {
      if Self.mayBe(slots[slot], hash), isEqual(Self.index(slots[slot]), recordFields) { return slot }
      slot = (slot &+ 1) & (Self.slotCount &- 1)
    }
    return slot
  }

  /// Whether what a slot holds can have this hash.
  @inlinable
  @inline(__always)
  static func mayBe(_ held: UInt32, _ hash: UInt32) -> Bool {
    (held ^ hash &<< UInt32(slotBits)) &>> UInt32(slotBits) == 0
  }

  /// The index that a slot holds.
  @inlinable
  static func index(_ held: UInt32) -> Int { Int(held & UInt32(slotCount &- 1)) &- 1 }

  /// The least by which ``bytes`` becomes longer: a page. Tables of few short labels never touch the rest.
  private static let growthBytes = 4096

  /// Makes ``bytes`` long enough for `count` more; false when the table can't hold them.
  @usableFromInline
  mutating func makeRoom(for count: Int) -> Bool {
    let missing = count - (bytes.count - bytesUsed)
    guard missing <= bytes.freeCapacity else { return false }
    let added = min(max(missing, Self.growthBytes), bytes.freeCapacity)
    bytes.append(addingCount: added) { output in
      for _ in 0..<added { output.append(0) }
    }
    return true
  }

  /// Copies a record\'s fields to `place`, by words.
  ///
  /// - Precondition: so many bytes are there.
  @inlinable
  @inline(__always)
  static func copy(_ recordFields: Span<UInt8>, to bytes: inout RigidArray<UInt8>, at place: Int) {
    let count = recordFields.count
    precondition(place >= 0 && count <= bytes.count &- place)
    var room = bytes.mutableSpan
    guard count >= 8 else {
      for index in 0..<count { unsafe room[unchecked: place &+ index] = recordFields[index] }
      return
    }
    // All words lie within the record fields and the room just checked; the last one overlaps the one before it.
    let from = unsafe recordFields.bytes
    var to = unsafe room.mutableBytes
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

  /// Empties the table and keeps its memory.
  ///
  /// - Complexity: O(bytes) when there are few record fields, or O(slots).
  public mutating func removeAll() {
    if ends.count < 64 {
      for index in 0..<ends.count { clearSlot(of: index) }
    } else {
      var all = slots.mutableSpan
      for slot in 0..<Self.slotCount { all[slot] = 0 }
    }
    bytesUsed = 0
    ends.removeAll()
  }

  private mutating func clearSlot(of index: Int) {
    var slot = Self.firstSlot(Self.hash(self[index]))
    // Other entries of the chain are cleared in their own turn: walk on until this one is found.
    while Self.index(slots[slot]) != index { slot = (slot + 1) & (Self.slotCount - 1) }
    slots[slot] = 0
  }

  @inlinable
  borrowing func isEqual(_ index: Int, _ recordFields: Span<UInt8>) -> Bool {
    let held = self[index]
    let count = held.count
    guard count == recordFields.count else { return false }
    var at = 0
    if count >= 8 {
      // Eight bytes at a time, the last eight over those before rather than byte by byte.
      let one = unsafe held.bytes
      let other = unsafe recordFields.bytes
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
      if held[at] != recordFields[at] { return false }
      at += 1
    }
    return true
  }

  /// Where the search for a record\'s fields begins: the hash's upper bits, which depend on all the bytes.
  @inlinable
  static func firstSlot(_ hash: UInt32) -> Int {
    Int(hash >> UInt32(32 - slotBits))
  }

  /// A quick hash whose upper bits are the good ones; flooding it costs time within one batch only.
  @inlinable
  @inline(__always)
  package static func hash(_ bytes: Span<UInt8>) -> UInt32 {
    let count = bytes.count
    let raw = unsafe bytes.bytes
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    let front: UInt64
    let back: UInt64
    if count >= 8 {
      // Every word lies within the bytes; the last ones overlap those before rather than going byte by byte.
      let last = count &- 8
      var at = 0
      while at &+ 8 < last {
        let one = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: at, as: UInt64.self)
        let other = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: at &+ 8, as: UInt64.self)
        state = mixed(one ^ state, other ^ 0xC2B2_AE3D_27D4_EB4F)
        at &+= 16
      }
      front = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: min(at, last), as: UInt64.self)
      back = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: last, as: UInt64.self)
    } else if count >= 4 {
      front = unsafe UInt64(raw.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt32.self))
      back = unsafe UInt64(raw.unsafeLoadUnaligned(fromUncheckedByteOffset: count &- 4, as: UInt32.self))
    } else if count > 0 {
      // The first byte, one in the middle and the last: those are all.
      front = UInt64(bytes[0]) | UInt64(bytes[count &>> 1]) &<< 8 | UInt64(bytes[count &- 1]) &<< 16
      back = 0
    } else {
      (front, back) = (0, 0)
    }
    let hash = mixed(front ^ state, back ^ UInt64(truncatingIfNeeded: count) ^ 0xC2B2_AE3D_27D4_EB4F)
    return UInt32(truncatingIfNeeded: hash &>> 32)
  }

  /// Both halves of the product, one over the other: each bit depends on all of both words.
  @inlinable
  @inline(__always)
  static func mixed(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let product = one.multipliedFullWidth(by: other)
    return product.high ^ product.low
  }
}
