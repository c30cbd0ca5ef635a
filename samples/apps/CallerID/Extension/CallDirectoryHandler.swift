// The class that iOS instantiates when it loads one of the extensions. It loads the files in its folder: the bootstrap
// store first, then the whole store, then only changes.

import CallDirectory
import CallDirectoryKit
import CallKit
import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

/// Passes labelled numbers and numbers to block to iOS.
nonisolated final class CallDirectoryHandler: CXCallDirectoryProvider {
  private let files: ExtensionFiles?

  /// The initializer that iOS calls.
  override convenience init() {
    self.init(InstalledExtension.running?.index, group: AppGroup.folder())
  }

  /// Creates the handler of an extension. Without an extension index or an app group it loads nothing.
  init(_ index: ExtensionIndex?, group: URL?) {
    if let index, let group {
      files =
        index == .ownList
        ? DirectoryUpdater.filesOfOwnList(in: group) : DirectoryUpdater.files(of: index.number, in: group)
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

nonisolated extension CallDirectoryHandler: CXCallDirectoryExtensionContextDelegate {
  func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error) {
    // iOS has removed everything; the next load starts from scratch.
    files?.requestFailed()
  }
}
