// Writes records as the input of Apple's service for Live Caller ID Lookup: databases of rows, sharded as its programs
// expect, and their configurations.
//
// Sources: docs/operations/live-caller-id.md. Not for: rows (KeywordDatabase), their spill (RowSpill), the shards' files
// (ShardFiles), the other files (LookupFolder).

import Records
import StoreWriting
import SystemIO
import SystemPackage

extension EmitFormatDescription {
  static let lookup = EmitFormatDescription(
    .pir, fields: .label, ranges: .numbers
  ) { (options, context) throws(Failure) in try LookupTarget(options, context) }
}

/// Writes a directory, complete or not at all.
final class LookupTarget: EmitTarget {
  private let options: EmitOptions
  private let context: StageContext
  private let directory: StagedDirectory
  private let baseline: LookupBaseline?
  private var rows: CallerRows?
  private var manifest: LookupManifest?
  private var notices: [EmitNotice] = []

  init(_ options: EmitOptions, _ context: StageContext) throws(Failure) {
    let target = try LookupPlace.target(options.output, context.calls)
    let kept = try LookupPlace.baseline(of: options, target, context.calls)
    directory = try asFailure(.emit) { () throws(SystemError) in
      try StagedDirectory(target, calls: context.calls)
    }
    self.options = options
    self.context = context
    baseline = kept
    rows = try CallerRows(options, context)
  }

  func write(_ batch: borrowing RecordBatch) throws(Failure) { try rows?.write(batch) }

  // MARK: Files

  func seal() throws(Failure) {
    let (identity, block) = try writeDatabases()
    let folder = LookupFolder(directory: directory.staging, calls: context.calls)
    manifest = try folder.write(
      { $0 == .identity ? identity : block }, bundleIdentifier: options.lookup.bundleIdentifier)
    do throws(SystemError) {
      try directory.syncFiles()
    } catch {
      throw Failure(.emit, error)
    }
  }

  /// Writes the shards. The temporary files are gone afterwards: bytes in them that are not on the disk yet would be synced
  /// with the shards.
  private func writeDatabases() throws(Failure) -> (identity: LookupDatabase, block: LookupDatabase) {
    guard let sealed = try rows.take()?.sealed() else { preconditionFailure("sealed twice") }
    if sealed.replacesRecord {
      notices.append(.testIdentityReplaces(number: CallIdentity.test.number, path: options.output))
    }
    return (try write(.identity, sealed.identities), try write(.block, sealed.blocks))
  }

  /// The number of shards: chosen, or that of the baseline, or by the number of rows. A chosen one is for identities;
  /// blocked numbers are fewer, and have as many shards at most.
  private func shards(of use: LookupUse, _ rows: SpilledRows) -> Int {
    let chosen = options.shards.shards
    if let baseline = baseline?.manifest, chosen == nil || chosen == baseline.identity.shards {
      return baseline[use].shards
    }
    let fitting = fittingShards(rows.count)
    guard let chosen else { return fitting }
    return use == .identity ? chosen : min(fitting, chosen)
  }

  /// The smallest power of two for which shards have at most the chosen number of rows on average.
  private func fittingShards(_ rows: UInt64) -> Int {
    var shards = 1
    while shards < ShardFunction.shardsMax, rows > UInt64(shards * options.lookup.entriesPerShard) {
      shards *= 2
    }
    return shards
  }

  private func write(_ use: LookupUse, _ rows: SpilledRows) throws(Failure) -> LookupDatabase {
    let function = ShardFunction(shards: shards(of: use, rows))
    let files = ShardFiles(
      use: use, function: function, directory: directory.staging, baseline: baseline, calls: context.calls)
    let shards = try files.write(rows, threads: options.threads)
    let bytes = shards.reduce(0) { max($0, $1.tableBytes) }
    let longest = shards.reduce(0) { max($0, $1.longestValue) }
    var table = CuckooTable(use, bytes: bytes, longestValue: longest)
    if let kept = baseline?.manifest[use], kept.shards == function.shards,
      kept.table.holds(use, bytes: bytes, longestValue: longest)
    {
      table = kept.table
    }
    return LookupDatabase(table: table, rows: rows.count, shards: shards)
  }

  func publish() throws(Failure) {
    do throws(SystemError) {
      try directory.publish()
    } catch {
      throw Failure(.emit, error)
    }
  }

  func outcome(_ output: inout EmittedOutput) {
    guard let manifest else { return }
    output.entries = manifest.identity.rows + manifest.block.rows
    output.bytes = manifest.identity.bytes + manifest.block.bytes
    output.contentID = manifest.contentID
    output.notices = notices
    if manifest.identity.table.hasLargeAnswers {
      output.notices.append(
        .longLabels(answerBytes: manifest.identity.table.answerBytes, path: options.output))
    }
    let hasChanged = LookupUse.allCases.contains { use in
      guard let before = baseline?.manifest[use] else { return false }
      return before.shards != manifest[use].shards || before.table != manifest[use].table
    }
    if hasChanged { output.notices.append(.parametersChanged(path: options.output)) }
  }
}
