// Text that commands write to a file or to standard output, in chunks.

import Records
import SystemIO

/// Writes text to an output, which gets its final name in ``finish()``.
final class TextWriter {
  private let sink: FileSink
  private var pending: [UInt8] = []

  /// Makes the file, or uses standard output for `-`. `escapesControls`: see ``FileSink``.
  init(_ path: String, _ stage: StageName, escapesControls: Bool = true) throws(Failure) {
    sink = try FileSink(path, stage: stage, escapesControls: escapesControls, calls: KernelCalls())
  }

  func write(_ text: String) throws(Failure) { try write(text.utf8) }

  func write(_ bytes: some Sequence<UInt8>) throws(Failure) {
    pending.append(contentsOf: bytes)
    if pending.count >= ByteChunk.defaultBytes { try flush() }
  }

  /// Passes on what was written so far.
  func flush() throws(Failure) {
    guard !pending.isEmpty else { return }
    var chunk = ByteChunk(capacity: pending.count)
    chunk.append(pending.span)
    pending.removeAll(keepingCapacity: true)
    try sink.receive(&chunk)
  }

  /// Renames the file to its final name.
  func finish() throws(Failure) {
    try flush()
    try sink.finish()
  }
}
