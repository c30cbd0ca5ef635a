// The last step: adjacent records with the same label become one record.

import BasicContainers
import Records
import SystemIO

/// Joins records that follow each other without a gap and have the same label. Source, score and day are kept if they
/// are the same, too, and dropped if they differ.
final class Coalescer: RecordSink {
  private let meter: StageMeter
  private let downstream: any RecordSink
  private var merger = AdjacentRecordMerger()

  init(_ meter: StageMeter, _ downstream: any RecordSink) {
    self.meter = meter
    self.downstream = downstream
  }

  func receive(_ batch: inout RecordBatch) throws(Failure) {
    meter.joined.add(try merger.receive(batch, downstream))
  }

  func finish() throws(Failure) {
    try merger.finish(downstream)
    try downstream.finish()
  }
}

private struct AdjacentRecordMerger: ~Copyable {
  private var batch = RecordBatch()
  private var isOpen = false
  private var first: UInt64 = 0
  private var last: UInt64 = 0
  private var recordFields: [UInt8] = []

  /// Adds records, and returns how many of them were joined to the previous one.
  mutating func receive(_ input: borrowing RecordBatch, _ downstream: any RecordSink) throws(Failure) -> Int {
    var joined = 0
    // The input's index of the record fields that the open record is known to have, byte for byte.
    var openIndex: UInt32?
    for index in 0..<input.count {
      let next = input.fieldsIndices[index]
      let follows = isOpen && input.firsts[index] == last + 1
      if follows, next == openIndex {
        last = input.lasts[index]
        joined += 1
        continue
      }
      let bytes = input[fieldsAt: index]
      if follows, Self.haveSameLabel(recordFields.span, bytes) {
        last = input.lasts[index]
        joined += 1
        if recordFields.span.hasSameBytes(as: bytes) {
          openIndex = next
        } else {
          recordFields = Self.common(recordFields.span, bytes)
          openIndex = nil
        }
        continue
      }
      try flushOpen(downstream)
      isOpen = true
      first = input.firsts[index]
      last = input.lasts[index]
      openIndex = next
      recordFields.removeAll(keepingCapacity: true)
      recordFields.append(copying: bytes)
    }
    return joined
  }

  mutating func finish(_ downstream: any RecordSink) throws(Failure) {
    try flushOpen(downstream)
    try flush(downstream)
  }

  private mutating func flushOpen(_ downstream: any RecordSink) throws(Failure) {
    guard isOpen else { return }
    isOpen = false
    let bytes = recordFields
    if batch.append(first: first, last: last, recordFields: bytes.span) { return }
    try flush(downstream)
    _ = batch.append(first: first, last: last, recordFields: bytes.span)
  }

  private mutating func flush(_ downstream: any RecordSink) throws(Failure) {
    guard !batch.isEmpty else { return }
    try downstream.receive(&batch)
    batch.removeAll()
  }

  private static func haveSameLabel(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
    one.extracting(0..<RecordFields.labelLength(one))
      .hasSameBytes(as: other.extracting(0..<RecordFields.labelLength(other)))
  }

  /// The fields that are equal in two records with the same label.
  private static func common(_ one: Span<UInt8>, _ other: Span<UInt8>) -> [UInt8] {
    let parts = RecordFields.parts(one)
    let otherParts = RecordFields.parts(other)
    var bytes = [UInt8](copying: one.extracting(parts.label))
    for (part, otherPart) in [
      (parts.source, otherParts.source), (parts.score, otherParts.score), (parts.day, otherParts.day),
    ] {
      bytes.append(Byte.tab)
      let field = one.extracting(part)
      if field.hasSameBytes(as: other.extracting(otherPart)) { bytes += [UInt8](copying: field) }
    }
    // Both have the same label, which does not end in a tab.
    while bytes.last == Byte.tab { bytes.removeLast() }
    return bytes
  }
}
