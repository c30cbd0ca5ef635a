// Interrupted transfers: which resume, which start over, and which fail. The server misbehaves
// in ways that a real one can't be configured for.

import Hashing
import Records
import SystemIO
import TestSupport
import Testing

@testable import InputStages

@Suite("interrupted transfers")
struct ResumeTests {
  let server: Server

  init() throws { server = try Server() }

  private func ranges() throws -> [String] {
    try Download(server.url("/ranges")).sink.text.split(separator: "\n").map(String.init)
      .filter { !$0.hasPrefix("/ranges") }
  }

  @Test("transfers continue if there is a strong validator", arguments: ["strong", "date"])
  func goesOn(kind: String) throws {
    let download = try Download(server.url("/cut/500000/\(kind)"))
    #expect(download.failure == nil && download.sink.has(Server.large))
    #expect(download.waits == [1] && download.events == ["retrying"])
    #expect(download.meter.bytesIn.value == UInt64(Server.large.count))
    #expect(download.meter.bytesExpected.value == UInt64(Server.large.count))
    let validator = kind == "date" ? "Sat, 07 Nov 2020 03:12:00 GMT" : "\"v\""
    #expect(
      try ranges() == [
        "/cut/500000/\(kind)|None|None", "/cut/500000/\(kind)|bytes=500000-|\(validator)",
      ])
  }

  @Test(
    "without a strong validator, transfers fail once something was forwarded",
    arguments: ["weak", "none", "fresh"])
  func fails(kind: String) throws {
    let download = try Download(server.url("/cut/500000/\(kind)"))
    let size = Figures.grouped(UInt64(Server.large.count))
    #expect(download.failed("ended-early", "after \(Figures.grouped(500_000)) of \(size) bytes: "))
    #expect(download.waits.isEmpty && Server.large.starts(with: download.sink.bytes))
    // Nothing was sent yet: start over.
    let small = try Download(server.url("/cut/1000/\(kind)"))
    #expect(small.failure == nil && small.sink.has(Server.large))
    #expect(try ranges().allSatisfy { $0.hasSuffix("|None|None") })
  }

  @Test("a body that changed is an error, or starts again if nothing was forwarded")
  func changes() throws {
    let late = try Download(server.url("/cut/500000/changing"))
    #expect(late.cause == .changed(url: server.url("/cut/500000/changing"), received: 500_000))
    #expect(Server.large.starts(with: late.sink.bytes) && late.cause?.errorClass == .unavailable)
    let early = try Download(server.url("/cut/1000/changing"))
    #expect(early.failure == nil && early.sink.has(Server.large))
    let gone = try Download(server.url("/cut/500000/gone"))
    #expect(gone.cause == .changed(url: server.url("/cut/500000/gone"), received: 500_000))
  }

  @Test("if a server sends the whole body again, the known bytes are skipped")
  func whole() throws {
    let download = try Download(server.url("/cut/500000/whole"))
    #expect(download.failure == nil && download.sink.has(Server.large))
    #expect(download.meter.bytesIn.value == UInt64(Server.large.count))
  }

  @Test("a part that was not requested is never appended; a shorter part is continued")
  func parts() throws {
    let wrong = try Download(server.url("/cut/500000/wrong"))
    #expect(wrong.cause == .wrongRange(url: server.url("/cut/500000/wrong")))
    #expect(Server.large.starts(with: wrong.sink.bytes))
    // The server ignores the condition, and sends the rest of another version.
    let other = try Download(server.url("/cut/500000/other"))
    #expect(other.cause == .wrongRange(url: server.url("/cut/500000/other")))
    #expect(Server.large.starts(with: other.sink.bytes))
    let less = try Download(server.url("/cut/500000/less"))
    #expect(less.failure == nil && less.sink.has(Server.large))
    #expect(less.waits == [1, 2])
  }

  @Test("a refused retry is retried; progress resets the count of retries")
  func retries() throws {
    let busy = try Download(server.url("/cut/500000/busy"))
    #expect(busy.failure == nil && busy.waits == [1, 7] && busy.sink.has(Server.large))
    let smallParts = try Download(server.url("/cut/100000/often"))
    #expect(smallParts.failed("ended-early", "after \(Figures.grouped(400_000)) of "))
    #expect(smallParts.waits == [1, 2, 4])
    let pieces = try Download(server.url("/cut/1100000/often")) { $0.retries = 1 }
    let large = Server.large
    #expect(pieces.sink.has(large + large + large + large))
    #expect(pieces.failure == nil && pieces.waits == [1, 1, 1])
  }

  @Test("a stalled transfer is ended, and continued")
  func silence() throws {
    try server.expectSlow(.stall) { options, seconds in
      options.idleTimeoutSeconds = seconds
      options.retries = 0
    }
  }

  @Test("the beginning of a transfer is kept for the next run, in the cache as well")
  func nextRun() throws {
    let directory = try TemporaryDirectory()
    let set: (inout DownloadOptions) -> Void = {
      $0.cacheDirectory = directory.path
      $0.resumes = true
      $0.retries = 0
    }
    let url = server.url("/cut/500000/strong")
    let first = try Download(url, set: set)
    #expect(first.failure != nil && first.events == ["kept"])
    let second = try Download(url, set: set)
    #expect(second.failure == nil && second.events == ["resumed"] && second.sink.has(Server.large))
    #expect(directory.names.map { String($0.split(separator: ".").last ?? "") } == ["body", "meta"])
    #expect(
      try ranges() == [
        "\(url.dropFirst(server.url("").count))|None|None", "/cut/500000/strong|bytes=500000-|\"v\"",
      ])

    // A part whose bytes differ from its record, and one that a run without a network does not touch.
    let other = server.url("/cut/400000/strong")
    #expect(try Download(other, set: set).events == ["kept"])
    let part = try #require(directory.names.first { $0.hasSuffix(".part") })
    var bytes = try directory.bytes(part)
    #expect(bytes.count == 400_000)
    bytes[200_000] ^= 1
    _ = try directory.file(part, bytes)
    let third = try Download(other, set: set)
    #expect(third.failure == nil && third.events.isEmpty && third.sink.has(Server.large))
    #expect(try ranges().last == "/cut/400000/strong|None|None")
  }

  @Test("after a failure downstream at the end, the next run does not fetch everything again")
  func lastByte() throws {
    let directory = try TemporaryDirectory()
    let set: (inout DownloadOptions) -> Void = {
      $0.resumes = true
      $0.partialPath = "\(directory.path)/x.part"
    }
    let url = server.url("/cut/9999999/strong")
    let first = try Download(url, failsBeyond: Server.large.count - 1, set: set)
    #expect(first.failure == KeepingSink.full && first.events == ["kept"])
    let second = try Download(url, set: set)
    #expect(second.failure == nil && second.sink.has(Server.large))
    #expect(try ranges().last == "/cut/9999999/strong|bytes=\(Server.large.count - 1)-|\"v\"")
    #expect(directory.names.isEmpty)
  }

  @Test("nothing is kept of a body that is too large, has no validator, or has the wrong hash")
  func cacheWriteFailed() throws {
    let directory = try TemporaryDirectory()
    func failing(_ path: String, _ more: (inout DownloadOptions) -> Void) throws -> Download {
      try Download(server.url(path)) {
        $0.resumes = true
        $0.retries = 0
        $0.partialPath = "\(directory.path)/x.part"
        more(&$0)
      }
    }
    #expect(try failing("/cut/500000/strong") { $0.maxBytes = 300_000 }.failure != nil)
    #expect(directory.names.isEmpty)
    #expect(try failing("/cut/500000/weak") { _ in }.failure != nil)
    #expect(directory.names.isEmpty)
    let wrong = try failing("/cut/9999999/strong") { $0.sha256 = String(repeating: "0", count: 64) }
    var hash = SHA256Hasher()
    hash.update(Server.large.span)
    let actual = hash.hex
    let size = Figures.grouped(UInt64(Server.large.count))
    #expect(wrong.failed("wrong-hash", "the \(size) bytes received is \(actual), not 0000"))
    #expect(wrong.cause?.errorClass == .badData)
    #expect(directory.names.isEmpty)
    #expect(try failing("/cut/9999999/strong") { $0.sha256 = actual.uppercased() }.failure == nil)
  }

  @Test("resuming needs a place for the part, and comparing needs a cache")
  func usage() throws {
    #expect(try Download(server.url("/small")) { $0.resumes = true }.cause == .resumeNeedsCache)
    let several = try Download(server.url("/small"), server.url("/small")) {
      $0.resumes = true
      $0.partialPath = "/nowhere/x"
    }
    #expect(several.cause == .resumeNeedsCache && several.cause?.errorClass == .usage)
    #expect(try Download(server.url("/small")) { $0.failsUnchanged = true }.cause == .failUnchangedNeedsCache)
    #expect(try Download(server.url("/small")) { $0.sha256 = "abc" }.cause == .malformedHash("abc"))
    // If a part can't be written, only the part is lost.
    let unwritable = try Download(server.url("/small")) {
      $0.resumes = true
      $0.partialPath = "/nowhere/x"
    }
    #expect(unwritable.failure == nil && unwritable.events == ["cacheWriteFailed"])
  }
}
