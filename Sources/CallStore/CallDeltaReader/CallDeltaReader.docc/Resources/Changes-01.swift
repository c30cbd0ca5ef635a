import CallDeltaReader

/// Describes a delta in a sentence.
func summary(ofDelta path: String) throws -> String {
  let delta = try CallDelta(path: path)
  let removed = delta.removals.entryCounts.sum
  let added = delta.additions.entryCounts.sum
  return "\(removed) removed, \(added) added"
}
