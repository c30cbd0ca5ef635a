// `cdpipe rollback`

import ArgumentParser
import Records
import Runner
import SystemIO

struct RollbackCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollback", abstract: "Make an earlier version of a published folder current again.",
    discussion: """
      Without VERSION, returns to the version before the current one. The version's files are verified first. A version \
      you roll back from is not published again until its sources change. To return to it, name it. If the versions are \
      signed, --sign is needed: phones refuse an earlier version with its old signature.
      """)

  static let examples = [
    Example("List the versions", "cdpipe rollback --list public"),
    Example("Return to the version before the current one", "cdpipe rollback public"),
    Example(
      "Return to the oldest version that is kept",
      "cdpipe rollback public \"$(cdpipe rollback --list public | head -c 12)\""),
    Example("Roll back a folder with signed versions", "cdpipe rollback signed --sign signing.key"),
  ]

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
    if list, !signing.sign.isEmpty { throw ValidationError("--list can't be combined with --sign") }
    if list, version != nil { throw ValidationError("--list can't be combined with a version") }
  }

  func run() throws {
    let diagnostics = Diagnostics(command: "rollback")
    Interruption.cleanUp()
    do throws(Failure) {
      if list {
        return try HistoryListing(directory).print { history in
          if json {
            for version in history.versions { StandardOutput.print(HistoryMessages.json(version)) }
          } else {
            let lines = HistoryMessages.table(
              history.versions, hasHeading: RunningProcess.isOutputTerminal)
            for line in lines { StandardOutput.print(line) }
          }
        }
      }
      // Check first, because Publisher would create the folder.
      let folder = PublishedFolder(directory)
      let current = try asFailure(nil) { () throws(SystemError) in
        try SymbolicLink.read(folder.current, calls: KernelCalls())
      }
      guard current != nil else {
        throw .nothingPublished(in: directory)
      }
      var options = PublishOptions(directory: directory)
      signing.apply(to: &options)
      let turn = try Publisher(options).rollBack(to: version)
      diagnostics.log(PublishMessages.rolledBack(turn.from, turn.to, isSigned: !signing.sign.isEmpty))
    } catch {
      throw diagnostics.end(error)
    }
  }
}
