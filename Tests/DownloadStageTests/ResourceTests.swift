// Files, URLs and invalid URLs, and the allowed redirects.

import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import InputStages

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("files and URLs")
struct ResourceTests {
  @Test("a file is read by its path and by its URL")
  func file() throws {
    let directory = try TemporaryDirectory()
    let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let path = try directory.file("größe 100%.bin", bytes)
    let encoded = "\(directory.path)/gr%C3%B6%c3%9fe%20100%25.bin"
    for resource in [path, "file://\(encoded)", "FILE://localhost\(encoded)", "file://\(encoded)?x#y"] {
      let download = try Download(resource)
      #expect(download.failure == nil && download.sink.bytes == bytes, "\(resource)")
      #expect(download.meter.bytesIn.value == 700_000 && download.meter.bytesExpected.value == 700_000)
    }
    let limited = try Download(path) { $0.maxBytes = 699_999 }
    #expect(limited.cause == .tooLarge(url: path, limit: 699_999))
    #expect(limited.cause?.errorClass == .badData)
    let empty = try directory.file("empty", [])
    #expect(try Download(empty).failure == nil)
  }

  @Test("a missing file, a directory, and a file without read permission")
  func noFile() throws {
    let directory = try TemporaryDirectory()
    let none = "\(directory.path)/none"
    for resource in [none, "file://\(none)"] {
      let failure = try Download(resource).systemError
      #expect(failure == SystemError(.openInput, none, .noSuchFileOrDirectory))
      #expect(failure?.errorClass == .noInput)
    }
    #expect(
      try Download(directory.path).systemError == SystemError(.openInput, directory.path, .isDirectory))
    if geteuid() != 0 {
      let closed = try directory.file("closed", [65], [])
      #expect(try Download(closed).systemError == SystemError(.openInput, closed, .permissionDenied))
    }
  }

  @Test("a failure downstream stops the reading of a file")
  func downstreamFails() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.file("x", [UInt8](repeating: 65, count: 2_000_000))
    let download = try Download(path, failsBeyond: 300_000)
    #expect(download.failure == KeepingSink.full)
    #expect(download.sink.bytes.count < 600_000)
  }

  @Test("URLs and paths are distinguished")
  func kinds() throws {
    #expect(try Resource("a/b.txt") == .file("a/b.txt"))
    #expect(try Resource("http:/x") == .file("http:/x"))
    #expect(try Resource("-") == .file("-"))
    #expect(try Resource("1a://x") == .file("1a://x"))
    #expect(try Resource("file:///a%2Fb") == .file("/a/b"))
    guard case .web(let url) = try Resource("HTTPS://Example.org/X?y#z") else {
      Issue.record("no URL")
      return
    }
    #expect(url.isSecure && url.text == "HTTPS://Example.org/X?y#z")
  }

  @Test(
    "invalid URLs",
    arguments: [
      "file://", "file://localhost", "file://other/x", "file:///%", "file:///%4", "file:///%4G",
      "file:///%00",
      "file:///%ff", "http://", "http:///x", "http://u@/x", "http://h/a b", "http://h/\r\nX: y",
      "http://h:65536/", "http://h:99999/", "http://h:+80/", "http://h:8O/", "http://h:1:2/", "http://:80/",
      "https://[::1/", "https://[::1]x/", "https://[]/", "https://[::1]:x/", "http://a<b/", "http://{h}/",
    ])
  func malformed(text: String) {
    #expect { _ = try Resource(text) } throws: { ($0 as? Failure)?.code == "malformed-url" }
  }

  @Test(
    "valid hosts and ports",
    arguments: [
      "http://h", "http://h:/", "http://h:0/", "http://h:080/", "https://h:65535?x", "https://[::1]/",
      "https://[fe80::1%25eth0]:8443/", "http://a_b.example/", "http://größe.example/",
      "http://127.0.0.1:80/",
    ])
  func hosts(text: String) throws {
    guard case .web = try Resource(text) else {
      Issue.record("no URL")
      return
    }
  }

  @Test("other kinds of URL are named")
  func unsupported() throws {
    let download = try Download("ftp://example.org/x")
    #expect(download.cause == .unsupportedScheme(url: "ftp://example.org/x", scheme: "ftp"))
    #expect(download.cause?.errorClass == .usage)
  }

  @Test("an error in the last URL or in a header is reported before anything is fetched")
  func early() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.file("x", [65])
    let download = try Download(path, "gopher://x")
    #expect(download.cause != nil && download.sink.chunks == 0)
    for header in ["", ":", "no colon", ": x", "A b: c", "A: b\r\nC: d", "A: b\n", "A\u{0}: b"] {
      let download = try Download(path) { $0.headers = [header] }
      #expect(download.cause == .malformedHeader(header), "\(header)")
      #expect(download.sink.chunks == 0)
    }
    #expect(try Download(path) { $0.headers = ["A: b", "B:"] }.failure == nil)
  }

  @Test("redirects never leave https, and logins are sent only to their host")
  func redirects() throws {
    let plain = try WebURL("http://u:p@Host:80/a")
    #expect(plain.redacted == "http://host:80/a")
    #expect(try plain.redirected(to: "http://host:80/b").text == "http://u:p@host:80/b")
    #expect(try plain.redirected(to: "http://other/b").text == "http://other/b")
    #expect(try plain.redirected(to: "https://host/b").text == "https://host/b")
    let secure = try plain.redirected(to: "https://host/b")
    #expect {
      _ = try secure.redirected(to: "http://x@host/c")
    } throws: {
      $0 as? Failure == .redirectNotAllowed(from: "https://host/b", to: "http://host/c")
    }
    for location in ["file:///etc/passwd", "ftp://host/", "data://x", "nothing", ""] {
      #expect {
        _ = try secure.redirected(to: location)
      } throws: {
        $0 as? Failure == .redirectNotAllowed(from: "https://host/b", to: location)
      }
    }
    #expect(try WebURL("http://a@b@c/x").redacted == "http://c/x")
    #expect(try WebURL("http://h?x@y").redacted == "http://h?…")
  }

  @Test("a missing library is named")
  func missingLibrary() {
    let failure = CurlHandle.problem(loading: "libnone.so.1")
    #expect(failure == .curlMissing(name: "libnone.so.1"))
    #expect(failure?.errorClass == .unavailable)
    // A library that exists but is not libcurl.
    #if os(Linux)
      #expect(CurlHandle.problem(loading: "libc.so.6") != nil)
    #endif
  }
}
