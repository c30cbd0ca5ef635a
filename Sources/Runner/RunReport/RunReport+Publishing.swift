// A publishing run in a report: the resulting version, and sources that could not be used.

extension RunReport {
  /// What a run made of a folder that it publishes in.
  package struct Published: Codable, Equatable, Sendable {
    /// What became of the result.
    package enum Outcome: String, Codable, Sendable {
      /// It is the current version now.
      case published
      /// It is the current version's, which was damaged and is replaced.
      case repaired
      /// It is what was current before.
      case unchanged
      /// It is a version that somebody went back from; another one stays current.
      case withdrawn
      /// There is none: the run failed, and what was current still is.
      case nothing
    }

    /// The folder, as the pipeline file names it.
    package var directory: String
    package var outcome: Outcome
    /// The identity of the result; left out when there is none.
    package var version: String?
    /// Of the version that was current before; left out when there was none.
    package var before: String?

    /// Describes what became of a version.
    package init(directory: String, outcome: Outcome, version: String?, before: String?) {
      self.directory = directory
      self.outcome = outcome
      self.version = version
      self.before = before
    }
  }

  /// Why a source could not be used, and what the run did about it.
  package struct SourceError: Codable, Equatable, Sendable {
    /// What a run does without a source.
    package enum Remedy: String, Codable, Sendable {
      /// The last good copy.
      case lastGood = "last-good"
      /// None of its rows.
      case leftOut = "left-out"
      /// Nothing: it is required, and the run failed.
      case failed
    }

    /// How old something is, in the greatest unit that it has one of: `2 days`.
    package static func age(_ seconds: Int64) -> String {
      let units: [(Int64, String)] = [(86_400, "day"), (3600, "hour"), (60, "minute")]
      for (length, name) in units where seconds >= length {
        let count = seconds / length
        return "\(count) \(name)\(count == 1 ? "" : "s")"
      }
      return "less than a minute"
    }

    /// The message on standard error.
    package var message: String
    package var remedy: Remedy
    /// When the bytes that were used were good: UTC, to the second. Left out when none were.
    package var good: String?
    /// How many seconds before the run that was.
    package var ageSeconds: Int64?

    /// A source that was left out.
    package init(message: String) {
      self.message = message
      remedy = .leftOut
    }

    /// A source over which the run failed.
    package init(failing message: String) {
      self.message = message
      remedy = .failed
    }

    /// A source of which older bytes were used.
    package init(message: String, good: String, ageSeconds: Int64) {
      self.message = message
      remedy = .lastGood
      self.good = good
      self.ageSeconds = ageSeconds
    }
  }
}
