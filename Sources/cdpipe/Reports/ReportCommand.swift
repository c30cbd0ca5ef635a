// `cdpipe report`: merging the reports of the parts of a run.

import ArgumentParser
import Records
import Runner
import SystemIO

struct ReportCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Merge the reports of the parts of a run.",
    subcommands: [ReportMergeCommand.self])

  static let examples = [
    Example("Merge the reports of two tasks", "cdpipe report merge task-1.json task-2.json -o tasks.json"),
    Example("Merge all of them", "cdpipe report merge tasks/*.json -o tasks.json"),
    Example("Print the sum of the rejected rows", "cdpipe report merge tasks/*.json | jq .rows.rejects"),
  ]
}

struct ReportMergeCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge", abstract: "Merge the reports of the parts of a run.",
    discussion: """
      Reads the JSON reports of 'cdpipe run --until' and writes one with the sums of their counts, for 'cdpipe run \
      --accounts'. Name the reports in the order of the sources: examples of rejected rows are in that order.
      """)

  static let examples = [
    Example("Merge the reports of two tasks", "cdpipe report merge task-1.json task-2.json -o tasks.json"),
    Example(
      "Complete a run that tasks began",
      """
      cdpipe report merge tasks/*.json -o tasks.json \\
        && cdpipe run nightly.yaml --from-runs runs/*.tsv --accounts tasks.json
      """),
    Example("Print the sum of the rejected rows", "cdpipe report merge tasks/*.json | jq .rows.rejects"),
  ]

  @Argument(
    help: ArgumentHelp("The reports, as JSON.", valueName: "report.json"),
    completion: .file(extensions: ["json"]))
  var files: [String]

  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp("Write to FILE, which is replaced when the output is complete.", valueName: "file"),
    completion: .file())
  var output = OutputFile.standardOutput

  func run() throws {
    Interruption.cleanUp()
    let diagnostics = Diagnostics(command: "report merge")
    var reports: [RunReport] = []
    for file in files { reports.append(try ReportReading.report(file, diagnostics)) }
    let merged: RunReport
    do throws(ReportMergeError) {
      merged = try RunReport.merged(reports)
    } catch {
      let message =
        switch error {
        case .completeRun(let index): RunPartMessages.completeRun(files[index])
        case .differentPipelines(let one, let other, let index):
          RunPartMessages.differentPipelines(one, other, files[index])
        case .missingSlices(let source, let read, let count):
          RunPartMessages.missingSlices(source, read: read, of: count)
        case .repeatedSource(let source, let index):
          RunPartMessages.repeatedSource(source, files[index])
        case .differentPlans(let source, let index):
          RunPartMessages.differentPlans(source, files[index])
        }
      throw diagnostics.end(message, ExitStatus.badData)
    }
    do throws(SystemError) {
      var file = try OutputFile(output)
      try file.write(RunReporting.json(merged).span)
      try file.publish()
    } catch {
      throw diagnostics.end(Failure(nil, error))
    }
  }
}
