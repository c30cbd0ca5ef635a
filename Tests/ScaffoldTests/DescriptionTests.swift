// The three forms of a project, each read by something that is not ours or that does not share code with its writer: the
// .xcodeproj by read_xcodeproj.py, project.yml by the YAML parser, Project.swift by the Swift compiler. All must describe
// the same project.
//
// Each reader's result is a list of lines. The first has the project's name, its package, its schemes, the settings of all
// targets, the languages, the development language and the file with the user's settings. Each other line is a target: name, product, bundle identifier,
// iOS version, device family, Info.plist, entitlements, folders, patterns of further resources, linked products, what the
// app embeds and where, own settings, and its string catalogs and privacy manifests.

import Foundation
import Testing

@testable import PhoneTools

/// A project to be described in all forms.
struct DescribedProject: CustomTestStringConvertible, Sendable {
  let kind: ProjectKind
  /// The number of Call Directory extensions.
  var extensions = 1
  var package = "../cdpipe"
  var hasOwnList = false
  var testDescription: String { "\(kind.rawValue), \(extensions), \(package), \(hasOwnList)" }

  /// The number of targets: the app, its extensions of all sorts, and its tests.
  var targets: Int {
    kind.parts.reduce(hasOwnList ? 3 : 2) { sum, part in
      switch part {
      case .blocker, .areaCodes, .callerID: sum + extensions
      case .messageFilter, .liveLookup, .all: sum + 1
      case .voIP: sum
      }
    }
  }

  func plan(_ manager: ProjectManager) throws -> ProjectPlan {
    var options = ProjectOptions.complete(extensions: extensions)
    options.hasOwnList = hasOwnList
    return try ProjectPlan(
      kind, name: "Block070", bundleIdentifier: "com.example.block070", manager: manager, package: package,
      options: options)
  }

  /// Every kind, with as few extensions as it can have, with some, and with as many as the largest known app.
  static let all =
    ProjectKind.allCases.flatMap { kind in
      counts(kind).map { DescribedProject(kind: kind, extensions: $0) }
    }
    + [.callerID, .all].flatMap { kind in
      counts(kind).map { DescribedProject(kind: kind, extensions: $0, hasOwnList: true) }
    } + [DescribedProject(kind: .blocker, extensions: 2, package: "https://example.org/cdpipe.git")]

  private static func counts(_ kind: ProjectKind) -> [Int] {
    switch kind {
    case .blocker, .callerID, .all: [1, 6, 51]
    // A multiple of six.
    case .areaCodes: [6, 54]
    // Without Call Directory extensions.
    case .messageFilter, .liveLookup, .voIP: [1]
    }
  }

  static func blocker(_ extensions: Int) -> DescribedProject {
    DescribedProject(kind: .blocker, extensions: extensions)
  }
}

extension Tree {
  /// What XcodeGen makes of a description, in the form of the other readers. Checks what has no place in the lines.
  static func xcodeGenLines(_ plan: ProjectPlan) throws -> [String] {
    let tree = try Tree(xcodeGen: plan)
    let name = try #require(tree["name"]?.text)
    let base = try #require(tree["settings"]?["base"]).settings
    let place = tree["packages"]?["cdpipe"]
    let package =
      if let path = place?["path"]?.text {
        "path \(path)"
      } else if let url = place?["url"]?.text {
        "url \(url) from \(place?["from"]?.text ?? "")"
      } else {
        "none"
      }
    let schemes = tree["schemes"]?.keys ?? []
    for scheme in schemes {
      #expect(tree["schemes"]?[scheme]?["build"]?["targets"]?.keys == [scheme])
      #expect(tree["schemes"]?[scheme]?["test"]?["targets"]?.list?.map(\.text) == [scheme + "Tests"])
    }
    let shared = base.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    // XcodeGen finds the languages in the catalogs.
    let development = tree["options"]?["developmentLanguage"]?.text ?? ""
    let regions = Set(try plan.catalogs.flatMap(\.languages) + [development, "Base"])
    var lines: [[String]] = [
      [
        name, package, schemes.joined(separator: " "), shared.joined(separator: " "),
        regions.sorted().joined(separator: " "), development, tree["configFiles"]?["Release"]?.text ?? "",
      ]
    ]
    #expect(tree["configFiles"]?["Debug"]?.text == tree["configFiles"]?["Release"]?.text)
    let targets = try (tree["targets"]?.keys ?? []).map { try ($0, target($0, of: tree)) }
    for (name, target) in targets {
      let line = try line(name, target, targets: Dictionary(uniqueKeysWithValues: targets), of: tree)
      // XcodeGen makes resources of the catalogs in the folders of sources.
      let catalogs = plan.files.compactMap(\.catalog).filter { catalog in
        line[7].split(separator: " ").contains { catalog.hasPrefix($0 + "/") }
      }
      lines.append(line + [catalogs.joined(separator: " ")])
    }
    return lines.map { $0.joined(separator: "|") }
  }

  /// The values of a mapping of texts.
  private var settings: [String: String] {
    Dictionary(uniqueKeysWithValues: (keys ?? []).map { ($0, self[$0]?.text ?? "") })
  }

  /// A target, or the template with the target's values.
  private static func target(_ name: String, of tree: Tree) throws -> Tree {
    let target = try #require(tree["targets"]?[name])
    guard let templates = target["templates"]?.list else { return target }
    #expect(templates.count == 1 && target.keys == ["templateAttributes", "templates"])
    let values = try #require(target["templateAttributes"]).settings
    return try #require(tree["targetTemplates"]?[templates[0].text ?? ""]).filled(values)
  }

  private func filled(_ values: [String: String]) -> Tree {
    switch self {
    case .text(let text):
      .text(values.reduce(text) { $0.replacingOccurrences(of: "${\($1.key)}", with: $1.value) })
    case .list(let list): .list(list.map { $0.filled(values) })
    case .keys(let keys): .keys(keys.mapValues { $0.filled(values) })
    }
  }

  private static func line(
    _ name: String, _ target: Tree, targets: [String: Tree], of tree: Tree
  ) throws -> [String] {
    let products = [
      "application": "app", "app-extension": "appExtension",
      "extensionkit-extension": "extensionKitExtension", "bundle.unit-test": "unitTests",
    ]
    #expect(target["platform"]?.text == "iOS")
    var own = try #require(target["settings"]?["base"]).settings
    let sources = target["sources"]?.list ?? []
    let resources = sources.filter { $0["path"] != nil }.compactMap { source in
      source["buildPhase"]?.text == "resources"
        ? "\(source["path"]?.text ?? "")/\(source["includes"]?.list?.first?.text ?? "")" : nil
    }
    let embedded = try (target["dependencies"]?.list ?? []).compactMap { $0["target"]?.text }.map { name in
      let type = try #require(targets[name]?["type"]?.text)
      let places = ["application": "Host/", "extensionkit-extension": "Extensions/"]
      return (places[type] ?? "PlugIns/") + name
    }
    let linked = (target["dependencies"]?.list ?? []).compactMap { $0["product"]?.text }
    return [
      name, products[target["type"]?.text ?? ""] ?? "",
      own.removeValue(forKey: "PRODUCT_BUNDLE_IDENTIFIER") ?? "",
      tree["options"]?["deploymentTarget"]?["iOS"]?.text ?? "",
      own.removeValue(forKey: "TARGETED_DEVICE_FAMILY") ?? "1,2",
      own.removeValue(forKey: "INFOPLIST_FILE") ?? "",
      own.removeValue(forKey: "CODE_SIGN_ENTITLEMENTS") ?? "",
      sources.compactMap(\.text).joined(separator: " "), resources.joined(separator: " "),
      linked.joined(separator: " "), embedded.joined(separator: " "),
      own.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " "),
    ]
  }
}

@Suite("Scaffold: three forms of one project")
struct DescriptionTests {
  @Test("XcodeGen's description has the targets that the plan has", arguments: DescribedProject.all)
  func xcodeGen(project: DescribedProject) throws {
    let lines = try Tree.xcodeGenLines(try project.plan(.xcodegen)).map { $0.split(separator: "|") }
    #expect(lines.count == 1 + project.targets)
    let identifiers = lines.dropFirst().map { String($0[2]) }
    #expect(Set(identifiers).count == identifiers.count)
    #expect(identifiers.allSatisfy { $0 == identifiers[0] || $0.hasPrefix(identifiers[0] + ".") })
  }

  #if os(Linux)
    /// The folder with the programs that read descriptions.
    private static let programs = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("Programs").path

    /// Builds the stand-in for Tuist's module in a folder.
    private static func buildTuist(in folder: URL) throws {
      let built = try run(
        "swiftc",
        [
          "-swift-version", "5", "-parse-as-library", "-emit-library", "-emit-module", "-module-name",
          "ProjectDescription", programs + "/ProjectDescription.swift", "-o",
          folder.path + "/libProjectDescription.so",
        ])
      try #require(built.status == 0, "\(built.output)")
    }

    /// Compiles a manifest with warnings as errors.
    private static func compile(_ manifest: String, in folder: URL) throws -> (status: Int32, output: String)
    {
      try run(
        "swiftc",
        [
          "-swift-version", "5", "-warnings-as-errors", manifest, "-I", folder.path, "-L", folder.path,
          "-lProjectDescription", "-Xlinker", "-rpath", "-Xlinker", folder.path, "-o",
          folder.path + "/program",
        ])
    }

    @Test("all forms describe the same project")
    func agreement() throws {
      let folder = try ProjectsFolder()
      try Self.buildTuist(in: folder.url)
      try DescribedProject(kind: .liveLookup).plan(.tuist).write(to: folder.url)
      let root = try Self.compile(folder.url.path + "/Tuist.swift", in: folder.url)
      #expect(root.status == 0, "\(root.output)")
      for (index, project) in DescribedProject.all.enumerated() {
        let place = { (manager: ProjectManager) in folder.url.appendingPathComponent("\(manager)\(index)") }
        for manager in ProjectManager.allCases { try project.plan(manager).write(to: place(manager)) }
        let xcode = try run("python3", [Self.programs + "/read_xcodeproj.py", place(.xcode).path])
        try #require(xcode.status == 0, "\(project.testDescription): \(xcode.output)")
        let lines = xcode.output.split(separator: "\n").map(String.init)
        #expect(lines.count == 1 + project.targets)
        let compiled = try Self.compile(place(.tuist).path + "/Project.swift", in: folder.url)
        try #require(compiled.status == 0, "\(project.testDescription): \(compiled.output)")
        let files = try project.plan(.tuist).files
        let tuist = try run(folder.url.path + "/program", []).output.split(separator: "\n").map { line in
          Self.withCatalogs(String(line), of: files)
        }
        Self.expect(tuist, lines, project)
        let yaml = try Tree.xcodeGenLines(try project.plan(.xcodegen))
        Self.expect(yaml, lines, project)
      }
    }

    /// Expects the same lines, and shows only those that differ.
    private static func expect(_ lines: [String], _ expected: [String], _ project: DescribedProject) {
      let difference = Set(lines).symmetricDifference(expected).sorted()
      #expect(difference.isEmpty && lines.count == expected.count, "\(project.testDescription)")
    }

    /// A line of the stand-in for Tuist with the catalogs that its patterns match, instead of the patterns.
    private static func withCatalogs(_ line: String, of files: [ScaffoldFile]) -> String {
      var fields = line.components(separatedBy: "|")
      guard fields.count > 12, !fields[12].isEmpty else { return line }
      let patterns = fields[12].split(separator: " ").map { $0.components(separatedBy: "/**/*") }
      let catalogs = files.compactMap(\.catalog).filter { catalog in
        patterns.contains { catalog.hasPrefix($0[0] + "/") && catalog.hasSuffix($0[1]) }
      }
      fields[12] = catalogs.joined(separator: " ")
      return fields.joined(separator: "|")
    }

    @Test("the stand-in for Tuist reports a name that is deprecated in the newest Tuist")
    func deprecated() throws {
      let folder = try ProjectsFolder()
      try Self.buildTuist(in: folder.url)
      let text = try DescribedProject.blocker(1).plan(.tuist).text("Project.swift")
      let manifest = folder.url.appendingPathComponent("Project.swift")
      for (name, isAccepted) in [(".package(path:", true), (".local(path:", false)] {
        let own = text.replacingOccurrences(of: ".package(path:", with: name)
        try Data(own.utf8).write(to: manifest)
        let compiled = try Self.compile(manifest.path, in: folder.url)
        #expect((compiled.status == 0) == isAccepted, "\(compiled.output)")
        #expect(isAccepted || compiled.output.contains("deprecated"))
      }
    }

    @Test("the reader of an .xcodeproj finds damage: a part that is changed or missing")
    func damage() throws {
      let folder = try ProjectsFolder()
      let plan = try DescribedProject.blocker(2).plan(.xcode)
      try plan.write(to: folder.url)
      let file = folder.url.appendingPathComponent("Block070.xcodeproj/project.pbxproj")
      let text = try plan.text("Block070.xcodeproj/project.pbxproj")
      let replacements = [
        ("", ""), ("dstSubfolderSpec = 13", "dstSubfolderSpec = 10"), ("isa = PBXGroup;", "isa = PBXGroups;"),
        ("objectVersion = 77", "objectVersion = 56"), ("TestTargetID = ", "TestTargetID = A"),
        ("LastUpgradeCheck = 2640", "LastUpgradeCheck = 1600"), ("TEST_HOST = ", "TEST_HOST = A"),
        ("BUNDLE_LOADER = ", "LOADER = "), ("proxyType = 1;", "proxyType = 2;"),
        ("SKIP_INSTALL = YES;", ""), ("\"Stores/*\"", "\"Store/*\""), ("path = Shared;", "path = Missing;"),
        ("Support/AppGroup.entitlements", "Support/Missing.entitlements"),
        ("mainGroup = ", "mainGroup = A"), ("path = Project.xcconfig;", "path = Missing.xcconfig;"),
        ("Block070.app/Block070", "Block070.app//Block070"), ("\tfiles = (\n", "\tfiles = (\n\t("),
        ("/* Begin PBXGroup section */", "/* Begin PBXGroup section"), ("\n}\n", "\n}\n}\n"),
      ]
      for (part, replacement) in replacements {
        let damaged = part.isEmpty ? text : text.replacingOccurrences(of: part, with: replacement)
        #expect(part.isEmpty || damaged != text, "\(part)")
        try Data(damaged.utf8).write(to: file)
        let read = try run("python3", [Self.programs + "/read_xcodeproj.py", folder.url.path])
        #expect((read.status == 0) == part.isEmpty, "\(part): \(read.output)")
      }
    }
  #endif

  @Test(
    "what is not a description is the same in all forms, except for the steps in READMEs",
    arguments: DescribedProject.all)
  func support(project: DescribedProject) throws {
    let forms = try ProjectManager.allCases.map { manager in
      try project.plan(manager).files.filter { file in
        file.path.contains("/") && !file.path.hasSuffix(".md") && !file.path.contains(".xcodeproj/")
          && !file.path.hasSuffix(".xcsettings")
      }
    }
    #expect(forms[0].count > 7 && forms.allSatisfy { $0 == forms[0] })
  }

  @Test("Xcode makes no scheme of its own, neither in the .xcodeproj nor in the one that XcodeGen makes")
  func schemes() throws {
    let name = "WorkspaceSettings.xcsettings"
    let inProject = "Block070.xcodeproj/project.xcworkspace/xcshareddata/"
    let xcode = try DescribedProject.blocker(9).plan(.xcode).text(inProject + name)
    #expect(xcode.contains("<key>IDEWorkspaceSharedSettings_AutocreateContextsIfNeeded</key>\n\t<false/>"))
    let plan = try DescribedProject.blocker(9).plan(.xcodegen)
    #expect(try plan.text("Support/" + name) == xcode)
    let command = try Tree(xcodeGen: plan)["options"]?["postGenCommand"]?.text
    #expect(command == "mkdir -p \(inProject.dropLast()) && cp Support/\(name) \(inProject)")
  }

  @Test("identifiers of objects keep their meaning when an app gets more extensions")
  func growing() throws {
    let (small, large) = (DescribedProject.blocker(1), DescribedProject.blocker(9))
    let name = "Block070.xcodeproj/project.pbxproj"
    let kept = try large.plan(.xcode).text(name).split(separator: "\n")
    // The lines that begin an object: its identifier and its comment.
    let lines = try small.plan(.xcode).text(name).split(separator: "\n").filter { $0.hasSuffix(" = {") }
      .filter { $0.hasPrefix("\t\t") && !$0.hasPrefix("\t\t\t") }
    #expect(lines.count > 20 && lines.allSatisfy(kept.contains))
  }
}
