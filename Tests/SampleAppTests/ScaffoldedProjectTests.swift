// The projects that `cdpipe scaffold` writes: the sources of each target compile as a module of their own, as in Xcode,
// with their screens.

import Foundation
import Testing

#if os(Linux)
  /// A target of a scaffolded project, as an independent reader of the .xcodeproj describes it.
  struct ProjectTarget {
    let name: String
    let identifier: String
    let infoPlist: String
    let folders: [String]
    let resources: [String]

    /// Reads the targets of a project: the app first.
    static func all(of project: String, in workplace: Workplace) throws -> [ProjectTarget] {
      let reader = Workplace.root.path + "/Tests/ScaffoldTests/Programs/read_xcodeproj.py"
      let lines = try workplace.run("/usr/bin/env", ["python3", reader, workplace.path(project)])
      return lines.split(separator: "\n").dropFirst().map { line in
        let fields = line.components(separatedBy: "|")
        return ProjectTarget(
          name: fields[0], identifier: fields[2], infoPlist: fields[5],
          folders: fields[7].components(separatedBy: " "),
          resources: fields[8].split(separator: " ").map(String.init))
      }
    }
  }

  /// A kind of project, and the options that it needs.
  struct ScaffoldedKind: CustomTestStringConvertible {
    let testDescription: String
    let options: [String]

    static let list = ["--list-url", "https://lists.example.com/lists/current"]
    static let rules = [
      "--rules", Workplace.root.path + "/samples/message-rules.yaml", "--rules-url",
      "https://rules.example.com/rules.cdrules", "--filter-url", "https://filter.example.com/message-filter",
    ]
    static let lookup = ["--server-url", "https://lookup.example.com"]
    static let all = [
      ScaffoldedKind(testDescription: "blocker", options: ["--extensions", "2"]),
      ScaffoldedKind(testDescription: "area-codes", options: []),
      ScaffoldedKind(testDescription: "voip", options: []),
      ScaffoldedKind(testDescription: "caller-id", options: list + ["--extensions", "2"]),
      ScaffoldedKind(testDescription: "message-filter", options: rules),
      ScaffoldedKind(testDescription: "live-lookup", options: lookup),
      ScaffoldedKind(testDescription: "all", options: list + rules + lookup),
    ]

    /// The settings with which the project is compiled. The sources of a kind with one part are those of a sample, which
    /// is compiled with the others.
    var settings: [ProjectSettings] {
      testDescription == "all" ? [.newProject, .nonisolated] : [.nonisolated]
    }

    /// Writes the project `project`.
    func scaffold(in workplace: Workplace, _ options: [String] = []) throws {
      try workplace.cdpipe(
        arguments: [
          "scaffold", "--kind", testDescription, "--name", "Sample", "--bundle-id", "com.example.sample",
          "-o", "project",
        ] + self.options + options)
    }
  }

  extension SampleApps {
    @Suite("A scaffolded project")
    struct ScaffoldedProjectTests {
      @Test("its app and its extensions compile", arguments: ScaffoldedKind.all)
      func compiles(kind: ScaffoldedKind) throws {
        let workplace = try Workplace()
        try kind.scaffold(in: workplace)
        let options = try AppModules.options(in: workplace)
        let targets = try ProjectTarget.all(of: "project", in: workplace)
        func sources(_ target: ProjectTarget) throws -> [String] {
          try target.folders.flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: workplace.path("project/" + folder))
              .filter { $0.hasSuffix(".swift") }.map { workplace.path("project/\(folder)/\($0)") }
          }
        }
        // Extensions that share their sources are compiled once.
        var compiled: Set<[String]> = []
        for target in targets.dropLast() where compiled.insert(target.folders).inserted {
          let files = try sources(target)
          #expect(files.count >= 3)
          for settings in kind.settings {
            try AppModules.check(files, as: target.name, settings, options, in: workplace)
          }
        }
        // The tests import the app.
        try AppModules.buildForTests(
          try sources(targets[0]), as: targets[0].name, .nonisolated, options, in: workplace)
        let tests = try #require(targets.last)
        #expect(tests.folders == ["Tests"])
        try AppModules.check(try sources(tests), as: tests.name, .nonisolated, options, in: workplace)
        #expect(compiled.count == (["all": 4, "voip": 1][kind.testDescription] ?? 2))
      }
    }
  }
#endif
