// `cdpipe verify`

import ArgumentParser
import CallDeltaReader
import CallDeltaWriter
import CallStoreReader
import CallStoreWriter
import ContentHash

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check that stores and deltas are sound.",
    discussion: """
      Checks every checksum, the order of the numbers, the counts and the content hash; of a delta, its header and \
      both of its stores. Exit status 1 when one is not sound, 66 when it can't be opened.
      """)

  @Argument(help: ArgumentHelp("The stores and deltas.", valueName: "file"))
  var stores: [String]

  @Flag(name: [.customShort("q"), .long], help: "Say nothing but what is wrong.")
  var quiet = false

  func run() throws {
    let voice = Diagnostics(command: "verify")
    var status: ExitCode?
    for path in stores {
      if DeltaFile.isDelta(path) {
        if let no = verifyDelta(path, voice) { status = status ?? no }
        continue
      }
      do throws(StoreVerificationError) {
        let hash = try StoreVerification.verify(path: path)
        if !quiet { print("\(path): sound, \(Hexadecimal.text(hash))") }
      } catch {
        let sentence = StoreMessages.sentence(error, path)
        if case .unreadable(.cannotOpen) = error {
          status = voice.end(sentence, Status.noInput)
        } else {
          let no = voice.end(sentence, Status.no)
          status = status ?? no
        }
      }
    }
    if let status { throw status }
  }

  /// Checks a delta; returns the status that it ends the command with when it is not sound.
  private func verifyDelta(_ path: String, _ voice: Diagnostics) -> ExitCode? {
    do throws(DeltaVerificationError) {
      let header = try DeltaFile.verify(path)
      if !quiet {
        print(
          "\(path): sound, from \(Hexadecimal.text(header.baselineHash)) to "
            + Hexadecimal.text(header.resultHash))
      }
      return nil
    } catch {
      return voice.end(DeltaMessages.sentence(error, path), Status.no)
    }
  }
}
