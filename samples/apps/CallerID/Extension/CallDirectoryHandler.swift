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
  private let supply: DirectorySupply?

  /// What iOS calls.
  override convenience init() {
    self.init(InstalledExtension.running?.index, group: AppGroup.folder())
  }

  /// Makes the handler of an extension. One that does not know which it is, or has no app group, loads nothing.
  init(_ index: ExtensionIndex?, group: URL?) {
    if let index, let group {
      supply = DirectoryFolder(index, in: group).supply
    } else {
      supply = nil
    }
    super.init()
  }

  override func beginRequest(with context: CXCallDirectoryExtensionContext) {
    context.delegate = self
    if let supply { context.load(supply) } else { context.completeRequest() }
  }
}

extension CallDirectoryHandler: CXCallDirectoryExtensionContextDelegate {
  func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error) {
    // iOS has removed everything; the next load starts from scratch.
    supply?.requestFailed()
  }
}
