// `cdpipe download`

import ArgumentParser
import ContentHash
import DownloadStage
import PipeRunner
import PipeStage
import PipelineFile
import SystemIO
import SystemPackage

/// A SHA-256 in hexadecimal digits of either case.
struct SHA256Argument: ExpressibleByArgument, Equatable {
  let hex: String

  init?(argument: String) {
    guard let hex = Hexadecimal.normalizedSHA256(argument) else { return nil }
    self.hex = hex
  }
}

/// A download's options besides its URLs.
struct DownloadArguments: ParsableArguments {
  static let keys: [String: KeyTraits] = [
    "ca-file": .path, "cache": .path, "header": .list, "header-file": .path, "netrc-file": .path,
  ]

  @Option(
    help: ArgumentHelp(
      "Keep what was fetched in DIR, and fetch it again only when it changed (ETag, Last-Modified).",
      valueName: "dir"))
  var cache: String?

  @Flag(help: "With --cache: end with status 3 when nothing changed.")
  var failUnchanged = false

  @Flag(
    help: """
      Keep the beginning of a transfer that breaks off, beside the file of -o or in --cache, and go on from there.
      """)
  var resume = false

  @Option(
    help: ArgumentHelp("Fail unless the SHA-256 of all that comes is this one.", valueName: "hex"))
  var sha256: SHA256Argument?

  @Option(help: ArgumentHelp("Fail when there is more than SIZE.", valueName: "size"))
  var maxSize: ByteSize?

  @Option(help: ArgumentHelp("Try again so often after a passing failure.", valueName: "n"))
  var retries = 3

  @Option(
    help: ArgumentHelp(
      "Give a connection up that does not stand after so many seconds.", valueName: "seconds"))
  var connectTimeout = 30.0

  @Option(
    help: ArgumentHelp("Give a transfer up that brings nothing for so many seconds.", valueName: "seconds"))
  var idleTimeout = 60.0

  @Option(help: ArgumentHelp("Give up after so many seconds in all.", valueName: "seconds"))
  var timeout: Double?

  @Option(
    name: [.customShort("H"), .long],
    help: ArgumentHelp("Send a header that is no secret. May be repeated.", valueName: "name: value"))
  var header: [String] = []

  @Option(
    help: ArgumentHelp(
      "Send the headers in FILE, one a line, to the hosts of the URLs: for tokens.", valueName: "file"))
  var headerFile: String?

  @Option(help: ArgumentHelp("Take user names and passwords from FILE, by host.", valueName: "file"))
  var netrcFile: String?

  @Option(help: ArgumentHelp("Say this in place of cdpipe/VERSION.", valueName: "text"))
  var userAgent: String?

  @Option(
    help: ArgumentHelp("Trust the certificates in FILE (PEM) in place of the system's.", valueName: "file"))
  var caFile: String?

  func validate() throws {
    guard retries >= 0, retries <= 100 else { throw ValidationError("--retries takes 0 to 100") }
    for (name, seconds) in [
      ("--timeout", timeout), ("--connect-timeout", connectTimeout), ("--idle-timeout", idleTimeout),
    ] {
      // A day is longer than any of these is meant to be, and all that libcurl's milliseconds hold for sure.
      if let seconds, !(seconds > 0 && seconds <= 86_400) {
        throw ValidationError("\(name) takes a number of seconds above 0, up to 86400")
      }
    }
    if failUnchanged, cache == nil { throw ValidationError("--fail-unchanged goes with --cache DIR") }
    if cache?.isEmpty == true { throw ValidationError("--cache takes the name of a directory") }
    if let secret = header.first(where: { DownloadOptions.isSecret(header: $0) }) {
      // Its value is a secret: only its name is said.
      let name = secret.prefix { $0 != ":" }
      throw ValidationError(
        "--header takes no '\(name)', which everybody on this machine could read: use --header-file or --netrc-file"
      )
    }
    if let userAgent, !userAgent.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
      throw ValidationError("--user-agent takes printable ASCII")
    }
  }

  func options(_ urls: [String]) -> DownloadOptions {
    var options = DownloadOptions(urls)
    options.cacheDirectory = cache
    options.failsUnchanged = failUnchanged
    options.resumes = resume
    options.sha256 = sha256?.hex
    options.maxBytes = maxSize.map { UInt64($0.bytes) }
    options.retries = retries
    options.connectTimeoutSeconds = connectTimeout
    options.idleTimeoutSeconds = idleTimeout
    options.timeoutSeconds = timeout
    options.headers = header
    options.headerFile = headerFile
    options.netrcFile = netrcFile
    options.userAgent = userAgent
    options.caFile = caFile
    options.version = CDPipe.version
    return options
  }
}

struct DownloadCommand: FilterCommand {
  static let row = StageRow(name: .download, group: .stages, command: Self.self, position: .fetch)

  static let configuration = CommandConfiguration(
    commandName: "download", abstract: "Stream files and URLs out.",
    discussion: """
      Fetches http, https and file URLs, and plain paths, one after another. Redirects are followed (10 at most, \
      never from https to http); passing failures are tried again with growing pauses, from the byte that was \
      reached. A transfer that ends early is a failure, never passed off as whole. Proxies come from the environment \
      (https_proxy, no_proxy); user names and passwords only from files.
      """)

  @Argument(help: ArgumentHelp("What to fetch, in order.", valueName: "url"))
  var urls: [String]

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Write to FILE, which is replaced once all is written.", valueName: "file"))
  var output = "-"

  @OptionGroup var arguments: DownloadArguments
  @OptionGroup var common: CommonOptions

  func validate() throws {
    guard arguments.resume, arguments.cache == nil else { return }
    if output == "-" { throw ValidationError("--resume goes with -o FILE or --cache DIR") }
    if urls.count > 1 { throw ValidationError("--resume of several URLs goes with --cache DIR") }
  }

  func parts() -> FilterParts {
    var options = arguments.options(urls)
    // Where the output is gone there is something to do, even if the server has nothing new.
    if output != "-", FileKind(of: FilePath(output)) == .none { options.failsUnchanged = false }
    // A name that no other program uses for its own files.
    if arguments.resume, output != "-" { options.partialPath = output + ".cdpipe-part" }
    return FilterParts(input: .stage(options), stages: [], output: output)
  }
}
