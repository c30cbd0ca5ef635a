// The sample apps' screens: SwiftUI does not exist on Linux, so they are type-checked with a stand-in that declares what
// they use. Each app is a module of its own there, as in Xcode.

import Foundation
import Testing

#if os(Linux)
  /// The modules that an app's sources import, for compiling them outside of the package.
  enum AppModules {
    /// The package's modules that sample apps import, and the modules that those need.
    static let names = [
      "AppExtensions", "BackgroundTasks", "CallDeltaReader", "CallDirectory", "CallDirectoryKit", "CallKit",
      "CallManifest", "CallStoreFormat", "CallStoreReader", "Hashing", "IdentityLookup",
      "MessageRules", "NumberPlan", "PushKit",
    ]
    private static let cNames = [
      "CIntrinsics", "CLibCrypto", "CLibZ", "CNumberPlanTables",
    ]

    /// The compiler's options for importing the modules, in a folder that this makes. With SwiftUI, its stand-in is one of
    /// them. Only the modules that this test was built with.
    static func options(_ modules: [String], in workplace: Workplace, withSwiftUI: Bool) throws -> [String] {
      let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()
      let built = products.appendingPathComponent("Modules")
      let folder = workplace.folder.appendingPathComponent("modules")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for module in modules {
        let name = module + ".swiftmodule"
        try FileManager.default.createSymbolicLink(
          at: folder.appendingPathComponent(name), withDestinationURL: built.appendingPathComponent(name))
      }
      if withSwiftUI {
        try workplace.run(
          "/usr/bin/env",
          [
            "swiftc", "-emit-module", "-parse-as-library", "-swift-version", "6", "-module-name", "SwiftUI",
            "-emit-module-path", folder.path + "/SwiftUI.swiftmodule",
            Workplace.root.path + "/Tests/SwiftUIStub/SwiftUI.swift",
          ])
      }
      // The module map of a C module is in its build folder.
      let cModules = cNames.flatMap { name in
        ["-Xcc", "-fmodule-map-file=\(products.path)/\(name).build/module.modulemap"]
      }
      return ["-I", folder.path] + cModules
    }
  }

  @Suite("The sample apps' screens")
  struct ScreenTests {
    private static let samples = Workplace.root.path + "/samples/apps/"

    /// The apps with screens. An app that consists of other samples' files is tested as a scaffolded project.
    static let apps: [String] = {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: samples)) ?? []
      return names.filter { app in
        ((try? Self.sources(app + "/App")) ?? []).contains { $0.hasSuffix("Screen.swift") }
          && app != "SampleShared"
      }.sorted()
    }()

    private static func sources(_ folder: String) throws -> [String] {
      guard FileManager.default.fileExists(atPath: samples + folder) else { return [] }
      return try FileManager.default.contentsOfDirectory(atPath: samples + folder)
        .filter { $0.hasSuffix(".swift") }.sorted().map { samples + folder + "/" + $0 }
    }

    @Test("there are apps with screens")
    func found() {
      #expect(
        Set(Self.apps).isSuperset(of: [
          "Block070", "CallerID", "LiveLookup", "MessageFilter", "VoIPCallerName",
        ]))
    }

    @Test("compile, together with everything else in the app", arguments: apps)
    func compile(app: String) throws {
      let workplace = try Workplace()
      let options = try AppModules.options(AppModules.names, in: workplace, withSwiftUI: true)
      let folders = [app, "SampleShared/Common", "SampleShared/Directory"].flatMap {
        ["\($0)/App", "\($0)/Shared"]
      }
      try workplace.run(
        "/usr/bin/env",
        [
          "swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-warnings-as-errors",
          "-module-name", "SampleApp",
        ] + options + folders.flatMap { try Self.sources($0) })
    }

    @Test("the stand-in is needed: an error in a screen is found")
    func finds() throws {
      let workplace = try Workplace()
      let options = try AppModules.options([], in: workplace, withSwiftUI: true)
      let source = try workplace.write(
        "Screen.swift",
        """
        #if canImport(SwiftUI)
          import SwiftUI
          struct Screen: View {
            var body: some View { Text(1) }
          }
        #endif
        """)
      withKnownIssue { try workplace.run("/usr/bin/env", ["swiftc", "-typecheck", source] + options) }
    }
  }
#endif
