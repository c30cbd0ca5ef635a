// `cdpipe verify`

import ArgumentParser
import CallDeltaReader
import CallDeltaWriter
import CallManifest
import CallStoreReader
import CallStoreWriter
import ContentHash
import PipeStage
import ShardDirectories
import UserMessages

struct VerifyCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check stores, deltas and directories of shards for damage.",
    discussion: """
      Checks all checksums, the order of the numbers, the counts and the content hash; for a delta, its header and both \
      of its stores; for a directory of shards, its manifest and every file that the manifest names. The exit status is \
      1 if a file is damaged, 66 if it can't be opened.
      """)

  static let examples = [
    Example("Check a store", "cdpipe verify numbers.cdstore"),
    Example("Check a delta and its two stores", "cdpipe verify change.cddelta"),
    Example(
      "Check all shards before they are copied",
      "cdpipe verify --quiet shards && cp -r shards copy"),
  ]

  @Argument(
    help: ArgumentHelp("The stores, deltas and directories of shards.", valueName: "file"), completion: .store)
  var files: [String]

  @Flag(name: [.customShort("q"), .long], help: "Print errors only.")
  var quiet = false

  @OptionGroup var colours: ColourOptions

  func run() throws {
    let diagnostics = Diagnostics(command: "verify")
    var status: ExitCode?
    for path in files {
      for other in verify(path, diagnostics) {
        // A file that can't be opened decides the status.
        status = other == ExitStatus.no ? status ?? other : other
      }
    }
    if let status { throw status }
  }

  /// Checks what a path names, and prints a line per file. Returns the statuses for files that are not valid.
  private func verify(_ path: String, _ diagnostics: Diagnostics) -> [ExitCode] {
    if DeltaFile.isDelta(path) { return verifyDelta(path, diagnostics) }
    do throws(ShardDirectoryError) {
      switch try ListInput(path) {
      case .shards(let directory): return verifyFiles(of: directory, diagnostics)
      case .file(let path): return verifyStore(path, diagnostics)
      }
    } catch {
      return [report(error, diagnostics)]
    }
  }

  private func verifyStore(_ path: String, _ diagnostics: Diagnostics) -> [ExitCode] {
    do throws(StoreVerificationError) {
      let hash = try StoreVerification.verify(path: path)
      show(path, Hexadecimal.text(hash))
      return []
    } catch {
      let sentence = error.userMessage(path: path, acceptsDeltas: true)
      if case .unreadable(.cannotOpen(let code)) = error {
        return [diagnostics.end(sentence, ExitStatus.opening(code))]
      }
      return [diagnostics.end(sentence, ExitStatus.no)]
    }
  }

  private func verifyDelta(_ path: String, _ diagnostics: Diagnostics) -> [ExitCode] {
    do throws(DeltaVerificationError) {
      let header = try DeltaFile.verify(path)
      show(
        path, "from \(Hexadecimal.text(header.baselineHash)) to " + Hexadecimal.text(header.resultHash))
      return []
    } catch {
      return [diagnostics.end(error.userMessage(path: path), ExitStatus.no)]
    }
  }

  /// Checks every file of a directory of shards, also after one that is damaged.
  private func verifyFiles(of directory: ShardDirectory, _ diagnostics: Diagnostics) -> [ExitCode] {
    show(directory.manifestPath, directory.contentID)
    var statuses: [ExitCode] = []
    for file in directory.files {
      do throws(ShardDirectoryError) {
        try file.verify()
        switch file.description {
        case .store(let store): show(file.path, store.contentHash)
        case .delta(let delta): show(file.path, "from \(delta.from) to \(delta.to)")
        }
      } catch {
        statuses.append(report(error, diagnostics))
      }
    }
    return statuses
  }

  private func report(_ error: ShardDirectoryError, _ diagnostics: Diagnostics) -> ExitCode {
    diagnostics.end(
      error.userMessage, error.errorClass == .badData ? ExitStatus.no : ExitStatus.of(error.errorClass))
  }

  private func show(_ path: String, _ identity: String) {
    if !quiet { StandardOutput.print("\(path): valid, \(identity)") }
  }
}
