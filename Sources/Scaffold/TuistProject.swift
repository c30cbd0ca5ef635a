// The description that Tuist reads: Swift, so that one function describes all extensions.

extension ScaffoldPlan {
  /// The oldest iOS that the sources support: SwiftUI passes both values to a change handler from 17 on.
  static let deploymentTarget = "17.0"
  /// The package's version, for those who take it by its URL.
  static let packageVersion = "0.1.0"

  /// Tuist.swift, which marks the project's root.
  static let tuistRootText = """
    import ProjectDescription

    let tuist = Tuist(project: .tuist())

    """

  /// Project.swift
  var tuistText: String {
    #"""
    // \#(name) and its \#(extensions) Call Directory extensions. `tuist generate` makes \#(name).xcodeproj of it.

    import ProjectDescription

    let name = "\#(name)"
    let bundleIdentifier = "\#(bundleIdentifier)"
    let extensionCount = \#(extensions)

    let settings: SettingsDictionary = [
      "SWIFT_VERSION": "6.0",
      "MARKETING_VERSION": "1.0",
      "CURRENT_PROJECT_VERSION": "1",
      "DEVELOPMENT_TEAM": "",  // yours
    ]

    /// What the sources import of the package, the app's as well as the extensions'.
    let products: [TargetDependency] = [\#(tuistProducts)]

    func padded(_ number: Int, to width: Int) -> String {
      String(repeating: "0", count: max(0, width - "\(number)".count)) + "\(number)"
    }

    /// One source, as many extensions as there are shards.
    func directory(_ index: Int) -> Target {
      .target(
        name: "\(name)Directory\(index)",
        destinations: [.iPhone],
        product: .appExtension,
        bundleId: "\(bundleIdentifier).directory\(index)",
        deploymentTargets: .iOS("\#(Self.deploymentTarget)"),
        infoPlist: .file(path: "Support/Directory-Info.plist"),
        sources: ["Extension/**", "Shared/**"],
        resources: ["\#(Self.storesFolder)/\(padded(index, to: 4))-*.cdstore"],
        entitlements: .file(path: "Support/AppGroup.entitlements"),
        dependencies: products,
        settings: .settings(
          base: [
            "DIRECTORY_TITLE": "\(name) \(padded(index, to: "\(extensionCount)".count))",
            "APPLICATION_EXTENSION_API_ONLY": "YES",
          ])
      )
    }

    let app = Target.target(
      name: name,
      destinations: [.iPhone],
      product: .app,
      bundleId: bundleIdentifier,
      deploymentTargets: .iOS("\#(Self.deploymentTarget)"),
      infoPlist: .file(path: "Support/App-Info.plist"),
      sources: ["App/**", "Shared/**"],
      entitlements: .file(path: "Support/AppGroup.entitlements"),
      dependencies: (1...extensionCount).map { .target(name: "\(name)Directory\($0)") } + products
    )

    let project = Project(
      name: name,
      packages: [\#(tuistPackage)],
      settings: .settings(base: settings),
      targets: [app] + (1...extensionCount).map(directory)
    )

    """#
  }

  private var tuistProducts: String {
    ScaffoldSources.products.map { ".package(product: \"\($0)\")" }.joined(separator: ", ")
  }

  private var tuistPackage: String {
    package.contains("://")
      ? ".remote(url: \"\(package)\", requirement: .upToNextMajor(from: \"\(Self.packageVersion)\"))"
      : ".local(path: \"\(package)\")"
  }
}
