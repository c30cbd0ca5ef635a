// `cdpipe history`

import ArgumentParser
import Records
import Runner
import SystemIO
import SystemPackage

struct HistoryCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "List what happened to a published folder, newest first.",
    discussion: """
      Lists the versions that were published, repaired and rolled back, with their numbers and changes, and runs that \
      published nothing: those in a row are one line. The folder remembers the last 1,000 events, also of versions that \
      it no longer keeps. Runs that failed are not listed. Times are in UTC. With --html, writes a page of all events \
      instead, which may be in the published folder.
      """)

  static let examples = [
    Example("Show what happened lately", "cdpipe history public"),
    Example("Show the last three events", "cdpipe history --last 3 public"),
    Example(
      "List the versions that were published, as JSON", "cdpipe history --json public | grep '\"published\"'"),
  ]

  @Argument(
    help: ArgumentHelp("The folder in which a pipeline file publishes.", valueName: "dir"),
    completion: .directory)
  var directory: String

  @Option(help: ArgumentHelp("List at most N events.", valueName: "n"))
  var last = 30

  @Flag(help: "Print JSON, one object per line.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "Write a page of all events to FILE, which is replaced when the page is complete.", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var html: String?

  @Option(
    help: ArgumentHelp(
      "With --html: if the last run failed, show why, from its report.", valueName: "report.json"),
    completion: .file(extensions: ["json"]))
  var report: String?

  @OptionGroup var colours: ColourOptions

  func validate() throws {
    if html == OutputFile.standardOutput { throw ValidationError("--html needs a file, such as /dev/stdout") }
    if let html, !ReportProgram.isPage(html), FileKind(of: FilePath(html)) != .other {
      throw ValidationError("--html needs a name that ends in .html, not '\(html)'")
    }
    if let html, PublishedFolder(directory).hasVersions(around: html) {
      throw ValidationError(
        "'\(html)' is among the versions; choose another place, such as '\(directory)/index.html'")
    }
    if html != nil, json { throw ValidationError("choose --html or --json") }
    if report != nil, html == nil { throw ValidationError("--report needs --html") }
    if last < 1 { throw ValidationError("--last must be at least 1") }
  }

  func run() throws {
    let diagnostics = Diagnostics(command: "history")
    Interruption.cleanUp()
    let failure = try report.flatMap { try ReportReading.report($0, diagnostics).failure }
    do throws(Failure) {
      try HistoryListing(directory).print { (history) throws(Failure) in
        if let html {
          try writePage(of: history, failure, to: html)
        } else if json {
          for event in history.latest(last) { StandardOutput.print(HistoryMessages.json(event)) }
        } else {
          let lines = HistoryMessages.table(
            history, last: last, hasHeading: RunningProcess.isOutputTerminal)
          for line in lines { StandardOutput.print(line) }
        }
      }
    } catch {
      throw diagnostics.end(error)
    }
  }
}

extension HistoryCommand {
  /// Writes the page; the previous one is unchanged if that fails.
  private func writePage(
    of history: VersionHistory, _ failure: RunReport.RunError?, to path: String
  ) throws(Failure) {
    let program = try ReportProgram()
    var index = VersionIndex()
    index.cdpipe = ProgramVersion.current
    index.directory = directory
    index.written = WallClock.text(WallClock.seconds())
    index.failure = failure
    index.events = history.reportedEvents
    try ReportFile(path).publish(RunReporting.json(index), by: program)
  }
}

/// Prints the history of a published folder, then what is wrong with the folder.
struct HistoryListing {
  private let folder: PublishedFolder

  init(_ directory: String) {
    folder = PublishedFolder(directory)
  }

  /// Calls `body` with the history. Throws if nothing was published, and afterwards if the folder is damaged.
  func print(_ body: (VersionHistory) throws(Failure) -> Void) throws(Failure) {
    let history = try asFailure(nil) { () throws(SystemError) in try VersionHistory(of: folder) }
    let defect = history.defect(of: folder)
    if history.events.isEmpty, history.versions.isEmpty, defect == nil {
      throw .nothingPublished(in: folder.directory)
    }
    try body(history)
    if let defect { throw defect }
  }
}
