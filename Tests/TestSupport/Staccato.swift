// The same input in pieces of every size: a stage's output must not depend on where its input was cut.

package import Records
import SystemIO

package enum Cut: Sendable, Hashable, CustomStringConvertible {
  /// In one piece, or in the largest that a batch holds.
  case whole
  /// In pieces of this size.
  case every(Int)
  /// In pieces of random sizes from 1 to `most`.
  case random(seed: UInt64, most: Int)

  /// The cuts that every streaming stage is tested with.
  package static func common(_ generator: inout SplitMix64) -> [Cut] {
    [
      .whole, .every(1), .every(2), .every(3), .every(7), .random(seed: generator.next(), most: 40),
      .random(seed: generator.next(), most: 5000),
    ]
  }

  package var description: String {
    switch self {
    case .whole: "whole"
    case .every(let size): "pieces of \(size)"
    case .random(let seed, let most): "random pieces of at most \(most), seed \(seed)"
    }
  }

  /// The sizes of the pieces of `count` elements.
  package func sizes(of count: Int) -> [Int] {
    var sizes: [Int] = []
    var left = count
    var generator = SplitMix64(seed: 0)
    if case .random(let seed, _) = self { generator = SplitMix64(seed: seed) }
    while left > 0 {
      let size =
        switch self {
        case .whole: left
        case .every(let size): size
        case .random(_, let most): Int.random(in: 1...most, using: &generator)
        }
      sizes.append(min(size, left))
      left -= min(size, left)
    }
    return sizes
  }
}

/// Feeds bytes to a sink in pieces, and ends the stream.
package func feed(_ bytes: [UInt8], cut: Cut = .whole, to sink: any ByteSink) throws(Failure) {
  var start = 0
  var chunk = ByteChunk()
  for size in cut.sizes(of: bytes.count) {
    let end = start + size
    while start < end {
      let next = min(end, start + ByteChunk.defaultBytes)
      chunk.append(bytes.span.extracting(start..<next))
      start = next
      try sink.receive(&chunk)
      chunk.removeAll()
    }
  }
  try sink.finish()
}

/// Feeds records to a sink in batches, and ends the stream.
package func feed(_ records: [TestRecord], cut: Cut = .whole, to sink: any RecordSink) throws(Failure) {
  var batch = RecordBatch()
  try feed(records, cut: cut, through: &batch, to: sink)
}

/// Feeds records through the caller's batch, for tests that run a stage thousands of times.
package func feed(
  _ records: [TestRecord], cut: Cut, through batch: inout RecordBatch, to sink: any RecordSink
) throws(Failure) {
  var start = 0
  for size in cut.sizes(of: records.count) {
    for record in records[start..<start + size] {
      if batch.append(first: record.first, last: record.last, recordFields: record.recordFields.span) {
        continue
      }
      try sink.receive(&batch)
      batch.removeAll()
      let fits = batch.append(first: record.first, last: record.last, recordFields: record.recordFields.span)
      precondition(fits, "an empty batch holds any record")
    }
    if !batch.isEmpty { try sink.receive(&batch) }
    batch.removeAll()
    start += size
  }
  try sink.finish()
}

/// Feeds rows to a sink in batches, and ends the stream. The rows' ordinals must ascend; a gap ends a batch.
package func feed(_ rows: [TestRow], cut: Cut = .whole, to sink: any RawRowSink) throws(Failure) {
  var batch = RawRowBatch()
  var start = 0
  for size in cut.sizes(of: rows.count) {
    for row in rows[start..<start + size] {
      let follows = row.ordinal == batch.firstOrdinal + UInt64(batch.count)
      if follows, batch.append(text: row.text.span, recordFields: row.recordFields.span) { continue }
      if !batch.isEmpty { try sink.receive(&batch) }
      batch.removeAll()
      batch.firstOrdinal = row.ordinal
      let fits = batch.append(text: row.text.span, recordFields: row.recordFields.span)
      precondition(fits, "an empty batch holds any row")
    }
    if !batch.isEmpty { try sink.receive(&batch) }
    batch.removeAll()
    start += size
    if start < rows.count { batch.firstOrdinal = rows[start].ordinal }
  }
  try sink.finish()
}
