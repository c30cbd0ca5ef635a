// Handlers as extensions of the simulated phone, in this process or in their own.

public import CallKit
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

  /// If this process was started as an extension, handles its request and ends the process; otherwise returns at once.
  /// `make` receives the extension's identifier.
  public static func runIfRequested(_ make: (String) -> CXCallDirectoryProvider) {
    guard let child = ChildExtension.current() else { return }
    handle(child.request, make(child.identifier))
    CompletionHandlers.wait(seconds: handlersWaitSeconds)
    exit(0)
  }
}

/// Passes a request to a handler and keeps both alive until the request has ended: a handler may continue on other
/// threads, where it is also notified of errors.
private func handle(_ request: ExtensionRequest, _ handler: CXCallDirectoryProvider) {
  let life = request.life
  let context = CXCallDirectoryExtensionContext(request)
  handler.beginRequest(with: context)
  life.wait()
  withExtendedLifetime((handler, context)) {}
}
