// The options of `dedupe`.

import SystemIO

/// The options of `dedupe`. The steps are applied in this order: labels are mapped, records with low scores are left
/// out, duplicates are resolved, the limit is applied, adjacent records are joined.
package struct DedupeOptions: Sendable {
  /// Which of several records for the same numbers is kept. Of records that are equal under the policy, the first is
  /// kept.
  package enum Keep: String, CaseIterable, Sendable {
    /// The first one.
    case first
    /// The last one.
    case last
    /// The one with the highest score; a missing score counts as 0.
    case highestScore = "highest-score"
    /// The first one with the most frequent label.
    case mostFrequent = "most-frequent"
    /// The one whose source comes first in ``DedupeOptions/priority``.
    case priority
  }

  /// The format of the conflicts file.
  package enum ConflictsFormat: String, CaseIterable, Sendable {
    /// Eight tab-separated columns.
    case tsv
    /// One JSON object per line.
    case jsonl

    /// The format implied by a file's name: JSON lines for `.jsonl` and `.ndjson`, else TSV.
    package init(named path: String) {
      self = path.hasSuffix(".jsonl") || path.hasSuffix(".ndjson") ? .jsonl : .tsv
    }
  }

  /// Which of several records for the same numbers is kept.
  package var keep: Keep
  /// The sources for ``Keep/priority``, highest priority first. Sources that are not listed come after all of them.
  package var priority: [String] = []
  /// The label map file, or nil.
  package var labelMapPath: String?
  /// Records with a lower score are left out; nil for no minimum. A record without a score has score 0.
  package var minScore: Int64?
  /// The maximum number of single numbers in the output, those with the highest scores; nil for all.
  package var limit: UInt64?
  /// Whether adjacent records with the same label are joined.
  package var coalesce = false
  /// The conflicts file, to which every decision is written, or nil.
  package var conflictsPath: String?
  /// The format of that file; nil for the one that its name implies.
  package var conflictsFormat: ConflictsFormat?
  /// Where temporary files go: the records while ``limit`` looks for the score that fits, and those of a number that
  /// has very many while every decision is written.
  package var temporaryDirectory = TemporaryFile.defaultDirectory
  /// Receives notices at the end, such as how many records were left out.
  package var observe: (@Sendable (DedupeNotice) -> Void)?

  /// Makes options.
  package init(keep: Keep = .first, conflictsPath: String? = nil) {
    self.keep = keep
    self.conflictsPath = conflictsPath
  }
}
