// The error handler and the end of a request. Set on one thread and used on another.

import Synchronization
import SystemIO

/// The error handler and the end of one request.
package final class RequestLife: Sendable {
  private let handler = Mutex<(@Sendable (LoadError) -> Void)?>(nil)
  private let over = OneAnswer<Bool>()

  init() {}

  /// Sets the handler of an error.
  func onFailure(_ new: @escaping @Sendable (LoadError) -> Void) {
    handler.withLock { $0 = new }
  }

  /// Reports an error on a separate thread, and waits for the handler up to a time limit.
  func notify(_ failure: LoadError, waiting limit: Duration) {
    guard let call = handler.withLock({ $0 }) else { return }
    let done = OneAnswer<Bool>()
    do throws(SystemError) {
      try WorkerThread(name: "request-failed") {
        call(failure)
        done.give(true)
      }.detach()
    } catch {
      // No thread is available: the extension is ended without notification.
      return
    }
    _ = done.wait(atMost: limit)
  }

  /// Ends the request; no handler is called afterwards.
  func end() {
    over.give(true)
  }

  /// Waits until the request has ended.
  package func wait() {
    _ = over.wait()
  }
}
