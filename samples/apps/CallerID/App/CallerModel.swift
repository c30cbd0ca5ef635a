// What the screen shows: the list's updates, and the state of the extensions. Not for layout (CallerScreen).

import CallDirectory
import CallDirectoryKit
import Foundation
import Observation

#if canImport(SampleShared)
  import SampleShared
#endif

private nonisolated let texts = TextCatalog("Caller")

/// The updates of the list, with the extensions that load it.
@MainActor @Observable
final class CallerModel {
  /// The age from which a list is updated when the app is opened: the nightly update did not run.
  static let updateSeconds = 86_400.0

  /// The identifier of the session in which stores arrive, also while the app is suspended.
  nonisolated static let storesIdentifier = (Bundle.main.bundleIdentifier ?? "") + ".stores"
  #if !canImport(FoundationNetworking)
    /// Requests the list's files. An app has one session with an identifier.
    private nonisolated static let transport: any UpdateTransport = BackgroundTransport(
      identifier: storesIdentifier)
  #else
    private nonisolated static let transport: any UpdateTransport = URLSessionTransport()
  #endif

  /// The extensions, the progress and the messages.
  let directory: DirectoryModel
  /// The numbers and patterns that the user blocks or allows; nil if the app has no extension for them.
  private(set) var own: OwnListModel?
  /// What iOS answered when it was asked for the next nightly update; nil before.
  var schedule: UpdateSchedule?

  private let callers: CallerDirectory?
  private let resources: URL
  private let updates: UpdateDate?
  private var updating: Task<Bool, Never>?

  /// Creates the model of an app. Nothing is downloaded.
  ///
  /// - Parameters:
  ///   - settings: returns the app's settings.
  ///   - group: the app group's folder; nil if the app has none.
  ///   - extensions: the app's extensions.
  ///   - resources: the folder of the app's resources, in which the bootstrap store may be.
  ///   - times: how long to wait for iOS.
  init(
    settings: () throws -> ListSettings = { try ListSettings() }, group: URL? = AppGroup.folder(),
    extensions: [InstalledExtension] = InstalledExtension.all(),
    resources: URL = Bundle.main.resourceURL ?? Bundle.main.bundleURL, times: ReloadTimes = ReloadTimes(),
    transport: any UpdateTransport = CallerModel.transport
  ) {
    var callers: CallerDirectory?
    var problem: DirectoryNotice?
    if let group {
      do {
        callers = CallerDirectory(
          try settings(), group: group, extensions: extensions, times: times, transport: transport)
      } catch {
        problem = DirectoryNotice(updateError: error)
      }
    } else {
      problem = .missingAppGroup
    }
    self.callers = callers
    self.resources = resources
    updates = group.map { UpdateDate($0) }
    let directory = DirectoryModel(extensions, times: times) { [callers] own in callers?.files(of: own) }
    directory.problem = problem
    directory.lastUpdate = updates?.date
    self.directory = directory
    if let group, callers != nil, extensions.contains(where: { $0.index == .ownList }) {
      own = OwnListModel(path: DirectoryUpdater.ownList(in: group)) { [weak self] in
        await self?.loadOwnList()
      }
    }
  }

  /// Whether the list can be updated.
  var canUpdate: Bool { callers != nil && directory.progress == nil }

  /// When the list is updated without the user.
  var nightlyText: String? {
    switch schedule {
    case .scheduled: texts("The list is updated in the background, usually once a day.")
    case .off: texts("Background App Refresh is off in Settings. The list is updated when you open the app.")
    case .refused(let code):
      texts(
        "iOS does not schedule updates (error %@). The list is updated when you open the app.",
        "\(code)" as NSString)
    case nil: nil
    }
  }

  /// Whether the list was not updated yet.
  var isFirst: Bool { updates?.date == nil }

  /// A report for support.
  var diagnostics: Diagnostics {
    var report = directory.diagnostics
    report.add("nightly update", schedule.map { "\($0)" } ?? "not asked for")
    return report
  }

  /// Shows the state of the extensions, and updates the list if it is older than a day. The first time, the bootstrap
  /// store is loaded before. Also loads what the user's switch in Settings has not: it loads one file only.
  func start() async {
    guard canUpdate else { return }
    await directory.refresh()
    guard let callers else { return }
    guard let date = updates?.date else {
      // The first callers have names before the first update, and without a network.
      try? callers.installBootstrap(from: resources)
      await update(isRequested: false)
      return
    }
    if Date().timeIntervalSince(date) > Self.updateSeconds {
      await update(isRequested: false)
    } else if directory.problem == nil, directory.rows.contains(where: { $0.state == .waiting }) {
      await perform(texts("Loading…"), isRequested: false) { report in _ = await callers.load(report) }
    }
  }

  /// Updates the list and reloads the extensions that have something new. If an update is in progress, waits for its
  /// end. `isRequested`: the user has just asked for it. Returns whether everything is loaded that could be.
  @discardableResult
  func update(isRequested: Bool = true) async -> Bool {
    guard let callers else { return false }
    let isFirst = isFirst
    return await perform(texts("Checking for updates…"), isRequested: isRequested) { [updates] report in
      // The bootstrap store is loaded before the first download.
      if isFirst { _ = await callers.load(report) }
      _ = try await callers.update(report)
      try? updates?.set()
    }
  }

  /// Loads the extensions that a change of the user's own list concerns.
  private func loadOwnList() async {
    guard let callers else { return }
    // It may have read the former list.
    if let updating { _ = await updating.value }
    await perform(texts("Loading…"), isRequested: true) { report in _ = await callers.load(report) }
  }

  /// Finishes an update whose stores have arrived in the background.
  func finishUpdate() async { await update(isRequested: false) }

  /// Ends the update. What was downloaded or loaded stays.
  func cancel() { updating?.cancel() }

  /// Runs work that loads extensions, unless there is some already: then waits for its end, and only runs if that was
  /// cancelled.
  @discardableResult
  private func perform(
    _ text: String, isRequested: Bool, _ work: @escaping DirectoryModel.Work
  ) async -> Bool {
    while let updating {
      let isComplete = await updating.value
      if !updating.isCancelled { return isComplete }
    }
    let task = Task {
      defer { updating = nil }
      return await run(text, isRequested, work)
    }
    updating = task
    return await withTaskCancellationHandler {
      await task.value
    } onCancel: {
      task.cancel()
    }
  }

  private func run(
    _ text: String, _ isRequested: Bool, _ work: @escaping DirectoryModel.Work
  ) async -> Bool {
    do {
      try await directory.run(text, isRequested: isRequested, work)
      directory.lastUpdate = updates?.date
      // A cancelled load is not an error: it ends after the current extension.
      if Task.isCancelled, directory.needsLoading { throw CancellationError() }
    } catch {
      directory.problem = DirectoryNotice(updateError: error)
      return false
    }
    return !directory.needsLoading
  }
}

/// When the list was last updated: the date of an empty file in the app group's folder.
nonisolated struct UpdateDate: Sendable {
  private let url: URL

  init(_ folder: URL) {
    url = folder.appendingPathComponent("last-update")
  }

  /// The date of the last update; nil before the first.
  var date: Date? {
    (try? FileManager.default.attributesOfItem(atPath: url.path)[.modificationDate]) as? Date
  }

  /// Sets the date to now.
  func set() throws { try Data().write(to: url, options: .atomic) }
}
