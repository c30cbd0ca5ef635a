// What an app downloads to bring an extension's files up to date: the deltas that continue them, or the store.
// CallDirectoryKit carries the plan out; `cdpipe simulate --incremental` reports it.

import CallDeltaReader

/// What an update downloads for an extension.
package enum UpdatePlan: Equatable, Sendable {
  /// Nothing: the files lead to the wanted state.
  case nothing
  /// The deltas that continue the files; the store stays.
  case deltas
  /// The store; with the deltas that lead to it, unless they are large.
  case store(withDeltas: Bool)

  /// The maximum number of deltas that continue a store: a month of nights. Loading from scratch needs a request for each,
  /// and a lookup searches each of them.
  package static let continuationMax = 30
  /// Deltas have at most a quarter of the store's bytes: with more, the store is the smaller download before long, and
  /// the shorter load.
  package static let storeParts: UInt64 = 4

  /// Decides what to download.
  ///
  /// - Parameters:
  ///   - wanted: the content hash of the shard's store.
  ///   - storeBytes: the size of the shard's store.
  ///   - present: what the extension's files lead to; nil if it has none that can be used.
  ///   - chain: the sizes of the deltas from there to the wanted store; empty if there are none.
  package init(
    to wanted: [UInt8], storeBytes: UInt64, from present: ExtensionFilesState?, chain: [UInt64]
  ) {
    guard let present else {
      self = .store(withDeltas: false)
      return
    }
    if present.target == wanted {
      self = .nothing
      return
    }
    let bytesMax = storeBytes / Self.storeParts
    let bytes = chain.reduce(0, &+)
    guard !chain.isEmpty, chain.count <= ExtensionFiles.deltasMax, bytes <= bytesMax else {
      self = .store(withDeltas: false)
      return
    }
    let continues =
      present.deltaCount + chain.count <= Self.continuationMax && present.deltaBytes + bytes <= bytesMax
    self = continues ? .deltas : .store(withDeltas: true)
  }

  /// The bytes of the store and of the deltas that are downloaded.
  package func bytes(ofStore storeBytes: UInt64, chain: [UInt64]) -> UInt64 {
    switch self {
    case .nothing: 0
    case .deltas: chain.reduce(0, &+)
    case .store(let withDeltas): storeBytes + (withDeltas ? chain.reduce(0, &+) : 0)
    }
  }

  /// Whether the bootstrap store is downloaded, too: if the extension has none, and with a new store. Between stores it
  /// stays, like the store that is loaded after it.
  ///
  /// - Parameters:
  ///   - present: the content hash of the extension's bootstrap store; nil if it has none.
  ///   - wanted: that of the list's.
  package func replacesBootstrap(_ present: String?, with wanted: String) -> Bool {
    guard let present else { return true }
    if case .store = self { return present != wanted }
    return false
  }
}

/// What an extension's files lead to.
package struct ExtensionFilesState: Equatable, Sendable {
  /// The content hash of the state that is wanted.
  package var target: [UInt8]
  /// The count of deltas from the store to that state; 0 if it is the store's.
  package var deltaCount = 0
  /// The size of these deltas.
  package var deltaBytes: UInt64 = 0

  /// The state of a store without deltas.
  package init(target: [UInt8]) { self.target = target }
}

extension ExtensionFiles {
  /// Reads what the files lead to. Their blocks are not read.
  ///
  /// - Complexity: O(deltas).
  package func state() throws(CallDirectoryError) -> ExtensionFilesState {
    let hashes = try hashes()
    var state = ExtensionFilesState(target: hashes.target)
    if hashes.target == hashes.store { return state }
    for path in deltas {
      state.deltaCount += 1
      state.deltaBytes += UInt64(clamping: try Self.delta(path).header.additions.upperBound)
    }
    return state
  }

  /// Checks every block of the store and of the deltas.
  ///
  /// - Complexity: O(records).
  package func verify() throws(CallDirectoryError) {
    let opened = try Self.store(store)
    do throws(CallStoreError) { try opened.verify() } catch { throw .store(error, path: store) }
    for path in deltas { try Self.verify(Self.delta(path), at: path) }
  }

  /// Checks every block of a delta.
  static func verify(_ delta: borrowing CallDelta, at path: String) throws(CallDirectoryError) {
    do throws(CallStoreError) { try delta.removals.verify() } catch {
      throw .delta(.removals(error), path: path)
    }
    do throws(CallStoreError) { try delta.additions.verify() } catch {
      throw .delta(.additions(error), path: path)
    }
  }

  /// The count of entries, of both kinds, once everything is loaded; those that the user allows are counted, too.
  ///
  /// - Throws: the error of a file that can't be read.
  /// - Complexity: O(deltas); no record is read.
  public func entryCount() throws(CallDirectoryError) -> UInt64 {
    let hashes = try hashes()
    if blocksOwnList { return hashes.own.blocked.count }
    var count = try Self.store(store).entryCount
    if hashes.target == hashes.store { return count }
    for path in deltas {
      let delta = try Self.delta(path)
      count = count &+ delta.additions.entryCount &- delta.removals.entryCount
    }
    return count
  }
}
