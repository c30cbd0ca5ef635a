// The report of a finished run, as in its JSON form.
//
// docs/formats/report.schema.json specifies the format. `cdpipe` writes the report and `cdpipe-report` reads it with
// the same types.

package struct RunReport: Codable, Equatable, Sendable {
  package static let format = "cdpipe-report"
  package static let version = 1

  package enum Status: String, Codable, Sendable {
    case done
    case failed
    /// The sources have not changed; nothing was written.
    case unchanged
  }

  package struct RunError: Codable, Equatable, Sendable {
    /// The stage that failed; nil if the error was not a stage's.
    package var stage: String?
    package var message = ""
    /// The hint on standard error; nil if there is none.
    package var hint: String?
    package var exitStatus = 0

    package init() {}
  }

  /// The outcome of all rows: `read` plus `splits` and `inferred` equals the sum of all other counts.
  package struct Rows: Codable, Equatable, Sendable {
    /// Rows that entered the first stage that counts rows, of all sources.
    package var read: UInt64 = 0
    /// Additional pieces from patterns and ranges that were split.
    package var splits: UInt64 = 0
    package var written: UInt64 = 0
    /// Records that were dropped in favour of another record for the same numbers.
    package var duplicates: UInt64 = 0
    package var rejects: UInt64 = 0
    /// Records that were left out by a label map, a minimum score, a limit or the rules of select.
    package var leftOut: UInt64 = 0
    package var removed: UInt64 = 0
    /// Records that were merged into an adjacent record.
    package var joined: UInt64 = 0
    /// Records that were added between others; nil for zero.
    package var inferred: UInt64?
    /// Rows that were patterns for ranges of numbers, and the numbers that they stand for; nil for zero.
    package var patterns: UInt64?
    package var patternNumbers: UInt64?
    /// Whether the counts add up. They may not after a failed run.
    package var isBalanced = true
  }

  package struct Stage: Codable, Equatable, Sendable {
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
    package var inferred: UInt64?
    /// The records of `leftOut` by reason, as far as they are counted; nil if there are none.
    package var leftOutReasons: [String: UInt64]?
    /// The rows that were patterns, and the numbers that they stand for; nil for zero.
    package var patterns: UInt64?
    package var patternNumbers: UInt64?
    /// The decisions written to the conflicts file; nil without one.
    package var conflicts: UInt64?
    /// The bytes written to spill files.
    package var bytesSpilled: UInt64?
  }

  package struct Input: Codable, Equatable, Sendable {
    package var name = ""
    package var format = ""
    /// Its encoding; nil for UTF-8, or if the input itself declares it.
    package var encoding: String?
    /// The fields that rows are read from, or `=TEXT` for a constant; nil for none, or for the parts of a pair.
    package var number: String?
    package var label: String?
    package var source: String?
    package var score: String?
    package var date: String?
    package var last: String?
    package var country: String?
    package var areaCode: String?
    package var others: [String] = []
  }

  package struct Source: Codable, Equatable, Sendable {
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

    package init() {}
  }

  package struct Run: Codable, Equatable, Sendable {
    package var started = ""
    /// The day from which the ages of the rows were counted; nil if none had to be below a maximum.
    package var now: String?
    /// The duration in seconds.
    package var seconds = 0.0
    /// The CPU time of all threads in seconds.
    package var cpuSeconds = 0.0
    package var peakMemoryBytes: UInt64 = 0
  }

  package var format = Self.format
  package var version = Self.version
  package var cdpipe = ""
  package var pipeline = ""
  /// The path of the pipeline file; nil for a typed pipe.
  package var file: String?
  package var status = Status.done
  /// Why the run failed; nil if it did not.
  package var failure: RunError?
  package var run = Run()
  package var rows = Rows()
  /// The sources, in pipeline order.
  package var sources: [Source] = []
  /// The stages that all sources share, in pipeline order.
  package var stages: [Stage] = []
  /// The reasons of rejects, most frequent first.
  package var rejects: [RejectUse] = []
  /// The reasons of records that were left out, as far as they are counted; nil if there are none.
  package var leftOut: [LeftOutUse]?
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

  package init() {}
}

// MARK: - The counts in a report: rejects by reason, and records by label, calling code and prefix

extension RunReport {
  package struct RejectUse: Codable, Equatable, Sendable {
    /// The maximum number of examples per reason.
    package static let examplesMax = 3
    /// The maximum length of an example's text in characters.
    package static let textMax = 120

    package struct Example: Codable, Equatable, Sendable {
      /// The row's location, as printed on standard error.
      package var place = ""
      /// The row's text, truncated to ``textMax`` characters.
      package var text = ""

      package init() {}
    }

    package var stage = ""
    /// The reason's code, which is stable; docs/operations/exit-statuses.md lists the codes.
    package var reason = ""
    package var words = ""
    package var count: UInt64 = 0
    /// The first rejected rows, as examples.
    package var examples: [Example] = []

    package init() {}
  }

  /// Records that a stage left out for a reason, such as `not-selected`.
  package struct LeftOutUse: Codable, Equatable, Sendable {
    package var stage = ""
    package var reason = ""
    package var count: UInt64 = 0
  }

  /// How many numbers are valid in their country, in a sample of all numbers.
  package struct Validity: Codable, Equatable, Sendable {
    package var checked: UInt64 = 0
    /// The numbers among them that are not valid.
    package var invalid: UInt64 = 0
  }

  package struct Tally: Codable, Equatable, Sendable {
    /// The maximum number of items to list: about as many as a reader looks through.
    package static let listedMax = 50
    /// The maximum length of an item's name in characters.
    package static let nameMax = 200

    package struct Item: Codable, Equatable, Sendable {
      /// The label or the digits. Numbers that are only blocked have an empty label.
      package var name = ""
      /// The regions of a calling code, the main one first; nil for labels and prefixes.
      package var regions: [String]?
      /// The English name of the main country with a calling code; nil for labels and prefixes.
      package var country: String?
      /// The count of records; a range counts once.
      package var records: UInt64 = 0
      package var entries: UInt64 = 0
    }

    /// The items that are not listed.
    package struct Others: Codable, Equatable, Sendable {
      /// The number of distinct labels, calling codes or prefixes; nil if there were too many to count.
      package var count: Int?
      package var records: UInt64 = 0
      package var entries: UInt64 = 0
    }

    /// The most frequent items, by single numbers.
    package var items: [Item] = []
    /// The remaining items; nil if there are none.
    package var others: Others?
  }
}

// MARK: - What a report has about time

extension RunReport {
  /// The single numbers in which the result differs from the version that was current before the run.
  package struct Changes: Codable, Equatable, Sendable {
    /// The maximum number of labels, and of countries, to list, as for `cdpipe diff --summary`.
    package static let listedMax = 20
    /// The maximum number of examples of each kind of change.
    package static let examplesMax = 10

    package struct Item: Codable, Equatable, Sendable {
      /// The label, truncated to ``RunReport/Tally/nameMax`` characters, or the digits of the calling code. Empty for
      /// numbers without a label or without a calling code.
      package var name = ""
      /// The main region of a calling code; `001` for a network without a country; nil for labels.
      package var region: String?
      /// The English name of the country; nil for labels.
      package var country: String?
      package var added: UInt64 = 0
      package var removed: UInt64 = 0
      package var relabelled: UInt64 = 0
    }

    /// The items that are not listed.
    package struct Others: Codable, Equatable, Sendable {
      /// The number of distinct labels or calling codes; nil if there were too many to count.
      package var count: Int?
      package var added: UInt64 = 0
      package var removed: UInt64 = 0
      package var relabelled: UInt64 = 0
    }

    package struct Breakdown: Codable, Equatable, Sendable {
      package var items: [Item] = []
      /// The remaining items; nil if there are none.
      package var others: Others?
    }

    /// Consecutive numbers that have changed alike.
    package struct Example: Codable, Equatable, Sendable {
      package var first: UInt64
      package var last: UInt64
      /// The label, truncated; of removed numbers, the old one.
      package var label: String
      /// The old label of relabelled numbers, truncated; nil for others.
      package var before: String?
    }

    /// Examples of each kind of change, spread evenly over the list.
    package struct Examples: Codable, Equatable, Sendable {
      package var added: [Example] = []
      package var removed: [Example] = []
      package var relabelled: [Example] = []
    }

    package var from: String
    package var numbers = Output.Numbers(added: 0, removed: 0, relabelled: 0)
    /// Relabelled numbers count for their new label.
    package var labels = Breakdown()
    package var countries = Breakdown()
    package var examples = Examples()
  }
}

extension RunReport {
  /// Something that happened to the published folder, as `cdpipe history --json` prints it.
  package struct Event: Codable, Equatable, Sendable {
    /// The maximum number of events in a report: a month of nights.
    package static let listedMax = 30

    package enum EventKind: String, Codable, Sendable {
      case published
      case repaired
      /// The current version was written again, because none of the keys had signed it.
      case signed
      /// An earlier version became current again, or a later one.
      case rolledBack
      /// Runs resulted in the current version; nothing was published.
      case unchanged
      /// Runs resulted in a version that was rolled back; nothing was published.
      case withdrawn
    }

    package var event = EventKind.published
    /// When it happened, in UTC to the second.
    package var time = ""
    package var version = ""
    /// The id of the version that was current before; nil if there was none or it is unknown.
    package var replaced: String?
    /// The count of single numbers; nil for runs that published nothing.
    package var entries: UInt64?
    /// The size of the version's files; nil if unknown.
    package var bytes: UInt64?
    /// The numbers in which the version differs from the one that it replaced; nil if unknown.
    package var changes: Output.Numbers?
    /// The number of runs in a row that published nothing, and when the last of them was; nil for other events.
    package var runs: UInt64?
    package var lastTime: String?
    package var isCurrent = false
    package var isKept = true
    /// Whether the version was rolled back since, and is not published again by itself.
    package var isRolledBack = false

    package init() {}
  }
}

// MARK: - An output in a report: its files, their identity, and the change from before

extension RunReport {
  package struct ByKind: Codable, Equatable, Sendable {
    package var blocking: UInt64 = 0
    package var identification: UInt64 = 0

    package var sum: UInt64 { blocking &+ identification }
  }

  package struct Output: Codable, Equatable, Sendable {
    package struct Shard: Codable, Equatable, Sendable {
      package var id = 0
      package var name = ""
      package var bytes: UInt64 = 0
      package var entries = ByKind()
      /// The store's content hash, in hexadecimal.
      package var contentHash = ""
    }

    package struct Change: Codable, Equatable, Sendable {
      /// The content hash or id of the previous output, in hexadecimal.
      package var from = ""
      package var isUnchanged = false
      package var records = ByKind()
      package var entries = ByKind()
      /// The number of unchanged shards, for a directory.
      package var shardsKept: Int?
      /// The counts of single numbers that the deltas remove and add; nil without deltas.
      package var removals: UInt64?
      package var additions: UInt64?
      /// The counts of single numbers in which the output differs from its baseline; nil without deltas.
      package var numbers: Numbers?
    }

    /// The single numbers that differ: each is counted once.
    package struct Numbers: Codable, Equatable, Sendable {
      /// Numbers that were not in the previous output.
      package var added: UInt64
      /// Numbers that were in the previous output only.
      package var removed: UInt64
      /// Numbers with another label.
      package var relabelled: UInt64

      package init(added: UInt64, removed: UInt64, relabelled: UInt64) {
        self.added = added
        self.removed = removed
        self.relabelled = relabelled
      }
    }

    package var path = ""
    /// The format, as `cdpipe emit --formats` lists it.
    package var format = ""
    /// The total size of the output's files in bytes.
    package var bytes: UInt64 = 0
    /// For stores: the records and their content hash or id.
    package var records: ByKind?
    package var entries: ByKind?
    package var contentID: String?
    /// For a directory: its shards.
    package var shards: [Shard]?
    /// The change from before; nil if unknown.
    package var change: Change?
  }
}

// MARK: - A publishing run in a report: the resulting version, and sources that could not be used

extension RunReport {
  package struct Published: Codable, Equatable, Sendable {
    package enum Outcome: String, Codable, Sendable {
      case published
      case repaired
      case unchanged
      /// The result equals a version that was rolled back; another version stays current.
      case withdrawn
      /// The run failed without a result; the current version is unchanged.
      case nothing
    }

    package var directory: String
    package var outcome: Outcome
    /// The id of the resulting version; nil if there is none.
    package var version: String?
    /// The id of the version that was current before; nil if there was none.
    package var before: String?

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
      case lastGood = "last-good"
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

    package var message: String
    package var remedy: Remedy
    /// When the last good copy was known to be good, in UTC to the second; nil if it was not used.
    package var good: String?
    /// The age of the last good copy at the time of the run, in seconds; nil if it was not used.
    package var ageSeconds: Int64?

    package init(message: String) {
      self.message = message
      remedy = .leftOut
    }

    /// Describes a source because of which the run failed.
    package init(failing message: String) {
      self.message = message
      remedy = .failed
    }

    package init(message: String, good: String, ageSeconds: Int64) {
      self.message = message
      remedy = .lastGood
      self.good = good
      self.ageSeconds = ageSeconds
    }
  }
}

// MARK: - What happened to a published folder, as `cdpipe-report` reads it for an index page

package struct VersionIndex: Codable, Equatable, Sendable {
  package static let format = "cdpipe-index"
  package static let version = 1

  package var format = Self.format
  package var version = Self.version
  package var cdpipe = ""
  package var directory = ""
  /// When the index was written, in UTC to the second.
  package var written = ""
  /// Why the last run failed; nil if it did not, or is unknown.
  package var failure: RunReport.RunError?
  /// What happened, oldest first.
  package var events: [RunReport.Event] = []

  package init() {}
}
