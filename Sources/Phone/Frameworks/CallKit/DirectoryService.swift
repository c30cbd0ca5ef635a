// The Call Directory of the simulated phone, which CallKit's manager asks, and the errors that apps and extensions
// receive.

import Dispatch
import Foundation
package import SimulatedPhone
import Synchronization

package final class DirectoryService: Sendable {
  private let phone: SimulatedPhone
  private let openings = Mutex(0)

  package init(_ phone: SimulatedPhone) { self.phone = phone }

  package var settingsOpenings: Int { openings.withLock { $0 } }

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

extension LoadError {
  /// The error as CallKit reports it: its error struct if its enum has the code, otherwise a plain `NSError`.
  var asError: any Error {
    if case .directory(let code) = self,
      let known = CXErrorCodeCallDirectoryManagerError.Code(rawValue: code.rawValue)
    {
      return CXErrorCodeCallDirectoryManagerError(known)
    }
    var particulars: [String: Any] = [:]
    if case .cancelled(let reason) = self, !reason.text.isEmpty {
      particulars[NSLocalizedDescriptionKey] = reason.text
    }
    return NSError(domain: domain, code: code, userInfo: particulars)
  }
}

extension Cancellation {
  /// Creates the phone's form of an extension's own error. Only domain, code and text are passed between processes.
  init(_ error: any Error) {
    let object = error as NSError
    let text = object.userInfo[NSLocalizedDescriptionKey] as? String
    self.init(domain: object.domain, code: object.code, text: text ?? "")
  }
}
