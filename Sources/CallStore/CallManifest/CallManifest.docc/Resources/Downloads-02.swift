import CallManifest

/// The files to download, by the id of the shard.
func downloads(_ new: Manifest, installed: Manifest) -> [Int: [String]] {
  guard new.contentID != installed.contentID else { return [:] }
  let old = Dictionary(uniqueKeysWithValues: installed.shards.map { ($0.id, $0.store.contentHash) })
  var files: [Int: [String]] = [:]
  for shard in new.shards where old[shard.id] != shard.store.contentHash {
    let chain = old[shard.id].flatMap { shard.chains[$0] }
    files[shard.id] = chain?.map(\.name) ?? [shard.store.name]
  }
  return files
}
