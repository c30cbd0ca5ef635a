// The record fields that a sort knows by a number of 14 bits, so that number and record fields share one word.
//
// First come, first served, within a fixed share of the memory. A record's fields that found no room travels with
// its record.

import BasicContainers
import CallRecord

/// Annotations by number, for the whole of one sort.
struct RecordFieldsDictionary: ~Copyable {
  /// The bits of a number in the packed record.
  static let idBits = 14
  /// The number that says: the record fields travels with the record.
  static let absent = UInt32((1 << idBits) - 1)
  /// The most record fields; ``absent`` is none.
  static let countMax = Int(absent)
  /// The bytes of all record fields together; what the tables take comes on top.
  static let bytesMax = SortBudget.dictionaryBytesMax - countMax * 8 - slotCount * 2

  private static let slotBits = 15
  private static let slotCount = 1 << slotBits

  private var bytes = RigidArray<UInt8>(capacity: bytesMax)
  private var ends = RigidArray<UInt32>(capacity: countMax)
  private var hashes = RigidArray<UInt32>(capacity: countMax)
  private var slots = RigidArray<UInt16>(repeating: 0, count: slotCount)

  /// Annotations asked for in a row that have no number.
  private var consecutiveMisses = 0
  /// From so many on only every so often one is looked for: the labels are all different, or as good as that. One that
  /// has a number may go without it, too.
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

  /// The number of a record's fields, taken in if there is room; ``absent`` if there is none, or if the last thousands had
  /// none.
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
    let hash = RecordFieldsTable.hash(recordFields)
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

  /// The index of a record's fields in a batch's table, where it is added if it is new; nil when there is no room.
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
