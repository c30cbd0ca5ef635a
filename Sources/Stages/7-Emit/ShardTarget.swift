// Records to a directory of shards, each for one extension, and the manifest that names them.
//
// A shard's name has its content hash in it, so new shards lie beside the old ones until the manifest is replaced:
// that one rename is the step from the old state to the new. Not for: boundaries that stay put (a later step).

import BasicContainers
import CallRecord
import CallStoreWriter
import PipeStage
import SystemIO
import SystemPackage

/// Writes shards of at most `maxEntries` single numbers, and the manifest.
final class ShardTarget: EmitTarget {
  private let directory: String
  private let maxEntries: UInt64
  private let context: StageContext
  private let finisher: ShardFinisher
  private var labels: StoreLabels
  private var shard: StoreFile?
  private var entries: UInt64 = 0
  private var row: UInt64 = 0
  private var shards: [Manifest.Shard] = []
  /// Shards that were put in place by this run and are nobody's before the manifest is.
  private var tickets: [(path: String, ticket: Int)] = []

  init(_ options: EmitOptions, _ context: StageContext) throws(PipeFailure) {
    do throws(SystemFailure) {
      try Directory.make(options.output)
    } catch {
      throw PipeFailure(.emit, error)
    }
    directory = options.output
    maxEntries = options.maxEntries
    self.context = context
    finisher = ShardFinisher(hasThread: options.threads > 1)
    labels = StoreLabels(options.blockGlobs)
  }

  deinit {
    // Or it might put a shard in place behind our back.
    try? finisher.wait()
    for (path, ticket) in tickets {
      try? context.calls.unlink(FilePath(path))
      UnpublishedFiles.shared.remove(ticket)
    }
  }

  func write(_ batch: borrowing RecordBatch) throws(PipeFailure) {
    labels.look(at: batch.annotations)
    if batch.isSingles { return try writeSingles(batch) }
    for index in 0..<batch.count {
      row += 1
      var first = batch.firsts[index]
      let last = batch.lasts[index]
      var isCut = false
      while true {
        if shard == nil { try openShard() }
        let end = min(last, first + (maxEntries - entries - 1))
        try labels.append(
          first: first, last: end, batch.annotations, Int(batch.annotationIndices[index]), row: row,
          to: &shard!)
        entries += end - first + 1
        if isCut { context.meter.splits.add(1) }
        if entries == maxEntries { try endShard() }
        if end == last { break }
        first = end + 1
        isCut = true
      }
    }
  }

  /// Writes a batch in which every record is one entry: as many at once as the shard still takes.
  private func writeSingles(_ batch: borrowing RecordBatch) throws(PipeFailure) {
    var start = 0
    while start < batch.count {
      if shard == nil { try openShard() }
      let end = start + Int(min(UInt64(batch.count - start), maxEntries - entries))
      try labels.append(singles: batch, start..<end, row: row + 1, to: &shard!)
      row += UInt64(end - start)
      entries += UInt64(end - start)
      if entries == maxEntries { try endShard() }
      start = end
    }
  }

  func seal() throws(PipeFailure) {
    try endShard()
    try finisher.wait()
  }

  func publish() throws(PipeFailure) {
    let manifest = Manifest(shards: shards, maxEntries: maxEntries)
    do throws(SystemFailure) {
      var file = try OutputFile(path(of: Manifest.fileName), calls: context.calls)
      let text = manifest.json
      try file.write(text.span)
      try file.publish()
      for (_, ticket) in tickets { UnpublishedFiles.shared.remove(ticket) }
      tickets = []
      try removeStale()
    } catch {
      throw PipeFailure(.emit, error)
    }
  }

  private func openShard() throws(PipeFailure) {
    guard shards.count < EmitOptions.shardsMax else {
      throw PipeFailure(
        .emit, EmitFailure.tooManyShards(limit: EmitOptions.shardsMax, maxEntries: maxEntries))
    }
    shard = try StoreFile(path(of: "shard"), calls: context.calls)
    labels.forgetNames()
  }

  private func endShard() throws(PipeFailure) {
    guard var shard = shard.take() else { return }
    let summary = try shard.seal()
    let name = Manifest.shardName(shards.count + 1, summary.contentHash)
    let path = path(of: name)
    // On the list before it has its name, so that no signal can come between.
    if !Directory.holdsFile(path) { tickets.append((path, UnpublishedFiles.shared.add(FilePath(path)))) }
    try finisher.finish(shard, as: path)
    shards.append(Manifest.Shard(name: name, summary: summary))
    entries = 0
  }

  /// Shards of an earlier state, which no manifest names any more.
  private func removeStale() throws(SystemFailure) {
    let current = Set(shards.map(\.name))
    for name in try Directory.names(directory) where Manifest.isShardName(name) && !current.contains(name) {
      try? context.calls.unlink(FilePath(path(of: name)))
    }
  }

  private func path(of name: String) -> String {
    directory.hasSuffix("/") ? directory + name : directory + "/" + name
  }
}
