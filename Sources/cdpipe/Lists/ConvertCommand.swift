// `cdpipe convert`: the pipeline file that `cdpipe init` would write, and `cdpipe run`, in one command.

import ArgumentParser
import InputStages
import NumberPlan
import RecordStages
import Records
import Runner
import SystemIO
import SystemPackage

struct ConvertCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert", abstract: "Convert lists to another format.",
    discussion: """
      Recognises each file or URL as 'preview' does, and runs the pipeline that 'init' would write for them: unzip, \
      parse, normalize, sort, dedupe, emit. The format of the output is that of its name. Numbers without a country \
      code need --region unless only one country fits them. --explain prints the pipeline file.
      """)

  @Argument(
    help: ArgumentHelp("The files, patterns and URLs; '-' is standard input.", valueName: "file|url"),
    completion: .file())
  var inputs: [String] = []

  @Option(output: OutputHelp("Write to FILE; '-' is standard output."))
  var output = OutputFile.standardOutput

  @Option("The format of the output (default: by its name; list: 'cdpipe emit --formats').", value: "format")
  var format: EmitFormat?

  @Flag(help: "Write an output that has no records: it replaces the list that is there.")
  var allowEmpty = false

  @Flag(help: "Print the pipeline file that this stands for, and convert nothing.")
  var explain = false

  @Option(threads: "The number of threads, 1 to 64 (default: one per processor). The output is the same.")
  var threads: Int?

  @OptionGroup var input: InputOptions<ConvertedFormatName>
  @OptionGroup var common: CommonOptions

  func validate() throws {
    try Threads.validate(threads)
    if let error = EmitFormat.nameError(output, chosen: format) { throw ValidationError(error) }
    let fromStandardInput = inputs.count { $0 == InputFile.standardInput }
    try refuse(fromStandardInput > 1, "standard input can be read once")
  }

  func run() throws {
    Interruption.cleanUp()
    let inputs = try listed()
    TerminalInput.announce(inputs)
    if OutputNames.isRead(output, by: inputs) {
      throw Failure.usage("'\(output)' is an input, and would be replaced")
    }
    try OutputNames.check([output])
    var standardInput = inputs.contains(InputFile.standardInput) ? try RewindableInput() : nil
    var settings: [(key: String, value: String)] = []
    if let format { settings.append(("format", format.rawValue)) }
    if allowEmpty { settings.append(("allow-empty", "true")) }
    var draft = PipelineDraft(file: "-", emit: PipelineDraft.Emit(path: output, settings: settings))
    draft.runsAtOnce = !explain
    for input in inputs {
      draft.add(input, self.input.unzip.options(), try preview(of: input))
      if let encoding = draft.lastEncoding { note("\(InputName.quoted(input)): encoding \(encoding)") }
      try decideRegion(draft.lastRegion, of: input)
    }
    if explain { return StandardOutput.print(draft.text, terminator: "") }
    try standardInput?.rewind()
    let builder = try PipelineBuilder(PipelineDocument(text: draft.text, layout: StageTable.layout))
    do {
      try PipelineCommand.run(
        builder.pipeline(threads: Threads.count(threads)), common, reports: ReportOptions(),
        summary: RunSummary.lines)
    } catch var failure as Failure where failure.code == "nothing-usable" && failure.stage == .parse {
      // `--format` is that of the output here.
      failure.message = UserMessage(
        failure.message.sentence,
        hint: "check \(option: "input-format") and \(option: "encoding"); "
          + "list the rows and reasons with --rejects FILE")
      throw failure
    }
  }

  private func preview(of input: String) throws(Failure) -> InputPreview {
    do {
      return try self.input.preview(of: input)
    } catch {
      guard error.code == "unknown-format" else { throw error }
      // `--format` is that of the output here.
      throw Failure(
        nil, .badData, error.code, error.message.sentence,
        hint: "set the format with \(option: "input-format", "NAME") (list: 'cdpipe parse --formats')")
    }
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
    case .chosen, .international: return
    case .clear:
      note("\(name): region \(region.text)")
    case .probable, .undecided:
      let code = region.choice.candidates.first?.region.code
      throw Failure(
        nil, .badData, "region-needed",
        "\(name): the country of the numbers is "
          + (code == nil ? "not recognised" : region.text),
        hint: "name it with \(option: "region", code ?? "CC"), if that is their country")
    }
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
