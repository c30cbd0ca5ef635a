// Converts the phone's errors to those that apps and extensions receive.

import CallKit
import Foundation
import SimulatedPhone

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
