// Reads the content hashes of an extension's files, from which the next step is derived.

import CallDeltaReader
import CallStoreFormat
import CallStoreReader

extension ExtensionFiles {
  /// Reads the files' hashes. A bootstrap store that can't be read or is too large for one request counts as missing,
  /// because the store contains all of its entries.
  func hashes() throws(CallDirectoryError) -> ExtensionFileHashes {
    guard deltas.count <= Self.deltasMax else { throw .tooManyDeltas(limit: Self.deltasMax) }
    var ends: [DeltaEnds] = []
    for path in deltas {
      let delta = try Self.delta(path)
      ends.append(DeltaEnds(from: delta.header.baselineHash, to: delta.header.resultHash))
    }
    let first = bootstrap.flatMap { bootstrapHash($0) }
    return ExtensionFileHashes(store: try Self.store(store).contentHash, bootstrap: first, deltas: ends)
  }

  private func bootstrapHash(_ path: String) -> [UInt8]? {
    guard let opened = try? CallStore(path: path), opened.entryCount <= UInt64(clamping: additionsMax) else {
      return nil
    }
    return opened.contentHash
  }

  static func store(_ path: String) throws(CallDirectoryError) -> CallStore {
    do throws(CallStoreError) {
      return try CallStore(path: path)
    } catch {
      throw .store(error, path: path)
    }
  }

  static func delta(_ path: String) throws(CallDirectoryError) -> CallDelta {
    do throws(CallDeltaError) {
      return try CallDelta(path: path)
    } catch {
      throw .delta(error, path: path)
    }
  }
}

extension CallStore {
  /// The count of single numbers of both kinds, as iOS counts them.
  var entryCount: UInt64 { entryCount(of: .blocking) &+ entryCount(of: .identification) }
}
