// The parts with Call Directory extensions: lists in the bundles of the extensions, or downloaded by the app.
//
// Not for the parts' READMEs (ProjectPlan+DirectoryReadme).

extension ProjectPlan {
  /// The folder with stores.
  package static let storesFolder = "Stores"
  /// The name of the bootstrap store in that folder.
  package static let bootstrapName = "bootstrap.cdstore"

  /// The bundle identifier of a Call Directory extension, counted from 1. It does not change when the app gets more
  /// extensions, so extensions that the owner has enabled stay enabled.
  package func identifier(ofExtension index: Int) -> String {
    "\(bundleIdentifier)\(Self.directorySuffix)\(index)"
  }

  /// The name of a Call Directory extension's target and module.
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

  /// Lists in the bundles of the extensions.
  var blocker: ProjectPart { directory(ScaffoldSources.block070, hasShards: true, blockerReadme) }

  /// A list that the app downloads.
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

  /// The keys of an app that is updated at night.
  var nightlyKeys: [(String, PropertyValue)] {
    [
      ("BGTaskSchedulerPermittedIdentifiers", .list([.text("\(bundleIdentifier).update")])),
      ("UIBackgroundModes", .list(["fetch"])),
    ]
  }

  /// The note that the description of the project has to be generated again.
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
}
