// Batches of records, the numbers of a line, and the tree that merges sorted lists.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import BasicContainers

// This is the first file of the program that does not compile without the package trait.
#if !canImport(BasicContainers)
  #error("The program needs a package trait: run `make build`, or `swift build --traits Tool`")
#endif

/// Up to 4096 records in columns: first number, last number, and the index of the record fields.
///
/// A batch is filled, passed to the next stage, emptied and filled again. It never grows.
///
///     if !batch.append(first: 86755…, last: 86755…, recordFields: label.span) {
///       try next.receive(&batch)   // full: pass it on,
///       batch.removeAll()          // then append the record to the emptied batch
///       …
///     }
public struct RecordBatch: ~Copyable, Sendable {
  /// The most records in a batch: enough that the cost of a call per batch is negligible, and few enough (about 200 KiB
  /// with the record fields) that a batch stays in the second-level cache.
  public static let recordsMax = 4096

  public static let memoryBytes =
    recordsMax * (8 + 8 + 4) + RecordFieldsTable.memoryBytes

  public var firsts: RigidArray<UInt64>
  /// The last number of each record; equal to the first unless the record is a range.
  public var lasts: RigidArray<UInt64>
  /// The index of each record's fields in ``fieldsTable``.
  public var fieldsIndices: RigidArray<UInt32>
  public var fieldsTable: RecordFieldsTable

  public init() {
    firsts = RigidArray(capacity: Self.recordsMax)
    lasts = RigidArray(capacity: Self.recordsMax)
    fieldsIndices = RigidArray(capacity: Self.recordsMax)
    fieldsTable = RecordFieldsTable()
  }

  @inlinable public var count: Int { firsts.count }
  @inlinable public var isEmpty: Bool { firsts.isEmpty }
  /// Whether no more records fit.
  @inlinable public var isFull: Bool { firsts.count == Self.recordsMax }

  /// Whether no record is a range.
  ///
  /// - Complexity: O(records), vectorized.
  public var isSingles: Bool {
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
  public mutating func append(first: UInt64, last: UInt64, fieldsIndex: Int) {
    firsts.append(first)
    lasts.append(last)
    fieldsIndices.append(UInt32(truncatingIfNeeded: fieldsIndex))
  }

  /// Adds a record; returns false when it does not fit.
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

  /// Removes the records from index `count` on. Their fields stay in the table.
  public mutating func truncate(to count: Int) {
    let excess = self.count - count
    precondition(excess >= 0, "a batch can't be truncated to more than it has")
    firsts.removeLast(excess)
    lasts.removeLast(excess)
    fieldsIndices.removeLast(excess)
  }

  /// Removes all records and keeps the memory.
  public mutating func removeAll() {
    firsts.removeAll()
    lasts.removeAll()
    fieldsIndices.removeAll()
    fieldsTable.removeAll()
  }
}

public enum RecordLineError: Error, Equatable, Sendable {
  /// The first field is not a number of 1 to 15 digits without leading zeros.
  case notANumber
  /// The text after `..` is not a number, or is below the first number.
  case notARange
}

/// Parses lines of the text form.
public enum RecordLine {
  /// The largest size of a line in bytes: two numbers, the dots, a tab, record fields with trailing tabs, a line feed.
  public static let bytesMax = 2 * PhoneNumber.digitsMax + 8 + RecordFields.bytesMax
  /// The number of bytes after which a line is an error instead of a reject: 64 MiB.
  public static let endlessBytes: UInt64 = 64 << 20

  /// The numbers of a line, and the start of its record fields.
  public struct Head: Equatable, Sendable {
    public var first: UInt64
    /// The last number, equal to the first unless the record is a range.
    public var last: UInt64
    /// The index after the tab, or the end of the line.
    public var fieldsStart: Int

    @inlinable
    init(first: UInt64, last: UInt64, fieldsStart: Int) {
      self.first = first
      self.last = last
      self.fieldsStart = fieldsStart
    }
  }

  /// Parses the numbers at the start of a line without its line feed.
  @inlinable
  public static func head(_ line: Span<UInt8>) throws(RecordLineError) -> Head {
    guard let (first, end) = Decimal.read(line, from: 0, to: line.count) else { throw .notANumber }
    if end == line.count { return Head(first: first, last: first, fieldsStart: end) }
    if line[end] == 0x09 { return Head(first: first, last: first, fieldsStart: end + 1) }
    return try range(line, first: first, from: end)
  }

  @usableFromInline
  static func range(_ line: Span<UInt8>, first: UInt64, from dots: Int) throws(RecordLineError) -> Head {
    guard dots + 2 <= line.count, line[dots] == Byte.dot, line[dots + 1] == Byte.dot else {
      throw .notANumber
    }
    guard let (last, end) = Decimal.read(line, from: dots + 2, to: line.count), last >= first,
      end == line.count || line[end] == Byte.tab
    else { throw .notARange }
    return Head(first: first, last: last, fieldsStart: min(end + 1, line.count))
  }
}

/// Orders records from several runs: by first number, then wider ranges first, then earlier runs first.
///
/// A tournament tree finds the run with the next record: one comparison per level, without swapping winners. It compares
/// numbers only. Sort merges its runs with it, the set operations their lists. Source: Knuth, The
/// Art of Computer Programming, volume 3, 5.4.1 (tree of losers).
public struct LoserTree: ~Copyable {
  @usableFromInline let leaves: Int
  /// The winner at index 0, and from index 1 on the loser of each match, as indices of runs.
  @usableFromInline var nodes: RigidArray<Int32>
  @usableFromInline var firsts: RigidArray<UInt64>
  @usableFromInline var lasts: RigidArray<UInt64>

  /// Creates a tree for a number of runs. All are at their end until `set` adds a record.
  public init(runs: Int) {
    var leaves = 1
    while leaves < runs { leaves *= 2 }
    self.leaves = leaves
    nodes = RigidArray(repeating: 0, count: max(leaves, 2))
    firsts = RigidArray(repeating: .max, count: leaves)
    lasts = RigidArray(repeating: 0, count: leaves)
  }

  @inlinable public var winner: Int { Int(nodes[0]) }
  /// Whether every run is at its end.
  @inlinable public var isEmpty: Bool { firsts[winner] == .max }

  /// Sets a run's next record before `build`.
  @inlinable
  public mutating func set(_ run: Int, first: UInt64, last: UInt64) {
    firsts[run] = first
    lasts[run] = last
  }

  public mutating func build() {
    var winners = RigidArray<Int32>(repeating: 0, count: 2 * leaves)
    for leaf in 0..<leaves { winners[leaves + leaf] = Int32(leaf) }
    for node in stride(from: leaves - 1, to: 0, by: -1) {
      let left = Int(winners[2 * node])
      let right = Int(winners[2 * node + 1])
      let leftWins = comesBefore(left, right)
      winners[node] = Int32(leftWins ? left : right)
      nodes[node] = Int32(leftWins ? right : left)
    }
    nodes[0] = winners[1]
  }

  /// Sets the next record of the winner's run and replays its matches.
  @inlinable
  public mutating func replaceWinner(first: UInt64, last: UInt64) {
    var run = winner
    firsts[run] = first
    lasts[run] = last
    var node = (leaves + run) / 2
    while node > 0 {
      let opponent = Int(nodes[node])
      if comesBefore(opponent, run) {
        nodes[node] = Int32(run)
        run = opponent
      }
      node /= 2
    }
    nodes[0] = Int32(run)
  }

  @inlinable @inline(__always)
  func comesBefore(_ one: Int, _ other: Int) -> Bool {
    let a = firsts[one]
    let b = firsts[other]
    if a != b { return a < b }
    if lasts[one] != lasts[other] { return lasts[one] > lasts[other] }
    return one < other
  }
}
