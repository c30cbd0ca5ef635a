// The current content of a server.
//
// Not for requests (SiteResponder) or deciding when to check files (Watcher).

import Synchronization

/// The content of a server. Each part is opened when the server starts and again when its files change.
public final class Site: Sendable {
  let rules: Reloadable<RuleSet>?
  let lists: Reloadable<NumberLists>?
  let store: Reloadable<SingleStore>?
  let settings: ServerSettings
  private let refreshing = Mutex(())

  /// Opens all files that the settings name.
  ///
  /// - Throws: the error of the first file that can't be used.
  public init(_ settings: ServerSettings) throws(SiteError) {
    rules = if let path = settings.rules { try Reloadable(path: path) } else { nil }
    lists = if let path = settings.lists { try Reloadable(path: path) } else { nil }
    store = if let path = settings.store { try Reloadable(path: path) } else { nil }
    self.settings = settings
  }

  /// What is probably unintended in the rule file that is served.
  var warnings: [String] { rules?.value.warnings ?? [] }

  /// Whether numbers can be looked up.
  var hasNumbers: Bool { store != nil || lists != nil }

  /// Looks up a number in the store if there is one, otherwise in the lists.
  func find(_ number: UInt64) throws(SiteError) -> FoundNumber? {
    if let store { return try store.value.store.find(number) }
    return try lists?.value.find(number)
  }

  /// The parts of a site that are opened again when they change.
  enum Part: String, CaseIterable, Sendable {
    case rules, lists, store
  }

  /// Checks the files of every part and opens changed ones again. A second caller waits for the first.
  func refresh() -> [(part: Part, outcome: ReloadOutcome)] {
    refreshing.withLock { _ in
      var outcomes: [(part: Part, outcome: ReloadOutcome)] = []
      if let rules { outcomes.append((.rules, rules.refresh())) }
      if let lists { outcomes.append((.lists, lists.refresh())) }
      if let store { outcomes.append((.store, store.refresh())) }
      return outcomes
    }
  }
}
