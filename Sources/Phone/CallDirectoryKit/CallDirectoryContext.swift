// Declares the conformance of Apple's request class. A separate target, because CallKit links Foundation and
// CallDirectory does not.

#if canImport(CallKit) && (os(iOS) || os(Linux))

  // What a request loads is part of loading it: one import is enough.
  @_exported public import CallDirectory
  public import CallKit

  extension CXCallDirectoryExtensionContext: EndingRequest {
    /// Completes the request.
    public func end(whenEnded ended: @escaping @Sendable (_ expired: Bool) -> Void) {
      completeRequest(completionHandler: ended)
    }

    /// Cancels the request.
    public func end(failing cause: CallDirectoryError) {
      cancelRequest(withError: cause)
    }
  }

#endif
