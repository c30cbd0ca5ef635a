// What the message filter's screen shows and does.
//
// Not for layout (FilterScreen) and not for the words of errors (FilterNotice). iOS does not report whether the user
// has enabled a message filter, so nothing here claims to know it.

import Foundation
import IdentityLookup
import Observation

#if canImport(SampleShared)
  import SampleShared
#endif

private nonisolated let texts = TextCatalog("Filter")

/// A row of the screen.
nonisolated struct FilterRow: Equatable, Sendable {
  /// The name of an SF Symbol.
  var symbol: String
  /// What it is about.
  var title: String
  /// More about it.
  var detail: String
}

/// The state of the message filter's screen.
@MainActor @Observable
final class FilterModel {
  /// The age from which the rules are updated when the app is opened, in seconds.
  nonisolated static let updateSeconds = 86_400.0

  /// The sender of the message to try.
  var sender = ""
  /// The text of the message to try.
  var text = ""
  /// What iOS answered when it was asked for the next nightly update; nil before.
  var schedule: UpdateSchedule?
  /// The result of the last update in this run of the app; nil before, and after an error.
  private(set) var outcome: RulesUpdate.Outcome?

  private var installed: InstalledRules
  private var error: RulesUpdateError?
  private var record: UpdateRecord?
  private var updating: Task<Bool, Never>?

  private let folders: RulesFolders
  private let trust: RulesTrust
  private let updater: RulesUpdate?
  private let server: String?
  private let receiver: String?
  private let systemVersion: Int
  private let dates: Date.FormatStyle

  /// Creates the state of an app.
  ///
  /// - Parameters:
  ///   - folders: where the rules are.
  ///   - updater: downloads rules; nil if the app has only those in its bundle.
  ///   - setupError: why the app can't download rules although it should.
  ///   - server: the host that iOS asks about messages that no rule matches; nil if there is none.
  ///   - receiver: the country of the user's line, as two letters. Only the filter knows it; an app can guess.
  ///   - systemVersion: the major version of iOS.
  ///   - dates: how dates are written.
  init(
    folders: RulesFolders, updater: RulesUpdate?, setupError: RulesUpdateError? = nil, server: String?,
    receiver: String? = nil, systemVersion: Int = 18,
    dates: Date.FormatStyle = Date.FormatStyle(date: .abbreviated, time: .shortened)
  ) {
    self.folders = folders
    trust = updater?.trust ?? RulesTrust()
    self.updater = updater
    self.server = server
    self.receiver = receiver
    self.systemVersion = systemVersion
    self.dates = dates
    error = setupError
    installed = InstalledRules(in: folders, trust: trust)
    record = updater?.record
  }

  /// Creates the state of the running app, from its Info.plist and its bundle.
  convenience init(of bundle: Bundle = .main) {
    var updater: RulesUpdate?
    var setupError: RulesUpdateError?
    do throws(RulesUpdateError) { updater = try RulesUpdate(of: bundle) } catch { setupError = error }
    let region = Locale.current.region?.identifier
    self.init(
      folders: RulesFolders(of: bundle), updater: updater, setupError: setupError,
      server: FilterServer.host(in: bundle), receiver: region?.count == 2 ? region : nil,
      systemVersion: ProcessInfo.processInfo.operatingSystemVersion.majorVersion)
  }

  // MARK: Rules

  /// The rules that the filter uses.
  var rules: FilterRow {
    switch installed.origin {
    case nil:
      return FilterRow(
        symbol: "exclamationmark.triangle", title: texts("No rules"),
        detail: server == nil
          ? texts("No message is filtered.") : texts("The server decides about all messages."))
    case .bundle:
      return FilterRow(symbol: "list.bullet.rectangle", title: count, detail: texts("Came with the app"))
    case .downloaded:
      let detail =
        record.map { texts("Downloaded on %@", string(date($0.downloaded))) } ?? texts("Downloaded")
      return FilterRow(symbol: "list.bullet.rectangle", title: count, detail: detail)
    }
  }

  private var count: String { texts("%lld rules", installed.rules.ruleCount) }

  /// What happens to messages that no rule matches.
  var undecided: String {
    guard let server else { return texts("Messages that no rule matches are shown.") }
    return texts("Messages that no rule matches are sent to %@, which decides.", string(server))
  }

  // MARK: A message to try

  /// What the filter would do with the message; nil while there is none.
  var trial: FilterRow? {
    let sender = sender.trimmingCharacters(in: .whitespacesAndNewlines)
    if sender.isEmpty, text.isEmpty { return nil }
    let (verdict, rule) = installed.rules.decision(sender: sender, body: text, receiver: receiver)
    let detail = rule.map { texts("Rule: %@", string($0)) } ?? ""
    switch verdict.action {
    case .junk: return FilterRow(symbol: "xmark.bin", title: texts("Junk"), detail: detail)
    case .promotion, .transaction:
      return FilterRow(
        symbol: verdict.action == .promotion ? "megaphone" : "arrow.left.arrow.right",
        title: verdict.name, detail: detail)
    case .allow: return FilterRow(symbol: "checkmark.circle", title: texts("Allowed"), detail: detail)
    default:
      guard let server else {
        return FilterRow(symbol: "checkmark.circle", title: texts("Shown"), detail: texts("No rule matches."))
      }
      return FilterRow(
        symbol: "questionmark.circle", title: texts("The server is asked"),
        detail: texts("No rule matches. iOS sends the message to %@.", string(server)))
    }
  }

  // MARK: Enabling

  /// How the user enables the filter. iOS has no link to that page of Settings.
  var steps: [String] {
    [
      texts("Open Settings › Apps › Messages.")
    ]
      + (systemVersion >= 26
        ? [
          texts("Turn on Screen Unknown Senders. Until then, Text Message Filter is greyed out."),
          texts("Tap Text Message Filter."),
        ] : [texts("Tap Unknown & Spam.")]) + [texts("Choose this app.")]
  }

  /// What the user should know about the filter.
  var notes: [String] {
    (systemVersion >= 26 ? [texts("After an upgrade to iOS 26, the filter has to be chosen again.")] : [])
      + [
        texts("iOS doesn’t tell apps whether their filter is on."),
        texts("It asks the filter only about senders that are not in your contacts."),
        texts(
          "iMessages are never filtered, and neither are text messages that other devices receive from this iPhone."
        ),
      ]
  }

  // MARK: Updates

  /// Whether an update is in progress.
  var isUpdating: Bool { updating != nil }

  /// Whether the app downloads rules.
  var hasUpdates: Bool { updater != nil }

  /// Whether an update can be started.
  var canUpdate: Bool { hasUpdates && !isUpdating }

  /// When the server was last asked.
  var lastUpdate: String { record.map { date($0.checked) } ?? texts("Never") }

  /// What the update does or did; empty if there was none in this run of the app.
  var updateStatus: String {
    if isUpdating { return texts("Updating…") }
    switch outcome {
    case .updated: return texts("The filter uses the new rules.")
    case .upToDate: return texts("The rules are up to date.")
    case nil: return ""
    }
  }

  /// When the rules are updated without the user; empty if that is not known yet.
  var nightly: String {
    switch schedule {
    case .scheduled: texts("The rules are updated in the background, usually once a day.")
    case .off:
      texts("Background App Refresh is off in Settings. The rules are updated when you open the app.")
    case .refused(let code):
      texts(
        "iOS does not schedule updates (error %@). The rules are updated when you open the app.",
        string(String(code)))
    case nil: ""
    }
  }

  /// A report for support.
  var diagnostics: Diagnostics {
    var report = Diagnostics()
    report.add("rules", "\(installed.origin.map { "\($0)" } ?? "none"), \(installed.rules.ruleCount)")
    report.add("rules error", error: installed.rules.error)
    report.add("downloaded rules error", error: installed.downloadError)
    report.add("missing stores", installed.rules.missingStores.count)
    for (name, folder) in [("downloaded rules", folders.group), ("bundled rules", folders.bundle)] {
      guard let folder else { continue }
      report.add(name, file: folder.appendingPathComponent(RulesFolders.fileName).path)
    }
    report.add("server", server == nil ? "no" : "yes")
    report.add("last update", at: record?.checked)
    report.add("last error", error.map { "\($0)" } ?? "none")
    report.add("nightly update", schedule.map { "\($0)" } ?? "not asked for")
    return report
  }

  /// What is wrong, and the way out; nil if all is well.
  var notice: FilterNotice? {
    if isUpdating { return nil }
    if let error { return FilterNotice(error) }
    return FilterNotice(installed, hasUpdates: hasUpdates)
  }

  /// Shows the state of the rules, and updates them if the server was not asked for a day: the nightly update did not
  /// run, or there was none yet.
  func start() async {
    if isUpdating { return }
    refresh()
    if let record, Date().timeIntervalSince(record.checked) < Self.updateSeconds { return }
    await update()
  }

  /// Updates the rules. If an update is in progress, waits for its end. Returns whether the server was asked, and the
  /// filter has its rules.
  @discardableResult
  func update() async -> Bool {
    if let updating { return await updating.value }
    guard let updater else { return false }
    let task = Task { await update(with: updater) }
    updating = task
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Ends the update. The rules stay as they are.
  func cancel() { updating?.cancel() }

  private func update(with updater: RulesUpdate) async -> Bool {
    outcome = nil
    error = nil
    do throws(RulesUpdateError) {
      outcome = try await updater.run()
    } catch {
      if error != .cancelled { self.error = error }
    }
    updating = nil
    refresh()
    return outcome != nil
  }

  /// Reads the rules again: another run of the app may have updated them, in the background.
  func refresh() {
    installed = InstalledRules(in: folders, trust: trust)
    record = updater?.record
  }

  private func date(_ date: Date) -> String { date.formatted(dates) }

  /// A value for `%@`. On Linux, a string is not one.
  private func string(_ text: String) -> NSString { NSString(string: text) }
}
