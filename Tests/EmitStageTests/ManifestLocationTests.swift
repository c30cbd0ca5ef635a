// The files next to a manifest: those next to the destination if the manifest or its directory is a link.

import StoreWriting
import SystemIO
import SystemPackage
import TestSupport
import Testing

@Suite("The location of a manifest")
struct ManifestLocationTests {
  private static let records = [TestRecord(1, "a")]

  @Test("a path without links stays as it was typed")
  func plain() throws {
    let place = try TemporaryDirectory()
    try emitShards(Self.records, to: place / "dir", maxEntries: 2)
    for path in [place / "dir", place / "dir/manifest.json", place / "dir/../dir"] {
      let location = try ManifestLocation(path, calls: KernelCalls())
      #expect(location.path.hasSuffix("/dir/manifest.json"))
      #expect(location.path.hasPrefix(place / "dir"))
      #expect(location.file("x") == String(location.path.dropLast("manifest.json".count)) + "x")
    }
    // A missing file is reported when it is read.
    #expect(try ManifestLocation(place / "missing", calls: KernelCalls()).path == place / "missing")
  }

  @Test("the files of a linked manifest are next to its destination")
  func links() throws {
    let site = try PublishedSite()
    let id = try site.publish(Self.records)
    try link(site.place / "elsewhere.json", to: "public/manifest.json")
    for name in ["public", "public/manifest.json", "public/current", "elsewhere.json"] {
      let location = try ManifestLocation(site.place / name, calls: KernelCalls())
      #expect(location.path.hasSuffix("/public/versions/\(id)/manifest.json"), "\(name)")
      #expect(location.file("x").hasSuffix("/public/versions/\(id)/x"), "\(name)")
    }
  }

  @Test("a location stays at its version when the link is switched")
  func switched() throws {
    let site = try PublishedSite()
    let old = try site.publish(Self.records)
    let location = try ManifestLocation(site.folder, calls: KernelCalls())
    let directory = try ShardFolder(site.folder)
    let new = try site.publish([TestRecord(2, "b")])
    #expect(location.file("x").hasSuffix("/public/versions/\(old)/x"))
    #expect(throws: Never.self) { try directory.verify() }
    #expect(try ShardFolder(site.folder).version == new)
  }

  @Test("a link that can't be resolved is an error", arguments: [FailingCalls.Call.resolve, .destination])
  func faults(call: FailingCalls.Call) throws {
    let site = try PublishedSite()
    try site.publish(Self.records)
    let error = systemError { () throws(SystemError) in
      _ = try ManifestLocation(site.folder, calls: FailingCalls(call))
    }
    #expect(error?.code == .ioError)
  }
}
