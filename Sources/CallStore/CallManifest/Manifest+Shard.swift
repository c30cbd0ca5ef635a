// One shard of a manifest, and where a number belongs.

extension Manifest {
  /// One shard: the store for one extension.
  public struct Shard: Codable, Equatable, Sendable {
    /// The number of the extension, from 1. A shard keeps its id when numbers are added; an id is never reused.
    public var id: Int
    /// The shard's first possible number. It holds the numbers from here to the next shard's.
    public var from: UInt64
    /// The store's file.
    public var store: Store
    /// The labels in the store.
    public var labels: Labels
    /// The deltas that lead to the store; nil when there are none.
    public var deltas: [Delta]?

    /// The chains of deltas, each in the order of its steps, keyed by the content hash of the store that it starts
    /// from.
    ///
    /// In ``deltas`` one chain follows another, and each starts with a step 1.
    public var chains: [String: [Delta]] {
      var chains: [String: [Delta]] = [:]
      var from = ""
      for delta in deltas ?? [] {
        if delta.step == 1 { from = delta.from }
        chains[from, default: []].append(delta)
      }
      return chains
    }

    private enum Keys: String, CodingKey { case id, from, labels, deltas }

    /// Describes a shard without deltas.
    public init(id: Int, from: UInt64, store: Store, labels: Labels) {
      self.id = id
      self.from = from
      self.store = store
      self.labels = labels
    }

    /// Decodes a shard. The store's keys are in the same object as the shard's own.
    public init(from decoder: any Decoder) throws {
      let keys = try decoder.container(keyedBy: Keys.self)
      id = try keys.decode(Int.self, forKey: .id)
      from = try keys.decode(UInt64.self, forKey: .from)
      store = try Store(from: decoder)
      labels = try keys.decodeIfPresent(Labels.self, forKey: .labels) ?? Labels()
      deltas = try keys.decodeIfPresent([Delta].self, forKey: .deltas)
    }

    /// Encodes the shard and its store into the same object.
    public func encode(to encoder: any Encoder) throws {
      try store.encode(to: encoder)
      var keys = encoder.container(keyedBy: Keys.self)
      try keys.encode(id, forKey: .id)
      try keys.encode(from, forKey: .from)
      try keys.encode(labels, forKey: .labels)
      try keys.encodeIfPresent(deltas, forKey: .deltas)
    }
  }

  /// The index of the shard that a number belongs to: the last one that starts at the number or below it. Nil when no
  /// shard does.
  ///
  /// - Complexity: O(log shards).
  public func shardIndex(of number: UInt64) -> Int? {
    var low = 0
    var high = shards.count
    while low < high {
      let middle = (low + high) / 2
      if shards[middle].from <= number { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : low - 1
  }

  /// The single numbers that deltas remove and add. A number whose label changes is in both counts.
  public struct DeltaCounts: Equatable, Sendable {
    /// The count of removed numbers.
    public var removals: UInt64
    /// The count of added numbers.
    public var additions: UInt64

    /// Creates counts.
    public init(removals: UInt64, additions: UInt64) {
      self.removals = removals
      self.additions = additions
    }
  }

  /// Adds up the deltas that start from any of these stores; nil if the directory was written without a baseline. A
  /// version may also have deltas from older stores, which don't count.
  ///
  /// - Parameter stores: the content hashes of the baseline's stores.
  public func deltaCounts(from stores: Set<String>) -> DeltaCounts? {
    if baseline == nil { return nil }
    let steps = shards.flatMap { shard in
      shard.chains.filter { stores.contains($0.key) }.values.flatMap { $0 }
    }
    return DeltaCounts(
      removals: steps.reduce(0) { $0 &+ $1.removals }, additions: steps.reduce(0) { $0 &+ $1.additions })
  }

  /// The names of all files that the manifest names.
  public var fileNames: Set<String> {
    var names = Set(shards.map(\.store.name))
    names.formUnion(shards.flatMap { $0.deltas ?? [] }.map(\.name))
    if let bootstrap { names.insert(bootstrap.name) }
    return names
  }
}
