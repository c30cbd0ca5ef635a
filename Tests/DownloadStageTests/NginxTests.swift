// Downloads from a real web server: versions, ranges, redirects, certificates and load.

import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import InputStages

@Suite("downloads from nginx", .enabled(if: WebTools.isThere, WebTools.reason))
struct NginxTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func nginx(isSecure: Bool = false) throws -> Nginx {
    let nginx = try Nginx(directory, isSecure: isSecure)
    try nginx.put("list", Server.large)
    return nginx
  }

  private func cached(_ nginx: Nginx, _ url: String, failsUnchanged: Bool = false) throws -> Download {
    try Download(url) {
      $0.cacheDirectory = "\(nginx.directory.path)/cache/of mine"
      $0.failsUnchanged = failsUnchanged
      $0.caFile = url.hasPrefix("https") ? nginx.authority : nil
    }
  }

  @Test("an unchanged list is not sent again, and comes from the cache byte for byte")
  func cache() throws {
    let nginx = try nginx()
    let first = try cached(nginx, nginx.url("/list"))
    #expect(first.failure == nil && first.sink.has(Server.large) && !first.isUnchanged)
    let again = try cached(nginx, nginx.url("/list"))
    #expect(again.failure == nil && again.sink.has(Server.large) && again.isUnchanged)
    #expect(again.meter.bytesExpected.value == UInt64(Server.large.count))
    let unchanged = try cached(nginx, nginx.url("/list"), failsUnchanged: true)
    #expect(unchanged.cause == .downloadUnchanged && unchanged.events == ["unchanged"])
    #expect(unchanged.sink.chunks == 0)

    try nginx.put("list", Array("other".utf8))
    let changed = try cached(nginx, nginx.url("/list"), failsUnchanged: true)
    #expect(changed.failure == nil && changed.sink.text == "other" && !changed.isUnchanged)
    nginx.stop()
    let log = try nginx.log()
    #expect(log.map { $0.split(separator: "|")[1] } == ["200", "304", "304", "200"])
    let names = nginx.directory.names(in: "cache/of mine")
    #expect(names.count == 2 && names.filter { $0.hasSuffix(".body") }.count == 1, "\(names)")
  }

  @Test("also after a redirect, and by the date alone")
  func cacheAfterRedirect() throws {
    let nginx = try nginx()
    for count in 1...3 {
      let download = try cached(nginx, nginx.url("/moved"))
      #expect(download.sink.has(Server.large) && download.isUnchanged == (count > 1))
    }
    nginx.stop()
    let statuses = try nginx.log().map { $0.split(separator: "|")[1] }
    #expect(statuses == ["302", "200", "302", "304", "302", "304"])
  }

  @Test("https with a private authority, and no redirect to http")
  func secure() throws {
    let nginx = try nginx(isSecure: true)
    let url = nginx.secureURL("/list")
    let trusted = try cached(nginx, url)
    #expect(trusted.failure == nil && trusted.sink.has(Server.large))
    #expect(try cached(nginx, url).isUnchanged)
    let untrusted = try Download(url)
    #expect(untrusted.failed("transfer", "'\(url)': ") && untrusted.failed("transfer", "(curl 60)"))
    #expect(untrusted.cause?.message.hint == "name the trusted certificates with --ca-file FILE")
    let back = try cached(nginx, nginx.secureURL("/plain"))
    #expect(back.cause == .redirectNotAllowed(from: nginx.secureURL("/plain"), to: nginx.url("/list")))
    #expect(back.sink.chunks == 0)
  }

  @Test("an interrupted transfer continues at the byte that was reached")
  func cut() throws {
    let nginx = try nginx()
    try nginx.put("long", Server.large + Server.large + Server.large)
    let download = try Download(
      nginx.url("/slow/long"), hooks: Hooks(firstChunk: { nginx.stop() }, whenWaiting: { try? nginx.start() })
    )
    #expect(download.failure == nil && download.events == ["retrying"] && download.waits == [1])
    #expect(download.sink.has(Server.large + Server.large + Server.large))
    nginx.stop()
    let last = try #require(try nginx.log().last)
    #expect(last.hasPrefix("/slow/long|206|bytes=") && last.contains("|\\x22") && !last.contains("bytes=0-"))
  }

  @Test("an interrupted transfer continues in the next run")
  func resume() throws {
    let nginx = try nginx()
    let part = "\(nginx.directory.path)/list.cdpipe-part"
    let set: (inout DownloadOptions) -> Void = {
      $0.resumes = true
      $0.partialPath = part
    }
    let first = try Download(nginx.url("/list"), failsBeyond: 300_000, set: set)
    #expect(first.failure != nil && first.events == ["kept"])
    #expect(nginx.directory.names.contains("list.cdpipe-part"))
    let second = try Download(nginx.url("/list"), set: set)
    #expect(second.failure == nil && second.sink.has(Server.large) && second.events == ["resumed"])
    #expect(!nginx.directory.names.contains { $0.contains("cdpipe-part") }, "nothing is left behind")

    // A body that changed in between is not joined with the old part.
    _ = try Download(nginx.url("/list"), failsBeyond: 300_000, set: set)
    try nginx.put("list", Array(Server.large.reversed()))
    let other = try Download(nginx.url("/list"), set: set)
    #expect(other.failure == nil && other.events.isEmpty)
    #expect(other.sink.has(Array(Server.large.reversed())))
    nginx.stop()
    #expect(try nginx.log().map { $0.split(separator: "|")[1] } == ["200", "206", "200", "200"])
  }

  @Test("an overloaded server gets another request when it allows it")
  func busy() throws {
    let nginx = try nginx()
    let download = try Download(
      nginx.url("/busy/list"), hooks: Hooks(whenWaiting: { try? nginx.put("up", []) }))
    #expect(download.failure == nil && download.waits == [7] && download.sink.has(Server.large))
    let closed = try Download(nginx.url("/closed")) { $0.retries = 1 }
    #expect(closed.failed("transfer", "") && closed.waits == [1])
    #expect(try Download(nginx.url("/none")).cause == .status(url: nginx.url("/none"), status: 404))
    #expect(
      try Download(nginx.url("/loop")).cause == .tooManyRedirects(url: nginx.url("/loop"), limit: 10))
  }
}
