// The facts about a Live Caller ID Lookup directory, as `cdpipe info` prints them. All of them are in its manifest.

import Records
import FoundationEssentials

/// Formats the facts about a Live Caller ID Lookup directory.
package enum LookupDirectoryMessages {
  /// One line per fact, then a table of the databases.
  package static func lines(_ directory: LookupDirectory) -> [String] {
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

  private static func table(_ manifest: LookupManifest) -> [String] {
    func line(_ name: String, _ values: [String]) -> String {
      name.padding(to: 22) + values.map { $0.paddingStart(to: 16) }.joined()
    }
    func line(_ name: String, _ value: (LookupManifest.Database) -> UInt64) -> String {
      line(name, LookupUse.allCases.map { Figures.grouped(value(manifest[$0])) })
    }
    return [
      line("", LookupUse.allCases.map(\.rawValue)),
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
  package static func json(_ directory: LookupDirectory) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Numbers and text only: encoding can't fail.
    return String(
      decoding: (try? encoder.encode(LookupDirectoryDescription(directory))) ?? Data(), as: UTF8.self)
  }
}

/// The JSON form of the facts.
private struct LookupDirectoryDescription: Encodable {
  var manifest: String
  var contentID: String
  var bundleIdentifier: String
  /// The size of the databases.
  var bytes: UInt64
  var identity: LookupManifest.Database
  var block: LookupManifest.Database

  init(_ directory: LookupDirectory) {
    let manifest = directory.manifest
    self.manifest = directory.manifestPath
    contentID = manifest.contentID
    bundleIdentifier = manifest.bundleIdentifier
    bytes = manifest.identity.bytes &+ manifest.block.bytes
    identity = manifest.identity
    block = manifest.block
  }
}
