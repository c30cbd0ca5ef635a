// The house in order: who imports whom, how long files are, and what the release program is linked with.
//
// The build checks that a target imports only what it names; these tests hold what that can't see.

import Foundation
import Testing

/// The checkout.
private enum House {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Files below a folder, by their paths from the root.
  static func files(in folder: String, endings: [String]) -> [String] {
    let base = root.appendingPathComponent(folder)
    let all = FileManager.default.enumerator(atPath: base.path)?.allObjects as? [String] ?? []
    return all.filter { name in endings.contains { name.hasSuffix($0) } }.sorted().map { "\(folder)/\($0)" }
  }

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// The modules that a Swift file imports. What stands in a text of several lines is none of its own.
  static func imports(_ path: String) throws -> [String] {
    var isText = false
    return try text(path).split(separator: "\n").compactMap { line in
      let marks =
        line.split(separator: String(repeating: "\"", count: 3), omittingEmptySubsequences: false).count - 1
      if marks == 1 { isText.toggle() }
      if isText { return nil }
      let words = line.split(separator: " ")
      guard let place = words.firstIndex(of: "import"), place <= 2, words.count > place + 1 else {
        return nil
      }
      let before = words[..<place]
      guard before.allSatisfy({ $0 == "public" || $0 == "package" || $0.hasPrefix("@") }) else { return nil }
      return String(words[place + 1])
    }
  }
}

// MARK: The table of DESIGN, section 1

/// A room, and what its files may import.
struct Room: Sendable, CustomStringConvertible {
  let folder: String
  let mayImport: [String]
  var description: String { folder }
}

private enum Layers {
  static let libc = ["Glibc", "Darwin"]
  static let standard =
    libc + ["Synchronization", "BasicContainers", "DequeModule", "HeapModule", "SystemPackage"]

  static let core = ["CallRecord", "ContentHash", "PipeStage", "SystemIO"] + standard
  static let table = [
    Room(folder: "Sources/Core/CallRecord", mayImport: ["BasicContainers"]),
    Room(folder: "Sources/Core/ContentHash", mayImport: ["Crypto"]),
    Room(folder: "Sources/Core/SystemIO", mayImport: standard + ["CMalloc"]),
    Room(folder: "Sources/Core/PipeStage", mayImport: ["CallRecord", "SystemIO"] + standard),
    Room(folder: "Sources/Core/YAMLDocument", mayImport: ["CLibYAML"]),
    Room(folder: "Sources/NumberPlan/NumberPlan", mayImport: ["CNumberPlanTables"]),
    Room(folder: "Sources/Stages/0-Generate", mayImport: core + ["NumberPlan"]),
    Room(folder: "Sources/Stages/1-Download", mayImport: core + ["CLibCurl"]),
    Room(folder: "Sources/Stages/2-Unzip", mayImport: core + ["CLibZip"]),
    Room(folder: "Sources/Stages/3-Parse", mayImport: core),
    // The second target of the stage: the formats of other applications.
    Room(
      folder: "Sources/Stages/3-Parse-Applications",
      mayImport: core + ["CLibExpat", "CLibSQLite", "ParseStage"]),
    Room(folder: "Sources/Stages/4-Normalize", mayImport: core + ["NumberPlan"]),
    Room(folder: "Sources/Stages/5-Sort", mayImport: core + ["CPrefetch"]),
    Room(folder: "Sources/Stages/6-Dedupe", mayImport: core),
    Room(
      folder: "Sources/Stages/7-Emit",
      mayImport: core + [
        "CallDeltaReader", "CallDeltaWriter", "CallStoreFormat", "CallStoreReader", "CallStoreWriter",
        "FoundationEssentials",
      ]),
    Room(folder: "Sources/Store/CallDeltaReader", mayImport: ["CallStoreFormat", "CallStoreReader"] + libc),
    Room(
      folder: "Sources/Store/CallDeltaWriter",
      mayImport: [
        "CallDeltaReader", "CallStoreFormat", "CallStoreReader", "CallStoreWriter", "ContentHash",
        "PipeStage",
        "SystemIO",
      ]),
    Room(
      folder: "Sources/Stages/8-Sets",
      mayImport: core + ["CallStoreFormat", "CallStoreReader"]),
    Room(folder: "Sources/Store/CallStoreFormat", mayImport: ["CCRC32C"]),
    Room(folder: "Sources/Store/CallStoreReader", mayImport: ["CallStoreFormat"] + libc),
    Room(
      folder: "Sources/Store/CallStoreWriter",
      mayImport: ["BasicContainers", "CallStoreFormat", "CallStoreReader", "ContentHash"]),
    Room(folder: "Sources/Messages/MessageRules", mayImport: ["CallStoreFormat", "NumberPlan"] + libc),
    Room(
      folder: "Sources/Messages/MessageRulesCompiler",
      mayImport: [
        "CMessageTables", "CallStoreFormat", "FoundationEssentials", "MessageRules", "YAMLDocument",
      ]),
    Room(
      folder: "Sources/Runner/PipeRunner",
      mayImport: core + [
        "DownloadStage", "UnzipStage", "ParseStage", "NormalizeStage", "SortStage", "DedupeStage",
        "ApplicationFormats", "EmitStage", "GenerateStage", "NumberPlan", "SetStage", "YAMLDocument",
      ]),
    Room(folder: "Sources/Runner/RunReport", mayImport: []),
    Room(
      folder: "Sources/Apple/CallDirectory",
      mayImport: ["CallDeltaReader", "CallStoreFormat", "CallStoreReader", "ObjectiveC"] + libc),
    Room(folder: "Sources/Apple/CallDirectoryKit", mayImport: ["CallDirectory", "CallKit"]),
    Room(folder: "Sources/Simulator/DirectorySimulation", mayImport: ["CallDirectory", "SimulatedPhone"]),
    Room(
      folder: "Sources/Runner/Publishing",
      mayImport: core + ["DownloadStage", "EmitStage", "FoundationEssentials", "SetStage"]),
    Room(
      folder: "Sources/Simulator/SimulatedPhone",
      mayImport: ["CLibSQLite", "Glibc", "Darwin", "Synchronization", "SystemIO", "SystemPackage"]),
    Room(folder: "Sources/Simulator/AppExtensions", mayImport: apple),
    Room(folder: "Sources/Simulator/CallKit", mayImport: apple + ["AppExtensions"]),
    Room(folder: "Sources/Simulator/IdentityLookup", mayImport: apple + ["AppExtensions"]),
    Room(
      folder: "Sources/Simulator/FrameworkServices",
      mayImport: apple + ["AppExtensions", "CallKit", "Glibc", "IdentityLookup", "SimulatedPhone"]),
    Room(folder: "Sources/Scaffold", mayImport: []),
    Room(
      folder: "samples/apps/Block070",
      mayImport: sample + ["CallDirectory", "CallDirectoryKit", "SampleShared", "SwiftUI"]),
    Room(folder: "samples/apps/CodeBlocker", mayImport: sample + ["NumberPlan", "SampleShared"]),
    Room(
      folder: "samples/apps/CallerID",
      mayImport: sample + [
        "CallDirectory", "CallDirectoryKit", "CallStoreReader", "Crypto", "CryptoKit", "FoundationNetworking",
        "SampleShared", "zlib",
      ]),
    Room(folder: "samples/apps/SampleShared", mayImport: sample + ["CallDirectory", "CallDirectoryKit"]),
    Room(
      folder: "samples/apps/VoIPCallerName",
      mayImport: sample + ["AVFoundation", "CallDirectory", "NumberPlan"]),
    Room(
      folder: "samples/apps/MessageFilter",
      mayImport: sample + [
        "CallStoreReader", "IdentityLookup", "MessageRules", "SampleShared", "Synchronization",
      ]),
  ]
  /// What is there for apps on iOS, and in place of it on Linux.
  static let sample = ["AppExtensions", "CallKit", "Foundation"]
  /// Apple's frameworks link Foundation, and so do their simulators, which nothing of `cdpipe` imports.
  static let apple = [
    "Dispatch", "Foundation", "FoundationEssentials", "FoundationNetworking", "Synchronization",
  ]
  static let withFoundation = ["AppExtensions", "CallKit", "FrameworkServices", "IdentityLookup"].map {
    "Sources/Simulator/\($0)/"
  }
}

@Suite("Tidy")
struct TidyTests {
  @Test("a room imports what the design lets it", arguments: Layers.table)
  func imports(room: Room) throws {
    let files = House.files(in: room.folder, endings: [".swift"])
    #expect(!files.isEmpty, "there is no \(room.folder)")
    for file in files {
      for module in try House.imports(file) where !room.mayImport.contains(module) {
        Issue.record("\(file) imports \(module)")
      }
    }
  }

  @Test("every Swift file outside the command line and the tools is in a room of the table")
  func everyRoom() {
    for file in House.files(in: "Sources", endings: [".swift"]) {
      let isElsewhere = file.hasPrefix("Sources/CommandLine/") || file.hasPrefix("Sources/Tools/")
      #expect(isElsewhere || Layers.table.contains { file.hasPrefix($0.folder + "/") }, "\(file)")
    }
  }

  @Test(
    "nothing but the tools and Apple's frameworks imports Foundation; ArgumentParser is the command line's")
  func foundation() throws {
    for file in House.files(in: "Sources", endings: [".swift"]) {
      let modules = try House.imports(file)
      let mayLink = file.hasPrefix("Sources/Tools/") || Layers.withFoundation.contains { file.hasPrefix($0) }
      if !mayLink {
        #expect(!modules.contains("Foundation") && !modules.contains("FoundationXML"), "\(file)")
      }
      if !file.hasPrefix("Sources/CommandLine/") { #expect(!modules.contains("ArgumentParser"), "\(file)") }
    }
  }

  @Test("files stay under 400 lines")
  func lengths() throws {
    let files = [
      "Sources", "Tests", "scripts", "Benchmarks", "samples", "pipelines", "Server/Sources", "Server/Tests",
    ].flatMap {
      House.files(in: $0, endings: [".swift", ".c", ".h", ".py", ".sh"])
    }
    #expect(files.count > 100)
    // Generated, and not to be read.
    for file in files where !file.hasSuffix("Tables.c") {
      let lines = try House.text(file).split(separator: "\n", omittingEmptySubsequences: false).count
      #expect(lines <= 400, "\(file): \(lines) lines")
    }
  }

  @Test("every source file says first what it is for")
  func headers() throws {
    for file in House.files(in: "Sources", endings: [".swift", ".h"]) where !file.hasSuffix("/main.swift") {
      #expect(try House.text(file).hasPrefix("//"), "\(file)")
    }
  }

  // MARK: The release program

  static var program: String {
    ProcessInfo.processInfo.environment["CDPIPE_BINARY"] ?? House.root.path + "/.build/release/cdpipe"
  }

  #if os(Linux)
    @Test("the release program starts light: no Foundation, no Swift runtime, no libcurl, no libzip to load")
    func libraries() throws {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["ldd", Self.program]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      #expect(text.contains("libc.so"))
      for library in ["Foundation", "libswift", "libcurl", "libzip", "libcrypto", "icu"] {
        #expect(!text.contains(library), "\(text)")
      }
    }
  #endif

  @Test("the release program is under 25 MB, as it is built")
  func size() throws {
    let attributes = try FileManager.default.attributesOfItem(atPath: Self.program)
    let bytes = try #require(attributes[.size] as? Int)
    #expect(bytes < 25_000_000)
  }
}
