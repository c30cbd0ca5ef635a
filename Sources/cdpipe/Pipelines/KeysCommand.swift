// `cdpipe keys`: the keys that sign published versions.

import ArgumentParser
import CallManifest
import Records
import Runner

struct KeysCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "Make the keys that sign published versions.",
    discussion: """
      'publish: { sign: FILE }' in a pipeline file signs each version with a private key. Apps that have the public key \
      refuse any other list.
      """, subcommands: [KeysGenerateCommand.self, KeysShowCommand.self])

  static let examples = [
    Example("Make a key, and print its public key", "cdpipe keys generate -o list.key"),
    Example("Print the public key of a private key", "cdpipe keys show signing.key"),
    Example(
      "Check that a folder is signed with a key",
      "cdpipe verify --key \"$(cdpipe keys show signing.key)\" signed"),
  ]
}

struct KeysGenerateCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate", abstract: "Make a private key, and print its public key.",
    discussion: """
      The private key is written to a file that only its owner can read; an existing file is not replaced. Keep a copy in \
      a safe place: without it, apps need an update to trust another key. The public key is for the app.
      """)

  static let examples = [
    Example("Make a key, and print its public key", "cdpipe keys generate -o list.key"),
    Example("Keep the public key in a file", "cdpipe keys generate -o next.key > next.pub"),
    Example(
      "Print the public key again",
      "cdpipe keys generate -o third.key > /dev/null && cdpipe keys show third.key"),
  ]

  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp("Write the private key to FILE, which must not exist.", valueName: "file"),
    completion: .file())
  var output = "signing.key"

  @OptionGroup var colours: ColourOptions

  func validate() throws {
    if output == "-" || output.isEmpty { throw ValidationError("--output must be the path of a file") }
  }

  func run() throws {
    let diagnostics = Diagnostics(command: "keys generate")
    let key: SigningKey
    do throws(Failure) {
      key = try SigningKey.make(at: output)
    } catch {
      throw diagnostics.end(error)
    }
    diagnostics.log(KeyMessages.generated(output))
    StandardOutput.print(key.publicKey.description)
  }
}

struct KeysShowCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print the public key of a private key.",
    discussion:
      "The file is one that 'keys generate' wrote, or an Ed25519 key as a PEM file without a password.")

  static let examples = [
    Example("Print the public key", "cdpipe keys show signing.key"),
    Example(
      "Use a key that OpenSSL made",
      """
      openssl genpkey -algorithm ed25519 -out other.key && chmod 600 other.key \\
        && cdpipe keys show other.key
      """),
    Example("Keep the public key in a file", "cdpipe keys show signing.key > app.pub"),
  ]

  @Argument(help: ArgumentHelp("The file with the private key.", valueName: "file"), completion: .file())
  var file: String

  @OptionGroup var colours: ColourOptions

  func run() throws {
    let diagnostics = Diagnostics(command: "keys show")
    do throws(Failure) {
      StandardOutput.print(try SigningKey(path: file).publicKey.description)
    } catch {
      throw diagnostics.end(error)
    }
  }
}
