// What the screen shows: the area codes, what is wrong with what is being typed, and the state of the extensions. Not for
// layout (CodesScreen).

import Foundation
import Observation

#if canImport(SampleShared)
  import SampleShared
#endif

private nonisolated let texts = TextCatalog("Codes")

/// The area codes as the user edits them. Nothing is blocked before they are applied.
@MainActor @Observable
final class CodesModel {
  /// The extensions, the progress and the messages.
  let directory: DirectoryModel
  /// The code that is being typed.
  var entry = ""
  /// The codes as they are shown.
  private(set) var list: CodeList

  private var saved: CodeList
  private let blocked: BlockedCodes?
  private var loading: Task<Void, Never>?

  /// Creates the model of an app. Nothing is loaded.
  ///
  /// - Parameters:
  ///   - group: the app group's folder; nil if the app has none.
  ///   - extensions: the app's extensions.
  ///   - lineDigits: the number of digits after a code. Tests use fewer.
  init(
    group: URL? = AppGroup.folder(), extensions: [InstalledExtension] = InstalledExtension.all(),
    lineDigits: Int = AreaCode.lineDigits
  ) {
    let blocked = group.map {
      BlockedCodes(SharedCodes($0), extensions: extensions, lineDigits: lineDigits)
    }
    self.blocked = blocked
    let saved = (try? blocked?.saved()) ?? CodeList(slots: blocked?.codesMax ?? 0)
    (list, self.saved) = (saved, saved)
    directory = DirectoryModel(extensions, state: { own in blocked?.state(of: own) ?? .empty })
    if blocked == nil { directory.problem = .missingAppGroup }
  }

  // MARK: Typing

  /// What is wrong with the code that is being typed; nil if nothing is, also while digits are missing.
  var entryProblem: String? {
    do throws(AreaCodeError) {
      _ = try list.check(entry)
      return nil
    } catch {
      return Self.text(error)
    }
  }

  /// Whether the code is complete, and can be added.
  var canAdd: Bool { (try? list.check(entry)) != nil }

  private static func text(_ error: AreaCodeError) -> String {
    switch error {
    case .notDigits: texts("An area code has only digits.")
    case .badStart: texts("An area code begins with a digit from 2 to 9.")
    case .tooLong: texts("An area code has three digits.")
    case .listed: texts("This area code is in the list.")
    case .full(0): texts("The app has too few extensions for an area code.")
    case .full(let codes): texts("All %lld places for area codes are taken. Remove a code first.", codes)
    }
  }

  /// Adds the code that was typed.
  func add() {
    if (try? list.add(entry)) == true { entry = "" }
  }

  func remove(_ code: AreaCode) { list.remove(code) }

  // MARK: Applying

  /// Whether there is something to save or to load, and nothing is being loaded.
  var canApply: Bool {
    blocked != nil && directory.progress == nil && (list != saved || directory.needsLoading)
  }

  /// What is blocked, or that changes have to be applied.
  var status: String {
    if list != saved { return texts("Tap Apply to save the changes.") }
    if list.codes.isEmpty { return texts("No calls are blocked.") }
    return texts("Calls from %lld numbers are blocked.", directory.numbersLoaded)
  }

  /// How many codes the app can block.
  var capacity: String { texts("%lld of %lld area codes", list.codes.count, list.slots.count) }

  /// Saves the codes, and loads the extensions that have to load something.
  func apply() async {
    guard let blocked, directory.progress == nil else { return }
    let list = list
    let task = Task {
      do {
        try await directory.run(texts("Loading…")) { report in
          // Errors of the extensions are in their rows.
          _ = try await blocked.apply(list, report: report)
        }
        saved = list
      } catch {
        directory.problem = DirectoryNotice(
          texts("The area codes could not be saved."),
          remedy: texts("Make sure that there is free storage, then try again."))
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

  /// Asks iOS for the state of the extensions, unless they are being loaded.
  func refresh() async {
    guard directory.progress == nil else { return }
    await directory.refresh()
  }
}
