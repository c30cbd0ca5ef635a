// What outlives the calls of a request: the handler of its failure, and when it is over. Set on one thread, used on
// another.

import Synchronization
import SystemIO

/// The life of one request.
package final class RequestLife: Sendable {
  private let handler = Mutex<(@Sendable (LoadError) -> Void)?>(nil)
  private let over = OneAnswer<Bool>()

  init() {}

  /// Sets the handler of a failure.
  func onFailure(_ new: @escaping @Sendable (LoadError) -> Void) {
    handler.withLock { $0 = new }
  }

  /// Reports a failure on a thread of its own, and waits for the handler for a while.
  func tell(_ failure: LoadError, waiting limit: Duration) {
    guard let call = handler.withLock({ $0 }) else { return }
    let done = OneAnswer<Bool>()
    do throws(SystemError) {
      try WorkerThread(name: "request-failed") {
        call(failure)
        done.give(true)
      }.detach()
    } catch {
      // No thread available: the extension is ended without notification.
      return
    }
    _ = done.wait(atMost: limit)
  }

  /// The request is over; no handler will be called any more.
  func end() {
    over.give(true)
  }

  /// Waits until the request is over.
  package func wait() {
    _ = over.wait()
  }
}
