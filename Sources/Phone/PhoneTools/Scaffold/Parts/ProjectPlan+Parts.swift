// The parts of an app, and the project that they result in: sources and targets.

extension ProjectPlan {
  /// The folders of a sample, each of which belongs to a sort of target.
  private static let (app, own, shared) = ("App", "Extension", "Shared")
  /// The shared source with the task for updates at night.
  private static let nightlyFile = "App/NightlyUpdate.swift"
  /// The products of the package that a source may import.
  private static let packageProducts = [
    "CallDeltaReader", "CallDirectory", "CallDirectoryKit", "CallManifest", "CallStoreReader", "MessageRules",
    "NumberPlan",
  ]

  /// The app's parts.
  var parts: [ProjectPart] {
    kind.parts.map { part in
      switch part {
      case .blocker: blocker
      case .callerID: callerID
      case .messageFilter: messageFilter
      case .liveLookup, .all: liveLookup
      }
    }
  }

  /// The project's files, sorted by path. The same plan produces the same files.
  package var files: [ScaffoldFile] {
    let parts = parts
    let support =
      [
        ScaffoldFile("README.md", readmeText(parts)),
        ScaffoldFile("Support/App-Info.plist", appInfo(parts).xml), ignoredFile,
      ] + parts.map { ScaffoldFile($0.target.infoPlist, info($0).xml) } + entitlements(parts)
      + parts.flatMap(\.files)
    return (description(of: project) + support + sources(parts)).sorted { $0.path < $1.path }
  }

  // MARK: Sources

  /// The sources of the app and its extensions, by their paths in the project, with the privacy manifest that all
  /// targets have.
  func sources(_ parts: [ProjectPart]) -> [ScaffoldFile] {
    let isUpdated = parts.contains(where: \.hasNightlyUpdate)
    var files = ScaffoldSources.sampleSharedCommon.filter { isUpdated || $0.path != Self.nightlyFile }
    for part in parts {
      for file in part.sources {
        if parts.count == 1 {
          files.append(file)
        } else if !kind.parts.contains(where: { $0.entryFile == file.path }) {
          // In an app with several parts, what belongs to the extensions of one of them is in its own folders.
          files.append(ScaffoldFile(file.folder == Self.app ? file.path : part.name + file.path, file.text))
        }
      }
    }
    if parts.count > 1 { files += ScaffoldSources.allInOne }
    return files + [ScaffoldFile("\(Self.shared)/PrivacyInfo.xcprivacy", Self.privacy(of: files).xml)]
  }

  /// The folders of the app's or an extension's sources.
  private func folders(of part: ProjectPart?, _ parts: [ProjectPart]) -> [String] {
    if parts.count == 1 { return [part == nil ? Self.app : Self.own, Self.shared] }
    guard let part else { return [Self.app, Self.shared] + parts.map { $0.name + Self.shared } }
    return [part.name + Self.own, Self.shared, part.name + Self.shared]
  }

  /// The package's products that the sources in some folders import.
  private static func products(_ sources: [ScaffoldFile], in folders: [String]) -> [String] {
    let imports = Set(sources.filter { folders.contains(String($0.folder)) }.flatMap(\.imports))
    return packageProducts.filter(imports.contains)
  }

  /// The modules that a target with the same name would hide.
  var modules: Set<String> {
    let imports = Set(sources(parts).flatMap(\.imports))
    let package: Set<String> = ["CallStoreFormat", "ContentHash", "CryptoKit"]
    let usesPackage = Self.packageProducts.contains(where: imports.contains)
    return imports.union(usesPackage ? package.union(Self.packageProducts) : []).union(["Swift"])
  }

  // MARK: Targets

  /// The app and its extensions.
  var project: XcodeProject {
    let parts = parts
    let sources = sources(parts)
    var app = XcodeTarget(
      name: name, product: .app, bundleIdentifier: bundleIdentifier, infoPlist: "Support/App-Info.plist",
      resources: parts.flatMap(\.appResources))
    app.sources = folders(of: nil, parts)
    let extensions = parts.map { part in
      var target = part.target
      target.sources = folders(of: part, parts)
      target.products = Self.products(sources, in: target.sources)
      target.entitlements = entitlementsFile(part.domains)
      return target
    }
    app.products = Self.products(sources, in: app.sources)
    app.entitlements = entitlementsFile(parts.flatMap(\.domains))
    return XcodeProject(
      name: name, summary: "\(name) and its \(Self.enumeration(parts.map(\.targetText)))",
      deploymentTarget: "\(parts.map(\.version).max() ?? 0).0",
      package: (extensions + [app]).allSatisfy(\.products.isEmpty) ? nil : package, app: app,
      extensions: extensions)
  }

  /// A list in a sentence.
  static func enumeration(_ items: [String]) -> String {
    guard items.count > 1 else { return items.joined() }
    return items.dropLast().joined(separator: ", ") + " and " + items[items.count - 1]
  }
}
