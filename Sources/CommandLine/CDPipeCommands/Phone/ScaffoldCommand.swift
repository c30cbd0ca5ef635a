// `cdpipe scaffold`

public import ArgumentParser
import PipeStage
public import ProjectScaffold
import SystemIO
import UserMessages

extension ProjectManager: ExpressibleByArgument {}

struct ScaffoldCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "scaffold", abstract: "Create an Xcode project: an app with Call Directory extensions.",
    discussion: """
      Writes a project description for Tuist or XcodeGen, Swift sources, Info.plists, entitlements with an app group, \
      and a README with the next steps. All extensions share one source file; each loads the shard with its own \
      number.

      The same options always write the same files. All stores are verified, and the project is written completely, \
      before DIR is changed. Other files in DIR are kept.
      """)

  static let examples = [
    Example(
      "Create an app with one extension",
      """
      cdpipe scaffold --name CallerID --bundle-id com.example.callerid \\
        --manager xcodegen -o CallerID
      """),
    Example(
      "Put the stores of a directory of shards into the app",
      """
      cdpipe scaffold --name CallerID --bundle-id com.example.callerid \\
        --manager xcodegen --stores shards --extensions 3 -o CallerID-3
      """),
    Example(
      "Replace the files of an earlier project",
      """
      cdpipe scaffold --name CallerID --bundle-id com.example.callerid \\
        --manager tuist --force -o CallerID
      """),
  ]

  @Option(help: ArgumentHelp("The app's name (letters and digits).", valueName: "name"))
  var name: String

  @Option(
    name: [.customLong("bundle-id")],
    help: ArgumentHelp(
      "The app's bundle identifier; the extensions append .directory1, .directory2 and so on.",
      valueName: "identifier"))
  var bundleIdentifier: String

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The number of extensions, one per shard.", valueName: "n"))
  var extensions = 1

  @Option(help: ArgumentHelp("The program that generates the Xcode project.", valueName: "program"))
  var manager: ProjectManager

  @Option(
    help: ArgumentHelp(
      "Copy the stores of a directory of shards, or a single store, into the project.", valueName: "path"),
    completion: .store)
  var stores: String?

  @Option(
    help: ArgumentHelp(
      "The location of the package cdpipe: a path relative to the project, or a URL.", valueName: "place"),
    completion: .directory
  )
  var package = "../cdpipe"

  @Flag(help: "Write into a directory that is not empty, and replace the project's files in it.")
  var force = false

  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp("The project's directory, which is created.", valueName: "dir"), completion: .directory
  )
  var output: String

  @OptionGroup var colours: ColourOptions

  func validate() throws {
    do throws(ScaffoldError) {
      _ = try plan()
    } catch {
      throw ValidationError(error.text)
    }
    if output == OutputFile.standardOutput { throw ValidationError("-o must be a directory") }
  }

  func run() throws {
    Interruption.cleanUp()
    let diagnostics = Diagnostics(command: "scaffold")
    try OutputNames.check([output], diagnostics)
    let plan = try plan()
    do throws(StageError) {
      let stores = try self.stores.map { (path) throws(StageError) in try ProjectStore.all(of: path) } ?? []
      if let last = stores.map(\.id).max(), last > plan.extensions {
        throw StageError(nil, ProjectFolderError.noExtension(shard: last, extensions: plan.extensions))
      }
      try ProjectFolder(path: output, force: force).write(plan.files, stores)
    } catch {
      throw diagnostics.end(error)
    }
  }

  private func plan() throws(ScaffoldError) -> ScaffoldPlan {
    try ScaffoldPlan(
      name: name, bundleIdentifier: bundleIdentifier, extensions: extensions, manager: manager,
      package: package)
  }
}
