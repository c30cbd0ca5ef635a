// A publishing run in a report: the resulting version, and sources that could not be used.

extension RunReport {
  /// The outcome of publishing.
  package struct Published: Codable, Equatable, Sendable {
    /// What happened with the result.
    package enum Outcome: String, Codable, Sendable {
      /// The result is the new current version.
      case published
      /// The result equals the current version, which was damaged and has been repaired.
      case repaired
      /// The result equals the current version.
      case unchanged
      /// The result equals a version that was rolled back; another version stays current.
      case withdrawn
      /// The run failed without a result; the current version is unchanged.
      case nothing
    }

    /// The folder's path, as in the pipeline file.
    package var directory: String
    package var outcome: Outcome
    /// The id of the resulting version; nil if there is none.
    package var version: String?
    /// The id of the version that was current before; nil if there was none.
    package var before: String?

    /// Creates an outcome.
    package init(directory: String, outcome: Outcome, version: String?, before: String?) {
      self.directory = directory
      self.outcome = outcome
      self.version = version
      self.before = before
    }
  }

  /// Why a source could not be used, and how the run continued.
  package struct SourceError: Codable, Equatable, Sendable {
    /// How a run continues without a source.
    package enum Remedy: String, Codable, CaseIterable, Sendable {
      /// The last good copy is used.
      case lastGood = "last-good"
      /// The source is left out.
      case leftOut = "left-out"
      /// The run fails because the source is required.
      case failed
    }

    /// Formats an age in the largest unit of which it has at least one, such as `2 days`.
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
    /// When the last good copy was known to be good, in UTC to the second; nil if it was not used.
    package var good: String?
    /// The age of the last good copy at the time of the run, in seconds; nil if it was not used.
    package var ageSeconds: Int64?

    /// Describes a source that was left out.
    package init(message: String) {
      self.message = message
      remedy = .leftOut
    }

    /// Describes a source because of which the run failed.
    package init(failing message: String) {
      self.message = message
      remedy = .failed
    }

    /// Describes a source whose last good copy was used.
    package init(message: String, good: String, ageSeconds: Int64) {
      self.message = message
      remedy = .lastGood
      self.good = good
      self.ageSeconds = ageSeconds
    }
  }
}
