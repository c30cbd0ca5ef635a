// The class that iOS instantiates when it loads one of the extensions; `NSExtensionPrincipalClass` names it. It runs
// for a few seconds, with little memory, and never during a call: iOS already has the numbers by then.

import CallDirectory
import CallDirectoryKit
import CallKit
import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

/// Passes the numbers of one shard to iOS.
nonisolated final class CallDirectoryHandler: CXCallDirectoryProvider {
  private let flag: BlockingFlag?
  private let files: ExtensionFiles?

  /// The initializer that iOS calls.
  override convenience init() {
    self.init(.running, group: AppGroup.folder())
  }

  /// Creates the handler of an extension. Without an extension index or an app group it blocks nothing.
  init(_ own: InstalledExtension?, group: URL?) {
    flag = group.map { BlockingFlag($0) }
    files = group.flatMap { own?.files(recordsIn: $0) }
    super.init()
  }

  override func beginRequest(with context: CXCallDirectoryExtensionContext) {
    context.delegate = self
    if let files, flag?.isOn == true {
      context.load(files)
    } else {
      // Completing a full request without entries removes everything that was loaded.
      files?.recordNothingLoaded()
      context.completeRequest()
    }
  }
}

nonisolated extension CallDirectoryHandler: CXCallDirectoryExtensionContextDelegate {
  func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error) {
    // iOS has removed everything; the next load starts from scratch.
    files?.requestFailed()
  }
}
