// Records on their way from one stage to the next, some thousands at a time, in columns.

public import BasicContainers

/// Some thousands of records in columns: first number, last number, and the index of the record fields.
///
/// A batch is filled, handed to the next stage, emptied and filled again. It never grows.
///
///     if !batch.append(first: 86755…, last: 86755…, record fields: label.span) {
///       try next.receive(&batch)   // full: hand it on,
///       batch.removeAll()          // and the record goes into the next one
///       …
///     }
@frozen
public struct RecordBatch: ~Copyable, Sendable {
  /// The most records in a batch: enough that a call a batch costs nothing, and small enough (about 200 KiB
  /// with its record fields) that a batch stays in the second-level cache.
  public static let recordsMax = 4096

  /// The memory that a batch takes, in bytes.
  public static let memoryBytes =
    recordsMax * (8 + 8 + 4) + RecordFieldsTable.memoryBytes

  /// The first number of each record.
  public var firsts: RigidArray<UInt64>
  /// The last number of each record; equal to the first unless the record is a range.
  public var lasts: RigidArray<UInt64>
  /// The index of each record's record fields in ``record fields``.
  public var fieldsIndices: RigidArray<UInt32>
  /// The record fields.
  public var fieldsTable: RecordFieldsTable

  /// Makes an empty batch.
  public init() {
    firsts = RigidArray(capacity: Self.recordsMax)
    lasts = RigidArray(capacity: Self.recordsMax)
    fieldsIndices = RigidArray(capacity: Self.recordsMax)
    fieldsTable = RecordFieldsTable()
  }

  /// The number of records.
  @inlinable public var count: Int { firsts.count }
  /// Whether there is no record.
  @inlinable public var isEmpty: Bool { firsts.isEmpty }
  /// Whether no further record fits.
  @inlinable public var isFull: Bool { firsts.count == Self.recordsMax }

  /// Whether no record is a range.
  ///
  /// - Complexity: O(records), several at once.
  package var isSingles: Bool {
    let firsts = firsts.span
    let lasts = lasts.span
    var spread: UInt64 = 0
    for index in 0..<firsts.count { spread |= firsts[index] ^ lasts[index] }
    return spread == 0
  }

  /// Adds a record whose record fields stands in the table already.
  ///
  /// - Precondition: the batch is not full, `first <= last`, and the index is one that `intern` gave.
  @inlinable
  public mutating func append(first: UInt64, last: UInt64, fieldsIndex: Int) {
    firsts.append(first)
    lasts.append(last)
    fieldsIndices.append(UInt32(truncatingIfNeeded: fieldsIndex))
  }

  /// Adds a record, or returns false when the batch has no room for it.
  @inlinable
  public mutating func append(first: UInt64, last: UInt64, recordFields: Span<UInt8>) -> Bool {
    guard !isFull, let index = fieldsTable.intern(recordFields) else { return false }
    append(first: first, last: last, fieldsIndex: index)
    return true
  }

  /// The record fields of the record at `index`.
  @inlinable
  public subscript(fieldsAt index: Int) -> Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { fieldsTable[Int(fieldsIndices[index])] }
  }

  /// Drops the records from `count` on. Their record fields stay in the table.
  public mutating func truncate(to count: Int) {
    let excess = self.count - count
    precondition(excess >= 0, "a batch can't be truncated to more than it has")
    firsts.removeLast(excess)
    lasts.removeLast(excess)
    fieldsIndices.removeLast(excess)
  }

  /// Empties the batch and keeps its memory.
  public mutating func removeAll() {
    firsts.removeAll()
    lasts.removeAll()
    fieldsIndices.removeAll()
    fieldsTable.removeAll()
  }
}
