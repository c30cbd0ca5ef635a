// What a path names: a file or a directory of shards, through links, and once for all of its files.

import CallManifest
import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import StoreWriting

@Suite("Inputs")
struct ListInputTests {
  private static let records = [TestRecord(1, "a"), TestRecord(2, "a"), TestRecord(7, "b")]

  /// The content id of the directory that a path names; nil for a file.
  private static func contentID(_ path: String) throws -> String? {
    guard case .shards(let directory) = try ListInput(path) else { return nil }
    #expect(try ListInput(path).storePaths() == directory.shards.map(\.store.path))
    return directory.contentID
  }

  @Test("a directory of shards has many names")
  func names() throws {
    let site = try PublishedSite()
    let id = try site.publish(Self.records)
    try emitShards(Self.records, to: site.place / "dir", maxEntries: 2)
    try emitShards(Self.records, to: site.place / "named", maxEntries: 2)
    let manifest = try #require(site.place.read("named/manifest.json"))
    try site.place.write("named/march.json", manifest)
    site.place.remove("named/manifest.json")
    try link(site.place / "to-dir", to: "dir")
    try link(site.place / "to-manifest", to: "named/march.json")
    try link(site.place / "to-link", to: "to-manifest")
    try link(site.place / "to-public", to: "public")
    let names = [
      "dir", "dir/", "dir/manifest.json", "named/march.json", "public", "public/manifest.json",
      "public/current", "public/current/", "public/current/manifest.json", "public/versions/\(id)", "to-dir",
      "to-dir/manifest.json", "to-manifest", "to-link", "to-public", "to-public/current",
    ]
    for name in names { #expect(try Self.contentID(site.place / name) == id, "\(name)") }
    for name in ["public", "public/current", "to-public"] {
      guard case .shards(let directory) = try ListInput(site.place / name) else { continue }
      #expect(directory.version == id && directory.manifestPath.hasSuffix("versions/\(id)/manifest.json"))
    }
    #expect(try ShardFolder(site.place / "dir").version == nil)
  }

  @Test("everything else is a file, also if it is missing")
  func files() throws {
    let place = try TemporaryDirectory()
    try place.write("list.tsv", Array("1\n".utf8))
    try place.write("rows.json", Array("{\"8675512345678\": \"sales\"}".utf8))
    try place.write("empty.json", [])
    try link(place / "to-list", to: "list.tsv")
    for name in ["list.tsv", "rows.json", "empty.json", "to-list", "missing", "list.tsv/below"] {
      guard case .file(place / name) = try ListInput(place / name) else {
        Issue.record("\(name) is not a file")
        continue
      }
      #expect(try ListInput(place / name).storePaths() == [place / name])
      #expect(try ListInput(place / name).paths == [place / name])
    }
    guard case .file("-") = try ListInput("-") else {
      Issue.record("standard input is not a file")
      return
    }
  }

  @Test("a version that is published while a list is read does not change it")
  func oneVersion() throws {
    let site = try PublishedSite()
    let old = try site.publish(Self.records)
    let names = ["public", "public/manifest.json", "public/current", "public/current/manifest.json"]
    let inputs = try names.map { try ListInput(site.place / $0) }
    let new = try site.publish([TestRecord(3, "c")])
    #expect(old != new)
    for (name, input) in zip(names, inputs) {
      #expect(try input.storePaths().count == 2, "\(name)")
      #expect(input.paths.count == 3 && input.paths.allSatisfy { $0.contains("versions/\(old)/") }, "\(name)")
      guard case .shards(let directory) = input else { continue }
      #expect(throws: Never.self) { try directory.verify() }
      #expect(try Self.contentID(site.place / name) == new, "\(name)")
    }
  }

  @Test("the reason why a directory can't be read")
  func withoutManifest() throws {
    let site = try PublishedSite()
    let place = site.place
    #expect(inputError(place / "public") == .notPublished(directory: place / "public"))
    let id = try site.publish(Self.records)
    FileTree.remove(place / "public/versions/\(id)")
    #expect(
      inputError(place / "public")
        == .brokenLink(path: place / "public/current", destination: "versions/\(id)"))
    #expect(
      inputError(place / "public/current")
        == .brokenLink(path: place / "public/current", destination: "versions/\(id)"))
    try Directory.make(place / "none")
    #expect(inputError(place / "none") == .noManifest(directory: place / "none"))
    try link(place / "none/manifest.json", to: "elsewhere.json")
    #expect(
      inputError(place / "none")
        == .brokenLink(path: place / "none/manifest.json", destination: "elsewhere.json"))
    try Directory.make(place / "stores")
    for name in ["4.cdstore", "2.cdstore", "1.cdstore", "3.cdstore", "other"] {
      try place.write("stores/\(name)", [])
    }
    #expect(
      inputError(place / "stores")
        == .storesOnly(
          directory: place / "stores", stores: ["1", "2", "3"].map { place / "stores/\($0).cdstore" }))
    for name in ["a", "b", "c", "d", "empty"] { try Directory.make(place / "lists/\(name)") }
    for name in ["d", "b", "a", "c"] { try place.write("lists/\(name)/manifest.json", []) }
    #expect(
      inputError(place / "lists")
        == .directoriesOnly(
          directory: place / "lists", directories: ["a", "b", "c"].map { place / "lists/\($0)" }))
  }

  @Test("a file with a manifest's name or format must be one")
  func badManifests() throws {
    let place = try TemporaryDirectory()
    try place.write("manifest.json", Array("[]".utf8))
    #expect(
      inputError(place / "manifest.json") == .invalidManifest(.notAManifest, path: place / "manifest.json"))
    try place.write("newer.json", Array("{\"format\": \"cdpipe-manifest\", \"version\": 2}".utf8))
    #expect(
      inputError(place / "newer.json") == .invalidManifest(.unsupportedVersion(2), path: place / "newer.json")
    )
  }

  @Test("where a directory of shards is needed, a file is an error")
  func directoryOnly() throws {
    func error(_ path: String) -> Failure? {
      stageError { () throws(Failure) in _ = try ListInput.directory(path) }
    }
    let site = try PublishedSite()
    try site.publish(Self.records)
    try site.place.write("list.tsv", [])
    #expect(error(site.place / "public") == nil)
    #expect(error(site.place / "list.tsv") == .notShards(path: site.place / "list.tsv"))
    #expect(
      error(site.place / "missing")
        == .unreadableShards(SystemError(.openInput, site.place / "missing", .noSuchFileOrDirectory)))
  }

  @Test(
    "a call that fails is reported",
    arguments: [FailingCalls.Call.status, .read, .open, .destination, .resolve, .names])
  func faults(call: FailingCalls.Call) throws {
    let site = try PublishedSite()
    try site.publish(Self.records)
    try Directory.make(site.place / "none")
    let path = site.place / (call == .names ? "none" : "public/manifest.json")
    let error = inputError(path, calls: FailingCalls(call))
    #expect(error?.code == "shards-unreadable" && error?.errorClass == .inputOutput)
    #expect(error?.message.message.hasSuffix(SystemText.reason(.ioError)) == true)
  }

  @Test(
    "a call that fails once never makes a directory look empty",
    arguments: [FailingCalls.Call.status, .destination])
  func singleFaults(call: FailingCalls.Call) throws {
    let site = try PublishedSite()
    let id = try site.publish(Self.records)
    var failed = 0
    for path in [site.folder, site.folder + "/versions/\(id)"] {
      for number in 1...8 {
        guard let error = inputError(path, calls: FailingCalls(call, at: number, once: true)) else {
          continue
        }
        failed += 1
        #expect(
          error.code == "shards-unreadable"
            && error.message.message.hasSuffix(SystemText.reason(.ioError)),
          "\(path), call \(number): \(error)")
      }
    }
    #expect(failed >= 2)
  }
}
