// An app's interface to its background tasks.

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

/// The implementation of the scheduler.
package protocol BackgroundPhone: Sendable {
  /// Registers a handler. Returns false if the task is not permitted.
  func register(
    _ identifier: String, on queue: DispatchQueue, _ handler: @escaping @Sendable (BGTask) -> Void
  ) -> Bool
  /// Accepts a request; returns the code of an error otherwise.
  func submit(_ identifier: String, earliest: Date?) -> BGTaskScheduler.Error.Code?
  /// Withdraws a request.
  func cancel(_ identifier: String)
}

/// The installed phone for background tasks.
package enum InstalledBackgroundPhone {
  private static let installed = Mutex<(any BackgroundPhone)?>(nil)

  /// The phone; nil if none is installed.
  package static var phone: (any BackgroundPhone)? { installed.withLock { $0 } }

  /// Installs a phone, replacing the previous one; nil for none.
  package static func install(_ phone: (any BackgroundPhone)?) {
    installed.withLock { $0 = phone }
  }
}
