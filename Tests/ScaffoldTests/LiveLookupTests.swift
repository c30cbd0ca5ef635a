// The project of a lookup app: names and servers that iOS accepts, and two descriptions of the same targets.

import Foundation
import Records
import Testing

@testable import PhoneTools

private func plan(
  _ manager: ProjectManager, name: String = "CallerID", identifier: String = "com.example.callerid",
  extensionIdentifier: String? = nil, server: String = "https://lookup.example.com", issuer: String? = nil
) throws -> ProjectPlan {
  var options = ProjectOptions()
  options.lookupIdentifier = extensionIdentifier
  options.serverURL = server
  options.issuerURL = issuer
  return try ProjectPlan(
    .liveLookup, name: name, bundleIdentifier: identifier, manager: manager, options: options)
}

@Suite("Scaffold: live lookup")
struct LiveLookupTests {
  @Test(
    "a name that would hide a module is refused, also one whose extension would",
    arguments: ["IdentityLookup", "Identity", "Foundation"])
  func names(name: String) {
    #expect(refusal { try plan(.tuist, name: name) }?.code == "name-taken")
  }

  @Test("a blocker may have a name that only a lookup app may not have")
  func blockerName() throws {
    let blocker = try ProjectPlan(
      .blocker, name: "Identity", bundleIdentifier: "com.example.a", manager: .tuist)
    #expect(blocker.name == "Identity")
  }

  @Test("the extension's identifier is the app's with a suffix, or the chosen one")
  func identifiers() throws {
    #expect(try plan(.tuist).lookupIdentifier == "com.example.callerid.lookup")
    #expect(
      try plan(.tuist, extensionIdentifier: "com.example.callerid.Live").lookupIdentifier
        == "com.example.callerid.Live")
    let identifierMax = 155 - ".lookup".utf8.count
    let longest = "com." + String(repeating: "a", count: identifierMax - 4)
    #expect(try plan(.tuist, identifier: longest).lookupIdentifier?.utf8.count == 155)
    let failure = refusal {
      try plan(.tuist, identifier: longest + "a")
    }
    #expect(failure?.message.message == "--bundle-id must have at most \(identifierMax) characters")
  }

  @Test(
    "an extension's identifier that does not belong to the app is refused",
    arguments: [
      ("com.example.other.lookup", "prefix"),
      ("com.example.callerid", "prefix"),
      ("com.example.calleridlookup", "prefix"),
      ("com.example.callerid.", "parts"), ("com.example.callerid.my_lookup", "characters"),
      ("com.example.callerid." + String(repeating: "a", count: 140), "length"),
    ])
  func foreignIdentifiers(identifier: String, reason: String) {
    let failure = refusal {
      try plan(.tuist, extensionIdentifier: identifier)
    }
    #expect(failure?.code == "identifier-\(reason)")
    #expect(failure?.message.message.hasPrefix("--extension-id ") == true)
  }

  @Test(
    "a URL that iOS would not accept is refused, for the server and for the issuer",
    arguments: [
      ("http://lookup.example.com", "scheme"), ("lookup.example.com", "scheme"),
      ("HTTPS://lookup.example.com", "scheme"), ("", "scheme"), ("https:/lookup.example.com", "scheme"),
      ("https://lookup.example.com/", "slash"), ("https://lookup.example.com/v1", "path"),
      ("https://lookup.example.com//", "path"), ("https://lookup.example.com?a", "path"),
      ("https://lookup.example.com#a", "path"), ("https://lookup.example.com:443", "port"),
      ("https://lookup.example.com:", "port"), ("https://me:secret@example.com/v1", "login"),
      ("https://@example.com", "login"), ("https://", "host"), ("https://localhost", "host"),
      ("https://10.0.0.1", "host"), ("https://[::1]", "host"), ("https://.example.com", "host"),
      ("https://example.com.", "host"), ("https://-a.example.com", "host"),
      ("https://a-.example.com", "host"),
      ("https://bücher.example", "host"), ("https://a b.example.com", "host"),
      ("https://lookup.example.com\n", "host"), ("https://<b>.example.com", "host"),
      ("https://\(String(repeating: "a", count: 64)).example.com", "host"),
      ("https://\(String(repeating: "a.", count: 126))com", "host"),
    ])
  func urls(url: String, reason: String) {
    let server = refusal {
      try plan(.tuist, server: url)
    }
    #expect(server?.code == "url-\(reason)")
    #expect(server?.message.message.hasPrefix("--server-url ") == true)
    let issuer = refusal {
      try plan(.tuist, issuer: url)
    }
    #expect(issuer?.code == "url-\(reason)")
    #expect(issuer?.message.message.hasPrefix("--issuer-url ") == true)
  }

  @Test(
    "domain names are accepted unchanged",
    arguments: [
      "https://a.b", "https://Lookup.example.com", "https://xn--bcher-kva.example", "https://1.2.example.com",
      "https://\(String(repeating: "a", count: 63)).example.com",
      "https://\(String(repeating: "a.", count: 125))com",
    ])
  func domainNames(url: String) throws {
    let plan = try plan(.xcodegen, server: url, issuer: "https://issuer.example.com")
    #expect(plan.options.serverURL == url && plan.options.issuerURL == "https://issuer.example.com")
    #expect(try plan.text("Support/Lookup-Info.plist").contains("<string>\(url)</string>"))
  }

  @Test(
    "the README has the identifiers, the server's host and what Apple asks for",
    arguments: ProjectManager.allCases)
  func readme(manager: ProjectManager) throws {
    let text = try plan(manager, issuer: "https://issuer.example.com").text("README.md")
    for part in [
      "--bundle-id com.example.callerid.lookup", "`com.example.callerid.lookup.identity`",
      "`com.example.callerid.lookup.block`", "+14085551212", "Johnny Appleseed",
      "record of `lookup.example.com` contains `apple-live-caller-id-lookup=com.example.callerid.lookup`",
      "Identity & Trust", "`https://issuer.example.com`", "Nobody has built it with Xcode",
      [.tuist: "`tuist generate`", .xcodegen: "`xcodegen generate`", .xcode: "Open CallerID.xcodeproj"][
        manager]
        ?? "",
    ] {
      #expect(text.contains(part), "\(part)")
    }
  }

  @Test("all managers have the same files, except the descriptions", arguments: ProjectManager.allCases)
  func files(manager: ProjectManager) throws {
    let files = try plan(manager).files
    #expect(try plan(manager).files == files)
    #expect(files.map(\.path) == files.map(\.path).sorted() && Set(files.map(\.path)).count == files.count)
    let own =
      switch manager {
      case .tuist: ["Project.swift", "Tuist.swift"]
      case .xcodegen: ["Support/WorkspaceSettings.xcsettings", "project.yml"]
      case .xcode:
        [
          "CallerID.xcodeproj/project.pbxproj",
          "CallerID.xcodeproj/project.xcworkspace/xcshareddata/WorkspaceSettings.xcsettings",
          "CallerID.xcodeproj/xcshareddata/xcschemes/CallerID.xcscheme",
        ]
      }
    let support = [
      ".gitignore", "App/Assets.xcassets/AppIcon.appiconset/AppIcon.png",
      "App/Assets.xcassets/AppIcon.appiconset/Contents.json", "App/Assets.xcassets/Contents.json",
      "Project.xcconfig", "README.md",
      "Shared/PrivacyInfo.xcprivacy", "Support/App-Info.plist",
      "Support/AppGroup.entitlements", "Support/Lookup-Info.plist", "Tests/TokenTests.swift",
    ]
    // Nothing is updated at night.
    let sources = try samples("LiveLookup", "SampleShared/Common").filter { $0 != "App/NightlyUpdate.swift" }
    #expect(Set(files.map(\.path)) == Set(own + support + sources))
    #expect(files.allSatisfy { $0.endsWithNewline })
  }

  @Test("the app has an ExtensionKit extension embedded in it")
  func targets() throws {
    let lines = try Tree.xcodeGenLines(try plan(.xcodegen, extensionIdentifier: "com.example.callerid.live"))
    let rights = "Support/AppGroup.entitlements"
    let catalogs = try plan(.xcodegen).files.compactMap(\.catalog)
    #expect(
      lines.dropFirst().sorted() == [
        "CallerIDLookup|extensionKitExtension|com.example.callerid.live|18.0|1|Support/Lookup-Info.plist|\(rights)"
          + "|Extension Shared||||APPLICATION_EXTENSION_API_ONLY=YES SKIP_INSTALL=YES|Shared/PrivacyInfo.xcprivacy",
        "CallerIDTests|unitTests|com.example.callerid.tests|18.0|1|||Tests|||Host/CallerID"
          + "|GENERATE_INFOPLIST_FILE=YES TEST_HOST=$(BUILT_PRODUCTS_DIR)/CallerID.app/CallerID|",
        "CallerID|app|com.example.callerid|18.0|1|Support/App-Info.plist|\(rights)"
          + "|App Shared|||Extensions/CallerIDLookup||\(catalogs.joined(separator: " "))",
      ])
  }

  #if os(Linux)
    @Test("property lists have Apple's keys, and the app names the extension that is embedded in it")
    func propertyLists() throws {
      let folder = try ProjectsFolder()
      for manager in ProjectManager.allCases {
        try plan(manager, issuer: "https://issuer.example.com")
          .write(to: folder.url.appendingPathComponent(manager.rawValue))
      }
      let script = """
        import pathlib, plistlib, sys
        for manager in ("tuist", "xcode", "xcodegen"):
            support = pathlib.Path(sys.argv[1]) / manager / "Support"
            app, own, rights = (plistlib.loads((support / name).read_bytes())
                for name in ("App-Info.plist", "Lookup-Info.plist", "AppGroup.entitlements"))
            group = "group.com.example.callerid"
            assert rights == {"com.apple.security.application-groups": [group]}, rights
            assert app["AppGroup"] == own["AppGroup"] == group
            assert app["LookupExtension"] == "com.example.callerid.lookup", app
            assert app["LSRequiresIPhoneOS"] is True and app["UILaunchScreen"] == {}
            assert "NSPIRConfiguration" not in app and "EXAppExtensionAttributes" not in app, app
            assert own["EXAppExtensionAttributes"] == {"EXExtensionPointIdentifier": "com.apple.live-lookup"}, own
            assert own["NSPIRConfiguration"] == {
                "PIRServerURL": "https://lookup.example.com",
                "PrivacyPassIssuerURL": "https://issuer.example.com"}, own
            assert "NSExtension" not in own and own["CFBundleDisplayName"] == "CallerID", own
            assert own["CFBundleIdentifier"] == app["CFBundleIdentifier"] == "$(PRODUCT_BUNDLE_IDENTIFIER)"
        """
      let answer = try run("python3", ["-c", script, folder.url.path])
      #expect(answer.status == 0, "\(answer.output)")
    }
  #endif
}
