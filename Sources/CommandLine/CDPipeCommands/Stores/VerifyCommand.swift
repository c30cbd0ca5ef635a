// `cdpipe verify`

import ArgumentParser
import CallDeltaReader
import CallDeltaWriter
import CallStoreReader
import CallStoreWriter
import ContentHash
import PipeStage
import UserMessages

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check stores and deltas for damage.",
    discussion: """
      Checks all checksums, the order of the numbers, the counts and the content hash; for a delta, its header and both \
      of its stores. The exit status is 1 if a file is damaged, 66 if it can't be opened.
      """)

  @Argument(help: ArgumentHelp("The stores and deltas.", valueName: "file"))
  var stores: [String]

  @Flag(name: [.customShort("q"), .long], help: "Print errors only.")
  var quiet = false

  func run() throws {
    let diagnostics = Diagnostics(command: "verify")
    var status: ExitCode?
    for path in stores {
      if DeltaFile.isDelta(path) {
        if let no = verifyDelta(path, diagnostics) { status = status ?? no }
        continue
      }
      do throws(StoreVerificationError) {
        let hash = try StoreVerification.verify(path: path)
        if !quiet { StandardOutput.print("\(path): valid, \(Hexadecimal.text(hash))") }
      } catch {
        let sentence = error.userMessage(path: path, acceptsDeltas: true)
        if case .unreadable(.cannotOpen(let code)) = error {
          status = diagnostics.end(sentence, ExitStatus.opening(code))
        } else {
          let no = diagnostics.end(sentence, ExitStatus.no)
          status = status ?? no
        }
      }
    }
    if let status { throw status }
  }

  /// Checks a delta; returns the command's exit status if it is damaged.
  private func verifyDelta(_ path: String, _ diagnostics: Diagnostics) -> ExitCode? {
    do throws(DeltaVerificationError) {
      let header = try DeltaFile.verify(path)
      if !quiet {
        StandardOutput.print(
          "\(path): valid, from \(Hexadecimal.text(header.baselineHash)) to "
            + Hexadecimal.text(header.resultHash))
      }
      return nil
    } catch {
      return diagnostics.end(error.userMessage(path: path), ExitStatus.no)
    }
  }
}
