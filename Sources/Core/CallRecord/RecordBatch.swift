// Records on their way from one stage to the next, some thousands at a time, in columns.

public import BasicContainers

/// Some thousands of records in columns: first number, last number, and the index of the annotation.
///
/// A batch is filled, handed to the next stage, emptied and filled again. It never grows.
///
///     if !batch.append(first: 86755…, last: 86755…, annotation: label.span) {
///       try next.receive(&batch)   // full: hand it on,
///       batch.removeAll()          // and the record goes into the next one
///       …
///     }
@frozen
public struct RecordBatch: ~Copyable, Sendable {
  /// The most records in a batch: enough that a call a batch costs nothing, and small enough (about 200 KiB
  /// with its annotations) that a batch stays in the second-level cache.
  public static let recordsMax = 4096

  /// The memory that a batch takes, in bytes.
  public static let memoryBytes =
    recordsMax * (8 + 8 + 4) + AnnotationTable.memoryBytes

  /// The first number of each record.
  public var firsts: RigidArray<UInt64>
  /// The last number of each record; equal to the first unless the record is a range.
  public var lasts: RigidArray<UInt64>
  /// The index of each record's annotation in ``annotations``.
  public var annotationIndices: RigidArray<UInt32>
  /// The annotations.
  public var annotations: AnnotationTable

  /// Makes an empty batch.
  public init() {
    firsts = RigidArray(capacity: Self.recordsMax)
    lasts = RigidArray(capacity: Self.recordsMax)
    annotationIndices = RigidArray(capacity: Self.recordsMax)
    annotations = AnnotationTable()
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

  /// Adds a record whose annotation stands in the table already.
  ///
  /// - Precondition: the batch is not full, `first <= last`, and the index is one that `intern` gave.
  @inlinable
  public mutating func append(first: UInt64, last: UInt64, annotationIndex: Int) {
    firsts.append(first)
    lasts.append(last)
    annotationIndices.append(UInt32(truncatingIfNeeded: annotationIndex))
  }

  /// Adds a record, or returns false when the batch has no room for it.
  @inlinable
  public mutating func append(first: UInt64, last: UInt64, annotation: Span<UInt8>) -> Bool {
    guard !isFull, let index = annotations.intern(annotation) else { return false }
    append(first: first, last: last, annotationIndex: index)
    return true
  }

  /// The annotation of the record at `index`.
  @inlinable
  public subscript(annotationAt index: Int) -> Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { annotations[Int(annotationIndices[index])] }
  }

  /// Drops the records from `count` on. Their annotations stay in the table.
  public mutating func truncate(to count: Int) {
    let excess = self.count - count
    precondition(excess >= 0, "a batch can't be truncated to more than it has")
    firsts.removeLast(excess)
    lasts.removeLast(excess)
    annotationIndices.removeLast(excess)
  }

  /// Empties the batch and keeps its memory.
  public mutating func removeAll() {
    firsts.removeAll()
    lasts.removeAll()
    annotationIndices.removeAll()
    annotations.removeAll()
  }
}
