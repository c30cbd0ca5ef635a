// Chooses what the next request loads, from the wanted state and the state that is known to be loaded. Pure functions:
// no files, no clock.

/// The step that a request loads.
public enum LoadStep: Equatable, Sendable {
  /// Nothing: everything is loaded.
  case nothing
  /// The bootstrap store, replacing all loaded entries.
  case bootstrap
  /// The store, replacing all loaded entries; with a number, the rest of the store after it.
  case store(after: UInt64?)
  /// A delta, by its index in ``ExtensionFiles/deltas``: its removals and additions; with a number, the rest of its
  /// additions after it.
  case delta(Int, after: UInt64?)

  /// Whether the step replaces all entries. Otherwise it changes the loaded entries, which needs an incremental
  /// request.
  public var isFromScratch: Bool {
    switch self {
    case .bootstrap, .store(after: nil): true
    case .nothing, .store, .delta: false
    }
  }
}

/// The content hashes of the stores that a delta starts from and leads to.
struct DeltaEnds: Equatable, Sendable {
  var from: [UInt8]
  var to: [UInt8]
}

/// The content hashes of an extension's files.
struct ExtensionFileHashes: Equatable, Sendable {
  let store: [UInt8]
  let bootstrap: [UInt8]?
  /// The deltas, if they form a chain that begins or ends at the store; otherwise empty.
  let deltas: [DeltaEnds]
  /// The content hash of the wanted state.
  let target: [UInt8]

  init(store: [UInt8], bootstrap: [UInt8]?, deltas: [DeltaEnds]) {
    self.store = store
    self.bootstrap = bootstrap
    let isChain = zip(deltas, deltas.dropFirst()).allSatisfy { $0.to == $1.from }
    if isChain, let first = deltas.first, let last = deltas.last, first.from == store || last.to == store {
      self.deltas = deltas
      target = last.to
    } else {
      self.deltas = []
      target = store
    }
  }
}

/// Chooses the next step.
enum LoadPlan {
  /// The step of the next request, given what is loaded.
  static func next(_ hashes: ExtensionFileHashes, loaded: LoadedExtent) -> LoadStep {
    switch loaded {
    case .unknown: return fromScratch(hashes)
    case .whole(let hash):
      if hash == hashes.target { return .nothing }
      if let place = hashes.deltas.firstIndex(where: { $0.from == hash }) { return .delta(place, after: nil) }
    case .storePart(let hash, let through):
      if hash == hashes.store { return .store(after: through) }
    case .deltaPart(let from, let to, let through):
      let ends = DeltaEnds(from: from, to: to)
      if let place = hashes.deltas.firstIndex(of: ends) { return .delta(place, after: through) }
    }
    // Something else is loaded; it stays active until the store replaces it.
    return .store(after: nil)
  }

  /// The step of a request if nothing is loaded.
  static func fromScratch(_ hashes: ExtensionFileHashes) -> LoadStep {
    hashes.bootstrap == nil ? .store(after: nil) : .bootstrap
  }
}
