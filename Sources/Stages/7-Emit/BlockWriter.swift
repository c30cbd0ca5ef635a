// Encodes full blocks and writes them to a file, optionally in separate threads.

import BasicContainers
import StoreWriting
import Records
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
  func write(_ block: inout BlockBuilder) throws(Failure) {
    body.append(&block)
    if body.isDrainDue { try drain() }
  }

  /// Ends the store after its last block was written, and returns its totals.
  func seal(_ filler: borrowing BlockFiller) throws(Failure) -> StoreSummary {
    let summary = filler.finish(&body)
    try drain()
    return summary
  }

  var descriptor: Int32 { file?.descriptor.rawValue ?? -1 }

  func verify() throws(Failure) {
    guard let isNew = file?.isNew, isNew, let path = file?.path else { return }
    do throws(StoreVerificationError) {
      try StoreVerification.verify(descriptor: descriptor)
    } catch {
      throw Failure(.emit, EmitError.invalidStore(error, path: path))
    }
  }

  func publish(as name: String?) throws(Failure) {
    do throws(SystemError) {
      try file.take()?.publish(as: name)
    } catch {
      throw Failure(.emit, error)
    }
  }

  private func drain() throws(Failure) {
    try Self.drain(&body, into: &file)
  }

  private static func drain(_ body: inout StoreBody, into file: inout OutputFile?) throws(Failure) {
    do throws(SystemError) {
      try body.drain { (bytes) throws(SystemError) in try file?.write(bytes) }
    } catch {
      throw Failure(.emit, error)
    }
  }
}

/// Passes full blocks to threads: some encode their numbers, and one encodes their labels and writes them in order. The
/// threads stop when the relay is released.
final class BlockRelay {
  /// The number of blocks in transit if one thread writes them, about 100 KiB each, or 400 KiB where every record has a
  /// distinct label.
  private static let depth = 4
  /// The maximum number of threads that encode numbers, which takes about as long as the rest of the work.
  private static let encodersMax = 2

  private enum Threads {
    case one(RelayThread<BlockBuilder>)
    case several(OrderedRelay<BlockBuilder>)
  }
  private let threads: Threads

  init(_ writer: BlockWriter, threads count: Int) throws(Failure) {
    let consumer = RelayThread<BlockBuilder>.Consumer(
      receive: { (block) throws(Failure) in try writer.write(&block) },
      finish: { () throws(Failure) in })
    // Merging, deduping and verifying have threads, too.
    let encoders = min(count - 3, Self.encodersMax)
    if encoders > 0 {
      var blocks = RigidArray<BlockBuilder?>(capacity: Self.depth)
      for _ in 0..<Self.depth { blocks.append(BlockBuilder()) }
      threads = .several(
        try OrderedRelay(
          blocks, BlockBuilder(),
          work: (0..<encoders).map { _ in
            let encoder = BlockEncoder()
            return { (block) throws(Failure) in encoder.encode(&block) }
          }, consumer))
    } else {
      threads = .one(
        try RelayThread(
          name: "blocks", BoundedBuffer(count: Self.depth) { BlockBuilder() }, BlockBuilder(), consumer))
    }
  }

  deinit {
    switch threads {
    case .one(let thread): thread.stop()
    case .several(let relay): relay.stop()
    }
  }

  /// Exchanges a full block for an empty one. Throws the error of an earlier write.
  func push(_ block: inout BlockBuilder) throws(Failure) {
    switch threads {
    case .one(let thread): try thread.push(&block)
    case .several(let relay): try relay.push(&block)
    }
  }

  /// Waits until all blocks are written.
  func finish() throws(Failure) {
    switch threads {
    case .one(let thread): try thread.finish()
    case .several(let relay): try relay.finish()
    }
  }
}

/// Encodes numbers in one thread.
///
/// `@unchecked Sendable`: only its thread uses it.
private final class BlockEncoder: @unchecked Sendable {
  private var encoder = NumberEncoder()

  func encode(_ block: inout BlockBuilder) {
    encoder.encode(&block)
  }
}
