// Handlers written against Apple's classes, as programs of the simulated phone: in this process, or in one of their own.

public import CallKit
import Foundation
public import SimulatedPhone

#if canImport(Glibc)
  import Glibc
#endif

extension ExtensionProgram {
  /// A handler that runs in this process. Each request creates a new one, as iOS does.
  public static func handler(_ make: @escaping @Sendable () -> CXCallDirectoryProvider) -> ExtensionProgram {
    .inProcess { request in handle(request, make()) }
  }
}

/// The extension's process.
public enum ExtensionProcess {
  /// How long the process waits for completion handlers before it ends, in seconds.
  static let handlersWaitSeconds = 5

  /// Handles the request this process was started for, and ends the process; returns at once if it was started for
  /// none. `make` gets the extension's identifier.
  public static func runIfRequested(_ make: (String) -> CXCallDirectoryProvider) {
    guard let child = ChildExtension.current() else { return }
    handle(child.request, make(child.identifier))
    CompletionHandlers.wait(seconds: handlersWaitSeconds)
    exit(0)
  }
}

/// Has a handler handle a request, and keeps both until the request is over: a handler may go on on other threads, and is
/// notified of a failure on one.
private func handle(_ request: ExtensionRequest, _ handler: CXCallDirectoryProvider) {
  let life = request.life
  let context = CXCallDirectoryExtensionContext(ContextRequest(request))
  handler.beginRequest(with: context)
  life.wait()
  withExtendedLifetime((handler, context)) {}
}
