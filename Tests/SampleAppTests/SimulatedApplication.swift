// The app of this process, as a phone sees it. A file of its own: one that imports Testing can't import UIKit, too, because
// Testing has an overlay for UIKit's images that needs the real one.

import UIKit

/// The app of this process, as a phone sees it.
@MainActor
enum SimulatedApplication {
  /// Whether the app keeps the screen on.
  static var keepsScreenOn: Bool { UIApplication.shared.isIdleTimerDisabled }

  /// The number of tasks for which the app has asked for time in the background.
  static var backgroundTaskCount: Int { UIApplication.shared.backgroundTaskCount }

  /// Sets whether the owner has left the app.
  static func setInBackground(_ isInBackground: Bool) {
    UIApplication.shared.set(isInBackground ? .background : .active)
  }

  /// Ends the time in the background: calls the expiration handlers.
  static func expireBackgroundTime() { UIApplication.shared.expireBackgroundTasks() }
}
