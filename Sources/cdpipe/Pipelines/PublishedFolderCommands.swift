// The commands about published folders: `cdpipe history`, `rollback` and `keys`.

import ArgumentParser
import CallManifest
import Records
import Runner
import SystemIO
import SystemPackage

struct HistoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "List what happened to a published folder, newest first.",
    discussion: """
      Lists the versions that were published, repaired and rolled back, with their numbers and changes, and runs that \
      published nothing: those in a row are one line. The folder remembers the last 1,000 events, also of versions that \
      it no longer keeps. Runs that failed are not listed. Times are in UTC. With --html, writes a page of all events \
      instead, which may be in the published folder.
      """)

  @Argument(
    help: ArgumentHelp("The folder in which a pipeline file publishes.", valueName: "dir"),
    completion: .directory)
  var directory: String

  @Option("List at most N events.", value: "n")
  var last = 30

  @Flag(help: "Print JSON, one object per line.")
  var json = false

  @Option(
    "Write a page of all events to FILE, which is replaced when the page is complete.", value: "file",
    completion: .file(extensions: ["html"]))
  var html: String?

  @Option(
    "With --html: if the last run failed, show why, from its report.", value: "report.json",
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
    if last < 1 { throw ValidationError("\(option: "last") must be at least 1") }
  }

  func run() throws {
    Interruption.cleanUp()
    let failure = try report.flatMap { try ReportReading.report($0).failure }
    try VersionHistory.show(directory) { (history) throws(Failure) in
      if let html {
        try writePage(of: history, failure, to: html)
      } else if json {
        for event in history.latest(last) { StandardOutput.print(HistoryText.json(event)) }
      } else {
        StandardOutput.print(
          HistoryText.table(history, last: last, hasHeading: RunningProcess.isOutputTerminal))
      }
    }
  }

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
    try ReportFile(path).publish(report: index, by: program)
  }
}

struct RollbackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollback", abstract: "Make an earlier version of a published folder current again.",
    discussion: """
      Without VERSION, returns to the version before the current one. The version's files are verified first. A version \
      you roll back from is not published again until its sources change. To return to it, name it. If the versions are \
      signed, --sign is needed: phones refuse an earlier version with its old signature.
      """)

  @Argument(
    help: ArgumentHelp("The folder in which a pipeline file publishes.", valueName: "dir"),
    completion: .directory)
  var directory: String

  @Argument(
    help: ArgumentHelp("The version's id, or the first digits of it.", valueName: "version"),
    completion: .nothing)
  var version: String?

  @Flag(help: "List the versions, oldest first, without changing anything.")
  var list = false

  @Flag(help: "With --list: print JSON, one object per line.")
  var json = false

  @OptionGroup var signing: SigningArguments

  @OptionGroup var colours: ColourOptions

  func validate() throws {
    if json, !list { throw ValidationError("--json needs --list") }
    try refuse(list && !signing.sign.isEmpty, "--list can't be combined with \(option: "sign")")
    if list, version != nil { throw ValidationError("--list can't be combined with a version") }
  }

  func run() throws {
    Interruption.cleanUp()
    if list {
      return try VersionHistory.show(directory) { history in
        if json {
          for version in history.versions { StandardOutput.print(HistoryText.json(version)) }
        } else {
          StandardOutput.print(
            HistoryText.table(history.versions, hasHeading: RunningProcess.isOutputTerminal))
        }
      }
    }
    // Check first, because Publisher would create the folder.
    let folder = PublishedFolder(directory)
    let current = try asFailure(nil) { () throws(SystemError) in
      try SymbolicLink.read(folder.current, calls: KernelCalls())
    }
    guard current != nil else { throw Failure.nothingPublished(in: directory) }
    var options = PublishOptions(directory: directory)
    signing.apply(to: &options)
    // A version that needs a signature is refused with the option's name.
    options.allowsUnsigned = true
    let turn = try Publisher(options).rollBack(to: version)
    Diagnostics.typed.log(PublishText.rolledBack(turn.from, turn.to, isSigned: !signing.sign.isEmpty))
  }
}

struct KeysCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keys", abstract: "Make the keys that sign published versions and message rules.",
    discussion: """
      'publish: { sign: FILE }' in a pipeline file signs each version with a private key. Apps that have the public key \
      refuse any other list. 'cdpipe rules compile --sign FILE' does the same for message rules.
      """, subcommands: [KeysGenerateCommand.self, KeysShowCommand.self])

}

struct KeysGenerateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "generate", abstract: "Make a private key, and print its public key.",
    discussion: """
      The private key is written to a file that only its owner can read; an existing file is not replaced. Keep a copy in \
      a safe place: without it, apps need an update to trust another key. The public key is for the app.
      """)

  @Option(output: OutputHelp("Write the private key to FILE, which must not exist."))
  var output = "signing.key"

  @OptionGroup var colours: ColourOptions

  func validate() throws {
    try refuse(output == "-" || output.isEmpty, "\(option: "output") must be the path of a file")
  }

  func run() throws {
    let key = try SigningKey.make(at: output)
    Diagnostics.typed.log(KeyText.generated(output))
    StandardOutput.print(key.publicKey.description)
  }
}

struct KeysShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print the public key of a private key.",
    discussion:
      "The file is one that 'keys generate' wrote, or an Ed25519 key as a PEM file without a password.")

  @Argument(help: ArgumentHelp("The file with the private key.", valueName: "file"), completion: .file())
  var file: String

  @OptionGroup var colours: ColourOptions

  func run() throws {
    StandardOutput.print(try SigningKey(path: file).publicKey.description)
  }
}
