// A file of a project, and the sources of each kind of project.

/// A file of a project.
public struct ScaffoldFile: Sendable, Equatable {
  /// The path, relative to the project's folder.
  public let path: String
  /// The content.
  public let text: String

  /// Creates a file.
  public init(_ path: String, _ text: String) {
    self.path = path
    self.text = text
  }
}

/// The sources of projects; the texts are in Generated/.
enum ScaffoldSources {
  /// The package's products that a blocker's extensions import.
  static let products = ["CallDirectory", "CallDirectoryKit"]
  /// The package's products that a blocker's app imports.
  static let appProducts = products + ["CallStoreReader", "NumberPlan"]

  /// A blocker's sources, by their paths in the project.
  static var files: [ScaffoldFile] { appFiles + extensionFiles + sharedFiles }
}
