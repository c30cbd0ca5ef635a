// What the screen shows: the switch, and the state of the extensions. Not for layout (BlockingScreen).

import CallDirectory
import Foundation
import Observation

#if canImport(SampleShared)
  import SampleShared
#endif

private nonisolated let texts = TextCatalog("Blocking")

/// The app's only switch, with the extensions that it loads.
@MainActor @Observable
final class BlockingModel {
  /// The extensions, the progress and the messages.
  let directory: DirectoryModel
  /// Whether calls are blocked, as far as the extensions are loaded.
  private(set) var isOn: Bool

  private let blocking: BlockingSwitch?
  private var loading: Task<Void, Never>?

  /// Creates the model of an app. Nothing is loaded.
  ///
  /// - Parameters:
  ///   - group: the app group's folder; nil if the app has none.
  ///   - extensions: the app's extensions.
  init(group: URL? = AppGroup.folder(), extensions: [InstalledExtension] = InstalledExtension.all()) {
    let blocking = group.map { BlockingSwitch(flag: BlockingFlag($0), extensions: extensions) }
    self.blocking = blocking
    isOn = blocking?.flag.isOn ?? false
    directory = DirectoryModel(extensions) { own in blocking?.files(of: own) }
    if blocking == nil { directory.problem = .missingAppGroup }
  }

  /// Whether the switch can be used.
  var canSwitch: Bool { blocking != nil && directory.progress == nil }

  /// The switch: changing it loads the extensions.
  var isWanted: Bool {
    get { isOn }
    set { Task { await set(newValue) } }
  }

  /// What the switch does at the moment.
  var status: String {
    if !isOn { return texts("No calls are blocked.") }
    return texts("Calls from %lld numbers are blocked.", directory.numbersLoaded)
  }

  /// Asks iOS for the state of the extensions, unless they are being loaded.
  func refresh() async {
    guard directory.progress == nil else { return }
    await directory.refresh()
  }

  /// Switches blocking on or off, and reloads the extensions.
  func set(_ isOn: Bool) async {
    guard let blocking, canSwitch else { return }
    do {
      try blocking.flag.set(isOn)
    } catch {
      directory.problem = DirectoryNotice(
        texts("The switch could not be saved."),
        remedy: texts("Make sure that there is free storage, then try again."), action: nil)
      return
    }
    self.isOn = isOn
    await load()
  }

  /// Reloads the extensions, as the switch is set.
  func load() async {
    guard let blocking, canSwitch else { return }
    let isOn = isOn
    let task = Task {
      // Errors of the extensions are in their rows.
      _ = try? await directory.run(texts("Loading…")) { report in
        _ = try await blocking.set(isOn, report: report)
      }
    }
    loading = task
    await task.value
    if task.isCancelled, directory.needsLoading {
      directory.problem = DirectoryNotice(
        texts("Loading was cancelled."), remedy: texts("Some extensions are not loaded."))
    }
  }

  /// Ends loading after the current extension.
  func cancel() { loading?.cancel() }
}
