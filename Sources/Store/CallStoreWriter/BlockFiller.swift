// Ascending records to blocks: the half of writing a store that looks at every record.
//
// Not for: what a full block is as bytes (StoreBody). That may happen in another thread, so blocks change hands.

package import CallStoreFormat

/// Why a record can't be part of a store.
public enum StoreEncodingError: Error, Equatable, Sendable {
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
/// A record whose block has no room for it is not taken: hand the block over for an empty one, and try again.
package struct BlockFiller: ~Copyable {
  private var blocking = BlockBuilder()
  private var identification = BlockBuilder()
  private var table = LabelIndex(countMax: StoreLimits.tableLabelsMax, bytesMax: StoreLimits.tableBytesMax)
  private var previous: UInt64 = 0
  private var first: UInt64?
  /// How many blocks were handed over: with its block a label loses its name, unless that stands in the table.
  private var epoch: UInt64 = 0

  /// Makes a filler of empty blocks.
  package init() {
    blocking.kind = .blocking
    identification.kind = .identification
  }

  /// Appends a record; false when its block must be handed over first. One that throws may be followed by others.
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

  /// Appends a record whose label stands at `index` in a batch, and notes what the label is called from now on.
  ///
  /// Otherwise as ``append(first:last:kind:label:)``.
  package mutating func append(
    first: UInt64, last: UInt64, kind: StoreKind, label: Span<UInt8>, at index: Int, _ names: inout StoreNames
  ) throws(StoreEncodingError) -> Bool {
    guard try append(first: first, last: last, kind: kind, label: label) else { return false }
    let latest = kind == .blocking ? blocking.latestIdentity : identification.latestIdentity
    names.follow(epoch)
    names.set(index, kind, identity: latest ?? 0)
    return true
  }

  /// Appends single numbers whose labels have names, as many as go without closing a block, and returns how many
  /// that were. `labels` has the place of each number's label in its batch.
  ///
  /// It stops before the first record that ``append(first:last:kind:label:at:_:)`` must take, be it to name a label,
  /// to close a block, or to say what is wrong.
  ///
  /// - Precondition: `labels` is as long as `numbers`.
  /// - Complexity: O(numbers taken); some ten instructions each.
  package mutating func append(numbers: Span<UInt64>, labels: Span<UInt32>, _ names: inout StoreNames) -> Int
  {
    precondition(numbers.count == labels.count, "every number has a label")
    names.follow(epoch)
    var taken = 0
    while taken < numbers.count {
      let rest = numbers.extracting(taken..<numbers.count)
      let restLabels = labels.extracting(taken..<labels.count)
      let isBlocking = names.kind(at: Int(restLabels[0])) == .blocking
      let count =
        isBlocking
        ? blocking.append(rest, labels: restLabels, names.all, after: previous)
        : identification.append(rest, labels: restLabels, names.all, after: previous)
      if count == 0 { break }
      if first == nil { first = rest[0] }
      previous = rest[count - 1]
      taken += count
    }
    return taken
  }

  /// Appends single numbers of which some labels may have no names yet, and returns how many that were.
  ///
  /// It stops where ``append(first:last:kind:label:at:_:)`` must go on, and where
  /// ``append(numbers:labels:_:)`` can.
  ///
  /// - Precondition: `labels` is as long as `numbers`.
  /// - Complexity: O(numbers taken and bytes of new labels).
  package mutating func append(
    numbers: Span<UInt64>, labels: Span<UInt32>, in texts: borrowing BatchLabels, _ names: inout StoreNames
  ) -> Int {
    precondition(numbers.count == labels.count, "every number has a label")
    guard numbers.count > 0 else { return 0 }
    names.follow(epoch)
    let isBlocking = texts.places[Int(labels[0])].kind == .blocking
    let taken =
      isBlocking
      ? blocking.append(numbers, labels: labels, in: texts, &names, &table, after: previous)
      : identification.append(numbers, labels: labels, in: texts, &names, &table, after: previous)
    if taken > 0 {
      if first == nil { first = numbers[0] }
      previous = numbers[taken - 1]
    }
    return taken
  }

  /// Hands the block of a kind over for an empty one, if it has records.
  package mutating func exchange(
    _ kind: StoreKind, for empty: inout BlockBuilder
  ) throws(StoreEncodingError) -> Bool {
    guard (kind == .blocking ? blocking.count : identification.count) > 0 else { return false }
    guard epoch < StoreLimits.blocksMax else { throw .tooManyBlocks(limit: StoreLimits.blocksMax) }
    epoch += 1
    empty.kind = kind
    if kind == .blocking { swap(&blocking, &empty) } else { swap(&identification, &empty) }
    return true
  }

  /// What the body needs to know at the end, when all blocks were handed over.
  package borrowing func finish(_ body: inout StoreBody) -> StoreSummary {
    body.finish(table, first: first, last: previous)
  }
}
