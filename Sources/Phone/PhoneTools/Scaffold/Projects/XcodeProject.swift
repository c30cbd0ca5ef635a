// What an Xcode project consists of, independent of the program that reads the description.
//
// Not for a kind's own choices (ProjectPart) or the syntax of a description (the extensions).

/// An Xcode project: an app and its extensions. XcodeGen's project.yml, Tuist's Project.swift and the files of an
/// `.xcodeproj` are written from it, so they describe the same project.
struct XcodeProject {
  /// The minimum version of the package if it is referenced by URL.
  static let packageVersion = "0.1.0"
  /// The device family of all targets: iPhone.
  static let deviceFamily = "1"

  /// The name of the project and of its app.
  let name: String
  /// What the project is, for the comment at the top of a description.
  let summary: String
  /// The minimum iOS version.
  let deploymentTarget: String
  /// The location of the package cdpipe, a path or a URL; nil if no target has products of it.
  let package: String?
  /// The app.
  let app: XcodeTarget
  /// The extensions, all embedded in the app.
  let extensions: [XcodeTarget]

  /// The build settings of all targets that differ from the defaults of every program. The last one is the user's.
  static let settings = [
    ("SWIFT_VERSION", "6.0"),
    ("MARKETING_VERSION", "1.0"),
    ("CURRENT_PROJECT_VERSION", "1"),
    ("GENERATE_INFOPLIST_FILE", "NO"),
    ("DEVELOPMENT_TEAM", ""),
  ]

  /// All targets, each copy by itself.
  var targets: [XcodeTarget] { [app] + extensions.flatMap(\.expanded) }

  /// Whether the package is referenced by URL.
  var packageIsRemote: Bool { package?.contains("://") ?? false }
}

/// A target, or copies of one that differ only in the values of variables. A variable in a text is written `${name}`.
struct XcodeTarget {
  /// The name of the target, its product and its module. May contain variables.
  var name: String
  /// What is built.
  let product: XcodeProduct
  /// The bundle identifier. May contain variables.
  var bundleIdentifier: String
  /// The path of the Info.plist.
  let infoPlist: String
  /// The path of the entitlements.
  var entitlements = ""
  /// The folders whose files belong to the target: Swift files are compiled, catalogs become resources.
  var sources: [String] = []
  /// Further resources: folders, and a pattern of file names in each. May contain variables.
  var resources: [(folder: String, pattern: String)] = []
  /// The package's products that the target links.
  var products: [String] = []
  /// The target's own build settings. May contain variables.
  var settings: [(name: String, value: String)] = []
  /// The variables of each copy, in the same order; empty for a single target without variables.
  var copies: [[(name: String, value: String)]] = []

  /// All folders with files of the target.
  var folders: [String] { sources + resources.map(\.folder) }

  /// The target, or its copies, without variables.
  var expanded: [XcodeTarget] {
    copies.isEmpty ? [self] : copies.map(filled)
  }

  /// The target with the values of variables.
  private func filled(_ variables: [(name: String, value: String)]) -> XcodeTarget {
    func fill(_ text: String) -> String {
      variables.reduce(text) { $0.replacing("${\($1.name)}", with: $1.value) }
    }
    var copy = self
    copy.name = fill(name)
    copy.bundleIdentifier = fill(bundleIdentifier)
    copy.resources = resources.map { ($0.folder, fill($0.pattern)) }
    copy.settings = settings.map { ($0.name, fill($0.value)) }
    copy.copies = []
    return copy
  }

  /// The build settings that every description has for the target, in addition to its own.
  var allSettings: [(name: String, value: String)] {
    settings + (product == .app ? [] : [("APPLICATION_EXTENSION_API_ONLY", "YES")])
  }
}

/// What a target builds.
enum XcodeProduct: CaseIterable {
  /// The app.
  case app
  /// An extension with a principal class, in the app's folder PlugIns.
  case appExtension
  /// An ExtensionKit extension, in the app's folder Extensions.
  case extensionKitExtension
}

/// The text, indented by spaces; empty lines stay empty.
func indented(_ lines: [String], by width: Int) -> [String] {
  let indent = String(repeating: " ", count: width)
  return lines.map { $0.isEmpty ? $0 : indent + $0 }
}
