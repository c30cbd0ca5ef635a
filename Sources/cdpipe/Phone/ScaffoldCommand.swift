// `cdpipe scaffold`

import ArgumentParser
import CallManifest
import MessageRules
package import PhoneTools
import Records
import Runner
import SystemIO

extension ProjectKind: ExpressibleByArgument {}
extension ListEncoding: ExpressibleByArgument {}
extension ProjectManager: ExpressibleByArgument {}

struct ScaffoldCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scaffold", abstract: "Create an Xcode project: an app with its extensions and tests.",
    discussion: """
      Writes an .xcodeproj, or its description for Tuist or XcodeGen, Swift sources, texts in four languages, \
      Info.plists, entitlements with an app group, and a README with the next steps. All three describe the same project.

      --kind blocker: an app that blocks calls with Call Directory extensions. All extensions share one source file; each \
      loads the shard with its own number from its bundle.

      --kind area-codes: an app whose user blocks area codes of North America: six extensions for each, which generate its \
      numbers.

      --kind caller-id: the same extensions as blocker, for a list that the app keeps up to date.

      --kind message-filter: an app that filters messages by rules, and asks a server about the others.

      --kind live-lookup: an app with a Live Caller ID Lookup extension, through which an iPhone asks a server for each \
      caller, without the server learning who called.

      --kind voip: an app that makes its own calls, and reads the callers' names from a store.

      --kind all: one app with caller-id, message-filter and live-lookup, and all of their options.

      The same options always write the same files. All stores are verified, and the project is written completely, \
      before DIR is changed. Other files in DIR are kept.
      """)

  @Option("What the app does.", value: "kind")
  var kind = ProjectKind.blocker

  @Option("The app's name (letters and digits).", value: "name")
  var name: String

  @Option(
    "The app's bundle identifier; extensions append .directory1, .directory2 and so on, .filter or .lookup.",
    value: "identifier", name: [.customLong("bundle-id")])
  var bundleIdentifier: String

  @Option(
    "The program that generates the Xcode project; xcode: none, Xcode opens it as it is.", value: "program")
  var manager = ProjectManager.xcode

  @Option(
    """
    All kinds but live-lookup: the location of the package cdpipe: a path relative to the project, or a URL (default: \
    \(ScaffoldCommand.defaultPackage)).
    """, value: "place", completion: .directory)
  var package: String?

  @OptionGroup(title: "Options for blocker, area-codes, caller-id and voip")
  var directory: ScaffoldDirectoryOptions
  @OptionGroup(title: "Options for message-filter") var filter: ScaffoldFilterOptions
  @OptionGroup(title: "Options for live-lookup") var lookup: ScaffoldLookupOptions

  @Flag(
    help: """
      Write into a directory that is not empty, and replace the project's files in it, except Project.xcconfig and the \
      icon. README.md has the command that created them.
      """)
  var force = false

  @Option(
    output: OutputHelp("The project's directory, which is created.", valueName: "dir"), completion: .directory
  )
  var output: String

  @OptionGroup var colours: ColourOptions

  private static let defaultPackage = "../cdpipe"

  func validate() throws {
    do throws(Failure) {
      // The files are read when the command runs.
      _ = try plan(options)
    } catch {
      throw ValidationError(error.message.message)
    }
    if output == OutputFile.standardOutput { throw ValidationError("-o must be a directory") }
  }

  func run() throws {
    Interruption.cleanUp()
    let diagnostics = Diagnostics.typed
    try OutputNames.check([output])
    var options = options
    var stores: [ProjectStore] = []
    options.extensions = try directory.extensionCount(kind, &stores)
    options.rulesKeys = try filter.rulesKey.map { try ScaffoldDirectoryOptions.publicKey($0) }
    if let path = directory.stores, stores.isEmpty {
      diagnostics.log(ScaffoldText.noBootstrap(path))
    }
    options.listKeys = try directory.listKey.map { try ScaffoldDirectoryOptions.publicKey($0) }
    let rules = try filter.rules.map { try filter.compiled($0, &stores) }
    var plan = try plan(options)
    plan.command = command
    let folder = ProjectFolder(path: output, force: force)
    try folder.write(plan, stores, rules: rules)
    let former = folder.formerDescriptions(besides: plan)
    if !former.isEmpty { diagnostics.log(ScaffoldText.formerDescriptions(former, in: output)) }
    if let package, package.hasPrefix("/") { diagnostics.log(ScaffoldText.absolutePackage(package)) }
    if kind == .blocker, let store = stores.first(where: \.isLarge) {
      diagnostics.log(ScaffoldText.largeStore(store))
    }
    if kind.parts.contains(.callerID), options.listKeys.isEmpty {
      diagnostics.log(ScaffoldText.unsigned)
    }
    if kind.parts.contains(.messageFilter), options.rulesURL != nil, options.rulesKeys.isEmpty {
      diagnostics.log(ScaffoldText.unsignedRules)
    }
    if let identifier = plan.lookupIdentifier {
      diagnostics.log(ScaffoldText.extensionIdentifier(identifier))
    }
  }

  /// The options, without what is read from files.
  private var options: ProjectOptions {
    var options = ProjectOptions()
    options.extensions = directory.extensionsWanted(kind)
    options.hasOwnList = directory.ownList
    options.listURL = directory.listURL
    options.listEncoding = directory.listEncoding ?? .plain
    options.hasRules = filter.rules != nil
    options.rulesURL = filter.rulesURL
    options.filterURL = filter.filterURL
    options.serverURL = lookup.serverURL
    options.issuerURL = lookup.issuerURL
    options.lookupIdentifier = lookup.extensionIdentifier
    return options
  }

  private var optionsOfKinds: [OptionOfKinds] {
    let withPackage = ProjectKind.allCases.filter { $0 != .liveLookup && $0 != .all }
    return [("--package", withPackage, typed(package))] + directory.used + filter.used + lookup.used
  }

  /// The command that replaces the project by the same one, with all of its options: a line for each.
  private var command: [String] {
    let common = [
      ("--name", name), ("--bundle-id", bundleIdentifier), ("--manager", manager.rawValue),
    ]
    let own = optionsOfKinds.flatMap { option in option.values.map { (option.name, $0) } }
    return ["cdpipe scaffold --kind \(kind.rawValue)"]
      + (common + own).map { name, value in
        value.isEmpty ? name : "\(name) \(ShellQuoting.quoted(value))"
      }
      + ["-o \(ShellQuoting.quoted(output)) --force"]
  }

  private func plan(_ options: ProjectOptions) throws(Failure) -> ProjectPlan {
    for (option, kinds, values) in optionsOfKinds
    where !values.isEmpty && !kind.parts.contains(where: kinds.contains) {
      let owners = ProjectKind.allCases.filter { $0.parts.contains(where: kinds.contains) }.map(\.rawValue)
      let names =
        owners.count < 2
        ? owners.joined() : owners.dropLast().joined(separator: ", ") + " or " + owners[owners.count - 1]
      throw Failure(
        nil, .usage, "wrong-kind",
        "\(option) is an option of --kind \(names), not of --kind \(kind.rawValue)")
    }
    return try ProjectPlan(
      kind, name: name, bundleIdentifier: bundleIdentifier, manager: manager,
      package: package ?? Self.defaultPackage, options: options)
  }
}

/// An option that only some kinds have, with the values that were typed: none if it was not used, an empty one of a flag.
typealias OptionOfKinds = (name: String, kinds: [ProjectKind], values: [String])

private func typed(_ value: (some CustomStringConvertible)?) -> [String] { value.map { ["\($0)"] } ?? [] }

/// The options of apps with Call Directory extensions.
struct ScaffoldDirectoryOptions: ParsableArguments {
  @Option(
    """
    The number of extensions (default: the number of shards of --stores, or 1; area-codes: 6, and always a multiple of \
    6).
    """, value: "n",
    parsing: .unconditional)
  var extensions: Int?

  @Option(
    """
    blocker: copy the stores of a directory of shards, or a single store, into the project. caller-id: copy the \
    bootstrap store of a directory of shards, or a store that is used as such. voip: copy a single store.
    """, value: "path", completion: .store)
  var stores: String?

  @Option(
    "caller-id: the folder that has manifest.json, from which the app downloads its list.", value: "url",
    name: [.customLong("list-url")])
  var listURL: String?

  @Option(
    """
    caller-id: a file with a public key that 'cdpipe keys' printed. The app accepts only lists that are signed with its \
    private key. Repeatable: one of the keys suffices.
    """, value: "keyfile", completion: .file())
  var listKey: [String] = []

  @Flag(
    help: """
      caller-id: the app's user can block and allow numbers and patterns of their own; one more extension blocks them.
      """)
  var ownList = false

  @Option("caller-id: gzip if the server has NAME.gz for each file (default: plain).", value: "encoding")
  var listEncoding: ListEncoding?

  var used: [OptionOfKinds] {
    [
      ("--extensions", [.blocker, .areaCodes, .callerID], typed(extensions)),
      ("--stores", [.blocker, .callerID, .voIP], typed(stores)), ("--list-url", [.callerID], typed(listURL)),
      ("--list-key", [.callerID], listKey), ("--own-list", [.callerID], ownList ? [""] : []),
      ("--list-encoding", [.callerID], typed(listEncoding?.rawValue)),
    ]
  }

  /// The number of extensions, as far as it does not depend on stores.
  func extensionsWanted(_ kind: ProjectKind) -> Int {
    extensions ?? (kind == .areaCodes ? ProjectPlan.extensionsPerCode : 1)
  }

  func extensionCount(_ kind: ProjectKind, _ found: inout [ProjectStore]) throws(Failure) -> Int {
    guard let path = stores else { return extensionsWanted(kind) }
    let last: Int?
    if kind == .blocker {
      found += try ProjectStore.shards(of: path)
      last = found.compactMap(\.id).max()
    } else if kind == .voIP {
      found.append(try ProjectStore.callers(of: path))
      last = nil
    } else {
      let (store, shards) = try ProjectStore.bootstrap(of: path)
      if let store { found.append(store) }
      last = shards
    }
    guard let last else { return extensions ?? 1 }
    if let extensions, last > extensions {
      throw Failure(
        nil, .badData, "no-extension", "no extension for shard \(last): --extensions is \(extensions)",
        hint: "use --extensions \(last)")
    }
    if last > ProjectPlan.extensionsMax {
      throw Failure(
        nil, .badData, "too-many-shards",
        "\(last) shards are more than the \(ProjectPlan.extensionsMax) extensions that an app can have",
        hint: "emit fewer shards, with a larger --max-entries")
    }
    return extensions ?? last
  }

  static func publicKey(_ path: String) throws(Failure) -> String {
    // A key has one line.
    let bytesMax = 4_096
    let bytes = try asFailure(nil) { () throws(SystemError) in
      try InputFile.bytes(of: path, limit: bytesMax)
    }
    let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard words.count == 1, let key = ManifestKey(String(words[0])) else {
      let isPrivate = words.contains("PRIVATE")
      throw Failure(
        nil, .badData, "not-a-public-key", ScaffoldText.notAPublicKey(path, isPrivate: isPrivate))
    }
    return key.description
  }
}

/// The options of apps with a message filter.
struct ScaffoldFilterOptions: ParsableArguments {
  @Option(
    "Rules for the project: a rule file (YAML or JSON), or compiled rules.", value: "file",
    completion: .ruleFile)
  var rules: String?

  @Option("The compiled rules that the app downloads.", value: "url", name: [.customLong("rules-url")])
  var rulesURL: String?

  @Option(
    """
    A file with a public key that 'cdpipe keys' printed. The app and its filter use only downloaded rules that are signed \
    with its private key. Repeatable: one of the keys suffices.
    """, value: "keyfile", name: [.customLong("rules-key")], completion: .file())
  var rulesKey: [String] = []

  @Option(
    "The server that iOS asks about messages that no rule matches.", value: "url",
    name: [.customLong("filter-url")])
  var filterURL: String?

  var used: [OptionOfKinds] {
    [
      ("--rules", [.messageFilter], typed(rules)), ("--rules-url", [.messageFilter], typed(rulesURL)),
      ("--rules-key", [.messageFilter], rulesKey), ("--filter-url", [.messageFilter], typed(filterURL)),
    ]
  }

  /// The compiled rules of a file, and the stores that they name.
  func compiled(_ path: String, _ stores: inout [ProjectStore]) throws -> ContiguousArray<UInt8> {
    let bytes = try RulesOpening.compiled(path)
    for name in RulesOpening.storePaths(bytes) {
      stores.append(try ProjectStore.ofRules(RuleStores.path(of: name, relativeTo: path), name: name))
    }
    return bytes
  }
}

/// The options of apps with a Live Caller ID Lookup extension.
struct ScaffoldLookupOptions: ParsableArguments {
  @Option(
    "The server that answers lookups: https and a host, without a path or port.", value: "url",
    name: [.customLong("server-url")])
  var serverURL: String?

  @Option(
    "The issuer of Privacy Pass tokens (default: the server).", value: "url",
    name: [.customLong("issuer-url")])
  var issuerURL: String?

  @Option(
    """
    The extension's bundle identifier, for which the server's data are made (default: the app's with .lookup).
    """, value: "identifier", name: [.customLong("extension-id")])
  var extensionIdentifier: String?

  var used: [OptionOfKinds] {
    [
      ("--server-url", [.liveLookup], typed(serverURL)), ("--issuer-url", [.liveLookup], typed(issuerURL)),
      ("--extension-id", [.liveLookup], typed(extensionIdentifier)),
    ]
  }
}
