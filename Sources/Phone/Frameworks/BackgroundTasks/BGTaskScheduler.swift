// The tasks that iOS starts in the background, and an app's requests for them. Names and signatures are Apple's.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import AppExtensions
public import Dispatch
public import Foundation
import Synchronization

open class BGTaskScheduler: NSObject {
  public typealias Error = BridgedError<ErrorCode>

  public enum ErrorCode: Int, BridgedErrorCode {
    case unavailable = 1
    case tooManyPendingTaskRequests = 2
    case notPermitted = 3
    case immediateRunIneligible = 4

    public static var errorDomain: String { "BGTaskSchedulerErrorDomain" }
  }

  private static let only = SendableBox(BGTaskScheduler())

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
    if let code = phone.submit(taskRequest) { throw Error(code) }
  }

  open func cancel(taskRequestWithIdentifier identifier: String) {
    InstalledBackgroundPhone.phone?.cancel(identifier)
  }
}

package protocol BackgroundPhone: Sendable {
  func register(
    _ identifier: String, on queue: DispatchQueue, _ handler: @escaping @Sendable (BGTask) -> Void
  ) -> Bool
  func submit(_ request: BGTaskRequest) -> BGTaskScheduler.Error.Code?
  func cancel(_ identifier: String)
}

package enum InstalledBackgroundPhone {
  private static let installed = Mutex<(any BackgroundPhone)?>(nil)

  package static var phone: (any BackgroundPhone)? { installed.withLock { $0 } }

  package static func install(_ phone: (any BackgroundPhone)?) { installed.withLock { $0 = phone } }
}

open class BGTask: NSObject {
  private struct Handling {
    var expirationHandler: SendableHandler?
    var isCompleted = false
  }

  /// A handler that the phone calls on another thread, as iOS does.
  private struct SendableHandler: @unchecked Sendable {
    let run: () -> Void
  }

  public let identifier: String
  private let state = Mutex(Handling())
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

open class BGAppRefreshTask: BGTask {}

/// A task that may take minutes. iOS starts it when the device is idle.
open class BGProcessingTask: BGTask {}

/// A task that the owner has started in the app, and that goes on in the background. iOS shows its progress.
open class BGContinuedProcessingTask: BGTask {
  private let titles: Mutex<(title: String, subtitle: String)>
  public let progress = Progress(totalUnitCount: 0)

  package init(
    identifier: String, title: String, subtitle: String, ended: @escaping @Sendable (Bool) -> Void
  ) {
    titles = Mutex((title, subtitle))
    super.init(identifier: identifier, ended: ended)
  }

  open var title: String { titles.withLock { $0.title } }
  open var subtitle: String { titles.withLock { $0.subtitle } }

  open func updateTitle(_ title: String, subtitle: String) { titles.withLock { $0 = (title, subtitle) } }
}

open class BGTaskRequest: NSObject, NSCopying {
  public let identifier: String
  open var earliestBeginDate: Date?

  init(identifier: String) { self.identifier = identifier }

  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = BGTaskRequest(identifier: identifier)
    copy.earliestBeginDate = earliestBeginDate
    return copy
  }
}

open class BGAppRefreshTaskRequest: BGTaskRequest {
  public override init(identifier: String) { super.init(identifier: identifier) }
}

open class BGProcessingTaskRequest: BGTaskRequest {
  open var requiresNetworkConnectivity = false
  open var requiresExternalPower = false

  public override init(identifier: String) { super.init(identifier: identifier) }
}

open class BGContinuedProcessingTaskRequest: BGTaskRequest {
  public enum SubmissionStrategy: Int, Sendable {
    /// The request is refused if the task can't start at once.
    case fail = 0
    case queue = 1
  }

  open var title: String
  open var subtitle: String
  open var strategy = SubmissionStrategy.queue

  public init(identifier: String, title: String, subtitle: String) {
    self.title = title
    self.subtitle = subtitle
    super.init(identifier: identifier)
  }
}
