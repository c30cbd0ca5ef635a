// Records and labels as plain values: the short forms of lookup and of reading a store from its first record to its last.
//
// Not for: adding entries to a request (CallDirectory), nor for code in which an allocation per record matters
// (StoreCursor).

/// A record of a store with the text of its label.
public struct LabeledRecord: Hashable, Sendable {
  /// What a phone does with the numbers.
  public var kind: StoreKind
  /// The first number.
  public var first: UInt64
  /// The last number; equal to the first when it is a single number.
  public var last: UInt64
  /// The label; empty if there is none. Invalid UTF-8 in the store became U+FFFD.
  public var label: String

  /// Creates a record.
  public init(kind: StoreKind, first: UInt64, last: UInt64, label: String) {
    self.kind = kind
    self.first = first
    self.last = last
    self.label = label
  }
}

/// The records of a store in ascending order, which ``CallStore/records(of:)`` has checked. The store stays open as long
/// as the sequence or one of its iterators exists.
///
/// An iterator needs about 60 KiB for each kind in the store, 80 KiB more if records have distinct labels, 110 KiB for
/// decoded records, and at most 140 KiB for texts of labels, whatever the size of the store.
public struct LabeledRecords: Sequence, Sendable {
  fileprivate final class OpenedStore: Sendable {
    let store: CallStore

    init(_ store: consuming CallStore) { self.store = store }
  }

  private let opened: OpenedStore
  private let kind: StoreKind?

  fileprivate init(_ store: consuming CallStore, _ kind: StoreKind?) {
    opened = OpenedStore(store)
    self.kind = kind
  }

  /// Starts at the first record. Iterators are independent of each other.
  public func makeIterator() -> Iterator { Iterator(opened, kind) }

  /// A position in the records. Copies share their position.
  public struct Iterator: IteratorProtocol {
    private final class Position {
      let opened: OpenedStore
      var cursor: StoreCursor
      var batch = StoreBatch()
      var texts = LabelTextCache()
      /// The next record of the batch.
      var next = 0
      /// The number of records since the pages of the file were released.
      var resident = 0

      init(_ opened: OpenedStore, _ kind: StoreKind?) {
        self.opened = opened
        cursor = StoreCursor(opened.store, kind: kind)
      }

      /// Fills the batch. Returns false after the last record.
      func fill() throws(CallStoreError) -> Bool {
        resident += batch.count
        if resident >= opened.store.recordsResident {
          opened.store.releasePages()
          resident = 0
        }
        next = 0
        return try cursor.nextRecords(of: opened.store, into: &batch)
      }

      /// The next record of the batch, which has one.
      func pop() -> LabeledRecord {
        defer { next += 1 }
        return LabeledRecord(
          kind: batch.kindColumn[next], first: batch.firstColumn[next], last: batch.lastColumn[next],
          label: texts.text(of: batch.labelColumn[next], in: opened.store))
      }
    }

    private let position: Position

    fileprivate init(_ opened: OpenedStore, _ kind: StoreKind?) {
      position = Position(opened, kind)
    }

    /// Returns the next record; nil after the last one.
    public mutating func next() -> LabeledRecord? {
      if position.next == position.batch.count {
        do throws(CallStoreError) {
          guard try position.fill() else { return nil }
        } catch {
          // `records` has decoded every record of the same bytes.
          preconditionFailure("the store's file was changed while it was read: \(error)")
        }
      }
      return position.pop()
    }
  }
}

extension CallStore {
  /// The records in ascending order, as plain values:
  ///
  ///     for record in try CallStore(url: url).records() { show(record.first, record.label) }
  ///
  /// The whole store is checked first (``verify()``), so a damaged store throws here, and the loop can't fail halfway. The
  /// sequence owns the store. To look up numbers, too, open the store a second time: both share the pages in memory.
  ///
  /// Replace the file of a store by renaming another one. If its bytes are changed in place meanwhile, the process ends.
  ///
  /// - Parameter kind: the kind of records; both kinds, merged, if it is nil.
  /// - Complexity: O(records) before the first record, and O(1) for each record, apart from its label's text.
  public consuming func records(of kind: StoreKind? = nil) throws(CallStoreError) -> LabeledRecords {
    try verify()
    return LabeledRecords(self, kind)
  }

  /// The label of a number; nil if the store does not contain the number, and empty if it has no label.
  ///
  /// - Complexity: O(log blocks + bytes of the label); see ``record(of:)``.
  public func label(of number: UInt64) throws(CallStoreError) -> String? {
    guard let record = try record(of: number) else { return nil }
    return text(of: record.label)
  }
}
