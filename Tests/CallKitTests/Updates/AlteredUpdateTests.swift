// Thousands of servers with an altered file: no update accepts it.

import CallDirectoryKit
import CallManifest
import Foundation
import TestSupport
import Testing

@Suite("Altered updates", .seeded)
struct AlteredUpdateTests {
  private static let monday = [[TestRecord(1, "a"), TestRecord(70, "a")], [TestRecord(600, "a!")]]
  private static let tuesday = [[TestRecord(1, "z"), TestRecord(71, "a")], [TestRecord(601, "a!")]]

  /// Alters bytes: one bit, a byte, a piece removed, repeated or exchanged.
  private static func altered(_ bytes: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
    var new = bytes
    while new == bytes {
      let at = random.below(bytes.count)
      let end = min(bytes.count, at + 1 + random.below(40))
      switch random.below(6) {
      case 0, 1: new[at] ^= 1 << UInt8(random.below(8))
      case 2: new[at] = UInt8.random(in: 0...255, using: &random)
      case 3: new.removeSubrange(at..<end)
      case 4: new.insert(contentsOf: bytes[at..<end], at: at)
      default: new.removeLast(bytes.count - at)
      }
    }
    return new
  }

  /// Makes the app's folder what it was.
  private static func restore(_ files: [String: [UInt8]], _ scene: UpdateScene) throws {
    try FileManager.default.removeItem(at: scene.folder)
    for (name, bytes) in files where name.contains(".") {
      let file = scene.folder.appendingPathComponent(name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: file)
    }
  }

  @Test(
    "no altered manifest, signature, delta or store is accepted, and nothing changes",
    arguments: [UpdateEncoding.plain, .gzip], ["store", "delta"])
  func altered(_ encoding: UpdateEncoding, _ kind: String) async throws {
    let scene = try UpdateScene()
    scene.encoding = encoding
    var random = SplitMix64(test: "altered \(encoding) \(kind)")
    if kind == "delta" {
      try scene.publish(Self.monday)
      _ = try await scene.updater.update()
    }
    try scene.publish(Self.tuesday)
    try FileManager.default.createDirectory(at: scene.folder, withIntermediateDirectories: true)
    let before = try scene.snapshot()
    let files = scene.server.files
    let names = files.keys.sorted().filter {
      $0.hasPrefix("manifest") || $0.hasPrefix("0001") && $0.contains(kind)
    }
    #expect(names.count == 3)
    for alteration in 0..<TestEffort.cases(short: 800, long: 25_000) {
      let name = try #require(names.randomElement(using: &random))
      // Files that are complete would not be requested again.
      try? FileManager.default.removeItem(at: scene.folder.appendingPathComponent("downloads"))
      scene.server.files = files
      scene.server.files[name] = Self.altered(try #require(files[name]), &random)
      do {
        _ = try await scene.updater.update()
        // gzip's header, and what comes after its end, mean nothing; only what it contains counts.
        let stores = try scene.stores()
        #expect(
          encoding == .gzip && name.hasSuffix(".gz") && stores == scene.list.stores, "\(name), \(alteration)")
        try Self.restore(before, scene)
      } catch let error as DirectoryUpdateError {
        let isTyped =
          switch error {
          case .untrusted: name.hasPrefix("manifest")
          case .damaged, .tooLarge: !name.hasPrefix("manifest.json") || name.hasSuffix(".sig")
          default: false
          }
        #expect(isTyped, "\(name): \(error)")
      }
      // Not the files themselves in a message: they are long.
      let isUnchanged = try scene.snapshot() == before
      #expect(isUnchanged, "\(name), \(alteration)")
    }
    scene.server.files = files
    #expect(try await scene.updater.update().changed == [1, 2])
    #expect(try scene.stores() == scene.list.stores)
  }
}
