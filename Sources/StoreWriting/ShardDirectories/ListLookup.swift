// Looks up numbers in stores and in directories, whose files are opened when a number needs them.
//
// Not for: apps (CallerLookup in CallDirectory), which apply deltas and have no manifest.

import CallManifest
package import CallStoreFormat
import CallStoreReader
package import Records
package import SystemIO

/// Looks up numbers in lists. Stores stay open between lookups.
package final class ListLookup {
  /// The maximum number of stores that are open at a time: those of an app with 50 extensions. Each one needs up to
  /// 200 KiB, and 8 bytes per block.
  package static let openStoresMax = 64
  /// The number of lookups after which the memory of the pages that were read is released.
  private static let lookupsPerRelease: UInt64 = 4096

  /// A number that was found in a list.
  package struct Match: Equatable, Sendable {
    /// The list's name, as the user typed it.
    package var list: String
    /// What a phone does with the number.
    package var kind: StoreKind
    /// The first number of the record.
    package var first: UInt64
    /// The last number of the record.
    package var last: UInt64
    /// The record's label.
    package var label: String
  }

  /// An open store, and when it was last used.
  private final class OpenStore {
    let store: CallStore
    var lastUse: UInt64 = 0

    init(_ store: consuming CallStore) {
      self.store = store
    }
  }

  private let lists: [(name: String, input: ListInput)]
  /// The open stores by their paths.
  private var stores: [String: OpenStore] = [:]
  /// The number of lookups in stores so far.
  private var lookups: UInt64 = 0

  /// Opens lists. The stores of a directory are opened later.
  package init(_ names: [String], calls: any SystemCalls = KernelCalls()) throws(Failure) {
    var lists: [(name: String, input: ListInput)] = []
    for name in names {
      do throws(ShardDirectoryError) {
        lists.append((name, try ListInput(name, calls: calls)))
      } catch {
        throw Failure(nil, error)
      }
    }
    self.lists = lists
    for list in lists {
      if case .file(let path) = list.input { _ = try store(at: path) }
    }
  }

  /// The names of the lists, as the user typed them.
  package var names: [String] { lists.map(\.name) }

  /// The number of stores that are open.
  package var openStores: Int { stores.count }

  /// The records that contain a number, in the order of their lists: at most one of each list.
  ///
  /// - Complexity: O(log shards + log blocks) for each list, once the store is open; O(rows of a shard) for a Live Caller
  ///   ID Lookup directory.
  package func matches(of number: UInt64) throws(Failure) -> [Match] {
    var matches: [Match] = []
    for (name, input) in lists {
      switch input {
      case .file(let path):
        if let match = try match(number, name, path, in: store(at: path)) { matches.append(match) }
      case .shards(let directory):
        guard let index = directory.manifest.shardIndex(of: number) else { continue }
        let shard = directory.shards[index].store
        if let match = try match(number, name, shard.path, in: store(of: shard)) { matches.append(match) }
      case .lookup(let directory):
        if let match = try Self.match(number, name, in: directory) { matches.append(match) }
      }
    }
    return matches
  }

  private func match(
    _ number: UInt64, _ name: String, _ path: String, in opened: OpenStore
  ) throws(Failure) -> Match? {
    lookups += 1
    opened.lastUse = lookups
    if lookups.isMultiple(of: Self.lookupsPerRelease) {
      for opened in stores.values { opened.store.releasePages() }
    }
    do throws(CallStoreError) {
      guard let record = try opened.store.record(of: number) else { return nil }
      return Match(
        list: name, kind: record.kind, first: record.first, last: record.last,
        label: opened.store.text(of: record.label))
    } catch {
      throw Failure(nil, DeltaError.unreadableStore(error, path: path))
    }
  }

  private static func match(
    _ number: UInt64, _ name: String, in directory: LookupDirectory
  ) throws(Failure) -> Match? {
    do throws(LookupDirectoryError) {
      guard let record = try directory.record(of: number) else { return nil }
      return Match(
        list: name, kind: record.isBlocked ? .blocking : .identification, first: number, last: number,
        label: record.label)
    } catch {
      throw Failure(nil, error)
    }
  }

  // MARK: Open stores

  private func store(at path: String) throws(Failure) -> OpenStore {
    if let known = stores[path] { return known }
    do throws(CallStoreError) {
      return add(OpenStore(try CallStore(path: path)), path)
    } catch {
      throw Failure(nil, DeltaError.unreadableStore(error, path: path))
    }
  }

  private func store(of shard: ManifestStore) throws(Failure) -> OpenStore {
    if let known = stores[shard.path] { return known }
    do throws(ShardDirectoryError) {
      return add(OpenStore(try shard.open()), shard.path)
    } catch {
      throw Failure(nil, error)
    }
  }

  /// Keeps a store open, and closes the one that was not used for the longest time if there are too many.
  private func add(_ opened: OpenStore, _ path: String) -> OpenStore {
    if stores.count >= Self.openStoresMax,
      let oldest = stores.min(by: { $0.value.lastUse < $1.value.lastUse })?.key
    {
      stores[oldest] = nil
    }
    opened.lastUse = lookups
    stores[path] = opened
    return opened
  }
}
