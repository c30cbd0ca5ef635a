// What iOS makes when it loads one of the extensions: it loads what the app has put into its folder, the small store first, then the
// whole one, then only what changed.

import CallDirectory
import CallDirectoryKit
import CallKit
import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

/// Hands labels and numbers to block to iOS.
final class CallDirectoryHandler: CXCallDirectoryProvider {
  private let files: ExtensionFiles?

  /// What iOS calls.
  override convenience init() {
    self.init(InstalledExtension.running?.index, group: AppGroup.folder())
  }

  /// Makes the handler of an extension. One that does not know which it is, or has no app group, loads nothing.
  init(_ index: ExtensionIndex?, group: URL?) {
    if let index, let group {
      files = DirectoryFolder(index, in: group).files
    } else {
      files = nil
    }
    super.init()
  }

  override func beginRequest(with context: CXCallDirectoryExtensionContext) {
    context.delegate = self
    if let files { context.load(files) } else { context.completeRequest() }
  }
}

extension CallDirectoryHandler: CXCallDirectoryExtensionContextDelegate {
  func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error) {
    // iOS has removed everything; the next load starts from scratch.
    files?.requestFailed()
  }
}
