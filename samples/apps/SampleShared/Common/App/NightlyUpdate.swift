// The updates that iOS starts in the background, while the app is not in use. Not for what an update does: each app has its
// own.

#if canImport(BackgroundTasks)

  import BackgroundTasks
  import Foundation

  /// What iOS answered when it was asked for an update in the background.
  public nonisolated enum UpdateSchedule: Equatable, Sendable {
    /// iOS will start the update.
    case scheduled
    /// The user has turned Background App Refresh off, for this app or for all.
    case off
    /// iOS refused the request, with a code of `BGTaskScheduler.Error`.
    case refused(code: Int)

    init(submitting request: BGTaskRequest) {
      do {
        try BGTaskScheduler.shared.submit(request)
        self = .scheduled
      } catch {
        let code = (error as NSError).code
        #if targetEnvironment(simulator)
          // The Simulator never schedules updates, whatever the user has turned on.
          self = .refused(code: code)
        #else
          self = code == BGTaskScheduler.Error.Code.unavailable.rawValue ? .off : .refused(code: code)
        #endif
      }
    }

    /// Info.plist does not permit the task.
    static var notPermitted: UpdateSchedule {
      .refused(code: BGTaskScheduler.Error.Code.notPermitted.rawValue)
    }
  }

  /// Updates an app's data at night, with a task for refreshing apps, which has half a minute.
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

    /// Registers the task, and asks iOS for the next update: once, before the app has launched.
    public func start() -> UpdateSchedule {
      let isRegistered = BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) {
        @Sendable task in
        // First, so that an update that is ended does not end all others.
        schedule()
        RunningTask(task).run(update)
      }
      return isRegistered ? schedule() : .notPermitted
    }

    /// Asks iOS for the next update, instead of an earlier request.
    @discardableResult
    func schedule(after date: Date = Date()) -> UpdateSchedule {
      let request = BGAppRefreshTaskRequest(identifier: identifier)
      request.earliestBeginDate = Calendar.current.nextDate(
        after: date, matching: DateComponents(hour: Self.hour), matchingPolicy: .nextTime)
      return UpdateSchedule(submitting: request)
    }
  }

  /// The first update, which loads a whole list: with a task for processing, which may take minutes. iOS starts it while
  /// the device is not in use. It is asked for again until it was successful.
  ///
  /// Info.plist names the task in `BGTaskSchedulerPermittedIdentifiers`, and `processing` in `UIBackgroundModes`.
  public nonisolated struct FirstUpdate: Sendable {
    /// The identifier of the task.
    public let identifier: String
    private let update: @Sendable () async -> Bool

    /// Creates the task. `update` returns whether it was successful.
    public init(
      identifier: String = (Bundle.main.bundleIdentifier ?? "") + ".first",
      _ update: @escaping @Sendable () async -> Bool
    ) {
      self.identifier = identifier
      self.update = update
    }

    /// Registers the task: once, before the app has launched. If it is needed, asks iOS for it.
    @discardableResult
    public func start(isNeeded: Bool) -> UpdateSchedule {
      let isRegistered = BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) {
        @Sendable task in
        schedule()
        RunningTask(task).run {
          guard await update() else { return false }
          BGTaskScheduler.shared.cancel(taskRequestWithIdentifier: identifier)
          return true
        }
      }
      guard isRegistered else { return .notPermitted }
      return isNeeded ? schedule() : .scheduled
    }

    @discardableResult
    private func schedule() -> UpdateSchedule {
      let request = BGProcessingTaskRequest(identifier: identifier)
      request.requiresNetworkConnectivity = true
      return UpdateSchedule(submitting: request)
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

    func run(_ update: @escaping @Sendable () async -> Bool) {
      let work = Task { end(success: await update()) }
      lock.withLock {
        task?.expirationHandler = {
          work.cancel()
          // Ending an update may take longer than iOS waits: what is loading goes on in iOS.
          self.end(success: false)
        }
      }
    }

    func end(success: Bool) {
      lock.withLock {
        task?.setTaskCompleted(success: success)
        task = nil
      }
    }
  }

#endif
