// The README of a project.

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

extension ProjectPlan {
  /// The number of extensions that the 98,552,781 numbers of the large example need: one can load at most 1,999,999.
  private static let largeExampleExtensions = 50

  private var counted: String {
    "\(options.extensions) Call Directory \(options.extensions == 1 ? "extension" : "extensions")"
  }
  private var shards: String { "\(options.extensions) \(options.extensions == 1 ? "shard" : "shards")" }

  private static let runningStep = """
    Run the app on a device, and enable the extensions in Settings, Apps, Phone, Call Blocking & Identification. The \
    simulator of Xcode can't receive calls.
    """
  private static let growing = """
    An extension can load fewer than 2,000,000 numbers. If there are more shards than extensions, add extensions: run \
    `cdpipe scaffold` with a larger `--extensions` and `--force`, and set your team again. Existing identifiers don't change.
    """

  var blockerReadme: PartReadme {
    // At most as many numbers as the extensions can load.
    let pattern =
      options.extensions < Self.largeExampleExtensions
      ? "'+82 70 1234 XXXX'" : "'+82 70 XXXX XXXX' --exclude '*000*'"
    return PartReadme(
      summary: """
        An app for iOS with \(counted), made by `cdpipe scaffold`. All extensions share one source file; each finds its shard \
        by the number in its bundle identifier.
        """,
      folders: [
        ("App", "the app: a switch, the state of the extensions, and a lookup"),
        ("Extension", "the source that all extensions share"),
        ("Shared", "code for both: the app group, and which shard belongs to which extension"),
        ("Stores", "the shards"),
      ],
      heading: "Next steps",
      before: [
        """
        Put the stores into `Stores/`, if they aren't there yet: at most \(shards), written by `cdpipe`, for example:

               cdpipe generate \(pattern) \\
                 | cdpipe emit --format store --block '*' --shards \(options.extensions) -o Stores

        """
      ], after: [Self.runningStep], rest: Self.growing)
  }

  var callerReadme: PartReadme {
    let trust =
      options.listKeys.isEmpty
      ? """
      The app accepts unsigned lists: anyone who can change the files on the server decides whose calls are named and \
      blocked. To change that, make a key with `cdpipe keys generate`, and run `cdpipe scaffold` with `--list-key` and \
      `--force`.
      """
      : """
      The app accepts only lists that are signed with the private key of a public key under `ListKey` in \
      `Support/App-Info.plist`: `publish: { sign: KEYFILE }`. Keep a copy of the private key in a safe place.
      """
    let compression =
      options.listEncoding == .gzip
      ? " Compress all files except the manifest and its signature, beside the originals: `gzip -k`." : ""
    return PartReadme(
      summary: """
        An app for iOS with \(counted), made by `cdpipe scaffold --kind caller-id`. It downloads a list of callers every \
        night, checks it, and reloads the extensions whose shards have changed. All extensions share one source file; each \
        finds its shard by the number in its bundle identifier.
        """,
      folders: [
        ("App", "the app: its screen, the nightly update, and loading the extensions one after another"),
        ("Extension", "the source that all extensions share"),
        ("Shared", "code for both: the app group, and which files belong to which extension"),
        ("Stores", "the bootstrap store"),
      ],
      heading: "From the list to a call",
      before: [
        """
        Publish the list so that its `manifest.json` is at `\(options.listURL ?? "")`. A pipeline file for `cdpipe run`, \
        with your list and its country:

               sources: [{ path: list.csv, region: US }]
               emit: { format: store, shards: \(options.extensions), bootstrap: 10000 }
               publish: { directory: public\(options.listKeys.isEmpty ? "" : ", sign: KEYFILE") }

           `public/current` has the files of the newest version.\(compression)
        """, trust,
      ],
      after: [
        Self.runningStep,
        """
        Wait for a night, or start the update in Xcode's debugger: pause the app, and enter \
        `e -l objc -- (void)[[BGTaskScheduler sharedScheduler] _simulateLaunchForTaskWithIdentifier:\
        @"\(bundleIdentifier).update"]`.
        """,
      ],
      rest: """
        iOS decides when an app updates in the background: about once a day if its owner uses it. The app also updates \
        when it is opened and its list is older than a day.

        The list may have at most \(shards). \(Self.growing)
        """)
  }
}
