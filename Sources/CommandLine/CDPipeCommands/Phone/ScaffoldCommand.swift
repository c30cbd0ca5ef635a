// `cdpipe scaffold`

public import ArgumentParser
import EmitStage
import PipeStage
public import ProjectScaffold
import SystemIO

extension ProjectManager: ExpressibleByArgument {}

struct ScaffoldCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scaffold", abstract: "Make a project for Xcode: an app with Call Directory extensions.",
    discussion: """
      Writes the description that Tuist or XcodeGen makes an Xcode project of, Swift sources, Info.plists, entitlements \
      with an app group, and a README with the next steps. All extensions have one source, and each loads the shard of \
      its own number:

        cdpipe generate '+82 70 XXXX XXXX' --exclude '*000*' \\
          | cdpipe emit --format store --block '*' --max-entries 1940000 --shards 51 -o stores
        cdpipe scaffold --name Block070 --extensions 51 --bundle-id com.example.block070 \\
          --manager xcodegen --stores stores -o Block070

      The same options give the same files. Every store is checked, and the project is written whole before anything \
      comes into DIR. What is in DIR already stays, but for the project's own files.
      """)

  @Option(help: ArgumentHelp("The app's name: letters and digits.", valueName: "name"))
  var name: String

  @Option(
    name: [.customLong("bundle-id")],
    help: ArgumentHelp(
      "The app's bundle identifier; the extensions' are this with .directory1 and so on behind.",
      valueName: "identifier"))
  var bundleIdentifier: String

  @Option(help: ArgumentHelp("How many extensions the app has: one for each shard.", valueName: "n"))
  var extensions = 1

  @Option(help: ArgumentHelp("What makes the Xcode project.", valueName: "program"))
  var manager: ProjectManager

  @Option(
    help: ArgumentHelp(
      "Copy the stores of a directory of shards, as emit writes them, into the project.", valueName: "dir"))
  var stores: String?

  @Option(
    help: ArgumentHelp(
      "Where the project finds the package cdpipe: a path from its own folder, or a URL.", valueName: "place")
  )
  var package = "../cdpipe"

  @Flag(help: "Write into a directory that is not empty, and replace the project's files there.")
  var force = false

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("The project's directory, which is made.", valueName: "dir"))
  var output: String

  func validate() throws {
    do throws(ScaffoldError) {
      _ = try plan()
    } catch {
      throw ValidationError(ScaffoldMessages.message(error))
    }
    if output == OutputFile.standardOutput { throw ValidationError("-o takes a directory") }
  }

  func run() throws {
    Interruption.cleanUp()
    let voice = Diagnostics(command: "scaffold")
    let plan = try plan()
    do throws(StageError) {
      let shards = try published()
      if let surplus = shards.first(where: { $0.id > plan.extensions }) {
        throw StageError(nil, ScaffoldWriting.noExtension(shard: surplus.id, extensions: plan.extensions))
      }
      try ProjectFolder(path: output, force: force).write(plan.files, shards)
    } catch {
      throw voice.end(error)
    }
  }

  private func plan() throws(ScaffoldError) -> ScaffoldPlan {
    try ScaffoldPlan(
      name: name, bundleIdentifier: bundleIdentifier, extensions: extensions, manager: manager,
      package: package)
  }

  private func published() throws(StageError) -> [ShardDirectory.Shard] {
    guard let stores else { return [] }
    do throws(ManifestError) {
      return try ShardDirectory(stores).shards
    } catch {
      throw StageError(nil, ScaffoldWriting.stores(error))
    }
  }
}
