// Reading a project's files: its texts, YAML as Swift values, and programs that read the rest.

import Foundation
import PhoneTools
import Testing
import Records

extension ProjectOptions {
  /// All options, as far as one excludes no other.
  static func complete(extensions: Int = 1) -> ProjectOptions {
    var options = ProjectOptions.extensions(extensions)
    options.listURL = "https://lists.example.com/lists/current"
    options.listKeys = ["ed25519:\(String(repeating: "8f", count: 32))"]
    options.listEncoding = .gzip
    options.hasRules = true
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
  /// Whether the file is a string catalog or a privacy manifest, which become resources.
  var isCatalog: Bool { path.hasSuffix(".xcstrings") || path.hasSuffix(".xcprivacy") }
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
      try Data(file.text.utf8).write(to: url)
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
