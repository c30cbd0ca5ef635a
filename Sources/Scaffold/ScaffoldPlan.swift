// The settings of an Xcode project, validated: names, identifiers, number of extensions.
//
// Not for the files' texts (ScaffoldFiles and the other sources) or writing them (ProjectFolder).

/// Why a project can't be created.
public enum ScaffoldError: Error, Equatable, Sendable {
  /// The name is not valid for a target and a module.
  case badName(String, NameErrorReason)
  /// Apple would not accept the bundle identifier.
  case badBundleIdentifier(String, IdentifierErrorReason)
  /// Fewer than one extension, or more than ``ScaffoldPlan/extensionsMax``.
  case badExtensionCount(Int, limit: Int)
  /// The location of the package is invalid.
  case badPackage(String, PackageErrorReason)
}

/// Why a name is invalid.
public enum NameErrorReason: Equatable, Sendable {
  /// The name does not begin with a letter, or contains characters other than ASCII letters and digits.
  case characters
  /// The name is empty or longer than the limit.
  case length(limit: Int)
  /// The name is that of a module that the project imports.
  case taken
}

/// Why a bundle identifier is invalid.
public enum IdentifierErrorReason: Equatable, Sendable {
  /// The identifier contains characters other than ASCII letters, digits, hyphens and periods.
  case characters
  /// The identifier has only one part, or an empty part.
  case parts
  /// The identifier is longer than the limit.
  case length(limit: Int)
}

/// The programs that generate an Xcode project from a description.
public enum ProjectManager: String, Sendable, CaseIterable {
  /// Tuist (tuist.dev), which reads Project.swift.
  case tuist
  /// XcodeGen (github.com/yonaskolb/XcodeGen), which reads project.yml.
  case xcodegen
}

/// The validated settings of a project.
///
///     let plan = try ScaffoldPlan(
///       name: "Block070", bundleIdentifier: "com.example.block070", extensions: 51, manager: .xcodegen)
///     for file in plan.files { write(file.text, to: file.path) }
public struct ScaffoldPlan: Sendable, Equatable {
  /// The maximum number of extensions. The largest known app has 51; no limit of Apple's is known.
  public static let extensionsMax = 200
  /// The maximum length of a name in characters: it becomes part of file and module names.
  public static let nameMax = 64
  /// The maximum length of the bundle identifier: the App Store's limit minus the extensions' suffix.
  public static let bundleIdentifierMax = 155 - ".directory200".utf8.count

  /// The name of the app, its target and its module.
  public let name: String
  /// The app's bundle identifier, which is the prefix of the extensions' identifiers.
  public let bundleIdentifier: String
  /// The number of extensions.
  public let extensions: Int
  /// The program that generates the Xcode project.
  public let manager: ProjectManager
  /// The location of the package cdpipe: a path relative to the project's folder, or a URL.
  public let package: String

  /// Validates the settings. Throws ``ScaffoldError``.
  ///
  /// - Parameters:
  ///   - name: the app's name: ASCII letters and digits, a letter first.
  ///   - bundleIdentifier: the app's bundle identifier in reverse-DNS form.
  ///   - extensions: the number of extensions.
  ///   - manager: the program that generates the Xcode project.
  ///   - package: the location of the package cdpipe: a path relative to the project's folder, or an https URL.
  public init(
    name: String, bundleIdentifier: String, extensions: Int, manager: ProjectManager,
    package: String = "../cdpipe"
  ) throws(ScaffoldError) {
    if let defect = Self.defect(ofName: name) { throw .badName(name, defect) }
    if let defect = Self.defect(ofIdentifier: bundleIdentifier) {
      throw .badBundleIdentifier(bundleIdentifier, defect)
    }
    guard (1...Self.extensionsMax).contains(extensions) else {
      throw .badExtensionCount(extensions, limit: Self.extensionsMax)
    }
    if let defect = PackageErrorReason(ofPlace: package) { throw .badPackage(package, defect) }
    self.name = name
    self.bundleIdentifier = bundleIdentifier
    self.extensions = extensions
    self.manager = manager
    self.package = package
  }

  /// The app group that app and extensions share.
  public var appGroup: String { "group.\(bundleIdentifier)" }

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

  // MARK: Checks

  /// The modules that the sources import; a target with the same name would hide them.
  private static let modulesTaken: Set<String> = [
    "CallDeltaReader", "CallDirectory", "CallDirectoryKit", "CallKit", "CallStoreFormat", "CallStoreReader",
    "Foundation", "SampleShared", "Swift", "SwiftUI", "Synchronization",
  ]

  private static func defect(ofName name: String) -> NameErrorReason? {
    guard !name.isEmpty, name.utf8.count <= nameMax else { return .length(limit: nameMax) }
    guard name.utf8.allSatisfy(isLetterOrDigit), let first = name.utf8.first, !isDigit(first) else {
      return .characters
    }
    return modulesTaken.contains(name) ? .taken : nil
  }

  private static func defect(ofIdentifier identifier: String) -> IdentifierErrorReason? {
    guard identifier.utf8.count <= bundleIdentifierMax else { return .length(limit: bundleIdentifierMax) }
    let period = UInt8(ascii: ".")
    let hyphen = UInt8(ascii: "-")
    guard identifier.utf8.allSatisfy({ isLetterOrDigit($0) || $0 == period || $0 == hyphen }) else {
      return .characters
    }
    let parts = identifier.utf8.split(separator: period, omittingEmptySubsequences: false)
    return parts.count < 2 || parts.contains(where: \.isEmpty) ? .parts : nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20) &- 0x61 < 26 }
}
