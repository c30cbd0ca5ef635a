// The update that iOS starts at night, while the app is not in use. Not for what an update does: each app has its own.

#if canImport(BackgroundTasks)

  import BackgroundTasks
  import Foundation

  /// Updates an app's data at night, with a task for refreshing apps.
  ///
  /// Info.plist names the task in `BGTaskSchedulerPermittedIdentifiers`, and `fetch` in `UIBackgroundModes`.
  public nonisolated struct NightlyUpdate: Sendable {
    /// The hour from which iOS may start the task; it decides when, according to charge, network and use of the app.
    static let hour = 3

    /// The identifier of the task.
    public let identifier: String
    private let update: @Sendable () async -> Bool

    /// Creates the task. `update` returns whether it was successful.
    public init(
      identifier: String = (Bundle.main.bundleIdentifier ?? "") + ".update",
      _ update: @escaping @Sendable () async -> Bool
    ) {
      self.identifier = identifier
      self.update = update
    }

    /// Registers the task: once, before the app has launched. Returns false if Info.plist does not permit it.
    @discardableResult
    public func register() -> Bool {
      BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) { @Sendable task in
        run(task)
      }
    }

    /// Asks iOS for the next update, instead of an earlier request. Returns false if the owner has turned Background App
    /// Refresh off.
    @discardableResult
    public func schedule(after date: Date = Date()) -> Bool {
      let request = BGAppRefreshTaskRequest(identifier: identifier)
      request.earliestBeginDate = Calendar.current.nextDate(
        after: date, matching: DateComponents(hour: Self.hour), matchingPolicy: .nextTime)
      do {
        try BGTaskScheduler.shared.submit(request)
        return true
      } catch {
        return false
      }
    }

    private func run(_ task: BGTask) {
      // First, so that an update that is ended does not end all others.
      schedule()
      let running = RunningTask(task)
      let work = Task { running.end(success: await update()) }
      task.expirationHandler = {
        work.cancel()
        // Ending an update may take longer than iOS waits: what is loading goes on in iOS.
        running.end(success: false)
      }
    }
  }

  /// A task of iOS that has started. It is ended once, by whichever comes first: its end or its expiration.
  ///
  /// `@unchecked Sendable`: `BGTask` is not Sendable; it is used under the lock.
  private nonisolated final class RunningTask: @unchecked Sendable {
    private let lock = NSLock()
    private var task: BGTask?

    init(_ task: BGTask) {
      self.task = task
    }

    func end(success: Bool) {
      lock.withLock {
        task?.setTaskCompleted(success: success)
        task = nil
      }
    }
  }

#endif
