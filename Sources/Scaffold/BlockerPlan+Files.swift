// All files of a blocker: its project, property lists, entitlements, sources and a README.

extension BlockerPlan {
  /// The folder with the extensions' stores.
  public static let storesFolder = "Stores"

  /// The project's files, sorted by path. The same plan produces the same files.
  public var files: [ScaffoldFile] {
    let support = [
      ScaffoldFile("README.md", readmeText),
      ScaffoldFile("\(Self.storesFolder)/README.md", storesText),
      ScaffoldFile("Support/App-Info.plist", appInfo().xml),
      ScaffoldFile("Support/Directory-Info.plist", directoryInfo.xml),
      ScaffoldFile("Support/AppGroup.entitlements", entitlements.xml),
      ignoredFile,
    ]
    return (description(of: project) + support + ScaffoldSources.files).sorted { $0.path < $1.path }
  }

  /// The app, and one extension per shard. The extensions share their source.
  var project: XcodeProject {
    let directory = XcodeTarget(
      name: "\(name)Directory${index}", product: .appExtension,
      bundleIdentifier: "\(bundleIdentifier).directory${index}", infoPlist: "Support/Directory-Info.plist",
      entitlements: Self.entitlementsFile, sources: ["Extension", "Shared"],
      resources: (Self.storesFolder, "${shard}-*.cdstore"), products: ScaffoldSources.products,
      settings: [("DIRECTORY_TITLE", "\(name) ${title}")],
      copies: (1...extensions).map {
        [("index", "\($0)"), ("shard", Self.shard($0)), ("title", position(ofExtension: $0))]
      })
    let count = extensions == 1 ? "Call Directory extension" : "\(extensions) Call Directory extensions"
    return XcodeProject(
      name: name, summary: "\(name) and its \(count)", deploymentTarget: Self.deploymentTarget,
      package: package,
      app: app(products: ScaffoldSources.appProducts), extensions: [directory])
  }

  private var storesText: String {
    let again = manager.command.map { "\nAfter their names have changed, run `\($0)` again.\n" } ?? ""
    return """
      # Stores

      The extensions' stores. The number at the start of a name is the extension's: \(Self.shard(1))-….cdstore goes into \
      \(target(ofExtension: 1)). They are written by

          cdpipe emit --format store --shards \(extensions) -o \(Self.storesFolder)
      \(again)
      """
  }
}
