// The parts of a scaffold: names that Apple accepts, files that their programs can read, unique identifiers.

import Foundation
import PhoneTools
import Testing

/// A plan as large as that of the largest known app.
private func plan(
  _ manager: ProjectManager, extensions: Int = 51, package: String = "../cdpipe"
) throws -> ProjectPlan {
  try ProjectPlan(
    .blocker, name: "Block070", bundleIdentifier: "com.example.block070", manager: manager, package: package,
    options: .extensions(extensions))
}

@Suite("Scaffold")
struct ScaffoldTests {
  @Test(
    "invalid names are refused",
    arguments: [
      ("", NameErrorReason.length(limit: 64)), ("7Up", .characters), ("Block 070", .characters),
      ("Blöck", .characters), ("a/b", .characters), ("a\"b", .characters), ("CallKit", .taken),
      (String(repeating: "a", count: 65), .length(limit: 64)),
    ])
  func names(name: String, defect: NameErrorReason) {
    #expect(throws: ScaffoldError.badName(name, defect)) {
      try ProjectPlan(.blocker, name: name, bundleIdentifier: "com.example.a", manager: .tuist)
    }
  }

  @Test(
    "identifiers that Apple would not accept are refused",
    arguments: [
      ("block070", IdentifierErrorReason.parts), ("com..block", .parts), (".com.block", .parts),
      ("com.block.", .parts),
      ("com.example.block_070", .characters), ("com.example.bl öck", .characters),
      ("com/example.a", .characters),
      ("com.\(String(repeating: "a", count: 155))", .length(limit: 155 - ".directory200".utf8.count)),
      ("", .parts),
    ])
  func identifiers(identifier: String, defect: IdentifierErrorReason) {
    #expect(throws: ScaffoldError.badBundleIdentifier(identifier, defect)) {
      try ProjectPlan(.blocker, name: "A", bundleIdentifier: identifier, manager: .tuist)
    }
  }

  @Test("zero and too many extensions, and paths that would break a description, are refused")
  func counts() {
    for count in [Int.min, -1, 0, ProjectPlan.extensionsMax + 1, .max] {
      #expect(throws: ScaffoldError.badExtensionCount(count, limit: ProjectPlan.extensionsMax)) {
        try plan(.tuist, extensions: count)
      }
    }
  }

  @Test(
    "a package that others can't fetch, or that would reveal a secret or break a description, is refused",
    arguments: [
      ("", PackageErrorReason.characters), ("a\"b", .characters), ("a\\b", .characters),
      ("a\nb", .characters),
      ("http://example.org/cdpipe.git", .scheme), ("ftp://example.org/cdpipe", .scheme),
      ("file:///home/me/cdpipe", .scheme), ("file:/home/me/cdpipe", .scheme),
      ("ssh://git@example.org/cdpipe.git", .scheme), ("://example.org", .scheme),
      ("https://me:secret@example.org/cdpipe.git", .login), ("HTTPS://me@example.org/cdpipe", .login),
      ("https://", .host), ("https:///cdpipe", .host), ("https://:443/cdpipe", .host),
      ("git@example.org:me/cdpipe.git", .remotePath), ("example.org:cdpipe", .remotePath),
    ])
  func packages(place: String, defect: PackageErrorReason) {
    #expect(throws: ScaffoldError.badPackage(place, defect)) { try plan(.tuist, package: place) }
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
    let plan = try ProjectPlan(
      .blocker, name: name, bundleIdentifier: "com.example.a", manager: .xcodegen)
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
      #expect(fields[11].hasSuffix("DIRECTORY_TITLE=\(plan.title(ofExtension: index))"))
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

  @Test(
    "identifiers keep their meaning when an app gets more extensions, and names are in order in Settings")
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
        files.allSatisfy { !$0.path.hasPrefix("/") && !$0.path.contains("..") && $0.text.hasSuffix("\n") })
    }
  }
}
