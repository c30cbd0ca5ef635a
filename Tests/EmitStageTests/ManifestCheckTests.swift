// Manifests that were changed, and stores that differ from their manifest: each error has its position.

import CallManifest
import RecordStages
import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import StoreWriting

@Suite("Checks of manifests")
struct ManifestCheckTests {
  /// A manifest's text with one change, and the expected message.
  static let hostile: [(from: String, to: String, failure: String)] = [
    ("\"version\" : 1", "\"version\" : 2", "unsupportedVersion"),
    ("cdpipe-manifest", "else", "notAManifest"),
    ("{", "", "notJSON"), ("\"shards\" : [", "\"shards\" : 7, \"x\" : [", "wrongType"),
    ("\"from\" : 6", "\"from\" : 1", "notInOrder"), ("\"from\" : 1,", "\"from\" : 2,", "outOfRange"),
    ("\"from\" : 6", "\"from\" : -6", "outOfRange"),
    ("\"from\" : 6", "\"from\" : 99999999999999999999", "outOfRange"),
    ("\"from\" : 6,", "", "missing"), ("\"id\" : 2", "\"id\" : 1", "notInOrder"),
    ("\"id\" : 2", "\"id\" : 0", "outOfRange"), ("\"id\" : 2", "\"id\" : 3", "contradiction"),
    ("\"name\" : \"0002-", "\"name\" : \"../0002-", "notAName"),
    ("\"sha256\" : \"", "\"sha256\" : \"x", "notAHash"),
    ("\"version\" : 1", "\"version\" : \"1\"", "wrongType"),
    ("\"version\" : 1", "\"other\" : 1", "missing"),
    ("\"from\" : 6", "\"from\" : 6, \"from\" : 6", "duplicateKey, key: \"shards[1].from\""),
    (
      "\"from\" : 6", "\"from\" : 6, \"\\u0066rom\" : 6", "duplicateKey, key: \"shards[1].from\""
    ),
    ("\"version\" : 1", "\"version\" : 1, \"version\" : 1", "duplicateKey, key: \"version\""),
    ("\"first\" : 6", "\"first\" : 5", "outOfRange, key: \"shards[1].first\""),
    ("\"first\" : 6", "\"first\" : 9", "outOfRange, key: \"shards[1].last\""),
    ("\"first\" : 6", "\"first\" : 7", "contradiction, key: \"shards[1].entries\""),
    ("\"last\" : 5", "\"last\" : 6", "outOfRange, key: \"shards[0].last\""),
    ("\"last\" : 5,", "", "contradiction, key: \"shards[0].last\""),
    ("\"count\" : 1", "\"count\" : 2", "shards[0].labels.count"),
    ("\"count\" : 1", "\"count\" : -1", "shards[0].labels.count"),
    ("\"entries\" : 5,", "\"entries\" : 4,", "shards[0].labels.list"),
    ("\"identification\" : 8", "\"identification\" : 9", "contradiction, key: \"entries\""),
    ("\"maxEntries\" : 5", "\"maxEntries\" : 4", "shards[0].entries"),
    ("\"name\" : \"0002-", "\"name\" : \"0003-", "contradiction, key: \"shards[1].name\""),
  ]

  @Test("a hostile manifest is rejected with the key", arguments: hostile.indices)
  func hostileManifest(index: Int) throws {
    let (from, to, failure) = Self.hostile[index]
    let place = try TemporaryDirectory()
    defer { removeDirectory(place / "s") }
    var options = EmitOptions(format: .store, maxEntries: 5, output: place / "s")
    try ShardOptionTests.emit([TestRecord(1, to: 8, "a")], options)
    let text = try #require(place.text("s/manifest.json"))
    let range = try #require(text.firstRange(of: from))
    try place.write("s/manifest.json", Array(text.replacingCharacters(in: range, with: to).utf8))
    let before = try Directory.names(place / "s")
    options.shards.baseline = place / "s/manifest.json"
    let thrown = stageError { () throws(Failure) in
      try ShardOptionTests.emit([TestRecord(2, "b")], options)
    }
    let error = try #require(Self.manifestError(place / "s/manifest.json"))
    #expect("\(error)".contains(failure), "\(error)")
    #expect(thrown == .invalidManifest(error, path: place / "s/manifest.json", .baseline).of(.emit))
    #expect(try Directory.names(place / "s") == before)
  }

  /// Two states with a delta in two steps and a bootstrap store, and the message for one change in the second.
  static let hostileDeltas: [(from: String, to: String, failure: String)] = [
    ("\"step\" : 2", "\"step\" : 3", "notInOrder, key: \"shards[0].deltas[1].step\""),
    ("\"step\" : 1", "\"step\" : 2", "notInOrder, key: \"shards[0].deltas[0].step\""),
    ("\"from\" : \"", "\"from\" : \"x", "notAHash, key: \"shards[0].deltas[0].from\""),
    ("\"to\" : \"", "\"to\" : \"x", "notAHash, key: \"shards[0].deltas[0].to\""),
    (".2.cddelta", ".1.cddelta", "contradiction, key: \"shards[0].deltas[1].name\""),
    ("\"additions\" : 2", "\"additions\" : -2", "outOfRange"),
    ("\"baseline\" : {", "\"based\" : {", "missing, key: \"baseline\""),
    ("\"name\" : \"bootstrap-", "\"name\" : \"0001-", "contradiction, key: \"bootstrap.name\""),
  ]

  @Test(
    "hostile deltas and bootstrap stores in a manifest are refused, too", arguments: hostileDeltas.indices)
  func hostileDelta(index: Int) throws {
    let (from, to, failure) = Self.hostileDeltas[index]
    let place = try TemporaryDirectory()
    defer { removeDirectory(place / "s"); removeDirectory(place / "t") }
    var options = EmitOptions(format: .store, maxEntries: 9, output: place / "s")
    try ShardOptionTests.emit([TestRecord(1, to: 4, "a")], options)
    options.output = place / "t"
    options.shards.baseline = place / "s"
    options.shards.deltaEntries = 2
    options.shards.bootstrap = 1
    try ShardOptionTests.emit(
      [TestRecord(1, to: 4, "a"), TestRecord(5), TestRecord(6), TestRecord(7)], options)
    options.shards.baseline = place / "t"
    try ShardOptionTests.emit([TestRecord(1, to: 4, "a")], options)
    options.shards.baseline = place / "s"
    try ShardOptionTests.emit(
      [TestRecord(1, to: 4, "a"), TestRecord(5), TestRecord(6), TestRecord(7)], options)
    let text = try #require(place.text("t/manifest.json"))
    let range = try #require(text.firstRange(of: from), "\(text)")
    try place.write("t/manifest.json", Array(text.replacingCharacters(in: range, with: to).utf8))
    let error = try #require(Self.manifestError(place / "t/manifest.json"))
    #expect("\(error)".contains(failure), "\(error)")
    #expect(Self.error(of: place / "t") == .invalidManifest(error, path: place / "t/manifest.json"))
  }

  @Test("a byte that is not UTF-8 is reported with its line")
  func notUTF8() throws {
    let place = try TemporaryDirectory()
    defer { removeDirectory(place / "s") }
    try ShardOptionTests.emit([TestRecord(1, "label")], EmitOptions(format: .store, output: place / "s"))
    var bytes = try fileBytes(place / "s/manifest.json")
    let at = try #require(bytes.firstRange(of: Array("label\"".utf8))?.lowerBound)
    bytes[at + 1] = 0xFF
    let line = bytes[..<at].count(where: { $0 == UInt8(ascii: "\n") }) + 1
    try place.write("s/manifest.json", bytes)
    #expect(
      Self.error(of: place / "s") == .invalidManifest(.notUTF8(line: line), path: place / "s/manifest.json"))
  }

  /// The error when reading a directory and the headers of its stores; nil if there is none.
  static func error(of directory: String) -> Failure? {
    stageError { () throws(Failure) in try ShardFolder(directory).checkHeaders() }
  }

  /// What is wrong with a manifest by itself; nil if nothing is.
  static func manifestError(_ path: String) -> ManifestError? {
    do throws(ManifestError) {
      _ = try Manifest(bytes: (try? fileBytes(path)) ?? [])
      return nil
    } catch {
      return error
    }
  }

  @Test("stores that were swapped, overwritten or removed are named")
  func otherStores() throws {
    let place = try TemporaryDirectory()
    defer { removeDirectory(place / "s") }
    try ShardOptionTests.emit(
      [TestRecord(1, to: 8, "a")], EmitOptions(format: .store, maxEntries: 3, output: place / "s"))
    let manifest = try ReadManifest(place / "s")
    let names = manifest.shards.map(\.name)
    let stores = try names.map { try fileBytes(place / "s/\($0)") }
    #expect(try ShardFolder(place / "s").checkHeaders() == names.map { place / "s/\($0)" })
    func isOther(_ index: Int) -> Bool {
      let error = Self.error(of: place / "s")
      return error?.code == "shards-other-store"
        && error?.message.message.contains("'\(place / "s/\(names[index])")'") == true
    }
    try place.write("s/\(names[1])", stores[0])
    #expect(isOther(1))
    try place.write("s/\(names[0])", stores[1])
    #expect(isOther(0))
    try place.write("s/\(names[0])", stores[0])
    try place.write("s/\(names[1])", stores[1])
    try KernelCalls().unlink(FilePath(place / "s/\(names[2])"))
    #expect(
      Self.error(of: place / "s")
        == .missingShard(path: place / "s/\(names[2])", code: Errno.noSuchFileOrDirectory.rawValue))
    try place.write("s/\(names[2])", stores[2])
    // The manifest's own values are consistent; the store has another size.
    let text = try #require(place.text("s/manifest.json"))
    let size = "\"bytes\" : \(stores[0].count)"
    let range = try #require(text.firstRange(of: size))
    try place.write(
      "s/manifest.json", Array(text.replacingCharacters(in: range, with: "\"bytes\" : 77").utf8))
    #expect(
      Self.error(of: place / "s")
        == .invalidManifest(
          .invalid(.differsFromStore, key: "shards[0].bytes"), path: place / "s/manifest.json"))
    // One shard less: the rest is valid, but incomplete.
    let second = try #require(text.firstRange(of: "    {\n      \"bytes\""))
    let end = try #require(text[second.upperBound...].firstRange(of: "\n    },\n"))
    try place.write(
      "s/manifest.json",
      Array(text.replacingCharacters(in: second.lowerBound..<end.upperBound, with: "").utf8))
    guard case .invalid(_, let key)? = Self.manifestError(place / "s/manifest.json") else {
      Issue.record("a manifest without its first shard was accepted")
      return
    }
    #expect(key == "shards[0].from" && Self.error(of: place / "s") != nil)
  }

  @Test("the hash of a store's file is checked when the store is read")
  func fileHash() throws {
    let place = try TemporaryDirectory()
    defer { removeDirectory(place / "s"); removeDirectory(place / "t") }
    var options = EmitOptions(format: .store, output: place / "s")
    try ShardOptionTests.emit([TestRecord(1, "a")], options)
    let text = try #require(place.text("s/manifest.json"))
    let start = try #require(text.firstRange(of: "\"sha256\" : \"")).upperBound
    let digit = text[start] == "0" ? "1" : "0"
    try place.write(
      "s/manifest.json",
      Array(text.replacingCharacters(in: start..<text.index(after: start), with: digit).utf8))
    options.shards.baseline = place / "s"
    options.output = place / "t"
    // The shard has not changed, so its bytes are not read.
    try ShardOptionTests.emit([TestRecord(1, "a")], options)
    let failure = stageError { () throws(Failure) in
      try ShardOptionTests.emit([TestRecord(2, "a")], options)
    }
    let reason = ManifestError.invalid(.differsFromStore, key: "shards[0].sha256")
    #expect(failure == .invalidManifest(reason, path: place / "s/manifest.json", .baseline).of(.emit))
  }
}

extension String {
  func replacingCharacters(in range: Range<String.Index>, with text: String) -> String {
    String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
  }
}
