// The options of `cdpipe scaffold` that only some kinds of projects have, and the files that they name.

import ArgumentParser
import CallManifest
import MessageRules
import PhoneTools
import Records
import SystemIO

/// An option, the parts of an app that it belongs to, and whether it is used.
typealias UsedOption = (name: String, parts: [ProjectKind], isUsed: Bool)

/// The options of apps with Call Directory extensions.
struct ScaffoldDirectoryOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The number of extensions (default: the number of shards of --stores, or 1).", valueName: "n"))
  var extensions: Int?

  @Option(
    help: ArgumentHelp(
      """
      blocker: copy the stores of a directory of shards, or a single store, into the project. caller-id: copy the \
      bootstrap store of a directory of shards, or a store that is used as such.
      """,
      valueName: "path"),
    completion: .store)
  var stores: String?

  @Option(
    name: [.customLong("list-url")],
    help: ArgumentHelp(
      "caller-id: the folder that has manifest.json, from which the app downloads its list.", valueName: "url"
    ))
  var listURL: String?

  @Option(
    help: ArgumentHelp(
      """
      caller-id: a file with a public key that 'cdpipe keys' printed. The app accepts only lists that are signed with its \
      private key. Repeatable: one of the keys suffices.
      """, valueName: "keyfile"),
    completion: .file())
  var listKey: [String] = []

  @Option(
    help: ArgumentHelp(
      "caller-id: gzip if the server has NAME.gz for each file (default: plain).", valueName: "encoding"))
  var listEncoding: ListEncoding?

  /// The options, and whether they are used.
  var used: [UsedOption] {
    [
      ("--extensions", [.blocker, .callerID], extensions != nil),
      ("--stores", [.blocker, .callerID], stores != nil), ("--list-url", [.callerID], listURL != nil),
      ("--list-key", [.callerID], !listKey.isEmpty), ("--list-encoding", [.callerID], listEncoding != nil),
    ]
  }

  /// The number of extensions, and the stores to copy. Each shard has an extension.
  func extensionCount(_ kind: ProjectKind, _ found: inout [ProjectStore]) throws(Failure) -> Int {
    guard let path = stores else { return extensions ?? 1 }
    let last: Int?
    if kind == .blocker {
      found += try ProjectStore.shards(of: path)
      last = found.compactMap(\.id).max()
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

  /// The text of the public key in a file.
  static func publicKey(_ path: String, _ diagnostics: Diagnostics) throws -> String {
    // A key has one line.
    let bytesMax = 4_096
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try InputFile.bytes(of: path, limit: bytesMax)
    } catch {
      throw diagnostics.end(Failure(nil, error))
    }
    let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard words.count == 1, let key = ManifestKey(String(words[0])) else {
      let isPrivate = words.contains("PRIVATE")
      throw diagnostics.end(ScaffoldMessages.notAPublicKey(path, isPrivate: isPrivate), ExitStatus.badData)
    }
    return key.description
  }
}

/// The options of apps with a message filter.
struct ScaffoldFilterOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Rules for the project: a rule file (YAML or JSON), or compiled rules.", valueName: "file"),
    completion: .ruleFile)
  var rules: String?

  @Option(
    name: [.customLong("rules-url")],
    help: ArgumentHelp("The compiled rules that the app downloads.", valueName: "url"))
  var rulesURL: String?

  @Option(
    name: [.customLong("filter-url")],
    help: ArgumentHelp("The server that iOS asks about messages that no rule matches.", valueName: "url"))
  var filterURL: String?

  /// The options, and whether they are used.
  var used: [UsedOption] {
    [
      ("--rules", [.messageFilter], rules != nil), ("--rules-url", [.messageFilter], rulesURL != nil),
      ("--filter-url", [.messageFilter], filterURL != nil),
    ]
  }

  /// The compiled rules of a file, and the stores that they name.
  func compiled(
    _ path: String, _ stores: inout [ProjectStore], _ diagnostics: Diagnostics
  ) throws -> ContiguousArray<UInt8> {
    let bytes = try RulesOpening.compiled(path, diagnostics)
    for name in RulesOpening.storePaths(bytes) {
      do throws(Failure) {
        stores.append(
          try ProjectStore.ofRules(RuleStores.path(of: name, relativeTo: path), name: name))
      } catch {
        throw diagnostics.end(error)
      }
    }
    return bytes
  }
}

/// The options of apps with a Live Caller ID Lookup extension.
struct ScaffoldLookupOptions: ParsableArguments {
  @Option(
    name: [.customLong("server-url")],
    help: ArgumentHelp(
      "The server that answers lookups: https and a host, without a path or port.", valueName: "url"))
  var serverURL: String?

  @Option(
    name: [.customLong("issuer-url")],
    help: ArgumentHelp("The issuer of Privacy Pass tokens (default: the server).", valueName: "url"))
  var issuerURL: String?

  @Option(
    name: [.customLong("extension-id")],
    help: ArgumentHelp(
      """
      The extension's bundle identifier, for which the server's data are made (default: the app's with .lookup).
      """, valueName: "identifier"))
  var extensionIdentifier: String?

  /// The options, and whether they are used.
  var used: [UsedOption] {
    [
      ("--server-url", [.liveLookup], serverURL != nil), ("--issuer-url", [.liveLookup], issuerURL != nil),
      ("--extension-id", [.liveLookup], extensionIdentifier != nil),
    ]
  }
}
