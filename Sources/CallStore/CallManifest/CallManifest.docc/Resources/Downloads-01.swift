import CallManifest

/// The files to download, by the id of the shard.
func downloads(_ new: Manifest, installed: Manifest) -> [Int: [String]] {
  guard new.contentID != installed.contentID else { return [:] }
  return [:]
}
