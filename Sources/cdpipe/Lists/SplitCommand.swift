// `cdpipe split` and `cdpipe sample`

import ArgumentParser
import RecordStages
import Records
import Runner
import SystemIO

struct SplitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "split", abstract: "Split a sorted list into parts that can be processed separately.",
    discussion: """
      Writes consecutive records to the files part-0001.tsv, part-0002.tsv, … of a directory, which is complete or \
      does not exist. One after another, the parts are the list. A cut is the first number of a part. No cut is \
      inside a range, so that each part can be deduplicated by itself, and the results, one after another, are those \
      of the whole list.

      With --parts, the list is read twice, and the parts are even by records as far as ranges permit. With --at, \
      there is one part more than cuts, and a cut inside a range is an error, unless --move-cuts moves it. To split \
      several lists at the same numbers, plan the cuts from samples of all of them (--plan, 'cdpipe sample').
      """)

  @Argument(
    help: ArgumentHelp(
      "The sorted list (default: '-', standard input); with --plan, the samples.", valueName: "file"),
    completion: .file())
  var files: [String] = []

  @Option(
    help: ArgumentHelp(
      "Make N parts, even by records; fewer if there are not enough numbers outside of ranges.",
      valueName: "n"))
  var parts: Int?

  @Option(
    help: ArgumentHelp(
      "Cut at the numbers in FILE, one per line, or where the shards of a manifest begin.", valueName: "file"),
    completion: .file())
  var at: String?

  @Flag(help: "Move a cut that is inside a range to the next number at which no range is open.")
  var moveCuts = false

  @Option(
    output: OutputHelp(
      "Write the parts to this directory; with --plan or --offsets, write to this file (default: '-').",
      valueName: "output"))
  var output: String?

  @Flag(
    help: ArgumentHelp(
      "Write no parts, but a line for each: its number, first byte, number of bytes and first possible number."
    ))
  var offsets = false

  @Option(
    help: ArgumentHelp(
      "With --offsets: the sample of the list. The cuts are checked against it, and the list is not read.",
      valueName: "file"),
    completion: .file())
  var sample: String?

  @Flag(help: "Print the cuts for samples of lists, one number per line, instead of splitting.")
  var plan = false

  @Flag(help: "Print a JSON object for each part.")
  var json = false

  @Flag(quiet: "Print errors only.")
  var quiet = false

  private var inputs: [String] {
    (files.isEmpty ? [InputFile.standardInput] : files) + [at, sample].compactMap { $0 }
  }

  func validate() throws {
    if let parts, !(1...CutPlan.partsMax).contains(parts) {
      throw ValidationError("--parts must be 1 to \(CutPlan.partsMax)")
    }
    if inputs.count(where: { $0 == InputFile.standardInput }) > 1 {
      throw ValidationError("only one input can be '-', standard input")
    }
    if plan {
      if parts == nil { throw ValidationError("--plan needs --parts") }
      if at != nil || sample != nil || moveCuts || offsets || json {
        throw ValidationError("--plan excludes --at, --sample, --move-cuts, --offsets and --json")
      }
      return
    }
    if files.count > 1 { throw ValidationError("accepts one list; several files are for --plan") }
    if (parts == nil) == (at == nil) { throw ValidationError("needs either --parts or --at") }
    if moveCuts, at == nil { throw ValidationError("--move-cuts needs --at") }
    if sample != nil, !offsets || moveCuts {
      throw ValidationError("--sample needs --offsets and excludes --move-cuts")
    }
    if output == nil, !offsets {
      throw ValidationError("needs \(option: "o", "DIRECTORY"), --offsets or --plan")
    }
    if output == OutputFile.standardOutput, !offsets {
      throw ValidationError("parts are written to a directory, not to standard output")
    }
  }

  func run() throws {
    Interruption.cleanUp()
    let diagnostics = Diagnostics(command: "split")
    if let output {
      if plan || offsets, output != OutputFile.standardOutput, OutputNames.isRead(output, by: inputs) {
        throw diagnostics.end(SplitText.replacedInput(output), ExitStatus.usage)
      }
      try OutputNames.check([output])
    }
    TerminalInput.announce(inputs, isQuiet: quiet)
    do throws(Failure) {
      if plan { try writePlan(diagnostics) } else { try split(diagnostics) }
    } catch {
      throw diagnostics.end(error)
    }
  }

  private func writePlan(_ diagnostics: Diagnostics) throws(Failure) {
    let plan = try CutPlan(samples: inputs)
    let cuts = plan.cuts(parts: parts ?? 1)
    note(cuts, diagnostics)
    try write(cuts.map { "\($0)" })
  }

  private func split(_ diagnostics: Diagnostics) throws(Failure) {
    let list = inputs[0]
    if let sample {
      let search = try PartSearch(sample: sample)
      let cuts = try cuts(CutPlan(search.sample), of: list, diagnostics)
      return try write(try search.parts(of: list, cuts: cuts))
    }
    // The directory is checked before the list is read.
    var folder: PartFolder?
    if !offsets, let output { folder = try PartFolder(output, list: list) }
    let splitter = ListSplitter(cuts: try cuts(nil, of: list, diagnostics), movesCuts: moveCuts)
    let outcome = try splitter.split(list, into: folder)
    if let folder {
      try folder.publish()
      if !quiet { diagnostics.log(SplitText.summary(outcome.parts)) }
    }
    if outcome.movedCuts > 0, !quiet {
      diagnostics.log(SplitText.moved(outcome.movedCuts))
    }
    try write(outcome.parts)
  }

  /// The cuts that were asked for: those of a file, or those planned, from the list itself if there is no sample of it.
  private func cuts(
    _ plan: CutPlan?, of list: String, _ diagnostics: Diagnostics
  ) throws(Failure) -> [UInt64] {
    if let at { return try CutList.read(at) }
    let parts = parts ?? 1
    let known: CutPlan
    if let plan { known = plan } else { known = try CutPlan(list: list, parts: parts) }
    let cuts = known.cuts(parts: parts)
    note(cuts, diagnostics)
    return cuts
  }

  /// Prints a warning if there are fewer parts than asked for.
  private func note(_ cuts: [UInt64], _ diagnostics: Diagnostics) {
    guard !quiet, let parts, cuts.count + 1 < parts else { return }
    diagnostics.warn(SplitText.fewerParts(cuts.count + 1, wanted: parts))
  }

  /// Writes a line for each part, if they were asked for.
  private func write(_ parts: [ListPart]) throws(Failure) {
    if json {
      let directory = offsets ? nil : output
      try write(parts.map { SplitText.json($0, in: directory) })
    } else if offsets {
      try write(parts.map(SplitText.line))
    }
  }

  /// Writes lines to standard output, or to the output if it is not a directory.
  private func write(_ lines: [String]) throws(Failure) {
    let isDirectory = !plan && !offsets
    let writer = try TextWriter(isDirectory ? OutputFile.standardOutput : output ?? "-", .split)
    try writer.write(lines.map { $0 + "\n" }.joined())
    try writer.finish()
  }
}

struct SampleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sample", abstract: "Sample sorted lists, to plan where to split them.",
    discussion: """
      Reads sorted records in the text form, and writes a small text for each list: at most 1,024 of its numbers, at \
      even distances by record, and all numbers that ranges cover, so that 'cdpipe split --plan' chooses cuts outside \
      of ranges. The samples of several lists can be joined with cat.
      """)

  @Argument(
    help: ArgumentHelp("The sorted lists (default: '-', standard input).", valueName: "list"),
    completion: .file())
  var lists: [String] = []

  @Option(output: .complete)
  var output = OutputFile.standardOutput

  @Flag(quiet: "Print errors only.")
  var quiet = false

  func validate() throws {
    if lists.count(where: { $0 == InputFile.standardInput }) > 1 {
      throw ValidationError("only one list can be '-', standard input")
    }
  }

  func run() throws {
    Interruption.cleanUp()
    let diagnostics = Diagnostics(command: "sample")
    let lists = lists.isEmpty ? [InputFile.standardInput] : lists
    if output != OutputFile.standardOutput, OutputNames.isRead(output, by: lists) {
      throw diagnostics.end(SplitText.replacedInput(output), ExitStatus.usage)
    }
    try OutputNames.check([output])
    TerminalInput.announce(lists, isQuiet: quiet)
    do throws(Failure) {
      let writer = try TextWriter(output, .sample)
      for list in lists {
        try writer.write(try ListSample(of: list).text)
        // The samples before an error are valid.
        try writer.flush()
      }
      try writer.finish()
    } catch {
      throw diagnostics.end(error)
    }
  }
}
