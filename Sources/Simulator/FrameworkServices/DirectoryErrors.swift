// The phone's failures as the errors that apps and extensions get.

import CallKit
import Foundation
import SimulatedPhone

extension LoadError {
  /// The failure as CallKit reports it: its error struct where its enum has the code, else a plain `NSError`.
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
  /// An extension's own error. Only what crosses processes is kept: domain, code and text.
  init(_ error: any Error) {
    let object = error as NSError
    let text = object.userInfo[NSLocalizedDescriptionKey] as? String
    self.init(domain: object.domain, code: object.code, text: text ?? "")
  }
}
