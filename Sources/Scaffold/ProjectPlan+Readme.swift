// What the READMEs of all kinds of projects say alike: how to open the project, and what Apple asks for.

extension ProjectPlan {
  /// The row of the table of files that names the project, or its description.
  var projectRow: String {
    switch manager {
    case .xcode: "| `\(name).xcodeproj` | the Xcode project; its folders show what is on the disk |"
    case .tuist: "| `Project.swift`, `Tuist.swift` | the description of the Xcode project |"
    case .xcodegen: "| `project.yml` | the description of the Xcode project |"
    }
  }

  /// The step that opens the project.
  var openingStep: String {
    let opened = "\(name).\(manager.openedSuffix)"
    return switch manager {
    case .xcode: "Open \(opened) in Xcode 16 or later."
    case .tuist:
      "`tuist generate`, then open \(opened) in Xcode. Tuist 4.37 or later is required, because of `Tuist.swift`."
    case .xcodegen: "`xcodegen generate`, then open \(opened) in Xcode."
    }
  }

  /// How many App IDs Apple registers for the targets.
  func identifiersNote(extensions: Int) -> String {
    "The app has \(extensions + 1) App IDs. A personal team, without a paid membership, may register 10 in seven days."
  }

  /// Where the team is set for all targets at once.
  var teamSetting: String {
    "`DEVELOPMENT_TEAM`" + (manager == .xcode ? " in the build settings of the project" : "")
  }

  /// The step that adds the app's icon.
  var iconNote: String {
    let again = manager.command.map { ", and run `\($0)` again" } ?? ""
    return
      "Add an asset catalog with the icon `AppIcon` to `App/`\(again). The App Store accepts no app without an icon."
  }
}
