// Ascending records to blocks: the half of writing a store that processes every record.
//
// Not for: the bytes of a block (StoreBody). They may be made in another thread, so ended blocks are passed on.

package import CallStoreFormat

/// Why a record can't be part of a store.
package enum StoreEncodingError: Error, Equatable, Sendable {
  /// A number outside ``StoreLimits/numberMin`` to ``StoreLimits/numberMax``, or a range whose last number is
  /// below its first.
  case numberOutOfRange(first: UInt64, last: UInt64)
  /// A record starts at or before the last number of the one before it, of whichever kind.
  case notAscending(previous: UInt64, first: UInt64)
  /// A label is longer than ``StoreLimits/labelBytesMax``.
  case labelTooLong(bytes: Int, limit: Int)
  /// The store would need more than ``StoreLimits/blocksMax`` blocks.
  case tooManyBlocks(limit: Int)
}

/// Fills blocks with records that come in ascending order, both kinds in one stream.
///
/// All stores are written this way: the filler builds blocks, and a ``StoreBody`` encodes them, in the same thread
/// (``StoreEncoder``) or in another one (the emit stage).
///
/// If the block of a record is full, the record is not appended: end the block, then append the record again.
package struct BlockFiller: ~Copyable {
  private var blocking = BlockBuilder()
  private var identification = BlockBuilder()
  private var table = LabelIndex(countMax: StoreLimits.tableLabelsMax, bytesMax: StoreLimits.tableBytesMax)
  private var previous: UInt64 = 0
  private var first: UInt64?
  /// The number of ended blocks. When its block ends, a label loses its name, unless it is in the store's table.
  private var epoch = 0

  /// Makes a filler of empty blocks.
  package init() {
    blocking.kind = .blocking
    identification.kind = .identification
  }

  /// Appends a record; false when its block must be ended first. After a throw, other records may follow.
  ///
  /// - Complexity: O(bytes of the label) on average.
  package mutating func append(
    first: UInt64, last: UInt64, kind: StoreKind, label: Span<UInt8>
  ) throws(StoreEncodingError) -> Bool {
    guard first >= StoreLimits.numberMin, first <= last, last <= StoreLimits.numberMax else {
      throw .numberOutOfRange(first: first, last: last)
    }
    guard first > previous else { throw .notAscending(previous: previous, first: first) }
    guard label.count <= StoreLimits.labelBytesMax else {
      throw .labelTooLong(bytes: label.count, limit: StoreLimits.labelBytesMax)
    }
    guard hasCapacity(kind) else { throw .tooManyBlocks(limit: StoreLimits.blocksMax) }
    if kind == .blocking {
      guard !blocking.isFull, let identity = blocking.identity(of: label, &table) else { return false }
      blocking.append(first: first, last: last, identity: identity)
    } else {
      guard !identification.isFull, let identity = identification.identity(of: label, &table) else {
        return false
      }
      identification.append(first: first, last: last, identity: identity)
    }
    if self.first == nil { self.first = first }
    previous = last
    return true
  }

  /// Appends a record whose label is at `index` in a batch, and records the label's name in the store.
  ///
  /// Otherwise like ``append(first:last:kind:label:)``.
  package mutating func append(
    first: UInt64, last: UInt64, kind: StoreKind, label: Span<UInt8>, at index: Int, _ names: inout StoreNames
  ) throws(StoreEncodingError) -> Bool {
    guard try append(first: first, last: last, kind: kind, label: label) else { return false }
    let latest = kind == .blocking ? blocking.latestIdentity : identification.latestIdentity
    names.follow(epoch)
    names.set(index, kind, identity: latest ?? 0)
    return true
  }

  /// Appends the first single numbers whose labels have names, up to the end of a block, and returns how many were
  /// appended. `labels` holds the index of each number's label in its batch.
  ///
  /// It stops before the first record that needs ``append(first:last:kind:label:at:_:)``: to name a label, to end a
  /// block, or to report an error.
  ///
  /// - Precondition: `labels` is as long as `numbers`.
  /// - Complexity: O(appended numbers); about ten instructions each.
  package mutating func append(numbers: Span<UInt64>, labels: Span<UInt32>, _ names: inout StoreNames) -> Int
  {
    precondition(numbers.count == labels.count, "every number has a label")
    names.follow(epoch)
    var appended = 0
    while appended < numbers.count {
      let rest = numbers.extracting(appended..<numbers.count)
      let restLabels = labels.extracting(appended..<labels.count)
      let isBlocking = names.kind(at: Int(restLabels[0])) == .blocking
      guard hasCapacity(isBlocking ? .blocking : .identification) else { break }
      let count =
        isBlocking
        ? blocking.append(rest, labels: restLabels, names.all, after: previous)
        : identification.append(rest, labels: restLabels, names.all, after: previous)
      if count == 0 { break }
      if first == nil { first = rest[0] }
      previous = rest[count - 1]
      appended += count
    }
    return appended
  }

  /// Appends the first single numbers, including those whose labels have no names yet, and returns how many were
  /// appended.
  ///
  /// It stops before the first record that needs ``append(first:last:kind:label:at:_:)``, and where the faster
  /// ``append(numbers:labels:_:)`` can continue.
  ///
  /// - Precondition: `labels` is as long as `numbers`.
  /// - Complexity: O(appended numbers and bytes of new labels).
  package mutating func append(
    numbers: Span<UInt64>, labels: Span<UInt32>, in texts: borrowing BatchLabels, _ names: inout StoreNames
  ) -> Int {
    precondition(numbers.count == labels.count, "every number has a label")
    guard numbers.count > 0 else { return 0 }
    names.follow(epoch)
    let isBlocking = texts.spans[Int(labels[0])].kind == .blocking
    guard hasCapacity(isBlocking ? .blocking : .identification) else { return 0 }
    let appended =
      isBlocking
      ? blocking.append(numbers, labels: labels, in: texts, &names, &table, after: previous)
      : identification.append(numbers, labels: labels, in: texts, &names, &table, after: previous)
    if appended > 0 {
      if first == nil { first = numbers[0] }
      previous = numbers[appended - 1]
    }
    return appended
  }

  /// Ends the block of a kind, if it has records: passes it to `encode`, which empties it or exchanges it for an empty
  /// one.
  package mutating func endBlock<Failure: Error>(
    _ kind: StoreKind, _ encode: (inout BlockBuilder) throws(Failure) -> Void
  ) throws(Failure) {
    guard (kind == .blocking ? blocking.count : identification.count) > 0 else { return }
    epoch += 1
    if kind == .blocking {
      try encode(&blocking)
      blocking.kind = .blocking
    } else {
      try encode(&identification)
      identification.kind = .identification
    }
  }

  /// Whether a record of a kind would leave the number of blocks within ``StoreLimits/blocksMax``.
  private func hasCapacity(_ kind: StoreKind) -> Bool {
    if (kind == .blocking ? blocking.count : identification.count) > 0 { return true }
    let otherCount = kind == .blocking ? identification.count : blocking.count
    return epoch + (otherCount > 0 ? 1 : 0) < StoreLimits.blocksMax
  }

  /// Ends the store in `body`, which has encoded all blocks, and returns its totals.
  ///
  /// - Precondition: the blocks of both kinds were ended.
  package borrowing func finish(_ body: inout StoreBody) -> StoreSummary {
    body.finish(table, first: first, last: previous)
  }
}
