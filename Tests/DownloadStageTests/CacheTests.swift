// The cache: what is trusted, what is fetched again, and how concurrent runs interact.

import Hashing
import Records
import SystemIO
import TestSupport
import Testing

@testable import InputStages

@Suite("the cache")
struct CacheTests {
  let server: Server
  let directory: TemporaryDirectory

  init() throws {
    server = try Server()
    directory = try TemporaryDirectory()
  }

  private func cached(
    _ resources: String..., failsBeyond: Int = .max, set: (inout DownloadOptions) -> Void = { _ in }
  ) throws -> Download {
    let cache = "\(directory.path)/cache"
    return try Download(resources[0], failsBeyond: failsBeyond) {
      $0.resources = resources
      $0.cacheDirectory = cache
      set(&$0)
    }
  }

  private func names(_ ending: String) -> [String] {
    directory.names(in: "cache").filter { $0.hasSuffix(ending) }
  }

  @Test("a damaged or foreign entry is never used as the body")
  func damage() throws {
    let url = server.url("/etag")
    #expect(try cached(url).sink.text == "tagged")
    #expect(try cached(url).isUnchanged)
    let body = try #require(names(".body").first)
    let record = try #require(names(".meta").first)
    let text = try directory.bytes("cache/\(record)")

    for bytes in ["tugged", "tagge", "taggedd", ""] {
      _ = try directory.file("cache/\(body)", Array(bytes.utf8))
      let download = try cached(url)
      #expect(download.failure == nil && download.sink.text == "tagged", "\(bytes)")
      #expect(download.events == ["damaged"] && !download.isUnchanged)
      #expect(try cached(url).isUnchanged, "it is whole again")
    }
    // Records that are truncated, belong to another URL, refer to a path outside of the directory, or are not records.
    let foreign = [
      Array(text.dropLast(3)), [], Array("cdpipe-download 2\n".utf8),
      Array(String(decoding: text, as: UTF8.self).replacing("/etag", with: "/small").utf8),
      Array(String(decoding: text, as: UTF8.self).replacing("body: ", with: "body: ../cache/").utf8),
    ]
    for bytes in foreign {
      _ = try directory.file("cache/\(record)", bytes)
      let download = try cached(url)
      #expect(download.failure == nil && download.sink.text == "tagged" && !download.isUnchanged)
      #expect(download.events.isEmpty)
    }
    _ = try directory.file("cache/\(body)", [1])
    #expect(try cached(url).sink.text == "tagged")
  }

  @Test("only complete answers are kept, except those with no-store")
  func kept() throws {
    for path in ["/no-store", "/unframed", "/short-small", "/status/404", "/part", "/cut/500000/weak"] {
      _ = try cached(server.url(path)) { $0.retries = 0 }
      #expect(directory.names(in: "cache").isEmpty, "\(path): \(directory.names(in: "cache"))")
    }
    // A body that a later stage could not use is sent again.
    #expect(try cached(server.url("/etag"), failsBeyond: 3).failure != nil)
    #expect(directory.names(in: "cache").isEmpty)
    #expect(try cached(server.url("/etag")) { $0.sha256 = String(repeating: "0", count: 64) }.failure != nil)
    #expect(directory.names(in: "cache").isEmpty)
    // Assembled from two pieces, it is complete.
    #expect(try cached(server.url("/cut/500000/strong")).sink.has(Server.large))
    #expect(names(".body").count == 1)
  }

  @Test("the same bytes count as unchanged, whatever headers the server sends")
  func same() throws {
    let set: (inout DownloadOptions) -> Void = { $0.failsUnchanged = true }
    #expect(try cached(server.url("/same"), set: set).failure == nil)
    let again = try cached(server.url("/same"), set: set)
    #expect(again.cause == .downloadUnchanged && again.sink.text == "same" && again.isUnchanged)
    #expect(try cached(server.url("/new"), set: set).sink.text == "new 0")
    #expect(try cached(server.url("/new"), set: set).sink.text == "new 1")
    #expect(names(".body").count == 2, "old ones are gone")
  }

  @Test("with several URLs, all are written in their order if one has changed")
  func several() throws {
    let etag = server.url("/etag")
    let set: (inout DownloadOptions) -> Void = { $0.failsUnchanged = true }
    #expect(try cached(etag, server.url("/same"), set: set).sink.text == "taggedsame")
    #expect(try cached(etag, etag, set: set).cause == .downloadUnchanged)
    #expect(try cached(etag, etag, set: set).sink.chunks == 0)
    let mixed = try cached(etag, etag, server.url("/new"), etag, set: set)
    #expect(mixed.failure == nil && mixed.sink.text == "taggedtaggednew 0tagged" && !mixed.isUnchanged)
    #expect(mixed.meter.bytesExpected.value == 23)
    let path = try directory.file("local", Array("!".utf8))
    let withFile = try cached(etag, path, set: set)
    #expect(withFile.failure == nil && withFile.sink.text == "tagged!", "a file counts as changed")
    let over = try cached(etag, etag) { $0.maxBytes = 11 }
    #expect(over.cause == .tooLarge(url: etag, limit: 11))
  }

  @Test("a kept body whose hash is not the requested one is not used")
  func otherHash() throws {
    let hash = SHA256Hasher.hex(of: "tagged")
    #expect(try cached(server.url("/etag")).failure == nil)
    #expect(try cached(server.url("/etag")) { $0.sha256 = hash }.isUnchanged)
    let other = try cached(server.url("/etag")) { $0.sha256 = String(repeating: "1", count: 64) }
    #expect(other.failed("wrong-hash", "the 6 bytes received is \(hash), not 1111"))
    #expect(try cached(server.url("/etag")).isUnchanged, "the old one is there still")
  }

  @Test("headers that may select another version have a separate entry")
  func headers() throws {
    #expect(try cached(server.url("/etag")).failure == nil)
    #expect(try !cached(server.url("/etag")) { $0.headers = ["Accept: text/csv"] }.isUnchanged)
    #expect(names(".meta").count == 2)
  }

  @Test("concurrent runs leave a complete entry", arguments: [false, true])
  func together(resumes: Bool) async throws {
    let url = server.url("/cut/9999999/strong")
    let cache = "\(directory.path)/cache"
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<3 {
            let download = try Download(url) {
              $0.cacheDirectory = cache
              $0.resumes = resumes
            }
            guard download.failure == nil, download.sink.has(Server.large) else { return false }
          }
          return true
        }
      }
      for try await isWhole in group { #expect(isWhole) }
    }
    // A record and the body that it names; a run that was overtaken may have lost its own to a later one.
    let names = directory.names(in: "cache")
    #expect(names.filter { $0.hasSuffix(".meta") }.count == 1 && names.count <= 2, "\(names)")
    let last = try cached(url)
    #expect(last.failure == nil && last.sink.has(Server.large))
  }

  @Test("the leftovers of a killed run are removed, and those of a running one are not")
  func leftovers() throws {
    #expect(try cached(server.url("/new")).failure == nil)
    let key = try #require(names(".meta").first).dropLast(".meta".count)
    _ = try directory.file("cache/.\(key).999999999-x.tmp", [1])
    _ = try directory.file("cache/.\(key).\(ProcessIdentity.mine)-x.tmp", [1])
    _ = try directory.file("cache/.other.999999999-x.tmp", [1])
    #expect(try cached(server.url("/new")).failure == nil)
    #expect(names(".tmp") == [".\(key).\(ProcessIdentity.mine)-x.tmp", ".other.999999999-x.tmp"].sorted())
  }

  @Test("a directory that can't be created is a failure before anything is fetched")
  func noDirectory() throws {
    let file = try directory.file("file", [1])
    let download = try Download(server.url("/small")) { $0.cacheDirectory = "\(file)/cache" }
    #expect(download.systemError?.errorClass == .cannotCreate)
    #expect(download.sink.chunks == 0)
  }
}
