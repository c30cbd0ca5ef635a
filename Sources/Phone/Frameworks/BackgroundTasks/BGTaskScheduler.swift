// The tasks that iOS starts in the background, and an app's requests for them. Names and signatures are Apple's; only
// the types for refreshing apps exist here.

public import AppExtensions
public import Dispatch
public import Foundation
import Synchronization

/// Registers the handlers of tasks, and accepts requests for them.
open class BGTaskScheduler: NSObject {
  /// Why a request was refused.
  public struct Error: BridgedErrorStruct {
    /// The code of an error.
    public enum Code: Int, BridgedErrorCode {
      /// The error struct of the code.
      public typealias ErrorStruct = BGTaskScheduler.Error
      /// The owner has turned Background App Refresh off.
      case unavailable = 1
      /// Too many tasks of the type are pending.
      case tooManyPendingTaskRequests = 2
      /// Info.plist does not permit the task.
      case notPermitted = 3
    }

    /// The domain of the errors.
    public static var errorDomain: String { "BGTaskSchedulerErrorDomain" }
    /// The code.
    public let code: Code
    /// The error as an object.
    public let nsError: NSError

    /// Creates an error from a code and the corresponding object.
    public init(code: Code, nsError: NSError) {
      self.code = code
      self.nsError = nsError
    }
  }

  private static let only = SendableBox(BGTaskScheduler())

  /// The shared scheduler.
  open class var shared: BGTaskScheduler { only.value }

  /// Registers the handler of a task, before the app has launched. Returns false if the task is not permitted. Without a
  /// queue, the handler runs on a queue in the background.
  // As with every function from Objective-C, the result may be ignored.
  @discardableResult
  open func register(
    forTaskWithIdentifier identifier: String, using queue: DispatchQueue?,
    launchHandler: @escaping @Sendable (BGTask) -> Void
  ) -> Bool {
    guard let phone = InstalledBackgroundPhone.phone else { return false }
    return phone.register(identifier, on: queue ?? .global(), launchHandler)
  }

  /// Requests a task, instead of an earlier request with its identifier.
  open func submit(_ taskRequest: BGTaskRequest) throws {
    guard let phone = InstalledBackgroundPhone.phone else { throw Error(.unavailable) }
    if let code = phone.submit(taskRequest.identifier, earliest: taskRequest.earliestBeginDate) {
      throw Error(code)
    }
  }

  /// Withdraws a request.
  open func cancel(taskRequestWithIdentifier identifier: String) {
    InstalledBackgroundPhone.phone?.cancel(identifier)
  }
}

package protocol BackgroundPhone: Sendable {
  /// Registers a handler. Returns false if the task is not permitted.
  func register(
    _ identifier: String, on queue: DispatchQueue, _ handler: @escaping @Sendable (BGTask) -> Void
  ) -> Bool
  /// Accepts a request; returns the code of an error otherwise.
  func submit(_ identifier: String, earliest: Date?) -> BGTaskScheduler.Error.Code?
  func cancel(_ identifier: String)
}

package enum InstalledBackgroundPhone {
  private static let installed = Mutex<(any BackgroundPhone)?>(nil)

  package static var phone: (any BackgroundPhone)? { installed.withLock { $0 } }

  package static func install(_ phone: (any BackgroundPhone)?) { installed.withLock { $0 = phone } }
}

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

  init(identifier: String) { self.identifier = identifier }

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
