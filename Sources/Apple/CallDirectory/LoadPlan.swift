// What the next request loads, of what is wanted and what is known to be loaded. Pure: no files, no clock.

/// What a request loads.
public enum LoadStep: Equatable, Sendable {
  /// Nothing: all that is wanted is loaded.
  case nothing
  /// The bootstrap store, replacing all loaded entries.
  case bootstrap
  /// The store: replacing all loaded entries, or, after a number, the rest of it.
  case store(after: UInt64?)
  /// A delta, by its index in ``ExtensionFiles/deltas``: its removals and additions, or, after a number, the rest of
  /// its additions.
  case delta(Int, after: UInt64?)

  /// Whether it starts from nothing. Otherwise it comes on top of what is there, and iOS must have agreed to that.
  public var isFromScratch: Bool {
    switch self {
    case .bootstrap, .store(after: nil): true
    case .nothing, .store, .delta: false
    }
  }
}

/// A delta's two ends.
struct DeltaEnds: Equatable, Sendable {
  var from: [UInt8]
  var to: [UInt8]
}

/// What there is to load, by content hashes.
struct ExtensionFileHashes: Equatable, Sendable {
  let store: [UInt8]
  let bootstrap: [UInt8]?
  /// The deltas, if they follow one another and begin or end at the store; else none.
  let deltas: [DeltaEnds]
  /// What is wanted in the end.
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

/// The decision.
enum LoadPlan {
  /// The next request's load, given what is loaded and whether iOS accepts changes.
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
    // Something else is loaded, which goes on working until the store replaces it.
    return .store(after: nil)
  }

  /// What a request loads when nothing is loaded.
  static func fromScratch(_ hashes: ExtensionFileHashes) -> LoadStep {
    hashes.bootstrap == nil ? .store(after: nil) : .bootstrap
  }
}
