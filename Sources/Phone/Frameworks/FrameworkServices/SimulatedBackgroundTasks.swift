// Background tasks on the simulated phone: what an app has requested, and iOS's side, which starts and expires tasks.

package import AppExtensions
package import BackgroundTasks
package import Dispatch
public import FoundationEssentials
import Synchronization

/// The background tasks of a phone.
///
///     services.backgroundTasks.permit(["com.example.app.update"])
///     let task = try #require(services.backgroundTasks.start("com.example.app.update"))
///     task.expire()
///     #expect(await task.success() == false)
public final class SimulatedBackgroundTasks: Sendable {
  private struct AppRequests {
    var permitted: Set<String> = []
    var isAvailable = true
    var handlers: [String: (queue: DispatchQueue, run: @Sendable (BGTask) -> Void)] = [:]
    var pending: [String: Date] = [:]
  }

  /// The maximum number of pending requests for refreshing apps, according to Apple's documentation.
  public static let requestsMax = 1

  private let state = Mutex(AppRequests())

  init() {}

  /// Sets the tasks in `BGTaskSchedulerPermittedIdentifiers` of the app's Info.plist.
  public func permit(_ identifiers: Set<String>) { state.withLock { $0.permitted = identifiers } }

  /// Sets whether Background App Refresh is on in Settings.
  public func setAvailable(_ isAvailable: Bool) { state.withLock { $0.isAvailable = isAvailable } }

  /// The date before which a requested task is not started; nil if it is not requested. Without a date in the request,
  /// it is the distant past.
  public func earliestBegin(_ identifier: String) -> Date? { state.withLock { $0.pending[identifier] } }

  /// Starts a requested task, as iOS does at a time of its choice, and removes the request. Returns nil if the task is not
  /// requested, or has no handler.
  public func start(_ identifier: String) -> StartedTask? {
    let handler = state.withLock { state in
      state.pending.removeValue(forKey: identifier) == nil ? nil : state.handlers[identifier]
    }
    guard let handler else { return nil }
    let started = StartedTask(identifier)
    handler.queue.async { handler.run(started.task.value) }
    return started
  }
}

extension SimulatedBackgroundTasks: BackgroundPhone {
  package func register(
    _ identifier: String, on queue: DispatchQueue, _ handler: @escaping @Sendable (BGTask) -> Void
  ) -> Bool {
    state.withLock { state in
      guard state.permitted.contains(identifier) else { return false }
      precondition(state.handlers[identifier] == nil, "a handler of this task is already registered")
      state.handlers[identifier] = (queue, handler)
      return true
    }
  }

  package func submit(_ identifier: String, earliest: Date?) -> BGTaskScheduler.Error.Code? {
    state.withLock { state in
      guard state.isAvailable else { return .unavailable }
      guard state.permitted.contains(identifier) else { return .notPermitted }
      guard state.pending[identifier] != nil || state.pending.count < Self.requestsMax else {
        return .tooManyPendingTaskRequests
      }
      state.pending[identifier] = earliest ?? .distantPast
      return nil
    }
  }

  package func cancel(_ identifier: String) {
    state.withLock { _ = $0.pending.removeValue(forKey: identifier) }
  }
}

/// A task that the phone has started.
public final class StartedTask: Sendable {
  let task: SendableBox<BGTask>
  private let results: AsyncStream<Bool>

  init(_ identifier: String) {
    let (results, continuation) = AsyncStream.makeStream(of: Bool.self)
    self.results = results
    task = SendableBox(
      BGAppRefreshTask(identifier: identifier) { success in
        continuation.yield(success)
        continuation.finish()
      })
  }

  /// Ends the time of the task: its expiration handler is called, if it has set one.
  public func expire() { task.value.expirationHandler?() }

  /// Waits until the app completes the task, and returns whether it was successful.
  public func success() async -> Bool {
    for await success in results { return success }
    return false
  }
}
