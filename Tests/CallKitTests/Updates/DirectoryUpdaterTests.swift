// What an update requests and changes, which manifests it refuses, and what every failure leaves.

import CallDirectory
import CallDirectoryKit
import CallManifest
import Foundation
import TestSupport
import Testing

@Suite("Updating extensions' folders", .seeded)
struct DirectoryUpdaterTests {
  private static let monday = [
    [TestRecord(1, "a"), TestRecord(5, to: 20, "b!"), TestRecord(70, "a")], [TestRecord(600, "a")],
  ]
  private static let tuesday = [
    [TestRecord(1, "z"), TestRecord(5, to: 20, "b!"), TestRecord(71, "a")],
    [TestRecord(600, "a"), TestRecord(601, "c")],
  ]

  /// Numbers of each shard, in one of the versions or in none.
  private static let numbers: [[UInt64]] = [[1, 5, 70, 71, 72], [600, 601, 602]]

  private static func names(_ scene: UpdateScene) -> [String] { scene.server.nextRequests().map(\.name) }

  // MARK: Requests

  @Test("an update downloads the manifest and its files; the next one only the signature")
  func requests() async throws {
    let scene = try UpdateScene()
    try scene.publish(Self.monday, bootstrap: [TestRecord(70, "a")])
    let update = try await scene.updater.update()
    let manifest = try #require(scene.list.manifest)
    let requests = scene.server.nextRequests()
    #expect(
      requests.map(\.name) == [
        "manifest.json.sig", "manifest.json", try #require(manifest.bootstrap).name,
        manifest.shards[0].store.name, manifest.shards[1].store.name,
      ])
    // A file that may be continued in the middle is not compressed by the server.
    #expect(scene.server.compressible == ["manifest.json.sig", "manifest.json"])
    #expect(update.changed == [1, 2] && !update.isUpToDate)
    #expect(update.bytesDownloaded == UInt64(requests.map(\.bytes).reduce(0, +)))
    #expect(update.serial == 2 && update.expires == Date(timeIntervalSince1970: Double(scene.now + 1_000)))
    // The signature is renewed, the list is the same.
    try scene.offer()
    let next = try await scene.updater.update()
    #expect(next.isUpToDate && next.shards == [1, 2] && next.serial == 3)
    #expect(Self.names(scene) == ["manifest.json.sig"])
    #expect(!FileManager.default.fileExists(atPath: scene.place / "group/downloads"))
  }

  @Test(
    "without signatures, an unchanged manifest is not sent again, and the next version is downloaded as deltas"
  )
  func etag() async throws {
    let scene = try UpdateScene(signed: false)
    try scene.publish(Self.monday)
    #expect(try await scene.updater.update().serial == nil)
    _ = scene.server.nextRequests()
    #expect(try await scene.updater.update().isUpToDate)
    #expect(scene.server.nextRequests() == [ListServer.Request(name: "manifest.json", status: 304, bytes: 0)])
    try scene.publish(Self.tuesday)
    #expect(try await scene.updater.update().changed == [1, 2])
    var expected = ["manifest.json"]
    for shard in try #require(scene.list.manifest).shards { expected += (shard.deltas ?? []).map(\.name) }
    #expect(expected.count == 3 && Self.names(scene) == expected)
    // Another manifest than that of the ETag: it is requested without condition.
    try Data("{}".utf8).write(to: scene.folder.appendingPathComponent("manifest.json"))
    #expect(try await scene.updater.update().isUpToDate)
    #expect(scene.server.nextRequests().map(\.status) == [200])
  }

  @Test("a transfer continues where it was interrupted, and starts again if the file is another one")
  func resuming() async throws {
    for isReplaced in [false, true] {
      let scene = try UpdateScene()
      scene.encoding = .gzip
      try scene.publish(Self.monday)
      scene.server.fail(at: 2, .cut)
      await #expect(throws: URLError.self) { try await scene.updater.update() }
      let first = try #require(scene.server.nextRequests().last)
      scene.server.fail(at: nil)
      if isReplaced {
        // The same file, in another compression.
        scene.server.files[first.name]?[9] = 3
      }
      #expect(try await scene.updater.update().changed == [1, 2])
      let second = try #require(scene.server.nextRequests().first { $0.name == first.name })
      let count = try #require(scene.server.files[first.name]).count
      #expect(second.status == (isReplaced ? 200 : 206))
      #expect(second.bytes == (isReplaced ? count : count - first.bytes))
      #expect(try scene.stores() == scene.list.stores)
    }
  }

  @Test("files that are complete are not requested again, those of other versions are removed")
  func completeFiles() async throws {
    let scene = try UpdateScene()
    try scene.publish(Self.monday)
    _ = try await scene.updater.update()
    try scene.publish(Self.tuesday, deltasFrom: 0)
    // The app ends when the first store is complete, before it is put into place.
    scene.changesMax = 0
    #expect(await scene.error() is UpdateEnded)
    let store = try #require(scene.list.manifest?.shards[0].store.name)
    #expect(Self.names(scene).last == store)
    try Data("x".utf8).write(
      to: scene.folder.appendingPathComponent("downloads/0001-000000000000.cdstore.part"))
    #expect(await scene.error() is UpdateEnded)
    #expect(!Self.names(scene).contains(store))
    let left = try FileManager.default.contentsOfDirectory(atPath: scene.place / "group/downloads")
    #expect(!left.contains { $0.hasPrefix("0001-000000000000") })
  }

  @Test("a server that switches versions in the middle of an update: it starts again")
  func versionSwitch() async throws {
    let scene = try UpdateScene()
    try scene.publish(Self.monday)
    let old = try #require(scene.server.files["manifest.json.sig"])
    try scene.publish(Self.tuesday)
    // The signature of the version before, once.
    let new = try #require(scene.server.files["manifest.json.sig"])
    scene.server.files["manifest.json.sig"] = old
    await #expect(throws: DirectoryUpdateError.untrusted(.altered)) { try await scene.updater.update() }
    #expect(
      Self.names(scene) == ["manifest.json.sig", "manifest.json", "manifest.json.sig", "manifest.json"])
    scene.server.files["manifest.json.sig"] = new
    scene.server.fail(at: 1, .altered)
    #expect(try await scene.updater.update().changed == [1, 2])
    #expect(try scene.stores() == scene.list.stores)
  }

  @Test("a list with fewer shards: the folder of the other extension is removed, with its record")
  func fewerShards() async throws {
    let scene = try UpdateScene()
    let phone = try UpdatePhone(scene)
    try scene.publish(Self.monday)
    for shard in try await scene.updater.update().changed { try await phone.load(shard, scene) }
    try phone.expect(2, Self.monday[1], numbers: [600])
    try scene.publish([Self.tuesday[0]])
    let update = try await scene.updater.update()
    #expect(update.changed == [1] && update.removed == [2] && update.shards == [1])
    #expect(scene.updater.files(of: 2) == nil)
    try await phone.load(2, scene)
    try phone.expect(2, [], hasBallast: false, numbers: [600])
    try scene.publish(Self.monday)
    #expect(try await scene.updater.update().changed == [1, 2])
    try await phone.load(2, scene)
    try phone.expect(2, Self.monday[1], numbers: [600])
  }

  @Test("a delta in several steps counts only when all of them are there")
  func steps() async throws {
    let scene = try UpdateScene()
    scene.list.ballast = 2
    try scene.publish(Self.monday)
    _ = try await scene.updater.update()
    try scene.publish([(1...40).map { TestRecord($0, "n") }, Self.monday[1]], entriesMax: 10)
    #expect(try await scene.updater.update().changed == [1])
    let steps = try #require(scene.updater.files(of: 1)).deltas.count
    #expect(steps > 2)
    #expect(try scene.stores() == scene.list.stores)
    // Back to Monday's store, which is there: only the deltas show that it was another one in between.
    try scene.publish(Self.monday)
    #expect(try await scene.updater.update().changed == [1])
    #expect(try #require(scene.updater.files(of: 1)).deltas.count == steps + 1)
    #expect(try scene.stores() == scene.list.stores)
    // A new store: none of the former deltas is left.
    try scene.publish(Self.tuesday, deltasFrom: 0)
    #expect(try await scene.updater.update().changed == [1, 2])
    let names = try FileManager.default.contentsOfDirectory(atPath: scene.place / "group/0001")
    #expect(names == [ExtensionFiles.storeName])
  }

  @Test("a second update of the same folder is refused while one is in progress")
  func twice() async throws {
    let scene = try UpdateScene()
    try scene.publish(Self.monday)
    let inner = Notified(scene.updater)
    var outer = DirectoryUpdater(
      server: scene.updater.server, folder: scene.folder, trust: scene.trust, transport: inner)
    outer.clock = scene.updater.clock
    await #expect(throws: DirectoryUpdateError.inProgress) { try await outer.update() }
    #expect(try await scene.updater.update().changed == [1, 2])
  }

  /// A transport that updates by another updater instead of sending a request.
  private struct Notified: UpdateTransport {
    let updater: DirectoryUpdater
    init(_ updater: DirectoryUpdater) { self.updater = updater }
    func get(_ url: URL, headers: [String: String], body: any UpdateBody) async throws {
      _ = try await updater.update()
    }
  }

  @Test("a redirect from https leads to https only")
  func redirects() {
    let (secure, plain) = (URL(string: "https://a.example/x"), URL(string: "http://a.example/x"))
    #expect(URLSessionTransport.isAllowed(from: secure, to: secure))
    #expect(!URLSessionTransport.isAllowed(from: secure, to: plain))
    #expect(!URLSessionTransport.isAllowed(from: secure, to: URL(string: "ftp://a.example/x")))
    #expect(
      URLSessionTransport.isAllowed(from: plain, to: plain)
        && URLSessionTransport.isAllowed(from: plain, to: secure))
  }

  // MARK: Trust

  /// Expects that an update is refused and changes nothing, and that the next one succeeds.
  private static func expectRefused(
    _ expected: DirectoryUpdateError, sourceLocation: SourceLocation = #_sourceLocation,
    _ spoil: (UpdateScene) throws -> Void
  ) async throws {
    let scene = try UpdateScene()
    try scene.publish(monday)
    _ = try await scene.updater.update()
    let (before, trust, extensions) = (try scene.snapshot(), scene.trust, scene.extensions)
    try scene.publish(tuesday)
    try spoil(scene)
    #expect(await scene.error() as? DirectoryUpdateError == expected, sourceLocation: sourceLocation)
    #expect(try scene.snapshot() == before, sourceLocation: sourceLocation)
    (scene.trust, scene.extensions, scene.now) = (trust, extensions, UpdateScene.start)
    try scene.offer()
    #expect(try await scene.updater.update().changed == [1, 2], sourceLocation: sourceLocation)
  }

  @Test("unsigned, damaged, altered, by another key, older, expired: each is refused with its own error")
  func trust() async throws {
    let (signature, manifest) = (ManifestSignature.fileName, Manifest.fileName)
    let other = try ListSigner()
    try await Self.expectRefused(.untrusted(.unsigned)) { $0.server.files[signature] = nil }
    try await Self.expectRefused(.untrusted(.damaged)) {
      $0.server.files[signature] = Array("<html>Sign in</html>".utf8)
    }
    try await Self.expectRefused(.untrusted(.altered)) { $0.server.files[manifest]?.append(0x20) }
    try await Self.expectRefused(.untrusted(.expired(at: UpdateScene.start + 1_000))) { $0.now += 1_001 }
    try await Self.expectRefused(.untrusted(.olderThanAccepted(serial: 1, accepted: 2))) { scene in
      let files = scene.server.files
      scene.server.files[signature] = try scene.signer?.signature(
        try #require(files[manifest]), serial: 1, expires: scene.now + 1_000)
    }
    try await Self.expectRefused(.untrusted(.olderThanAccepted(serial: 3, accepted: 77))) { scene in
      scene.trust = .signed(by: scene.signer?.trusted ?? [], serialMin: 77)
    }
    try await Self.expectRefused(.untrusted(.wrongKey(signedBy: other.trusted.map(\.id)))) { scene in
      let bytes = try #require(scene.server.files[manifest])
      scene.server.files[signature] = try other.signature(bytes, serial: 9, expires: scene.now + 1_000)
    }
    try await Self.expectRefused(.untrusted(.manifest(.notAManifest))) { scene in
      let bytes = Array("{}".utf8)
      scene.server.files[manifest] = bytes
      scene.server.files[signature] = try scene.signer?.signature(
        bytes, serial: 9, expires: scene.now + 1_000)
    }
    try await Self.expectRefused(.missingExtension(2)) { $0.extensions = [1, 3] }
    try await Self.expectRefused(.tooLarge(name: signature)) {
      $0.server.files[signature]?.append(contentsOf: [UInt8](repeating: 0x20, count: 4096))
    }
  }

  @Test("a failed update does not count as accepted, a complete one does")
  func serial() async throws {
    let scene = try UpdateScene()
    try scene.publish(Self.monday)
    let earlier = scene.server.files
    try scene.publish(Self.tuesday)
    let later = scene.server.files
    scene.server.fail(at: 2)
    #expect(await scene.error() is URLError)
    scene.server.fail(at: nil)
    scene.server.files = earlier
    #expect(try await scene.updater.update().serial == 2)
    scene.server.files = later
    #expect(try await scene.updater.update().serial == 3)
    scene.server.files = earlier
    #expect(
      await scene.error() as? DirectoryUpdateError
        == .untrusted(.olderThanAccepted(serial: 2, accepted: 3)))
    #expect(try scene.stores() != [:])
  }

  @Test("a phone with the old key and one with both keys, while the key is replaced")
  func rotation() async throws {
    let scene = try UpdateScene()
    let (old, new) = (try #require(scene.signer), try ListSigner())
    scene.signer = ListSigner(keys: old.keys + new.keys)
    try scene.publish(Self.monday)
    #expect(try await scene.updater.update().serial == 2)
    scene.signer = new
    try scene.publish(Self.tuesday)
    #expect(
      await scene.error() as? DirectoryUpdateError == .untrusted(.wrongKey(signedBy: new.trusted.map(\.id))))
    scene.trust = .signed(by: old.trusted + new.trusted)
    #expect(try await scene.updater.update().changed == [1, 2])
  }

  // MARK: Failures

  @Test(
    "a failure of any request leaves a version that loads, and the next update succeeds",
    arguments: ListServer.ServerError.allCases, [UpdateEncoding.plain, .gzip])
  func failures(_ fault: ListServer.ServerError, _ encoding: UpdateEncoding) async throws {
    // With the deltas, and with the stores.
    for versions in [1, 0] { try await Self.failures(fault, encoding, deltasFrom: versions) }
  }

  private static func failures(
    _ fault: ListServer.ServerError, _ encoding: UpdateEncoding, deltasFrom versions: Int
  ) async throws {
    for index in 0..<20 {
      let scene = try UpdateScene()
      let phone = try UpdatePhone(scene)
      scene.encoding = encoding
      try scene.publish(Self.monday)
      for shard in try await scene.updater.update().changed { try await phone.load(shard, scene) }
      let before = try scene.stores()
      try scene.publish(Self.tuesday, deltasFrom: versions, bootstrap: [TestRecord(1, "z")])
      scene.server.fail(at: index, fault)
      let error = await scene.error()
      let requests = scene.server.nextRequests()
      if requests.count <= index {
        // Every request was made to fail.
        #expect(index == 5 && error == nil)
        return
      }
      // A manifest and a signature that do not match are requested again, and nothing else is.
      let isRepeated = requests.filter { $0.name == ManifestSignature.fileName }.count == 2
      #expect((error == nil) == isRepeated && (!isRepeated || index < 2), "\(index): \(error as Any)")
      for shard in [1, 2] {
        let store = try #require(try scene.stores()[shard])
        #expect(store == before[shard] || store == scene.list.stores[shard])
        try await phone.load(shard, scene)
        let records = store == before[shard] ? Self.monday : Self.tuesday
        try phone.expect(shard, records[shard - 1], numbers: Self.numbers[shard - 1])
      }
      scene.server.fail(at: nil)
      _ = try await scene.updater.update()
      #expect(try scene.stores() == scene.list.stores)
      for shard in [1, 2] {
        try await phone.load(shard, scene)
        try phone.expect(shard, Self.tuesday[shard - 1], numbers: Self.numbers[shard - 1])
      }
    }
    Issue.record("an update makes more than 20 requests")
  }

  @Test("a cancelled task ends the update with CancellationError, and the next one continues")
  func cancellation() async throws {
    let scene = try UpdateScene()
    try scene.publish(Self.monday)
    let updater = scene.updater
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await updater.update()
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try await scene.updater.update().changed == [1, 2])
  }
}
