// `cdpipe info`

import ArgumentParser
import Records
import Runner
import StoreWriting

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Show the content of a store, a delta or a directory.",
    discussion: """
      Entries are single numbers, as counted by iOS; a range is one record with many entries. Of a directory, only the \
      manifest is read.
      """)

  @Argument(
    help: ArgumentHelp("The store, delta or directory.", valueName: "file"), completion: .store)
  var store: String

  @Flag(help: "Print a JSON object.")
  var json = false

  @OptionGroup var colours: ColourOptions

  func run() throws {
    if DeltaFile.isDelta(store) {
      let delta = try DeltaDescription(store)
      return show(delta.lines, JSONDocument.text(delta))
    }
    switch try ListInput(store) {
    case .shards(let directory): show(ShardFolderText.lines(directory), ShardFolderText.json(directory))
    case .lookup(let directory):
      show(CallerIDFolderText.lines(directory), CallerIDFolderText.json(directory))
    case .file:
      let description = try StoreDescription(store)
      show(description.lines, JSONDocument.text(description))
    }
  }

  private func show(_ lines: @autoclosure () -> [String], _ document: @autoclosure () -> String) {
    if json { StandardOutput.print(document()) } else { StandardOutput.print(lines()) }
  }
}
