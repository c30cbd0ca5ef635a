// `cdpipe union`, `cdpipe subtract` and `cdpipe intersect`

import ArgumentParser
import RecordStages
import Records
import Runner
import SystemIO

/// Checks and texts that the set operations share.
enum SetLists {
  /// The lists in a pipeline file: the previous stage's data is the first one.
  static let keys: [String: KeyTraits] = [
    "lists": KeyTraits(isPath: true, isList: true, isPositional: true, startsWithInput: true)
  ]
  /// The message if a command whose first list is a file follows another one in a pipe.
  static let firstListRule = "its first list must be '-', which is the pipe"

  static let help = """
    A list is a file of records in the text form, a store, or a directory of shards with its manifest; '-' is standard \
    input. All are sorted by number.
    """

  /// Throws if there are too few or too many lists, or if two of them are standard input. A merge has no `max`.
  static func validate(_ lists: [String], min: Int, max: Int? = nil) throws {
    guard lists.count >= min else {
      throw ValidationError(min == 1 ? "needs at least one list" : "needs at least two lists")
    }
    if let max, lists.count > max { throw ValidationError("accepts at most \(max) lists") }
    if lists.count(where: { $0 == SetOptions.standardInput }) > 1 {
      throw ValidationError("only one list can be '-', standard input")
    }
  }
}

extension SetOptions {
  static func merge(
    _ operation: Operation, _ lists: [String], memory: MemorySize?, temporaryDirectory: String?
  ) -> SetOptions {
    var options = SetOptions(operation, lists: lists)
    if let memory { options.memory = memory.bytes }
    if let temporaryDirectory { options.temporaryDirectory = temporaryDirectory }
    return options
  }
}

struct UnionCommand: FilterCommand, FileOperandsCommand {
  static let row = StageRow(name: .union, group: .sets, command: Self.self, position: .commandOnly)

  static let configuration = CommandConfiguration(
    commandName: "union", abstract: "Merge sorted lists into one, without duplicates.",
    discussion: """
      Writes the records of all lists, disjoint and in ascending order, as 'cdpipe dedupe' does for the merged lists. \
      The more specific record wins, whatever list it is in; among equals --keep decides, and the first record is \
      that of the list named first. \(SetLists.help) The records of a list may overlap. More than \
      \(SetOptions.listsMax) lists are merged in groups first, to spill files in the directory of --temp-dir.
      """)

  @Argument(help: ArgumentHelp("The lists.", valueName: "list"), completion: .file())
  var lists: [String] = []

  @Option(filesFrom: ())
  var filesFrom: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The memory for the lists, at least 12 MiB; it decides how many are merged at a time (default: 64 MiB).",
      valueName: "size"))
  var memory: MemorySize?

  @OptionGroup var dedupe: DedupeArguments

  @Option(output: .complete)
  var output = "-"

  @OptionGroup var packing: PackingOptions
  @OptionGroup var common: CommonOptions

  var operands: [String] {
    get { lists }
    set { lists = newValue }
  }

  func validate() throws {
    try SetLists.validate(lists, min: filesFrom == nil ? 1 : 0)
    try memory?.validate()
  }

  func parts() throws -> FilterParts {
    let policy: any StageArguments = dedupe
    let merge = SetOptions.merge(.union, lists, memory: memory, temporaryDirectory: dedupe.tempDir)
    return try FilterParts(
      input: .nothing, stages: [merge, try policy.plan()], output: output, packing: packing,
      unfedRule: "one of its lists must be '-', which is the pipe")
  }
}

struct SubtractArguments: StageArguments {
  static let keys = SetLists.keys

  @Argument(
    help: ArgumentHelp("The list, and the lists whose numbers are removed from it.", valueName: "list"),
    completion: .file())
  var lists: [String]

  func validate() throws { try SetLists.validate(lists, min: 2, max: SetOptions.listsMax) }

  func plan() -> any StagePlan { SetOptions(.subtract, lists: lists) }
}

struct SubtractCommand: FilterCommand {
  static let row = StageRow(
    name: .subtract, group: .sets, command: Self.self, position: .optional, arguments: SubtractArguments.self)

  static let configuration = CommandConfiguration(
    commandName: "subtract", abstract: "Remove the numbers of other lists from a list.",
    discussion: """
      Writes the first list without the numbers of the others, such as allow lists. Ranges are split exactly; labels, \
      sources and scores are kept. \(SetLists.help) The first list must be disjoint, as written by 'cdpipe dedupe'; the \
      others may overlap. A line of theirs that is not a record is an error, since its numbers would not be removed.
      """)

  @OptionGroup var arguments: SubtractArguments

  @Option(output: .complete)
  var output = "-"

  @OptionGroup var packing: PackingOptions
  @OptionGroup var common: CommonOptions

  func parts() throws -> FilterParts {
    try FilterParts(
      input: .nothing, stages: [arguments.plan()], output: output, packing: packing,
      unfedRule: SetLists.firstListRule)
  }
}

struct IntersectArguments: StageArguments {
  static let keys = SetLists.keys

  @Argument(
    help: ArgumentHelp("The list, and the lists that must contain its numbers.", valueName: "list"),
    completion: .file())
  var lists: [String]

  func validate() throws { try SetLists.validate(lists, min: 2, max: SetOptions.listsMax) }

  func plan() -> any StagePlan { SetOptions(.intersect, lists: lists) }
}

struct IntersectCommand: FilterCommand {
  static let row = StageRow(
    name: .intersect, group: .sets, command: Self.self, position: .optional,
    arguments: IntersectArguments.self)

  static let configuration = CommandConfiguration(
    commandName: "intersect", abstract: "Keep the numbers that every list contains.",
    discussion: """
      Writes the numbers of the first list that every other list contains, with the first list's labels, sources and \
      scores. Ranges are split exactly. \(SetLists.help) The first list must be disjoint, as written by 'cdpipe \
      dedupe'; the others may overlap. A line of theirs that is not a record is an error.
      """)

  @OptionGroup var arguments: IntersectArguments

  @Option(output: .complete)
  var output = "-"

  @OptionGroup var packing: PackingOptions
  @OptionGroup var common: CommonOptions

  func parts() throws -> FilterParts {
    try FilterParts(
      input: .nothing, stages: [arguments.plan()], output: output, packing: packing,
      unfedRule: SetLists.firstListRule)
  }
}

struct DiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Compare two lists.",
    discussion: """
      Prints one line for each range of numbers that is in one list only or has another label: the change (added, \
      removed, relabelled), the numbers, the label, and for relabelled numbers the old label. With --summary, prints \
      counts instead; relabelled numbers count for their new label. Exit status 0 if the lists are equal, 1 if they \
      differ. \(SetLists.help) Both must be disjoint, as written by 'cdpipe dedupe', and a line that is not a record \
      is an error. Sources, scores and days, which stores do not contain, are compared with --all-fields only.
      """)

  @Argument(help: ArgumentHelp("The old list.", valueName: "old"), completion: .file())
  var old: String

  @Argument(help: ArgumentHelp("The new list.", valueName: "new"), completion: .file())
  var new: String

  @Flag(help: "Print JSON, one object per line, with all fields of both lists.")
  var json = false

  @Flag(help: "Also compare sources, scores and days.")
  var allFields = false

  @Flag(
    help: ArgumentHelp(
      "Print the counts of changed numbers by label and by country instead of the lines, which only -o FILE writes."
    ))
  var summary = false

  @Option(
    help: ArgumentHelp(
      "With --summary: list the N labels and countries with the most changes (default: \(DiffText.defaultTop)).",
      valueName: "n"))
  var top: Int?

  @Option(output: .complete)
  var output = "-"

  @OptionGroup var colours: ColourOptions

  func validate() throws {
    try SetLists.validate([old, new], min: 2)
    guard let top else { return }
    if !summary { throw ValidationError("--top needs --summary") }
    guard (1...ChangeTally.labelsMax).contains(top) else {
      throw ValidationError("--top must be 1 to \(ChangeTally.labelsMax)")
    }
  }

  func run() throws {
    Interruption.cleanUp()
    let diagnostics = Diagnostics(command: "diff")
    try OutputNames.check([output])
    TerminalInput.announce([old, new])
    var counts = ChangeCounts()
    var tally = ChangeTally()
    do throws(Failure) {
      let context = StageContext(meter: StageMeter(.diff), rejects: try RejectLog())
      try compare(context) { change in
        counts.add(change.kind, change.last - change.first + 1)
        if summary { tally.add(change) }
      }
    } catch {
      throw diagnostics.end(error)
    }
    if summary { show(tally.summary, diagnostics) }
    if counts.sum > 0 { throw ExitStatus.no }
  }

  /// Prints the counts by label and by country, and the totals on standard error.
  private func show(_ summary: ChangeSummary, _ diagnostics: Diagnostics) {
    let top = top ?? DiffText.defaultTop
    if json {
      StandardOutput.print(DiffText.json(summary, top: top, allFields: allFields))
    } else {
      for line in DiffText.tables(summary, top: top, allFields: allFields) { StandardOutput.print(line) }
    }
    diagnostics.log(DiffText.line(summary.total))
  }

  /// Passes every difference to `observe`, and writes its line unless the summary is printed instead.
  private func compare(
    _ context: StageContext, _ observe: (ListChange) -> Void
  ) throws(Failure) {
    var difference = try ListDifference(
      old: old, new: new, allFields: allFields, context)
    guard !summary || output != OutputFile.standardOutput else {
      return try difference.walk { (change) throws(Failure) in observe(change) }
    }
    let isColoured = !json && StandardOutput.isColoured(output)
    let writer = try TextWriter(output, .diff, escapesControls: !isColoured)
    let isJSON = json
    try difference.walk { (change) throws(Failure) in
      observe(change)
      try writer.write(
        isJSON
          ? ChangeLine.json(change) : isColoured ? ChangeLine.coloured(change) : ChangeLine.text(change))
    }
    try writer.finish()
  }
}

/// Formats a change as a line, including its line feed.
enum ChangeLine {
  /// `relabelled TAB numbers TAB label TAB label before`, with the escapes of the text form.
  static func text(_ change: ListChange) -> [UInt8] {
    var line = Array("\(change.kind.word)\t\(numbers(change))\t".utf8)
    line += label(change.kind == .removed ? change.old : change.new)
    if change.kind == .relabelled {
      line.append(UInt8(ascii: "\t"))
      line += label(change.old)
    }
    while line.last == UInt8(ascii: "\t") { line.removeLast() }
    line.append(UInt8(ascii: "\n"))
    return line
  }

  static func coloured(_ change: ListChange) -> [UInt8] {
    let line = String(decoding: text(change).dropLast(), as: UTF8.self)
    return Array((StandardOutput.text(StyledText(line, change.kind.style)) + "\n").utf8)
  }

  /// The JSON form of a record's fields.
  private struct Fields: Encodable {
    var label: String
    var source: String?
    var score: Int64?
    var day: String?

    init(_ recordFields: [UInt8]) {
      let fields = RecordFields.fields(recordFields.span)
      label = fields.label
      source = fields.source.isEmpty ? nil : fields.source
      score = fields.score
      day = fields.day?.text
    }
  }

  /// The JSON form of a change.
  private struct Change: Encodable {
    var change: String
    var first: UInt64
    var last: UInt64
    var old: Fields?
    var new: Fields?
  }

  static func json(_ change: ListChange) -> [UInt8] {
    let line = Change(
      change: change.kind.word, first: change.first, last: change.last,
      old: change.kind == .added ? nil : Fields(change.old),
      new: change.kind == .removed ? nil : Fields(change.new))
    return Array((JSONLine.text(line) + "\n").utf8)
  }

  private static func numbers(_ change: ListChange) -> String {
    change.first == change.last ? "\(change.first)" : "\(change.first)..\(change.last)"
  }

  private static func label(_ recordFields: [UInt8]) -> [UInt8] {
    Array(recordFields[..<RecordFields.labelLength(recordFields.span)])
  }
}

extension ListChange.ChangeKind {
  /// The style of a change of this kind.
  fileprivate var style: TextStyle {
    switch self {
    case .added: .added
    case .removed: .removed
    case .relabelled, .votes, .changed: .changed
    }
  }
}
