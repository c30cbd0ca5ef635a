// What is loaded by which extension, of what was typed.

import CallDeltaReader
import CallStoreReader
import EmitStage
import SystemIO
import SystemPackage

/// Why nothing can be simulated. It carries data; PhoneMessages makes the sentences.
enum SimulationError: Error {
  case manifest(ManifestError)
  case store(CallStoreError, path: String)
  case delta(CallDeltaError, path: String)
  /// A delta needs a store to begin with.
  case deltaAlone(path: String)
  /// The deltas do not lead on from the store, or not one to the next.
  case deltasDoNotFit(path: String)
  /// The deltas lead to another store than the one that is named with them.
  case deltasLeadElsewhere(store: String)
  /// Of `--incremental`, and of what was typed, one is a manifest and the other is not.
  case manifestAndStore(from: String)
  /// Several stores for the one of `--incremental`.
  case severalStores
  case tooManyExtensions(limit: Int)
  /// The phone's directory can't be made.
  case phone
  /// What is loaded can't be noted.
  case noRoomForRecord(directory: String)
}

/// One extension, and what it loads.
struct SimulatedExtension {
  /// A state that it is to come to.
  struct State {
    var store: String
    var deltas: [String] = []
  }

  /// What it has at first; nil for nothing.
  var former: State?
  /// What it is to have.
  var wanted: State
  /// The store that it has at first, when no deltas lead from it: the phone loads everything anew, and never says why.
  var withoutDeltasFrom: String?
  /// What it is called in messages.
  var name: String { wanted.store }

  /// The extensions for what was typed.
  static func all(of inputs: [String], from former: String?) throws(SimulationError) -> [SimulatedExtension] {
    for path in inputs + [former].compactMap({ $0 }) where isManifest(path) { try checkStores(path) }
    guard let former else {
      var all: [SimulatedExtension] = []
      for input in inputs {
        if isManifest(input) {
          for shard in try shards(input) { all.append(SimulatedExtension(wanted: State(store: shard.store))) }
        } else if DeltaFile.isDelta(input) {
          throw .deltaAlone(path: input)
        } else {
          all.append(SimulatedExtension(wanted: State(store: input)))
        }
      }
      return all
    }
    try demand([former] + inputs)
    return isManifest(former) ? try shards(of: inputs, from: former) : try [store(inputs, from: former)]
  }

  /// Says of what is not there that it is not, before it is called something that does not fit.
  private static func demand(_ paths: [String]) throws(SimulationError) {
    for path in paths where FileKind(of: FilePath(path)) == .none { _ = try contentHash(path) }
  }

  /// Shards find their former state by their ids.
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
          former: former.map { State(store: $0.store) }, wanted: State(store: shard.store, deltas: deltas),
          withoutDeltasFrom: isWithout ? former?.store : nil))
    }
    return all
  }

  /// One store, and its deltas or the store that follows.
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
      former: State(store: former), wanted: State(store: stores.first ?? former, deltas: deltas),
      withoutDeltasFrom: isWithout ? former : nil)
  }

  private static func contentHash(_ store: String) throws(SimulationError) -> [UInt8] {
    do throws(CallStoreError) {
      return try CallStore(path: store).contentHash
    } catch {
      throw .store(error, path: store)
    }
  }

  /// Where deltas lead to. That they don't fit is an error here: a phone would load the store anew, and never say why.
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
    do throws(ManifestError) {
      return try ShardDirectory(path).shards
    } catch {
      throw .manifest(error)
    }
  }

  /// Whether a path is a manifest's, or a directory's.
  private static func isManifest(_ path: String) -> Bool {
    path.hasSuffix(".json") || FileKind(of: FilePath(path)) == .directory
  }

  /// Holds the stores beside a manifest against it: a phone takes whatever lies there.
  private static func checkStores(_ path: String) throws(SimulationError) {
    do throws(ManifestError) {
      try ShardStores.checked(path)
    } catch {
      throw .manifest(error)
    }
  }
}
