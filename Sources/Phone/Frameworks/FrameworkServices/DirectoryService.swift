// CallKit's manager on the simulated phone.

import CallKit
import Dispatch
import SimulatedPhone
import Synchronization

/// The implementation of `CXCallDirectoryManager`.
final class DirectoryService: CallDirectoryPhone {
  private let phone: SimulatedPhone
  private let openings = Mutex(0)

  init(_ phone: SimulatedPhone) {
    self.phone = phone
  }

  /// The number of times Settings was opened.
  var settingsOpenings: Int { openings.withLock { $0 } }

  func reload(_ identifier: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
    phone.startLoad(identifier) { outcome in
      let error = outcome.failure?.asError
      DispatchQueue.global().async { completion(error) }
    }
  }

  func enabledStatus(
    _ identifier: String,
    completion: @escaping @Sendable (CXCallDirectoryManager.EnabledStatus, (any Error)?) -> Void
  ) {
    let status = phone.enabledStatus(identifier)
    DispatchQueue.global().async {
      guard let status else {
        completion(.unknown, CXErrorCodeCallDirectoryManagerError(.noExtensionFound))
        return
      }
      completion(CXCallDirectoryManager.EnabledStatus(rawValue: status.rawValue) ?? .unknown, nil)
    }
  }

  func openSettings(completion: @escaping @Sendable ((any Error)?) -> Void) {
    openings.withLock { $0 += 1 }
    DispatchQueue.global().async { completion(nil) }
  }
}
