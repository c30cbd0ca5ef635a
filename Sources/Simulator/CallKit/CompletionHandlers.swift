// Where completion handlers run, so that an extension's process can wait for them before it ends.

import Dispatch

/// The completion handlers that have not returned.
package enum CompletionHandlers {
  private static let running = DispatchGroup()

  /// Runs a handler in the background.
  static func run(_ handler: @escaping @Sendable () -> Void) {
    DispatchQueue.global().async(group: running, execute: DispatchWorkItem(block: handler))
  }

  /// Waits for all of them, at most the given number of seconds.
  package static func wait(seconds: Int) {
    _ = running.wait(timeout: .now() + .seconds(seconds))
  }
}
