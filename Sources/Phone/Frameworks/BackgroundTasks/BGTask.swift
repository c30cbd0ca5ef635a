// The tasks that iOS starts in the background, and an app's requests for them. Names and signatures are Apple's; only the
// types for refreshing apps exist here.

public import Foundation
import Synchronization

/// A task that iOS has started.
open class BGTask: NSObject {
  private struct Progress {
    var expirationHandler: SendableHandler?
    var isCompleted = false
  }

  /// A handler that the phone calls on another thread, as iOS does.
  private struct SendableHandler: @unchecked Sendable {
    let run: () -> Void
  }

  /// The task's identifier.
  public let identifier: String
  private let state = Mutex(Progress())
  private let ended: @Sendable (Bool) -> Void

  /// Creates a task of a phone, which `ended` informs of the app's result.
  package init(identifier: String, ended: @escaping @Sendable (Bool) -> Void) {
    self.identifier = identifier
    self.ended = ended
  }

  /// Called when the time of the task has run out. The app has a few seconds to complete it then.
  open var expirationHandler: (() -> Void)? {
    get { state.withLock { $0.expirationHandler }?.run }
    set {
      let handler = newValue.map { SendableHandler(run: $0) }
      state.withLock { $0.expirationHandler = handler }
    }
  }

  /// Informs iOS that the task has ended. Only the first call counts.
  open func setTaskCompleted(success: Bool) {
    let isFirst = state.withLock { state in
      defer { (state.isCompleted, state.expirationHandler) = (true, nil) }
      return !state.isCompleted
    }
    if isFirst { ended(success) }
  }
}

/// A short task that updates what an app shows.
open class BGAppRefreshTask: BGTask {}

/// An app's request for a task.
open class BGTaskRequest: NSObject, NSCopying {
  /// The task's identifier.
  public let identifier: String
  /// The date before which the task is not started; nil for any time.
  open var earliestBeginDate: Date?

  init(identifier: String) {
    self.identifier = identifier
  }

  /// Returns a copy.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = BGTaskRequest(identifier: identifier)
    copy.earliestBeginDate = earliestBeginDate
    return copy
  }
}

/// A request for a short task that updates what an app shows.
open class BGAppRefreshTaskRequest: BGTaskRequest {
  /// Creates a request.
  public override init(identifier: String) { super.init(identifier: identifier) }
}
