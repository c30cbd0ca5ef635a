// `cdpipe rollback`

import ArgumentParser
import PipeStage
import Publishing
import SystemIO

struct RollbackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollback", abstract: "Make an earlier version of a published folder current again.",
    discussion: """
      Without a version, the one before the current one. Every byte of it is checked first. What is rolled back from \
      is not published again while the sources bring the same; to go forward to it, name it.
      """)

  @Argument(help: ArgumentHelp("The folder that a pipeline file publishes in.", valueName: "dir"))
  var directory: String

  @Argument(help: ArgumentHelp("The version's id, or its beginning.", valueName: "version"))
  var version: String?

  @Flag(help: "List the versions, the oldest first, and change nothing.")
  var list = false

  func validate() throws {
    if list, version != nil { throw ValidationError("--list takes no version") }
  }

  func run() throws {
    let voice = Diagnostics(command: "rollback")
    Interruption.cleanUp()
    do throws(StageError) {
      // To look for versions must not make a folder for them.
      guard SymbolicLink.destination(of: PublishedFolder(directory).current) != nil else {
        throw StageError(nil, PublishError.nothingPublished(directory: directory))
      }
      if list {
        for version in PublishedFolder(directory).published() { print(PublishMessages.line(version)) }
        return
      }
      let publisher = try Publisher(PublishOptions(directory: directory))
      let turn = try publisher.rollBack(to: version)
      voice.say(PublishMessages.rolledBack(turn.from, turn.to))
    } catch {
      throw voice.end(error)
    }
  }
}
