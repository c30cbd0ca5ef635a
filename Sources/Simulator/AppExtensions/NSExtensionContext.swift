// What Foundation has for app extensions on Apple platforms and lacks on Linux, as far as handlers of Call Directory and
// message-filter extensions use it. Names and signatures are Apple's; the code is this project's.
//
// Not for: what a phone does with a request (SimulatedPhone, FrameworkServices).

@_exported public import Foundation

/// The context of an extension's request.
open class NSExtensionContext: NSObject {
  /// What the host gave; these extensions get nothing.
  open var inputItems: [Any] { [] }

  /// Ends the request with an error. The base class has no request, and ignores it.
  open func cancelRequest(withError error: any Error) {}
}

/// An object that handles requests.
public protocol NSExtensionRequestHandling: NSObjectProtocol {
  /// Begins a request.
  func beginRequest(with context: NSExtensionContext)
}

/// Runs a closure. On Apple platforms it also frees what Objective-C has put off; there is nothing such here.
public func autoreleasepool<Result, Failure: Error>(
  invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  try body()
}
