// Downloads over http: complete answers, retries and failures.

import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import InputStages

@Suite("downloads over http")
struct WebTests {
  let server: Server

  init() throws { server = try Server() }

  @Test("a small, a large and an empty body arrive complete")
  func whole() throws {
    let small = try Download(server.url("/small"))
    #expect(small.failure == nil && small.sink.text == "hello\n")
    let large = try Download(server.url("/large"))
    #expect(large.failure == nil && large.sink.has(Server.large))
    #expect(large.sink.chunks == (Server.large.count - 1) / ByteChunk.defaultBytes + 1)
    #expect(large.meter.bytesIn.value == UInt64(Server.large.count))
    #expect(large.meter.bytesExpected.value == UInt64(Server.large.count))
    let empty = try Download(server.url("/empty"))
    #expect(empty.failure == nil && empty.sink.bytes.isEmpty)
  }

  @Test("several URLs and files are written in order")
  func several() throws {
    let directory = try TemporaryDirectory()
    let path = try directory.file("two", Array("two\n".utf8))
    let download = try Download(server.url("/small"), path, server.url("/small"))
    #expect(download.sink.text == "hello\ntwo\nhello\n")
    #expect(download.meter.bytesIn.value == 16)
    #expect(download.meter.bytesExpected.value == 16)
  }

  @Test("at most ten redirects are followed")
  func redirects() throws {
    let ten = try Download(server.url("/chain/10"))
    #expect(ten.failure == nil && ten.sink.text == "end of the chain")
    let eleven = try Download(server.url("/chain/11"))
    #expect(eleven.cause == .tooManyRedirects(url: server.url("/chain/11"), limit: 10))
    let loop = try Download(server.url("/loop"))
    #expect(loop.cause == .tooManyRedirects(url: server.url("/loop"), limit: 10))
    #expect(loop.cause?.errorClass == .unavailable)
    #expect(loop.waits.isEmpty && loop.sink.chunks == 0)
    let long = try Download(server.url("/long-page"))
    #expect(
      long.cause == .status(url: server.url("/long-page"), status: 302), "a page without end is not read")
  }

  @Test("a redirect never leads to a file or another protocol")
  func refusedRedirects() throws {
    let file = try Download(server.url("/to-file"))
    #expect(file.cause == .redirectNotAllowed(from: server.url("/to-file"), to: "file:///etc/passwd"))
    let ftp = try Download(server.url("/to-ftp"))
    #expect(ftp.cause == .redirectNotAllowed(from: server.url("/to-ftp"), to: "ftp://127.0.0.1/x"))
    #expect(file.sink.chunks + ftp.sink.chunks == 0)
  }

  @Test("headers are sent, and secret ones are not sent to another host")
  func headers() throws {
    let set: (inout DownloadOptions) -> Void = {
      $0.headers = ["X-Extra: 1", "Authorization: Bearer t"]
      $0.version = "1.2.3"
    }
    #expect(try Download(server.url("/small"), set: set).failure == nil)
    #expect(try Download(server.url("/chain/1"), set: set).failure == nil)
    let other = try Download(server.url("/to-other"), set: set)
    #expect(other.failure == nil, "localhost is 127.0.0.1")
    let log = try Download(server.url("/log")).sink.text.split(separator: "\n").map(String.init)
    #expect(
      log == [
        "/small|cdpipe/1.2.3|Bearer t|1", "/chain/1|cdpipe/1.2.3|Bearer t|1",
        "/chain/0|cdpipe/1.2.3|Bearer t|1",
        "/to-other|cdpipe/1.2.3|Bearer t|1", "/small|cdpipe/1.2.3|None|1", "/log|cdpipe/0|None|None",
      ])
  }

  @Test("a user name or password in a URL is refused")
  func login() throws {
    let download = try Download("http://u:p@127.0.0.1:\(server.port)/small")
    #expect(download.cause == .loginInURL(server.url("/small")))
    #expect(download.cause?.errorClass == .usage)
    #expect(try Download(server.url("/log")).sink.text == "/log|cdpipe/0|None|None", "nothing was asked")
  }

  @Test("logins are read from a netrc file and tokens from a header file, and are sent only to their host")
  func secrets() throws {
    let directory = try TemporaryDirectory()
    let netrc = try directory.file("netrc", Array("machine 127.0.0.1 login u password p\n".utf8))
    let lines = Array("# a token\r\n\nX-Extra: 7\r\n".utf8)
    let headers = try directory.file("headers", lines)
    for path in ["/small", "/to-other"] {
      let download = try Download(server.url(path)) {
        $0.netrcFile = netrc
        $0.headerFile = headers
        $0.userAgent = "me"
      }
      #expect(download.failure == nil)
    }
    let log = try Download(server.url("/log")).sink.text
    #expect(
      log == """
        /small|me|Basic dTpw|7
        /to-other|me|Basic dTpw|7
        /small|me|None|None
        /log|cdpipe/0|None|None
        """)
    let broken = try directory.file("broken", Array("A: b\nno colon\n".utf8))
    #expect(
      try Download(server.url("/small")) { $0.headerFile = broken }.cause
        == .malformedHeaderLine(file: broken, line: 2))
    let empty = try directory.file("empty", Array("# nothing yet\n\n".utf8))
    #expect(
      try Download(server.url("/small")) { $0.headerFile = empty }.cause
        == .emptySecretFile(file: empty, isNetrc: false))
    #expect(
      try Download(server.url("/small")) { $0.netrcFile = empty }.cause
        == .emptySecretFile(file: empty, isNetrc: true))
    let none = "\(directory.path)/none"
    for set in [
      { (options: inout DownloadOptions) in options.headerFile = none }, { $0.netrcFile = none },
      { $0.caFile = none },
    ] {
      let failure = try Download(server.url("/small"), set: set).systemError
      #expect(failure == SystemError(.openInput, none, .noSuchFileOrDirectory))
    }
  }

  @Test(
    "an error status of the server is a failure with that status",
    arguments: [201, 202, 204, 205, 304, 400, 403, 404, 410])
  func refusals(status: Int) throws {
    let download = try Download(server.url("/status/\(status)"))
    #expect(download.cause == .status(url: server.url("/status/\(status)"), status: status))
    #expect(download.cause?.errorClass == (status == 404 || status == 410 ? .noInput : .unavailable))
    #expect(download.waits.isEmpty, "trying again would not help")
    #expect(download.sink.chunks == 0)
  }

  @Test("a part that was not requested is not the whole body")
  func unasked() throws {
    let download = try Download(server.url("/part"))
    #expect(download.cause == .status(url: server.url("/part"), status: 206))
    #expect(download.sink.chunks == 0)
  }

  @Test("an overloaded server gets another request", arguments: [408, 429, 500, 503])
  func busy(status: Int) throws {
    let once = try Download(server.url("/busy/\(status)/1/0"))
    #expect(once.failure == nil && once.sink.text == "at last")
    #expect(once.waits == [1])
    #expect(once.meter.bytesIn.value == 7)
    let always = try Download(server.url("/busy/\(status)/99/0"))
    #expect(always.cause == .status(url: server.url("/busy/\(status)/99/0"), status: status))
    #expect(always.waits == [1, 2, 4])
    let never = try Download(server.url("/busy/\(status)/98/0")) { $0.retries = 0 }
    #expect(never.waits.isEmpty && never.failure != nil)
  }

  @Test("a retry waits")
  func waits() throws {
    let start = MonotonicClock.seconds()
    let sink = KeepingSink()
    let context = StageContext(meter: StageMeter(.download), rejects: try RejectLog())
    let options = DownloadOptions([server.url("/busy/503/1/0")])
    try Downloader(options: options, context: context, downstream: sink).run()
    #expect(sink.text == "at last")
    #expect(MonotonicClock.seconds() - start >= 1)
  }

  @Test("the time in Retry-After is respected, unless it is too long")
  func retryAfter() throws {
    let short = try Download(server.url("/busy/503/1/30"))
    #expect(short.failure == nil && short.waits == [30])
    let long = try Download(server.url("/busy/503/1/86400"))
    #expect(long.waits.isEmpty)
    #expect(
      long.cause
        == .retryAfterTooLong(.status(url: server.url("/busy/503/1/86400"), status: 503), seconds: 86_400))
    #expect(long.cause?.errorClass == .unavailable)
    let forever = try Download(server.url("/busy/503/1/99999999999999999999999"))
    #expect(forever.waits.isEmpty)
    #expect(
      forever.failed("retry-after-too-long", "answered 503: retry after \(Figures.seconds(1e9))"),
      "as good as forever, and still a number of seconds")
    let late = try Download(server.url("/busy/429/1/590")) { $0.timeoutSeconds = 580 }
    #expect(
      late.waits.isEmpty
        && late.cause
          == .retryAfterTooLong(.status(url: server.url("/busy/429/1/590"), status: 429), seconds: 590),
      "the time limit would pass during the wait")
  }

  @Test(
    "a transfer that ends early is an error with the count of bytes received",
    arguments: ["/short", "/reset"])
  func endsEarly(path: String) throws {
    // The server resets the connection only when some bytes were received: a reset discards what was not read yet.
    let resetNow = Hooks(firstChunk: { [server] in _ = try? Download(server.url("/reset-now")) })
    let download = try Download(server.url(path), hooks: path == "/reset" ? resetNow : Hooks())
    let received = download.meter.bytesIn.value
    #expect(received <= 300_000 && received > 0)
    #expect(download.failed("ended-early", "'\(server.url(path))': the transfer ended early, after "))
    #expect(path == "/reset" || download.failed("ended-early", "after \(Figures.grouped(300_000)) of "))
    let size = Figures.grouped(UInt64(Server.large.count))
    #expect(download.failed("ended-early", " of \(size) bytes: "))
    #expect(download.cause?.message.message.hasSuffix(" bytes: ") == false, "it has a reason")
    #expect(download.failed("ended-early", "reset") == (path == "/reset"))
    #expect(download.cause?.errorClass == .unavailable)
    #expect(download.waits.isEmpty, "what was forwarded can't be taken back")
    #expect(Server.large.starts(with: download.sink.bytes))
  }

  @Test("if nothing was forwarded, a transfer is retried from the start")
  func endsEarlyOnce() throws {
    let once = try Download(server.url("/short-once"))
    #expect(once.failure == nil && once.sink.text == "all of it" && once.waits == [1])
    #expect(once.meter.bytesIn.value == 9 && once.meter.bytesExpected.value == 9)
    let always = try Download(server.url("/short-small"))
    #expect(always.waits == [1, 2, 4] && always.sink.chunks == 0)
    #expect(always.failed("ended-early", "after 4 of 8 bytes: "))
  }

  @Test("a chunked body without its end is incomplete, and so is a missing answer")
  func brokenProtocol() throws {
    let chunked = try Download(server.url("/chunked-short")) { $0.retries = 0 }
    #expect(chunked.failed("ended-early", "after 5 bytes: ") && chunked.sink.chunks == 0)
    let nothing = try Download(server.url("/nothing")) { $0.retries = 1 }
    #expect(nothing.failed("transfer", "(curl 52)") && nothing.waits == [1])
  }

  @Test("an answer that is not HTTP is the server's fault")
  func notHTTP() throws {
    let download = try Download(server.url("/http-0.9"))
    #expect(download.failed("transfer", "(curl 1)") && download.sink.chunks == 0 && download.waits.isEmpty)
    #expect(download.cause?.errorClass == .unavailable && download.cause?.blamesSource == true)
    let missing = Failure.curlMissing(name: "libcurl.so.4")
    #expect(missing.errorClass == .unavailable && !missing.blamesSource)
  }

  @Test(
    "lengths that differ, or that are not lengths",
    arguments: [
      "3/5", "5/3", "3,5", "5,", "9223372036854775808", "18446744073709551621", "99999999999999999999999",
      "0x5", "+5",
      "5x", "5.0",
    ])
  func invalidLengths(lengths: String) throws {
    let url = server.url("/lengths/\(lengths)")
    let download = try Download(url)
    #expect(download.cause == .invalidLength(url: url))
    #expect(download.cause?.errorClass == .unavailable && download.sink.chunks == 0)
  }

  @Test("a length that is repeated", arguments: ["5", "5/5", "5,5"])
  func repeatedLength(lengths: String) throws {
    #expect(try Download(server.url("/lengths/\(lengths)")).sink.text == "hello")
  }

  @Test("https without a length is complete only if the server ends it")
  func cutWithoutLength() throws {
    let directory = try TemporaryDirectory()
    let authority = try directory.file("authority.pem", Array(Server.certificate.utf8))
    let download = try Download(server.secureURL("/unframed")) {
      $0.caFile = authority
      $0.retries = 0
    }
    #expect(download.failed("ended-early", "after 9 bytes: "), "\(download.sink.text)")
    #expect(try Download(server.secureURL("/small")) { $0.caFile = authority }.sink.text == "hello\n")
  }

  @Test("a certificate of an unknown authority is not trusted")
  func untrusted() throws {
    let url = server.secureURL("/small")
    let download = try Download(url)
    #expect(download.failed("transfer", "'\(url)': ") && download.failed("transfer", "(curl 60)"))
    #expect(download.waits.isEmpty && download.sink.chunks == 0)
    #expect(try !Download(server.url("/log")).sink.text.contains("/small"), "no request was sent")
  }

  @Test("a refused connection")
  func refused() throws {
    let url = server.refusingURL("/small")
    let download = try Download(url) { $0.retries = 2 }
    #expect(download.failed("transfer", "'\(url)': ") && download.failed("transfer", "(curl 7)"))
    #expect(download.cause?.errorClass == .unavailable)
    #expect(download.waits == [1, 2])
  }

  @Test("an unknown host is tried again, with the same error")
  func unknownHost() throws {
    // No name server is asked for a label of more than 63 characters.
    let host = String(repeating: "a", count: 64) + ".invalid"
    let download = try Download("https://\(host)/list") { $0.retries = 2 }
    #expect(download.failed("transfer", "(curl 6)"), "\(String(describing: download.failure))")
    #expect(download.waits == [1, 2])
  }

  @Test("--timeout ends a transfer")
  func timeout() throws {
    try server.expectSlow(.total) { $0.timeoutSeconds = $1 }
  }

  @Test("--connect-timeout ends a transfer")
  func connectTimeout() throws {
    let download = try Download(server.fullURL("/small")) {
      $0.connectTimeoutSeconds = 1
      $0.retries = 1
    }
    #expect(
      download.cause == .timedOut(url: server.fullURL("/small"), limit: .connect, seconds: 1, received: 0))
    #expect(download.cause?.errorClass == .unavailable)
    #expect(download.waits == [1])
  }

  @Test("a failure downstream stops the transfer and is rethrown")
  func downstreamFails() throws {
    let download = try Download(server.url("/endless"), failsBeyond: 300_000)
    #expect(download.failure == KeepingSink.full)
    #expect(download.sink.bytes.count < 600_000)
    #expect(download.waits.isEmpty)
    // The server has 260 MB to send: it notices only if the connection is closed.
    var log = ""
    let end = MonotonicClock.seconds() + 120
    while !log.contains("gone /endless"), MonotonicClock.seconds() < end {
      log = try Download(server.url("/log")).sink.text
    }
    #expect(log.contains("gone /endless"))
  }

  @Test("more bytes than allowed are not forwarded")
  func maxBytes() throws {
    let announced = try Download(server.url("/large")) { $0.maxBytes = 1000 }
    #expect(announced.cause == .tooLarge(url: server.url("/large"), limit: 1000))
    #expect(announced.sink.chunks == 0)
    let unannounced = try Download(server.url("/endless")) { $0.maxBytes = 1_000_000 }
    #expect(unannounced.cause == .tooLarge(url: server.url("/endless"), limit: 1_000_000))
    #expect(unannounced.sink.bytes.count <= 1_000_000)
    let exact = try Download(server.url("/large"), server.url("/small")) {
      $0.maxBytes = UInt64(Server.large.count) + 6
    }
    #expect(exact.failure == nil)
    let one = try Download(server.url("/large"), server.url("/small")) {
      $0.maxBytes = UInt64(Server.large.count) + 5
    }
    #expect(one.cause == .tooLarge(url: server.url("/small"), limit: UInt64(Server.large.count) + 5))
  }
}
