import CallDirectoryKit
import CallKit
import Foundation

final class CallDirectoryHandler: CXCallDirectoryProvider {
  /// The files of this extension.
  private var files: ExtensionFiles {
    // In an app: containerURL(forSecurityApplicationGroupIdentifier:).
    let group = FileManager.default.temporaryDirectory
    return ExtensionFiles(folder: group.appendingPathComponent("0001").path)
  }

  override func beginRequest(with context: CXCallDirectoryExtensionContext) {
    context.load(files)
  }
}
