// All files of a project: its description, property lists, entitlements, sources and a README.

/// A file of a project.
public struct ScaffoldFile: Sendable, Equatable {
  /// Its path in the project's folder.
  public let path: String
  /// What is in it.
  public let text: String

  /// Makes a file.
  public init(_ path: String, _ text: String) {
    self.path = path
    self.text = text
  }
}

extension ScaffoldPlan {
  /// The folder in which the description looks for the extensions' stores.
  public static let storesFolder = "Stores"

  /// The project's files, in the order of their paths. The same plan produces the same files.
  public var files: [ScaffoldFile] {
    let description =
      switch manager {
      case .xcodegen: [ScaffoldFile("project.yml", xcodeGenText)]
      case .tuist:
        [ScaffoldFile("Project.swift", tuistText), ScaffoldFile("Tuist.swift", Self.tuistRootText)]
      }
    let support = [
      ScaffoldFile("README.md", readmeText),
      ScaffoldFile("\(Self.storesFolder)/README.md", storesText),
      ScaffoldFile("Support/App-Info.plist", appInfo.xml),
      ScaffoldFile("Support/Directory-Info.plist", directoryInfo.xml),
      ScaffoldFile("Support/AppGroup.entitlements", entitlements.xml),
      ScaffoldFile(".gitignore", Self.ignoredText(manager)),
    ]
    return (description + support + ScaffoldSources.files).sorted { $0.path < $1.path }
  }

  private static func ignoredText(_ manager: ProjectManager) -> String {
    let made = manager == .tuist ? "Derived/\n*.xcworkspace/\n" : ""
    return "# Made anew by `\(manager.command)`.\n*.xcodeproj/\n\(made).DS_Store\n"
  }

  private var storesText: String {
    """
    # Stores

    The stores of the extensions, whose number they begin with: \(Self.shard(1))-….cdstore goes into \
    \(target(ofExtension: 1)). They are what

        cdpipe emit --format store --shards \(extensions) -o \(Self.storesFolder)

    writes. When their names have changed, run `\(manager.command)` again.

    """
  }
}

extension ProjectManager {
  /// The command that makes the Xcode project.
  var command: String {
    switch self {
    case .tuist: "tuist generate"
    case .xcodegen: "xcodegen generate"
    }
  }
}

/// The sources of a project; the texts are in Generated/.
enum ScaffoldSources {
  /// The package's products that the sources import.
  static let products = ["CallDirectory", "CallDirectoryKit"]

  /// All sources, by their paths in a project.
  static var files: [ScaffoldFile] { appFiles + extensionFiles + sharedFiles }
}
