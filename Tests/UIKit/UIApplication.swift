// A stand-in for UIKit, with what the sample apps use of it beside their screens: time in the background, a screen that
// stays on, and the pasteboard. Names and signatures are Apple's.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

@MainActor
open class UIApplication: NSObject {
  public enum State: Int, Sendable {
    case active = 0
    case inactive = 1
    case background = 2
  }

  public static let openSettingsURLString = "app-settings:"

  private static let only = UIApplication()
  private var expirationHandlers: [UIBackgroundTaskIdentifier: (@MainActor @Sendable () -> Void)?] = [:]
  private var lastTask = 0

  open class var shared: UIApplication { only }

  /// Whether the screen stays on while nobody touches it.
  open var isIdleTimerDisabled = false

  open private(set) var applicationState = State.active

  /// Asks for time in the background. The handler is called when it has run out; the app is ended if the task is not.
  open func beginBackgroundTask(
    withName name: String? = nil, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> UIBackgroundTaskIdentifier {
    lastTask += 1
    let identifier = UIBackgroundTaskIdentifier(rawValue: lastTask)
    expirationHandlers.updateValue(handler, forKey: identifier)
    return identifier
  }

  open func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
    expirationHandlers[identifier] = nil
  }

  // MARK: The phone's side

  /// The number of tasks for which the app has asked for time in the background.
  package var backgroundTaskCount: Int { expirationHandlers.count }

  package func set(_ state: State) { applicationState = state }

  package func expireBackgroundTasks() {
    for handler in expirationHandlers.values { handler?() }
  }
}

@MainActor
open class UIPasteboard: NSObject {
  private static let only = UIPasteboard()

  open class var general: UIPasteboard { only }

  open var string: String?
}
