// All files of a blocker: its description, property lists, entitlements, sources and a README.

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
    return (description(xcodeGen: xcodeGenText, tuist: tuistText) + support + ScaffoldSources.files)
      .sorted { $0.path < $1.path }
  }

  private var storesText: String {
    """
    # Stores

    The extensions' stores. The number at the start of a name is the extension's: \(Self.shard(1))-….cdstore goes into \
    \(target(ofExtension: 1)). They are written by

        cdpipe emit --format store --shards \(extensions) -o \(Self.storesFolder)

    After their names have changed, run `\(manager.command)` again.

    """
  }
}
