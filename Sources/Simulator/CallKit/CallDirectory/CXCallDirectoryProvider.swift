// The principal class of a Call Directory extension.

public import AppExtensions
public import Foundation

/// What an extension derives its handler from.
open class CXCallDirectoryProvider: NSObject, NSExtensionRequestHandling {
  /// Makes a handler.
  public override init() { super.init() }

  /// Begins a request. Handlers override it.
  open func beginRequest(with context: CXCallDirectoryExtensionContext) {}

  /// Begins a request that came as one of any extension.
  public func beginRequest(with context: NSExtensionContext) {
    guard let context = context as? CXCallDirectoryExtensionContext else { return }
    beginRequest(with: context)
  }
}
