// The caller directory: from a raw list through the pipeline to a server, then to the phone and the display of a call;
// the next night by the changes only; and servers with every kind of error.

import CallDirectory
import CallDirectoryKit
import CallKit
import CallManifest
import Foundation
import FrameworkServices
import SampleShared
import SimulatedPhone
import Testing

@testable import CallerID

private let prefix = CallerScene.prefix

extension SampleApps {
  @Suite("CallerID")
  struct CallerIDTests {
    @Test("a list becomes labels and blocked calls; the next night only what changed is loaded")
    func nights() async throws {
      let scene = try CallerScene()
      try scene.publish(CallerScene.monday)
      #expect(try await scene.directory.update() == [.loaded, .loaded])
      try scene.expectMonday()
      // The same list again: nothing is downloaded, and no extension is loaded.
      #expect(try await scene.directory.update() == [])
      try scene.publish(CallerScene.tuesday, since: true)
      #expect(try scene.files().contains { $0.hasSuffix(".cddelta.gz") })
      #expect(try await scene.directory.update() == [.loaded, .loaded])
      try scene.expectTuesday()
      for name in ["1", "2"] {
        let report = try #require(scene.phone.lastOutcome(prefix + name)?.report)
        #expect(report.isIncremental && !report.didInitialRemoval)
        #expect(report.blockingAdded + report.identificationAdded + report.removalsAsked <= 3)
      }
    }

    @Test("the bootstrap store is loaded first, and the full one replaces it")
    func bootstrap() async throws {
      let scene = try CallerScene()
      try scene.publish(CallerScene.monday)
      #expect(try await scene.directory.updater.update().shards == [1, 2])
      // The owner disables and enables the first extension: it starts with the bootstrap store, of two numbers.
      try scene.phone.switchOff(prefix + "1")
      #expect(scene.phone.switchOn(prefix + "1").isSuccess)
      let counts = try scene.phone.entryCounts(prefix + "1")
      #expect(counts.blocking + counts.identification == 2)
      #expect(try await scene.directory.update() == [.loaded, .loaded])
      try scene.expectMonday()
    }

    @Test("an extension that lost its state, or missed a night, is updated")
    func forgetful() async throws {
      let scene = try CallerScene()
      try scene.publish(CallerScene.monday)
      _ = try await scene.directory.update()
      try scene.phone.switchOff(prefix + "1")
      #expect(scene.phone.switchOn(prefix + "1").isSuccess)
      try scene.publish(CallerScene.tuesday, since: true)
      #expect(try await scene.directory.update() == [.loaded, .loaded])
      try scene.expectTuesday()
    }

    @Test("without deltas the new stores are loaded whole")
    func noDeltas() async throws {
      let scene = try CallerScene()
      try scene.publish(CallerScene.monday)
      _ = try await scene.directory.update()
      try FileManager.default.removeItem(at: scene.server)
      try scene.publish(CallerScene.tuesday)
      #expect(try await scene.directory.update() == [.loaded, .loaded])
      try scene.expectTuesday()
    }

    /// The error of the server, and the error that the app reports.
    enum ServerError: CaseIterable {
      case noManifest, htmlManifest, otherVersion, pathInName, sameShardTwice, hugeFile, missingFile, noGzip,
        cutGzip,
        otherContent, longerThanStated
    }

    @Test("a broken server changes nothing on the phone", arguments: ServerError.allCases)
    func broken(fault: ServerError) async throws {
      let scene = try CallerScene()
      try scene.publish(CallerScene.monday)
      _ = try await scene.directory.update()
      try scene.publish(CallerScene.tuesday, since: true)
      let expected = try Self.spoil(scene, fault)
      await #expect(throws: expected) { _ = try await scene.directory.update() }
      try scene.expectMonday()
      // If iOS loaded the extensions now, they would find a complete state.
      for own in scene.directory.extensions.prefix(2) {
        let files = try #require(scene.directory.updater.files(of: own.index.number))
        _ = try files.progress()
      }
    }

    private static func spoil(_ scene: CallerScene, _ fault: ServerError) throws -> DirectoryUpdateError {
      let shard = try #require(try scene.shards().first)
      let name = String(shard.dropLast(".gz".count))
      // A delta is downloaded before its store, so it is the file that fails.
      let delta = try #require(
        try scene.files().first { $0.hasPrefix("0001") && $0.hasSuffix(".cddelta.gz") })
      let deltaName = String(delta.dropLast(".gz".count))
      func manifest(_ old: String, _ new: String) throws {
        try scene.change("manifest.json") { data in
          let text = String(decoding: data, as: UTF8.self)
          #expect(text.contains(old))
          data = Data(text.replacingOccurrences(of: old, with: new).utf8)
        }
      }
      switch fault {
      case .noManifest:
        try FileManager.default.removeItem(at: scene.server.appendingPathComponent("manifest.json"))
        return .refused(name: "manifest.json", status: 404)
      case .htmlManifest:
        try scene.change("manifest.json") { $0 = Data("<html>Sign in</html>".utf8) }
        return try manifestError(scene)
      case .otherVersion:
        try manifest("\"version\" : 1", "\"version\" : 2")
        return .manifest(.unsupportedVersion(2))
      case .pathInName:
        try manifest("\"\(name)\"", "\"../\(name)\"")
        return .manifest(.invalid(.notAName, key: "shards[0].name"))
      case .sameShardTwice:
        try manifest("\"id\" : 2", "\"id\" : 1")
        return .manifest(.invalid(.notInOrder, key: "shards[1].id"))
      case .hugeFile:
        try scene.change("manifest.json") { data in
          let text = String(decoding: data, as: UTF8.self)
          data = Data(text.replacing(#/"bytes" : \d+/#, with: "\"bytes\" : 999999999999").utf8)
        }
        return .tooLarge(name: name)
      case .missingFile:
        try FileManager.default.removeItem(at: scene.server.appendingPathComponent(delta))
        return .refused(name: delta, status: 404)
      case .noGzip:
        try scene.change(delta) { $0 = Data("<html>Sign in</html>".utf8) }
        return .damaged(name: deltaName)
      case .cutGzip:
        try scene.change(delta) { $0 = $0.prefix($0.count / 2) }
        return .damaged(name: deltaName)
      case .otherContent:
        let bootstrap = try #require(
          try scene.files().first { $0.hasPrefix("bootstrap") && $0.hasSuffix(".gz") })
        try scene.change(delta) { data in
          data = (try? Data(contentsOf: scene.server.appendingPathComponent(bootstrap))) ?? Data()
        }
        return .damaged(name: deltaName)
      case .longerThanStated:
        try scene.workplace.write("long", String(repeating: "0", count: 1 << 20))
        try scene.workplace.run("/usr/bin/env", ["gzip", "-n", scene.workplace.path("long")])
        let long = try Data(contentsOf: URL(fileURLWithPath: scene.workplace.path("long.gz")))
        try scene.change(delta) { $0 = long }
        return .tooLarge(name: deltaName)
      }
    }

    /// The error of the server's manifest.
    private static func manifestError(_ scene: CallerScene) throws -> DirectoryUpdateError {
      let bytes = Array(try Data(contentsOf: scene.server.appendingPathComponent("manifest.json")))
      return try .manifest(#require(throws: ManifestError.self) { _ = try Manifest(bytes: bytes) })
    }

    @Test("more shards than extensions are reported before anything is changed")
    func tooMany() async throws {
      let scene = try CallerScene(extensions: 1)
      try scene.publish(CallerScene.monday)
      await #expect(throws: DirectoryUpdateError.missingExtension(2)) {
        _ = try await scene.directory.update()
      }
      #expect(try scene.answer("13800138001") == .unknown)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: scene.directory.updater.folder.path).isEmpty)
    }

    #if os(Linux)
      @Test("an update over http")
      func network() async throws {
        let maker = try CallerScene()
        try maker.publish(CallerScene.monday)
        // Port 0 selects any free port, which the server prints.
        let program = Process()
        program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        program.arguments = [
          "python3", "-u", "-c",
          """
          import functools, http.server, sys
          handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
          server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
          print(server.server_address[1], flush=True)
          server.serve_forever()
          """, maker.server.path,
        ]
        let output = Pipe()
        program.standardOutput = output
        program.standardError = FileHandle.nullDevice
        try program.run()
        // SIGTERM would stay pending: threads of tests block signals, and programs inherit that.
        defer { kill(program.processIdentifier, SIGKILL) }
        let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
          .trimmingCharacters(in: .whitespacesAndNewlines)
        let url = try #require(URL(string: "http://127.0.0.1:\(port)/"))
        let scene = try CallerScene(overNetwork: url)
        #expect(try await scene.directory.update() == [.loaded, .loaded])
        try scene.expectMonday()
        let missing = try CallerScene(overNetwork: url.appendingPathComponent("nowhere"))
        await #expect(throws: DirectoryUpdateError.refused(name: "manifest.json", status: 404)) {
          _ = try await missing.directory.update()
        }
      }
    #endif
  }
}
