// The files of each part of an app.

extension ProjectPlan {
  /// The folders of a sample, each of which belongs to a sort of target.
  static let (app, own, shared) = ("App", "Extension", "Shared")
  static let tests = "Tests"
  private static let nightlyFile = "App/NightlyUpdate.swift"
  private static let appGroupFile = "Shared/AppGroup.swift"
  /// The products of the package that a source may import.
  private static let packageProducts = [
    "CallDeltaReader", "CallDirectory", "CallDirectoryKit", "CallManifest", "CallStoreReader", "MessageRules",
    "NumberPlan",
  ]

  var parts: [ProjectPart] {
    kind.parts.map { part in
      switch part {
      case .blocker: blocker
      case .areaCodes: areaCodes
      case .callerID: callerID
      case .messageFilter: messageFilter
      case .liveLookup, .all: liveLookup
      case .voIP: voIP
      }
    }
  }

  /// The project's files, sorted by path. The same plan produces the same files.
  package var files: [ScaffoldFile] {
    let parts = parts
    let support =
      [
        ScaffoldFile("README.md", readmeText(parts)),
        appInfo, ignoredFile,
        ScaffoldFile(XcodeProject.configName, Template(XcodeProject.configName, [:]).text),
      ] + parts.compactMap(info) + entitlements(parts)
      + parts.flatMap(\.files)
    return (description(of: project) + support + sources(parts) + Self.assets + testFiles).sorted {
      $0.path < $1.path
    }
  }

  private static let iconPath = "\(app)/Assets.xcassets/AppIcon.appiconset/AppIcon.png"
  /// The files that the owner replaces or edits. They are written only once.
  static let ownersFiles = [iconPath, XcodeProject.configName]

  /// The app's asset catalog, with its icon.
  private static var assets: [ScaffoldFile] {
    let catalog = "\(app)/Assets.xcassets"
    return [
      ScaffoldFile("\(catalog)/Contents.json", Template("Assets.json", [:]).text),
      ScaffoldFile("\(catalog)/AppIcon.appiconset/Contents.json", Template("AppIcon.json", [:]).text),
      ScaffoldFile(iconPath, EmbeddedFile.icon),
    ]
  }

  /// The tests of the parts. They import the app, whose module has its name.
  private var testFiles: [ScaffoldFile] {
    ScaffoldSources.tests.filter { file in kind.parts.contains { $0.testFile == file.path } }.map { file in
      let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
        line.hasPrefix("@testable import ") ? "@testable import \(name)" : String(line)
      }
      return ScaffoldFile(file.path, lines.joined(separator: "\n"))
    }
  }

  // MARK: Sources

  /// The sources of the app and its extensions, by their paths in the project, with the privacy manifest that all
  /// targets have.
  func sources(_ parts: [ProjectPart]) -> [ScaffoldFile] {
    let isUpdated = parts.contains(where: \.hasNightlyUpdate)
    var files = ScaffoldSources.sampleSharedCommon.filter { file in
      switch file.path {
      case Self.nightlyFile: isUpdated
      case Self.appGroupFile: hasAppGroup
      default: true
      }
    }
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
    return files + [Self.privacy(of: files)]
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
    let imports = Set((sources(parts) + testFiles).flatMap(\.imports))
    let package: Set<String> = ["CallStoreFormat", "ContentHash", "CryptoKit"]
    let usesPackage = Self.packageProducts.contains(where: imports.contains)
    // A module of tests with the name of Apple's would hide that, too.
    return imports.union(usesPackage ? package.union(Self.packageProducts) : []).union(["Swift", "XCTest"])
  }

  // MARK: Targets

  var project: XcodeProject {
    let parts = parts
    let sources = sources(parts)
    var app = XcodeTarget(
      name: name, product: .app, bundleIdentifier: bundleIdentifier, infoPlist: Self.appInfoPath,
      resources: parts.flatMap(\.appResources))
    app.sources = folders(of: nil, parts)
    let extensions = parts.compactMap { part in
      guard var target = part.target else { return nil as XcodeTarget? }
      target.sources = folders(of: part, parts)
      target.products = Self.products(sources, in: target.sources)
      target.entitlements = entitlementsFile(part.domains)
      return target
    }
    app.products = Self.products(sources, in: app.sources)
    app.entitlements = entitlementsFile(parts.flatMap(\.domains))
    let tests = XcodeTarget(
      name: "\(name)Tests", product: .unitTests, bundleIdentifier: bundleIdentifier + Self.testsSuffix,
      infoPlist: "", sources: [Self.tests], host: name)
    return XcodeProject(
      name: name,
      summary: extensions.isEmpty
        ? name : "\(name) and its \(Self.enumeration(parts.map(\.targetText)))",
      deploymentTarget: "\(parts.map(\.version).max() ?? 0).0",
      package: (extensions + [app]).allSatisfy(\.products.isEmpty) ? nil : package, app: app,
      extensions: extensions, tests: tests)
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

  /// What is in the folder with stores, and whose resource it is.
  private enum StoresFolder {
    /// A shard for each extension.
    case shards
    /// A bootstrap store for the app.
    case bootstrap
  }

  /// A part with Call Directory extensions, which share their source and differ only in build settings.
  private func directory(
    _ sources: [ScaffoldFile], stores: StoresFolder?, _ readme: Template
  ) -> ProjectPart {
    ProjectPart(
      name: "Directory", sources: sources + ScaffoldSources.sampleSharedDirectory,
      version: 17,  // since 17, SwiftUI passes both values to a change handler
      target: XcodeTarget(
        name: "\(name)Directory${index}", product: .appExtension,
        bundleIdentifier: "\(bundleIdentifier)\(Self.directorySuffix)${index}",
        infoPlist: "Support/Directory-Info.plist",
        resources: stores == .shards ? [(Self.storesFolder, "${shard}-*.cdstore")] : [],
        settings: [("DIRECTORY_TITLE", "\(name) ${title}")],
        copies: (hasOwnList ? [[("index", "0"), ("title", "My Numbers")]] : [])
          + (1...options.extensions).map { index in
            let shard = stores == .shards ? [("shard", Self.shard(index))] : []
            return [("index", "\(index)")] + shard + [("title", position(ofExtension: index))]
          }),
      targetName: "Call Directory extension",
      appResources: stores == .bootstrap ? [(Self.storesFolder, Self.bootstrapName)] : [],
      files: stores.map { [ScaffoldFile("\(Self.storesFolder)/README.md", storesText($0))] } ?? [],
      readme: readme)
  }

  /// Whether there is an extension for the user's own list. Its number is 0.
  private var hasOwnList: Bool { options.hasOwnList && kind.parts.contains(.callerID) }

  private func storesText(_ stores: StoresFolder) -> String {
    var values = ["extensions": "\(options.extensions)", "command": manager.command]
    if stores == .bootstrap { return Template("bootstrap.md", values).text }
    values["target"] = target(ofExtension: 1)
    return Template("stores.md", values).text
  }

  /// The number of extensions that the 98,552,781 numbers of the large example need: one can load at most 1,999,999.
  private static let largeExampleExtensions = 50

  /// What READMEs write about the number of extensions.
  private var countValues: [String: String?] {
    let plural = options.extensions == 1 ? "" : "s"
    return [
      "extensions": "\(options.extensions)", "shards": "\(options.extensions) shard\(plural)",
      "counted": "\(options.extensions) Call Directory extension\(plural)",
    ]
  }

  var blocker: ProjectPart {
    var values = countValues
    // At most as many numbers as the extensions can load.
    values["pattern"] =
      options.extensions < Self.largeExampleExtensions
      ? "'+82 70 1234 XXXX'" : "'+82 70 XXXX XXXX' --exclude '*000*'"
    return directory(ScaffoldSources.block070, stores: .shards, Template("blocker.md", values))
  }

  var areaCodes: ProjectPart {
    let codes = options.extensions / Self.extensionsPerCode
    let values = [
      "counted": "\(options.extensions) Call Directory extensions", "perCode": "\(Self.extensionsPerCode)",
      "codes": codes == 1 ? "1 area code" : "\(codes) area codes",
    ]
    return directory(ScaffoldSources.codeBlocker, stores: nil, Template("area-codes.md", values))
  }

  var callerID: ProjectPart {
    var values = countValues
    values["listURL"] = options.listURL ?? ""
    values["bundleIdentifier"] = bundleIdentifier
    values["isSigned"] = Template.flag(!options.listKeys.isEmpty)
    values["isCompressed"] = Template.flag(options.listEncoding == .gzip)
    values["ownIdentifier"] = hasOwnList ? identifier(ofExtension: 0) : nil
    var part = directory(
      ScaffoldSources.callerID, stores: .bootstrap, Template("caller-id.md", values))
    part.hasNightlyUpdate = true
    return part
  }

  /// The name of the store with the callers of an app that makes its own calls.
  static let callersName = "Callers.cdstore"

  var voIP: ProjectPart {
    ProjectPart(
      name: "Calls", sources: ScaffoldSources.voIPCallerName,
      version: 17,  // SwiftUI's onChange with both values
      appResources: [(Self.storesFolder, Self.callersName)],
      files: [
        ScaffoldFile(
          "\(Self.storesFolder)/README.md", Template("callers.md", ["command": manager.command]).text)
      ],
      readme: Template("voip.md", ["bundleIdentifier": bundleIdentifier]))
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
      name: Self.lookupName, sources: ScaffoldSources.liveLookup,
      version: 18,  // the first with Live Caller ID Lookup
      target: XcodeTarget(
        name: "\(name)Lookup", product: .extensionKitExtension, bundleIdentifier: identifier,
        infoPlist: "Support/Lookup-Info.plist"),
      targetName: "Live Caller ID Lookup extension",
      // iOS reads the servers from the Info.plist from 27.3 on; for earlier versions, the extension does.
      info: ["title": name, "server": server, "issuer": issuer],
      readme: Template(
        "live-lookup.md",
        [
          "identifier": identifier, "urls": issuer == server ? "`\(server)`" : "`\(server)`, `\(issuer)`",
          "host": String(server.dropFirst("https://".count)),
        ]))
  }

  static let rulesFolder = "Rules"
  /// The name of the compiled rules in that folder.
  static let rulesName = "rules.cdrules"

  private var filterIdentifier: String { bundleIdentifier + Self.filterSuffix }

  private var filterDomain: String? {
    options.filterURL.map { "messagefilter:\($0.dropFirst("https://".count).prefix { !"/?".contains($0) })" }
  }

  var messageFilter: ProjectPart {
    return ProjectPart(
      name: "Filter", sources: ScaffoldSources.messageFilter,
      version: 18,  // the first with Mutex of Synchronization
      target: XcodeTarget(
        name: "\(name)Filter", product: .appExtension, bundleIdentifier: filterIdentifier,
        infoPlist: "Support/Filter-Info.plist", resources: [(Self.rulesFolder, "*.cd*")]),
      targetName: "message filter",
      info: ["title": name, "networkURL": options.filterURL], infoLists: ["rulesKeys": options.rulesKeys],
      hasNightlyUpdate: true,
      // The app shows which rules are in use.
      appResources: [(Self.rulesFolder, "*.cd*")], domains: filterDomain.map { [$0] } ?? [],
      files: [
        ScaffoldFile(
          "\(Self.rulesFolder)/README.md", Template("rules.md", ["command": manager.command]).text)
      ],
      readme: Template(
        "message-filter.md",
        [
          "hasRules": Template.flag(options.hasRules), "rulesURL": options.rulesURL,
          "isSigned": Template.flag(!options.rulesKeys.isEmpty),
          "filterURL": options.filterURL,
          "domain": filterDomain.map { String($0.dropFirst("messagefilter:".count)) },
          "filterIdentifier": filterIdentifier, "bundleIdentifier": bundleIdentifier,
        ]))
  }
}
