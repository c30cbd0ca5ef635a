// How an app has its Call Directory extensions loaded.

import AppExtensions
import Dispatch
public import Foundation

/// Loads extensions, and reports whether they are switched on.
open class CXCallDirectoryManager: NSObject {
  /// Whether the owner has switched an extension on.
  public enum EnabledStatus: Int, Sendable {
    /// Not known.
    case unknown = 0
    /// Switched off.
    case disabled = 1
    /// Switched on.
    case enabled = 2
  }

  /// The one manager has no state of its own.
  private static let only = SendableBox(CXCallDirectoryManager())

  /// The manager.
  open class var sharedInstance: CXCallDirectoryManager { only.value }

  /// Has an extension loaded; `completion` gets nil, or why that failed. A phone calls back on a thread of its own.
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

  /// Has an extension loaded.
  open func reloadExtension(withIdentifier identifier: String) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      reloadExtension(withIdentifier: identifier) { error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume() }
      }
    }
  }

  /// Reports whether an extension is switched on.
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

  /// Reports whether an extension is switched on.
  open func enabledStatusForExtension(
    withIdentifier identifier: String
  ) async throws -> CXCallDirectoryManager.EnabledStatus {
    try await withCheckedThrowingContinuation { continuation in
      getEnabledStatusForExtension(withIdentifier: identifier) { status, error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: status) }
      }
    }
  }

  /// Opens the page of Settings where extensions are switched on.
  open func openSettings(completionHandler completion: (@Sendable ((any Error)?) -> Void)? = nil) {
    guard let phone = InstalledPhone.directory else {
      guard let completion else { return }
      DispatchQueue.global().async { completion(CXErrorCodeCallDirectoryManagerError(.unknown)) }
      return
    }
    phone.openSettings { completion?($0) }
  }

  /// Opens the page of Settings where extensions are switched on.
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
