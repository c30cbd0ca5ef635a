// The files of each part of an app.

extension ProjectPlan {
  /// The folders of a sample, each of which belongs to a sort of target.
  private static let (app, own, shared) = ("App", "Extension", "Shared")
  private static let nightlyFile = "App/NightlyUpdate.swift"
  /// The products of the package that a source may import.
  private static let packageProducts = [
    "CallDeltaReader", "CallDirectory", "CallDirectoryKit", "CallManifest", "CallStoreReader", "MessageRules",
    "NumberPlan",
  ]

  var parts: [ProjectPart] {
    kind.parts.map { part in
      switch part {
      case .blocker: blocker
      case .callerID: callerID
      case .messageFilter: messageFilter
      case .liveLookup, .all: liveLookup
      }
    }
  }

  /// The project's files, sorted by path. The same plan produces the same files.
  package var files: [ScaffoldFile] {
    let parts = parts
    let support =
      [
        ScaffoldFile("README.md", readmeText(parts)),
        ScaffoldFile("Support/App-Info.plist", appInfo(parts).xml), ignoredFile,
      ] + parts.map { ScaffoldFile($0.target.infoPlist, info($0).xml) } + entitlements(parts)
      + parts.flatMap(\.files)
    return (description(of: project) + support + sources(parts)).sorted { $0.path < $1.path }
  }

  // MARK: Sources

  /// The sources of the app and its extensions, by their paths in the project, with the privacy manifest that all
  /// targets have.
  func sources(_ parts: [ProjectPart]) -> [ScaffoldFile] {
    let isUpdated = parts.contains(where: \.hasNightlyUpdate)
    var files = ScaffoldSources.sampleSharedCommon.filter { isUpdated || $0.path != Self.nightlyFile }
    for part in parts {
      for file in part.sources {
        if parts.count == 1 {
          files.append(file)
        } else if !kind.parts.contains(where: { $0.entryFile == file.path }) {
          // In an app with several parts, what belongs to the extensions of one of them is in its own folders.
          files.append(ScaffoldFile(file.folder == Self.app ? file.path : part.name + file.path, file.text))
        }
      }
    }
    if parts.count > 1 { files += ScaffoldSources.allInOne }
    return files + [ScaffoldFile("\(Self.shared)/PrivacyInfo.xcprivacy", Self.privacy(of: files).xml)]
  }

  /// The folders of the app's or an extension's sources.
  private func folders(of part: ProjectPart?, _ parts: [ProjectPart]) -> [String] {
    if parts.count == 1 { return [part == nil ? Self.app : Self.own, Self.shared] }
    guard let part else { return [Self.app, Self.shared] + parts.map { $0.name + Self.shared } }
    return [part.name + Self.own, Self.shared, part.name + Self.shared]
  }

  private static func products(_ sources: [ScaffoldFile], in folders: [String]) -> [String] {
    let imports = Set(sources.filter { folders.contains(String($0.folder)) }.flatMap(\.imports))
    return packageProducts.filter(imports.contains)
  }

  /// The modules that a target with the same name would hide.
  var modules: Set<String> {
    let imports = Set(sources(parts).flatMap(\.imports))
    let package: Set<String> = ["CallStoreFormat", "ContentHash", "CryptoKit"]
    let usesPackage = Self.packageProducts.contains(where: imports.contains)
    return imports.union(usesPackage ? package.union(Self.packageProducts) : []).union(["Swift"])
  }

  // MARK: Targets

  var project: XcodeProject {
    let parts = parts
    let sources = sources(parts)
    var app = XcodeTarget(
      name: name, product: .app, bundleIdentifier: bundleIdentifier, infoPlist: "Support/App-Info.plist",
      resources: parts.flatMap(\.appResources))
    app.sources = folders(of: nil, parts)
    let extensions = parts.map { part in
      var target = part.target
      target.sources = folders(of: part, parts)
      target.products = Self.products(sources, in: target.sources)
      target.entitlements = entitlementsFile(part.domains)
      return target
    }
    app.products = Self.products(sources, in: app.sources)
    app.entitlements = entitlementsFile(parts.flatMap(\.domains))
    return XcodeProject(
      name: name, summary: "\(name) and its \(Self.enumeration(parts.map(\.targetText)))",
      deploymentTarget: "\(parts.map(\.version).max() ?? 0).0",
      package: (extensions + [app]).allSatisfy(\.products.isEmpty) ? nil : package, app: app,
      extensions: extensions)
  }

  static func enumeration(_ items: [String]) -> String {
    guard items.count > 1 else { return items.joined() }
    return items.dropLast().joined(separator: ", ") + " and " + items[items.count - 1]
  }

  static let storesFolder = "Stores"
  /// The name of the bootstrap store in that folder.
  static let bootstrapName = "bootstrap.cdstore"

  /// The bundle identifier of a Call Directory extension, counted from 1. It does not change when the app gets more
  /// extensions, so extensions that the owner has enabled stay enabled.
  package func identifier(ofExtension index: Int) -> String {
    "\(bundleIdentifier)\(Self.directorySuffix)\(index)"
  }

  package func target(ofExtension index: Int) -> String { "\(name)Directory\(index)" }

  /// The name of a Call Directory extension in Settings, which sorts them alphabetically.
  package func title(ofExtension index: Int) -> String { "\(name) \(position(ofExtension: index))" }

  /// An extension's number, padded to the digits of the last one's.
  private func position(ofExtension index: Int) -> String {
    Self.padded(index, to: String(options.extensions).utf8.count)
  }

  /// A shard's id: the prefix of the file names that `cdpipe emit` writes.
  package static func shard(_ index: Int) -> String { padded(index, to: 4) }

  private static func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  /// A part with Call Directory extensions, which share their source and differ only in build settings.
  private func directory(
    _ sources: [ScaffoldFile], hasShards: Bool, appKeys: [(String, PropertyValue)] = [], _ readme: PartReadme
  ) -> ProjectPart {
    ProjectPart(
      name: "Directory", sources: sources + ScaffoldSources.sampleSharedDirectory,
      version: 17,  // since 17, SwiftUI passes both values to a change handler
      target: XcodeTarget(
        name: "\(name)Directory${index}", product: .appExtension,
        bundleIdentifier: "\(bundleIdentifier)\(Self.directorySuffix)${index}",
        infoPlist: "Support/Directory-Info.plist",
        resources: hasShards ? [(Self.storesFolder, "${shard}-*.cdstore")] : [],
        settings: [("DIRECTORY_TITLE", "\(name) ${title}")],
        copies: (1...options.extensions).map { index in
          let shard = hasShards ? [("shard", Self.shard(index))] : []
          return [("index", "\(index)")] + shard + [("title", position(ofExtension: index))]
        }),
      targetName: "Call Directory extension", title: "$(DIRECTORY_TITLE)",
      infoPlist: [
        PropertyValue.extensionPoint("com.apple.callkit.call-directory", class: "CallDirectoryHandler")
      ], appKeys: appKeys,
      appResources: hasShards ? [] : [(Self.storesFolder, Self.bootstrapName)],
      files: [ScaffoldFile("\(Self.storesFolder)/README.md", hasShards ? storesText : bootstrapText)],
      readme: readme)
  }

  var blocker: ProjectPart { directory(ScaffoldSources.block070, hasShards: true, blockerReadme) }

  var callerID: ProjectPart {
    var keys: [(String, PropertyValue)] = [("ListURL", .text(options.listURL ?? ""))]
    // An empty list of keys would be an error of the app: without the key, it accepts unsigned lists.
    if !options.listKeys.isEmpty { keys.append(("ListKey", .list(options.listKeys.map { .text($0) }))) }
    if options.listEncoding == .gzip { keys.append(("ListEncoding", "gzip")) }
    var part = directory(
      ScaffoldSources.callerID, hasShards: false, appKeys: keys + nightlyKeys, callerReadme)
    part.hasNightlyUpdate = true
    return part
  }

  var nightlyKeys: [(String, PropertyValue)] {
    [
      ("BGTaskSchedulerPermittedIdentifiers", .list([.text("\(bundleIdentifier).update")])),
      ("UIBackgroundModes", .list(["fetch"])),
    ]
  }

  private var generatedAgain: String {
    manager.command.map { "\nAfter their names have changed, run `\($0)` again.\n" } ?? ""
  }

  private var storesText: String {
    """
    # Stores

    The extensions' stores. The number at the start of a name is the extension's: \(Self.shard(1))-….cdstore goes into \
    \(target(ofExtension: 1)). They are written by

        cdpipe emit --format store --shards \(options.extensions) -o \(Self.storesFolder)
    \(generatedAgain)
    """
  }

  private var bootstrapText: String {
    """
    # Stores

    `\(Self.bootstrapName)`, if it is here, is a resource of the app: the highest-scoring numbers of the list, which the first \
    extension loads until the first download is complete. `cdpipe scaffold --stores` copies it from a directory that was \
    written by

        cdpipe emit --format store --shards \(options.extensions) --bootstrap 10000 -o DIR
    \(manager.command.map { "\nAfter you have added or removed it, run `\($0)` again.\n" } ?? "")
    """
  }

  /// The bundle identifier of the lookup extension: the prefix of the names under which iOS asks the server, and so the
  /// one that the server's data are made for. Nil if the app has no such extension.
  package var lookupIdentifier: String? {
    kind.parts.contains(.liveLookup)
      ? options.lookupIdentifier ?? bundleIdentifier + Self.lookupSuffix : nil
  }

  var liveLookup: ProjectPart {
    let identifier = lookupIdentifier ?? ""
    let server = options.serverURL ?? ""
    let issuer = options.issuerURL ?? server
    return ProjectPart(
      name: "Lookup", sources: ScaffoldSources.liveLookup,
      version: 18,  // the first with Live Caller ID Lookup
      target: XcodeTarget(
        name: "\(name)Lookup", product: .extensionKitExtension, bundleIdentifier: identifier,
        infoPlist: "Support/Lookup-Info.plist"),
      targetName: "Live Caller ID Lookup extension", title: name,
      infoPlist: [
        ("EXAppExtensionAttributes", .keys([("EXExtensionPointIdentifier", "com.apple.live-lookup")])),
        // iOS reads the servers here from 27.3 on; for earlier versions, the extension does.
        (
          "NSPIRConfiguration",
          .keys([("PIRServerURL", .text(server)), ("PrivacyPassIssuerURL", .text(issuer))])
        ),
      ], appKeys: [("LookupExtension", .text(identifier))],
      readme: lookupReadme(identifier, server: server, issuer: issuer))
  }

  private func lookupReadme(_ identifier: String, server: String, issuer: String) -> PartReadme {
    PartReadme(
      summary: """
        An app for iOS 18 or later with a Live Caller ID Lookup extension, made by `cdpipe scaffold --kind live-lookup`. The \
        list stays on your server. When a call comes in, iOS asks the server for the number by private information \
        retrieval: the server does not learn who called, and the app does not run.

        The project follows Apple's documentation of November 2026. Nobody has built it with Xcode or tried it on an iPhone \
        yet.
        """,
      folders: [
        (
          "App",
          "the app: a screen with the extension's status, Settings, the user's token, refresh and reset"
        ),
        ("Extension", "the extension, which passes the servers and the token to iOS"),
        ("Shared", "code for both: the app group, and the token in it"),
      ],
      notes: """
        The extension's bundle identifier is `\(identifier)`. iOS asks the server for `\(identifier).identity` and \
        `\(identifier).block`.
        """,
      heading: "From the list to a call",
      before: [
        """
        Write the server's data. The numbers and names of a list become rows of Apple's keyword database:

               cdpipe emit --format pir --bundle-id \(identifier) --test-identity -o lookup list.tsv

           `--test-identity` adds +14085551212, "Johnny Appleseed", which Apple's check and your own tests look up.
        """,
        """
        Process them with Apple's `PIRProcessDatabase` (the script `process.sh` in that directory runs it), and serve \
        them with Apple's `PIRService` or a service of yours that speaks the same protocol. Its users and \
        their tokens are in `users.json` beside the results. Several shards need iOS 18.2 or newer.
        """,
      ],
      after: [
        """
        Run the app on a device. An app that Xcode installs asks the server directly, not through Apple's relay, and its \
        URLs may have a path, a port, or `http`: change them in `Support/Lookup-Info.plist` to test with a server in your \
        network.
        """,
        """
        Enable the extension in Settings, Apps, Phone, Call Blocking & Identification. The button Settings opens that page.
        """,
        """
        Set the user's token in the app: one of the tokens in the service's configuration, in Base64. An app for others \
        calls `LookupControl.use(token:)` after its users log in.
        """,
        "Call from a number in the list.",
      ],
      rest: Self.lookupDistribution(identifier, server: server, issuer: issuer))
  }

  private static func lookupDistribution(_ identifier: String, server: String, issuer: String) -> String {
    """
    ## Before the app is distributed

    An app from TestFlight or the App Store asks through Apple's Oblivious HTTP relay, which must know your server:

    - Both URLs are https and a host, without a path, a port or a slash at the end: `\(server)`\
    \(issuer == server ? "" : ", `\(issuer)`"). iOS 27.3 reads them only from `NSPIRConfiguration` in \
    `Support/Lookup-Info.plist`; earlier versions ask the extension, which reads them there.
    - An Oblivious HTTP gateway with HTTP/2 runs in front of the server (RFC 9458).
    - The test identity is in the data: +14085551212, "Johnny Appleseed".
    - A DNS TXT record of `\(server.dropFirst("https://".count))` contains `apple-live-caller-id-lookup=\(identifier)`.
    - Register on the page Identity & Trust of the CloudKit console, \
    https://icloud.developer.apple.com/dashboard/identity: the extension's bundle identifier, the service's and the \
    issuer's URL, the gateway's URL and configuration, a token for Apple's check, sizes of requests and responses, and \
    estimates of the traffic by continent. The service must run then.

    ## Updates

    - A new list needs nothing on the phones, as long as the parameters stay the same. Names that iOS has cached stay \
    until they expire (`--cache-minutes`).
    - After a change of the number of shards or of other parameters, phones fetch them by themselves; Refresh in the app \
    does it at once. iOS 27.3 requires a power of two, at most 65,536 shards.
    - After a change of the token, the app makes iOS ask the extension again. Reset also empties iOS's cache.

    ## Blocking

    Developers report that numbers to block are identified but ring \
    (https://github.com/apple/pir-service-example/issues/165). To block calls, use Call Directory extensions: \
    `cdpipe scaffold --kind blocker`.
    """
  }

  static let rulesFolder = "Rules"
  /// The name of the compiled rules in that folder.
  static let rulesName = "rules.cdrules"

  private var filterIdentifier: String { bundleIdentifier + Self.filterSuffix }

  private var filterDomain: String? {
    options.filterURL.map { "messagefilter:\($0.dropFirst("https://".count).prefix { !"/?".contains($0) })" }
  }

  var messageFilter: ProjectPart {
    let attributes = options.filterURL.map { url in
      ("NSExtensionAttributes", PropertyValue.keys([("ILMessageFilterExtensionNetworkURL", .text(url))]))
    }
    return ProjectPart(
      name: "Filter", sources: ScaffoldSources.messageFilter,
      version: 18,  // the first with Mutex of Synchronization
      target: XcodeTarget(
        name: "\(name)Filter", product: .appExtension, bundleIdentifier: filterIdentifier,
        infoPlist: "Support/Filter-Info.plist", resources: [(Self.rulesFolder, "*.cd*")]),
      targetName: "message filter", title: name,
      infoPlist: [
        PropertyValue.extensionPoint(
          "com.apple.identitylookup.message-filter", class: "MessageFilterExtension", attributes)
      ],
      hasNightlyUpdate: true,
      appKeys: options.rulesURL.map { [("RulesURL", .text($0))] + nightlyKeys } ?? [],
      // The app shows which rules are in use.
      appResources: [(Self.rulesFolder, "*.cd*")], domains: filterDomain.map { [$0] } ?? [],
      files: [ScaffoldFile("\(Self.rulesFolder)/README.md", rulesText)], readme: filterReadme)
  }

  private var rulesText: String {
    """
    # Rules

    `\(Self.rulesName)` is a resource of the app and of its message filter, with the stores that the rules name. It is \
    written by

        cdpipe rules compile rules.yaml -o \(Self.rulesFolder)/\(Self.rulesName)
    \(manager.command.map { "\nAfter you have added or removed files, run `\($0)` again.\n" } ?? "")
    """
  }

  private var filterReadme: PartReadme {
    var before: [String] = []
    if !options.hasRules {
      before.append(
        """
        Put rules into `Rules/`, if messages are to be filtered before the first download, or without a connection:

               cdpipe rules compile rules.yaml -o Rules/rules.cdrules

        """)
    }
    if let url = options.rulesURL {
      before.append(
        """
        Put the output of `cdpipe rules compile` at `\(url)`. The app downloads it; stores that the rules name must be in \
        `Rules/`.
        """)
    }
    if let url = options.filterURL, let domain = filterDomain?.dropFirst("messagefilter:".count) {
      before.append(
        """
        Run a server at `\(url)` that answers in the form of `cdpipe classify`, such as `cdpipe-server`. iOS asks it about \
        messages that no rule matches, once the app is associated with its domain: \
        `https://\(domain)/.well-known/apple-app-site-association` contains, with your team's ID,

               {"messagefilter":{"apps":["TEAMID.\(filterIdentifier)","TEAMID.\(bundleIdentifier)"]}}

           If the server keeps messages, describe that under `NSPrivacyCollectedDataTypes` in \
        `Shared/PrivacyInfo.xcprivacy`.
        """)
    }
    return PartReadme(
      summary: """
        An app for iOS 18 or later with a message filter, made by `cdpipe scaffold --kind message-filter`. iOS asks the filter \
        about messages from senders who are not in the contacts. It applies its rules\
        \(options.filterURL == nil ? "." : ", and defers the others to your server.")
        """,
      folders: [
        ("App", "the app: its screen, and updates of the rules"),
        ("Extension", "the filter"),
        ("Shared", "code for both: the app group, and the rules in it"),
        ("Rules", "the compiled rules that come with the app"),
      ],
      heading: "From the rules to a message", before: before,
      after: [
        """
        Run the app on a device, and choose it in Settings, Apps, Messages: under Text Message Filter, on iOS 18 under Unknown & Spam. The \
        simulator of Xcode receives no messages.
        """,
        "Send the device a message from a number that is not in its contacts.",
      ],
      rest: """
        The filter sees only SMS and MMS from unknown senders, and has no network of its own. If its rules are missing or \
        damaged, or the server does not answer, messages are shown.
        """)
  }
}
