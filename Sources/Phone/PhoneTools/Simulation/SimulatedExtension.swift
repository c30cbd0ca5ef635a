// Determines the files of each extension from the command's arguments.

import CallDeltaReader
import StoreWriting
import CallStoreReader
import SystemIO
import SystemPackage

/// An extension and the files that it loads.
package struct SimulatedExtension {
  /// A store and the deltas that lead to it.
  package struct StoreVersion {
    /// The store.
    package var store: String
    /// The deltas.
    package var deltas: [String] = []
  }

  /// The version that the extension has loaded before; nil for none.
  package var former: StoreVersion?
  /// The version that the extension loads.
  package var wanted: StoreVersion
  /// The store that was loaded before, if no deltas lead from it: the phone then loads everything again.
  package var withoutDeltasFrom: String?
  /// The extension's name in messages.
  package var name: String { wanted.store }

  /// Returns the extensions for the arguments.
  package static func all(of inputs: [String], from former: String?) throws(SimulationError)
    -> [SimulatedExtension]
  {
    var lists: [ListInput] = []
    for path in inputs { lists.append(try list(path)) }
    guard let former else {
      var all: [SimulatedExtension] = []
      for list in lists {
        switch list {
        case .shards(let directory):
          for shard in directory.shards {
            all.append(SimulatedExtension(wanted: StoreVersion(store: shard.store.path)))
          }
        case .lookup: break  // list(_:) accepts none.
        case .file(let path) where DeltaFile.isDelta(path): throw .deltaAlone(path: path)
        case .file(let path): all.append(SimulatedExtension(wanted: StoreVersion(store: path)))
        }
      }
      return all
    }
    let start = try list(former)
    try demand([start] + lists)
    switch start {
    case .shards(let directory):
      guard lists.count == 1, case .shards(let wanted) = lists[0] else {
        throw .manifestAndStore(from: former)
      }
      return extensions(of: wanted, from: directory)
    case .file(let path):
      var files: [String] = []
      for list in lists {
        guard case .file(let file) = list else { throw .manifestAndStore(from: former) }
        files.append(file)
      }
      return [try store(files, from: path)]
    case .lookup: return []  // list(_:) accepts none.
    }
  }

  /// Finds out what an argument names. The headers of a directory's stores are checked; a phone would load the stores
  /// unchecked. No directory of another kind is accepted.
  private static func list(_ path: String) throws(SimulationError) -> ListInput {
    do throws(ShardDirectoryError) {
      let list = try ListInput(path)
      switch list {
      case .shards(let directory): try directory.checkHeaders()
      case .lookup: throw ShardDirectoryError.notShards(path: path)
      case .file: break
      }
      return list
    } catch {
      throw .manifest(error)
    }
  }

  /// Throws for missing files, before they are reported as files of the wrong kind.
  private static func demand(_ lists: [ListInput]) throws(SimulationError) {
    for case .file(let path) in lists where FileKind(of: FilePath(path)) == .none {
      _ = try contentHash(path)
    }
  }

  /// Matches shards: those with the same id belong to the same extension.
  private static func extensions(
    of wanted: ShardDirectory, from former: ShardDirectory
  ) -> [SimulatedExtension] {
    var old: [Int: ShardDirectory.Shard] = [:]
    for shard in former.shards { old[shard.id] = shard }
    return wanted.shards.map { shard in
      let former = old[shard.id]
      let deltas = former.flatMap { shard.deltas[$0.contentHash] } ?? []
      let isWithout = former.map { $0.contentHash != shard.contentHash && deltas.isEmpty } ?? false
      return SimulatedExtension(
        former: former.map { StoreVersion(store: $0.store.path) },
        wanted: StoreVersion(store: shard.store.path, deltas: deltas),
        withoutDeltasFrom: isWithout ? former?.store.path : nil)
    }
  }

  /// Returns the extension for one store with its deltas or the next store.
  private static func store(
    _ inputs: [String], from former: String
  ) throws(SimulationError) -> SimulatedExtension {
    let deltas = inputs.filter(DeltaFile.isDelta)
    let stores = inputs.filter { !DeltaFile.isDelta($0) }
    guard stores.count <= 1 else { throw .severalStores }
    let first = try contentHash(former)
    let last = try end(of: deltas, from: first)
    var isWithout = false
    if let store = stores.first {
      let wanted = try contentHash(store)
      guard deltas.isEmpty || last == wanted else { throw .deltasLeadElsewhere(store: store) }
      isWithout = last != wanted
    }
    return SimulatedExtension(
      former: StoreVersion(store: former),
      wanted: StoreVersion(store: stores.first ?? former, deltas: deltas),
      withoutDeltasFrom: isWithout ? former : nil)
  }

  private static func contentHash(_ store: String) throws(SimulationError) -> [UInt8] {
    do throws(CallStoreError) {
      return try CallStore(path: store).contentHash
    } catch {
      throw .store(error, path: store)
    }
  }

  /// Returns the content hash after the deltas. Deltas that don't fit are an error here; a phone would silently load
  /// the store again.
  private static func end(of deltas: [String], from first: [UInt8]) throws(SimulationError) -> [UInt8] {
    var state = first
    for path in deltas {
      let header: DeltaHeader
      do throws(CallDeltaError) {
        header = try CallDelta(path: path).header
      } catch {
        throw .delta(error, path: path)
      }
      guard header.baselineHash == state else { throw .deltasDoNotFit(path: path) }
      state = header.resultHash
    }
    return state
  }
}
