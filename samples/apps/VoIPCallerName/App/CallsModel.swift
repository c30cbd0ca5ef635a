// What the app's screen shows and does. Not for layout (CallsScreen) or for the calls themselves (CallManager).

import CallKit
import Foundation
import Observation

#if canImport(SampleShared)
  import SampleShared
#endif

private nonisolated let texts = TextCatalog("Calls")

/// Something that went wrong, and the way out.
nonisolated struct CallProblem: Equatable, Sendable {
  /// What went wrong.
  let text: String
  /// What the user can do.
  let remedy: String
}

/// The calls, the recent calls, whether calls arrive, and the names.
@MainActor @Observable
final class CallsModel {
  /// The calls that have not ended, oldest first.
  private(set) var calls: [CallRow] = []
  /// The calls that have ended, newest first.
  private(set) var recents: [RecentRow] = []
  /// Whether iOS passes calls to the app.
  private(set) var pushes = StatusRow(PushRegistration.waiting)
  /// The list of callers.
  private(set) var names: StatusRow
  /// What went wrong with the last action; nil if nothing did.
  private(set) var problem: CallProblem?
  /// The number or address that the user enters.
  var number = ""

  private let manager: CallManager
  private let list: CallerList

  /// Creates the model of an app whose list of callers has been loaded.
  init(_ manager: CallManager, list: CallerList, state: CallerListState) {
    self.manager = manager
    self.list = list
    names = StatusRow(state)
    show(manager.snapshot)
  }

  /// The keys of a call, row by row.
  static let keys = [["1", "2", "3"], ["4", "5", "6"], ["7", "8", "9"], ["*", "0", "#"]]

  /// Whether the app's own screen answers calls, because iOS's may not be used.
  var answersCalls: Bool { manager.provider == nil }

  /// Whether a call can be simulated: only in debug builds.
  static var canSimulate: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }

  /// The text in place of recent calls; nil if there are some.
  var emptyText: String? { recents.isEmpty ? texts("No recent calls") : nil }

  /// Whether the entered text can be called.
  var canCall: Bool { Self.isCallable(number) }

  /// A report for support: what works, and how many calls there are.
  var diagnostics: Diagnostics {
    var report = Diagnostics()
    report.add("pushes", pushes.isGood ? "registered" : "not registered")
    report.add("names", names.isGood ? "loaded" : "not loaded")
    report.add("CallKit", answersCalls ? "not used" : "used")
    report.add("calls", calls.count)
    report.add("recent calls", recents.count)
    return report
  }

  // MARK: Changes

  /// Shows every change of the calls, until the task is cancelled.
  func follow() async {
    for await snapshot in manager.changes() { show(snapshot) }
  }

  /// Shows the calls as they are.
  func show(_ snapshot: CallsSnapshot) {
    calls = snapshot.calls.map { CallRow($0) }
    recents = snapshot.recents.map { RecentRow($0) }
    pushes = StatusRow(snapshot.pushes)
  }

  /// Opens the list of callers again, for example after the app has been updated.
  func reloadNames() {
    let (callers, state) = list.load()
    if let callers { manager.use(callers) }
    names = StatusRow(state)
  }

  // MARK: Actions

  /// Calls the number that the user has entered.
  func call(video: Bool) async {
    let handle = number.trimmingCharacters(in: .whitespaces)
    guard canCall else { return }
    if await perform({ manager in try await manager.start(to: handle, video: video) }) { number = "" }
  }

  /// Calls the other side of a recent call again, with video if it had video.
  func call(_ row: RecentRow) async {
    guard let handle = row.handle else { return }
    await callBack(handle, video: row.hasVideo)
  }

  /// Calls a number that the user has chosen elsewhere, such as in the Phone app's list.
  func callBack(_ handle: String, video: Bool) async {
    await perform { manager in try await manager.start(to: handle, video: video) }
  }

  /// Answers a call.
  func answer(_ row: CallRow) async {
    await perform { manager in try await manager.answer(row.id) }
  }

  /// Sends the tone of a key.
  func press(_ key: String, _ row: CallRow) async {
    await perform { manager in try await manager.play(row.id, key) }
  }

  /// Rings after a time in which the phone can be locked, as if the number that the user has entered called.
  func simulateCall(after delay: Duration = .seconds(5)) async {
    let caller = canCall ? number.trimmingCharacters(in: .whitespaces) : "+15551234567"
    try? await Task.sleep(for: delay)
    await perform { manager in try await manager.simulateCall(from: caller) }
  }

  /// Ends or declines a call.
  func end(_ row: CallRow) async {
    await perform { manager in try await manager.end(row.id) }
  }

  /// Holds or resumes a call.
  func toggleHold(_ row: CallRow) async {
    await perform { manager in try await manager.setHeld(row.id, !row.isHeld) }
  }

  /// Mutes or unmutes a call.
  func toggleMute(_ row: CallRow) async {
    await perform { manager in try await manager.setMuted(row.id, !row.isMuted) }
  }

  /// Removes the message about what went wrong.
  func dismissProblem() { problem = nil }

  @discardableResult
  private func perform(_ action: (CallManager) async throws -> Void) async -> Bool {
    problem = nil
    do {
      try await action(manager)
      return true
    } catch {
      problem = Self.problem(error)
      return false
    }
  }

  /// iOS's error, in the user's words.
  private static func problem(_ error: any Error) -> CallProblem {
    let code = (error as? CXErrorCodeRequestTransactionError)?.code
    switch (code, error as? CallActionError) {
    case (.maximumCallGroupsReached, _), (_, .tooManyCalls):
      return CallProblem(text: texts("There are already two calls."), remedy: texts("End one of them first."))
    case (.unknownCallUUID, _), (.invalidAction, _), (_, .noSuchCall):
      return CallProblem(
        text: texts("The call has already changed."), remedy: texts("Look at its state, then try again."))
    default:
      let error = error as NSError
      return CallProblem(
        text: texts(
          "iOS did not perform the action (%@ %@).", error.domain as NSString, "\(error.code)" as NSString),
        remedy: texts("Close the app and open it again, then try again."))
    }
  }

  private static func isCallable(_ text: String) -> Bool {
    text.contains(where: \.isNumber) || (text.contains("@") && text.contains(where: \.isLetter))
  }
}
