// The report of a finished run: its parts as they are in its JSON.
//
// The form is docs/formats/report.schema.json's. It is plain data, so that `cdpipe` writes it and `cdpipe-report` reads it with
// the same types. Not for: gathering it (PipeRunner and the command layer), or showing it.

/// A run's report.
package struct RunReport: Codable, Equatable, Sendable {
  /// Distinguishes a report from other JSON.
  package static let format = "cdpipe-report"
  /// The version of the form.
  package static let version = 1

  /// How a run ended.
  package enum Status: String, Codable, Sendable {
    case done
    case failed
    /// There was nothing new, and nothing was written.
    case unchanged
  }

  /// Why a run failed.
  package struct RunError: Codable, Equatable, Sendable {
    /// The stage that failed, unless it was none.
    package var stage: String?
    /// The message on standard error.
    package var message = ""
    /// The way out, where there is one.
    package var hint: String?
    /// The exit status that the run ended with.
    package var exitStatus = 0

    /// Makes a failure without words.
    package init() {}
  }

  /// What became of all the rows: `read` and `splits` are what all the others add up to.
  package struct Rows: Codable, Equatable, Sendable {
    /// Rows that came into the first stage that knows rows, of every source.
    package var read: UInt64 = 0
    /// Pieces beyond the first of patterns and ranges that were cut.
    package var splits: UInt64 = 0
    /// Records that went out of the last stage.
    package var written: UInt64 = 0
    /// Records that another one stands for.
    package var duplicates: UInt64 = 0
    /// Rows that were rejected.
    package var rejects: UInt64 = 0
    /// Records that were left out though no other one stands for them.
    package var leftOut: UInt64 = 0
    /// Records of which a set operation left nothing.
    package var removed: UInt64 = 0
    /// Records that went out within a neighbour.
    package var joined: UInt64 = 0
    /// Whether they add up; a run that failed may have ended between two stages.
    package var isBalanced = true

    /// Makes counts of nothing.
    package init() {}
  }

  /// One stage's counters.
  package struct Stage: Codable, Equatable, Sendable {
    /// The stage's name.
    package var stage = ""
    /// Rows or records that came in, and went out.
    package var rowsIn: UInt64 = 0
    package var rowsOut: UInt64 = 0
    /// Bytes that came in, where bytes do.
    package var bytesIn: UInt64?
    /// What did not go on, by what became of it; left out where it is nothing.
    package var rejects: UInt64?
    package var duplicates: UInt64?
    package var leftOut: UInt64?
    package var removed: UInt64?
    package var joined: UInt64?
    package var splits: UInt64?
    /// Decisions that were written to the file of conflicts; left out where there is none.
    package var conflicts: UInt64?
    /// Bytes that were written to spill files.
    package var bytesSpilled: UInt64?

    /// Makes counters of a stage that did nothing.
    package init() {}
  }

  /// A source, and the stages that only its bytes went through.
  package struct Source: Codable, Equatable, Sendable {
    /// The source's name.
    package var name = ""
    /// Its stages in the order of the data; none for a source that was left out.
    package var stages: [Stage] = []
    /// Why it could not be used; left out when it could.
    package var trouble: SourceError?

    /// Makes a source without stages.
    package init() {}
  }

  /// How the run went.
  package struct Run: Codable, Equatable, Sendable {
    /// When it began: UTC, to the second.
    package var started = ""
    /// How long it took.
    package var seconds = 0.0
    /// The processors' time that it took, of all threads.
    package var cpuSeconds = 0.0
    /// The most memory that it had at a time.
    package var peakMemoryBytes: UInt64 = 0

    /// Makes a run that took no time.
    package init() {}
  }

  /// ``format``.
  package var format = Self.format
  /// ``version``.
  package var version = Self.version
  /// The program's version.
  package var cdpipe = ""
  /// The pipeline's name.
  package var pipeline = ""
  /// The pipeline's file; left out for a pipe that was typed.
  package var file: String?
  /// How the run ended.
  package var status = Status.done
  /// Why it failed; only of one that did.
  package var failure: RunError?
  /// Time and memory.
  package var run = Run()
  /// What became of the rows.
  package var rows = Rows()
  /// The sources in their order.
  package var sources: [Source] = []
  /// The stages that all sources went through together, in the order of the data.
  package var stages: [Stage] = []
  /// Why rows were rejected, the most frequent reason first.
  package var rejects: [RejectUse] = []
  /// Labels, calling codes and prefixes of what went into the last stage; left out when nothing got there.
  package var labels: Tally?
  package var callingCodes: Tally?
  package var prefixes: Tally?
  /// What was written, in the order of the pipeline; empty when nothing was.
  package var outputs: [Output] = []
  /// What was published; left out for a run that was not to publish, and for one that failed before it knew where.
  package var published: Published?

  /// Makes a report of nothing.
  package init() {}
}
