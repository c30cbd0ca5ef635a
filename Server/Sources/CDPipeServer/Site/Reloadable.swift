// Content that is served from files and replaced when they change. Requests in progress continue with the old content.
//
// Not for deciding when to check (Watcher) or for the files' content (RuleSet, NumberLists).

import Synchronization

/// Content opened from files. It is immutable; when the files change, a new value replaces it.
protocol Opened: AnyObject, Sendable {
  /// The file at a path whose change makes the content outdated.
  static func mainFile(at path: String) -> String
  /// Other files whose change makes the content outdated.
  var otherFiles: [String] { get }
  /// Opens the content at a path.
  init(path: String) throws(SiteError)
}

/// The result of a check for changed files.
enum ReloadOutcome: Equatable, Sendable {
  /// The files have not changed.
  case unchanged
  /// The changed files were opened and are now served.
  case replaced
  /// The changed files can't be used; the previous content is still served.
  case failed(SiteError)
  /// The files still can't be used, for the same reason.
  case stillFailing
}

/// The latest content that could be opened.
///
/// A request reads ``value`` once and keeps it until it ends. Replaced content is closed when the last such request has
/// ended.
final class Reloadable<Value: Opened>: Sendable {
  private struct OpenedFiles {
    var value: Value
    var stamps: [FileSignature?]
    var failure: SiteError?
    /// The number of checks since opening the files failed.
    var looks = 0
  }

  /// The number of checks after which opening is retried although the files have not changed: the cause may have been
  /// elsewhere.
  private static var looksBetweenTries: Int { 30 }

  /// The path of the content.
  let path: String
  private let state: Mutex<OpenedFiles>

  /// Opens the content for the first time.
  init(path: String) throws(SiteError) {
    let before = FileSignature(path: Value.mainFile(at: path))
    let value = try Value(path: path)
    self.path = path
    state = Mutex(OpenedFiles(value: value, stamps: Self.stamps(of: value, before)))
  }

  /// The content that is currently served.
  var value: Value { state.withLock { $0.value } }

  /// Checks the files and opens them again if they have changed. Must be called by one task at a time.
  func refresh() -> ReloadOutcome {
    let (value, stamps, failure, looks) = state.withLock { state in
      state.looks += 1
      return (state.value, state.stamps, state.failure, state.looks)
    }
    // Read the signatures before opening: the next check detects changes in between.
    let before = FileSignature(path: Value.mainFile(at: path))
    let now = Self.stamps(of: value, before)
    let isDue = failure != nil && looks >= Self.looksBetweenTries
    guard now != stamps || isDue else { return .unchanged }
    do throws(SiteError) {
      let value = try Value(path: path)
      let stamps = Self.stamps(of: value, before)
      state.withLock { $0 = OpenedFiles(value: value, stamps: stamps) }
      return .replaced
    } catch {
      state.withLock { state in
        state.stamps = now
        state.failure = error
        state.looks = 0
      }
      return error == failure ? .stillFailing : .failed(error)
    }
  }

  private static func stamps(of value: Value, _ main: FileSignature?) -> [FileSignature?] {
    [main] + value.otherFiles.map { FileSignature(path: $0) }
  }
}
