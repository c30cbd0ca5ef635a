// Stops an extension or a request in the middle, so that a test can look at what an app shows meanwhile.

import CallDirectoryKit
import CallKit
import Dispatch
import Foundation
import Synchronization
import Testing

/// Blocks every thread that passes, until it is opened.
final class Barrier: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  /// Unblocks all threads, and does not block any more.
  func open() { semaphore.signal() }

  /// Blocks the thread until the barrier is open.
  func pass() {
    semaphore.wait()
    semaphore.signal()
  }
}

/// An extension that waits at a barrier before it loads.
final class HeldHandler: CXCallDirectoryProvider {
  private let handler: CXCallDirectoryProvider
  private let barrier: Barrier

  init(_ handler: CXCallDirectoryProvider, at barrier: Barrier) {
    self.handler = handler
    self.barrier = barrier
    super.init()
  }

  override func beginRequest(with context: CXCallDirectoryExtensionContext) {
    barrier.pass()
    handler.beginRequest(with: context)
  }
}

/// A connection on which nothing arrives until the request is cancelled.
final class SilentTransport: UpdateTransport {
  private let count = Mutex(0)
  /// The number of requests so far.
  var requests: Int { count.withLock { $0 } }

  func get(_ url: URL, headers: [String: String], body: any UpdateBody) async throws {
    count.withLock { $0 += 1 }
    while true { try await Task.sleep(for: .milliseconds(5)) }
  }
}

/// A connection whose requests fail, or are answered with a status.
struct FailingTransport: UpdateTransport {
  let error: (any Error)?
  let status: Int

  /// Requests fail with an error.
  init(_ error: any Error) { (self.error, status) = (error, 0) }

  /// Requests are answered with a status.
  init(status: Int) { (error, self.status) = (nil, status) }

  func get(_ url: URL, headers: [String: String], body: any UpdateBody) async throws {
    if let error { throw error }
    try body.begin(ServerResponse(status: status))
  }
}

/// Waits until a condition holds; an issue after two minutes.
@MainActor
func waitUntil(_ what: Comment, _ condition: () async -> Bool) async {
  for _ in 0..<24_000 {
    if await condition() { return }
    try? await Task.sleep(for: .milliseconds(5))
  }
  Issue.record(what)
}
