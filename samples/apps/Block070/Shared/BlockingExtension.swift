// Shared by the app and its extensions: whether to block, and which shard belongs to which extension.

import CallDirectory
import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

/// The switch's state: a file in the app group's folder. The extensions check for it each time they are loaded.
nonisolated struct BlockingFlag: Sendable {
  /// The app group's folder.
  let folder: URL
  private var url: URL { folder.appendingPathComponent("blocking.on") }

  init(_ folder: URL) {
    self.folder = folder
  }

  /// Whether to block numbers.
  var isOn: Bool { FileManager.default.fileExists(atPath: url.path) }

  /// Sets whether to block numbers. Takes effect the next time the extensions are loaded.
  func set(_ isOn: Bool) throws {
    if isOn {
      try Data().write(to: url)
    } else if self.isOn {
      try FileManager.default.removeItem(at: url)
    }
  }
}

nonisolated extension InstalledExtension {
  /// The store that the extension loads and the record of what is loaded. Nil if its bundle has no shard with its
  /// number, because there are fewer shards than extensions.
  func files(recordsIn folder: URL) -> ExtensionFiles? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: resources.path)) ?? []
    let own = names.first { $0.hasPrefix(index.shard + "-") && $0.hasSuffix(".cdstore") }
    return own.map { name in
      ExtensionFiles(
        store: resources.appendingPathComponent(name).path,
        record: folder.appendingPathComponent("\(index.shard).cdrecord").path)
    }
  }
}
