// Published lists: lookups, downloads of whole files and ranges, and invalid paths.

import CDPipeServer
import Foundation
import HTTPTypes
import NIOCore
import Testing

@Suite("Lists")
struct ListTests {
  /// A published directory with one version, the link `current`, and a server.
  private static func published() throws -> (TestServer, Folder) {
    let folder = try Folder()
    try FileManager.default.createDirectory(
      atPath: folder.path("public/versions"), withIntermediateDirectories: true)
    try publish("one", ["1001\tspam", "1003..1005\tfraud", "1009\tsales"], in: folder)
    var settings = ServerSettings()
    settings.lists = folder.path("public")
    settings.limits.requestsPerSecond = 0
    return (try TestServer(settings), folder)
  }

  /// Makes a version current as publishing does: renames a link into place.
  private static func publish(_ version: String, _ records: [String], in folder: Folder) throws {
    let list = try folder.write(records.joined(separator: "\n") + "\n", "\(version).tsv")
    let place = folder.path("public/versions/\(version)")
    try cdpipe("emit", "--format", "store", "--max-entries", "3", "-o", place, list)
    let link = folder.path("public/.current")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "versions/\(version)")
    try replace(folder.path("public/current"), by: link)
  }

  private static func name(in folder: Folder, _ version: String, _ prefix: String) throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("public/versions/\(version)"))
    return try #require(names.first { $0.hasPrefix(prefix) })
  }

  @Test("numbers are found in the shard that they belong to")
  func lookup() async throws {
    let (server, folder) = try Self.published()
    let found = try await server.ask(.get, "/lookup/1004")
    #expect(found.status == 200)
    #expect(
      found.body
        == #"{"first":1003,"kind":"identification","label":"fraud","last":1004,"number":1004}"#
        || found.body
          == #"{"first":1003,"kind":"identification","label":"fraud","last":1005,"number":1004}"#
    )
    for path in ["/lookup/+1009", "/lookup/%2B1009", "/lookup/001009"] {
      let answer = try await server.ask(.get, path)
      #expect(answer.status == 200 && answer.body.contains("sales"), "\(path)")
    }
    for number in ["1", "1002", "999999999999999"] {
      let answer = try await server.ask(.get, "/lookup/\(number)")
      #expect(answer.status == 404 && answer.code == "number-not-found", "\(number)")
    }
    for text in [
      "", "0", "x", "-1", "1e3", "1234567890123456", "99999999999999999999999", "１", "1/2", "1%00",
    ] {
      let answer = try await server.ask(.get, "/lookup/\(text)")
      #expect(answer.status == 400 && answer.code == "bad-number", "\(text)")
    }
    withExtendedLifetime(folder) {}
  }

  @Test("one store is served alone, and asked instead of lists")
  func store() async throws {
    let folder = try Folder()
    let list = try folder.write("1001\tspam\n", "list.tsv")
    try cdpipe("emit", "-o", folder.path("list.cdstore"), list)
    var settings = ServerSettings()
    settings.store = folder.path("list.cdstore")
    let server = try TestServer(settings)
    #expect(try await server.ask(.get, "/lookup/1001").status == 200)
    #expect(try await server.ask(.get, "/lists/manifest.json").code == "not-served")
    #expect(try await server.ask(.post, "/message-filter", [:], "{}").code == "not-served")
    let other = try folder.write("1002\tspam\n", "other.tsv")
    try cdpipe("emit", "-o", folder.path("list.cdstore"), other)
    try await server.watcher.look()
    #expect(try await server.ask(.get, "/lookup/1001").status == 404)
    #expect(try await server.ask(.get, "/lookup/1002").status == 200)
  }

  @Test("files are sent whole, in part, or not at all if the client has them")
  func files() async throws {
    let (server, folder) = try Self.published()
    let name = try Self.name(in: folder, "one", "0001")
    let bytes = try Data(contentsOf: folder.url.appendingPathComponent("public/current/\(name)"))
    let whole = try await server.ask(.get, "/lists/\(name)")
    #expect(whole.status == 200)
    #expect(whole.headers[.contentLength] == "\(bytes.count)")
    #expect(whole.headers[.contentType] == "application/octet-stream")
    #expect(whole.headers[.cacheControl] == "public, max-age=31536000, immutable")
    let tag = try #require(whole.headers[.eTag])
    #expect(tag.utf8.count == 66)
    let head = try await server.ask(.head, "/lists/\(name)")
    #expect(head.status == 200 && head.body.isEmpty && head.headers[.contentLength] == "\(bytes.count)")

    for (list, status) in [
      (tag, 304), ("W/\(tag)", 304), ("\"x\", \(tag)", 304), ("*", 304), ("\"x\"", 200),
      (tag.uppercased() + "x", 200),
    ] {
      #expect(try await server.ask(.get, "/lists/\(name)", [.ifNoneMatch: list]).status == status, "\(list)")
    }
    let magic = String(decoding: bytes.prefix(4), as: UTF8.self)
    let part = try await server.ask(.get, "/lists/\(name)", [.range: "bytes=0-3"])
    #expect(part.status == 206 && part.body == magic)
    #expect(part.headers[.contentRange] == "bytes 0-3/\(bytes.count)")
    let same = try await server.ask(.get, "/lists/\(name)", [.range: "bytes=0-3", .ifRange: tag])
    #expect(same.status == 206)
    let other = try await server.ask(.get, "/lists/\(name)", [.range: "bytes=0-3", .ifRange: "\"x\""])
    #expect(other.status == 200)
    let beyond = try await server.ask(.get, "/lists/\(name)", [.range: "bytes=\(bytes.count)-"])
    #expect(beyond.status == 416 && beyond.headers[.contentRange] == "bytes */\(bytes.count)")
    #expect(try await server.ask(.post, "/lists/\(name)").status == 405)
    withExtendedLifetime(folder) {}
  }

  @Test("the manifest and its files belong to one version, and older versions stay available")
  func versions() async throws {
    let (server, folder) = try Self.published()
    let old = try Self.name(in: folder, "one", "0001")
    let before = try await server.ask(.get, "/lists/manifest.json")
    #expect(before.status == 200 && before.headers[.cacheControl] == "no-cache")
    #expect(before.headers[.contentType] == "application/json")
    try Self.publish("two", ["2001\tspam"], in: folder)
    // The server has not checked for changes yet.
    #expect(try await server.ask(.get, "/lists/manifest.json") == before)
    #expect(try await server.ask(.get, "/lists/\(old)").status == 200)
    try await server.watcher.look()
    let after = try await server.ask(.get, "/lists/manifest.json")
    #expect(after.headers[.eTag] != before.headers[.eTag])
    #expect(try await server.ask(.get, "/lists/\(old)").status == 404)
    #expect(try await server.ask(.get, "/lists/versions/one/\(old)").status == 200)
    #expect(try await server.ask(.get, "/lists/versions/one/manifest.json").body == before.body)
    #expect(try await server.ask(.get, "/lookup/2001").status == 200)
    #expect(try await server.ask(.get, "/lookup/1001").status == 404)
    #expect(server.metrics.text(server.site).contains("reloads_total{part=\"lists\",result=\"used\"} 1\n"))
  }

  @Test("the signature of the manifest is served as it is now: it is renewed while the version stays")
  func signature() async throws {
    let (server, folder) = try Self.published()
    #expect(try await server.ask(.get, "/lists/manifest.json.sig").status == 404)
    for text in ["first", "the second"] {
      _ = try folder.write(text, "public/versions/one/manifest.json.sig")
      for path in ["manifest.json.sig", "versions/one/manifest.json.sig"] {
        let answer = try await server.ask(.get, "/lists/\(path)")
        #expect(answer.status == 200 && answer.body == text)
        #expect(answer.headers[.cacheControl] == "no-cache")
      }
    }
  }

  @Test("if a version can't be used, the old one is still served")
  func broken() async throws {
    let (server, folder) = try Self.published()
    try Self.publish("two", ["2001\tspam"], in: folder)
    let shard = try Self.name(in: folder, "two", "0001")
    try Data("no store".utf8).write(to: folder.url.appendingPathComponent("public/versions/two/\(shard)"))
    try await server.watcher.look()
    try await server.watcher.look()
    #expect(try await server.ask(.get, "/lookup/1001").status == 200)
    #expect(server.metrics.text(server.site).contains("reloads_total{part=\"lists\",result=\"failed\"} 1\n"))
    try Self.publish("three", ["3001\tspam"], in: folder)
    try await server.watcher.look()
    #expect(try await server.ask(.get, "/lookup/3001").status == 200)
  }

  @Test(
    "no path leads out of the directory",
    arguments: [
      "../one.tsv", "..%2fone.tsv", "%2e%2e/one.tsv", "versions/../../one.tsv",
      "versions/one/../../../one.tsv",
      "versions/../versions/one/manifest.json", "./manifest.json", "/manifest.json", "//etc/passwd", "",
      "versions", "versions/", "versions/one", "versions/one/", "versions//manifest.json",
      "versions/./manifest.json",
      ".current", "current", "current/manifest.json", ".lock", "manifest.json/", "manifest.json%00",
      "versions/one/secret.cdstore", "secret.cdstore", "folder.cdstore", "manifest.json\u{0}.cdstore",
      "..cdstore",
      "versions/link/one.tsv", "versions/link/secret.cdstore",
    ])
  func paths(path: String) async throws {
    let (server, folder) = try Self.published()
    let secret = try folder.write("secret", "secret.cdstore")
    let version = folder.path("public/versions/one")
    try FileManager.default.createSymbolicLink(
      atPath: version + "/secret.cdstore", withDestinationPath: secret)
    try FileManager.default.createDirectory(
      atPath: version + "/folder.cdstore", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("public/versions/link"), withDestinationPath: folder.path)
    let answer = try await server.ask(.get, "/lists/\(path)")
    #expect(answer.status == 404, "\(answer.body)")
    #expect(!answer.body.contains("secret"))
  }
}
