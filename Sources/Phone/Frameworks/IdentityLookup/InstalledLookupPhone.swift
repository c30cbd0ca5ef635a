// The installed phone, which `LiveCallerIDLookupManager` calls. None of this is public, so that apps see only Apple's
// names.

import Synchronization

/// The implementation of the manager.
package protocol LiveLookupPhone: Sendable {
  /// Whether an extension is enabled.
  func status(_ identifier: String) -> CallLookupExtensionStatus
  /// Opens Settings.
  func openSettings() throws
  /// Performs an action on an extension.
  func perform(_ action: LiveLookupAction, _ identifier: String) throws
}

/// What an app can ask for.
package enum LiveLookupAction: Hashable, Sendable {
  /// Fetch the server's parameters.
  case refreshParameters
  /// Ask the extension for its context.
  case refreshContext
  /// Empty the cache and ask the extension for its context.
  case reset
}

/// The installed phone for lookups.
package enum InstalledLookupPhone {
  private static let installed = Mutex<(any LiveLookupPhone)?>(nil)

  /// The phone; nil if none is installed.
  package static var phone: (any LiveLookupPhone)? { installed.withLock { $0 } }

  /// Installs a phone, replacing the previous one; nil for none.
  package static func install(_ phone: (any LiveLookupPhone)?) {
    installed.withLock { $0 = phone }
  }
}

/// There is no phone, or it does not have the extension. Apple's errors are not documented.
package struct LiveLookupError: Error, Equatable {
  package init() {}
}
