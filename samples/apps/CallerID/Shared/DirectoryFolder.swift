// Each extension has its own folder in the app group's folder. The app writes files there; the extension loads them.

import CallDirectory
import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

/// The folder of one extension.
struct DirectoryFolder: Sendable {
  /// The folder's URL.
  let url: URL

  /// Locates the folder of an extension in the app group's folder.
  init(_ index: ExtensionIndex, in group: URL) {
    url = group.appendingPathComponent(index.shard, isDirectory: true)
  }

  /// The files that the extension loads; nil before the first download.
  var files: ExtensionFiles? {
    let files = ExtensionFiles(folder: url.path)
    return FileManager.default.fileExists(atPath: files.store) ? files : nil
  }
}
