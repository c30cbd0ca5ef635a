// The Call Directory on the simulated phone: CallKit's manager and requests, handlers as extensions, in this process or
// in their own, and the errors that apps and extensions receive.

public import CallKit
import Dispatch
import Foundation
public import SimulatedPhone
import Synchronization

#if canImport(Glibc)
  import Glibc
#endif

/// How often the phone answers a question of an app. iOS is known not to answer some at all.
public enum SimulatedAnswers: Int, Sendable {
  /// Never: the app's handler is dropped.
  case never = 0
  /// Once, as documented.
  case once = 1
  /// Twice, with the same answer.
  case twice = 2

  func send(_ answer: @escaping @Sendable () -> Void) {
    for _ in 0..<rawValue { DispatchQueue.global().async(execute: answer) }
  }
}

final class DirectoryService: CallDirectoryPhone {
  private let phone: SimulatedPhone
  private let openings = Mutex(0)
  private let answers = Mutex((status: SimulatedAnswers.once, reload: SimulatedAnswers.once))

  init(_ phone: SimulatedPhone) { self.phone = phone }

  var settingsOpenings: Int { openings.withLock { $0 } }

  func setAnswers(status: SimulatedAnswers, reload: SimulatedAnswers) {
    answers.withLock { $0 = (status, reload) }
  }

  func reload(_ identifier: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
    phone.startLoad(identifier) { outcome in
      let error = outcome.failure?.asError
      self.answers.withLock { $0.reload }.send { completion(error) }
    }
  }

  func enabledStatus(
    _ identifier: String,
    completion: @escaping @Sendable (CXCallDirectoryManager.EnabledStatus, (any Error)?) -> Void
  ) {
    let status = phone.enabledStatus(identifier)
    answers.withLock { $0.status }.send {
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

final class ContextRequest: CallDirectoryRequest {
  private let request: ExtensionRequest

  init(_ request: ExtensionRequest) { self.request = request }

  var isIncremental: Bool { request.isIncremental }

  func addBlocking(_ number: Int64) { request.addBlocking(number) }

  func addIdentification(_ number: Int64, label: String) { request.addIdentification(number, label: label) }

  func removeBlocking(_ number: Int64) { request.remove(.blocking, number) }

  func removeIdentification(_ number: Int64) { request.remove(.identification, number) }

  func removeAllBlocking() { request.removeAll(.blocking) }

  func removeAllIdentification() { request.removeAll(.identification) }

  func complete() -> Bool { request.complete() }

  func cancel(_ error: any Error) { request.cancel(Cancellation(error)) }

  func onFailure(_ handler: @escaping @Sendable (any Error) -> Void) {
    request.onFailure { handler($0.asError) }
  }
}

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
  let context = CXCallDirectoryExtensionContext(ContextRequest(request))
  handler.beginRequest(with: context)
  life.wait()
  withExtendedLifetime((handler, context)) {}
}
