// The second half of a store's way to its file: full blocks encoded and written, if wished in a thread of its own.

import BasicContainers
import CallStoreWriter
import PipeStage
import SystemIO
import SystemPackage

/// Encodes blocks into a file. It belongs to one thread at a time.
final class BlockWriter {
  private var body = StoreBody()
  /// Nil when it was published.
  private var file: OutputFile?

  init(_ file: consuming OutputFile) {
    self.file = consume file
  }

  /// Writes a block that has records, and empties it.
  func write(_ block: inout BlockBuilder) throws(StageError) {
    body.append(&block)
    if body.isDrainDue { try drain() }
  }

  /// Ends the store, of which all blocks are written.
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
      throw StageError(.emit, EmitError.notSound(error, path: path))
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

/// Full blocks on their way to the thread that writes them. When it goes away, so does the thread.
final class BlockRelay {
  /// Blocks under way, of some 100 KiB, and of 400 where each record has a label of its own.
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

  /// Exchanges a full block for an empty one, or throws what writing failed with.
  func push(_ block: inout BlockBuilder) throws(StageError) {
    try thread.push(&block)
  }

  /// Waits until all blocks are written.
  func finish() throws(StageError) {
    try thread.finish()
  }
}
