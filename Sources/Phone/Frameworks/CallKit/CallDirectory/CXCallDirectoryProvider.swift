// The principal class of a Call Directory extension.

public import AppExtensions
public import Foundation

/// The base class of an extension's handler.
open class CXCallDirectoryProvider: NSObject, NSExtensionRequestHandling {
  /// Creates a handler.
  public override init() { super.init() }

  /// Begins a request. Handlers override it.
  open func beginRequest(with context: CXCallDirectoryExtensionContext) {}

  /// Begins a request through the general extension protocol.
  public func beginRequest(with context: NSExtensionContext) {
    guard let context = context as? CXCallDirectoryExtensionContext else { return }
    beginRequest(with: context)
  }
}
