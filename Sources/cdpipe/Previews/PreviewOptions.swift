// The options of `cdpipe preview` and `cdpipe init`: what the user knows about an input, in the options of the stages
// that read it.

import InputStages
import ArgumentParser
import Runner
import RecordStages
import Records

/// What the user knows about an input. Everything else is recognised.
struct PreviewOptions: ParsableArguments {
  /// The maximum number of rows that can be shown: those of the sample.
  private static let rowsMax = InputPreview.rowsMax

  @Option(parsing: .unconditional, help: ArgumentHelp("Show N rows.", valueName: "n"))
  var rows = 10

  @OptionGroup(title: "Options for parsing") var parse: ParseFields
  @OptionGroup(title: "Options for normalizing") var normalize: NormalizeArguments
  @OptionGroup(title: "Options for archives") var unzip: UnzipArguments

  func validate() throws {
    guard rows >= 0, rows <= Self.rowsMax else {
      throw ValidationError("--rows must be 0 to \(Figures.grouped(UInt64(Self.rowsMax)))")
    }
  }

  /// Whether an input is a URL and not a path.
  static func isURL(_ input: String) -> Bool { input.contains("://") }

  /// Examines an input. Throws the exit status if it can't be read.
  func preview(of input: String, _ diagnostics: Diagnostics) throws -> InputPreview {
    do throws(Failure) {
      var request = try Self.request(input)
      request.unzip = unzip.options()
      request.parse = parse.options(isStrict: false)
      request.normalize = normalize.options
      return try InputPreview(request)
    } catch {
      throw diagnostics.end(error.userMessage, ExitStatus.of(error.errorClass))
    }
  }

  private static func request(_ input: String) throws(Failure) -> InputPreview.Request {
    guard isURL(input) else { return InputPreview.Request(.files([input]), name: input) }
    var download = DownloadOptions([input])
    download.version = ProgramVersion.current
    try download.checkResources()
    return InputPreview.Request(.stage(download), name: download.displayName)
  }
}
