// `cdpipe scaffold`

public import ArgumentParser
import PipeStage
public import ProjectScaffold
import SystemIO
import UserMessages

extension ProjectKind: ExpressibleByArgument {}
extension ProjectManager: ExpressibleByArgument {}

struct ScaffoldCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "scaffold", abstract: "Create an Xcode project: an app with its extensions.",
    discussion: """
      Writes an .xcodeproj, or its description for Tuist or XcodeGen, Swift sources, Info.plists, entitlements with an \
      app group, and a README with the next steps. All three describe the same project.

      --kind blocker creates an app that blocks calls with Call Directory extensions. All extensions share one source \
      file; each loads the shard with its own number. --kind live-lookup creates an app with a Live Caller ID Lookup \
      extension, through which an iPhone asks a server for each caller, without the server learning who called.

      The same options always write the same files. All stores are verified, and the project is written completely, \
      before DIR is changed. Other files in DIR are kept.
      """)

  static let examples = [
    Example(
      "Create an app with one extension",
      """
      cdpipe scaffold --name CallerID --bundle-id com.example.callerid -o CallerID
      """),
    Example(
      "Put the stores of a directory of shards into the app, one extension for each",
      """
      cdpipe scaffold --name CallerID --bundle-id com.example.callerid \\
        --stores shards -o CallerID-3
      """),
    Example(
      "Replace the files of an earlier project",
      """
      cdpipe scaffold --name CallerID --bundle-id com.example.callerid \\
        --manager tuist --force -o CallerID
      """),
    Example(
      "Create an app that looks callers up on a server",
      """
      cdpipe scaffold --name Lookup --bundle-id com.example.app \\
        --kind live-lookup --server-url https://lookup.example.com \\
        --manager xcodegen -o Lookup
      """),
  ]

  @Option(help: ArgumentHelp("What the app does.", valueName: "kind"))
  var kind = ProjectKind.blocker

  @Option(help: ArgumentHelp("The app's name (letters and digits).", valueName: "name"))
  var name: String

  @Option(
    name: [.customLong("bundle-id")],
    help: ArgumentHelp(
      "The app's bundle identifier; extensions append .directory1, .directory2 and so on, or .lookup.",
      valueName: "identifier"))
  var bundleIdentifier: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "blocker: the number of extensions (default: the number of shards of --stores, or 1).", valueName: "n"))
  var extensions: Int?

  @Option(
    help: ArgumentHelp(
      "The program that generates the Xcode project; xcode: none, Xcode opens it as it is.",
      valueName: "program"))
  var manager = ProjectManager.xcode

  @Option(
    help: ArgumentHelp(
      "blocker: copy the stores of a directory of shards, or a single store, into the project.",
      valueName: "path"),
    completion: .store)
  var stores: String?

  @Option(
    help: ArgumentHelp(
      """
      blocker: the location of the package cdpipe: a path relative to the project, or a URL (default: \
      \(ScaffoldCommand.defaultPackage)).
      """, valueName: "place"),
    completion: .directory
  )
  var package: String?

  @Option(
    name: [.customLong("server-url")],
    help: ArgumentHelp(
      "live-lookup: the server that answers lookups: https and a host, without a path or port.",
      valueName: "url"))
  var serverURL: String?

  @Option(
    name: [.customLong("issuer-url")],
    help: ArgumentHelp(
      "live-lookup: the issuer of Privacy Pass tokens (default: the server).", valueName: "url"))
  var issuerURL: String?

  @Option(
    name: [.customLong("extension-id")],
    help: ArgumentHelp(
      """
      live-lookup: the extension's bundle identifier, for which the server's data are made (default: the app's with \
      .lookup).
      """, valueName: "identifier"))
  var extensionIdentifier: String?

  @Flag(help: "Write into a directory that is not empty, and replace the project's files in it.")
  var force = false

  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp("The project's directory, which is created.", valueName: "dir"), completion: .directory
  )
  var output: String

  @OptionGroup var colours: ColourOptions

  private static let defaultPackage = "../cdpipe"

  /// The options that only one kind has, and whether they are used.
  private var ownOptions: [(name: String, kind: ProjectKind, isUsed: Bool)] {
    [
      ("--extensions", .blocker, extensions != nil), ("--stores", .blocker, stores != nil),
      ("--package", .blocker, package != nil), ("--server-url", .liveLookup, serverURL != nil),
      ("--issuer-url", .liveLookup, issuerURL != nil),
      ("--extension-id", .liveLookup, extensionIdentifier != nil),
    ]
  }

  func validate() throws {
    do throws(ScaffoldError) {
      _ = try plan(extensions: extensions ?? 1)
    } catch {
      throw ValidationError(error.text)
    }
    if output == OutputFile.standardOutput { throw ValidationError("-o must be a directory") }
  }

  func run() throws {
    Interruption.cleanUp()
    let diagnostics = Diagnostics(command: "scaffold")
    try OutputNames.check([output], diagnostics)
    let found: [ProjectStore]
    do throws(StageError) {
      found = try projectStores()
    } catch {
      throw diagnostics.end(error)
    }
    let plan = try plan(extensions: extensions ?? found.map(\.id).max() ?? 1)
    do throws(StageError) {
      try ProjectFolder(path: output, force: force).write(plan, found)
    } catch {
      throw diagnostics.end(error)
    }
    if let plan = plan as? LiveLookupPlan {
      diagnostics.log(ScaffoldMessages.extensionIdentifier(plan.extensionIdentifier))
    }
  }

  /// The stores to copy, each of which has an extension.
  private func projectStores() throws(StageError) -> [ProjectStore] {
    guard let path = stores else { return [] }
    let found = try ProjectStore.all(of: path)
    let last = found.map(\.id).max() ?? 0
    if let extensions, last > extensions {
      throw StageError(nil, ProjectFolderError.noExtension(shard: last, extensions: extensions))
    }
    if last > BlockerPlan.extensionsMax {
      throw StageError(nil, ProjectFolderError.tooManyShards(last, limit: BlockerPlan.extensionsMax))
    }
    return found
  }

  private func plan(extensions: Int) throws(ScaffoldError) -> any ProjectPlan {
    if let wrong = ownOptions.first(where: { $0.isUsed && $0.kind != kind }) {
      throw .wrongKind(option: wrong.name, of: wrong.kind, used: kind)
    }
    switch kind {
    case .blocker:
      return try BlockerPlan(
        name: name, bundleIdentifier: bundleIdentifier, extensions: extensions, manager: manager,
        package: package ?? Self.defaultPackage)
    case .liveLookup:
      guard let serverURL else { throw .noServer }
      return try LiveLookupPlan(
        name: name, bundleIdentifier: bundleIdentifier, extensionIdentifier: extensionIdentifier,
        manager: manager, serverURL: serverURL, issuerURL: issuerURL)
    }
  }
}
