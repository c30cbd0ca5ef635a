// `cdpipe preview`

import ArgumentParser
import Runner
import SystemIO
import Records

struct PreviewCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview", abstract: "Show what is recognised in a list, and its first rows.",
    discussion: """
      Reads the start of a file or URL as 'run' would: unpacks it, recognises its format, encoding and fields, and \
      determines the country of its numbers by trying all countries. Shows a table of the first rows, with the number \
      that 'normalize' makes of each. Writes nothing. Options name what is not recognised.
      """)

  static let examples = [
    Example("Show what is recognised in a list", "cdpipe preview list.csv"),
    Example("Show more rows of an archive", "cdpipe preview --rows 20 list.zip"),
    Example("Name what is not recognised", "cdpipe preview --region CN --label =spam numbers.txt"),
    Example("Print a JSON object", "cdpipe preview --json objects.json"),
  ]

  @Argument(
    help: ArgumentHelp("The file or URL; '-' is standard input.", valueName: "file|url"), completion: .file())
  var input: String

  @Flag(help: "Print a JSON object.")
  var json = false

  @OptionGroup var options: PreviewOptions

  func run() throws {
    let diagnostics = Diagnostics(command: "preview")
    TerminalInput.announce([input], isQuiet: false, diagnostics)
    let preview = try options.preview(of: input, diagnostics)
    if json { return StandardOutput.print(JSONLine.text(PreviewDescription(preview, rows: options.rows))) }
    PreviewText.show(preview, rows: options.rows, diagnostics)
  }
}

/// A preview on standard output.
enum PreviewText {
  /// Prints what was recognised, a table of rows, and the first rows that can't be read.
  static func show(_ preview: InputPreview, rows: Int, _ diagnostics: Diagnostics) {
    for line in PreviewMessages.summary(preview) { StandardOutput.print(line) }
    let table = PreviewMessages.table(preview, rows: rows, width: RunningProcess.outputColumns)
    if !table.isEmpty { StandardOutput.print() }
    for line in table { StandardOutput.print(line) }
    for reject in preview.unreadable { diagnostics.log(RejectMessages.line(reject), .warning) }
  }
}
