// The settings of an app with Call Directory extensions, validated: names, identifiers, number of extensions.
//
// Not for the files' texts (the extensions of BlockerPlan) or writing them (ProjectFolder).

/// The validated settings of an app with Call Directory extensions.
///
///     let plan = try BlockerPlan(
///       name: "Block070", bundleIdentifier: "com.example.block070", extensions: 51, manager: .xcodegen)
///     for file in plan.files { write(file.text, to: file.path) }
public struct BlockerPlan: ProjectPlan, Equatable {
  /// The minimum iOS version: since 17, SwiftUI passes both values to a change handler.
  static let deploymentTarget = "17.0"
  /// The kind of project.
  public static let kind = ProjectKind.blocker
  /// The maximum number of extensions. The largest known app has 51; no limit of Apple's is known.
  public static let extensionsMax = 200
  /// The maximum length of the bundle identifier: the App Store's limit minus the extensions' suffix.
  public static let bundleIdentifierMax = IdentifierErrorReason.lengthMax - ".directory200".utf8.count

  /// The modules that the sources import.
  private static let modules: Set<String> = [
    "CallDeltaReader", "CallDirectory", "CallDirectoryKit", "CallKit", "CallStoreFormat", "CallStoreReader",
    "Foundation", "SampleShared", "Swift", "SwiftUI", "Synchronization",
  ]

  /// The name of the app, its target and its module.
  public let name: String
  /// The app's bundle identifier, which is the prefix of the extensions' identifiers.
  public let bundleIdentifier: String
  /// The number of extensions.
  public let extensions: Int
  /// What describes the Xcode project.
  public let manager: ProjectManager
  /// The location of the package cdpipe: a path relative to the project's folder, or a URL.
  public let package: String

  /// Validates the settings. Throws ``ScaffoldError``.
  ///
  /// - Parameters:
  ///   - name: the app's name: ASCII letters and digits, a letter first.
  ///   - bundleIdentifier: the app's bundle identifier in reverse-DNS form.
  ///   - extensions: the number of extensions.
  ///   - manager: what describes the Xcode project.
  ///   - package: the location of the package cdpipe: a path relative to the project's folder, or an https URL.
  public init(
    name: String, bundleIdentifier: String, extensions: Int, manager: ProjectManager,
    package: String = "../cdpipe"
  ) throws(ScaffoldError) {
    if let reason = NameErrorReason(ofName: name, modules: Self.modules) { throw .badName(name, reason) }
    if let reason = IdentifierErrorReason(of: bundleIdentifier, lengthMax: Self.bundleIdentifierMax) {
      throw .badBundleIdentifier(bundleIdentifier, reason)
    }
    guard (1...Self.extensionsMax).contains(extensions) else {
      throw .badExtensionCount(extensions, limit: Self.extensionsMax)
    }
    if let reason = PackageErrorReason(ofPlace: package) { throw .badPackage(package, reason) }
    self.name = name
    self.bundleIdentifier = bundleIdentifier
    self.extensions = extensions
    self.manager = manager
    self.package = package
  }

  /// The bundle identifier of an extension, counted from 1. It does not change when the app gets more extensions, so
  /// extensions that the owner has enabled stay enabled.
  public func identifier(ofExtension index: Int) -> String { "\(bundleIdentifier).directory\(index)" }

  /// The name of an extension's target and module.
  public func target(ofExtension index: Int) -> String { "\(name)Directory\(index)" }

  /// The name of an extension in Settings, which sorts them alphabetically.
  public func title(ofExtension index: Int) -> String { "\(name) \(position(ofExtension: index))" }

  /// An extension's number, padded to the digits of the last one's.
  func position(ofExtension index: Int) -> String { Self.padded(index, to: String(extensions).utf8.count) }

  /// A shard's id: the prefix of the file names that `cdpipe emit` writes.
  public static func shard(_ index: Int) -> String { padded(index, to: 4) }

  private static func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
