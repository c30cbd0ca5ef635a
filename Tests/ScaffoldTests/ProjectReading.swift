// Reading a project's files: its texts, YAML as Swift values, and programs that read the rest.

import Foundation
import ProjectScaffold
import Testing
import YAMLDocument

extension ProjectPlan {
  /// The text of a file.
  func text(_ path: String) throws -> String {
    try #require(files.first { $0.path == path }?.text, "there is no \(path)")
  }

  /// The modules that the Swift files import.
  var importedModules: Set<String> { importedModules(inFolders: [""]) }

  /// The modules that the Swift files of some folders import.
  func importedModules(inFolders folders: [String]) -> Set<String> {
    var modules: Set<String> = []
    for file in files
    where file.path.hasSuffix(".swift") && folders.contains(where: { file.path.hasPrefix($0) }) {
      for line in file.text.split(separator: "\n") {
        let words = line.split(separator: " ")
        if words.count == 2, words[0] == "import" { modules.insert(String(words[1])) }
      }
    }
    return modules
  }

  /// Writes the project to a folder.
  func write(to folder: URL) throws {
    for file in files {
      let url = folder.appendingPathComponent(file.path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(file.text.utf8).write(to: url)
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
  init(xcodeGen plan: some ProjectPlan) throws {
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
