// The full check of a Live Caller ID Lookup directory: every byte of every file, every row, every
// configuration.

import CallManifest
import Hashing
package import Records
package import SystemIO

extension CallerIDFolder {
  /// Checks all files, and passes on what is wrong, with the path of the file.
  ///
  /// The hashes must be those of the manifest and of the files; every keyword must be `+` and a number, in the right
  /// shard, once, in ascending order; every value one of a blocked number or a caller's identity; the counts those of the
  /// manifest; and the configurations those of the manifest's tables.
  ///
  /// - Complexity: O(bytes). Memory: the names of the files, and one buffer.
  package func verify(
    calls: any SystemCalls = KernelCalls(), _ report: (Failure, _ path: String) -> Void
  ) {
    do throws(Failure) {
      try checkSums()
    } catch {
      // Without a list, nothing is known about the other files.
      return report(error, file(CallerIDManifest.sumsName))
    }
    var isDamaged = false
    func damage(_ error: Failure, _ path: String) {
      isDamaged = true
      report(error, path)
    }
    do throws(SystemError) {
      let others = try Directory.names(path.isEmpty ? "." : path, calls: calls) { name in
        name.hasSuffix(".binpb") && !isShard(name)
      }
      for name in others { damage(.unlistedShard(path: file(name)), file(name)) }
    } catch {
      damage(Failure(nil, error), path)
    }
    var counts: [CallerIDUse: RowCounts] = [:]
    do throws(Failure) {
      for use in CallerIDUse.allCases { counts[use] = RowCounts() }
      var sums = try sums()
      while let sum = try sums.next() {
        do throws(Failure) {
          try check(sum, &counts, calls)
        } catch {
          damage(error, file(sum.name))
        }
      }
    } catch {
      damage(error, file(CallerIDManifest.sumsName))
    }
    if isDamaged { return }
    for use in CallerIDUse.allCases {
      guard let key = counts[use]?.contradiction(use, manifest[use]) else { continue }
      report(.contradiction(path: manifestPath, key: "\(use.rawValue).\(key)"), manifestPath)
    }
  }

  private func isShard(_ name: String) -> Bool {
    CallerIDUse.allCases.contains { use in
      guard let index = use.index(of: name), (0..<manifest[use].shards).contains(index) else { return false }
      return name == use.database(index)
    }
  }

  /// Checks a file, and counts its rows if it is a shard.
  private func check(
    _ sum: FileSum, _ counts: inout [CallerIDUse: RowCounts], _ calls: any SystemCalls
  ) throws(Failure) {
    let path = file(sum.name)
    let hash = try asFailure(nil) { () throws(SystemError) in try FileHash.sha256(path, calls: calls) }
    guard hash == Hexadecimal.text(sum.sha256) else { throw .otherFile(path: path) }
    if sum.name == CallerIDManifest.serviceName {
      return try checkConfiguration(ServiceConfiguration.self, path, calls) { $0.fits(manifest) }
    }
    for use in CallerIDUse.allCases {
      guard let index = use.index(of: sum.name) else { continue }
      if sum.name == use.database(index) {
        let shard = try rows(of: use, index, path, calls)
        counts[use]?.add(shard)
      } else {
        try checkConfiguration(ShardConfiguration.self, path, calls) { $0.fits(manifest, use, index) }
      }
    }
  }

  private func rows(
    of use: CallerIDUse, _ index: Int, _ path: String, _ calls: any SystemCalls
  ) throws(Failure) -> ShardRowCounts {
    let function = manifest.function(use)
    var rows = KeywordRows(use, .shard(path: path), calls: calls)
    var counts = ShardRowCounts()
    try rows.advance()
    while rows.number != .max {
      let shard = function.index(Keyword(rows.number).hash)
      guard shard == index else {
        throw .row("\(rows.number) belongs in shard \(shard)", path: path, offset: rows.offset)
      }
      if !rows.isPadding { counts.add(valueBytes: rows.valueBytes) }
      try rows.advance()
    }
    counts.bytes = rows.offset
    return counts
  }

  private func checkConfiguration<Configuration: Decodable>(
    _ type: Configuration.Type, _ path: String, _ calls: any SystemCalls, fits: (Configuration) -> Bool
  ) throws(Failure) {
    let text = try asFailure(nil) { () throws(SystemError) in
      try InputFile.bytes(of: path, limit: CallerIDManifest.bytesMax, calls: calls)
    }
    guard let found = try? ManifestJSON.decode(type, from: text), fits(found) else {
      throw .otherConfiguration(path: path)
    }
  }
}

// MARK: Counts

private struct ShardRowCounts {
  var rows = 0
  var bytes: UInt64 = 0
  var tableBytes = 0
  var longestValue = 0

  mutating func add(valueBytes: Int) {
    rows += 1
    tableBytes += CuckooTable.rowBytes + valueBytes
    longestValue = max(longestValue, valueBytes)
  }
}

private struct RowCounts {
  private var rows: UInt64 = 0
  private var bytes: UInt64 = 0
  private var fullest = 0
  private var emptiest = Int.max
  private var tableBytes = 0
  private var longestValue = 0

  mutating func add(_ shard: ShardRowCounts) {
    rows += UInt64(shard.rows)
    bytes += shard.bytes
    fullest = max(fullest, shard.rows)
    emptiest = min(emptiest, shard.rows)
    tableBytes = max(tableBytes, shard.tableBytes)
    longestValue = max(longestValue, shard.longestValue)
  }

  /// The first key of a database in the manifest whose value is another one.
  func contradiction(_ use: CallerIDUse, _ database: CallerIDManifest.Database) -> String? {
    if rows != database.rows { return "rows" }
    if bytes != database.bytes { return "bytes" }
    if fullest != database.fullestShardRows { return "fullestShardRows" }
    if emptiest != database.emptiestShardRows { return "emptiestShardRows" }
    if longestValue != database.longestValue { return "longestValue" }
    return database.table.holds(use, bytes: tableBytes, longestValue: longestValue) ? nil : "table"
  }
}

// MARK: Configurations

/// What the manifest determines of a shard's configuration. CallerIDOutputFolder in RecordStages writes it.
private struct ShardConfiguration: Decodable {
  struct Table: Decodable {
    struct Count: Decodable {
      struct Fixed: Decodable {
        var bucketCount: Int
      }
      var fixedSize: Fixed
    }
    var bucketCount: Count
    var maxSerializedBucketSize: Int
  }
  struct Sharding: Decodable {
    var shardCount: Int
  }
  struct Function: Decodable {
    var doubleMod: Int?
  }

  var inputDatabase: String
  var databaseType: String
  var rlweParameters: String
  var cuckooTableArguments: Table
  var sharding: Sharding
  var shardingFunction: Function

  func fits(_ manifest: CallerIDManifest, _ use: CallerIDUse, _ index: Int) -> Bool {
    let table = manifest[use].table
    return inputDatabase == use.database(index) && databaseType == "keyword"
      && rlweParameters == CuckooTable.parameters && sharding.shardCount == 1
      && cuckooTableArguments.bucketCount.fixedSize.bucketCount == table.buckets
      && cuckooTableArguments.maxSerializedBucketSize == table.bucketBytes
      && shardingFunction.doubleMod == nil
  }
}

/// What the manifest determines of the service's configuration.
private struct ServiceConfiguration: Decodable {
  struct Use: Decodable {
    var fileStem: String
    var name: String
    var shardCount: Int
  }

  var usecases: [Use]

  func fits(_ manifest: CallerIDManifest) -> Bool {
    usecases.count == CallerIDUse.allCases.count
      && CallerIDUse.allCases.allSatisfy { use in
        usecases.contains {
          $0.fileStem == use.rawValue && $0.name == "\(manifest.bundleIdentifier).\(use.rawValue)"
            && $0.shardCount == manifest[use].shards
        }
      }
  }
}
