// `cdpipe apply`

import ArgumentParser
import CallDeltaReader
import CallStoreReader
import Hashing
import RecordStages
import Records
import Runner
import StoreWriting
import SystemIO
import SystemPackage

struct ApplyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply", abstract: "Apply deltas to a store.",
    discussion: """
      Applies the deltas one after another. The result is identical to the emitted store: its content hash is computed \
      and compared with the one in the delta. A delta for a different store is rejected.
      """)

  @Argument(
    help: ArgumentHelp(
      "The store to start with, or a directory of shards with the store that the first delta starts from.",
      valueName: "store"), completion: .store)
  var store: String

  @Argument(
    help: ArgumentHelp("The deltas, in the order of their steps.", valueName: "delta"),
    completion: .file(extensions: ["cddelta"]))
  var deltas: [String]

  @Option(output: OutputHelp("Write the new store to FILE, which is replaced when everything is written."))
  var output: String

  @OptionGroup var colours: ColourOptions

  func validate() throws {
    if deltas.isEmpty { throw ValidationError("Missing expected argument '<delta> ...'") }
    try refuse(
      output == OutputFile.standardOutput, "-o must be a file: the store is verified before it is published")
  }

  func run() throws {
    Interruption.cleanUp()
    if OutputNames.isRead(output, by: deltas) {
      throw Failure.usage("'\(output)' is one of the deltas and would be overwritten")
    }
    let input = try ListInput(store)
    if case .shards = input, OutputNames.isRead(output, by: input.paths) {
      throw Failure.usage("'\(output)' is a file of '\(store)' and would be overwritten")
    }
    try OutputNames.check([output])
    try execute(from: try base(in: input))
  }

  /// The path of the store to start with: in a directory of shards, the one that the first delta starts from.
  private func base(in input: ListInput) throws(Failure) -> String {
    let directory: ShardFolder
    switch input {
    case .file: return store
    case .lookup: throw .notShards(path: store)
    case .shards(let shards): directory = shards
    }
    let wanted = try Self.delta(deltas[0]).header.baselineHash
    guard let shard = directory.shards.first(where: { $0.store.contentHash == wanted }) else {
      throw Failure(
        nil, .badData, "no-baseline",
        "'\(deltas[0])' applies to the store \(Hexadecimal.text(wanted)), which is not in '\(store)'",
        hint: "name the directory of the version that the delta starts from")
    }
    try shard.store.checkHeader()
    return shard.store.path
  }

  /// Applies the deltas. Intermediate results are in unnamed files.
  private func execute(from store: String) throws(Failure) {
    var base = try Self.store(store) { () throws(CallStoreError) in try CallStore(path: store) }
    for (index, path) in deltas.enumerated() {
      let delta = try Self.delta(path)
      var file = try asFailure(nil) { () throws(SystemError) in try OutputFile(output) }
      let before = index == 0 ? store : deltas[index - 1]
      _ = try DeltaApplication.apply(delta, at: path, to: base, at: before, into: &file)
      if index == deltas.count - 1 {
        do throws(StoreVerificationError) {
          // An output that is written in place can't be read back, or contains other data besides the store.
          if file.isNew { try StoreVerification.verify(descriptor: file.descriptor.rawValue) }
        } catch {
          throw Failure.invalidStore(error, path: output, nil)
        }
        do throws(SystemError) {
          try file.publish()
        } catch {
          throw Failure(nil, error)
        }
        return
      }
      let descriptor = file.descriptor.rawValue
      base = try Self.store(path) { () throws(CallStoreError) in try CallStore(descriptor: descriptor) }
    }
  }

  private static func delta(_ path: String) throws(Failure) -> CallDelta {
    do throws(CallDeltaError) {
      return try CallDelta(path: path)
    } catch {
      throw .unreadableDelta(error, path: path)
    }
  }

  private static func store(
    _ path: String, _ open: () throws(CallStoreError) -> CallStore
  ) throws(Failure) -> CallStore {
    do throws(CallStoreError) {
      return try open()
    } catch {
      throw .unreadableStore(error, path: path)
    }
  }
}
