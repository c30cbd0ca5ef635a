// Each kind of project: its sources, property lists, entitlements and privacy manifest, and the options that it needs.
//
// Not for the description of the project (DescriptionTests).

import Foundation
import Records
import Testing

@testable import PhoneTools

private func plan(_ kind: ProjectKind, _ change: (inout ProjectOptions) -> Void = { _ in }) throws
  -> ProjectPlan
{
  var options = ProjectOptions.complete(extensions: kind == .areaCodes ? 6 : 2)
  change(&options)
  return try ProjectPlan(
    kind, name: "Sample", bundleIdentifier: "com.example.sample", manager: .xcode, options: options)
}

/// A property list of a project.
private func list(_ path: String, of plan: ProjectPlan) throws -> [String: Any] {
  let data = Data(try plan.text(path).utf8)
  let list = try unsafe PropertyListSerialization.propertyList(from: data, format: nil)
  return try #require(list as? [String: Any])
}

@Suite("Scaffold: kinds of projects")
struct KindTests {
  @Test("a project has the entry point of its kind, and of no other", arguments: ProjectKind.allCases)
  func entryPoints(kind: ProjectKind) throws {
    let entries = try plan(kind).files.filter { $0.folder == "App" && $0.text.contains("\n  @main\n") }
    #expect(entries.map(\.path) == [kind.entryFile])
  }

  @Test(
    "a target has no two files of the same name, and no source is in two folders",
    arguments: ProjectKind.allCases)
  func names(kind: ProjectKind) throws {
    let plan = try plan(kind)
    #expect(Set(plan.files.map(\.path)).count == plan.files.count)
    for target in plan.project.targets {
      let files = plan.files.filter { file in
        file.path.hasSuffix(".swift") && target.sources.contains(String(file.folder))
      }
      let names = files.map { $0.path.split(separator: "/").last ?? "" }
      #expect(names.count > 1 && Set(names).count == names.count, "\(target.name)")
    }
    let sources = plan.files.filter { $0.path.hasSuffix(".swift") }.map(\.text)
    #expect(Set(sources).count == sources.count)
  }

  @Test(
    "every Swift file belongs to a target, and a target links what its files import and nothing else",
    arguments: ProjectKind.allCases)
  func products(kind: ProjectKind) throws {
    let plan = try plan(kind)
    let products: Set<String> = [
      "CallDeltaReader", "CallDirectory", "CallDirectoryKit", "CallManifest", "CallStoreReader",
      "MessageRules",
      "NumberPlan",
    ]
    let sources = plan.files.filter { $0.path.hasSuffix(".swift") && !$0.folder.isEmpty }
    var owned: Set<String> = []
    for target in plan.project.targetsAndTests {
      let own = sources.filter { target.sources.contains(String($0.folder)) }
      owned.formUnion(own.map(\.path))
      #expect(Set(target.products) == products.intersection(own.flatMap(\.imports)), "\(target.name)")
      #expect(Set(target.products).count == target.products.count)
    }
    #expect(owned == Set(sources.map(\.path)))
  }

  @Test("all has the sources of its parts, without their entry points")
  func allSources() throws {
    let all = try plan(.all)
    let texts = Set(all.files.map(\.text))
    for kind in ProjectKind.all.parts {
      let missing = try plan(kind).files.filter { $0.path.hasSuffix(".swift") && !texts.contains($0.text) }
      #expect(missing.map(\.path) == [kind.entryFile])
    }
  }

  @Test(
    "each part has tests, which import the app and otherwise only what comes with Xcode",
    arguments: ProjectKind.allCases)
  func tests(kind: ProjectKind) throws {
    let files = try plan(kind).files.filter { $0.folder == "Tests" }
    #expect(files.count == kind.parts.count)
    for file in files {
      #expect(file.text.contains("\n@testable import Sample\n") && file.text.contains("  @Test("))
      // A product of the package would be linked twice: in the app and in the tests that run in it.
      #expect(Set(file.imports).subtracting(["SampleShared"]) == ["Foundation", "Testing"])
    }
  }

  @Test("the number of extensions for area codes is a multiple of six", arguments: [1, 5, 7, 51])
  func areaCodeExtensions(count: Int) {
    let failure = refusal { try plan(.areaCodes) { $0.extensions = count } }
    #expect(failure?.message.message.hasPrefix("--extensions must be a multiple of 6: ") == true)
  }

  @Test("an app that makes calls has no extensions and no app group, and what iOS asks for")
  func calls() throws {
    let plan = try plan(.voIP)
    #expect(plan.project.targets.map(\.name) == ["Sample"])
    let info = try list("Support/App-Info.plist", of: plan)
    #expect(info["UIBackgroundModes"] as? [String] == ["audio", "voip"])
    #expect(info["NSUserActivityTypes"] as? [String] == ["INStartCallIntent"])
    #expect(info["NSMicrophoneUsageDescription"] != nil && info["NSCameraUsageDescription"] != nil)
    #expect(info["AppGroup"] == nil && info["BGTaskSchedulerPermittedIdentifiers"] == nil)
    let rights = try list("Support/App.entitlements", of: plan)
    #expect(rights as? [String: String] == ["aps-environment": "development"])
    let readme = try plan.text("README.md")
    #expect(readme.contains("register the identifier `com.example.sample`. The app has 1 App ID."))
  }

  @Test(
    "every app answers the App Store's question about encryption, and has one scene",
    arguments: ProjectKind.allCases)
  func commonInfo(kind: ProjectKind) throws {
    let info = try list("Support/App-Info.plist", of: try plan(kind))
    #expect(info["ITSAppUsesNonExemptEncryption"] as? Bool == false)
    let scenes = info["UIApplicationSceneManifest"] as? [String: Any]
    #expect(scenes?["UIApplicationSupportsMultipleScenes"] as? Bool == false)
  }

  @Test("the app and its filter know the keys of the rules", arguments: [ProjectKind.messageFilter, .all])
  func rulesKeys(kind: ProjectKind) throws {
    for path in ["Support/App-Info.plist", "Support/Filter-Info.plist"] {
      let keys = try list(path, of: try plan(kind))["RulesKey"] as? [String]
      #expect(keys == ProjectOptions.complete().rulesKeys)
      #expect(try list(path, of: try plan(kind) { $0.rulesKeys = [] })["RulesKey"] == nil)
    }
  }

  @Test("every text of the app is in all languages, and the app lists them", arguments: ProjectKind.allCases)
  func languages(kind: ProjectKind) throws {
    let plan = try plan(kind)
    let languages = ["de", "en", "ja", "zh-Hans"]
    for catalog in try plan.catalogs {
      #expect(catalog.sourceLanguage == "en" && !catalog.strings.isEmpty)
      for (key, text) in catalog.strings {
        #expect(text.localizations.keys.sorted() == languages, "\(key)")
      }
    }
    let listed = try list("Support/App-Info.plist", of: plan)["CFBundleLocalizations"] as? [String]
    #expect(listed?.sorted() == languages && listed?.first == "en")
  }

  // MARK: Property lists

  @Test(
    "the app that downloads its list knows the folder, the keys and its nightly task",
    arguments: [ProjectKind.callerID, .all])
  func callerInfo(kind: ProjectKind) throws {
    let info = try list("Support/App-Info.plist", of: try plan(kind))
    #expect(info["ListURL"] as? String == "https://lists.example.com/lists/current")
    #expect(info["ListKey"] as? [String] == ProjectOptions.complete().listKeys)
    #expect(info["ListEncoding"] as? String == "gzip")
    #expect(
      info["BGTaskSchedulerPermittedIdentifiers"] as? [String]
        == ["update", "first", "load"].map { "com.example.sample.\($0)" })
    #expect(info["UIBackgroundModes"] as? [String] == ["fetch", "processing"])
    let unsigned = try plan(kind) {
      $0.listKeys = []
      $0.listEncoding = .plain
    }
    let other = try list("Support/App-Info.plist", of: unsigned)
    // An empty list of keys would be an error of the app.
    #expect(other["ListKey"] == nil && other["ListEncoding"] == nil)
  }

  @Test("a blocker has neither a list nor a nightly task, but loads go on in the background")
  func blockerInfo() throws {
    let info = try list("Support/App-Info.plist", of: try plan(.blocker))
    #expect(info.keys.allSatisfy { !$0.hasPrefix("List") && !$0.hasPrefix("UIBack") })
    #expect(info["BGTaskSchedulerPermittedIdentifiers"] as? [String] == ["com.example.sample.load"])
  }

  @Test(
    "the filter's server is in its Info.plist, and the app and the filter are associated with its domain",
    arguments: [ProjectKind.messageFilter, .all])
  func filterInfo(kind: ProjectKind) throws {
    let plan = try plan(kind)
    let own = try #require(try list("Support/Filter-Info.plist", of: plan)["NSExtension"] as? [String: Any])
    #expect(own["NSExtensionPointIdentifier"] as? String == "com.apple.identitylookup.message-filter")
    #expect(own["NSExtensionPrincipalClass"] as? String == "$(PRODUCT_MODULE_NAME).MessageFilterExtension")
    let attributes = own["NSExtensionAttributes"] as? [String: String]
    #expect(attributes == ["ILMessageFilterExtensionNetworkURL": "https://filter.example.com/message-filter"])
    let info = try list("Support/App-Info.plist", of: plan)
    #expect(info["RulesURL"] as? String == "https://rules.example.com/rules.cdrules")
    for target in plan.project.targets {
      let rights = try list(target.entitlements, of: plan)
      let groups = rights["com.apple.security.application-groups"] as? [String]
      #expect(groups == ["group.com.example.sample"])
      let domains = rights["com.apple.developer.associated-domains"] as? [String]
      let isAssociated = ["Sample", "SampleFilter"].contains(target.name)
      #expect(domains == (isAssociated ? ["messagefilter:filter.example.com"] : nil), "\(target.name)")
    }
  }

  @Test("without a server the filter has no associated domain, and without updates no URL")
  func localFilter() throws {
    let plan = try plan(.messageFilter) {
      $0.filterURL = nil
      $0.rulesURL = nil
      $0.rulesKeys = []
    }
    let own = try list("Support/Filter-Info.plist", of: plan)["NSExtension"] as? [String: Any]
    #expect(own?.keys.sorted() == ["NSExtensionPointIdentifier", "NSExtensionPrincipalClass"])
    #expect(!plan.files.contains { $0.text.contains("associated-domains") })
    #expect(try list("Support/App-Info.plist", of: plan)["RulesURL"] == nil)
  }

  @Test("every entitlements file and every Info.plist is one of a target", arguments: ProjectKind.allCases)
  func supportFiles(kind: ProjectKind) throws {
    let plan = try plan(kind)
    let used = Set(plan.project.targetsAndTests.flatMap { [$0.entitlements, $0.infoPlist] }).subtracting([""])
    #expect(Set(plan.files.map(\.path).filter { $0.hasPrefix("Support/") }) == used)
  }

  @Test(
    "the privacy manifest has the APIs that the sources and the libraries use",
    arguments: ProjectKind.allCases)
  func privacy(kind: ProjectKind) throws {
    let plan = try plan(kind)
    let manifest = try list("Shared/PrivacyInfo.xcprivacy", of: plan)
    #expect(manifest["NSPrivacyTracking"] as? Bool == false)
    let types = try #require(manifest["NSPrivacyAccessedAPITypes"] as? [[String: Any]])
    let names = types.compactMap { $0["NSPrivacyAccessedAPIType"] as? String }
    let text = plan.files.filter { $0.path.hasSuffix(".swift") }.map(\.text).joined()
    #expect(names.contains("NSPrivacyAccessedAPICategoryFileTimestamp") == (kind != .liveLookup))
    #expect(names.contains("NSPrivacyAccessedAPICategoryUserDefaults") == text.contains("UserDefaults"))
    // Other APIs with a required reason, which nothing here uses.
    for api in [
      "systemUptime", "activeInputModes", "volumeAvailableCapacity", "systemFreeSize", "mach_absolute_time",
    ] {
      #expect(!text.contains(api))
    }
    // Every target has the manifest.
    #expect(plan.project.targets.allSatisfy { $0.sources.contains("Shared") })
  }

  // MARK: Options

  @Test("a kind without the option that it needs is refused")
  func missing() {
    #expect(
      refusal { try plan(.callerID) { $0.listURL = nil } }?.message.message
        == "--kind caller-id needs --list-url https://HOST/FOLDER")
    #expect(
      refusal { try plan(.all) { $0.listURL = nil } }?.message.message
        == "--kind all needs --list-url https://HOST/FOLDER")
    #expect(
      refusal { try plan(.all) { $0.serverURL = nil } }?.message.message
        == "--kind all needs --server-url https://HOST")
    let failure = refusal {
      try plan(.messageFilter) {
        $0.hasRules = false
        $0.rulesURL = nil
        $0.rulesKeys = []
        $0.filterURL = nil
      }
    }
    #expect(
      failure?.message.message
        == "--kind message-filter needs --rules FILE, --rules-url https://HOST/FILE or --filter-url https://HOST/PATH"
    )
  }

  @Test("options that can't have an effect, or name the wrong thing, are refused")
  func ineffective() {
    let keys = refusal { try plan(.messageFilter) { $0.rulesURL = nil } }
    #expect(keys?.message.message.hasPrefix("--rules-key is for downloaded rules") == true)
    let url = refusal { try plan(.callerID) { $0.listURL = "https://a.example/list/manifest.json" } }
    #expect(
      url?.message.message == "--list-url is the folder that has manifest.json: https://a.example/list")
    for other in ["tests", "filter", "directory2"] {
      let taken = refusal { try plan(.all) { $0.lookupIdentifier = "com.example.sample.\(other)" } }
      #expect(taken?.code == "identifier-taken", "\(other)")
    }
  }

  @Test("an own list has an extension with the number 0", arguments: [ProjectKind.callerID, .all])
  func ownList(kind: ProjectKind) throws {
    let sample = try plan(kind) { $0.hasOwnList = true }
    let own = try #require(sample.project.targets.first { $0.name == "SampleDirectory0" })
    #expect(own.bundleIdentifier == "com.example.sample.directory0")
    #expect(own.settings.contains { $0.name == "DIRECTORY_TITLE" && $0.value == "Sample My Numbers" })
    #expect(try sample.text("README.md").contains("`com.example.sample.directory0` blocks them"))
    #expect(try plan(kind).project.targets.count == sample.project.targets.count - 1)
  }

  @Test("what only this repository needs is in no project", arguments: ProjectKind.allCases)
  func repository(kind: ProjectKind) throws {
    let plan = try plan(kind)
    #expect(!plan.files.contains { $0.text.contains("SampleShared") })
    #expect(plan.files.contains { $0.path == "Shared/AppGroup.swift" } == (kind != .voIP))
  }

  @Test("the README has the command that creates the project, and asks for an identifier of one's own")
  func command() throws {
    var sample = try plan(.blocker)
    sample.command = ["cdpipe scaffold --kind blocker", "-o Sample --force"]
    let text = try sample.text("README.md")
    #expect(text.contains("\n    cdpipe scaffold --kind blocker \\\n      -o Sample --force\n"))
    #expect(text.contains("`com.example.sample` can be registered by one team only"))
    let own = try ProjectPlan(.blocker, name: "A", bundleIdentifier: "org.cdpipe.a", manager: .xcode)
    #expect(!(try own.text("README.md")).contains("one team only"))
  }

  @Test("a free team is enough for ten identifiers", arguments: [(9, true), (10, false), (51, false)])
  func membership(extensions: Int, isFree: Bool) throws {
    let text = try plan(.blocker) { $0.extensions = extensions }.text("README.md")
    #expect(text.contains("needs a paid membership") != isFree)
  }

  @Test(
    "a URL that the app or iOS can't use is refused",
    arguments: [
      ("--list-url", "http://a.example", "scheme"),
      ("--list-url", "https://me:secret@a.example/b", "login"),
      ("--list-url", "https://a.example/b c", "characters"),
      ("--list-url", "https://a.example/b?c", "query"), ("--list-url", "https://a.example/b#c", "query"),
      ("--list-url", "https://a.example:0/", "port-number"),
      ("--list-url", "https://a.example:99999/", "port-number"),
      ("--list-url", "https://a.example:/", "port-number"), ("--list-url", "https://localhost/b", "host"),
      ("--rules-url", "https://a.example/b\"c", "characters"),
      ("--rules-url", "https://a.example/b#c", "query"),
      ("--rules-url", "https://a.example/\u{e4}", "characters"),
      ("--filter-url", "https://a.example:8443/b", "port"),
      ("--filter-url", "https://a.example/b?c", "query"), ("--filter-url", "https://10.0.0.1/b", "host"),
    ])
  func urls(option: String, url: String, reason: String) {
    let failure = refusal {
      try plan(.all) { options in
        switch option {
        case "--list-url": options.listURL = url
        case "--rules-url": options.rulesURL = url
        default: options.filterURL = url
        }
      }
    }
    #expect(failure?.code == "url-\(reason)")
    #expect(failure?.message.message.hasPrefix("\(option) ") == true)
  }

  @Test(
    "URLs with a path are used unchanged",
    arguments: [
      "https://a.example", "https://a.example/", "https://a.example:8443/b/c", "https://a.example/%20b",
    ])
  func validURLs(url: String) throws {
    let plan = try plan(.callerID) { $0.listURL = url }
    #expect(try list("Support/App-Info.plist", of: plan)["ListURL"] as? String == url)
  }

  @Test("a name that would hide a module of any part is refused")
  func hiddenModules() throws {
    for name in ["MessageRules", "BackgroundTasks", "CallStoreReader", "SwiftUI"] {
      let failure = refusal {
        try ProjectPlan(
          .all, name: name, bundleIdentifier: "com.example.a", manager: .xcode, options: .complete())
      }
      #expect(failure?.code == "name-taken")
    }
  }

  @Test("a keyword is refused as a name: no module can have it", arguments: ["class", "Self", "true"])
  func keywords(name: String) throws {
    let failure = refusal {
      try ProjectPlan(.blocker, name: name, bundleIdentifier: "com.example.a", manager: .xcode)
    }
    #expect(failure?.code == "name-keyword")
  }

  @Test(
    "Xcode would replace a build setting in a URL, and an escape needs two digits",
    arguments: [
      "https://example.com/$(HOME)", "https://example.com/${A}", "https://example.com/%zz",
      "https://example.com/%4",
    ])
  func replacedURL(url: String) throws {
    var options = ProjectOptions.complete()
    options.listURL = url
    let failure = refusal {
      try ProjectPlan(
        .callerID, name: "Sample", bundleIdentifier: "com.example.a", manager: .xcode, options: options)
    }
    #expect(failure?.code == "url-characters" && failure?.message.message.hasPrefix("--list-url ") == true)
  }

  // MARK: README

  @Test("the README describes every folder, and has the steps of each part", arguments: ProjectKind.allCases)
  func readme(kind: ProjectKind) throws {
    let plan = try plan(kind)
    let text = try plan.text("README.md")
    let folders = Set(plan.files.compactMap { $0.folder.isEmpty ? nil : String($0.folder) })
    for folder in folders where !folder.hasSuffix(".xcodeproj") {
      #expect(text.contains("| `\(folder)/` | "), "\(folder)")
    }
    let parts: [ProjectKind: [String]] = [
      .blocker: ["cdpipe emit --format store", "com.example.sample.directory2"],
      .areaCodes: ["this app can block 1 area code.", "com.example.sample.directory6"],
      .voIP: ["topic `com.example.sample.voip`", "mainland China"],
      .callerID: [
        "https://lists.example.com/lists/current", "com.example.sample.update", "sign: KEYFILE",
      ],
      .messageFilter: [
        "TEAMID.com.example.sample.filter",
        "https://filter.example.com/.well-known/apple-app-site-association",
        "https://rules.example.com/rules.cdrules", "rules compile rules.yaml -o rules.cdrules --sign KEYFILE",
      ],
      .liveLookup: ["--bundle-id com.example.sample.lookup", "Johnny Appleseed"],
    ]
    for part in kind.parts.flatMap({ parts[$0] ?? [] }) { #expect(text.contains(part), "\(part)") }
    let count = 1 + plan.parts.map(\.count).reduce(0, +)
    #expect(text.contains("The app has \(count) App ID\(count == 1 ? "" : "s")."))
    #expect(text.contains("App/Assets.xcassets/AppIcon.appiconset/AppIcon.png"))
  }
}
