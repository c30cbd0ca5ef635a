// The sources that `cdpipe scaffold` writes compile as an app and as an extension, each a separate module, as in Xcode.

import Foundation
import Testing

#if os(Linux)
  extension SampleApps {
    @Suite("A scaffolded project")
    struct ScaffoldedProjectTests {
      /// The modules of the package that an app imports, and Apple's frameworks on Linux. SampleShared is not among
      /// them: its files are part of the project.
      private static let modules = [
        "AppExtensions", "CallDeltaReader", "CallDirectory", "CallDirectoryKit", "CallKit", "CallStoreFormat",
        "CallStoreReader",
      ]

      @Test("its app and its extension compile", arguments: ["tuist", "xcodegen"])
      func compiles(manager: String) throws {
        let workplace = try Workplace()
        try workplace.cdpipe(
          "scaffold", "--name", "Sample", "--bundle-id", "com.example.sample", "--extensions", "2",
          "--manager",
          manager, "-o", "project")
        // Only the modules that this test was built with.
        let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
          .deletingLastPathComponent()
        let built = products.appendingPathComponent("Modules")
        // The module map of a C module is in its build folder.
        let cModule = products.appendingPathComponent("CCRC32C.build/module.modulemap")
        let modules = workplace.folder.appendingPathComponent("modules")
        try FileManager.default.createDirectory(at: modules, withIntermediateDirectories: true)
        for module in Self.modules {
          let name = module + ".swiftmodule"
          try FileManager.default.createSymbolicLink(
            at: modules.appendingPathComponent(name), withDestinationURL: built.appendingPathComponent(name))
        }
        for (name, folder) in [("Sample", "App"), ("SampleDirectory1", "Extension")] {
          let files = try [folder, "Shared"].flatMap { folder in
            try FileManager.default.contentsOfDirectory(atPath: workplace.path("project/" + folder))
              .map { workplace.path("project/\(folder)/\($0)") }
          }
          #expect(files.count > 3)
          try workplace.run(
            "/usr/bin/env",
            [
              "swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-warnings-as-errors",
              "-module-name", name, "-I", modules.path, "-Xcc", "-fmodule-map-file=\(cModule.path)",
            ] + files)
        }
      }
    }
  }
#endif
