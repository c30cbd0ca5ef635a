// `cdpipe verify`

import ArgumentParser
import CallStoreReader
import CallStoreWriter

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check that stores are sound.",
    discussion: """
      Checks every checksum, the order of the numbers, the counts and the content hash. Exit status 1 when a store \
      is not sound, 66 when it can't be opened.
      """)

  @Argument(help: ArgumentHelp("The stores.", valueName: "store"))
  var stores: [String]

  @Flag(name: [.customShort("q"), .long], help: "Say nothing but what is wrong.")
  var quiet = false

  func run() throws {
    let voice = Voice(command: "verify")
    var status: ExitCode?
    for path in stores {
      do throws(StoreVerificationError) {
        let hash = try StoreVerification.verify(path: path)
        if !quiet { print("\(path): sound, \(Hexadecimal.text(hash))") }
      } catch {
        let sentence = StoreWording.sentence(error, path)
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
}

/// Bytes for people.
enum Hexadecimal {
  static func text(_ bytes: [UInt8]) -> String {
    var text = ""
    for byte in bytes { text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }
    return text
  }
}
