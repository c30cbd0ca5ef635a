// What the screen of an app with Call Directory extensions shows: a row per extension, the progress of loading, the
// lookup of a number, and what has gone wrong. The app's own model drives it. Not for layout (DirectoryScreen).

import CallDirectory
import CallDirectoryKit
import CallKit
import Foundation
import Observation

private nonisolated let texts = TextCatalog("Directory")

/// The progress of an update or a load.
public nonisolated struct DirectoryProgress: Equatable, Sendable {
  /// What is being done.
  public var text: String
  /// The part that is done, from 0 to 1; nil if unknown.
  public var fraction: Double?
  /// The estimated remaining time; nil if unknown.
  public var remaining: String?
}

/// A message with a way out.
public nonisolated struct DirectoryNotice: Equatable, Sendable {
  /// What a button beside the message does.
  public enum Action: Equatable, Sendable {
    /// Repeats what was not successful.
    case retry
    /// Opens the page of Settings on which extensions are turned on.
    case openSettings
  }

  /// What has happened.
  public let text: String
  /// What the user can do.
  public let remedy: String
  /// The button beside the message; nil for none.
  public let action: Action?

  /// Creates a message.
  public init(_ text: String, remedy: String, action: Action? = .retry) {
    self.text = text
    self.remedy = remedy
    self.action = action
  }

  /// The app can't share files with its extensions.
  public static var missingAppGroup: DirectoryNotice {
    DirectoryNotice(
      texts("The app is not installed correctly: its app group is missing."),
      remedy: texts("Delete the app and install it again."), action: nil)
  }
}

/// The state of an app's Call Directory extensions, as the screen shows it.
@MainActor @Observable
public final class DirectoryModel {
  /// A row per extension, ordered by number.
  public private(set) var rows: [DirectoryRow]
  /// The progress of an update or a load; nil if there is none.
  public private(set) var progress: DirectoryProgress?
  /// What has gone wrong in the app; nil if nothing has.
  public var problem: DirectoryNotice?
  /// When the list was last updated; nil if it is not updated, or was not yet.
  public var lastUpdate: Date?
  /// The number to look up, as typed.
  public var query = "" { didSet { if query != oldValue { answer = nil } } }
  /// The answer to the lookup; nil before it.
  public private(set) var answer: NumberAnswer?

  private let extensions: [InstalledExtension]
  private let files: @MainActor (InstalledExtension) -> ExtensionFiles?
  private let times: ReloadTimes
  private let systemVersion: Int
  private let recorded: @MainActor (InstalledExtension) -> DirectoryRow.LoadState
  private var failures: [String: LoadErrorText] = [:]
  /// Why the last run failed; nil if it did not.
  private var lastError: (any Error)?
  /// The last report of the run, and when it arrived.
  private var step: (report: ReloadProgress, at: ContinuousClock.Instant)?

  /// Creates a model. `files` returns what an extension loads; nil for nothing.
  public convenience init(
    _ extensions: [InstalledExtension], times: ReloadTimes = ReloadTimes(),
    systemVersion: Int = ProcessInfo.processInfo.operatingSystemVersion.majorVersion,
    files: @escaping @MainActor (InstalledExtension) -> ExtensionFiles?
  ) {
    self.init(
      extensions, times, systemVersion, files: files, state: { own in DirectoryRow.LoadState(files(own)) })
  }

  /// Creates a model of extensions that load no stores. `state` returns what iOS has of an extension's numbers.
  public convenience init(
    _ extensions: [InstalledExtension], times: ReloadTimes = ReloadTimes(),
    systemVersion: Int = ProcessInfo.processInfo.operatingSystemVersion.majorVersion,
    state: @escaping @MainActor (InstalledExtension) -> DirectoryRow.LoadState
  ) {
    self.init(extensions, times, systemVersion, files: { _ in nil }, state: state)
  }

  private init(
    _ extensions: [InstalledExtension], _ times: ReloadTimes, _ systemVersion: Int,
    files: @escaping @MainActor (InstalledExtension) -> ExtensionFiles?,
    state: @escaping @MainActor (InstalledExtension) -> DirectoryRow.LoadState
  ) {
    self.extensions = extensions
    self.times = times
    self.systemVersion = systemVersion
    self.files = files
    recorded = state
    rows = extensions.map { own in
      DirectoryRow(
        id: own.identifier, name: own.name ?? texts("Extension %lld", own.index.number), state: state(own))
    }
  }

  // MARK: Texts

  /// How many extensions are loaded.
  public var summary: String {
    let wanted = rows.filter { $0.state != .empty }
    let loaded = wanted.filter { if case .loaded = $0.state { true } else { false } }
    return texts("%lld of %lld extensions loaded", loaded.count, wanted.count)
  }

  /// How many numbers iOS has loaded.
  public var numbersLoaded: Int {
    rows.reduce(0) { sum, row in if case .loaded(let count, _) = row.state { sum + count } else { sum } }
  }

  /// Whether something is not loaded that could be.
  public var needsLoading: Bool { rows.contains(where: \.needsLoading) }

  /// What the user should know: what has gone wrong, or else that extensions are off or not loaded. Nil if nothing, and
  /// while extensions are being loaded.
  public var notice: DirectoryNotice? {
    if let problem { return problem }
    if progress != nil { return nil }
    if rows.contains(where: { $0.state == .off }) {
      return DirectoryNotice(
        texts("Not all extensions are turned on."),
        remedy: texts("Turn on all extensions of this app in Settings."), action: .openSettings)
    }
    return needsLoading
      ? DirectoryNotice(texts("Not all extensions are loaded."), remedy: texts("Load them again.")) : nil
  }

  /// What iOS does with unknown callers beside the extensions; nil before iOS 26.
  public var screeningText: String? {
    guard systemVersion >= 26 else { return nil }
    return texts(
      "Contacts are never blocked. In Settings › Apps › Phone, iOS can also screen other unknown callers: it asks for the reason of the call, or silences it. Numbers that this app blocks don’t get that far."
    )
  }

  /// When the list was last updated.
  public var lastUpdateText: String {
    lastUpdate.map { texts("Last update: %@", Self.text($0) as NSString) } ?? texts("Not updated yet")
  }

  /// A date and time in the user's form.
  nonisolated static func text(_ date: Date) -> String {
    date.formatted(date: .abbreviated, time: .shortened)
  }

  // MARK: The extensions

  /// Asks iOS which extensions are turned on, and reads what they have loaded.
  public func refresh() async {
    let states = await states()
    // Since then, a run may have begun, which knows better.
    guard progress == nil else { return }
    for index in rows.indices { rows[index].state = states[index] }
  }

  /// Shows what a run has loaded, before another one may begin.
  private func endRun() async {
    let states = await states()
    for index in rows.indices { rows[index].state = states[index] }
    progress = nil
    step = nil
  }

  /// The states of all extensions. iOS is asked about all of them at once: if it does not answer, the user waits once.
  private func states() async -> [DirectoryRow.LoadState] {
    let seconds = times.statusSeconds
    let questions = extensions.map { own in
      let identifier = own.identifier
      return Task {
        try await CXCallDirectoryManager.sharedInstance.status(of: identifier, secondsMax: seconds)
      }
    }
    var states: [DirectoryRow.LoadState] = []
    for (own, question) in zip(extensions, questions) {
      states.append(state(of: own, await question.result))
    }
    return states
  }

  private func state(
    of own: InstalledExtension, _ status: Result<CXCallDirectoryManager.EnabledStatus, any Error>
  ) -> DirectoryRow.LoadState {
    let recorded = recorded(own)
    do {
      if try status.get() == .disabled { return .off }
    } catch ExtensionReloadError.noAnswer {
      return .failed(.noAnswer)
    } catch {
      let error = error as NSError
      return .failed(LoadErrorText(domain: error.domain, code: error.code))
    }
    // Once everything is loaded, an earlier failure does not matter.
    if recorded == .waiting || recorded == .empty, let failure = failures[own.identifier] {
      return .failed(failure)
    }
    return recorded
  }

  /// What loads extensions: it passes on the reports of a `ReloadRun`.
  public typealias Work = @Sendable (@escaping @Sendable (ReloadProgress) -> Void) async throws -> Void

  /// Runs what loads extensions, and shows its progress and its outcomes. If the task is cancelled, so is the work.
  ///
  /// - Parameters:
  ///   - text: what is being done before the first extension is loaded.
  ///   - isRequested: whether the user has just asked for it. Only then may it become a task that iOS
  ///     shows and continues in the background.
  public func run(_ text: String, isRequested: Bool = true, _ work: @escaping Work) async throws {
    progress = DirectoryProgress(text: text)
    problem = nil
    lastError = nil
    let (steps, continuation) = AsyncStream.makeStream(of: ReloadProgress.self)
    let task = Task {
      defer { continuation.finish() }
      try await work { continuation.yield($0) }
    }
    let load = LongLoad(text, isRequested: isRequested) { task.cancel() }
    // An extension may take a minute, and iOS ends a task whose progress stands still.
    let ticking = Task {
      while (try? await Task.sleep(for: Self.progressPause)) != nil {
        showTime()
        if let progress { load.show(progress) }
      }
    }
    let result = await withTaskCancellationHandler {
      // The stream ends with the work, not with this task: a cancelled run still reports what was loaded.
      await Task {
        for await step in steps {
          show(step)
          if let progress { load.show(progress) }
        }
      }.value
      ticking.cancel()
      return await task.result
    } onCancel: {
      task.cancel()
    }
    await endRun()
    load.end(success: !needsLoading)
    if case .failure(let error) = result { lastError = error }
    try result.get()
  }

  private func show(_ step: ReloadProgress) {
    for (place, identifier) in step.identifiers.enumerated() {
      guard let index = rows.firstIndex(where: { $0.id == identifier }) else { continue }
      let outcome = place < step.outcomes.count ? step.outcomes[place] : nil
      failures[identifier] = outcome?.failure
      rows[index].state =
        switch outcome {
        case .loaded: recorded(extensions[index])
        case .disabled: .off
        case .failed(let domain, let code): .failed(LoadErrorText(domain: domain, code: code))
        case .noAnswer: .failed(.noAnswer)
        case .cancelled: .waiting
        case nil: place == step.index ? .loading : .waiting
        }
    }
    guard step.index < step.count else { return }
    self.step = (step, .now)
    showTime()
  }

  /// The time after which the progress within an extension is shown again.
  private static let progressPause = Duration.seconds(1)

  /// Shows how far the run is, also while one extension is being loaded.
  private func showTime() {
    guard progress != nil, let (step, start) = step else { return }
    let elapsed = Double((ContinuousClock.now - start).components.seconds)
    progress = DirectoryProgress(
      text: texts("Loading %lld of %lld", step.index + 1, step.count),
      fraction: step.fraction(after: elapsed),
      remaining: Self.remaining(step.secondsLeft - min(elapsed, step.secondsOfCurrent)))
  }

  /// The remaining time in the user's form: minutes, or seconds if it is less than a minute.
  private static func remaining(_ seconds: Double) -> String? {
    guard seconds.isFinite, seconds >= 0, seconds < 86_400 else { return nil }
    let time = Duration.seconds(max(1, seconds.rounded(.up)))
    let text = time.formatted(
      .units(allowed: [.hours, .minutes, .seconds], width: .wide, maximumUnitCount: 1))
    return texts("About %@ left", text as NSString)
  }

  // MARK: Diagnostics

  /// A report for support: the state of each extension, its last error, and the sizes of its files.
  public var diagnostics: Diagnostics {
    var report = Diagnostics()
    report.add("last update", at: lastUpdate)
    report.add("last error", error: lastError)
    for (row, own) in zip(rows, extensions) {
      let name = "extension \(own.index.number)"
      report.add(name, row.state.report)
      if let error = failures[own.identifier]?.error { report.add("\(name) error", error) }
      guard let files = files(own) else { continue }
      report.add("\(name) store", file: files.store)
      for (place, path) in files.deltas.enumerated() { report.add("\(name) delta \(place + 1)", file: path) }
      report.add("\(name) record", file: files.record)
    }
    return report
  }

  // MARK: Lookups

  /// Looks the typed number up in the files of all extensions.
  public func lookUp() {
    answer = query.isEmpty ? nil : NumberAnswer(to: query, in: extensions.compactMap { files($0) })
  }

  // MARK: Settings

  /// Opens the page of Settings on which extensions are turned on.
  public func openSettings() async {
    do {
      try await withTimeLimit(seconds: times.statusSeconds) {
        try await CXCallDirectoryManager.sharedInstance.openSettings()
      }
    } catch {
      problem = DirectoryNotice(
        texts("Settings could not be opened."),
        remedy: texts("Open the Settings app, and look for call blocking under Phone."), action: nil)
    }
  }
}

nonisolated extension ReloadOutcome {
  /// The explanation of a failure; nil for other outcomes.
  fileprivate var failure: LoadErrorText? {
    switch self {
    case .failed(let domain, let code): LoadErrorText(domain: domain, code: code)
    case .noAnswer: .noAnswer
    case .loaded, .disabled, .cancelled: nil
    }
  }
}
