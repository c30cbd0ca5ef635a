// The batches of records that stages pass on, in columns.

package import BasicContainers

/// Up to 4096 records in columns: first number, last number, and the index of the record fields.
///
/// A batch is filled, passed to the next stage, emptied and filled again. It never grows.
///
///     if !batch.append(first: 86755…, last: 86755…, recordFields: label.span) {
///       try next.receive(&batch)   // full: pass it on,
///       batch.removeAll()          // then append the record to the emptied batch
///       …
///     }
package struct RecordBatch: ~Copyable, Sendable {
  /// The most records in a batch: enough that the cost of a call per batch is negligible, and few enough (about 200 KiB
  /// with the record fields) that a batch stays in the second-level cache.
  package static let recordsMax = 4096

  /// The memory of a batch in bytes.
  package static let memoryBytes =
    recordsMax * (8 + 8 + 4) + RecordFieldsTable.memoryBytes

  /// The first number of each record.
  package var firsts: RigidArray<UInt64>
  /// The last number of each record; equal to the first unless the record is a range.
  package var lasts: RigidArray<UInt64>
  /// The index of each record's fields in ``fieldsTable``.
  package var fieldsIndices: RigidArray<UInt32>
  /// The different record fields of the records.
  package var fieldsTable: RecordFieldsTable

  /// Creates an empty batch.
  package init() {
    firsts = RigidArray(capacity: Self.recordsMax)
    lasts = RigidArray(capacity: Self.recordsMax)
    fieldsIndices = RigidArray(capacity: Self.recordsMax)
    fieldsTable = RecordFieldsTable()
  }

  /// The number of records.
  @inlinable package var count: Int { firsts.count }
  /// Whether there are no records.
  @inlinable package var isEmpty: Bool { firsts.isEmpty }
  /// Whether no more records fit.
  @inlinable package var isFull: Bool { firsts.count == Self.recordsMax }

  /// Whether no record is a range.
  ///
  /// - Complexity: O(records), vectorized.
  package var isSingles: Bool {
    let firsts = firsts.span
    let lasts = lasts.span
    var differences: UInt64 = 0
    for index in 0..<firsts.count { differences |= firsts[index] ^ lasts[index] }
    return differences == 0
  }

  /// Adds a record whose fields are in the table already.
  ///
  /// - Precondition: The batch is not full, `first <= last`, and `fieldsIndex` was returned by `intern`.
  @inlinable
  package mutating func append(first: UInt64, last: UInt64, fieldsIndex: Int) {
    firsts.append(first)
    lasts.append(last)
    fieldsIndices.append(UInt32(truncatingIfNeeded: fieldsIndex))
  }

  /// Adds a record; returns false when it does not fit.
  @inlinable
  package mutating func append(first: UInt64, last: UInt64, recordFields: Span<UInt8>) -> Bool {
    guard !isFull, let index = fieldsTable.intern(recordFields) else { return false }
    append(first: first, last: last, fieldsIndex: index)
    return true
  }

  /// The record fields of the record at `index`.
  @inlinable
  package subscript(fieldsAt index: Int) -> Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { fieldsTable[Int(fieldsIndices[index])] }
  }

  /// Removes the records from index `count` on. Their fields stay in the table.
  package mutating func truncate(to count: Int) {
    let excess = self.count - count
    precondition(excess >= 0, "a batch can't be truncated to more than it has")
    firsts.removeLast(excess)
    lasts.removeLast(excess)
    fieldsIndices.removeLast(excess)
  }

  /// Removes all records and keeps the memory.
  package mutating func removeAll() {
    firsts.removeAll()
    lasts.removeAll()
    fieldsIndices.removeAll()
    fieldsTable.removeAll()
  }
}
