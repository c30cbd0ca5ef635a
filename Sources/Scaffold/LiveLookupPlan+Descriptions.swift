// The descriptions of a lookup app for XcodeGen and Tuist. The extension is an ExtensionKit extension: both programs
// embed it in the app's folder Extensions, not in PlugIns, because of its type.

extension LiveLookupPlan {
  /// The text of project.yml.
  var xcodeGenText: String {
    """
    # \(name) and its Live Caller ID Lookup extension. `xcodegen generate` creates \(name).xcodeproj from it.
    name: "\(name)"
    options:
      deploymentTarget:
        iOS: "\(Self.deploymentTarget)"
      groupSortPosition: top
    settings:
      base:
        SWIFT_VERSION: "6.0"
        MARKETING_VERSION: "1.0"
        CURRENT_PROJECT_VERSION: "1"
        CODE_SIGN_ENTITLEMENTS: Support/AppGroup.entitlements
        GENERATE_INFOPLIST_FILE: "NO"
        DEVELOPMENT_TEAM: ""             # yours
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
          - target: \(extensionTarget)
      \(extensionTarget):
        type: extensionkit-extension     # embedded in the app's folder Extensions
        platform: iOS
        sources: [Extension, Shared]
        settings:
          base:
            INFOPLIST_FILE: Support/Lookup-Info.plist
            PRODUCT_BUNDLE_IDENTIFIER: "\(extensionIdentifier)"
            TARGETED_DEVICE_FAMILY: "1"
            APPLICATION_EXTENSION_API_ONLY: "YES"

    """
  }

  /// The text of Project.swift.
  var tuistText: String {
    """
    // \(name) and its Live Caller ID Lookup extension. `tuist generate` creates \(name).xcodeproj from it.

    import ProjectDescription

    let settings: SettingsDictionary = [
      "SWIFT_VERSION": "6.0",
      "MARKETING_VERSION": "1.0",
      "CURRENT_PROJECT_VERSION": "1",
      "DEVELOPMENT_TEAM": "",  // yours
    ]

    let app = Target.target(
      name: "\(name)",
      destinations: [.iPhone],
      product: .app,
      bundleId: "\(bundleIdentifier)",
      deploymentTargets: .iOS("\(Self.deploymentTarget)"),
      infoPlist: .file(path: "Support/App-Info.plist"),
      sources: ["App/**", "Shared/**"],
      entitlements: .file(path: "Support/AppGroup.entitlements"),
      dependencies: [.target(name: "\(extensionTarget)")]
    )

    /// Embedded in the app's folder Extensions.
    let lookup = Target.target(
      name: "\(extensionTarget)",
      destinations: [.iPhone],
      product: .extensionKitExtension,
      bundleId: "\(extensionIdentifier)",
      deploymentTargets: .iOS("\(Self.deploymentTarget)"),
      infoPlist: .file(path: "Support/Lookup-Info.plist"),
      sources: ["Extension/**", "Shared/**"],
      entitlements: .file(path: "Support/AppGroup.entitlements"),
      settings: .settings(base: ["APPLICATION_EXTENSION_API_ONLY": "YES"])
    )

    let project = Project(
      name: "\(name)",
      settings: .settings(base: settings),
      targets: [app, lookup]
    )

    """
  }
}
