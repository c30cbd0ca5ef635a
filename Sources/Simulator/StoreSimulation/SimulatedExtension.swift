// Determines the files of each extension from the command's arguments.

import CallDeltaReader
import CallDeltaWriter
import CallStoreReader
import ShardDirectories
import SystemIO
import SystemPackage

/// An extension and the files that it loads.
public struct SimulatedExtension {
  /// A store and the deltas that lead to it.
  public struct StoreVersion {
    /// The store.
    public var store: String
    /// The deltas.
    public var deltas: [String] = []
  }

  /// The version that the extension has loaded before; nil for none.
  public var former: StoreVersion?
  /// The version that the extension loads.
  public var wanted: StoreVersion
  /// The store that was loaded before, if no deltas lead from it: the phone then loads everything again.
  public var withoutDeltasFrom: String?
  /// The extension's name in messages.
  public var name: String { wanted.store }

  /// Returns the extensions for the arguments.
  public static func all(of inputs: [String], from former: String?) throws(SimulationError)
    -> [SimulatedExtension]
  {
    for path in inputs + [former].compactMap({ $0 }) where isManifest(path) { try checkStores(path) }
    guard let former else {
      var all: [SimulatedExtension] = []
      for input in inputs {
        if isManifest(input) {
          for shard in try shards(input) {
            all.append(SimulatedExtension(wanted: StoreVersion(store: shard.store.path)))
          }
        } else if DeltaFile.isDelta(input) {
          throw .deltaAlone(path: input)
        } else {
          all.append(SimulatedExtension(wanted: StoreVersion(store: input)))
        }
      }
      return all
    }
    try demand([former] + inputs)
    return isManifest(former) ? try shards(of: inputs, from: former) : try [store(inputs, from: former)]
  }

  /// Throws for missing files, before they are reported as files of the wrong kind.
  private static func demand(_ paths: [String]) throws(SimulationError) {
    for path in paths where FileKind(of: FilePath(path)) == .none { _ = try contentHash(path) }
  }

  /// Matches shards: those with the same id belong to the same extension.
  private static func shards(
    of inputs: [String], from former: String
  ) throws(SimulationError) -> [SimulatedExtension] {
    var old: [Int: ShardDirectory.Shard] = [:]
    for shard in try shards(former) { old[shard.id] = shard }
    guard inputs.count == 1, isManifest(inputs[0]) else { throw .manifestAndStore(from: former) }
    var all: [SimulatedExtension] = []
    for shard in try shards(inputs[0]) {
      let former = old[shard.id]
      let deltas = former.flatMap { shard.deltas[$0.contentHash] } ?? []
      let isWithout = former.map { $0.contentHash != shard.contentHash && deltas.isEmpty } ?? false
      all.append(
        SimulatedExtension(
          former: former.map { StoreVersion(store: $0.store.path) },
          wanted: StoreVersion(store: shard.store.path, deltas: deltas),
          withoutDeltasFrom: isWithout ? former?.store.path : nil))
    }
    return all
  }

  /// Returns the extension for one store with its deltas or the next store.
  private static func store(
    _ inputs: [String], from former: String
  ) throws(SimulationError) -> SimulatedExtension {
    let deltas = inputs.filter(DeltaFile.isDelta)
    let stores = inputs.filter { !DeltaFile.isDelta($0) }
    if stores.contains(where: isManifest) { throw .manifestAndStore(from: former) }
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

  private static func shards(_ path: String) throws(SimulationError) -> [ShardDirectory.Shard] {
    do throws(ShardDirectoryError) {
      return try ShardDirectory(path).shards
    } catch {
      throw .manifest(error)
    }
  }

  /// Whether a path is that of a manifest or a directory.
  private static func isManifest(_ path: String) -> Bool {
    path.hasSuffix(".json") || FileKind(of: FilePath(path)) == .directory
  }

  /// Checks the stores next to a manifest; a phone would load them unchecked.
  private static func checkStores(_ path: String) throws(SimulationError) {
    do throws(ShardDirectoryError) {
      try ShardDirectory(path).checkHeaders()
    } catch {
      throw .manifest(error)
    }
  }
}
