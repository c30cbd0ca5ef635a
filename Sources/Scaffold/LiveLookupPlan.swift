// The settings of an app with a Live Caller ID Lookup extension, validated: names, identifiers, servers.
//
// Not for the files' texts (the extensions of LiveLookupPlan) or writing them (ProjectFolder).

/// The validated settings of an app with a Live Caller ID Lookup extension.
///
///     let plan = try LiveLookupPlan(
///       name: "CallerID", bundleIdentifier: "com.example.callerid", manager: .xcodegen,
///       serverURL: "https://lookup.example.com")
///     for file in plan.files { write(file.text, to: file.path) }
public struct LiveLookupPlan: ProjectPlan, Equatable {
  /// The kind of project.
  public static let kind = ProjectKind.liveLookup
  /// The last part of the extension's bundle identifier, unless another identifier is chosen.
  public static let extensionSuffix = ".lookup"
  /// The maximum length of the app's bundle identifier: the App Store's limit minus the extension's suffix.
  public static let bundleIdentifierMax = IdentifierErrorReason.lengthMax - extensionSuffix.utf8.count
  /// The minimum iOS version: the first with Live Caller ID Lookup.
  static let deploymentTarget = "18.0"

  /// The modules that the sources import.
  private static let modules: Set<String> = [
    "Foundation", "IdentityLookup", "SampleShared", "Swift", "SwiftUI",
  ]

  /// The name of the app, its target and its module.
  public let name: String
  /// The app's bundle identifier, which is the prefix of the extension's.
  public let bundleIdentifier: String
  /// The extension's bundle identifier: the prefix of the names under which iOS asks the server, and so the one that
  /// the server's data are made for.
  public let extensionIdentifier: String
  /// What describes the Xcode project.
  public let manager: ProjectManager
  /// The URL of the server that answers lookups: https and a host.
  public let serverURL: String
  /// The URL of the issuer of Privacy Pass tokens: https and a host.
  public let issuerURL: String

  /// Validates the settings. Throws ``ScaffoldError``.
  ///
  /// - Parameters:
  ///   - name: the app's name: ASCII letters and digits, a letter first.
  ///   - bundleIdentifier: the app's bundle identifier in reverse-DNS form.
  ///   - extensionIdentifier: the extension's bundle identifier; nil for the app's with ``extensionSuffix``.
  ///   - manager: what describes the Xcode project.
  ///   - serverURL: the URL of the server that answers lookups.
  ///   - issuerURL: the URL of the issuer of Privacy Pass tokens; nil if it is the same server.
  public init(
    name: String, bundleIdentifier: String, extensionIdentifier: String? = nil, manager: ProjectManager,
    serverURL: String, issuerURL: String? = nil
  ) throws(ScaffoldError) {
    if let reason = NameErrorReason(ofName: name, modules: Self.modules) { throw .badName(name, reason) }
    self.name = name
    // The extension's target is a module, too.
    if Self.modules.contains(Self.extensionTarget(of: name)) { throw .badName(name, .taken) }
    let ownMax = extensionIdentifier == nil ? Self.bundleIdentifierMax : IdentifierErrorReason.lengthMax
    if let reason = IdentifierErrorReason(of: bundleIdentifier, lengthMax: ownMax) {
      throw .badBundleIdentifier(bundleIdentifier, reason)
    }
    let identifier = extensionIdentifier ?? bundleIdentifier + Self.extensionSuffix
    if let reason = IdentifierErrorReason(of: identifier, lengthMax: IdentifierErrorReason.lengthMax) {
      throw .badExtensionIdentifier(identifier, reason)
    }
    guard identifier.hasPrefix(bundleIdentifier + ".") else {
      throw .badExtensionIdentifier(identifier, .prefix(app: bundleIdentifier))
    }
    if let reason = ServerURLErrorReason(ofURL: serverURL) { throw .badServerURL(serverURL, reason) }
    if let issuerURL, let reason = ServerURLErrorReason(ofURL: issuerURL) {
      throw .badIssuerURL(issuerURL, reason)
    }
    self.bundleIdentifier = bundleIdentifier
    self.extensionIdentifier = identifier
    self.manager = manager
    self.serverURL = serverURL
    self.issuerURL = issuerURL ?? serverURL
  }

  /// The name of the extension's target and module.
  public var extensionTarget: String { Self.extensionTarget(of: name) }

  private static func extensionTarget(of name: String) -> String { name + "Lookup" }

  /// The project's files, sorted by path.
  public var files: [ScaffoldFile] {
    let support = [
      ScaffoldFile("README.md", readmeText),
      ScaffoldFile("Support/App-Info.plist", lookupAppInfo.xml),
      ScaffoldFile("Support/Lookup-Info.plist", lookupInfo.xml),
      ScaffoldFile("Support/AppGroup.entitlements", entitlements.xml),
      ignoredFile,
    ]
    return (description(of: project) + support + ScaffoldSources.liveLookupFiles).sorted { $0.path < $1.path }
  }

  /// The app and its extension, which is an ExtensionKit extension.
  var project: XcodeProject {
    let lookup = XcodeTarget(
      name: extensionTarget, product: .extensionKitExtension, bundleIdentifier: extensionIdentifier,
      infoPlist: "Support/Lookup-Info.plist", entitlements: Self.entitlementsFile,
      sources: ["Extension", "Shared"], products: [])
    return XcodeProject(
      name: name, summary: "\(name) and its Live Caller ID Lookup extension",
      deploymentTarget: Self.deploymentTarget, package: nil, app: app(), extensions: [lookup])
  }
}
