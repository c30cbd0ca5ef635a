// The parts of a scaffold: names that Apple accepts, files that their programs can read, unique identifiers.

import Foundation
import PhoneTools
import Records
import Testing

/// A plan as large as that of the largest known app.
private func plan(
  _ manager: ProjectManager, extensions: Int = 51, package: String = "../cdpipe"
) throws -> ProjectPlan {
  try ProjectPlan(
    .blocker, name: "Block070", bundleIdentifier: "com.example.block070", manager: manager, package: package,
    options: .extensions(extensions))
}

/// Why a plan is refused.
func refusal(_ plan: () throws -> ProjectPlan) -> Failure? {
  do {
    _ = try plan()
    return nil
  } catch {
    return error as? Failure
  }
}

@Suite("Scaffold")
struct ScaffoldTests {
  @Test(
    "invalid names are refused",
    arguments: [
      ("", "length"), ("7Up", "characters"), ("Block 070", "characters"),
      ("Blöck", "characters"), ("a/b", "characters"), ("a\"b", "characters"), ("CallKit", "taken"),
      ("XCTest", "taken"),
      (String(repeating: "a", count: 65), "length"),
    ])
  func names(name: String, problem: String) {
    let failure = refusal {
      try ProjectPlan(.blocker, name: name, bundleIdentifier: "com.example.a", manager: .tuist)
    }
    #expect(failure?.code == "name-\(problem)")
    #expect(
      failure?.message.message.hasPrefix(problem == "length" ? "--name must have 1 to 64 " : "--name '")
        == true)
  }

  @Test(
    "identifiers that Apple would not accept are refused",
    arguments: [
      ("block070", "parts"), ("com..block", "parts"), (".com.block", "parts"),
      ("com.block.", "parts"),
      ("com.example.block_070", "characters"), ("com.example.bl öck", "characters"),
      ("com/example.a", "characters"),
      ("com.\(String(repeating: "a", count: 155))", "length"),
      ("", "parts"),
    ])
  func identifiers(identifier: String, problem: String) {
    let failure = refusal {
      try ProjectPlan(.blocker, name: "A", bundleIdentifier: identifier, manager: .tuist)
    }
    let limit = 155 - ".directory200".utf8.count
    #expect(failure?.code == "identifier-\(problem)")
    #expect(
      failure?.message.message.hasPrefix(
        problem == "length"
          ? "--bundle-id must have at most \(limit) characters" : "--bundle-id '\(identifier)' ")
        == true)
  }

  @Test("zero and too many extensions, and paths that would break a description, are refused")
  func counts() {
    for count in [Int.min, -1, 0, ProjectPlan.extensionsMax + 1, .max] {
      let failure = refusal { try plan(.tuist, extensions: count) }
      #expect(failure?.message.message == "--extensions must be 1 to \(ProjectPlan.extensionsMax)")
    }
  }

  @Test(
    "a package that others can't fetch, or that would reveal a secret or break a description, is refused",
    arguments: [
      ("", "characters"), ("a\"b", "characters"), ("a\\b", "characters"),
      ("a\nb", "characters"),
      ("http://example.org/cdpipe.git", "scheme"), ("ftp://example.org/cdpipe", "scheme"),
      ("file:///home/me/cdpipe", "scheme"), ("file:/home/me/cdpipe", "scheme"),
      ("ssh://git@example.org/cdpipe.git", "scheme"), ("://example.org", "scheme"),
      ("https://me:secret@example.org/cdpipe.git", "login"), ("HTTPS://me@example.org/cdpipe", "login"),
      ("https://", "host"), ("https:///cdpipe", "host"), ("https://:443/cdpipe", "host"),
      ("git@example.org:me/cdpipe.git", "remote-path"), ("example.org:cdpipe", "remote-path"),
    ])
  func packages(place: String, problem: String) {
    #expect(refusal { try plan(.tuist, package: place) }?.code == "package-\(problem)")
  }

  @Test(
    "paths and https URLs are used unchanged",
    arguments: [
      "../cdpipe", "/a/b:c", "./a:b", "a@b", "https://example.org:8443/a@b.git", "HTTPS://example.org/c",
    ])
  func places(place: String) throws {
    for manager in ProjectManager.allCases {
      let plan = try plan(manager, package: place)
      #expect(plan.files.contains { $0.text.contains("\"\(place)\"") })
    }
  }

  @Test(
    "names that YAML would read as something else are written as texts",
    arguments: ["on", "null", "no", "Yes"])
  func yamlWords(name: String) throws {
    let plan = try ProjectPlan(.blocker, name: name, bundleIdentifier: "com.example.a", manager: .xcodegen)
    let text = try plan.text("project.yml")
    #expect(text.contains("\nname: \"\(name)\"\n") && text.contains("\n  \"\(name)\":\n"))
  }

  @Test(
    "the README's example has at most as many numbers as the extensions accept",
    arguments: [1, 49, 50, 51, 200])
  func example(extensions: Int) throws {
    let text = try plan(.tuist, extensions: extensions).text("README.md")
    // 100,000,000 minus those that contain 000 are 98,552,781.
    #expect(text.contains("'+82 70 XXXX XXXX' --exclude") == (extensions * 1_999_999 >= 98_552_781))
    #expect(text.contains("generate '+82 70 ") && text.contains("--shards \(extensions) -o Stores"))
  }

  @Test("an extension has the identifier, the name in Settings and the shard with its number")
  func numbers() throws {
    let plan = try plan(.xcodegen)
    let lines = try Tree.xcodeGenLines(plan)
    for index in 1...51 {
      let line = lines.first { $0.hasPrefix(plan.target(ofExtension: index) + "|") }
      let fields = try #require(line).components(separatedBy: "|")
      #expect(fields[2] == plan.identifier(ofExtension: index) && fields[2].hasSuffix(".directory\(index)"))
      #expect(fields[8] == "Stores/\(ProjectPlan.shard(index))-*.cdstore")
      #expect(fields[11].contains("DIRECTORY_TITLE=\(plan.title(ofExtension: index)) SKIP_INSTALL"))
    }
  }

  #if os(Linux)
    @Test("every Swift file parses, and every property list has the keys that Apple requires")
    func readers() throws {
      let folder = try ProjectsFolder()
      var sources: [String] = []
      for manager in ProjectManager.allCases {
        let plan = try plan(manager)
        let project = folder.url.appendingPathComponent(manager.rawValue)
        try plan.write(to: project)
        sources += plan.files.map(\.path).filter { $0.hasSuffix(".swift") }
          .map { project.appendingPathComponent($0).path }
      }
      #expect(sources.count > 10)
      for source in sources {
        #expect(try run("swiftc", ["-swift-version", "6", "-parse", source]).status == 0, "\(source)")
      }
      let script = """
        import pathlib, plistlib, sys
        root = pathlib.Path(sys.argv[1])
        for manager in ("tuist", "xcode", "xcodegen"):
            support = root / manager / "Support"
            app, own, rights = (plistlib.loads((support / name).read_bytes())
                for name in ("App-Info.plist", "Directory-Info.plist", "AppGroup.entitlements"))
            group = "group.com.example.block070"
            assert rights == {"com.apple.security.application-groups": [group]}, rights
            assert app["AppGroup"] == own["AppGroup"] == group
            assert own["NSExtension"] == {
                "NSExtensionPointIdentifier": "com.apple.callkit.call-directory",
                "NSExtensionPrincipalClass": "$(PRODUCT_MODULE_NAME).CallDirectoryHandler"}, own
            assert own["CFBundleIdentifier"] == app["CFBundleIdentifier"] == "$(PRODUCT_BUNDLE_IDENTIFIER)"
            assert own["CFBundleDisplayName"] == "$(DIRECTORY_TITLE)" and app["LSRequiresIPhoneOS"] is True
            assert app["UILaunchScreen"] == {}
        """
      let answer = try run("python3", ["-c", script, folder.url.path])
      #expect(answer.status == 0, "\(answer.output)")
    }
  #endif

  @Test("identifiers keep their meaning when an app gets more extensions, and names are in order in Settings")
  func growing() throws {
    let (small, large) = (try plan(.tuist, extensions: 9), try plan(.tuist, extensions: 120))
    for index in 1...9 {
      #expect(small.identifier(ofExtension: index) == large.identifier(ofExtension: index))
    }
    let titles = (1...120).map(large.title)
    #expect(titles == titles.sorted() && titles[6] == "Block070 007")
  }

  @Test("the same plan produces the same files, each once, and none outside of the project")
  func files() throws {
    for manager in ProjectManager.allCases {
      let files = try plan(manager).files
      #expect(try plan(manager).files == files)
      #expect(Set(files.map(\.path)).count == files.count)
      #expect(
        files.allSatisfy { !$0.path.hasPrefix("/") && !$0.path.contains("..") && $0.endsWithNewline })
    }
  }
}

@Suite("Embedded files")
struct EmbeddedFileTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  /// The folders of a sample that a project has. Each belongs to one sort of target.
  private static let folders: Set<Substring> = ["App", "Extension", "Shared"]

  /// The folder of the sample that a file belongs to, such as `samples/apps/SampleShared/Common`.
  private static func sample(_ path: String) -> String? {
    let parts = path.split(separator: "/")
    guard path.hasPrefix("samples/apps/"), let place = parts.firstIndex(where: folders.contains) else {
      return nil
    }
    return parts[..<place].joined(separator: "/")
  }

  @Test("each has the name and the bytes of a file in the checkout, once")
  func bytes() throws {
    let files = EmbeddedFile.all
    #expect(files.count > 50 && Set(files.map(\.path)).count == files.count)
    for file in files {
      let data = try Data(contentsOf: Self.root.appendingPathComponent(file.path))
      #expect(Array(file.text.utf8) == Array(data), "\(file.path)")
    }
  }

  @Test(
    "no template is missing in the list of CEmbeddedFiles.c, and no file of a sample app whose files are in it"
  )
  func complete() throws {
    let embedded = Set(EmbeddedFile.all.map(\.path))
    let samples = Set(embedded.compactMap(Self.sample))
    #expect(samples.count == 9)
    for sample in samples {
      let base = Self.root.appendingPathComponent(sample).path
      let names = try #require(FileManager.default.enumerator(atPath: base)?.allObjects as? [String])
      let sources = names.filter { $0.hasSuffix(".swift") || $0.hasSuffix(".xcstrings") }
        .map { "\(sample)/\($0)" }
      // What is in none of the three folders is in no project.
      #expect(sources.filter { Self.sample($0) == sample && !embedded.contains($0) } == [])
    }
    let templates = "Sources/Phone/ScaffoldTemplates"
    let names = try FileManager.default.contentsOfDirectory(
      atPath: Self.root.appendingPathComponent(templates).path)
    let texts = names.filter { $0 != "AppIcon.png" }
    #expect(texts.count > 5 && texts.filter { !embedded.contains("\(templates)/\($0)") } == [])
    let icon = try Data(contentsOf: Self.root.appendingPathComponent("\(templates)/AppIcon.png"))
    #expect(Data(EmbeddedFile.icon) == icon)
    let tests = try FileManager.default.contentsOfDirectory(
      atPath: Self.root.appendingPathComponent("samples/apps/Tests").path)
    #expect(tests.count > 5 && tests.filter { !embedded.contains("samples/apps/Tests/\($0)") } == [])
  }

  @Test("the icon is what the App Store accepts: 1024 pixels, three colours of 8 bits, no transparency")
  func icon() {
    let size: [UInt8] = [0, 0, 4, 0]
    let start = [0x89] + Array("PNG\r\n\u{1A}\n".utf8) + [0, 0, 0, 13] + Array("IHDR".utf8) + size + size
    #expect(EmbeddedFile.icon.starts(with: start + [8, 2, 0, 0, 0]))
  }
}

extension ProjectOptions {
  /// All options, as far as one excludes no other.
  static func complete(extensions: Int = 1) -> ProjectOptions {
    var options = ProjectOptions.extensions(extensions)
    options.listURL = "https://lists.example.com/lists/current"
    options.listKeys = ["ed25519:\(String(repeating: "8f", count: 32))"]
    options.listEncoding = .gzip
    options.hasRules = true
    options.rulesKeys = ["ed25519:\(String(repeating: "3b", count: 32))"]
    options.rulesURL = "https://rules.example.com/rules.cdrules"
    options.filterURL = "https://filter.example.com/message-filter"
    options.serverURL = "https://lookup.example.com"
    options.issuerURL = "https://issuer.example.com"
    return options
  }

  /// The options of a project with a number of Call Directory extensions.
  static func extensions(_ count: Int) -> ProjectOptions {
    var options = ProjectOptions()
    options.extensions = count
    return options
  }
}

extension ScaffoldFile {
  /// Whether the last line of a text is complete; also true for what is not a text.
  var endsWithNewline: Bool { path.hasSuffix(".png") || bytes.last == UInt8(ascii: "\n") }

  /// The path of what becomes a resource: the file, if it is a string catalog or a privacy manifest, or the asset catalog
  /// whose first file it is.
  var catalog: String? {
    if path.hasSuffix(".xcstrings") || path.hasSuffix(".xcprivacy") { return path }
    let contents = "/Contents.json"
    return path.hasSuffix(".xcassets" + contents) ? String(path.dropLast(contents.count)) : nil
  }
}

/// A string catalog: its path, and the languages of each text.
struct StringCatalog: Decodable {
  struct Text: Decodable {
    struct Localization: Decodable {}
    let localizations: [String: Localization]
  }
  let sourceLanguage: String
  let strings: [String: Text]

  /// The languages of any text.
  var languages: Set<String> { Set(strings.values.flatMap(\.localizations.keys)) }
}

extension ProjectPlan {
  /// The string catalogs of the app.
  var catalogs: [StringCatalog] {
    get throws {
      try files.filter { $0.path.hasSuffix(".xcstrings") }.map {
        try JSONDecoder().decode(StringCatalog.self, from: Data($0.text.utf8))
      }
    }
  }

  /// The text of a file.
  func text(_ path: String) throws -> String {
    try #require(files.first { $0.path == path }?.text, "there is no \(path)")
  }

  /// Writes the project to a folder.
  func write(to folder: URL) throws {
    for file in files {
      let url = folder.appendingPathComponent(file.path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(file.bytes).write(to: url)
    }
  }
}

/// The paths of the files of samples in a project.
func samples(_ names: String...) throws -> [String] {
  let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  return try names.flatMap { name in
    try ["App", "Extension", "Shared"].flatMap { folder in
      let path = root.path + "/samples/apps/\(name)/\(folder)"
      guard FileManager.default.fileExists(atPath: path) else { return [String]() }
      return try FileManager.default.subpathsOfDirectory(atPath: path)
        .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".xcstrings") }.map { "\(folder)/\($0)" }
    }
  }
}

/// A new folder, removed when it is no longer referenced.
final class ProjectsFolder {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("cdpipe-scaffold-\(UUID())")

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: url) }
}

#if os(Linux)
  /// Runs a program to its end.
  func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program] + arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }
#endif

/// A YAML tree as Swift values.
indirect enum Tree {
  case text(String)
  case list([Tree])
  case keys([String: Tree])

  init(_ node: YAMLNode) {
    switch node {
    case .scalar(let text, _, _): self = .text(text)
    case .sequence(let nodes, _): self = .list(nodes.map { Tree($0) })
    case .mapping(let entries, _):
      self = .keys(Dictionary(uniqueKeysWithValues: entries.map { ($0.key, Tree($0.value)) }))
    }
  }

  /// Parses the description for XcodeGen of a project.
  init(xcodeGen plan: ProjectPlan) throws {
    self.init(try YAMLReader.read(Array(try plan.text("project.yml").utf8), file: "project.yml"))
  }

  subscript(_ key: String) -> Tree? {
    if case .keys(let keys) = self { return keys[key] }
    return nil
  }
  var text: String? {
    if case .text(let text) = self { return text }
    return nil
  }
  var keys: [String]? {
    if case .keys(let keys) = self { return keys.keys.sorted() }
    return nil
  }
  var list: [Tree]? {
    if case .list(let list) = self { return list }
    return nil
  }
}
