import CallDirectoryKit
import CallKit
import Foundation

/// Installs a store that was downloaded, and loads it.
func install(_ download: URL, in folder: URL, extension identifier: String) async throws {
  let store = folder.appendingPathComponent(ExtensionFiles.storeName)
  _ = try FileManager.default.replaceItemAt(store, withItemAt: download)
  try await CXCallDirectoryManager.sharedInstance.reload(
    identifier, with: ExtensionFiles(folder: folder.path))
}
