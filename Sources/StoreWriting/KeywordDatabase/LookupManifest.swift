// The manifest of a Live Caller ID Lookup directory: what is in it, and the parameters that the next night keeps.
//
// The hashes of the files are in the text file SHA256SUMS, which `sha256sum -c` reads: there may be 262,144 of them.

import CallManifest
import Hashing

/// The two databases of a directory.
package enum LookupUse: String, CaseIterable, Sendable {
  /// The names of callers.
  case identity
  /// The numbers to block.
  case block

  /// The name of a shard's file.
  package func database(_ index: Int) -> String { "\(rawValue)-\(index).binpb" }
  /// The name of a shard's configuration.
  package func configuration(_ index: Int) -> String { "\(rawValue)-\(index).json" }
}

/// The manifest.
package struct LookupManifest: Codable, Equatable, Sendable {
  /// The value of the key `format`.
  package static let format = "cdpipe-lookup"
  /// The version of the format.
  package static let version = 1
  /// The maximum size of its file in bytes.
  package static let bytesMax = 64 << 10
  /// The name of its file.
  package static let fileName = "manifest.json"
  /// The name of the file with the hashes of all other files.
  package static let sumsName = "SHA256SUMS"
  /// The name of the service's configuration.
  package static let serviceName = "service-config.json"
  /// The name of the script that processes the shards.
  package static let scriptName = "process.sh"

  /// A database.
  package struct Database: Codable, Equatable, Sendable {
    /// The number of shards.
    package var shards: Int
    /// The number of rows.
    package var rows: UInt64
    /// The number of bytes.
    package var bytes: UInt64
    /// The number of rows of the fullest shard.
    package var fullestShardRows: Int
    /// The number of rows of the emptiest shard.
    package var emptiestShardRows: Int
    /// The number of bytes of the longest value.
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

    /// Whether the values are possible.
    var isValid: Bool {
      ShardFunction.isAllowed(shards) && table.isValid && fullestShardRows >= emptiestShardRows
        && emptiestShardRows >= 0 && longestValue >= 0
    }
  }

  /// The format.
  package var format = LookupManifest.format
  /// The version of the format.
  package var version = LookupManifest.version
  /// The bundle identifier of the app's extension.
  package var bundleIdentifier: String
  /// The SHA-256 of ``sumsName``: the same for the same files.
  package var contentID: String
  /// The names of callers.
  package var identity: Database
  /// The numbers to block.
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
  package subscript(use: LookupUse) -> Database {
    switch use {
    case .identity: identity
    case .block: block
    }
  }

  /// The shard of a keyword in one of the databases.
  package func function(_ use: LookupUse) -> ShardFunction {
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
    return LookupUse.allCases.contains { use in
      guard name.hasPrefix("\(use.rawValue)-"), let end = name.lastIndex(of: "."),
        let index = Int(name[..<end].dropFirst(use.rawValue.utf8.count + 1))
      else { return false }
      return name == use.database(index) || name == use.configuration(index)
    }
  }

  /// The text of the file: the same manifest has the same bytes.
  package var json: [UInt8] { JSONText(of: self).bytes + [UInt8(ascii: "\n")] }
}
