// Turns ascending records into the bytes of a store, front to back, in bounded memory and in one thread.
//
// Not for: files. Bytes are handed to whoever drains them, so a store goes to a file, a pipe or a test alike.

public import CallStoreFormat

/// Makes a store of records that come in ascending order, both kinds in one stream. The same records give the
/// same bytes.
///
///     var encoder = StoreEncoder()
///     for … {
///       try encoder.append(first: 86755…, last: 86755…, kind: .identification, label: label.span)
///       if encoder.isDrainDue { try encoder.drain { bytes throws(SystemError) in try file.write(bytes) } }
///     }
///     let summary = try encoder.finish()
///     try encoder.drain { … }
///
/// Drained as above it takes at most 4 MiB, whatever the records; usually some hundred KiB.
public struct StoreEncoder: ~Copyable {
  private var filler = BlockFiller()
  private var body = StoreBody()
  /// The block that is empty while the others fill.
  private var spare = BlockBuilder()
  private var isFinished = false

  /// Makes an encoder; the head of the store is the first thing to drain.
  public init() {}

  /// Whether enough bytes wait to be worth a write.
  public var isDrainDue: Bool { body.isDrainDue }

  /// Hands over the bytes that wait. After a throw they still wait.
  public mutating func drain<Failure: Error>(
    _ write: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    try body.drain(write)
  }

  /// Appends a record.
  ///
  /// A record that throws is not part of the store, and the next may be tried.
  ///
  /// - Parameter label: the label's bytes, not escaped; empty for a number that is only blocked.
  /// - Precondition: `finish` was not called.
  /// - Complexity: O(bytes of the label) on average.
  public mutating func append(
    first: UInt64, last: UInt64, kind: StoreKind, label: Span<UInt8>
  ) throws(StoreEncodingError) {
    precondition(!isFinished, "a finished store takes no records")
    while !(try filler.append(first: first, last: last, kind: kind, label: label)) { try close(kind) }
  }

  /// Ends the store and says what it holds. What waits must still be drained.
  ///
  /// - Precondition: it is called once.
  public mutating func finish() throws(StoreEncodingError) -> StoreSummary {
    precondition(!isFinished, "a store is finished once")
    isFinished = true
    for kind in StoreKind.allCases { try close(kind) }
    return filler.finish(&body)
  }

  private mutating func close(_ kind: StoreKind) throws(StoreEncodingError) {
    if try filler.exchange(kind, for: &spare) { body.append(&spare) }
  }
}
