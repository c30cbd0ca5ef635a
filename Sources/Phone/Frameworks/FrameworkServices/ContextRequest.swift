// The request of the simulated phone that Apple's context class forwards to.

import CallKit
import SimulatedPhone

/// The implementation of a `CXCallDirectoryExtensionContext`.
final class ContextRequest: CallDirectoryRequest {
  private let request: ExtensionRequest

  init(_ request: ExtensionRequest) {
    self.request = request
  }

  var isIncremental: Bool { request.isIncremental }

  func addBlocking(_ number: Int64) { request.addBlocking(number) }

  func addIdentification(_ number: Int64, label: String) {
    request.addIdentification(number, label: label)
  }

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
