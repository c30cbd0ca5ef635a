// A few thousand records or single numbers in columns, filled by a cursor.

public import CallStoreFormat

/// Records of a store in columns. A cursor fills the batch again and again; it never grows.
public struct StoreBatch: ~Copyable {
  /// The maximum number of records in a batch: the size of CallKit's batches.
  public static let recordsMax = StoreLimits.blockRecordsMax

  var firstColumn: ContiguousArray<UInt64>
  var lastColumn: ContiguousArray<UInt64>
  var labelColumn: ContiguousArray<StoreLabel>
  var kindColumn: ContiguousArray<StoreKind>

  /// The number of records in the batch.
  public internal(set) var count = 0

  /// Makes an empty batch.
  ///
  /// - Parameter capacity: the number of records that fit, 1 to ``recordsMax``; 25 bytes each.
  public init(capacity: Int = 4096) {
    precondition((1...Self.recordsMax).contains(capacity), "a batch holds 1 to 10,000 records")
    firstColumn = ContiguousArray(repeating: 0, count: capacity)
    lastColumn = ContiguousArray(repeating: 0, count: capacity)
    labelColumn = ContiguousArray(repeating: StoreLabel(offset: 0, count: 0), count: capacity)
    kindColumn = ContiguousArray(repeating: .blocking, count: capacity)
  }

  /// The number of records that fit.
  public var capacity: Int { firstColumn.count }

  /// The first number of each record.
  public var firsts: Span<UInt64> {
    @_lifetime(borrow self)
    borrowing get { firstColumn.span.extracting(0..<count) }
  }

  /// The last number of each record; equal to the first when it is a single number.
  public var lasts: Span<UInt64> {
    @_lifetime(borrow self)
    borrowing get { lastColumn.span.extracting(0..<count) }
  }

  /// The label of each record.
  public var labels: Span<StoreLabel> {
    @_lifetime(borrow self)
    borrowing get { labelColumn.span.extracting(0..<count) }
  }

  /// The kind of each record.
  public var kinds: Span<StoreKind> {
    @_lifetime(borrow self)
    borrowing get { kindColumn.span.extracting(0..<count) }
  }
}
