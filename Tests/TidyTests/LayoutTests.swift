// The sizes of functions, and the relation of names and folders.

import Foundation
import Testing

@Suite("Layout")
struct LayoutTests {
  private static let functionLinesMax = 60
  /// Inner loops whose state is in registers: divided, they lose a fifth of their speed.
  private static let innerLoopLinesMax = [
    "Sources/Messages/MessageRules/TextFolding.swift": 86,
    "Sources/Stages/3-Parse/JSONLineFastPath.swift": 67,
  ]

  private static func swiftTargets() throws -> [PackageTarget] {
    try PackageDescription.targets.get().filter { $0.isIn("Sources") }
  }

  @Test("functions have at most 60 lines")
  func functions() throws {
    for file in Repository.files(in: "Sources", endings: [".swift"]) {
      let linesMax = Self.innerLoopLinesMax[file] ?? Self.functionLinesMax
      for function in try SwiftSource(file).functions where function.lines > linesMax {
        Issue.record("\(file):\(function.line): \(function.lines) lines")
      }
    }
  }

  @Test("every source file begins with a comment that states its purpose")
  func headers() throws {
    for file in Repository.files(in: "Sources", endings: [".swift", ".h"])
    where !file.hasSuffix("/main.swift") {
      #expect(try Repository.text(file).hasPrefix("//"), "\(file)")
    }
  }

  @Test("a type name is used in one target only")
  func typeNames() throws {
    var owners: [String: Set<String>] = [:]
    for target in try Self.swiftTargets() {
      for file in target.files {
        for name in try SwiftSource(file).types { owners[name, default: []].insert(target.name) }
      }
    }
    for (name, targets) in owners.sorted(by: { $0.key < $1.key }) where targets.count > 1 {
      Issue.record("\(name) is declared in \(targets.sorted().joined(separator: ", "))")
    }
  }

  @Test("the folders of a module do not depend on each other in a cycle")
  func cycles() throws {
    for target in try Self.swiftTargets() {
      let uses = try folderUses(target)
      for folder in uses.keys.sorted() {
        // The first step of a cycle back to the folder itself.
        if let cycle = Self.way(from: folder, to: folder, uses) {
          Issue.record("\(target): \(cycle.joined(separator: " → "))")
          break
        }
      }
    }
  }

  /// For each folder of a target, the folders that it uses: a file contains a name that a file there declares.
  private func folderUses(_ target: PackageTarget) throws -> [String: Set<String>] {
    // Files next to the folders connect them and may use all of them.
    let sources = try target.files.compactMap { path -> (folder: String, source: SwiftSource)? in
      let parts = path.dropFirst(target.path.count + 1).split(separator: "/").dropLast()
      return try parts.first.map { (String($0), try SwiftSource(path)) }
    }
    var owner: [Substring: Set<String>] = [:]
    for (folder, source) in sources {
      for name in source.declarations { owner[Substring(name), default: []].insert(folder) }
    }
    var uses: [String: Set<String>] = [:]
    for (folder, source) in sources {
      for name in source.identifiers {
        // A name that several folders declare is not counted: it is not clear which one is meant.
        if let folders = owner[name], folders.count == 1, let other = folders.first, other != folder {
          uses[folder, default: []].insert(other)
        }
      }
    }
    return uses
  }

  /// A path from one folder to another along their uses.
  private static func way(from: String, to: String, _ uses: [String: Set<String>]) -> [String]? {
    var ways: [[String]] = [[from]]
    var seen: Set<String> = []
    while !ways.isEmpty {
      let way = ways.removeFirst()
      for next in (uses[way[way.count - 1]] ?? []).sorted() {
        if next == to { return way + [next] }
        if seen.insert(next).inserted { ways.append(way + [next]) }
      }
    }
    return nil
  }
}
