// The report of a finished run, as in its JSON form.
//
// docs/formats/report.schema.json specifies the format. `cdpipe` writes the report and `cdpipe-report` reads it with
// the same types. Not for collecting the data (PipeRunner and the command layer) or displaying it.

/// The report of a run.
package struct RunReport: Codable, Equatable, Sendable {
  /// The value that distinguishes a report from other JSON.
  package static let format = "cdpipe-report"
  /// The version of the format.
  package static let version = 1

  /// How a run ended.
  package enum Status: String, Codable, Sendable {
    case done
    case failed
    /// The sources have not changed; nothing was written.
    case unchanged
  }

  /// Why a run failed.
  package struct RunError: Codable, Equatable, Sendable {
    /// The stage that failed; nil if the error was not a stage's.
    package var stage: String?
    /// The message on standard error.
    package var message = ""
    /// The hint on standard error; nil if there is none.
    package var hint: String?
    /// The exit status of the run.
    package var exitStatus = 0

    /// Creates an empty error.
    package init() {}
  }

  /// The outcome of all rows: `read` plus `splits` equals the sum of all other counts.
  package struct Rows: Codable, Equatable, Sendable {
    /// Rows that entered the first stage that counts rows, of all sources.
    package var read: UInt64 = 0
    /// Additional pieces from patterns and ranges that were split.
    package var splits: UInt64 = 0
    /// Records that the last stage wrote.
    package var written: UInt64 = 0
    /// Records that were dropped in favour of another record for the same numbers.
    package var duplicates: UInt64 = 0
    /// Rows that were rejected.
    package var rejects: UInt64 = 0
    /// Records that were left out by a label map, a minimum score or a limit.
    package var leftOut: UInt64 = 0
    /// Records that a set operation removed completely.
    package var removed: UInt64 = 0
    /// Records that were merged into an adjacent record.
    package var joined: UInt64 = 0
    /// Rows that were patterns for ranges of numbers, and the numbers that they stand for; nil for zero.
    package var patterns: UInt64?
    package var patternNumbers: UInt64?
    /// Whether the counts add up. They may not after a failed run.
    package var isBalanced = true

    /// Creates counts of zero.
    package init() {}
  }

  /// The counters of a stage.
  package struct Stage: Codable, Equatable, Sendable {
    /// The stage's name.
    package var stage = ""
    /// The rows or records that entered and left the stage.
    package var rowsIn: UInt64 = 0
    package var rowsOut: UInt64 = 0
    /// The bytes that the stage read; nil if it does not read bytes.
    package var bytesIn: UInt64?
    /// The rows or records that did not continue, by outcome; nil for zero.
    package var rejects: UInt64?
    package var duplicates: UInt64?
    package var leftOut: UInt64?
    package var removed: UInt64?
    package var joined: UInt64?
    package var splits: UInt64?
    /// The rows that were patterns, and the numbers that they stand for; nil for zero.
    package var patterns: UInt64?
    package var patternNumbers: UInt64?
    /// The decisions written to the conflicts file; nil without one.
    package var conflicts: UInt64?
    /// The bytes written to spill files.
    package var bytesSpilled: UInt64?

    /// Creates counters of zero.
    package init() {}
  }

  /// What was recognised about an input of a source.
  package struct Input: Codable, Equatable, Sendable {
    /// The input's name in messages.
    package var name = ""
    /// Its format.
    package var format = ""
    /// Its encoding; nil for UTF-8, or if the input itself declares it.
    package var encoding: String?
    /// The fields that rows are read from, or `=TEXT` for a constant; nil for none, or for the parts of a pair.
    package var number: String?
    package var label: String?
    package var source: String?
    package var score: String?
    /// The other fields.
    package var others: [String] = []

    /// Creates an empty description.
    package init() {}
  }

  /// A source and its own stages.
  package struct Source: Codable, Equatable, Sendable {
    /// The source's name.
    package var name = ""
    /// The source's own stages, in pipeline order; empty for a source that was left out.
    package var stages: [Stage] = []
    /// The size in bytes and the SHA-256, in hexadecimal digits, of what was read; nil if they are not known.
    package var bytes: UInt64?
    package var sha256: String?
    /// What was recognised about its inputs, as far as they have fields; nil if none has.
    package var inputs: [Input]?
    /// Why the source could not be used; nil if it was used.
    package var trouble: SourceError?

    /// Creates a source without stages.
    package init() {}
  }

  /// The time and memory that the run used.
  package struct Run: Codable, Equatable, Sendable {
    /// The start of the run, in UTC to the second.
    package var started = ""
    /// The duration in seconds.
    package var seconds = 0.0
    /// The CPU time of all threads in seconds.
    package var cpuSeconds = 0.0
    /// The peak memory in bytes.
    package var peakMemoryBytes: UInt64 = 0

    /// Creates a run with zero values.
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
  /// The path of the pipeline file; nil for a typed pipe.
  package var file: String?
  /// How the run ended.
  package var status = Status.done
  /// Why the run failed; nil if it did not.
  package var failure: RunError?
  /// The time and memory that the run used.
  package var run = Run()
  /// The row counts by outcome.
  package var rows = Rows()
  /// The sources, in pipeline order.
  package var sources: [Source] = []
  /// The stages that all sources share, in pipeline order.
  package var stages: [Stage] = []
  /// The reasons of rejects, most frequent first.
  package var rejects: [RejectUse] = []
  /// The labels, calling codes and prefixes of the records that entered the last stage; nil if there were none.
  package var labels: Tally?
  package var callingCodes: Tally?
  /// The validity of the numbers in their countries; nil if they were not counted.
  package var validity: Validity?
  package var prefixes: Tally?
  /// The outputs that were written, in pipeline order.
  package var outputs: [Output] = []
  /// The outcome of publishing; nil if the run does not publish, or failed before the folder was known.
  package var published: Published?
  /// The changes from the version that was current before; nil if there was none or the result could not be compared.
  package var changes: Changes?
  /// The versions that were published last, oldest first; nil if the run does not publish.
  package var history: [Event]?

  /// Creates an empty report.
  package init() {}
}
