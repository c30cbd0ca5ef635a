// The peak memory of the release program, measured; the scripts in this folder do it and define the limits.
//
// Not for: speed, which `make bench` measures.

import CallDirectory
import DirectorySimulation
import Foundation
import SimulatedPhone
import StoreSupport
import Subprocess
import SystemPackage
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Peak memory")
struct PeakMemoryTests {
  @Test("runs and filters stay within their memory, whatever the input")
  func peaks() async throws { try await Self.run("peak_memory.py") }

  #if os(Linux)
    @Test("an extension loads 1,999,999 entries in 7 MB, and an app updates its list in 16 MB")
    func phone() async throws {
      let products = FilePath(CommandLine.arguments[0]).removingLastComponent()
      try await Self.run("phone_memory.py", products.appending("extension-program").string)
    }

    @Test("the user's own list, with as many rules as it can have, takes at most 4 MB of an extension")
    func ownList() throws {
      let place = try TemporaryDirectory()
      let first: UInt64 = 8_613_800_000_000
      let label = Array("!".utf8)
      // Without a copy of the label for each record.
      try StoreFiles.write(
        (0..<UInt64(ExtensionFiles.additionsMax)).map { TestRecord(first + $0, first + $0, label) },
        to: place / "full.cdstore")
      try StoreFiles.write([], to: place / "empty.cdstore")
      // Of every 300 numbers, one is allowed. Its label is as long as the size of the file permits.
      let rules = (0..<OwnList.rulesMax).map { index in
        "allow\t+\(first + 300 * UInt64(index))\t\(String(repeating: "a", count: 28))\n"
      }
      try OwnList(text: rules.joined()).write(to: place / "allowed.txt")
      // 19 patterns of 100,000 numbers each, and single numbers.
      let blocked = (0..<OwnList.rulesMax).map { index in
        (index < 19 ? "+86139\(100 + 2 * index)#####" : "+8613\(700_000_000 + 2 * index)") + "\n"
      }
      try OwnList(text: blocked.joined()).write(to: place / "blocked.txt")

      let record = place / "loaded.cdrecord"
      let empty = ExtensionFiles(store: place / "empty.cdstore", record: record)
      let base = try Self.privateBytes(empty, entries: 0, try Self.program())
      // The pages of a new program are dirty until the kernel has written them; they are not the extension's memory.
      let copy = place / "cdpipe"
      try FileManager.default.copyItem(atPath: try Self.program(), toPath: copy)
      var full = ExtensionFiles(store: place / "full.cdstore", record: record)
      full.ownList = place / "allowed.txt"
      let allowing = try Self.privateBytes(
        full, entries: ExtensionFiles.additionsMax - OwnList.rulesMax, copy)
      let blocking = try Self.privateBytes(
        ExtensionFiles(blocking: place / "blocked.txt", record: record), entries: 1_904_981, copy)
      print("own list: \(base) bytes private without one, \(allowing) and \(blocking) with one")
      #expect(allowing - base <= Self.ownListBytesMax && blocking - base <= Self.ownListBytesMax)
    }

    private static let ownListBytesMax = 4_000_000

    /// Loads files by an extension in its own process three times. Returns the least memory that it had: what the start of
    /// a process leaves differs.
    private static func privateBytes(_ files: ExtensionFiles, entries: Int, _ program: String) throws -> Int {
      let name = "com.example.app.directory"
      let held = try (0..<3).map { _ in
        let phone = try SimulatedPhone(.counting(watching: []))
        try phone.install(
          name, LoadingExtension.child(files, program: program, privateBytesMax: nil))
        let outcome = phone.switchOn(name)
        #expect(outcome.failure == nil && outcome.report.blockingAdded == entries)
        return try #require(outcome.report.privateBytesMax)
      }
      return try #require(held.min())
    }
  #endif

  /// The soak has 20 sources of each kind, 760 in all.
  @Test("hostile sources are left out, each with its reason, in bounded time and memory")
  func hostile() async throws {
    try await Self.run("hostile.py", unsafe getenv("CDPIPE_SOAK") == nil ? "1" : "20")
  }

  /// The folder with the scripts.
  private static let folder = FilePath(#filePath).removingLastComponent()

  /// The path of `cdpipe`.
  private static func program() throws -> String {
    let root = folder.removingLastComponent().removingLastComponent()
    let named = unsafe getenv("CDPIPE_BINARY").map { unsafe String(cString: $0) }
    let program = named ?? root.appending(".build/release/cdpipe").string
    try #require(
      unsafe access(program, X_OK) == 0, "the program '\(program)' is missing: `make build` builds it")
    return program
  }

  private static func run(_ script: String, _ arguments: String...) async throws {
    let program = try program()
    let result = try await Subprocess.run(
      .name("python3"), arguments: Arguments([folder.appending(script).string, program] + arguments),
      output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
    #expect(result.terminationStatus.isSuccess, "\(result.standardOutput)\(result.standardError)")
  }
}
