// Runs completion handlers, so that an extension's process can wait for them before it ends.

import Dispatch

/// The completion handlers that have not returned yet.
package enum CompletionHandlers {
  private static let running = DispatchGroup()

  /// Runs a handler in the background.
  static func run(_ handler: @escaping @Sendable () -> Void) {
    DispatchQueue.global().async(group: running, execute: DispatchWorkItem(block: handler))
  }

  /// Waits for all handlers, at most the given number of seconds.
  package static func wait(seconds: Int) {
    _ = running.wait(timeout: .now() + .seconds(seconds))
  }
}
