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
  func write(_ block: inout BlockBuilder) throws(PipeFailure) {
    body.append(&block)
    if body.isDrainDue { try drain() }
  }

  /// Ends the store, of which all blocks are written.
  func seal(_ filler: borrowing BlockFiller) throws(PipeFailure) -> StoreSummary {
    let summary = filler.finish(&body)
    try drain()
    return summary
  }

  var descriptor: Int32 { file?.descriptor.rawValue ?? -1 }

  func verify() throws(PipeFailure) {
    guard let isNew = file?.isNew, isNew, let path = file?.path else { return }
    do throws(StoreVerificationError) {
      try StoreVerification.verify(descriptor: descriptor)
    } catch {
      throw PipeFailure(.emit, EmitFailure.notSound(error, path: path))
    }
  }

  func publish(as name: String?) throws(PipeFailure) {
    do throws(SystemFailure) {
      try file.take()?.publish(as: name)
    } catch {
      throw PipeFailure(.emit, error)
    }
  }

  private func drain() throws(PipeFailure) {
    try Self.drain(&body, into: &file)
  }

  private static func drain(_ body: inout StoreBody, into file: inout OutputFile?) throws(PipeFailure) {
    do throws(SystemFailure) {
      try body.drain { (bytes) throws(SystemFailure) in try file?.write(bytes) }
    } catch {
      throw PipeFailure(.emit, error)
    }
  }
}

/// Full blocks on their way to the thread that writes them. When it goes away, so does the thread.
final class BlockRelay {
  /// Blocks under way, of some 100 KiB, and of 400 where each record has a label of its own.
  private static let depth = 4
  private let thread: RelayThread<BlockBuilder>

  init(_ writer: BlockWriter) throws(PipeFailure) {
    var blocks = RigidArray<BlockBuilder>(capacity: Self.depth)
    for _ in 0..<Self.depth { blocks.append(BlockBuilder()) }
    thread = try RelayThread(
      name: "blocks", BoundedBuffer(blocks), BlockBuilder(),
      RelayThread.Behind(
        receive: { (block) throws(PipeFailure) in try writer.write(&block) },
        finish: { () throws(PipeFailure) in }))
  }

  deinit {
    thread.stop()
  }

  /// Exchanges a full block for an empty one, or throws what writing failed with.
  func push(_ block: inout BlockBuilder) throws(PipeFailure) {
    try thread.push(&block)
  }

  /// Waits until all blocks are written.
  func finish() throws(PipeFailure) {
    try thread.finish()
  }
}
