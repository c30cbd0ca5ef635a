// What the lookup app's screen shows and does.
//
// Not for layout (LookupScreen), iOS's calls (LookupControl), and the words of errors (LookupNotice).

import Foundation
import Observation

#if canImport(SampleShared)
  import SampleShared
#endif

private nonisolated let texts = TextCatalog("Lookup")

/// The state of the lookup app's screen.
@MainActor @Observable
final class LookupModel {
  /// What the app knows about the extension.
  nonisolated enum Status: Equatable, Sendable {
    /// iOS has not been asked yet, or returned a status that this app does not know.
    case unknown
    /// The user has not enabled the extension.
    case off
    /// The extension is enabled.
    case enabled
  }

  /// What the app is waiting for.
  nonisolated enum Activity: Equatable, Sendable {
    case openingSettings, settingToken, refreshing, resetting
  }

  /// The token that the user enters, in Base64.
  var token = ""
  /// What the app knows about the extension.
  private(set) var status = Status.unknown
  /// What the app is waiting for; nil for nothing.
  private(set) var activity: Activity?
  /// Whether a token is set.
  private(set) var hasToken = false
  /// What was done last; empty for nothing.
  private(set) var done = ""
  /// What is wrong, and the way out; nil if all is well.
  private(set) var notice: LookupNotice?

  private let control: LookupControl?
  private let secondsMax: Double
  /// What failed last, and with which error; nil if nothing did.
  private var lastError: (during: Activity, error: any Error)?

  /// Creates the state of an app.
  ///
  /// - Parameters:
  ///   - control: nil if the app group, or the extension's identifier in Info.plist, is missing.
  ///   - secondsMax: how long to wait for iOS, which asks the server meanwhile.
  init(_ control: LookupControl?, secondsMax: Double = 60) {
    self.control = control
    self.secondsMax = secondsMax
    if control == nil { notice = .notSetUp }
  }

  // MARK: What is shown

  /// The name of the status.
  var statusText: String {
    switch status {
    case .unknown: texts("Unknown")
    case .off: texts("Off")
    case .enabled: texts("On")
    }
  }

  /// The SF Symbol of the status.
  var statusSymbol: String {
    switch status {
    case .unknown: "questionmark.circle"
    case .off: "xmark.circle"
    case .enabled: "checkmark.circle"
    }
  }

  /// What the status means for the user.
  var statusAdvice: String {
    switch status {
    case .unknown: texts("The app can’t tell whether lookup is on. Check it in Settings.")
    case .off: texts("Turn it on in Settings › Apps › Phone › Call Blocking & Identification.")
    case .enabled: texts("iOS asks the server about callers, without telling it who is calling.")
    }
  }

  /// Whether a token is set, in words.
  var tokenText: String { hasToken ? texts("Set") : texts("Not set") }

  /// What the app is waiting for, in words; empty for nothing.
  var activityText: String {
    switch activity {
    case .openingSettings: texts("Opening Settings…")
    case .settingToken: texts("Setting the token…")
    case .refreshing: texts("Refreshing…")
    case .resetting: texts("Resetting…")
    case nil: ""
    }
  }

  /// Whether Settings can be opened.
  var canOpenSettings: Bool { isReady }
  /// Whether the entered token can be set.
  var canSetToken: Bool { isReady && !trimmedToken.isEmpty }
  /// Whether the server's parameters can be refreshed: iOS has them only of extensions that are enabled.
  var canRefresh: Bool { isReady && status != .off }
  /// Whether the extension can be reset.
  var canReset: Bool { isReady && status != .off }

  private var isReady: Bool { control != nil && activity == nil }
  private var trimmedToken: String { token.trimmingCharacters(in: .whitespacesAndNewlines) }

  /// A report for support. It does not have the token.
  var diagnostics: Diagnostics {
    var report = Diagnostics()
    report.add("extension", control?.identifier ?? "not set up")
    report.add("status", "\(status)")
    report.add("token", hasToken ? "set" : "not set")
    if let lastError { report.add("last error, \(lastError.during)", error: lastError.error) }
    return report
  }

  // MARK: What is done

  /// Asks iOS for the status: the user may have been in Settings.
  func update() {
    guard let control else { return }
    status = control.status
    hasToken = !control.token.data.isEmpty
  }

  /// Opens the page of Settings on which the extension is enabled.
  func openSettings() async {
    await perform(.openingSettings, done: "") { try await $0.openSettings() }
  }

  /// Sets the token that the user has entered.
  func setToken() async {
    let token = trimmedToken
    let isSet = await perform(.settingToken, done: texts("The token is set.")) {
      try await $0.use(token: token)
    }
    // A secret does not stay on the screen.
    if isSet { self.token = "" }
  }

  /// Fetches the server's parameters.
  func refresh() async {
    await perform(.refreshing, done: texts("The server’s settings are up to date.")) {
      try await $0.refreshParameters()
    }
  }

  /// Removes what iOS has cached, and registers the extension again.
  func reset() async {
    await perform(.resetting, done: texts("Lookup was reset.")) { try await $0.reset() }
  }

  /// Does what the button of a notice offers.
  func follow(_ action: LookupNotice.Action) async {
    switch action {
    case .openSettings: await openSettings()
    case .setToken: await setToken()
    case .refresh: await refresh()
    case .reset: await reset()
    }
  }

  /// Does something, unless something else is being done. Returns whether it was successful.
  @discardableResult
  private func perform(
    _ activity: Activity, done: String, _ action: @escaping @Sendable (LookupControl) async throws -> Void
  ) async -> Bool {
    guard let control, self.activity == nil else { return false }
    self.activity = activity
    self.done = ""
    notice = nil
    var isDone = false
    do {
      try await withTimeLimit(seconds: secondsMax) { try await action(control) }
      self.done = done
      isDone = true
    } catch is CancellationError {
      // The user has left the screen: nothing to report.
    } catch {
      notice = LookupNotice(error, during: activity)
      lastError = (activity, error)
    }
    self.activity = nil
    update()
    return isDone
  }
}
