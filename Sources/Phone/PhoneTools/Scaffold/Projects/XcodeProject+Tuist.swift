// A project's description for Tuist: Project.swift. A function describes the copies of a target.

extension XcodeProject {
  /// The text of Project.swift.
  var tuistText: String {
    var lines = ["// \(summary). `tuist generate` creates \(name).xcodeproj from it.", ""]
    lines += ["import ProjectDescription", "", "let settings: SettingsDictionary = ["]
    for (name, value) in Self.settings {
      lines.append("  \"\(name)\": \"\(value)\"," + (value.isEmpty ? "  // yours" : ""))
    }
    lines += ["]", ""]
    for target in extensions where !target.copies.isEmpty { lines += tuistFunction(target) }
    lines +=
      ["let extensions: [Target] = ["] + indented(extensions.flatMap(tuistElements), by: 2) + ["]", ""]
    lines += Self.with(prefix: "let app = Target", tuistDefinition(app)) + [""]
    lines += ["let project = Project(", "  name: \"\(name)\","]
    // Otherwise Tuist makes a scheme for every extension.
    lines += ["  options: .options(", "    automaticSchemesOptions: .disabled,"]
    lines += ["    defaultKnownRegions: [\(Self.literals(ProjectPlan.languages + ["Base"]))],"]
    lines += ["    developmentRegion: \"\(ProjectPlan.languages[0])\"", "  ),"] + tuistPackage
    lines += ["  settings: .settings(base: settings),", "  targets: [app] + extensions,", "  schemes: ["]
    lines += [
      "    .scheme(", "      name: \"\(name)\",", "      buildAction: .buildAction(targets: [\"\(name)\"]),",
    ]
    lines += ["      runAction: .runAction(executable: \"\(name)\")", "    )", "  ]", ")", ""]
    return lines.joined(separator: "\n")
  }

  private var tuistPackage: [String] {
    guard let package else { return [] }
    let version = packageIsRemote ? ", from: \"\(Self.packageVersion)\"" : ""
    return ["  packages: [.package(\(packageIsRemote ? "url" : "path"): \"\(package)\"\(version))],"]
  }

  /// The function that creates a copy from the values of the variables.
  private func tuistFunction(_ target: XcodeTarget) -> [String] {
    let parameters = target.copies[0].map { "\($0.name): String" }.joined(separator: ", ")
    return ["/// The extensions share their sources, and differ in these values."] + [
      "func \(target.tuistFunction)(\(parameters)) -> Target {"
    ]
      + indented(tuistDefinition(target), by: 2) + ["}", ""]
  }

  /// The target, or its copies, as elements of an array.
  private func tuistElements(_ target: XcodeTarget) -> [String] {
    guard !target.copies.isEmpty else { return Self.with(suffix: ",", tuistDefinition(target)) }
    return target.copies.map { variables in
      let arguments = variables.map { "\($0.name): \"\($0.value)\"" }.joined(separator: ", ")
      return "\(target.tuistFunction)(\(arguments)),"
    }
  }

  private func tuistDefinition(_ target: XcodeTarget) -> [String] {
    let linked = "[" + target.products.map { ".package(product: \"\($0)\")" }.joined(separator: ", ") + "]"
    let settings = target.allSettings.map { "\(Self.literal($0.name)): \(Self.literal($0.value))" }
    var arguments = [
      "name: \(Self.literal(target.name))",
      "destinations: [.iPhone]",
      "product: .\(target.product.tuistName)",
      "bundleId: \(Self.literal(target.bundleIdentifier))",
      "deploymentTargets: .iOS(\"\(deploymentTarget)\")",
      "infoPlist: .file(path: \"\(target.infoPlist)\")",
      "sources: [\(Self.literals(target.sources.map { "\($0)/**" }))]",
    ]
    let resources = target.tuistResources
    if !resources.isEmpty { arguments.append("resources: [\(Self.literals(resources))]") }
    arguments.append("entitlements: .file(path: \"\(target.entitlements)\")")
    if target.product == .app {
      arguments.append("dependencies: extensions.map { TargetDependency.target(name: $0.name) }")
      if !target.products.isEmpty { arguments[arguments.count - 1] += "\n    + \(linked)" }
    } else if !target.products.isEmpty {
      arguments.append("dependencies: \(linked)")
    }
    if !settings.isEmpty {
      arguments.append("settings: .settings(base: [\(settings.joined(separator: ", "))])")
    }
    return [".target("] + indented(Self.with(separator: ",", arguments), by: 2) + [")"]
  }

  /// A text with variables as a Swift literal.
  private static func literal(_ text: String) -> String {
    "\"" + text.replacing("${", with: "\\(").replacing("}", with: ")") + "\""
  }

  private static func literals(_ texts: [String]) -> String { texts.map(literal).joined(separator: ", ") }

  private static func with(separator: String, _ lines: [String]) -> [String] {
    lines.dropLast().map { $0 + separator } + lines.suffix(1)
  }

  private static func with(prefix: String = "", suffix: String = "", _ lines: [String]) -> [String] {
    var lines = lines
    lines[0] = prefix + lines[0]
    lines[lines.count - 1] += suffix
    return lines
  }
}

extension XcodeTarget {
  /// The name of the function that creates a copy.
  fileprivate var tuistFunction: String {
    sources[0].prefix(1).lowercased() + sources[0].dropFirst() + "Target"
  }

  /// The patterns of resources. Tuist does not find catalogs and privacy manifests in the folders of sources.
  fileprivate var tuistResources: [String] {
    let catalogs = product == .app ? ["xcassets", "xcstrings"] : []
    return catalogs.map { "\(sources[0])/**/*.\($0)" } + ["\(sources[1])/**/*.xcprivacy"]
      + resources.map { "\($0.folder)/\($0.pattern)" }
  }
}

extension XcodeProduct {
  /// Tuist's name, which also decides on the folder in the app.
  fileprivate var tuistName: String {
    switch self {
    case .app: "app"
    case .appExtension: "appExtension"
    case .extensionKitExtension: "extensionKitExtension"
    }
  }
}
