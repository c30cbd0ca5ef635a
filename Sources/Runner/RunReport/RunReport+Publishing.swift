// What a report says of a run that publishes: the version that came of it, and sources that could not be used.

extension RunReport {
  /// What a run made of a folder that it publishes in.
  package struct Published: Codable, Equatable, Sendable {
    /// What became of the result.
    package enum Outcome: String, Codable, Sendable {
      /// It is the current version now.
      case published
      /// It is what was current before.
      case unchanged
      /// It is a version that somebody went back from; another one stays current.
      case withdrawn
    }

    /// The folder, as the pipeline file names it.
    package var directory: String
    package var outcome: Outcome
    /// The identity of the result.
    package var version: String
    /// Of the version that was current before; left out for the first one.
    package var before: String?

    /// Says what became of a version.
    package init(directory: String, outcome: Outcome, version: String, before: String?) {
      self.directory = directory
      self.outcome = outcome
      self.version = version
      self.before = before
    }
  }

  /// Why a source could not be used, and what the run did about it.
  package struct SourceTrouble: Codable, Equatable, Sendable {
    /// What a run does without a source.
    package enum Remedy: String, Codable, Sendable {
      /// The bytes that were good last.
      case lastGood = "last-good"
      /// None of its rows.
      case leftOut = "left-out"
      /// Nothing: it is required, and the run failed.
      case failed
    }

    /// What standard error says of it.
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
