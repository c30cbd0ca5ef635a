// What a night downloads: deltas, and a store only if it has to; and updates that end at any step.

import CallDirectory
import CallDirectoryKit
import CallManifest
import Foundation
import PhoneTools
import TestSupport
import Testing

@Suite("Updates by deltas", .seeded)
struct DeltaUpdateTests {
  fileprivate static let monday = [[TestRecord(1, "a"), TestRecord(70, "a")], [TestRecord(600, "a")]]

  /// Monday's list with some other numbers in its first shard.
  fileprivate static func list(_ numbers: UInt64...) -> [[TestRecord]] {
    [numbers.sorted().map { TestRecord($0, "x") }, monday[1]]
  }

  /// The first shard of the current list.
  private static func shard(_ scene: UpdateScene) throws -> Manifest.Shard {
    try #require(scene.list.manifest?.shards.first)
  }

  /// Updates, and returns the names of what was requested besides the manifest and its signature.
  private static func requests(_ scene: UpdateScene) async throws -> [String] {
    _ = scene.server.nextRequests()
    let update = try await scene.updater.update()
    let requests = scene.server.nextRequests()
    #expect(update.bytesDownloaded == UInt64(requests.reduce(0) { $0 + $1.bytes }))
    #expect(try scene.stores() == scene.list.stores)
    return requests.map(\.name).filter { !$0.hasPrefix("manifest") }
  }

  @Test("nights download their deltas until these are more than a quarter of the store; then the store")
  func quarter() async throws {
    let scene = try UpdateScene()
    try scene.publish(Self.monday, bootstrap: [TestRecord(70, "a")])
    _ = try await scene.updater.update()
    let store = scene.files(of: 1).store
    var kept = PlainFile.read(store)
    var chain: UInt64 = 0
    var stores = 0
    for night in UInt64(2)...20 {
      // The bootstrap store is another one every night, too.
      try scene.publish(Self.list(night), bootstrap: [TestRecord(night, "x")])
      let shard = try Self.shard(scene)
      let delta = try #require(shard.deltas?.first)
      let names = try await Self.requests(scene)
      if chain + delta.bytes <= shard.store.bytes / 4 {
        #expect(names == [delta.name])
        chain += delta.bytes
        #expect(PlainFile.read(store) == kept)
      } else {
        // The phone loads the delta, and has the store when iOS has removed the entries.
        let bootstrap = try #require(scene.list.manifest?.bootstrap)
        #expect(names == [bootstrap.name, delta.name, shard.store.name])
        #expect(scene.files(of: 1).deltas.count == 1)
        kept = PlainFile.read(store)
        chain = 0
        stores += 1
      }
    }
    #expect((2...6).contains(stores))
  }

  @Test("a store is downloaded after thirty deltas, and without deltas, and if these are large")
  func limits() async throws {
    let scene = try UpdateScene()
    scene.list.ballast = 10
    try scene.publish(Self.monday)
    _ = try await scene.updater.update()
    for night in UInt64(1)...31 {
      try scene.publish(Self.list(100 + night))
      let names = try await Self.requests(scene)
      #expect(names.count { $0.hasSuffix(".cdstore") } == (night == 31 ? 1 : 0))
      #expect(names.count { $0.hasSuffix(".cddelta") } == 1)
    }
    try scene.publish(Self.list(7), deltasFrom: 0)
    #expect(try await Self.requests(scene) == [Self.shard(scene).store.name])
    #expect(scene.files(of: 1).deltas.isEmpty)
    // A delta that is larger than a quarter of the store: it removes a large record.
    scene.list.ballast = 1
    try scene.publish(Self.list(8))
    #expect(try Self.shard(scene).deltas?.count == 1)
    #expect(try await Self.requests(scene) == scene.list.manifest?.shards.map(\.store.name))
  }

  @Test("a list that returns to an earlier state, and leads on from there, is loaded to its end")
  func returning() async throws {
    let scene = try UpdateScene()
    scene.list.ballast = 2
    let phone = try UpdatePhone(scene)
    try scene.publish(Self.list(1))
    _ = try await scene.updater.update()
    for shard in [1, 2] { try await phone.load(shard, scene) }
    for number: UInt64 in [2, 1, 3] {
      try scene.publish(Self.list(number))
      #expect(try await Self.requests(scene).allSatisfy { $0.hasSuffix(".cddelta") })
    }
    // Every state on the way, and none.
    for start in 0...3 {
      if start == 3 { scene.files(of: 1).requestFailed() }
      try await phone.load(1, scene)
      #expect(try scene.files(of: 1).progress().isComplete)
    }
    let lookup = try CallerLookup([scene.files(of: 1)])
    #expect(try lookup.caller(3)?.label == "x" && lookup.caller(1) == nil && lookup.caller(2) == nil)
    #expect(try scene.files(of: 1).entryCount() == 3)
  }

  @Test("a damaged store that would stay is replaced with the next change")
  func damaged() async throws {
    let scene = try UpdateScene()
    try scene.publish(Self.monday)
    _ = try await scene.updater.update()
    let store = scene.files(of: 1).store
    var bytes = try #require(PlainFile.read(store))
    // In the first block, which opening a store does not read.
    bytes[20] ^= 1
    try PlainFile.write(store, bytes)
    try scene.publish(Self.list(5))
    #expect(try await Self.requests(scene).contains(Self.shard(scene).store.name))
  }

  @Test("deltas that do not lead to the state in the manifest are refused, and nothing changes")
  func misleading() async throws {
    let scene = try UpdateScene(signed: false)
    try scene.publish(Self.monday)
    _ = try await scene.updater.update()
    try scene.publish(Self.list(5))
    let delta = try #require(Self.shard(scene).deltas?.first)
    // The publisher's mistake: the delta of another night, under this night's name and with its own size and hash.
    let right = scene.server.files
    let other = try UpdateScene(signed: false)
    try other.publish(Self.monday)
    try other.publish(Self.list(6))
    let wrong = try #require(Self.shard(other).deltas?.first)
    scene.server.files[delta.name] = other.server.files[wrong.name]
    let text = String(decoding: try #require(right[Manifest.fileName]), as: UTF8.self)
      .replacingOccurrences(of: delta.sha256, with: wrong.sha256)
      .replacingOccurrences(of: "\(delta.bytes)", with: "\(wrong.bytes)")
    scene.server.files[Manifest.fileName] = Array(text.utf8)
    let before = try scene.snapshot()
    #expect(await scene.error() as? DirectoryUpdateError == .damaged(name: delta.name))
    #expect(try scene.snapshot() == before)
    scene.server.files = right
    #expect(try await Self.requests(scene) == [delta.name])
  }

  @Test("`simulate --incremental` has the bytes that the updater downloads", arguments: [0, 1, 2])
  func simulated(ballast: Int) async throws {
    let scene = try UpdateScene(signed: false)
    scene.list.ballast = ballast
    func folder(_ name: String) throws -> String {
      for (file, bytes) in scene.list.files {
        let path = scene.place / "\(name)/\(file)"
        try FileManager.default.createDirectory(
          atPath: scene.place / name, withIntermediateDirectories: true)
        try PlainFile.write(path, bytes)
      }
      return scene.place / name
    }
    try scene.publish(Self.monday, bootstrap: [TestRecord(70, "a")])
    _ = try await scene.updater.update()
    let former = try folder("monday")
    try scene.publish(Self.list(5, 6), bootstrap: [TestRecord(5, "x")])
    let wanted = try folder("tuesday")
    let extensions = try SimulatedExtension.all(of: [wanted], from: former)
    let report = try PhoneSimulation(watching: [], nil).run(extensions, [])
    let received = try await scene.updater.update().bytesDownloaded
    #expect(report.loads && report.update?.bytes == received)
    let again = try SimulatedExtension.all(of: [wanted], from: wanted)
    #expect(try PhoneSimulation(watching: [], nil).run(again, []).update?.bytes == 0)
  }

  // MARK: Interruptions

  /// An update of an app that has some files already.
  enum Night: CaseIterable {
    /// Deltas after a store.
    case first
    /// Deltas after deltas.
    case next
    /// A store with deltas, in the place of a store and its deltas.
    case storeWithDeltas
    /// Deltas after a store that has deltas which lead to it.
    case afterStore
    /// A store alone, in the place of a store and its deltas.
    case storeAlone

    /// Updates an app and a phone up to the last night but one, and publishes the last night's list in three steps.
    func prepare(_ scene: UpdateScene, _ phone: UpdatePhone) async throws {
      try scene.publish(DeltaUpdateTests.monday)
      _ = try await scene.updater.update()
      for shard in [1, 2] { try await phone.load(shard, scene) }
      let nights =
        switch self {
        case .first: 0
        case .next, .storeAlone: 2
        case .storeWithDeltas, .afterStore: 5
        }
      for night in 0..<UInt64(nights) { try await pass(DeltaUpdateTests.list(10 + night), scene, phone) }
      if self == .afterStore { try await pass(Self.many(40), scene, phone) }
      try scene.publish(
        Self.many(30), deltasFrom: self == .storeAlone ? 0 : 1, entriesMax: 2)
    }

    private func pass(_ list: [[TestRecord]], _ scene: UpdateScene, _ phone: UpdatePhone) async throws {
      try scene.publish(list, entriesMax: 2)
      _ = try await scene.updater.update()
      try await phone.load(1, scene)
    }

    static func many(_ first: UInt64) -> [[TestRecord]] {
      DeltaUpdateTests.list(first, first + 1, first + 2, first + 3, first + 4)
    }

    /// Expects that the night was what it is for.
    func check(_ scene: UpdateScene) throws {
      let files = scene.files(of: 1)
      let isNew = PlainFile.read(files.store) == scene.list.stores[1]
      switch self {
      case .first, .afterStore: #expect(!isNew && files.deltas.count == 3)
      case .next: #expect(!isNew && files.deltas.count == 5)
      case .storeWithDeltas: #expect(isNew && files.deltas.count == 3)
      case .storeAlone: #expect(isNew && files.deltas.isEmpty)
      }
    }
  }

  @Test(
    "an update that ends before any of its changes leaves the former or the new state",
    arguments: Night.allCases)
  func interrupted(_ night: Night) async throws {
    let records = Night.many(30)[0]
    for changes in 0..<40 {
      let scene = try UpdateScene()
      let phone = try UpdatePhone(scene)
      try await night.prepare(scene, phone)
      let (former, wanted) = (try scene.stores()[1], scene.list.stores[1])
      scene.changesMax = changes
      let error = await scene.error()
      let found = try scene.stores()[1]
      #expect(found == former || found == wanted, "\(changes)")
      if error == nil {
        // Every change was the one that did not happen.
        #expect(changes >= 3 && found == wanted)
        return try night.check(scene)
      }
      #expect(error is UpdateEnded)
      // iOS may load the extension now.
      try await phone.load(1, scene)
      if found == wanted { try phone.expect(1, records, numbers: 1..<100) }
      scene.changesMax = nil
      _ = try await scene.updater.update()
      #expect(try scene.stores() == scene.list.stores)
      try await phone.load(1, scene)
      try phone.expect(1, records, numbers: 1..<100)
    }
    Issue.record("an update has more than 40 changes")
  }
}
