// All that a server serves, as it is now.
//
// Not for: requests (SiteResponder), when files are looked at (Watcher).

/// What a server serves: each part is opened when the server starts, and opened again when its files change.
public final class Site: Sendable {
  let rules: Reloadable<RuleSet>?
  let lists: Reloadable<NumberLists>?
  let store: Reloadable<SingleStore>?
  let settings: ServerSettings

  /// Opens everything that the settings name.
  ///
  /// - Throws: why the first one that can't be used can't be.
  public init(_ settings: ServerSettings) throws(SiteError) {
    rules = if let path = settings.rules { try Reloadable(path: path) } else { nil }
    lists = if let path = settings.lists { try Reloadable(path: path) } else { nil }
    store = if let path = settings.store { try Reloadable(path: path) } else { nil }
    self.settings = settings
  }

  /// Whether numbers can be looked up.
  var hasNumbers: Bool { store != nil || lists != nil }

  /// Looks a number up: in the store if there is one, or else in the lists.
  func find(_ number: UInt64) throws(SiteError) -> FoundNumber? {
    if let store { return try store.value.store.find(number) }
    return try lists?.value.find(number)
  }

  /// A part of a site that is opened again when it changes.
  enum Part: String, CaseIterable, Sendable {
    case rules, lists, store
  }

  /// Looks at the files of every part, and opens those again that changed.
  func refresh() -> [(part: Part, outcome: ReloadOutcome)] {
    var outcomes: [(part: Part, outcome: ReloadOutcome)] = []
    if let rules { outcomes.append((.rules, rules.refresh())) }
    if let lists { outcomes.append((.lists, lists.refresh())) }
    if let store { outcomes.append((.store, store.refresh())) }
    return outcomes
  }
}
