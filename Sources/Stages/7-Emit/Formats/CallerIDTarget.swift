// Writes records as the input of Apple's service for Live Caller ID Lookup: databases of rows, sharded as its
// programs expect, and their configurations.
//
// Sources: docs/operations/live-caller-id.md.

import Hashing
import Records
import StoreWriting
import SystemIO
import SystemPackage

extension EmitFormat {
  package static let pir = EmitFormat(
    rawValue: "pir", what: "the input of Apple's Live Caller ID Lookup, a directory", group: .databases,
    fields: .label, ranges: .numbers, isBinary: true
  ) { (options, context) throws(Failure) in try CallerIDTarget(options, context) }
}

/// Writes a directory, complete or not at all.
final class CallerIDTarget: EmitTarget {
  private let options: EmitOptions
  private let context: StageContext
  private let directory: StagedDirectory
  private let baseline: CallerIDBaseline?
  private var rows: CallerRows?
  private var manifest: CallerIDManifest?
  private var notices: [EmitNotice] = []

  init(_ options: EmitOptions, _ context: StageContext) throws(Failure) {
    let target = try CallerIDPlace.target(options.output, context.calls)
    let kept = try CallerIDPlace.baseline(of: options, target, context.calls)
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
    let folder = CallerIDOutputFolder(directory: directory.staging, calls: context.calls)
    manifest = try folder.write(
      { $0 == .identity ? identity : block }, bundleIdentifier: options.lookup.bundleIdentifier)
    try asFailure(.emit) { () throws(SystemError) in try directory.syncFiles() }
  }

  /// Writes the shards. The temporary files are gone afterwards: bytes in them that are not on the disk yet would be synced
  /// with the shards.
  private func writeDatabases() throws(Failure) -> (identity: CallerIDDatabase, block: CallerIDDatabase) {
    guard let sealed = try rows.take()?.sealed() else { preconditionFailure("sealed twice") }
    if sealed.replacesRecord {
      notices.append(.testIdentityReplaces(number: CallIdentity.test.number, path: options.output))
    }
    return (try write(.identity, sealed.identities), try write(.block, sealed.blocks))
  }

  /// The number of shards: chosen, or that of the baseline, or by the number of rows. A chosen one is for identities;
  /// blocked numbers are fewer, and have as many shards at most.
  private func shards(of use: CallerIDUse, _ rows: SpilledRows) -> Int {
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

  private func write(_ use: CallerIDUse, _ rows: SpilledRows) throws(Failure) -> CallerIDDatabase {
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
    return CallerIDDatabase(table: table, rows: rows.count, shards: shards)
  }

  func publish() throws(Failure) {
    try asFailure(.emit) { () throws(SystemError) in try directory.publish() }
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
    let hasChanged = CallerIDUse.allCases.contains { use in
      guard let before = baseline?.manifest[use] else { return false }
      return before.shards != manifest[use].shards || before.table != manifest[use].table
    }
    if hasChanged { output.notices.append(.parametersChanged(path: options.output)) }
  }
}

// Where a Live Caller ID Lookup directory is written, and which earlier one its parameters come from.

enum CallerIDPlace {
  /// The directory itself, if the path is a link to it. Throws if it must not be replaced: it may be missing, empty, or an
  /// earlier directory of this format.
  static func target(_ path: String, _ calls: any SystemCalls) throws(Failure) -> FilePath {
    let target = FilePath(SymbolicLink.resolved(path, calls: calls))
    let (kind, names) = try asFailure(.emit) { () throws(SystemError) in
      let kind = try FileKind(checking: target, calls: calls)
      return (kind, kind == .directory ? try Directory.names(target.string, calls: calls) : [])
    }
    switch kind {
    case .none: return target
    case .regular, .other: throw Failure(.emit, SystemError(.createOutput, path, .notDirectory))
    case .directory: break
    }
    guard !StagedDirectory.holdsWorkingDirectory(target, calls: calls) else {
      throw .unusableDirectory(
        "'\(path)' contains the working directory, so it can't be replaced",
        hint: "run it from another directory")
    }
    let isOurs = CallerIDFolder.isOne(target.string, calls: calls)
    if let other = names.first(where: { !isOurs || !CallerIDManifest.isFileName($0) }) {
      throw .unusableDirectory(
        "'\(path)' contains other files, such as '\(other)'",
        hint: "choose a directory that is missing, empty, or an earlier output of \(option: "format") pir")
    }
    return target
  }

  /// The baseline that was chosen, or the directory that is replaced; nil if there is none.
  static func baseline(
    of options: EmitOptions, _ target: FilePath, _ calls: any SystemCalls
  ) throws(Failure) -> CallerIDBaseline? {
    if let chosen = options.shards.baseline {
      return chosen == ShardOptions.noBaseline ? nil : try CallerIDBaseline(chosen, calls: calls)
    }
    guard CallerIDFolder.isOne(target.string, calls: calls) else { return nil }
    return try CallerIDBaseline(target.string, calls: calls)
  }
}

// The directory whose parameters are kept, and whose files are linked if they have not changed.

struct CallerIDBaseline: Sendable {
  private let directory: CallerIDFolder
  /// The SHA-256 of each shard, one after another; empty if the list of hashes is damaged.
  private let sums: [CallerIDUse: [UInt8]]
  private let calls: any SystemCalls

  /// Opens a directory, named in any way that ``ListInput`` accepts.
  init(_ path: String, calls: any SystemCalls) throws(Failure) {
    self.calls = calls
    directory = try Self.directory(path, calls)
    sums = (try? directory.databaseSums()) ?? [:]
  }

  private static func directory(
    _ path: String, _ calls: any SystemCalls
  ) throws(Failure) -> CallerIDFolder {
    do throws(Failure) {
      if case .lookup(let directory) = try ListInput(path, calls: calls, .baseline) { return directory }
      return try CallerIDFolder(path, calls: calls)
    } catch {
      throw error.of(.emit)
    }
  }

  var manifest: CallerIDManifest { directory.manifest }

  /// The file of a shard that has the same bytes; nil if there is none. The file is read, because one that was damaged
  /// would be damaged in every later directory, too.
  func file(_ use: CallerIDUse, _ index: Int, of shards: Int, sha256: [UInt8]) -> FilePath? {
    let start = index * sha256.count
    guard shards == manifest[use].shards, let sums = sums[use],
      sums[start..<start + sha256.count] == sha256[...]
    else { return nil }
    let path = FilePath(directory.file(use.database(index)))
    guard let found = try? FileHash.sha256(path.string, calls: calls), found == Hexadecimal.text(sha256)
    else {
      return nil
    }
    return path
  }
}

// The files of a Live Caller ID Lookup directory besides the rows: configurations, the script, hashes,
// manifest.

/// The directory that is being written.
struct CallerIDOutputFolder {
  let directory: FilePath
  let calls: any SystemCalls

  /// Writes everything besides the shards, which are complete. Returns the manifest.
  func write(
    _ written: (CallerIDUse) -> CallerIDDatabase, bundleIdentifier: String
  ) throws(Failure) -> CallerIDManifest {
    var sums = try SumList(path(CallerIDManifest.sumsName), calls)
    for use in CallerIDUse.allCases {
      let database = written(use)
      for (index, shard) in database.shards.enumerated() {
        try sums.add(use.database(index), shard.sha256)
        try add(configuration(use, index, database), use.configuration(index), to: &sums)
      }
    }
    try add(serviceConfiguration(written, bundleIdentifier), CallerIDManifest.serviceName, to: &sums)
    try add(Array(CallerIDScript.text.utf8), CallerIDManifest.scriptName, isProgram: true, to: &sums)
    let manifest = CallerIDManifest(
      bundleIdentifier: bundleIdentifier, contentID: try sums.finish(),
      identity: written(.identity).description, block: written(.block).description)
    try write(manifest.json, CallerIDManifest.fileName)
    return manifest
  }

  private func path(_ name: String) -> String { directory.appending(name).string }

  /// Writes a file, and adds its hash to the list.
  private func add(
    _ text: [UInt8], _ name: String, isProgram: Bool = false, to sums: inout SumList
  ) throws(Failure) {
    try write(text, name, isProgram: isProgram)
    var hasher = SHA256Hasher()
    hasher.update(text.span)
    try sums.add(name, hasher.digest)
  }

  private func write(_ text: [UInt8], _ name: String, isProgram: Bool = false) throws(Failure) {
    try asFailure(.emit) { () throws(SystemError) in
      try asSystemError(.writeOutput, path(name)) { () throws(Errno) in
        let file = try calls.open(
          directory.appending(name), .writeOnly, [.create, .exclusiveCreate],
          FilePermissions(rawValue: isProgram ? 0o777 : 0o666))
        defer { try? calls.close(file) }
        try calls.writeAll(file, text.span)
      }
    }
  }

  // MARK: Configurations

  /// What PIRProcessDatabase reads for a shard. Paths are relative to the folder in which it is started.
  private func configuration(_ use: CallerIDUse, _ index: Int, _ database: CallerIDDatabase) -> [UInt8] {
    Array(
      """
      {
        "algorithm": "mulPir",
        "cuckooTableArguments": {
          "bucketCount": {"fixedSize": {"bucketCount": \(database.table.buckets)}},
          "hashFunctionCount": \(CuckooTable.hashFunctions),
          "maxEvictionCount": \(CuckooTable.evictionsMax),
          "maxSerializedBucketSize": \(database.table.bucketBytes)
        },
        "databaseType": "keyword",
        "inputDatabase": "\(use.database(index))",
        "keyCompression": "noCompression",
        "outputDatabase": "\(use.rawValue)-\(index).bin",
        "outputPirParameters": "\(use.rawValue)-\(index).params.txtpb",
        "rlweParameters": "\(CuckooTable.parameters)",
        "sharding": {"shardCount": 1},
        "shardingFunction": {"sha256": {}},
        "trialsPerShard": 1
      }

      """.utf8)
  }

  /// What PIRService reads, in the folder of the processed shards. process.sh adds the users.
  private func serviceConfiguration(
    _ written: (CallerIDUse) -> CallerIDDatabase, _ bundleIdentifier: String
  ) -> [UInt8] {
    let uses = [CallerIDUse.block, .identity].map { use in
      """
          {
            "fileStem": "\(use.rawValue)",
            "name": \(JSONQuoting.quoted("\(bundleIdentifier).\(use.rawValue)")),
            "shardCount": \(written(use).shards.count)
          }
      """
    }
    return Array(
      """
      {
        "usecases": [
      \(uses.joined(separator: ",\n"))
        ],
        "users": []
      }

      """.utf8)
  }
}

struct CallerIDDatabase {
  let table: CuckooTable
  let rows: UInt64
  let shards: [WrittenShard]

  var description: CallerIDManifest.Database {
    CallerIDManifest.Database(
      shards: shards.count, rows: rows, bytes: shards.reduce(0) { $0 + $1.bytes },
      fullestShardRows: shards.lazy.map(\.rows).max() ?? 0,
      emptiestShardRows: shards.lazy.map(\.rows).min() ?? 0,
      longestValue: shards.reduce(0) { max($0, $1.longestValue) }, table: table)
  }
}

/// The list of hashes that is being written.
private struct SumList: ~Copyable {
  private var file: OutputFile
  private var hasher = SHA256Hasher()
  private var pending: [UInt8] = []

  init(_ path: String, _ calls: any SystemCalls) throws(Failure) {
    file = try asFailure(.emit) { () throws(SystemError) in
      try OutputFile(path, removesLeftovers: false, calls: calls)
    }
  }

  mutating func add(_ name: String, _ sha256: [UInt8]) throws(Failure) {
    pending += FileSum(name: name, sha256: sha256).line
    if pending.count >= EmitFile.flushBytes { try drain() }
  }

  private mutating func drain() throws(Failure) {
    let bytes = pending
    pending = []
    hasher.update(bytes.span)
    try asFailure(.emit) { () throws(SystemError) in try file.write(bytes.span) }
  }

  consuming func finish() throws(Failure) -> String {
    try drain()
    let own = hasher.hex
    do throws(SystemError) {
      try file.publish(durably: false)
    } catch {
      throw Failure(.emit, error)
    }
    return own
  }
}
