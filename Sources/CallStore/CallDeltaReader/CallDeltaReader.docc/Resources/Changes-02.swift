import CallDeltaReader

/// Describes a delta in a sentence.
func summary(ofDelta path: String) throws -> String {
  let delta = try CallDelta(path: path)
  var changed: UInt64 = 0
  var cursor = StoreCursor(delta.removals)
  var batch = StoreBatch()
  while try cursor.nextEntries(of: delta.removals, into: &batch) {
    for index in 0..<batch.count where try delta.additions.record(of: batch.firsts[index]) != nil {
      changed += 1
    }
  }
  let removed = delta.removals.entryCounts.sum - changed
  let added = delta.additions.entryCounts.sum - changed
  return "\(removed) removed, \(added) added, \(changed) changed"
}
