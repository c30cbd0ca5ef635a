// An app's interface to its Call Directory extensions.

import AppExtensions
import Dispatch
public import Foundation

/// Loads extensions and reports whether they are enabled.
open class CXCallDirectoryManager: NSObject {
  /// Whether the owner has enabled an extension.
  public enum EnabledStatus: Int, Sendable {
    /// The status is unknown.
    case unknown = 0
    /// The extension is disabled.
    case disabled = 1
    /// The extension is enabled.
    case enabled = 2
  }

  /// The only manager; it has no state.
  private static let only = SendableBox(CXCallDirectoryManager())

  /// The shared manager.
  open class var sharedInstance: CXCallDirectoryManager { only.value }

  /// Loads an extension. `completion` receives nil or the error, on a thread of the phone.
  open func reloadExtension(
    withIdentifier identifier: String, completionHandler completion: (@Sendable ((any Error)?) -> Void)? = nil
  ) {
    guard let phone = InstalledPhone.directory else {
      guard let completion else { return }
      DispatchQueue.global().async { completion(CXErrorCodeCallDirectoryManagerError(.unknown)) }
      return
    }
    phone.reload(identifier) { completion?($0) }
  }

  /// Loads an extension.
  open func reloadExtension(withIdentifier identifier: String) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      reloadExtension(withIdentifier: identifier) { error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
  }

  /// Reports whether an extension is enabled.
  open func getEnabledStatusForExtension(
    withIdentifier identifier: String,
    completionHandler completion:
      @escaping @Sendable (CXCallDirectoryManager.EnabledStatus, (any Error)?) -> Void
  ) {
    guard let phone = InstalledPhone.directory else {
      DispatchQueue.global().async { completion(.unknown, CXErrorCodeCallDirectoryManagerError(.unknown)) }
      return
    }
    phone.enabledStatus(identifier, completion: completion)
  }

  /// Reports whether an extension is enabled.
  open func enabledStatusForExtension(
    withIdentifier identifier: String
  ) async throws -> CXCallDirectoryManager.EnabledStatus {
    try await withCheckedThrowingContinuation { continuation in
      getEnabledStatusForExtension(withIdentifier: identifier) { status, error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: status) }
      }
    }
  }

  /// Opens the page of Settings on which extensions are enabled.
  open func openSettings(completionHandler completion: (@Sendable ((any Error)?) -> Void)? = nil) {
    guard let phone = InstalledPhone.directory else {
      guard let completion else { return }
      DispatchQueue.global().async { completion(CXErrorCodeCallDirectoryManagerError(.unknown)) }
      return
    }
    phone.openSettings { completion?($0) }
  }

  /// Opens the page of Settings on which extensions are enabled.
  open func openSettings() async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      openSettings { error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
  }
}

/// The older name of the enabled states.
public typealias CXCallDirectoryEnabledStatus = CXCallDirectoryManager.EnabledStatus
