// `cdpipe diff`

import ArgumentParser
import Records
import Runner
import RecordStages
import SystemIO

struct DiffCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Compare two lists.",
    discussion: """
      Prints one line for each range of numbers that is in one list only or has another label: the change (added, \
      removed, relabelled), the numbers, the label, and for relabelled numbers the old label. With --summary, prints \
      counts instead; relabelled numbers count for their new label. Exit status 0 if the lists are equal, 1 if they \
      differ. \(SetLists.help) Both must be disjoint, as written by 'cdpipe dedupe', and a line that is not a record \
      is an error. Sources and scores, which stores do not contain, are compared with --all-fields only.
      """)

  static let examples = [
    Example("List what changed since Monday", "cdpipe diff monday.tsv tuesday.tsv"),
    Example(
      "Count the changes between two stores",
      "cdpipe diff --summary old.cdstore numbers.cdstore -o changes.tsv"),
    Example(
      "Compare sources and scores, too, as JSON", "cdpipe diff --all-fields --json monday.tsv tuesday.tsv"),
  ]

  @Argument(help: ArgumentHelp("The old list.", valueName: "old"), completion: .file())
  var old: String

  @Argument(help: ArgumentHelp("The new list.", valueName: "new"), completion: .file())
  var new: String

  @Flag(help: "Print JSON, one object per line, with all fields of both lists.")
  var json = false

  @Flag(help: "Also compare sources and scores.")
  var allFields = false

  @Flag(
    help: ArgumentHelp(
      "Print the counts of changed numbers by label and by country instead of the lines, which only -o FILE writes."
    ))
  var summary = false

  @Option(
    help: ArgumentHelp(
      "With --summary: list the N labels and countries with the most changes (default: \(DiffMessages.defaultTop)).",
      valueName: "n"))
  var top: Int?

  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp("Write to FILE, which is replaced when the output is complete.", valueName: "file"),
    completion: .file())
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
    try OutputNames.check([output], diagnostics)
    TerminalInput.announce([old, new], isQuiet: false, diagnostics)
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
    let top = top ?? DiffMessages.defaultTop
    if json {
      StandardOutput.print(DiffMessages.json(summary, top: top, allFields: allFields))
    } else {
      for line in DiffMessages.tables(summary, top: top, allFields: allFields) { StandardOutput.print(line) }
    }
    diagnostics.log("cdpipe diff: \(DiffMessages.line(summary.total))")
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
    let sink = try FileSink(output, stage: .diff, escapesControls: !isColoured, calls: context.calls)
    var chunk = ByteChunk()
    let isJSON = json
    try difference.walk { (change) throws(Failure) in
      observe(change)
      let line =
        isJSON
        ? ChangeLine.json(change) : isColoured ? ChangeLine.coloured(change) : ChangeLine.text(change)
      var written = 0
      while written < line.count {
        let some = min(line.count - written, chunk.freeCapacity)
        chunk.append(line.span.extracting(written..<(written + some)))
        written += some
        if chunk.freeCapacity == 0 { try sink.receive(&chunk) }
      }
    }
    if !chunk.isEmpty { try sink.receive(&chunk) }
    try sink.finish()
  }
}

/// Formats a change as a line, including its line feed.
enum ChangeLine {
  /// `relabelled TAB numbers TAB label TAB label before`, with the escapes of the text form.
  static func text(_ change: ListChange) -> [UInt8] {
    var line = Array("\(change.kind.rawValue)\t\(numbers(change))\t".utf8)
    line += label(change.kind == .removed ? change.old : change.new)
    if change.kind == .relabelled {
      line.append(UInt8(ascii: "\t"))
      line += label(change.old)
    }
    while line.last == UInt8(ascii: "\t") { line.removeLast() }
    line.append(UInt8(ascii: "\n"))
    return line
  }

  /// The line in the colour of its kind, for standard output.
  static func coloured(_ change: ListChange) -> [UInt8] {
    let line = String(decoding: text(change).dropLast(), as: UTF8.self)
    return Array((StandardOutput.text(StyledText(line, change.kind.style)) + "\n").utf8)
  }

  /// The JSON form of a record's fields.
  private struct Fields: Encodable {
    var label: String
    var source: String?
    var score: Int64?

    init(_ recordFields: [UInt8]) {
      let fields = RecordFields.fields(recordFields.span)
      label = fields.label
      source = fields.source.isEmpty ? nil : fields.source
      score = fields.score
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
      change: change.kind.rawValue, first: change.first, last: change.last,
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
    case .relabelled, .changed: .changed
    }
  }
}
