// A directory of shards: their paths in the order of their numbers, as its manifest has them.
//
// Not for the rest of a manifest, which emit writes.

import FoundationEssentials
import PipeStage
import SystemIO
import SystemPackage

/// The shards of a directory.
enum ShardFolder {
  /// What emit calls the file beside the shards.
  static let manifestName = "manifest.json"
  /// The most bytes of a manifest; a thousand shards take about 400,000.
  static let manifestBytesMax = 8 << 20

  /// The parts of a manifest that say where the records are.
  private struct Manifest: Decodable {
    struct Shard: Decodable {
      var name: String
    }

    var format: String
    var shards: [Shard]
  }

  /// Whether a directory stands at the path.
  static func isFolder(_ path: String) -> Bool { FileKind(of: FilePath(path)) == .directory }

  /// The paths of the shards.
  static func shards(of directory: String, _ context: StageContext) throws(PipeFailure) -> [String] {
    let path = FilePath(directory).appending(manifestName).string
    guard FileKind(of: FilePath(path)) == .regular else {
      throw PipeFailure(context.stage, SetFailure.noManifest(directory: directory))
    }
    let text = try read(path, context)
    guard text.count <= manifestBytesMax,
      let manifest = try? JSONDecoder().decode(Manifest.self, from: Data(text)),
      manifest.format == "cdpipe-manifest", manifest.shards.allSatisfy({ isPlain($0.name) })
    else { throw PipeFailure(context.stage, SetFailure.badManifest(path: path)) }
    return manifest.shards.map { FilePath(directory).appending($0.name).string }
  }

  /// Whether a name leads nowhere but into the directory.
  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty && !name.utf8.contains(0) && !name.contains("/") && name != "." && name != ".."
  }

  private static func read(_ path: String, _ context: StageContext) throws(PipeFailure) -> [UInt8] {
    try asPipeFailure(context.stage) { () throws(SystemFailure) in
      var file = try InputFile(path, calls: context.calls)
      var text: [UInt8] = []
      var chunk = ByteChunk()
      while try file.read(into: &chunk) > 0, text.count <= manifestBytesMax {
        for index in 0..<chunk.count { text.append(chunk.span[index]) }
        chunk.removeAll()
      }
      return text
    }
  }
}
