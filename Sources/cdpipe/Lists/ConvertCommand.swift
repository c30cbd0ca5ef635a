// `cdpipe convert`: the pipeline file that `cdpipe init` would write, and `cdpipe run`, in one command.

import ArgumentParser
import InputStages
import NumberPlan
import RecordStages
import Records
import Runner
import SystemIO
import SystemPackage

struct ConvertCommand: FileOperandsCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert", abstract: "Convert lists to another format.",
    discussion: """
      Recognises each file or URL as 'preview' does, and runs the pipeline that 'init' would write for them: unzip, \
      parse, normalize, sort, dedupe, emit. The format of the output is that of its name. Numbers without a country \
      code need --region unless only one country fits them. --explain prints the pipeline file.

      The options for the output are those of 'emit'. Two have other names, because --numbers and --header are about \
      the input: --number-form and --template-header.
      """)

  @Argument(
    help: ArgumentHelp("The files, patterns and URLs; '-' is standard input.", valueName: "file|url"),
    completion: .file())
  var inputs: [String] = []

  @Option(filesFrom: ())
  var filesFrom: String?

  @OptionGroup(title: "Options for the output") var output: ConvertedOutput

  @Flag(help: "Print the pipeline file that this stands for, and convert nothing.")
  var explain = false

  @Option(threads: "The number of threads, 1 to 64 (default: one per processor). The output is the same.")
  var threads: Int?

  @OptionGroup var input: InputOptions<ConvertedFormatName>
  @OptionGroup var common: CommonOptions

  var operands: [String] {
    get { inputs }
    set { inputs = newValue }
  }

  func validate() throws {
    try Threads.validate(threads)
    let fromStandardInput = inputs.count { $0 == InputFile.standardInput }
    try refuse(fromStandardInput > 1, "standard input can be read once")
  }

  func run() throws {
    Interruption.cleanUp()
    Diagnostics.setNaming { text, stage in
      OptionText.typed(text) { ConvertedOutput.name(of: $0, isOutput: stage == .emit) }
    }
    let inputs = try listed()
    TerminalInput.announce(inputs)
    let paths = try output.options().paths
    for path in paths where OutputNames.isRead(path, by: inputs) {
      throw Failure.usage("'\(path)' is an input, and would be replaced")
    }
    try OutputNames.check(paths)
    var standardInput = inputs.contains(InputFile.standardInput) ? try RewindableInput() : nil
    var draft = PipelineDraft(
      file: "-", emit: PipelineDraft.Emit(path: output.output, settings: output.settings))
    draft.runsAtOnce = !explain
    for input in inputs {
      let preview = try self.input.preview(of: input)
      draft.add(input, self.input.unzip.options(), preview)
      if let encoding = draft.lastEncoding { note("\(InputName.quoted(input)): encoding \(encoding)") }
      if !Self.lacksNumbers(preview) { try decideRegion(draft.lastRegion, of: input) }
    }
    if explain { return StandardOutput.print(draft.text, terminator: "") }
    try standardInput?.rewind()
    let builder = try PipelineBuilder(PipelineDocument(text: draft.text, layout: StageTable.layout))
    try PipelineCommand.run(
      builder.pipeline(threads: Threads.count(threads)), common, reports: ReportOptions(),
      summary: RunSummary.lines)
  }

  /// Whether an input has no number at all: its run reports why.
  private static func lacksNumbers(_ preview: InputPreview) -> Bool {
    preview.isWhole && preview.rows.count < InputPreview.rowsMax && preview.region.certainty == .undecided
      && preview.region.triedCount == 0
  }

  /// The inputs, with the files that match a pattern in place of it.
  private func listed() throws -> [String] {
    if inputs.isEmpty { return [InputFile.standardInput] }
    let mark = Mark(file: "", line: 0, column: 0)
    return try inputs.flatMap { input in
      PipelineDraft.isURL(input) ? [input] : try SourceFiles.list([SourcePath(text: input, mark: mark)])
    }
  }

  private func note(_ text: String) {
    if !common.quiet { Diagnostics.typed.log(LogEntry("convert", text)) }
  }

  /// Reports the country that numbers without a country code are read in; throws if there are several, or none.
  private func decideRegion(_ region: (choice: RegionChoice, text: String)?, of input: String) throws {
    guard let region else { return }
    let name = InputName.quoted(input)
    switch region.choice.certainty {
    case .chosen, .international:
      if common.verbose { note("\(name): region \(region.text)") }
    case .clear:
      note("\(name): region \(region.text)")
    case .probable, .undecided:
      throw Failure(
        nil, .badData, "region-needed",
        "\(name): the country of the numbers is "
          + (region.choice.candidates.isEmpty ? "not recognised" : region.text),
        hint:
          "name it with \(option: "region", region.choice.proposed?.code ?? "CC"), if that is their country")
    }
  }
}

/// The options of `emit` for an output.
struct ConvertedOutput: ParsableArguments {
  /// The name here of an option of `emit` or of a stage for the input, if both have one with this name.
  static func name(of option: String, isOutput: Bool) -> String? {
    isOutput
      ? ["numbers": "number-form", "header": "template-header"][option] : ["format": "input-format"][option]
  }

  @Option(output: OutputHelp("Write to FILE; '-' is standard output."))
  var output = OutputFile.standardOutput

  @Option("The format of the output (default: by its name; list: 'cdpipe emit --formats').", value: "format")
  var format: EmitFormat?

  @Option(
    "In a store, block records whose label matches; * is any text, ? any character. May be repeated.",
    value: "label-glob")
  var block: [String] = []

  @Option(
    "In formats without ranges: the maximum number of single numbers that ranges are expanded to.",
    value: "n", parsing: .unconditional)
  var expandMax: UInt64?

  @Option("How numbers are written in formats that people read: --numbers of emit.", value: "form")
  var numberForm: NumberForm?

  @Option(
    "In formats of contacts: the maximum number of numbers in a contact.", value: "n", parsing: .unconditional
  )
  var contactNumbers: Int?

  @Option(
    "In formats of contacts: write at most N files of as many contacts as programs accept.", value: "n",
    parsing: .unconditional)
  var books: Int?

  @Option("The name of a phone book.", value: "name")
  var bookName: String?

  @Option("Write this text for each number, with fields such as {+e164} and {label|csv}.", value: "text")
  var template: String?

  @Option("With --template: the text before the first record: --header of emit.", value: "text")
  var templateHeader: String?

  @Option("With --template: the text after the last record.", value: "text")
  var footer: String?

  @Option("With --template: the text between records.", value: "text")
  var join: String?

  @Flag(help: "In CSV, put ' before labels and sources that a spreadsheet would run as formulas.")
  var csvSafe = false

  @Flag(help: "Write an output that has no records: it replaces the list that is there.")
  var allowEmpty = false

  /// The options as keys of `emit` in a pipeline file. A flag has no values.
  var settings: [(key: String, values: [String])] {
    let values: [(key: String, values: [String?])] = [
      ("format", [format?.rawValue]), ("block", block),
      ("expand-max", [expandMax.map { String($0) }]), ("numbers", [numberForm?.rawValue]),
      ("contact-numbers", [contactNumbers.map { String($0) }]), ("books", [books.map { String($0) }]),
      ("book-name", [bookName]), ("template", [template]), ("header", [templateHeader]),
      ("footer", [footer]), ("join", [join]),
    ]
    let flags = [("csv-safe", csvSafe), ("allow-empty", allowEmpty)]
    return values.map { ($0.key, $0.values.compactMap { $0 }) }.filter { !$0.1.isEmpty }
      + flags.filter(\.1).map { ($0.0, []) }
  }

  /// The options as `emit` reads them. Throws its errors, with the names that the options have here.
  func options() throws -> EmitOptions {
    let arguments = settings.flatMap { key, values in
      values.isEmpty ? ["--\(key)"] : values.flatMap { $0.isEmpty ? ["--\(key)", ""] : ["--\(key)=\($0)"] }
    }
    do {
      return try EmitArguments.parse(arguments + ["--output=\(output)"]).options()
    } catch {
      throw ValidationError(
        OptionText.typed(ConvertCommand.message(for: error)) { Self.name(of: $0, isOutput: true) })
    }
  }

  func validate() throws {
    try refuse(
      format == .pir, "convert has no options for pir: write tsv, and use 'cdpipe emit --format pir'")
    _ = try options()
  }
}

/// Standard input, which is read twice: a pipe is copied to a temporary file first.
private struct RewindableInput: ~Copyable {
  private let start: Int64

  init() throws(Failure) {
    do throws(SystemError) {
      start = try Self.open()
    } catch {
      throw Failure(nil, error)
    }
  }

  private static func open() throws(SystemError) -> Int64 {
    let descriptor = FileDescriptor.standardInput
    if let start = try? descriptor.seek(offset: 0, from: .current) { return start }
    var copy = try TemporaryFile(in: TemporaryFile.defaultDirectory)
    var chunk = ByteChunk()
    var file = try InputFile(InputFile.standardInput)
    while try file.read(into: &chunk) > 0 {
      try copy.append(chunk.span)
      chunk.removeAll()
    }
    _ = try asSystemError(.createSpill, copy.directory) { () throws(Errno) in
      try Self.replace(descriptor, by: copy.descriptor)
    }
    return 0
  }

  private static func replace(_ descriptor: FileDescriptor, by other: FileDescriptor) throws(Errno) {
    do {
      _ = try other.duplicate(as: descriptor)
      _ = try descriptor.seek(offset: 0, from: .start)
    } catch {
      throw error as? Errno ?? .ioError
    }
  }

  /// Continues where it was at first.
  mutating func rewind() throws(Failure) {
    do throws(SystemError) {
      try asSystemError(.openInput, InputFile.standardInput) { () throws(Errno) in
        do {
          _ = try FileDescriptor.standardInput.seek(offset: start, from: .start)
        } catch {
          throw error as? Errno ?? .ioError
        }
      }
    } catch {
      throw Failure(nil, error)
    }
  }
}
