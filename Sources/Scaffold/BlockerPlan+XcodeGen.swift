// A blocker's description for XcodeGen.

extension BlockerPlan {
  /// The text of project.yml.
  var xcodeGenText: String {
    """
    # \(name) and its \(extensions) Call Directory extensions. `xcodegen generate` creates \(name).xcodeproj from it.
    name: "\(name)"
    options:
      deploymentTarget:
        iOS: "\(Self.deploymentTarget)"
      groupSortPosition: top
    packages:
      cdpipe:
    \(xcodeGenPackage)
    settings:
      base:
        SWIFT_VERSION: "6.0"
        MARKETING_VERSION: "1.0"
        CURRENT_PROJECT_VERSION: "1"
        CODE_SIGN_ENTITLEMENTS: Support/AppGroup.entitlements
        GENERATE_INFOPLIST_FILE: "NO"
        DEVELOPMENT_TEAM: ""             # yours
    targetTemplates:
      Directory:                         # all extensions share one source; there is one per shard
        type: app-extension
        platform: iOS
        sources:
          - Extension
          - Shared
          - path: \(Self.storesFolder)
            includes: ["${shard}-*.cdstore"]
            buildPhase: resources
        settings:
          base:
            INFOPLIST_FILE: Support/Directory-Info.plist
            PRODUCT_BUNDLE_IDENTIFIER: "\(bundleIdentifier).directory${index}"
            DIRECTORY_TITLE: "\(name) ${title}"
            APPLICATION_EXTENSION_API_ONLY: "YES"
        dependencies:
    \(dependencies(indent: "      "))
    targets:
      "\(name)":
        type: application
        platform: iOS
        sources: [App, Shared]
        settings:
          base:
            INFOPLIST_FILE: Support/App-Info.plist
            PRODUCT_BUNDLE_IDENTIFIER: "\(bundleIdentifier)"
            TARGETED_DEVICE_FAMILY: "1"
        dependencies:
    \((1...extensions).map { "      - target: \(target(ofExtension: $0))" }.joined(separator: "\n"))
    \(dependencies(indent: "      "))
    \((1...extensions).map(xcodeGenTarget).joined(separator: "\n"))

    """
  }

  private var xcodeGenPackage: String {
    package.contains("://")
      ? "    url: \"\(package)\"\n    from: \"\(Self.packageVersion)\"" : "    path: \"\(package)\""
  }

  private func dependencies(indent: String) -> String {
    ScaffoldSources.products.map { "\(indent)- package: cdpipe\n\(indent)  product: \($0)" }
      .joined(separator: "\n")
  }

  private func xcodeGenTarget(_ index: Int) -> String {
    """
      \(target(ofExtension: index)):
        templates: [Directory]
        templateAttributes: { index: "\(index)", shard: "\(Self.shard(index))", title: "\(position(ofExtension: index))" }
    """
  }
}
