// `cdpipe preview`, and `cdpipe init`, which writes a pipeline file for what preview sees.

import ArgumentParser
import InputStages
import RecordStages
import Records
import Runner
import SystemIO
import SystemPackage

struct PreviewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview", abstract: "Show what is recognised in a list, and its first rows.",
    discussion: """
      Reads the start of a file or URL as 'run' would: unpacks it, recognises its format, encoding and fields, and \
      determines the country of its numbers by trying all countries. Shows a table of the first rows, with the number \
      that 'normalize' makes of each. Writes nothing. Options name what is not recognised.
      """)

  @Argument(
    help: ArgumentHelp("The file or URL; '-' is standard input.", valueName: "file|url"), completion: .file())
  var input: String

  @Flag(help: "Print a JSON object.")
  var json = false

  @OptionGroup var options: PreviewOptions

  func run() throws {
    TerminalInput.announce([input])
    let preview = try options.input.preview(of: input)
    if json {
      PreviewText.warn(preview)
      return StandardOutput.print(JSONLine.text(PreviewDescription(preview, rows: options.rows)))
    }
    PreviewText.show(preview, rows: options.rows)
  }
}

/// A preview on standard output.
enum PreviewText {
  /// Prints what was recognised, a table of rows, and the first rows that can't be read.
  static func show(_ preview: InputPreview, rows: Int) {
    StandardOutput.print(PreviewReport.summary(preview))
    let table = PreviewReport.table(preview, rows: rows, width: RunningProcess.outputColumns)
    if !table.isEmpty { StandardOutput.print() }
    StandardOutput.print(table)
    for reject in preview.unreadable { Diagnostics.log(reject) }
    warn(preview)
  }

  /// Prints what `parse` warns about, in its words.
  static func warn(_ preview: InputPreview) {
    let diagnostics = Diagnostics(command: StageName.parse.rawValue)
    for warning in preview.notices.flatMap(\.warnings) { diagnostics.warn(warning) }
  }
}

/// The options of `cdpipe preview` and `cdpipe init`.
struct PreviewOptions: ParsableArguments {
  /// The maximum number of rows that can be shown: those of the sample.
  private static let rowsMax = InputPreview.rowsMax

  @Option("Show N rows.", value: "n", parsing: .unconditional)
  var rows = 10

  @OptionGroup var input: InputOptions<ParseFormatName>

  func validate() throws {
    try require(
      rows >= 0 && rows <= Self.rowsMax, "--rows must be 0 to \(Figures.grouped(UInt64(Self.rowsMax)))")
  }
}

/// What the user knows about an input. Everything else is recognised.
struct InputOptions<Name: InputFormatName>: ParsableArguments {
  @OptionGroup(title: "Options for parsing") var parse: ParseFields<Name>
  @OptionGroup(title: "Options for normalizing") var normalize: NormalizeArguments
  @OptionGroup(title: "Options for archives") var unzip: UnzipArguments

  /// Examines an input.
  func preview(of input: String) throws(Failure) -> InputPreview {
    do throws(Failure) {
      var request = try Self.request(input)
      request.unzip = unzip.options()
      request.parse = parse.options(isStrict: false)
      request.normalize = normalize.options
      return try InputPreview(request)
    } catch {
      // Messages are those of the command, which the user typed, not of the stages.
      var failure = error
      failure.stage = nil
      if let hint = failure.systemError?.inputHint {
        failure.message = UserMessage(failure.message.sentence, hint: hint)
      }
      throw failure
    }
  }

  private static func request(_ input: String) throws(Failure) -> InputPreview.Request {
    guard PipelineDraft.isURL(input) else { return InputPreview.Request(.files([input]), name: input) }
    var download = DownloadOptions([input])
    download.version = ProgramVersion.current
    try download.checkResources()
    return InputPreview.Request(.stage(download), name: download.displayName)
  }
}

extension SystemError {
  /// The way out for an input that is a directory, or a URL without its scheme.
  fileprivate var inputHint: String? {
    guard operation == .openInput else { return nil }
    let host = path.prefix { $0 != "/" }
    switch code {
    case .isDirectory: return "name its files: \(ShellQuoting.quoted(path))/*"
    case .noSuchFileOrDirectory
    where host.hasPrefix("www.") || (host != path && host.contains(".") && !host.hasPrefix(".")):
      return "if it is a URL, begin it with https://"
    default: return nil
    }
  }
}

struct InitCommand: ParsableCommand {
  private static let defaultFile = "cdpipe.yaml"

  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Write a pipeline file for some lists.",
    discussion: """
      Recognises the format, encoding, fields and country of each file or URL, as 'preview' does, and writes a pipeline \
      file with one source for each, comments, and an output. 'cdpipe run' runs the file as it is. Options apply to \
      all inputs.
      """)

  @Argument(
    help: ArgumentHelp("The files and URLs, one source for each.", valueName: "file|url"), completion: .file()
  )
  var inputs: [String]

  @Option(output: OutputHelp("Write to FILE; '-' prints the file."))
  var output = Self.defaultFile

  @Flag(help: "Replace the file if it exists.")
  var force = false

  @OptionGroup var options: PreviewOptions

  func validate() throws {
    try refuse(
      inputs.contains(InputFile.standardInput),
      "standard input can't be read again by 'cdpipe run': name a file or a URL")
  }

  func run() throws {
    Interruption.cleanUp()
    let isPrinted = output == OutputFile.standardOutput
    if OutputNames.isRead(output, by: inputs) {
      throw Failure.usage("'\(output)' is an input, and would be replaced")
    }
    try OutputNames.check([output])
    if !isPrinted, !force, SymbolicLink.exists(output) {
      throw Failure(
        nil, .cannotCreate, "exists", "'\(output)' exists",
        hint: "replace it with --force, or name another file with \(option: "o", "FILE")")
    }
    var draft = PipelineDraft(file: output)
    for input in inputs {
      let preview = try options.input.preview(of: input)
      if isPrinted {
        PreviewText.warn(preview)
      } else {
        PreviewText.show(preview, rows: options.rows)
        StandardOutput.print()
      }
      draft.add(input, options.input.unzip.options(), preview)
    }
    if isPrinted { return StandardOutput.print(draft.text, terminator: "") }
    try write(draft.text)
    for (source, text) in draft.undecided {
      Diagnostics.typed.warn(
        UserMessage(
          "source '\(PrintableText.line(source))': \(text)",
          hint: "set 'region' in '\(output)'"))
    }
    StandardOutput.print("wrote '\(output)'; run it with: \(PipelineDraft.run(output))")
  }

  private func write(_ text: String) throws(Failure) {
    try asFailure(nil) { () throws(SystemError) in
      var file = try OutputFile(output)
      try file.write(Array(text.utf8).span)
      try file.publish()
    }
  }
}
