// A project's description for XcodeGen: project.yml.

extension XcodeProject {
  /// The text of project.yml.
  var xcodeGenText: String {
    var lines = ["# \(summary). `xcodegen generate` creates \(name).xcodeproj from it.", "name: \"\(name)\""]
    lines += [
      "options:", "  developmentLanguage: \(ProjectPlan.languages[0])", "  deploymentTarget:",
      "    iOS: \"\(deploymentTarget)\"", "  groupSortPosition: top",
    ]
    lines.append("  # Without this, Xcode makes a scheme for every extension.")
    let settingsFile = "Support/\(Self.workspaceSettingsName)"
    lines.append("  postGenCommand: mkdir -p \(workspaceFolder) && cp \(settingsFile) \(workspaceFolder)/")
    lines += xcodeGenPackage + ["settings:", "  base:"]
    lines += Self.settings.map { "    " + Self.line($0.0, $0.1) }
    let templates = extensions.filter { !$0.copies.isEmpty }
    if !templates.isEmpty { lines.append("targetTemplates:") }
    for target in templates {
      lines += indented(
        ["\(target.templateName):  # the extensions share their sources"]
          + indented(definition(target), by: 2), by: 2)
    }
    lines += ["targets:"] + indented(([app] + extensions).flatMap(targetLines), by: 2)
    lines += ["schemes:", "  \"\(name)\":", "    build:", "      targets: { \"\(name)\": all }", ""]
    return lines.joined(separator: "\n")
  }

  private var xcodeGenPackage: [String] {
    guard let package else { return [] }
    return ["packages:", "  cdpipe:"]
      + (packageIsRemote
        ? ["    url: \"\(package)\"", "    from: \"\(Self.packageVersion)\""] : ["    path: \"\(package)\""])
  }

  /// A build setting as a line. The user's are marked.
  private static func line(_ name: String, _ value: String) -> String {
    "\(name): \"\(value)\"" + (value.isEmpty ? "  # yours" : "")
  }

  private func targetLines(_ target: XcodeTarget) -> [String] {
    guard !target.copies.isEmpty else { return ["\"\(target.name)\":"] + indented(definition(target), by: 2) }
    return zip(target.expanded, target.copies).flatMap { copy, variables in
      [
        "\(copy.name):",
        "  templates: [\(target.templateName)]",
        "  templateAttributes: { "
          + variables.map { "\($0.name): \"\($0.value)\"" }.joined(separator: ", ") + " }",
      ]
    }
  }

  private func definition(_ target: XcodeTarget) -> [String] {
    let settings =
      [
        ("INFOPLIST_FILE", target.infoPlist), ("CODE_SIGN_ENTITLEMENTS", target.entitlements),
        ("PRODUCT_BUNDLE_IDENTIFIER", target.bundleIdentifier), ("TARGETED_DEVICE_FAMILY", Self.deviceFamily),
      ] + target.allSettings.map { ($0.name, $0.value) }
    var lines = ["type: \(target.product.xcodeGenName)", "platform: iOS"]
    if target.resources.isEmpty {
      lines.append("sources: [\(target.sources.joined(separator: ", "))]")
    } else {
      lines += ["sources:"] + target.sources.map { "  - \($0)" }
    }
    for (folder, pattern) in target.resources {
      lines += ["  - path: \(folder)", "    includes: [\"\(pattern)\"]", "    buildPhase: resources"]
    }
    lines += ["settings:", "  base:"] + settings.map { "    " + Self.line($0.0, $0.1) }
    let embedded =
      target.product == .app ? extensions.flatMap(\.expanded).map { "  - target: \($0.name)" } : []
    let linked = target.products.flatMap { ["  - package: cdpipe", "    product: \($0)"] }
    return embedded.isEmpty && linked.isEmpty ? lines : lines + ["dependencies:"] + embedded + linked
  }
}

extension XcodeTarget {
  /// The name of the template for its copies: that of the folder with the sources.
  fileprivate var templateName: String { sources[0] }
}

extension XcodeProduct {
  /// XcodeGen's name, which also decides on the folder in the app.
  fileprivate var xcodeGenName: String {
    switch self {
    case .app: "application"
    case .appExtension: "app-extension"
    case .extensionKitExtension: "extensionkit-extension"
    }
  }
}
