// A project's README: what the folders have, how to open the project, and the next steps of its parts.

extension ProjectPlan {
  func readmeText(_ parts: [ProjectPart]) -> String {
    let team = [openingStep, teamStep(parts)]
    var sections = ["# \(name)"]
    if parts.count == 1 {
      let readme = parts[0].readme
      sections += [readme.summary, table(readme.folders), readme.notes, "## \(readme.heading)"]
      let steps = readme.before + packageStep + team + readme.after + [iconStep]
      sections += [Self.numbered(steps), readme.rest]
    } else {
      sections += [
        """
        An app for iOS with \(Self.enumeration(parts.map(\.articledText))), made by `cdpipe scaffold --kind all`. Each part \
        has a tab.
        """, table(folders(parts)), "## Next steps",
        Self.numbered(packageStep + team + ["Follow the steps of each part below.", iconStep]),
      ]
      for part in parts { sections += self.sections(part) }
    }
    return sections.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  /// The sections about one part of an app with several.
  private func sections(_ part: ProjectPart) -> [String] {
    let readme = part.readme
    return [
      "## \(part.name): \(readme.heading.prefix(1).lowercased())\(readme.heading.dropFirst())", readme.notes,
      Self.numbered(readme.before + readme.after), readme.rest.replacing("## ", with: "### "),
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

  /// The table of the files and folders.
  private func table(_ folders: [(name: String, text: String)]) -> String {
    let described =
      switch manager {
      case .xcode: "| `\(name).xcodeproj` | the Xcode project; its folders show what is on the disk |"
      case .tuist: "| `Project.swift`, `Tuist.swift` | the description of the Xcode project |"
      case .xcodegen: "| `project.yml` | the description of the Xcode project |"
      }
    let rows = (folders + [("Support", "Info.plists and the entitlements")]).map { "| `\($0)/` | \($1) |" }
    return (["| | |", "|---|---|", described] + rows).joined(separator: "\n")
  }

  /// The step that checks the location of the package, and what the program reports if it is elsewhere.
  private var packageStep: [String] {
    let project = project
    if project.package == nil { return [] }
    let note =
      switch manager {
      case .xcode: " Otherwise Xcode reports `Missing package product`."
      case .xcodegen where !project.packageIsRemote:
        " Otherwise XcodeGen reports `Invalid local package \"cdpipe\"`."
      case .tuist, .xcodegen: ""
      }
    return ["Check that the package is at the path or URL in the project: `\(package)`.\(note)"]
  }

  /// The step that opens the project.
  private var openingStep: String {
    let opened = "\(name).\(manager.openedSuffix)"
    return switch manager {
    case .xcode: "Open \(opened) in Xcode 16 or later."
    case .tuist:
      "`tuist generate`, then open \(opened) in Xcode. Tuist 4.37 or later is required, because of `Tuist.swift`."
    case .xcodegen: "`xcodegen generate`, then open \(opened) in Xcode."
    }
  }

  /// The step that sets the team for all targets at once, and how many App IDs Apple registers for them.
  private func teamStep(_ parts: [ProjectPart]) -> String {
    let setting = "`DEVELOPMENT_TEAM`" + (manager == .xcode ? " in the build settings of the project" : "")
    let extensions = parts.flatMap { $0.target.expanded.map(\.bundleIdentifier).ends }
    let identifiers = (["`\(bundleIdentifier)`"] + extensions).joined(separator: ", ")
    return """
      Set your team (\(setting)), and let Xcode register the identifiers \(identifiers), and the app group \
      `\(appGroup)`. The app has \(1 + parts.map(\.count).reduce(0, +)) App IDs. A personal team, without a paid \
      membership, may register 10 in seven days.
      """
  }

  /// The step that adds the app's icon.
  private var iconStep: String {
    let again = manager.command.map { ", and run `\($0)` again" } ?? ""
    return
      "Add an asset catalog with the icon `AppIcon` to `App/`\(again). The App Store accepts no app without an icon."
  }
}

extension [String] {
  /// The first and the last of a series as a text, or the only one.
  fileprivate var ends: [String] {
    guard let first, let last else { return [] }
    return first == last ? ["`\(first)`"] : ["`\(first)` to `\(last)`"]
  }
}
