// The parts that an app consists of: each has sample sources, extensions, and what they need in the project.
//
// Not for which kind of project has which parts (ProjectKind) or a part's own values (Parts/).

/// A part of an app: what it does for its user, with extensions of one sort. All kinds of projects are made of these.
struct ProjectPart {
  /// A short name, the prefix of the part's own folders in an app with several parts.
  let name: String
  /// The sources, by their paths in a project with only this part.
  let sources: [ScaffoldFile]
  /// The minimum iOS version.
  let version: Int
  /// The part's extensions; the project adds their sources, products and entitlements.
  let target: XcodeTarget
  /// What the extensions are, such as `Call Directory extension`.
  let targetName: String
  /// The name of the extensions in Settings.
  let title: String
  /// The other keys of the extensions' Info.plist.
  let infoPlist: [(String, PropertyValue)]
  /// Whether the app's sources have a task for updates at night.
  var hasNightlyUpdate = false
  /// The keys of the app's Info.plist.
  var appKeys: [(String, PropertyValue)] = []
  /// Folders whose files are resources of the app, and the pattern of their names in each.
  var appResources: [(folder: String, pattern: String)] = []
  /// The domains with which the app and the extensions are associated.
  var domains: [String] = []
  /// Further files of the project.
  var files: [ScaffoldFile] = []
  /// The texts for the project's README.
  let readme: PartReadme

  /// The number of extensions.
  var count: Int { max(1, target.copies.count) }
  /// What the extensions are, in the plural if there are several.
  var pluralName: String { count == 1 ? targetName : "\(targetName)s" }
  /// What the extensions are, with an article or their number.
  var articledText: String { count == 1 ? "a \(targetName)" : targetText }
  /// What the extensions are, with their number if there are several.
  var targetText: String { count == 1 ? targetName : "\(count) \(pluralName)" }
}

/// The texts about a part of the app for a project's README.
struct PartReadme {
  /// What the app is, for an app with only this part.
  let summary: String
  /// What the folders contain.
  let folders: [(name: String, text: String)]
  /// Paragraphs after the table of folders.
  var notes = ""
  /// The heading of the steps.
  let heading: String
  /// The steps before the project is opened.
  let before: [String]
  /// The steps after the team is set.
  let after: [String]
  /// Text after the steps.
  let rest: String
}
