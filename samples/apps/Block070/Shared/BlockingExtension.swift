// What the app and its extensions both know: whether to block, and which shard is whose.

import CallDirectory
import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

/// The switch: a file in the app group's folder, which the extensions look for each time they are loaded.
struct BlockingFlag: Sendable {
  /// The app group's folder.
  let folder: URL
  private var url: URL { folder.appendingPathComponent("blocking.on") }

  init(_ folder: URL) {
    self.folder = folder
  }

  /// Whether numbers are to be blocked.
  var isOn: Bool { FileManager.default.fileExists(atPath: url.path) }

  /// Sets whether numbers are to be blocked. It shows when the extensions are loaded the next time.
  func set(_ isOn: Bool) throws {
    if isOn {
      try Data().write(to: url)
    } else if self.isOn {
      try FileManager.default.removeItem(at: url)
    }
  }
}

extension InstalledExtension {
  /// What the extension loads, and where it writes down what is loaded; nil when its bundle has no shard of its number: there
  /// are fewer shards than extensions.
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
