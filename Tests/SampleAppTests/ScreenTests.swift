// The sample apps as Xcode compiles them: each target is a module of its own, with the settings of a new project and with
// those that `cdpipe scaffold` writes. SwiftUI does not exist on Linux, so screens are type-checked with a stand-in that
// declares what they use.

import Foundation
import Testing

#if os(Linux)
  /// The settings of a project in Xcode, as options of the compiler.
  struct ProjectSettings: Equatable {
    let options: [String]

    /// A new project of Xcode 26: everything that is not marked belongs to the main actor.
    static let newProject = ProjectSettings(
      options: ["-swift-version", "5"]
        + features(
          "DisableOutwardActorInference", "GlobalActorIsolatedTypesUsability", "InferSendableFromCaptures")
        + mainActor)
    /// The same with Swift 6, which has some of the features already.
    static let newProjectInSwift6 = ProjectSettings(options: ["-swift-version", "6"] + mainActor)
    /// A project of `cdpipe scaffold`.
    static let nonisolated = ProjectSettings(options: ["-swift-version", "6"])

    private static let mainActor =
      ["-default-isolation", "MainActor"]
      + features("NonisolatedNonsendingByDefault", "InferIsolatedConformances", "MemberImportVisibility")

    private static func features(_ names: String...) -> [String] {
      names.flatMap { ["-enable-upcoming-feature", $0] }
    }
  }

  /// The modules that an app's sources import, for compiling them outside of the package.
  enum AppModules {
    /// The package's modules that sample apps import, and the modules that those need.
    private static let names = [
      "AppExtensions", "BackgroundTasks", "CallDeltaReader", "CallDirectory", "CallDirectoryKit", "CallKit",
      "CallManifest", "CallStoreFormat", "CallStoreReader", "Hashing", "IdentityLookup",
      "MessageRules", "NumberPlan", "PushKit", "UIKit",
    ]
    private static let cNames = [
      "CIntrinsics", "CLibCrypto", "CLibZ", "CNumberPlanTables",
    ]

    /// The compiler's options for importing the modules, and SwiftUI's stand-in, in a folder that this makes. Only the
    /// modules that this test was built with.
    static func options(in workplace: Workplace) throws -> [String] {
      let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent()
      let built = products.appendingPathComponent("Modules")
      let folder = workplace.folder.appendingPathComponent("modules")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for module in names {
        let name = module + ".swiftmodule"
        try FileManager.default.createSymbolicLink(
          at: folder.appendingPathComponent(name), withDestinationURL: built.appendingPathComponent(name))
      }
      try workplace.run(
        "/usr/bin/env",
        [
          "swiftc", "-emit-module", "-parse-as-library", "-swift-version", "6", "-module-name", "SwiftUI",
          "-emit-module-path", folder.path + "/SwiftUI.swiftmodule",
          Workplace.root.path + "/Tests/SwiftUIStub/SwiftUI.swift",
        ])
      // The module map of a C module is in its build folder.
      let cModules = cNames.flatMap { name in
        ["-Xcc", "-fmodule-map-file=\(products.path)/\(name).build/module.modulemap"]
      }
      return ["-I", folder.path] + cModules
    }

    /// Compiles an app as a module for its tests.
    static func buildForTests(
      _ sources: [String], as module: String, _ settings: ProjectSettings, _ options: [String],
      in workplace: Workplace
    ) throws {
      try workplace.run(
        "/usr/bin/env",
        [
          "swiftc", "-emit-module", "-enable-testing", "-parse-as-library", "-module-name", module,
          "-emit-module-path", workplace.path("modules/\(module).swiftmodule"),
        ] + settings.options + options + sources)
    }

    /// Compiles a target as far as all errors are reported: data races are found after the types are checked. Warnings
    /// are errors.
    static func check(
      _ sources: [String], as module: String = "SampleApp", _ settings: ProjectSettings, _ options: [String],
      in workplace: Workplace
    ) throws {
      try workplace.run(
        "/usr/bin/env",
        [
          "swiftc", "-emit-module", "-wmo", "-parse-as-library", "-warnings-as-errors", "-module-name",
          module,
          "-emit-module-path", workplace.path("\(module)-checked.swiftmodule"),
        ] + settings.options + options + sources)
    }
  }

  @Suite("The sample apps in Xcode")
  struct SampleTargetTests {
    private static let samples = Workplace.root.path + "/samples/apps/"

    /// The apps. One that consists of other samples' files is tested as a scaffolded project.
    static let apps: [String] = {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: samples)) ?? []
      return names.filter { app in
        app != "SampleShared" && app != "AllInOne" && (try? sources(app + "/App").isEmpty) == false
      }.sorted()
    }()

    private static func sources(_ folder: String) throws -> [String] {
      guard FileManager.default.fileExists(atPath: samples + folder) else { return [] }
      return try FileManager.default.contentsOfDirectory(atPath: samples + folder)
        .filter { $0.hasSuffix(".swift") }.sorted().map { samples + folder + "/" + $0 }
    }

    /// The sources of a target: those of its folder, and those that the app shares with its extension.
    private static func sources(of app: String, _ folder: String) throws -> [String] {
      try [app, "SampleShared/Common", "SampleShared/Directory"].flatMap { part in
        try sources("\(part)/\(folder)") + sources("\(part)/Shared")
      }
    }

    @Test("there are apps")
    func found() {
      #expect(
        Self.apps == ["Block070", "CallerID", "CodeBlocker", "LiveLookup", "MessageFilter", "VoIPCallerName"])
    }

    @Test("the app and its extension compile", arguments: apps)
    func compile(app: String) throws {
      let workplace = try Workplace()
      let options = try AppModules.options(in: workplace)
      var targets = [try Self.sources(of: app, "App")]
      if app != "VoIPCallerName" { targets.append(try Self.sources(of: app, "Extension")) }
      for settings in [ProjectSettings.newProject, .newProjectInSwift6, .nonisolated] {
        // The other apps are compiled like this as scaffolded projects.
        if settings == .nonisolated, app != "CodeBlocker", app != "VoIPCallerName" { continue }
        for sources in targets { try AppModules.check(sources, settings, options, in: workplace) }
      }
    }

    @Test("the settings and the stand-in are needed: errors are found")
    func finds() throws {
      let workplace = try Workplace()
      let options = try AppModules.options(in: workplace)
      let screen = try workplace.write(
        "Screen.swift",
        """
        #if canImport(SwiftUI)
          import SwiftUI
          struct Screen: View {
            var body: some View { Text(1) }
          }
        #endif
        """)
      withKnownIssue { try AppModules.check([screen], .nonisolated, options, in: workplace) }
      let handler = try workplace.write(
        "Handler.swift",
        """
        import CallKit
        final class Handler: CXCallDirectoryProvider {
          override func beginRequest(with context: CXCallDirectoryExtensionContext) {}
        }
        """)
      try AppModules.check([handler], .nonisolated, options, in: workplace)
      for settings in [ProjectSettings.newProject, .newProjectInSwift6] {
        withKnownIssue { try AppModules.check([handler], settings, options, in: workplace) }
      }
    }
  }
#endif
