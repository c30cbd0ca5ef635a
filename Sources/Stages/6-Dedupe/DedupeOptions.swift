// What `dedupe` can be told, what it tells, and why it fails.

public import PipeStage
import SystemIO

/// What `dedupe` can be told. The work is done in this order: labels are mapped, weak scores left out, the decision
/// made, the limit held, neighbours joined.
public struct DedupeOptions: Sendable {
  /// Which of several records for the same numbers stays. Where a policy finds no difference, the first one does.
  public enum Keep: String, CaseIterable, Sendable {
    /// The one that came first.
    case first
    /// The one that came last.
    case last
    /// The one with the highest score; none counts as 0.
    case highestScore = "highest-score"
    /// The first of those with the label that most of them have.
    case mostFrequent = "most-frequent"
    /// The one from the strongest source of ``DedupeOptions/priority``.
    case priority
  }

  /// The form of the file of decisions.
  public enum ConflictsFormat: String, CaseIterable, Sendable {
    /// Eight columns with tabs between.
    case tsv
    /// An object a line.
    case jsonl

    /// The form that a file's name asks for: lines of JSON for `.jsonl` and `.ndjson`.
    public init(named path: String) {
      self = path.hasSuffix(".jsonl") || path.hasSuffix(".ndjson") ? .jsonl : .tsv
    }
  }

  /// Which of several records for the same numbers stays.
  public var keep: Keep
  /// The sources for ``Keep/priority``, the strongest first. One that is not named is weaker than all of them.
  public var priority: [String] = []
  /// The file that says what becomes of labels, or nil.
  public var labelMapPath: String?
  /// Records with a lower score are left out before the decision; nil for none. A record without a score has 0.
  public var minScore: Int64?
  /// The most single numbers that go out, those with the highest scores; nil for all.
  public var limit: UInt64?
  /// Whether neighbours with one label are joined.
  public var coalesce = false
  /// Where every decision is written, or nil.
  public var conflictsPath: String?
  /// The form of that file; nil for what its name asks for.
  public var conflictsFormat: ConflictsFormat?
  /// Where temporary files go: the records while ``limit`` looks for the score that fits, and those of a number that has
  /// very many while every decision is written.
  public var temporaryDirectory = TemporaryFile.usualDirectory
  /// Gets what is worth saying, at the end.
  public var observe: (@Sendable (DedupeNotice) -> Void)?

  /// Makes options.
  public init(keep: Keep = .first, conflictsPath: String? = nil) {
    self.keep = keep
    self.conflictsPath = conflictsPath
  }
}

/// Why a record is left out though no other stands for its numbers.
public enum LeftOutReason: String, CaseIterable, Sendable {
  /// The label map drops it.
  case mapped
  /// Its score is below the least.
  case score
  /// It does not fit the limit.
  case limit
}

/// What is worth saying at the end of a dedupe.
public enum DedupeNotice: Equatable, Sendable {
  /// So many records, which stand for so many numbers, were left out.
  case leftOut(LeftOutReason, records: UInt64, numbers: UInt64)
  /// No record had one of these sources, which the priority names.
  case sourcesWithoutRecords([String])
}

/// Why a dedupe ends early.
public enum DedupeError: ErrorCause {
  /// The input is not sorted: record `row` (from 1) starts below the one before it.
  case notSorted(row: UInt64, previous: UInt64, number: UInt64)
  /// A range stands behind a shorter one with the same first number, where records are to be counted.
  case widerBehind(row: UInt64, number: UInt64)
  /// More than ``RangeSweep/activeMax`` ranges overlap at a number, each of which may still win some.
  case tooManyOverlaps(number: UInt64, limit: Int)
  /// The labels of the ranges that overlap at a number are larger than ``RangeSweep/activeBytesMax``.
  case overlapsTooLarge(number: UInt64, bytesMax: Int)
  /// The different labels of a number are larger than ``LabelVotes/bytesMax``.
  case labelsTooLarge(number: UInt64, bytesMax: Int)
  /// A line of the label map is no rule.
  case badLabelMap(path: String, line: Int, LabelMapError)
  /// The label map is larger than ``LabelMap/fileBytesMax``.
  case labelMapTooLarge(path: String, limit: Int)

  /// Bad data, all of them.
  public var errorClass: ErrorClass { .badData }
}

/// What is wrong with a line of a label map.
public enum LabelMapError: Error, Equatable, Sendable {
  /// There is no `=`.
  case noEquals
  /// A backslash in front of a character that needs none.
  case badEscape
  /// The bytes are not UTF-8.
  case notUTF8
}

/// Why dedupe rejects a record.
public enum DedupeReject: RejectReason {
  /// With the label that the map gives, the record's fields are longer than a record's may be.
  case labelTooLong

  /// A stable word.
  public var code: String { "label-too-long" }
}
