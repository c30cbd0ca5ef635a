// Keeps a long load going: the screen stays on, and the app has time after the user has left it. Not for loading
// (ReloadRun).

import BackgroundTasks
import Foundation
import UIKit

/// What a load has of iOS while it runs.
@MainActor
public final class LongLoad {
  /// The load that is running.
  private static weak var current: LongLoad?
  /// The identifier of the task that iOS shows, if it is registered: iOS ends an app that requests another one.
  private static var identifier: String?
  /// The units of the progress that iOS shows.
  private static let units = 100_000

  private let title: String
  private let cancel: @MainActor () -> Void
  private var time = UIBackgroundTaskIdentifier.invalid
  private var task: ContinuedTask?
  private var shown: DirectoryProgress?

  /// Registers the task with which a load goes on in the background from iOS 26 on, with its progress on the screen: once,
  /// when the app is launched. Info.plist names it in `BGTaskSchedulerPermittedIdentifiers`. Returns whether there will be
  /// one.
  @discardableResult
  public static func register(_ identifier: String = (Bundle.main.bundleIdentifier ?? "") + ".load") -> Bool {
    guard #available(iOS 26.0, *) else { return false }
    let isRegistered = BGTaskScheduler.shared.register(forTaskWithIdentifier: identifier, using: nil) {
      @Sendable task in
      let running = ContinuedTask(task)
      Task { @MainActor in
        // The load may have ended before iOS started the task.
        if let current { current.adopt(running) } else { running.end(success: true) }
      }
    }
    Self.identifier = isRegistered ? identifier : nil
    return isRegistered
  }

  /// Begins a load. `isRequested`: the user has just asked for it, so that iOS may show it as a task of the user's.
  /// `cancel` ends it, when the user or iOS does so.
  init(_ title: String, isRequested: Bool, cancel: @escaping @MainActor () -> Void) {
    self.title = title
    self.cancel = cancel
    let app = UIApplication.shared
    // In the background, the task of iOS that started the update is enough.
    guard app.applicationState != .background else { return }
    app.isIdleTimerDisabled = true
    time = app.beginBackgroundTask(withName: "load") { [weak self] in self?.endTime() }
    Self.current = self
    if isRequested, #available(iOS 26.0, *), let identifier = Self.identifier {
      let request = BGContinuedProcessingTaskRequest(identifier: identifier, title: title, subtitle: "")
      request.strategy = .fail
      // Without it, the load goes on for as long as the app has time, and continues when it is opened again.
      try? BGTaskScheduler.shared.submit(request)
    }
  }

  /// Shows how far the load is.
  func show(_ progress: DirectoryProgress) {
    shown = progress
    let subtitle = [progress.text, progress.remaining].compactMap { $0 }.joined(separator: ", ")
    task?.show(
      title, subtitle, done: Int64((progress.fraction ?? 0) * Double(Self.units)), of: Int64(Self.units))
  }

  /// Ends what the load has of iOS.
  func end(success: Bool) {
    if Self.current === self {
      Self.current = nil
      UIApplication.shared.isIdleTimerDisabled = false
    }
    endTime()
    task?.end(success: success)
    task = nil
  }

  private func adopt(_ task: ContinuedTask) {
    self.task = task
    task.onExpiration { [weak self] in self?.cancel() }
    if let shown { show(shown) }
  }

  private func endTime() {
    guard time != .invalid else { return }
    UIApplication.shared.endBackgroundTask(time)
    time = .invalid
  }
}

/// A task of iOS that shows the progress of a load. It is ended once, by the load or by its expiration.
///
/// `@unchecked Sendable`: `BGTask` is not Sendable; it is used under the lock.
private nonisolated final class ContinuedTask: @unchecked Sendable {
  private let lock = NSLock()
  private var task: BGTask?

  init(_ task: BGTask) { self.task = task }

  func show(_ title: String, _ subtitle: String, done: Int64, of total: Int64) {
    guard #available(iOS 26.0, *) else { return }
    lock.withLock {
      guard let task = task as? BGContinuedProcessingTask else { return }
      task.updateTitle(title, subtitle: subtitle)
      task.progress.totalUnitCount = total
      task.progress.completedUnitCount = done
    }
  }

  /// Calls a handler when the user ends the task, or iOS does. What iOS is loading goes on.
  func onExpiration(_ handler: @escaping @MainActor @Sendable () -> Void) {
    lock.withLock {
      task?.expirationHandler = {
        Task { await handler() }
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
