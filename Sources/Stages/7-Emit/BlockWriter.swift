// Encodes full blocks and writes them to a file, optionally in a separate thread.

import BasicContainers
import CallStoreWriter
import PipeStage
import SystemIO
import SystemPackage

/// Encodes blocks into a file. It belongs to one thread at a time.
final class BlockWriter {
  private var body = StoreBody()
  /// Nil after the file was published.
  private var file: OutputFile?

  init(_ file: consuming OutputFile) {
    self.file = consume file
  }

  /// Encodes a block that has records, and empties it. Writes the pending bytes when there are enough.
  func write(_ block: inout BlockBuilder) throws(StageError) {
    body.append(&block)
    if body.isDrainDue { try drain() }
  }

  /// Ends the store after its last block was written, and returns its totals.
  func seal(_ filler: borrowing BlockFiller) throws(StageError) -> StoreSummary {
    let summary = filler.finish(&body)
    try drain()
    return summary
  }

  var descriptor: Int32 { file?.descriptor.rawValue ?? -1 }

  func verify() throws(StageError) {
    guard let isNew = file?.isNew, isNew, let path = file?.path else { return }
    do throws(StoreVerificationError) {
      try StoreVerification.verify(descriptor: descriptor)
    } catch {
      throw StageError(.emit, EmitError.invalidStore(error, path: path))
    }
  }

  func publish(as name: String?) throws(StageError) {
    do throws(SystemError) {
      try file.take()?.publish(as: name)
    } catch {
      throw StageError(.emit, error)
    }
  }

  private func drain() throws(StageError) {
    try Self.drain(&body, into: &file)
  }

  private static func drain(_ body: inout StoreBody, into file: inout OutputFile?) throws(StageError) {
    do throws(SystemError) {
      try body.drain { (bytes) throws(SystemError) in try file?.write(bytes) }
    } catch {
      throw StageError(.emit, error)
    }
  }
}

/// Passes full blocks to a thread that writes them. The thread stops when the relay is released.
final class BlockRelay {
  /// The number of blocks in transit, about 100 KiB each, or 400 KiB where every record has a distinct label.
  private static let depth = 4
  private let thread: RelayThread<BlockBuilder>

  init(_ writer: BlockWriter) throws(StageError) {
    var blocks = RigidArray<BlockBuilder>(capacity: Self.depth)
    for _ in 0..<Self.depth { blocks.append(BlockBuilder()) }
    thread = try RelayThread(
      name: "blocks", BoundedBuffer(blocks), BlockBuilder(),
      RelayThread.Consumer(
        receive: { (block) throws(StageError) in try writer.write(&block) },
        finish: { () throws(StageError) in }))
  }

  deinit {
    thread.stop()
  }

  /// Exchanges a full block for an empty one. Throws the error of an earlier write.
  func push(_ block: inout BlockBuilder) throws(StageError) {
    try thread.push(&block)
  }

  /// Waits until all blocks are written.
  func finish() throws(StageError) {
    try thread.finish()
  }
}
