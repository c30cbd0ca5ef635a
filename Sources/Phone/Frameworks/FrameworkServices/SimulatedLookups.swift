// The phone's lookup extensions: their switches in Settings, and what an app asks for through Apple's manager.

public import IdentityLookup
import Synchronization

/// The lookup extensions of a phone. Usable from any thread.
public final class SimulatedLookups: Sendable {
  private struct Installed: Sendable {
    var makeContext: @Sendable () -> LiveCallerIDLookupExtensionContext
    var isEnabled = false
    var context: LiveCallerIDLookupExtensionContext?
    var parameterRefreshes = 0
    var resets = 0
  }

  private let installed = Mutex<[String: Installed]>([:])
  private let openings = Mutex(0)

  init() {}

  /// Installs an extension, disabled. `makeContext` returns what the extension's `context` would.
  public func install(
    _ identifier: String, _ makeContext: @escaping @Sendable () -> LiveCallerIDLookupExtensionContext
  ) {
    installed.withLock { $0[identifier] = Installed(makeContext: makeContext) }
  }

  /// The switch in Settings. An extension that is enabled is asked for its context.
  public func setEnabled(_ isEnabled: Bool, _ identifier: String) {
    let make = installed.withLock { all in
      all[identifier]?.isEnabled = isEnabled
      return isEnabled ? all[identifier]?.makeContext : nil
    }
    guard let context = make?() else { return }
    installed.withLock { $0[identifier]?.context = context }
  }

  /// The context that the phone uses; nil if the extension was never asked.
  public func context(_ identifier: String) -> LiveCallerIDLookupExtensionContext? {
    installed.withLock { $0[identifier]?.context }
  }

  /// The number of times an app had the server's parameters fetched.
  public func parameterRefreshes(_ identifier: String) -> Int {
    installed.withLock { $0[identifier]?.parameterRefreshes ?? 0 }
  }

  /// The number of times an app reset the extension.
  public func resets(_ identifier: String) -> Int { installed.withLock { $0[identifier]?.resets ?? 0 } }

  /// The number of times an app opened Settings for lookups.
  public var settingsOpenings: Int { openings.withLock { $0 } }
}

extension SimulatedLookups: LiveLookupPhone {
  package func status(_ identifier: String) -> CallLookupExtensionStatus {
    installed.withLock { $0[identifier]?.isEnabled == true } ? .enabled : .disabled
  }

  package func openSettings() { openings.withLock { $0 += 1 } }

  package func perform(_ action: LiveLookupAction, _ identifier: String) throws {
    guard let make = installed.withLock({ $0[identifier]?.makeContext }) else { throw LiveLookupError() }
    // The extension runs without the lock.
    let context = action == .refreshParameters ? nil : make()
    installed.withLock { all in
      switch action {
      case .refreshParameters: all[identifier]?.parameterRefreshes += 1
      case .refreshContext: all[identifier]?.context = context
      case .reset:
        all[identifier]?.context = context
        all[identifier]?.resets += 1
      }
    }
  }
}
