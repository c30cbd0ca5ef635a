// What an Xcode project is to be, checked: names, identifiers, how many extensions.
//
// Not for: the texts of its files (ScaffoldFiles and those beside it), writing them (the command layer).

/// Why a project can't be made.
public enum ScaffoldError: Error, Equatable, Sendable {
  /// A name that is not a valid name of a target and a module.
  case badName(String, NameErrorReason)
  /// A bundle identifier that Apple would not take.
  case badBundleIdentifier(String, IdentifierErrorReason)
  /// Fewer than one extension, or more than ``ScaffoldPlan/extensionsMax``.
  case badExtensionCount(Int, limit: Int)
  /// A place of the package that can't stand in a project's description.
  case badPackage(String, PackageErrorReason)
}

/// What is wrong with a name.
public enum NameErrorReason: Equatable, Sendable {
  /// It does not begin with a letter, or has something else than ASCII letters and digits.
  case characters
  /// It is empty, or longer than the given number of characters.
  case length(limit: Int)
  /// A module that the project imports has it already.
  case taken
}

/// What is wrong with a bundle identifier.
public enum IdentifierErrorReason: Equatable, Sendable {
  /// It has something else than ASCII letters, digits, hyphens and periods.
  case characters
  /// It has only one part, or an empty one.
  case parts
  /// It is longer than the given number of characters.
  case length(limit: Int)
}

/// The programs that make an Xcode project of a description.
public enum ProjectManager: String, Sendable, CaseIterable {
  /// tuist.dev; Project.swift.
  case tuist
  /// github.com/yonaskolb/XcodeGen; project.yml.
  case xcodegen
}

/// What a project is to be.
///
///     let plan = try ScaffoldPlan(
///       name: "Block070", bundleIdentifier: "com.example.block070", extensions: 51, manager: .xcodegen)
///     for file in plan.files { write(file.text, to: file.path) }
public struct ScaffoldPlan: Sendable, Equatable {
  /// The most extensions. The largest app known has 51; nobody knows of a limit of Apple's.
  public static let extensionsMax = 200
  /// The longest name: it becomes a part of file names and of modules' names.
  public static let nameMax = 64
  /// The longest bundle identifier that the App Store accepts, without the suffix of the extensions.
  public static let bundleIdentifierMax = 155 - ".directory200".utf8.count

  /// The app's name, of its target and of its module.
  public let name: String
  /// The app's bundle identifier. The extensions' begin with it.
  public let bundleIdentifier: String
  /// How many extensions there are.
  public let extensions: Int
  /// What makes the Xcode project.
  public let manager: ProjectManager
  /// Where the package cdpipe is: a path from the project's folder, or a URL.
  public let package: String

  /// Checks a plan.
  ///
  /// - Parameters:
  ///   - name: the app's name: ASCII letters and digits, a letter first.
  ///   - bundleIdentifier: the app's bundle identifier in reverse-DNS form.
  ///   - extensions: how many extensions there are to be.
  ///   - manager: what makes the Xcode project.
  ///   - package: where the package cdpipe is: a path from the project's folder, or an https URL.
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

  /// The bundle identifier of an extension, counted from 1. It keeps its meaning when the app gets more extensions, so
  /// that what the owner has switched on stays on.
  public func identifier(ofExtension index: Int) -> String { "\(bundleIdentifier).directory\(index)" }

  /// The name of an extension's target and module.
  public func target(ofExtension index: Int) -> String { "\(name)Directory\(index)" }

  /// The name under which an extension stands in Settings, where they are in alphabetical order.
  public func title(ofExtension index: Int) -> String { "\(name) \(position(ofExtension: index))" }

  /// An extension's number with as many digits as the last one's.
  func position(ofExtension index: Int) -> String { Self.padded(index, to: String(extensions).utf8.count) }

  /// A shard's id, as `cdpipe emit` puts it before the names of files.
  public static func shard(_ index: Int) -> String { padded(index, to: 4) }

  private static func padded(_ number: Int, to width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  // MARK: Checks

  /// The modules that the sources import, or ask for; a target of such a name would hide them.
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
