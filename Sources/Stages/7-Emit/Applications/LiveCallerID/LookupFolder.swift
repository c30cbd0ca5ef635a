// The files of a Live Caller ID Lookup directory besides the rows: configurations, the script, hashes, manifest.

import Records
import Hashing
import StoreWriting
import SystemIO
import SystemPackage

/// The directory that is being written.
struct LookupFolder {
  let directory: FilePath
  let calls: any SystemCalls

  /// Writes everything besides the shards, which are complete. Returns the manifest.
  func write(
    _ written: (LookupUse) -> LookupDatabase, bundleIdentifier: String
  ) throws(Failure) -> LookupManifest {
    var sums = try SumList(path(LookupManifest.sumsName), calls)
    for use in LookupUse.allCases {
      let database = written(use)
      for (index, shard) in database.shards.enumerated() {
        try sums.add(use.database(index), shard.sha256)
        try add(configuration(use, index, database), use.configuration(index), to: &sums)
      }
    }
    try add(serviceConfiguration(written, bundleIdentifier), LookupManifest.serviceName, to: &sums)
    try add(Array(LookupScript.text.utf8), LookupManifest.scriptName, isProgram: true, to: &sums)
    let manifest = LookupManifest(
      bundleIdentifier: bundleIdentifier, contentID: try sums.finish(),
      identity: written(.identity).description, block: written(.block).description)
    try write(manifest.json, LookupManifest.fileName)
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

  /// Writes a file.
  private func write(_ text: [UInt8], _ name: String, isProgram: Bool = false) throws(Failure) {
    do throws(Errno) {
      let file = try calls.open(
        directory.appending(name), .writeOnly, [.create, .exclusiveCreate],
        FilePermissions(rawValue: isProgram ? 0o777 : 0o666))
      defer { try? calls.close(file) }
      try calls.writeAll(file, text.span)
    } catch {
      throw Failure(.emit, SystemError(.writeOutput, path(name), error))
    }
  }

  // MARK: Configurations

  /// What PIRProcessDatabase reads for a shard. Paths are relative to the folder in which it is started.
  private func configuration(_ use: LookupUse, _ index: Int, _ database: LookupDatabase) -> [UInt8] {
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
    _ written: (LookupUse) -> LookupDatabase, _ bundleIdentifier: String
  ) -> [UInt8] {
    let uses = [LookupUse.block, .identity].map { use in
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

/// A database that was written.
struct LookupDatabase {
  let table: CuckooTable
  let rows: UInt64
  let shards: [WrittenShard]

  /// Its description in the manifest.
  var description: LookupManifest.Database {
    LookupManifest.Database(
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

  /// Adds a file.
  mutating func add(_ name: String, _ sha256: [UInt8]) throws(Failure) {
    pending += FileSum(name: name, sha256: sha256).line
    if pending.count >= EmitFile.flushBytes { try drain() }
  }

  private mutating func drain() throws(Failure) {
    let bytes = pending
    pending = []
    hasher.update(bytes.span)
    do throws(SystemError) {
      try file.write(bytes.span)
    } catch {
      throw Failure(.emit, error)
    }
  }

  /// Ends the list, and returns its own hash.
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
