// The record fields that a sort refers to by a 14-bit ID, so that number and ID fit into one word.
//
// IDs are assigned in order of appearance, within a fixed share of the memory. Record fields for which there is no
// capacity left are stored inline with their records.

import BasicContainers
import Records

/// Record fields by ID, for the duration of one sort.
struct RecordFieldsDictionary: ~Copyable {
  /// The bits of an ID in a packed record.
  static let idBits = 14
  /// The ID of record fields that are stored inline.
  static let absent = UInt32((1 << idBits) - 1)
  /// The maximum number of IDs; ``absent`` is not one of them.
  static let countMax = Int(absent)
  /// The total bytes of all record fields; the tables come on top.
  static let bytesMax = SortBudget.dictionaryBytesMax - countMax * 8 - slotCount * 2

  private static let slotBits = 15
  private static let slotCount = 1 << slotBits

  private var bytes = RigidArray<UInt8>(capacity: bytesMax)
  private var ends = RigidArray<UInt32>(capacity: countMax)
  private var hashes = RigidArray<UInt32>(capacity: countMax)
  private let hash = SeededHash()
  private var slots = RigidArray<UInt16>(repeating: 0, count: slotCount)

  /// The number of consecutive lookups that found no ID.
  private var consecutiveMisses = 0
  /// After this many misses, only one lookup in ``probeInterval`` is made: nearly all labels are different. Record
  /// fields that have an ID may be stored inline then, too.
  private static let consecutiveMissesMax = 8192
  private static let probeInterval = 32

  init() {}

  var count: Int { ends.count }

  subscript(id: Int) -> Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get {
      let start = id == 0 ? 0 : Int(ends[id - 1])
      return bytes.span.extracting(start..<Int(ends[id]))
    }
  }

  /// The ID of record fields, added if there is capacity; ``absent`` if there is none, or if lookups are being skipped.
  mutating func id(of recordFields: Span<UInt8>) -> UInt32 {
    if consecutiveMisses >= Self.consecutiveMissesMax, consecutiveMisses % Self.probeInterval != 0 {
      consecutiveMisses += 1
      return Self.absent
    }
    let id = lookUp(recordFields)
    consecutiveMisses = id == Self.absent ? consecutiveMisses + 1 : 0
    return id
  }

  private mutating func lookUp(_ recordFields: Span<UInt8>) -> UInt32 {
    let hash = hash.of(recordFields)
    var slot = Int(hash >> UInt32(32 - Self.slotBits))
    while true {
      let held = Int(slots[slot])
      if held == 0 { break }
      if hashes[held - 1] == hash, isEqual(held - 1, recordFields) { return UInt32(held - 1) }
      slot = (slot + 1) & (Self.slotCount - 1)
    }
    guard ends.count < Self.countMax, recordFields.count <= bytes.freeCapacity else { return Self.absent }
    bytes.append(copying: recordFields)
    ends.append(UInt32(bytes.count))
    hashes.append(hash)
    slots[slot] = UInt16(ends.count)
    return UInt32(ends.count - 1)
  }

  /// The index of an ID's record fields in a batch's table, added if they are new; nil if the table is full.
  borrowing func intern(_ id: Int, in table: inout RecordFieldsTable) -> Int? {
    table.intern(self[id])
  }

  private borrowing func isEqual(_ id: Int, _ recordFields: Span<UInt8>) -> Bool {
    let held = self[id]
    guard held.count == recordFields.count else { return false }
    for index in 0..<held.count where held[index] != recordFields[index] { return false }
    return true
  }
}
