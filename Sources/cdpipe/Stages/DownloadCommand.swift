// `cdpipe download`

import ArgumentParser
import Hashing
import InputStages
import Records
import Runner
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

/// The options of a download, without its URLs.
struct DownloadArguments: KeyedArguments {
  static let keys: [String: KeyTraits] = [
    "ca-file": .path, "cache": .path, "header": .list, "header-file": .path, "netrc-file": .path,
  ]

  @Option(
    "Cache downloads in DIR, and fetch them again only if they changed (ETag, Last-Modified).", value: "dir",
    completion: .directory)
  var cache: String?

  @Flag(help: "With --cache: exit with status 3 if nothing changed.")
  var failUnchanged = false

  @Flag(
    help: """
      Keep the part of an interrupted transfer, next to the file of -o or in --cache, and resume it in the next run.
      """)
  var resume = false

  @Option("Fail unless the SHA-256 of the whole download is this one.", value: "hex")
  var sha256: SHA256Argument?

  @Option("Fail if the download is larger than SIZE.", value: "size")
  var maxSize = ByteSize(bytes: Int(DownloadOptions.defaultMaxBytes))

  @Option("Retry up to N times after a temporary failure.", value: "n", parsing: .unconditional)
  var retries = 3

  @Option(
    "Give up if no connection is established within N seconds.", value: "seconds", parsing: .unconditional)
  var connectTimeout = 30.0

  @Option("Abort when no data arrives for N seconds.", value: "seconds", parsing: .unconditional)
  var idleTimeout = 60.0

  @Option("Abort after N seconds in total.", value: "seconds", parsing: .unconditional)
  var timeout = DownloadOptions.defaultTimeoutSeconds

  @Option(
    "Add a request header. Visible in 'ps': put tokens in --header-file. May be repeated.",
    value: "name: value", name: [.customShort("H"), .long])
  var header: [String] = []

  @Option(
    "Send the headers in FILE, one per line, to the hosts of the URLs only: for tokens.", value: "file",
    completion: .file())
  var headerFile: String?

  @Option("Read user names and passwords from FILE, by host.", value: "file", completion: .file())
  var netrcFile: String?

  @Option("The User-Agent to send (default: cdpipe/VERSION).", value: "text")
  var userAgent: String?

  @Option("Trust the certificates in FILE (PEM) instead of the system's.", value: "file", completion: .file())
  var caFile: String?

  func validate() throws {
    guard retries >= 0, retries <= 100 else { throw ValidationError("\(option: "retries") must be 0 to 100") }
    for (name, seconds) in [
      ("--timeout", timeout), ("--connect-timeout", connectTimeout), ("--idle-timeout", idleTimeout),
    ] {
      // A day is longer than any of these limits needs and fits into libcurl's milliseconds.
      try require(
        seconds > 0 && seconds <= 86_400, "\(name) must be a number of seconds above 0, at most 86400")
    }
    try refuse(failUnchanged && cache == nil, "\(option: "fail-unchanged") needs \(option: "cache", "DIR")")
    if cache?.isEmpty == true { throw ValidationError("\(option: "cache") must be the name of a directory") }
    if let secret = header.first(where: { DownloadOptions.isSecret(header: $0) }) {
      // The value is a secret, so the message contains only the name.
      let name = secret.prefix { $0 != ":" }
      throw ValidationError(
        "\(option: "header") can't be '\(name)', which every user of this machine could read: use \(option: "header-file") or \(option: "netrc-file")"
      )
    }
    if let userAgent, !userAgent.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
      throw ValidationError("\(option: "user-agent") must be printable ASCII")
    }
  }

  func options(_ urls: [String]) -> DownloadOptions {
    var options = DownloadOptions(urls)
    options.cacheDirectory = cache
    options.failsUnchanged = failUnchanged
    options.resumes = resume
    options.sha256 = sha256?.hex
    options.maxBytes = UInt64(maxSize.bytes)
    options.retries = retries
    options.connectTimeoutSeconds = connectTimeout
    options.idleTimeoutSeconds = idleTimeout
    options.timeoutSeconds = timeout
    options.headers = header
    options.headerFile = headerFile
    options.netrcFile = netrcFile
    options.userAgent = userAgent
    options.caFile = caFile
    options.version = ProgramVersion.current
    return options
  }
}

struct DownloadCommand: FilterCommand {
  static let row = StageRow(
    name: .download, group: .stages, command: Self.self, position: .fetch,
    keyOptions: DownloadArguments.self)

  static let configuration = CommandConfiguration(
    commandName: "download", abstract: "Fetch URLs and files, and write their bytes.",
    discussion: """
      Fetches http, https and file URLs, and plain paths, one after another. Follows at most 10 redirects, never from \
      https to http. Retries temporary failures with growing pauses, from the byte that was reached. A transfer that \
      ends early is an error. Uses the proxies set in the environment (https_proxy, no_proxy). Reads user names and \
      passwords only from files.
      """)

  @Argument(help: ArgumentHelp("What to fetch, in order.", valueName: "url"), completion: .file())
  var urls: [String]

  @Option(output: .complete)
  var output = "-"

  @OptionGroup var arguments: DownloadArguments
  @OptionGroup var packing: PackingOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    guard arguments.resume, arguments.cache == nil else { return }
    try refuse(output == "-", "\(option: "resume") needs \(option: "o", "FILE") or \(option: "cache", "DIR")")
    try refuse(urls.count > 1, "\(option: "resume") of several URLs needs \(option: "cache", "DIR")")
  }

  func parts() throws -> FilterParts {
    var options = arguments.options(urls)
    // If the output is missing, it must be written even if the server reports no change.
    if output != "-", FileKind(of: FilePath(output)) == .none { options.failsUnchanged = false }
    // A name that no other program is likely to use.
    if arguments.resume, output != "-" { options.partialPath = output + ".cdpipe-part" }
    return try FilterParts(input: .stage(options), stages: [], output: output, packing: packing)
  }
}
