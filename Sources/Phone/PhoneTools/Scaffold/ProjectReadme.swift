// The README of a project.

extension ProjectPlan {
  func readmeText(_ parts: [ProjectPart]) -> String {
    let project = project
    let extensions = parts.flatMap { ($0.target?.expanded.map(\.bundleIdentifier) ?? []).ends }
    let identifiers = Self.enumeration(["`\(bundleIdentifier)`"] + extensions)
    let count = 1 + parts.map(\.count).reduce(0, +)
    let isExample = bundleIdentifier.lowercased().hasPrefix("com.example.")
    let template = Template(
      "project.md",
      [
        "name": name, "parts": Self.enumeration(parts.map(\.articledText)),
        "registered": count == 1
          ? "the identifier \(identifiers)"
          : "the identifiers \(identifiers), and the app group `\(appGroup)`",
        "xcode": Template.flag(manager == .xcode), "tuist": Template.flag(manager == .tuist),
        "xcodegen": Template.flag(manager == .xcodegen),
        "package": project.package, "isRemote": Template.flag(project.packageIsRemote),
        "count": count == 1 ? "1 App ID" : "\(count) App IDs",
        "isFree": Template.flag(count <= Self.freeIdentifiersMax), "config": XcodeProject.configName,
        "identifier": isExample ? bundleIdentifier : nil,
        "command": command.isEmpty ? nil : command.joined(separator: " \\\n  "),
        "xcodeVersion": "\(XcodeProject.xcodeVersion.major).\(XcodeProject.xcodeVersion.minor)",
      ])
    let (steps, icon) = (template.sections("step"), template.sections("icon"))
    var sections = ["# \(name)"]
    if parts.count == 1 {
      let readme = parts[0].readme
      sections += [readme["summary"], table(template, readme.folders), readme["notes"]]
      sections.append("## \(readme["heading"])")
      let own = (readme.sections("before"), readme.sections("after"))
      sections += [Self.numbered(own.0 + steps + own.1 + icon), readme["rest"]]
    } else {
      sections += [template["summary"], table(template, folders(parts)), "## Next steps"]
      sections.append(Self.numbered(steps + template.sections("steps of the parts") + icon))
      for part in parts { sections += self.sections(part) }
    }
    sections.append(template["again"])
    return sections.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  /// The number of identifiers that a team without a paid membership may register in seven days.
  private static let freeIdentifiersMax = 10

  /// The sections about one part of an app with several.
  private func sections(_ part: ProjectPart) -> [String] {
    let readme = part.readme
    return [
      "## \(part.name): \(readme["heading"].prefix(1).lowercased())\(readme["heading"].dropFirst())",
      readme["notes"], Self.numbered(readme.sections("before") + readme.sections("after")),
      readme["rest"].replacing("## ", with: "### "),
    ]
  }

  /// The folders of an app with several parts: those of the extensions begin with the name of a part.
  private func folders(_ parts: [ProjectPart]) -> [(name: String, text: String)] {
    var folders = [
      ("App", "the app: a tab for each part"), ("Shared", "code for all targets: the app group"),
    ]
    for part in parts {
      folders += part.readme.folders.filter { $0.name != "App" }.map { name, text in
        switch name {
        case "Extension":
          (
            part.name + name,
            text.replacing(
              "that all extensions share",
              with: part.count == 1 ? "of the \(part.targetName)" : "that all \(part.pluralName) share")
          )
        case "Shared":
          (
            part.name + name,
            text.replacing("both: the app group, and", with: "the app and its \(part.pluralName):")
              .replacing(" in it", with: " in the app group")
          )
        default: (name, text)
        }
      }
    }
    return folders
  }

  private static func numbered(_ steps: [String]) -> String {
    zip(1..., steps).map { "\($0). \($1)" }.joined(separator: "\n")
  }

  private func table(_ template: Template, _ folders: [(name: String, text: String)]) -> String {
    let own = [
      ("Support", "Info.plists and the entitlements"),
      (Self.tests, "tests of the app: Product › Test in Xcode"),
    ]
    let rows = (folders + own).map { "| `\($0)/` | \($1) |" }
    return (["| | |", "|---|---|", template["description"]] + rows).joined(separator: "\n")
  }
}

extension Template {
  /// The project's folders: each line is `NAME: TEXT`.
  fileprivate var folders: [(name: String, text: String)] {
    self["folders"].split(separator: "\n").map { line in
      let name = line.prefix { $0 != ":" }
      return (String(name), String(line.dropFirst(name.count + 2)))
    }
  }
}

extension [String] {
  /// The first and the last of a series as a text, or the only one.
  fileprivate var ends: [String] {
    guard let first, let last else { return [] }
    if count <= 2 { return map { "`\($0)`" } }
    return ["`\(first)` to `\(last)`"]
  }
}
