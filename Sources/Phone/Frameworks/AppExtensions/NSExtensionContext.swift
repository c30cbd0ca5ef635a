// The parts of Foundation for app extensions that are missing on Linux and that handlers of Call Directory and
// message-filter extensions use. Names and signatures are Apple's; the code is this project's.
//
// Not for processing requests (SimulatedPhone, FrameworkServices).

@_exported public import Foundation

/// The context of an extension's request.
open class NSExtensionContext: NSObject {
  /// The host's input items; always empty for these extensions.
  open var inputItems: [Any] { [] }

  /// Ends the request with an error. The base class has no request and does nothing.
  open func cancelRequest(withError error: any Error) {}
}

/// An object that handles requests.
public protocol NSExtensionRequestHandling: NSObjectProtocol {
  /// Begins a request.
  func beginRequest(with context: NSExtensionContext)
}

/// Runs a closure. On Apple platforms it also frees autoreleased objects, which don't exist here.
public func autoreleasepool<Result, Failure: Error>(
  invoking body: () throws(Failure) -> Result
) throws(Failure) -> Result {
  try body()
}
