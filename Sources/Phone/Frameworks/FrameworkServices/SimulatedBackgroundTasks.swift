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
    var pending: [String: Request] = [:]
    /// The tasks that the phone starts when the app requests them, until they have ended.
    var continued: [String: StartedTask] = [:]
    var isBusy = false
  }

  private struct Request {
    let isProcessing: Bool
    let earliest: Date
  }

  /// The maximum number of pending requests for refreshing apps, according to Apple's documentation.
  public static let requestsMax = 1
  /// The maximum number of pending requests for processing, according to Apple's documentation.
  public static let processingRequestsMax = 10

  private let state = Mutex(AppRequests())

  init() {}

  /// Sets the tasks in `BGTaskSchedulerPermittedIdentifiers` of the app's Info.plist.
  public func permit(_ identifiers: Set<String>) { state.withLock { $0.permitted = identifiers } }

  /// Sets whether Background App Refresh is on in Settings.
  public func setAvailable(_ isAvailable: Bool) { state.withLock { $0.isAvailable = isAvailable } }

  /// Forgets the handlers that the app has registered, as at the end of its process. Requests stay.
  public func forgetHandlers() { state.withLock { $0.handlers = [:] } }

  /// Sets whether the phone has no resources to start continued tasks at once.
  public func setBusy(_ isBusy: Bool) { state.withLock { $0.isBusy = isBusy } }

  /// The continued task that the phone started when the app requested it; nil if there is none.
  public func continued(_ identifier: String) -> StartedTask? { state.withLock { $0.continued[identifier] } }

  /// The date before which a requested task is not started; nil if it is not requested. Without a date in the request,
  /// it is the distant past.
  public func earliestBegin(_ identifier: String) -> Date? {
    state.withLock { $0.pending[identifier]?.earliest }
  }

  /// Starts a requested task, as iOS does at a time of its choice, and removes the request. Returns nil if the task is not
  /// requested, or has no handler.
  public func start(_ identifier: String) -> StartedTask? {
    let (request, handler) = state.withLock { state in
      (state.pending.removeValue(forKey: identifier), state.handlers[identifier])
    }
    guard let request, let handler else { return nil }
    let started = StartedTask { ended in
      request.isProcessing
        ? BGProcessingTask(identifier: identifier, ended: ended)
        : BGAppRefreshTask(identifier: identifier, ended: ended)
    }
    handler.queue.async { handler.run(started.task.value) }
    return started
  }

  /// Starts a task that goes on in the background, as iOS does at once.
  private func start(_ request: BGContinuedProcessingTaskRequest) -> BGTaskScheduler.Error.Code? {
    let identifier = request.identifier
    let started = StartedTask { ended in
      BGContinuedProcessingTask(identifier: identifier, title: request.title, subtitle: request.subtitle) {
        self.state.withLock { $0.continued[identifier] = nil }
        ended($0)
      }
    }
    let handler = state.withLock { state -> (queue: DispatchQueue, run: @Sendable (BGTask) -> Void)? in
      guard !state.isBusy, let handler = state.handlers[identifier] else { return nil }
      state.continued[identifier] = started
      return handler
    }
    guard let handler else { return .immediateRunIneligible }
    handler.queue.async { handler.run(started.task.value) }
    return nil
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

  package func submit(_ request: BGTaskRequest) -> BGTaskScheduler.Error.Code? {
    let identifier = request.identifier
    let isProcessing = request is BGProcessingTaskRequest
    let earliest = request.earliestBeginDate ?? .distantPast
    let continued = request as? BGContinuedProcessingTaskRequest
    let refusal = state.withLock { state -> BGTaskScheduler.Error.Code? in
      guard state.permitted.contains(identifier) else { return .notPermitted }
      if continued != nil { return nil }
      guard state.isAvailable else { return .unavailable }
      let others = state.pending.filter { $0.key != identifier && $0.value.isProcessing == isProcessing }
      guard others.count < (isProcessing ? Self.processingRequestsMax : Self.requestsMax) else {
        return .tooManyPendingTaskRequests
      }
      state.pending[identifier] = Request(isProcessing: isProcessing, earliest: earliest)
      return nil
    }
    if let refusal { return refusal }
    return continued.flatMap { start($0) }
  }

  package func cancel(_ identifier: String) {
    state.withLock { _ = $0.pending.removeValue(forKey: identifier) }
  }
}

/// A task that the phone has started.
public final class StartedTask: Sendable {
  let task: SendableBox<BGTask>
  private let results: AsyncStream<Bool>

  init(_ make: (@escaping @Sendable (Bool) -> Void) -> BGTask) {
    let (results, continuation) = AsyncStream.makeStream(of: Bool.self)
    self.results = results
    task = SendableBox(
      make { success in
        continuation.yield(success)
        continuation.finish()
      })
  }

  /// What iOS shows of a continued task: its title, its subtitle, and the part that is done.
  public var shown: (title: String, subtitle: String, fraction: Double)? {
    guard let task = task.value as? BGContinuedProcessingTask else { return nil }
    return (task.title, task.subtitle, task.progress.fractionCompleted)
  }

  /// Ends the time of the task: its expiration handler is called, if it has set one.
  public func expire() { task.value.expirationHandler?() }

  /// Waits until the app completes the task, and returns whether it was successful.
  public func success() async -> Bool {
    for await success in results { return success }
    return false
  }
}
