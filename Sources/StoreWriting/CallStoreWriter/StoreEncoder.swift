// Turns ascending records into the bytes of a store, front to back, in bounded memory and in one thread.
//
// Not for: files. The caller drains the bytes into a file, a pipe or a buffer.

package import CallStoreFormat

/// Encodes a store from records in ascending order, both kinds in one stream. The same records result in the same
/// bytes.
///
///     var encoder = StoreEncoder()
///     for … {
///       try encoder.append(first: 86755…, last: 86755…, kind: .identification, label: label.span)
///       if encoder.isDrainDue { try encoder.drain { bytes throws(SystemError) in try file.write(bytes) } }
///     }
///     let summary = encoder.finish()
///     try encoder.drain { … }
///
/// Drained like this, it uses at most 4 MiB for any records, and usually a few hundred KiB.
package struct StoreEncoder: ~Copyable {
  private var filler = BlockFiller()
  private var body = StoreBody()
  private var isFinished = false

  /// Makes an encoder. The first bytes to drain are the head of the store.
  package init() {}

  /// Whether there are enough pending bytes for a write.
  package var isDrainDue: Bool { body.isDrainDue }

  /// Passes the pending bytes to `write`, if there are any. If it throws, they stay pending.
  package mutating func drain<Failure: Error>(
    _ write: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    try body.drain(write)
  }

  /// Appends a record.
  ///
  /// If it throws, the record is not part of the store, and other records may follow.
  ///
  /// - Parameter label: the bytes of the label, not escaped; empty for a number that is only blocked.
  /// - Precondition: `finish` was not called.
  /// - Complexity: O(bytes of the label) on average.
  package mutating func append(
    first: UInt64, last: UInt64, kind: StoreKind, label: Span<UInt8>
  ) throws(StoreEncodingError) {
    precondition(!isFinished, "a finished store accepts no records")
    while !(try filler.append(first: first, last: last, kind: kind, label: label)) {
      filler.endBlock(kind, in: &body)
    }
  }

  /// Ends the store and returns its totals. The pending bytes must still be drained.
  ///
  /// - Precondition: it is called once.
  package mutating func finish() -> StoreSummary {
    precondition(!isFinished, "a store is finished once")
    isFinished = true
    for kind in StoreKind.allCases { filler.endBlock(kind, in: &body) }
    return filler.finish(&body)
  }
}

extension BlockFiller {
  /// Ends the block of a kind, if it has records, and encodes it into `body`.
  fileprivate mutating func endBlock(_ kind: StoreKind, in body: inout StoreBody) {
    endBlock(kind) { block in body.append(&block) }
  }
}
