// The files of the checkout and the package description, as the tests of this target read them.

import Foundation
import Testing

/// The checkout.
enum Repository {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The files below a folder with one of the given endings, by their paths from the root. Snippets in documentation are
  /// not counted: scripts/check_snippets.py compiles them.
  static func files(in folder: String, endings: [String]) -> [String] {
    let base = root.appendingPathComponent(folder)
    let all = FileManager.default.enumerator(atPath: base.path)?.allObjects as? [String] ?? []
    return all.filter { name in
      endings.contains { name.hasSuffix($0) } && !name.hasPrefix(".build/") && !name.contains("/.build/")
        && !name.contains(".docc/")
    }.sorted().map { "\(folder)/\($0)" }
  }

  /// The text of a file.
  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// The lines of a file.
  static func lines(_ path: String) throws -> [Substring] {
    try text(path).split(separator: "\n", omittingEmptySubsequences: false)
  }
}

/// A target of the package.
struct PackageTarget: Sendable, CustomStringConvertible {
  let name: String
  /// Its folder, from the root.
  let path: String
  /// The targets of the package that it depends on.
  let targets: [String]
  /// The products of other packages that it depends on; each has a module of the same name.
  let products: [String]

  var description: String { name }

  /// The folders below ``path`` that have its sources; nil for all.
  var folders: [String]?

  /// The Swift files of the target.
  var files: [String] {
    (folders.map { $0.map { "\(path)/\($0)" } } ?? [path]).flatMap {
      Repository.files(in: $0, endings: [".swift"])
    }
  }

  /// Whether the target is in a folder.
  func isIn(_ folder: String) -> Bool { path == folder || path.hasPrefix(folder + "/") }
}

/// The package as Package.swift describes it.
enum PackageDescription {
  /// All targets.
  static let targets: Result<[PackageTarget], any Error> = Result { try load() }

  /// The target with a name.
  static func target(_ name: String) throws -> PackageTarget {
    try #require(try targets.get().first { $0.name == name }, "no target \(name) in Package.swift")
  }

  private struct Manifest: Decodable {
    struct Target: Decodable {
      let name: String
      let path: String?
      let sources: [String]?
      let dependencies: [[String: [DependencyPart?]]]
    }
    let targets: [Target]
  }

  /// A part of a dependency: a name, or the condition under which it applies.
  private enum DependencyPart: Decodable {
    case name(String)
    case condition

    init(from decoder: any Decoder) throws {
      self = (try? decoder.singleValueContainer().decode(String.self)).map { .name($0) } ?? .condition
    }
  }

  /// The targets that a folder's Package.swift describes; an empty path is the root.
  static func load(_ folder: String = "") throws -> [PackageTarget] {
    // A separate scratch folder: that of the running `swift test` is locked, and waiting for it would never end.
    let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("tidy-\(UUID())")
    defer { try? FileManager.default.removeItem(at: scratch) }
    let answer = try Program.run(
      "/usr/bin/env",
      [
        // Without the libraries that pkg-config finds: they have no sources, and only this package names them.
        "-u", "CDPIPE_PKG_CONFIG",
        "swift", "package", "--package-path", Repository.root.appendingPathComponent(folder).path,
        "--scratch-path", scratch.path, "dump-package",
      ])
    try #require(answer.status == 0)
    return try JSONDecoder().decode(Manifest.self, from: answer.output).targets.map { target in
      var targets: [String] = []
      var products: [String] = []
      for (kind, parts) in target.dependencies.flatMap({ $0 }) {
        guard case .name(let name) = parts.first ?? nil else { continue }
        if kind == "product" { products.append(name) } else { targets.append(name) }
      }
      return PackageTarget(
        name: target.name, path: target.path ?? "Sources/\(target.name)", targets: targets,
        products: products,
        folders: target.sources)
    }
  }
}

/// Programs that the tests run.
enum Program {
  /// Runs a program to its end.
  static func run(_ path: String, _ arguments: [String]) throws -> (status: Int32, output: Data) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, data)
  }
}
