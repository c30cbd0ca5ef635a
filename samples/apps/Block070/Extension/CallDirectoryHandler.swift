// What iOS makes when it loads one of the extensions; `NSExtensionPrincipalClass` names it. It runs for a few seconds, with little
// memory, and never when a call comes in: iOS has the numbers by then.

import CallDirectory
import CallDirectoryKit
import CallKit
import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

/// Hands the numbers of one shard to iOS.
final class CallDirectoryHandler: CXCallDirectoryProvider {
  private let flag: BlockingFlag?
  private let files: ExtensionFiles?

  /// What iOS calls.
  override convenience init() {
    self.init(.running, group: AppGroup.folder())
  }

  /// Makes the handler of an extension. One that does not know which it is, or has no app group, blocks nothing.
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
      // A request that does not ask for changes only, and has nothing, removes all that was there.
      files?.requestFailed()
      context.completeRequest()
    }
  }
}

extension CallDirectoryHandler: CXCallDirectoryExtensionContextDelegate {
  func requestFailed(for extensionContext: CXCallDirectoryExtensionContext, withError error: any Error) {
    // iOS has removed everything; the next load starts from scratch.
    files?.requestFailed()
  }
}
