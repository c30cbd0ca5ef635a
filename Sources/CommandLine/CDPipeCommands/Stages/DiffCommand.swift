// `cdpipe diff`

import ArgumentParser
import CallRecord
import PipeRunner
import PipeStage
import SetStage
import SystemIO
import UserMessages

struct DiffCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Compare two lists.",
    discussion: """
      Prints one line for each range of numbers that is in one list only or has another label: the change (added, \
      removed, relabelled), the numbers, the label, and for relabelled numbers the old label. Exit status 0 if the \
      lists are equal, 1 if they differ. \(SetLists.help) Both must be disjoint, as written by 'cdpipe dedupe', and a \
      line that is not a record is an error. Sources and scores, which stores do not contain, are compared with \
      --all-fields only.
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

  @Flag(help: "Print the counts of added, removed and relabelled numbers on standard error.")
  var summary = false

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Write to FILE, which is replaced when the output is complete.", valueName: "file"),
    completion: .file())
  var output = "-"

  @OptionGroup var colours: ColourOptions

  func validate() throws {
    try SetLists.validate([old, new], min: 2)
  }

  func run() throws {
    Interruption.cleanUp()
    let diagnostics = Diagnostics(command: "diff")
    TerminalInput.announce([old, new], isQuiet: false, diagnostics)
    var counts = ChangeCounts()
    do throws(StageError) {
      counts = try compare(StageContext(meter: StageMeter(.diff), rejects: try RejectLog()))
    } catch {
      throw diagnostics.end(error)
    }
    if summary { diagnostics.log("cdpipe diff: \(counts.text)") }
    if counts.isDifferent { throw ExitStatus.no }
  }

  private func compare(_ context: StageContext) throws(StageError) -> ChangeCounts {
    var counts = ChangeCounts()
    var difference = try ListDifference(
      old: old, new: new, allFields: allFields, context)
    let isColoured = !json && StandardOutput.isColoured(output)
    let sink = try FileSink(output, stage: .diff, escapesControls: !isColoured, calls: context.calls)
    var chunk = ByteChunk()
    let isJSON = json
    try difference.walk { (change) throws(StageError) in
      counts.add(change)
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
    return counts
  }
}

/// Counts the changed numbers by kind of change.
struct ChangeCounts {
  private var numbers: [ListChange.ChangeKind: UInt64] = [:]

  var isDifferent: Bool { !numbers.isEmpty }

  mutating func add(_ change: ListChange) {
    numbers[change.kind, default: 0] += change.last - change.first + 1
  }

  /// `12 numbers added, 3 removed, 0 relabelled`
  var text: String {
    func count(_ kind: ListChange.ChangeKind) -> String {
      "\(Figures.grouped(numbers[kind] ?? 0))"
    }
    let changed = numbers[.changed] == nil ? "" : ", \(count(.changed)) with other fields"
    return
      "\(count(.added)) numbers added, \(count(.removed)) removed, \(count(.relabelled)) relabelled\(changed)"
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
