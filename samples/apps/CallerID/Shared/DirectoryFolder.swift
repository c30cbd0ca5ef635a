// Where the files of each extension are: a folder of its own in the app group's folder. The app puts files there, the extension
// loads them.

import CallDirectory
import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

/// The folder of one extension.
struct DirectoryFolder: Sendable {
  /// The folder.
  let url: URL

  /// The folder of an extension in the app group's folder.
  init(_ index: ExtensionIndex, in group: URL) {
    url = group.appendingPathComponent(index.shard, isDirectory: true)
  }

  /// What the extension loads; nil before there is anything.
  var files: ExtensionFiles? {
    let files = ExtensionFiles(folder: url.path)
    return FileManager.default.fileExists(atPath: files.store) ? files : nil
  }
}
