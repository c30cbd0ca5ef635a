// What must not break in an app that blocks with stores: each extension loads the shard with its number.

import Foundation
import Testing

@testable import Block070

#if canImport(SampleShared)
  import SampleShared
#endif

@Suite("Blocking")
struct BlockerTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  @Test("an extension finds the shard with the number at the end of its bundle identifier, and no other")
  func shards() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data().write(to: folder.appendingPathComponent("0002-a1b2c3d4e5f60718.cdstore"))
    let first = try #require(InstalledExtension("com.example.app.directory1", resources: folder))
    let second = try #require(InstalledExtension("com.example.app.directory2", resources: folder))
    #expect(first.files(recordsIn: folder) == nil)
    let files = try #require(second.files(recordsIn: folder))
    #expect(files.store.hasSuffix("/0002-a1b2c3d4e5f60718.cdstore"))
    #expect(InstalledExtension("com.example.app.filter", resources: folder) == nil)
  }

  @Test("the switch is what the extensions read when iOS loads them")
  func flag() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (app, own) = (BlockingFlag(folder), BlockingFlag(folder))
    #expect(!own.isOn)
    try app.set(true)
    #expect(own.isOn)
    try app.set(false)
    #expect(!own.isOn)
  }
}
