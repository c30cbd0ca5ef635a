// Something that is served from files and replaced when they change, while requests go on with what they began with.
//
// Not for: when to look (Watcher), what is in the files (RuleSet, NumberLists).

import Synchronization

/// What was opened of some files. It is never changed; another one takes its place.
protocol Opened: AnyObject, Sendable {
  /// The file whose change means that what was opened at a path is out of date.
  static func mainFile(at path: String) -> String
  /// Further files whose change means that.
  var otherFiles: [String] { get }
  /// Opens it.
  init(path: String) throws(SiteError)
}

/// What came of looking at files.
enum ReloadOutcome: Equatable, Sendable {
  /// They are as they were.
  case unchanged
  /// They were opened, and are served from now on.
  case replaced
  /// They can't be used; what was served before is served still.
  case failed(SiteError)
  /// They still can't be used, for the same reason.
  case stillFailing
}

/// The latest of something that could be opened.
///
/// A request reads ``value`` once and keeps it to its end; what was replaced is closed when the last such request is
/// over.
final class Reloadable<Value: Opened>: Sendable {
  private struct OpenedFiles {
    var value: Value
    var stamps: [FileSignature?]
    var failure: SiteError?
    /// How often files have been looked at since opening them failed.
    var looks = 0
  }

  /// Looks at unchanged files after which a failed opening is tried once more: what was wrong may not have been in
  /// the files that are watched.
  private static var looksBetweenTries: Int { 30 }

  /// Where it is.
  let path: String
  private let state: Mutex<OpenedFiles>

  /// Opens it for the first time.
  init(path: String) throws(SiteError) {
    let before = FileSignature(path: Value.mainFile(at: path))
    let value = try Value(path: path)
    self.path = path
    state = Mutex(OpenedFiles(value: value, stamps: Self.stamps(of: value, before)))
  }

  /// What is served now.
  var value: Value { state.withLock { $0.value } }

  /// Looks at the files, and opens them again if they changed. Called by one task at a time.
  func refresh() -> ReloadOutcome {
    let (value, stamps, failure, looks) = state.withLock { state in
      state.looks += 1
      return (state.value, state.stamps, state.failure, state.looks)
    }
    // Before opening: what changes in between is seen the next time.
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
