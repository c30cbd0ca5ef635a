// The settings of a project, validated: names, identifiers, servers, number of extensions.
//
// Not for the files' texts (the extensions of ProjectPlan), an app's parts (Parts/) or writing files (ProjectFolder).

/// The validated settings of a project.
///
///     var options = ProjectOptions()
///     options.extensions = 51
///     let plan = try ProjectPlan(
///       .blocker, name: "Block070", bundleIdentifier: "com.example.block070", manager: .xcodegen, options: options)
///     for file in plan.files { write(file.text, to: file.path) }
package struct ProjectPlan: Equatable, Sendable {
  /// The maximum number of extensions. The largest known app has 51; no limit of Apple's is known.
  package static let extensionsMax = 200
  /// The last part of a Call Directory extension's bundle identifier, before its number.
  static let directorySuffix = ".directory"
  /// The last part of the message filter's bundle identifier.
  static let filterSuffix = ".filter"
  /// The last part of the lookup extension's bundle identifier, unless another identifier is chosen.
  package static let lookupSuffix = ".lookup"

  /// The kind of project.
  package let kind: ProjectKind
  /// The name of the app, its target and its module.
  package let name: String
  /// The app's bundle identifier, which is the prefix of the extensions' identifiers.
  package let bundleIdentifier: String
  /// What describes the Xcode project.
  package let manager: ProjectManager
  /// The location of the package cdpipe: a path relative to the project's folder, or a URL.
  package let package: String
  /// The options of the kind.
  package let options: ProjectOptions

  /// Validates the settings. Throws ``ScaffoldError``.
  ///
  /// - Parameters:
  ///   - kind: the kind of project.
  ///   - name: the app's name: ASCII letters and digits, a letter first.
  ///   - bundleIdentifier: the app's bundle identifier in reverse-DNS form.
  ///   - manager: what describes the Xcode project.
  ///   - package: the location of the package cdpipe: a path relative to the project's folder, or an https URL.
  ///   - options: the options of the kind; those of other kinds are ignored.
  package init(
    _ kind: ProjectKind, name: String, bundleIdentifier: String, manager: ProjectManager,
    package: String = "../cdpipe", options: ProjectOptions = ProjectOptions()
  ) throws(ScaffoldError) {
    self.kind = kind
    self.name = name
    self.bundleIdentifier = bundleIdentifier
    self.manager = manager
    self.package = package
    self.options = options
    try checkOptions()
    if let reason = NameErrorReason(ofName: name, modules: modules) { throw .badName(name, reason) }
    // An extension's target is a module, too.
    if parts.contains(where: { modules.contains($0.target.name) }) { throw .badName(name, .taken) }
    if let reason = IdentifierErrorReason(of: bundleIdentifier, lengthMax: identifierMax) {
      throw .badBundleIdentifier(bundleIdentifier, reason)
    }
    if let reason = PackageErrorReason(ofPlace: package) { throw .badPackage(package, reason) }
    try checkLookup()
  }

  /// The app group that app and extensions share.
  package var appGroup: String { "group.\(bundleIdentifier)" }

  /// The maximum length of the app's bundle identifier: the App Store's limit minus the longest suffix of an extension.
  package var identifierMax: Int {
    let suffixes = kind.parts.map { part in
      switch part {
      case .blocker, .callerID: "\(Self.directorySuffix)\(Self.extensionsMax)"
      case .messageFilter: Self.filterSuffix
      case .liveLookup, .all: options.lookupIdentifier == nil ? Self.lookupSuffix : ""
      }
    }
    return IdentifierErrorReason.lengthMax - (suffixes.map(\.utf8.count).max() ?? 0)
  }

  private func checkOptions() throws(ScaffoldError) {
    if kind.parts.contains(where: \.isDirectory), !(1...Self.extensionsMax).contains(options.extensions) {
      throw .badExtensionCount(options.extensions, limit: Self.extensionsMax)
    }
    for part in kind.parts {
      switch part {
      case .callerID where options.listURL == nil: throw .missing(.list, kind)
      case .messageFilter
      where !options.hasRules && options.rulesURL == nil && options.filterURL == nil:
        throw .missing(.rules, kind)
      case .liveLookup where options.serverURL == nil: throw .missing(.server, kind)
      default: break
      }
    }
    let urls: [(option: String, url: String?, form: ServerURLForm)] = [
      ("--list-url", options.listURL, .folder), ("--rules-url", options.rulesURL, .file),
      ("--filter-url", options.filterURL, .hostAndPath), ("--server-url", options.serverURL, .host),
      ("--issuer-url", options.issuerURL, .host),
    ]
    for (option, url, form) in urls {
      if let url, let reason = ServerURLErrorReason(ofURL: url, form) {
        throw .badURL(option: option, url, reason)
      }
    }
  }

  /// Checks the identifier of the lookup extension, after the app's.
  private func checkLookup() throws(ScaffoldError) {
    guard let identifier = options.lookupIdentifier, kind.parts.contains(.liveLookup) else { return }
    if let reason = IdentifierErrorReason(of: identifier) {
      throw .badExtensionIdentifier(identifier, reason)
    }
    guard identifier.hasPrefix(bundleIdentifier + ".") else {
      throw .badExtensionIdentifier(identifier, .prefix(app: bundleIdentifier))
    }
  }
}
