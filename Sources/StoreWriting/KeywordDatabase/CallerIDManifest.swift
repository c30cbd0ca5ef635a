// The manifest of a Live Caller ID Lookup directory: what is in it, and the parameters that the next night
// keeps.
//
// The hashes of the files are in the text file SHA256SUMS, which `sha256sum -c` reads: there may be 262,144
// of them.

import CallManifest
import Hashing
import Records

/// The two databases of a directory.
package enum CallerIDUse: String, CaseIterable, Sendable {
  case identity
  case block

  package func database(_ index: Int) -> String { "\(rawValue)-\(index).binpb" }
  /// The name of a shard's configuration.
  package func configuration(_ index: Int) -> String { "\(rawValue)-\(index).json" }

  /// The index of the shard that a file of this database belongs to; nil for any other file.
  func index(of name: String) -> Int? {
    guard name.hasPrefix("\(rawValue)-"), let end = name.lastIndex(of: ".") else { return nil }
    return Int(name[..<end].dropFirst(rawValue.count + 1))
  }
}

package struct CallerIDManifest: Codable, Equatable, Sendable {
  /// The value of the key `format`.
  package static let format = "cdpipe-lookup"
  package static let version = 1
  /// The maximum size of its file in bytes.
  package static let bytesMax = 64 << 10
  package static let fileName = "manifest.json"
  /// The name of the file with the hashes of all other files.
  package static let sumsName = "SHA256SUMS"
  package static let serviceName = "service-config.json"
  package static let scriptName = "process.sh"

  package struct Database: Codable, Equatable, Sendable {
    package var shards: Int
    package var rows: UInt64
    package var bytes: UInt64
    package var fullestShardRows: Int
    package var emptiestShardRows: Int
    package var longestValue: Int
    /// The table of every shard.
    package var table: CuckooTable

    package init(
      shards: Int, rows: UInt64, bytes: UInt64, fullestShardRows: Int, emptiestShardRows: Int,
      longestValue: Int, table: CuckooTable
    ) {
      self.shards = shards
      self.rows = rows
      self.bytes = bytes
      self.fullestShardRows = fullestShardRows
      self.emptiestShardRows = emptiestShardRows
      self.longestValue = longestValue
      self.table = table
    }

    var isValid: Bool {
      ShardFunction.isAllowed(shards) && table.isValid && fullestShardRows >= emptiestShardRows
        && emptiestShardRows >= 0 && longestValue >= 0
    }
  }

  package var format = CallerIDManifest.format
  package var version = CallerIDManifest.version
  /// The bundle identifier of the app's extension.
  package var bundleIdentifier: String
  /// The SHA-256 of ``sumsName``: the same for the same files.
  package var contentID: String
  /// The names of callers.
  package var identity: Database
  package var block: Database

  package init(
    bundleIdentifier: String, contentID: String, identity: Database, block: Database
  ) {
    self.bundleIdentifier = bundleIdentifier
    self.contentID = contentID
    self.identity = identity
    self.block = block
  }

  /// A database of the directory.
  package subscript(use: CallerIDUse) -> Database {
    switch use {
    case .identity: identity
    case .block: block
    }
  }

  /// The shard of a keyword in one of the databases.
  package func function(_ use: CallerIDUse) -> ShardFunction {
    ShardFunction(shards: self[use].shards)
  }

  /// Whether a file is a manifest of this format, of any version. Its first bytes are enough to see that it is not.
  package static func isOne(_ json: [UInt8]) -> Bool {
    struct Head: Decodable {
      var format: String?
    }
    guard json.count <= bytesMax, json.first == UInt8(ascii: "{") else { return false }
    return (try? ManifestJSON.decode(Head.self, from: json))?.format == format
  }

  /// Reads the file; nil if it has another format.
  init?(json: [UInt8]) {
    guard let read = try? ManifestJSON.decode(Self.self, from: json), read.format == Self.format,
      read.version == Self.version, read.identity.isValid, read.block.isValid
    else { return nil }
    self = read
  }

  /// Whether a directory may contain a file with a name.
  package static func isFileName(_ name: String) -> Bool {
    if [fileName, sumsName, serviceName, scriptName].contains(name) { return true }
    return CallerIDUse.allCases.contains { use in
      use.index(of: name).map { name == use.database($0) || name == use.configuration($0) } ?? false
    }
  }

  /// The text of the file: the same manifest has the same bytes.
  package var json: [UInt8] { JSONText(of: self).bytes + [UInt8(ascii: "\n")] }
}

// MARK: - The size of the tables in which Apple's programs put the rows of a shard
//
// Every shard of a database gets the same size, with space for growth: phones fetch the size with the
// service's configuration, and if it changes, all shards have to be processed again. Source of the structure:
// apple/swift-homomorphic-encryption, HashBucket.swift and CuckooTable.swift; of the loads: trials with
// PIRProcessDatabase (docs/operations/live-caller-id.md).

/// A cuckoo table: a number of buckets of a number of bytes.
package struct CuckooTable: Codable, Equatable, Sendable {
  package static let parameters = "n_4096_logq_27_28_28_logt_5"
  /// The number of buckets that a row may be in.
  package static let hashFunctions = 2
  /// The number of moves after which the program gives up.
  package static let evictionsMax = 100
  /// The bytes of a row in a bucket besides its value: the keyword's hash and the value's length.
  package static let rowBytes = 10
  /// The bytes of a bucket that count its rows.
  private static let countBytes = 1
  /// The bytes of a plaintext: a bucket has a whole number of them.
  private static let plaintextBytes = 2048
  /// The bytes of an answer for each plaintext of a bucket: one ciphertext from each of two tables.
  private static let answerBytesPerPlaintext = 25_200
  /// The maximum number of bytes of a bucket: more than ``rowsInBucketMin`` of the longest values need.
  private static let bucketBytesMax = 1 << 20
  /// The minimum number of rows with the longest value in a bucket. With fewer, most of a table stays empty.
  private static let rowsInBucketMin = 4
  private static let growthPercent = 25

  /// The number of buckets, an even number.
  package private(set) var buckets: Int
  package private(set) var bucketBytes: Int

  /// A table for the fullest shard, and for growth.
  ///
  /// - Parameters:
  ///   - bytes: the sum of the lengths of the shard's values and of ``rowBytes`` for each.
  ///   - longestValue: the length of the longest value of all shards.
  package init(_ use: CallerIDUse, bytes: Int, longestValue: Int) {
    let needed = Self.countBytes + Self.rowsInBucketMin * (Self.rowBytes + longestValue)
    bucketBytes = (needed + Self.plaintextBytes - 1) / Self.plaintextBytes * Self.plaintextBytes
    buckets = 0
    buckets = bucketsNeeded(use, bytes + bytes / 100 * Self.growthPercent, longestValue)
  }

  package var answerBytes: Int { bucketBytes / Self.plaintextBytes * Self.answerBytesPerPlaintext }

  /// Whether answers are larger than they are with short values.
  package var hasLargeAnswers: Bool { bucketBytes > Self.plaintextBytes }

  var isValid: Bool {
    (1...Int(Int32.max)).contains(buckets) && (1...Self.bucketBytesMax).contains(bucketBytes)
  }

  /// Whether the table is large enough for a shard.
  package func holds(_ use: CallerIDUse, bytes: Int, longestValue: Int) -> Bool {
    bucketsNeeded(use, bytes, longestValue) <= buckets
  }

  private func bucketsNeeded(_ use: CallerIDUse, _ bytes: Int, _ longestValue: Int) -> Int {
    let usable = bucketBytes - Self.countBytes
    let load = Self.load(use, rowsInBucket: usable / (Self.rowBytes + longestValue))
    guard load > 0 else { return .max }
    // Two more, because of rounding; half of them are in each of two tables.
    let filled = (bytes * 100 + usable * load - 1) / (usable * load)
    return (filled + 1) / 2 * 2 + 2
  }

  /// The share of a table's bytes, in percent, that is filled without failing; 0 if a bucket is too small. `rowsInBucket`
  /// is the number of rows with the longest value. Values of many lengths fill a table worse: one move of a short row
  /// makes no space for a long one.
  private static func load(_ use: CallerIDUse, rowsInBucket: Int) -> Int {
    switch (use, rowsInBucket) {
    case (.block, 8...): 85
    case (.identity, 32...): 70
    case (.identity, 16...): 66
    case (.identity, 8...): 60
    case (.identity, rowsInBucketMin...): 40
    default: 0
    }
  }
}

// The facts about a Live Caller ID Lookup directory, as `cdpipe info` prints them. All of them are in its
// manifest.

/// Formats the facts about a Live Caller ID Lookup directory.
package enum CallerIDFolderText {
  /// One line per fact, then a table of the databases.
  package static func lines(_ directory: CallerIDFolder) -> [String] {
    let manifest = directory.manifest
    var lines: [String] = []
    func add(_ name: String, _ value: String) { lines.append(name.padding(to: 16) + value) }
    add("manifest", PrintableText.name(directory.manifestPath))
    add("content id", manifest.contentID)
    add("bundle id", PrintableText.line(manifest.bundleIdentifier))
    add("size", "\(Figures.grouped(manifest.identity.bytes &+ manifest.block.bytes)) bytes")
    add(
      "entries",
      "\(Figures.grouped(manifest.identity.rows)) to identify, \(Figures.grouped(manifest.block.rows)) to block"
    )
    return lines + [""] + table(manifest)
  }

  private static func table(_ manifest: CallerIDManifest) -> [String] {
    func line(_ name: String, _ values: [String]) -> String {
      name.padding(to: 22) + values.map { $0.paddingStart(to: 16) }.joined()
    }
    func line(_ name: String, _ value: (CallerIDManifest.Database) -> UInt64) -> String {
      line(name, CallerIDUse.allCases.map { Figures.grouped(value(manifest[$0])) })
    }
    return [
      line("", CallerIDUse.allCases.map(\.rawValue)),
      line("rows") { $0.rows },
      line("bytes") { $0.bytes },
      line("shards") { UInt64($0.shards) },
      line("rows of the fullest") { UInt64($0.fullestShardRows) },
      line("rows of the emptiest") { UInt64($0.emptiestShardRows) },
      line("longest value, bytes") { UInt64($0.longestValue) },
      line("buckets of a table") { UInt64($0.table.buckets) },
      line("bytes of a bucket") { UInt64($0.table.bucketBytes) },
    ]
  }

  /// The facts as a JSON object: those of the manifest, and its path.
  package static func json(_ directory: CallerIDFolder) -> String {
    JSONDocument.text(CallerIDFolderDescription(directory))
  }
}

/// The JSON form of the facts.
private struct CallerIDFolderDescription: Encodable {
  var manifest: String
  var contentID: String
  var bundleIdentifier: String
  var bytes: UInt64
  var identity: CallerIDManifest.Database
  var block: CallerIDManifest.Database

  init(_ directory: CallerIDFolder) {
    let manifest = directory.manifest
    self.manifest = directory.manifestPath
    contentID = manifest.contentID
    bundleIdentifier = manifest.bundleIdentifier
    bytes = manifest.identity.bytes &+ manifest.block.bytes
    identity = manifest.identity
    block = manifest.block
  }
}
