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
  /// What the owner can do.
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
  private let recorded: @MainActor (InstalledExtension) -> DirectoryRow.LoadState
  private var failures: [String: LoadErrorText] = [:]

  /// Creates a model. `files` returns what an extension loads; nil for nothing.
  public convenience init(
    _ extensions: [InstalledExtension],
    files: @escaping @MainActor (InstalledExtension) -> ExtensionFiles?
  ) {
    self.init(extensions, files: files, state: { own in DirectoryRow.LoadState(files(own)) })
  }

  /// Creates a model of extensions that load no stores. `state` returns what iOS has of an extension's numbers.
  public convenience init(
    _ extensions: [InstalledExtension],
    state: @escaping @MainActor (InstalledExtension) -> DirectoryRow.LoadState
  ) {
    self.init(extensions, files: { _ in nil }, state: state)
  }

  private init(
    _ extensions: [InstalledExtension],
    files: @escaping @MainActor (InstalledExtension) -> ExtensionFiles?,
    state: @escaping @MainActor (InstalledExtension) -> DirectoryRow.LoadState
  ) {
    self.extensions = extensions
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

  /// What the owner should know: what has gone wrong, or else that extensions are off or not loaded. Nil if nothing, and
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

  /// When the list was last updated.
  public var lastUpdateText: String {
    lastUpdate.map { texts("Last update: %@", Self.text($0) as NSString) } ?? texts("Not updated yet")
  }

  /// A date and time in the owner's form.
  nonisolated static func text(_ date: Date) -> String {
    date.formatted(date: .abbreviated, time: .shortened)
  }

  // MARK: The extensions

  /// Asks iOS which extensions are turned on, and reads what they have loaded.
  public func refresh() async {
    for index in rows.indices {
      let state = await state(of: extensions[index])
      // Since then, a run may have begun, which knows better.
      if progress == nil { rows[index].state = state }
    }
  }

  /// Shows what a run has loaded, before another one may begin.
  private func endRun() async {
    for index in rows.indices { rows[index].state = await state(of: extensions[index]) }
    progress = nil
  }

  private func state(of own: InstalledExtension) async -> DirectoryRow.LoadState {
    let recorded = recorded(own)
    do {
      let status = try await CXCallDirectoryManager.sharedInstance.enabledStatusForExtension(
        withIdentifier: own.identifier)
      if status == .disabled { return .off }
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
  /// - Parameter text: what is being done before the first extension is loaded.
  public func run(_ text: String, _ work: @escaping Work) async throws {
    progress = DirectoryProgress(text: text)
    problem = nil
    let (steps, continuation) = AsyncStream.makeStream(of: ReloadProgress.self)
    let task = Task {
      defer { continuation.finish() }
      try await work { continuation.yield($0) }
    }
    let result = await withTaskCancellationHandler {
      // The stream ends with the work, not with this task: a cancelled run still reports what was loaded.
      await Task { for await step in steps { show(step) } }.value
      return await task.result
    } onCancel: {
      task.cancel()
    }
    await endRun()
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
        case .cancelled: .waiting
        case nil: place == step.index ? .loading : .waiting
        }
    }
    guard step.index < step.count else { return }
    progress = DirectoryProgress(
      text: texts("Loading %lld of %lld", step.index + 1, step.count),
      fraction: Double(step.index) / Double(step.count), remaining: Self.remaining(step.secondsLeft))
  }

  /// The remaining time in the owner's form: minutes, or seconds if it is less than a minute.
  private static func remaining(_ seconds: Double) -> String? {
    guard seconds.isFinite, seconds >= 0, seconds < 86_400 else { return nil }
    let time = Duration.seconds(max(1, seconds.rounded(.up)))
    let text = time.formatted(
      .units(allowed: [.hours, .minutes, .seconds], width: .wide, maximumUnitCount: 1))
    return texts("About %@ left", text as NSString)
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
      try await CXCallDirectoryManager.sharedInstance.openSettings()
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
    if case .failed(let domain, let code) = self { LoadErrorText(domain: domain, code: code) } else { nil }
  }
}
