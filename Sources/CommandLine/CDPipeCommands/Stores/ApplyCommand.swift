// `cdpipe apply`

import ArgumentParser
import CallDeltaReader
import CallDeltaWriter
import CallStoreReader
import CallStoreWriter
import PipeStage
import SystemIO
import SystemPackage

struct ApplyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply", abstract: "Make the new store of an old one and its deltas.",
    discussion: """
      Carries the deltas out one after another. What comes of it is the store that was emitted, byte for byte: its \
      content hash is computed and compared with what the delta says. A delta for another store is refused.
      """)

  @Argument(help: ArgumentHelp("The store to begin with.", valueName: "store"))
  var store: String

  @Argument(help: ArgumentHelp("The deltas, in the order of their steps.", valueName: "delta"))
  var deltas: [String]

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp(
      "Write the new store to FILE, which is replaced once all is written.", valueName: "file"))
  var output: String

  func validate() throws {
    if deltas.isEmpty { throw ValidationError("Missing expected argument '<delta> ...'") }
    if output == OutputFile.standardOutput {
      throw ValidationError("-o takes a file: a store is checked in its place before it gets its name")
    }
  }

  func run() throws {
    Interruption.cleanUp()
    let voice = Diagnostics(command: "apply")
    if OutputNames.isRead(output, by: deltas) {
      throw voice.end(UserMessage("'\(output)' is a delta that is read, and would be replaced"), Status.usage)
    }
    do throws(StageError) {
      try execute()
    } catch {
      throw voice.end(error)
    }
  }

  /// Each step's result stands in a file without a name until the next one is made of it.
  private func execute() throws(StageError) {
    var base = try Self.store(store) { () throws(CallStoreError) in try CallStore(path: store) }
    for (index, path) in deltas.enumerated() {
      let delta: CallDelta
      do throws(CallDeltaError) {
        delta = try CallDelta(path: path)
      } catch {
        throw StageError(nil, DeltaError.unreadableDelta(error, path: path))
      }
      var file = try asStageError(nil) { () throws(SystemError) in try OutputFile(output) }
      let before = index == 0 ? store : deltas[index - 1]
      _ = try DeltaApplication.apply(delta, at: path, to: base, at: before, into: &file)
      if index == deltas.count - 1 {
        do throws(StoreVerificationError) {
          // What was written in place can't be read back, or has more in it.
          if file.isNew { try StoreVerification.verify(descriptor: file.descriptor.rawValue) }
        } catch {
          throw StageError(nil, ApplyError.notSound(error, path: output))
        }
        do throws(SystemError) {
          try file.publish()
        } catch {
          throw StageError(nil, error)
        }
        return
      }
      let descriptor = file.descriptor.rawValue
      base = try Self.store(path) { () throws(CallStoreError) in try CallStore(descriptor: descriptor) }
    }
  }

  private static func store(
    _ path: String, _ open: () throws(CallStoreError) -> CallStore
  ) throws(StageError) -> CallStore {
    do throws(CallStoreError) {
      return try open()
    } catch {
      throw StageError(nil, DeltaError.unreadableStore(error, path: path))
    }
  }
}

/// Why a store that came of deltas can't be put in place.
enum ApplyError: ErrorCause {
  /// What was written does not verify: the disk or the memory is at fault.
  case notSound(StoreVerificationError, path: String)

  var errorClass: ErrorClass { .inputOutput }
}
