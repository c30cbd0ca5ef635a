// `cdpipe annotate`

import ArgumentParser
import InputStages
import NumberPlan
import RecordStages
import Records
import Runner
import SystemIO

extension AddedColumns {
  @Sendable static func typed(_ text: String) throws -> AddedColumns {
    guard let columns = AddedColumns(text) else {
      throw ValidationError(
        "expected columns such as e164,valid=is_valid; they are "
          + AddedColumn.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return columns
  }
}

/// The formats to which columns can be added.
enum AnnotatedFormat: String, CaseIterable, ExpressibleByArgument {
  case auto, csv, tsv, json, lines, xlsx
}

struct AnnotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "annotate", abstract: "Add the E.164 number, country and type to each row of a table.",
    discussion: """
      Copies a table (CSV, TSV), JSON lines or an Excel workbook, and adds columns: e164 (with a plus sign), country, \
      type, valid (true or false) and reason (why there is no number, or why it is not valid). One row out for each \
      row in, in order; separators, quotes, line ends and encoding stay as they are. In a workbook, cells are added \
      at the end of the rows of one sheet, and the rest of the file stays as it is. The column of the numbers is \
      recognised as 'preview' does, unless --number names it. Numbers are read as 'parse' and 'normalize' read them.

      Rows are written as soon as they are read, those of a workbook at its end. The start of the input, 128 KiB, \
      decides how it is read; if it stops before, what has arrived after a second. With --format, --separator, \
      --header no and --number N, nothing is recognised, and each row is written at once.
      """)

  /// How long more of an input's start may take, in seconds, before what has arrived is used.
  private static let idleSeconds = 1.0

  @Argument(
    help: ArgumentHelp("The file (default: '-', standard input).", valueName: "file"), completion: .file())
  var file: String?

  @Option(output: .complete)
  var output = OutputFile.standardOutput

  @Option("The number's column or field, by name or position from 1.", value: "column")
  var number: FieldSelector?

  @Option(
    "The region of numbers without a country code, such as CN or US (default: all are international).",
    value: "cc", completion: .region, transform: Region.typed)
  var region: Region?

  @Option(
    "The columns to add (default: e164,country,type,valid,reason), each with another name after =.",
    value: "columns", completion: .nothing, transform: AddedColumns.typed)
  var columns: AddedColumns?

  @Option("The format of the input.", value: "format")
  var format = AnnotatedFormat.auto

  @Option(
    "The character between columns, or 'tab'.", value: "char",
    completion: .list(["tab", "comma", "semicolon", "pipe"]))
  var separator: SeparatorArgument?

  @Option("Whether the first row has the names of the columns.", value: "when")
  var header: ParseOptions.Header = .auto

  @Option(
    "The sheet of a workbook, by name or position among the visible ones (default: the first).",
    value: "sheet")
  var sheet: String?

  @Option("The encoding of the input (default: recognised).", value: "name", completion: .encoding)
  var encoding: String?

  @Flag(quiet: "Print errors only.")
  var quiet = false

  func validate() throws {
    if case .constant = number { throw ValidationError("--number must name a column") }
    do throws(Failure) {
      try options.parse.check()
    } catch {
      throw UsageError(error.code == "unknown-encoding" ? error.message : UserMessage(error.message.sentence))
    }
  }

  private var path: String { file ?? InputFile.standardInput }

  private var options: AnnotateOptions {
    var options = AnnotateOptions()
    options.parse.numberField = number
    options.parse.format = ParseOptions.Format(rawValue: format.rawValue) ?? .auto
    options.parse.separator = separator?.byte
    options.parse.header = header
    options.parse.encoding = encoding
    options.parse.sheet = sheet
    options.normalize.region = region
    if let columns { options.columns = columns }
    options.output = output
    return options
  }

  func run() throws {
    Interruption.cleanUp()
    if output != OutputFile.standardOutput, OutputNames.isRead(output, by: [path]) {
      throw Failure.usage("'\(output)' is an input, and would be replaced")
    }
    try OutputNames.check([output])
    TerminalInput.announce([path], isQuiet: quiet)
    do throws(Failure) {
      try annotate()
    } catch {
      // Messages are those of the command, which the user typed, not of the stages.
      var failure = error
      failure.stage = nil
      throw failure
    }
  }

  private func annotate() throws(Failure) {
    var input = try asFailure(nil) { () throws(SystemError) in try InputFile(path) }
    let sink = try FileSink(output, calls: KernelCalls())
    var annotator = Annotator(options, input: path, output: sink)
    var chunk = ByteChunk()
    var (isEnd, isWarned) = (false, false)
    while !isEnd {
      if annotator.isUndecided, !chunk.isEmpty, !input.hasData(within: Self.idleSeconds) {
        try annotator.read(&chunk, isEnd: false, isIdle: true)
      }
      isEnd = try asFailure(nil) { () throws(SystemError) in try input.read(into: &chunk) == 0 }
      try annotator.read(&chunk, isEnd: isEnd)
      if !isWarned, !annotator.isUndecided || isEnd {
        warn(annotator.warnings)
        isWarned = true
      }
    }
    let unusable = annotator.unusableLines
    let regionWarning = annotator.regionWarning
    try annotator.finish()
    if let regionWarning { warn([regionWarning]) }
    if unusable > 0 {
      let size = Figures.bytes(ParseOptions.defaultRecordBytes)
      warn([
        UserMessage(
          "\(Figures.counted(unusable, "line")) "
            + (unusable == 1
              ? "is not an object of at most \(size), and was copied as it is"
              : "are not objects of at most \(size), and were copied as they are"))
      ])
    }
  }

  private func warn(_ warnings: [UserMessage]) {
    if quiet { return }
    for warning in warnings { Diagnostics.typed.warn(warning) }
  }
}
