// What the store and delta writers report, as a manifest describes it.

import CallDeltaReader
import StoreWriting
import CallManifest
import Hashing

extension Manifest.Store {
  /// Describes a store that was just written.
  init(name: String, _ summary: StoreSummary) {
    self.init(
      name: name, bytes: summary.byteCount, sha256: Hexadecimal.text(summary.fileHash),
      contentHash: Hexadecimal.text(summary.contentHash), first: summary.first, last: summary.last,
      records: summary.recordCounts, entries: summary.entryCounts)
  }
}

extension Manifest.Delta {
  /// Describes a delta that was just written.
  init(name: String, _ summary: DeltaSummary) {
    self.init(
      name: name, bytes: summary.byteCount, sha256: Hexadecimal.text(summary.fileHash),
      step: summary.header.step, from: Hexadecimal.text(summary.header.baselineHash),
      to: Hexadecimal.text(summary.header.resultHash), removals: summary.removals.entries,
      additions: summary.additions.entries)
  }
}
