// A blocker's description for Tuist: Swift, so one function describes all extensions.

extension BlockerPlan {
  /// The minimum iOS version: since 17, SwiftUI passes both values to a change handler.
  static let deploymentTarget = "17.0"
  /// The minimum version of the package if it is referenced by URL.
  static let packageVersion = "0.1.0"

  /// The text of Project.swift.
  var tuistText: String {
    #"""
    // \#(name) and its \#(extensions) Call Directory extensions. `tuist generate` creates \#(name).xcodeproj from it.

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

    /// The package's products that the app and the extensions import.
    let products: [TargetDependency] = [\#(tuistProducts)]

    func padded(_ number: Int, to width: Int) -> String {
      String(repeating: "0", count: max(0, width - "\(number)".count)) + "\(number)"
    }

    /// All extensions share one source; there is one extension per shard.
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
