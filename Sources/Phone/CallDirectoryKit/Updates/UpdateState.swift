// What an updater remembers from one update to the next: the last accepted manifest, its serial number and its ETag.

import CallManifest
import Hashing
import Foundation

/// The state after the last complete update.
struct UpdateState: Codable, Equatable {
  /// The serial number of the last accepted signature.
  var serial: Int64?
  /// The ETag of the manifest's response.
  var etag: String?
  /// The SHA-256 of the manifest that the ETag belongs to, in hexadecimal.
  var manifestHash: String?

  private static let name = "updates.json"
  private static let bytesMax = 16 << 10

  /// Reads the state of a folder. A missing or damaged file is an empty state.
  init(_ folder: URL) {
    let bytes = UpdateFile.contents(folder.appendingPathComponent(Self.name).path, bytesMax: Self.bytesMax)
    if let bytes, let state = try? JSONDecoder().decode(Self.self, from: Data(bytes)) { self = state }
  }

  /// Replaces the state of a folder.
  func write(to folder: URL, durably: Bool) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try UpdateFile.replace(
      folder.appendingPathComponent(Self.name).path, with: Array(try encoder.encode(self)), durably: durably)
  }

  /// The SHA-256 of a manifest's bytes, in hexadecimal.
  static func hash(_ manifest: [UInt8]) -> String {
    var hasher = SHA256Hasher()
    hasher.update(manifest.span)
    return hasher.hex
  }
}
