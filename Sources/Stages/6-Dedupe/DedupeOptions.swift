// What `dedupe` can be told, what it tells, and why it fails.

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
  public var temporaryDirectory = TemporaryFile.defaultDirectory
  /// Gets what is worth saying, at the end.
  public var observe: (@Sendable (DedupeNotice) -> Void)?

  /// Makes options.
  public init(keep: Keep = .first, conflictsPath: String? = nil) {
    self.keep = keep
    self.conflictsPath = conflictsPath
  }
}
