// Writes the deltas from a shard of the baseline to the new shard with the same id.

import CallDeltaReader
import StoreWriting
import CallManifest
import CallStoreReader
import Hashing
import Records
import SystemIO
import SystemPackage

/// Writes deltas into a directory.
struct DeltaFiles: Sendable {
  let directory: String
  /// The maximum number of single numbers that one delta adds.
  let entriesMax: UInt64
  let placed: PlacedFiles
  let calls: any SystemCalls

  /// The path of a file in the directory.
  func path(of name: String) -> String {
    directory.hasSuffix("/") ? directory + name : directory + "/" + name
  }

  /// Writes and publishes the deltas to a sealed shard. Returns nil if nothing changed.
  func write(
    from baseline: ManifestStore, to file: borrowing StoreFile, _ shard: Manifest.Shard
  ) throws(Failure) -> [Manifest.Delta]? {
    let newHash = Hexadecimal.sha256(shard.store.contentHash) ?? []
    if newHash == baseline.contentHash { return nil }
    do throws(ShardDirectoryError) {
      try baseline.verify()
    } catch {
      throw Failure(.emit, error)
    }
    let newPath = path(of: shard.store.name)
    let old = try Self.open(baseline.path) { () throws(CallStoreError) in try CallStore(path: baseline.path) }
    let descriptor = file.descriptor
    let new = try Self.open(newPath) { () throws(CallStoreError) in try CallStore(descriptor: descriptor) }
    var maker: DeltaMaker
    do throws(DeltaError) {
      maker = try DeltaMaker(
        from: old, at: baseline.path, to: new, at: newPath, entriesMax: entriesMax)
    } catch {
      throw Failure(.emit, error)
    }
    var deltas: [Manifest.Delta] = []
    for step in 1...maker.steps {
      let name = ManifestNames.delta(shard.id, from: baseline.contentHash, to: newHash, step: step)
      var output = try asFailure(.emit) { () throws(SystemError) in
        try OutputFile(path(of: name), removesLeftovers: false, calls: calls)
      }
      let summary: DeltaSummary
      do throws(DeltaWritingError) {
        summary = try maker.writeNext(from: old, to: new, into: &output)
      } catch {
        throw Failure(.emit, error.cause)
      }
      do throws(DeltaVerificationError) {
        try DeltaVerification.verify(descriptor: output.descriptor.rawValue)
      } catch {
        throw Failure(.emit, EmitError.invalidDelta(error, path: path(of: name)))
      }
      placed.add(path(of: name))
      do throws(SystemError) {
        try output.publish()
      } catch {
        throw Failure(.emit, error)
      }
      deltas.append(Manifest.Delta(name: name, summary))
    }
    return deltas
  }

  private static func open(
    _ path: String, _ body: () throws(CallStoreError) -> CallStore
  ) throws(Failure) -> CallStore {
    do throws(CallStoreError) {
      return try body()
    } catch {
      throw Failure(.emit, DeltaError.unreadableStore(error, path: path))
    }
  }
}
