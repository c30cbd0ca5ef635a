// The sources that `cdpipe scaffold` writes compile as an app and as an extension, each a separate module, as in Xcode.

import Foundation
import Testing

#if os(Linux)
  extension SampleApps {
    @Suite("A scaffolded project")
    struct ScaffoldedProjectTests {
      /// A project, the options that create it, its two modules, and the modules that their sources import: those of
      /// the package, and Apple's frameworks on Linux. SampleShared is not among them: its files are part of the
      /// project.
      struct Project: CustomTestStringConvertible {
        let kind: String
        let options: [String]
        let targets: [(module: String, folder: String)]
        let modules: [String]
        var testDescription: String { kind }
      }

      static let projects = [
        Project(
          kind: "blocker", options: ["--extensions", "2"],
          targets: [("Sample", "App"), ("SampleDirectory1", "Extension")],
          modules: [
            "AppExtensions", "CallDeltaReader", "CallDirectory", "CallDirectoryKit", "CallKit",
            "CallManifest", "CallStoreFormat", "CallStoreReader", "ContentHash", "Crypto",
            "CryptoBoringWrapper", "NumberPlan",
          ]),
        Project(
          kind: "live-lookup", options: ["--server-url", "https://lookup.example.com"],
          targets: [("Sample", "App"), ("SampleLookup", "Extension")],
          modules: ["AppExtensions", "IdentityLookup"]),
      ]

      @Test("its app and its extension compile", arguments: projects, ["xcode", "tuist", "xcodegen"])
      func compiles(project: Project, manager: String) throws {
        let workplace = try Workplace()
        try workplace.cdpipe(
          arguments: [
            "scaffold", "--kind", project.kind, "--name", "Sample", "--bundle-id", "com.example.sample",
            "--manager", manager, "-o", "project",
          ] + project.options)
        let options = try AppModules.options(project.modules, in: workplace, withSwiftUI: true)
        for (name, folder) in project.targets {
          let files = try [folder, "Shared"].flatMap { folder in
            try FileManager.default.contentsOfDirectory(atPath: workplace.path("project/" + folder))
              .filter { $0.hasSuffix(".swift") }.map { workplace.path("project/\(folder)/\($0)") }
          }
          #expect(files.count >= 3)
          try workplace.run(
            "/usr/bin/env",
            [
              "swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-warnings-as-errors",
              "-module-name", name,
            ] + options + files)
        }
      }
    }
  }
#endif
