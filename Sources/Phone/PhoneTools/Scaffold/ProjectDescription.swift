// The descriptions of a project for Tuist and XcodeGen.

extension ProjectPlan {
  /// The files that describe the project, and those that its program needs.
  func description(of project: XcodeProject) -> [ScaffoldFile] {
    switch manager {
    case .xcode: project.xcodeFiles
    case .xcodegen:
      [
        ScaffoldFile("project.yml", project.xcodeGenText),
        ScaffoldFile("Support/\(XcodeProject.workspaceSettingsName)", XcodeProject.workspaceSettings),
      ]
    case .tuist:
      [
        ScaffoldFile("Project.swift", project.tuistText),
        ScaffoldFile("Tuist.swift", Template("Tuist.swift.txt", [:]).text),
      ]
    }
  }

  /// The files to ignore in Git: those that the program generates, or Xcode's of one user.
  var ignoredFile: ScaffoldFile {
    let values = ["command": manager.command, "tuist": Template.flag(manager == .tuist)]
    return ScaffoldFile(".gitignore", Template("gitignore", values).text)
  }
}

extension XcodeProject {
  /// What the descriptions for both programs write about the project.
  private var values: [String: String?] {
    [
      "name": name, "summary": summary, "language": ProjectPlan.languages[0], "package": package,
      "isRemote": Template.flag(packageIsRemote), "packageVersion": Self.packageVersion, "tests": tests.name,
      "config": Self.configName,
    ]
  }

  var tuistText: String {
    var values = values
    values["settings"] = Self.settings.map { name, value in
      "\"\(name)\": \"\(value)\","
    }.joined(separator: "\n")
    let functions = extensions.filter { !$0.copies.isEmpty }.flatMap(tuistFunction)
    values["functions"] = functions.isEmpty ? .some(nil) : functions.joined(separator: "\n")
    values["extensions"] = extensions.flatMap(tuistElements).joined(separator: "\n")
    values["app"] = tuistDefinition(app).joined(separator: "\n")
    values["testsTarget"] = tuistDefinition(tests).joined(separator: "\n")
    values["regions"] = Self.literals(ProjectPlan.languages + ["Base"])
    return Template("Project.swift.txt", values).text
  }

  /// The function that creates a copy from the values of the variables.
  private func tuistFunction(_ target: XcodeTarget) -> [String] {
    let parameters = target.copies[0].map { "\($0.name): String" }.joined(separator: ", ")
    return ["/// The extensions share their sources, and differ in these values."] + [
      "func \(target.tuistFunction)(\(parameters)) -> Target {"
    ]
      + indented(tuistDefinition(target), by: 2) + ["}", ""]
  }

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
      "product: .\(target.product)",
      "bundleId: \(Self.literal(target.bundleIdentifier))",
      "deploymentTargets: .iOS(\"\(deploymentTarget)\")",
      "infoPlist: \(target.infoPlist.isEmpty ? "nil" : ".file(path: \"\(target.infoPlist)\")")",
      "sources: [\(Self.literals(target.sources.map { "\($0)/**" }))]",
    ]
    let resources = target.tuistResources
    if !resources.isEmpty { arguments.append("resources: [\(Self.literals(resources))]") }
    if !target.entitlements.isEmpty {
      arguments.append("entitlements: .file(path: \"\(target.entitlements)\")")
    }
    switch target.product {
    case .app:
      arguments.append("dependencies: extensions.map { TargetDependency.target(name: $0.name) }")
      if !target.products.isEmpty { arguments[arguments.count - 1] += "\n    + \(linked)" }
    case .unitTests: arguments.append("dependencies: [.target(name: \(Self.literal(name)))]")
    case .appExtension, .extensionKitExtension:
      if !target.products.isEmpty { arguments.append("dependencies: \(linked)") }
    }
    if !settings.isEmpty {
      arguments.append("settings: .settings(base: [\(settings.joined(separator: ", "))])")
    }
    return [".target("] + indented(Self.with(separator: ",", arguments), by: 2) + [")"]
  }

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
    if product == .unitTests { return [] }
    let catalogs = product == .app ? ["xcassets", "xcstrings"] : []
    return catalogs.map { "\(sources[0])/**/*.\($0)" } + ["\(sources[1])/**/*.xcprivacy"]
      + resources.map { "\($0.folder)/\($0.pattern)" }
  }
}

extension XcodeProject {
  var xcodeGenText: String {
    let templates = extensions.filter { !$0.copies.isEmpty }.flatMap { target in
      ["\(target.templateName):  # the extensions share their sources"] + indented(definition(target), by: 2)
    }
    var values = values
    values["deploymentTarget"] = deploymentTarget
    values["xcodeVersion"] = "\(Self.xcodeVersion.major).\(Self.xcodeVersion.minor)"
    values["workspaceFolder"] = workspaceFolder
    values["workspaceSettings"] = "Support/\(Self.workspaceSettingsName)"
    values["settings"] = Self.settings.map { Self.line($0.0, $0.1) }.joined(separator: "\n")
    values["templates"] = templates.isEmpty ? .some(nil) : templates.joined(separator: "\n")
    values["targets"] = ([app] + extensions + [tests]).flatMap(targetLines).joined(separator: "\n")
    return Template("project.yml", values).text
  }

  private static func line(_ name: String, _ value: String) -> String { "\(name): \"\(value)\"" }

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
      ].filter { !$0.1.isEmpty } + target.allSettings.map { ($0.name, $0.value) }
    var lines = ["type: \(target.product.rawValue)", "platform: iOS"]
    if target.resources.isEmpty {
      lines.append("sources: [\(target.sources.joined(separator: ", "))]")
    } else {
      lines += ["sources:"] + target.sources.map { "  - \($0)" }
    }
    for (folder, pattern) in target.resources {
      lines += ["  - path: \(folder)", "    includes: [\"\(pattern)\"]", "    buildPhase: resources"]
    }
    lines += ["settings:", "  base:"] + settings.map { "    " + Self.line($0.0, $0.1) }
    let needed =
      switch target.product {
      case .app: extensions.flatMap(\.expanded).map(\.name)
      case .unitTests: ["\"\(name)\""]
      case .appExtension, .extensionKitExtension: [String]()
      }
    let embedded = needed.map { "  - target: \($0)" }
    let linked = target.products.flatMap { ["  - package: cdpipe", "    product: \($0)"] }
    return embedded.isEmpty && linked.isEmpty ? lines : lines + ["dependencies:"] + embedded + linked
  }
}

extension XcodeTarget {
  /// The name of the template for its copies: that of the folder with the sources.
  fileprivate var templateName: String { sources[0] }
}
