// `cdpipe download`

import ArgumentParser
import DownloadStage
import PipeRunner
import PipeStage

/// What a download can be told besides its URLs.
struct DownloadArguments: ParsableArguments {
  @Option(help: ArgumentHelp("Try again so often after a passing failure.", valueName: "n"))
  var retries = 3

  @Option(help: ArgumentHelp("Give up after so many seconds in all.", valueName: "seconds"))
  var timeout: Double?

  @Option(help: ArgumentHelp("Fail when there is more than SIZE.", valueName: "size"))
  var maxSize: ByteSize?

  @Option(
    name: [.customShort("H"), .long],
    help: ArgumentHelp("Send a header. May be repeated.", valueName: "name: value"))
  var header: [String] = []

  func validate() throws {
    guard retries >= 0, retries <= 100 else { throw ValidationError("--retries takes 0 to 100") }
    if let timeout, timeout <= 0 { throw ValidationError("--timeout takes a number of seconds above 0") }
  }

  func options(_ urls: [String]) -> DownloadOptions {
    var options = DownloadOptions(urls)
    options.retries = retries
    options.timeoutSeconds = timeout
    options.maxBytes = maxSize.map { UInt64($0.bytes) }
    options.headers = header
    options.version = CDPipe.version
    return options
  }
}

struct DownloadCommand: FilterCommand {
  static let configuration = CommandConfiguration(
    commandName: "download", abstract: StageTable[.download].help,
    discussion: """
      Fetches http, https and file URLs, and plain paths, one after another. Redirects are followed (10 at most, \
      never from https to http); passing failures are tried again with growing pauses. A transfer that ends early \
      is a failure, never passed off as whole. Proxies come from the environment (https_proxy, no_proxy).
      """)

  @Argument(help: ArgumentHelp("What to fetch, in order.", valueName: "url"))
  var urls: [String]

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Write to FILE, which is replaced once all is written.", valueName: "file"))
  var output = "-"

  @OptionGroup var arguments: DownloadArguments
  @OptionGroup var common: CommonOptions

  func parts() -> FilterParts {
    FilterParts(input: .download(arguments.options(urls)), stages: [], output: output)
  }
}
