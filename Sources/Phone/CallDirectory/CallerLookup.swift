// Looks up labels of numbers, for apps that show the caller's name themselves.

import CallDeltaReader
import CallStoreFormat
import CallStoreReader

/// The result of a lookup.
public struct Caller: Equatable, Sendable {
  /// Whether the number is blocked.
  public var isBlocked: Bool
  /// The label; empty if there is none.
  public var label: String

  /// Creates a result.
  public init(isBlocked: Bool, label: String) {
    self.isBlocked = isBlocked
    self.label = label
  }
}

/// Finds callers in the stores of all extensions.
///
///     let lookup = try CallerLookup(stores: ["0001-….cdstore", "0002-….cdstore"])
///     try lookup.caller(8675512345678)?.label     // "房产中介"
///
/// A lookup needs well under a microsecond once the pages it reads are in memory; each delta adds about as much. Several
/// threads may use an instance at a time.
public final class CallerLookup: Sendable {
  private final class Change: Sendable {
    let path: String
    let delta: CallDelta

    init(_ path: String) throws(CallDirectoryError) {
      let opened = try ExtensionFiles.delta(path)
      self.path = path
      delta = opened
    }
  }

  /// A store and the deltas that have changed it since, newest first.
  private final class Shard: Sendable {
    let path: String
    let store: CallStore
    let changes: [Change]
    let first: UInt64
    let last: UInt64

    init(_ files: ExtensionFiles) throws(CallDirectoryError) {
      let hashes = try files.hashes()
      let opened = try ExtensionFiles.store(files.store)
      var first = opened.firstNumber ?? .max
      var last = opened.lastNumber ?? 0
      var changes: [Change] = []
      // Deltas that lead to the store are already contained in it.
      if hashes.target != hashes.store {
        for path in files.deltas {
          let change = try Change(path)
          first = min(first, change.delta.additions.firstNumber ?? .max)
          last = max(last, change.delta.additions.lastNumber ?? 0)
          changes.append(change)
        }
      }
      path = files.store
      store = opened
      self.changes = changes.reversed()
      self.first = first
      self.last = last
    }

    func caller(_ number: UInt64) throws(CallDirectoryError) -> Caller? {
      for change in changes {
        do throws(CallStoreError) {
          if let found = try change.delta.additions.caller(number) { return found }
        } catch {
          throw .delta(.additions(error), path: change.path)
        }
        do throws(CallStoreError) {
          if try change.delta.removals.record(of: number) != nil { return nil }
        } catch {
          throw .delta(.removals(error), path: change.path)
        }
      }
      do throws(CallStoreError) { return try store.caller(number) } catch { throw .store(error, path: path) }
    }
  }

  /// The shards, ordered by their first numbers.
  private let shards: ContiguousArray<Shard>
  /// For each shard, the highest number of it and of those before it.
  private let ends: ContiguousArray<UInt64>
  /// The user's own list, and the numbers that it allows and blocks.
  private let own: OwnList
  private let allowed: NumberRanges
  private let blocked: NumberRanges

  /// Opens stores. Their ranges of numbers must not overlap.
  public convenience init(stores: [String]) throws(CallDirectoryError) {
    try self.init(stores.map { ExtensionFiles(store: $0, record: "") })
  }

  /// Opens the files of each extension: its store, and its deltas if they start from the store. The user's own list
  /// decides before them; it is that of the first extension that has one.
  public init(_ extensions: [ExtensionFiles]) throws(CallDirectoryError) {
    own = try extensions.first { $0.ownList != nil }?.own() ?? OwnList()
    allowed = own.allowed
    blocked = own.blocked
    var opened: ContiguousArray<Shard> = []
    for files in extensions where !files.blocksOwnList {
      let shard = try Shard(files)
      if shard.first <= shard.last { opened.append(shard) }
    }
    opened.sort { $0.first < $1.first }
    var ends: ContiguousArray<UInt64> = []
    for shard in opened { ends.append(max(shard.last, ends.last ?? 0)) }
    for (one, other) in zip(opened, opened.dropFirst()) where one.last >= other.first {
      // The store of a shard that was divided still has the numbers that its deltas remove.
      if one.changes.isEmpty { throw .overlap(one.path, other.path) }
    }
    shards = opened
    self.ends = ends
  }

  /// Looks up a number; nil if no store contains it, or if the user allows it.
  ///
  /// - Complexity: O(log stores + log blocks), for the shard's store and for each of its deltas.
  public func caller(_ number: UInt64) throws(CallDirectoryError) -> Caller? {
    if allowed.contains(number) { return nil }
    if blocked.contains(number) { return Caller(isBlocked: true, label: own.rule(for: number)?.label ?? "") }
    var low = 0
    var high = shards.count
    while low < high {
      let middle = (low + high) / 2
      if shards[middle].first <= number { low = middle + 1 } else { high = middle }
    }
    while low > 0, number <= ends[low - 1] {
      low -= 1
      if number <= shards[low].last, let caller = try shards[low].caller(number) { return caller }
    }
    return nil
  }
}

extension CallStore {
  fileprivate func caller(_ number: UInt64) throws(CallStoreError) -> Caller? {
    guard let record = try record(of: number) else { return nil }
    return Caller(isBlocked: record.kind == .blocking, label: text(of: record.label))
  }
}
