// Heads of responses, and the records of kept bodies.

import Hashing
import Records
import SystemIO
import Testing

@testable import InputStages

@Suite("heads and records")
struct HeadTests {
  private func head(_ lines: String...) -> ResponseHead {
    var head = ResponseHead()
    for line in lines { head.receive(Array("\(line)\r\n".utf8).span) }
    return head
  }

  @Test("validators are read from the last head, and not from trailers")
  func validators() {
    let old = "Last-Modified: Sat, 07 Nov 2020 03:12:00 GMT"
    let strong = head(
      "HTTP/1.1 100 Continue", "ETag: \"no\"", "", "HTTP/1.1 200 OK", "eTAG:  \"a b\"", "ETag: \"c\"", old,
      "Date: Sat, 07 Nov 2020 03:13:00 GMT", "", "ETag: \"trailer\"")
    #expect(strong.validators.etag == "\"c\"", "a blank is in no ETag")
    #expect(strong.validators.isDateStrong && strong.validators.strong == "\"c\"")
    #expect(strong.hasFraming == false && strong.mayBeStored)
    let dated = head("HTTP/2 200", old, "Date: Sat, 07 Nov 2020 03:12:59 GMT", "")
    #expect(!dated.validators.isDateStrong && dated.validators.strong == nil && dated.hasFraming)
    // A server whose ETag is a time in seconds: what it sends in that second may change again.
    let young = head("HTTP/1.1 200", "ETag: \"5fa6-7\"", old, "Date: Sat, 07 Nov 2020 03:12:01 GMT", "")
    #expect(young.validators.etag == "\"5fa6-7\"" && young.validators.strong == nil)
    let settled = head("HTTP/1.1 200", "ETag: \"5fa6-7\"", old, "Date: Sat, 07 Nov 2020 03:12:02 GMT", "")
    #expect(settled.validators.strong == "\"5fa6-7\"")
    let weak = head("HTTP/1.1 200", "ETag: W/\"a\"", old, "Date: Sat, 07 Nov 2026 03:12:00 GMT", "")
    #expect(weak.validators.etag == "W/\"a\"" && weak.validators.strong == nil)
    #expect(head("HTTP/1.1 200", "Last-Modified: soon", "").validators == Validators())
    #expect(head("HTTP/1.1 200", "Transfer-Encoding: gzip, chunked", "").hasFraming)
    #expect(!head("HTTP/1.1 200", "Cache-Control: max-age=5, No-Store", "").mayBeStored)
    #expect(head("HTTP/1.1 200", "Cache-Control: no-storeroom", "").mayBeStored)
    #expect(
      head("HTTP/1.1 200", "ETag: \"\(String(repeating: "x", count: 5000))\"", "").validators.etag == nil)
    for etag in ["a", "\"a", "a\"", "\"", "", "W/a", "w/\"a\"", "\"a\"\"", "\"\u{1}\"", "\"é\""] {
      #expect(!Validators.isETag(etag), "\(etag)")
    }
    for etag in ["\"\"", "\"a\"", "W/\"\""] { #expect(Validators.isETag(etag), "\(etag)") }
  }

  @Test("Content-Range is parsed strictly")
  func parts() throws {
    let part = try #require(ContentRange("bytes 5-9/10"))
    #expect(part.first == 5 && part.last == 9 && part.total == 10 && part.count == 5)
    #expect(ContentRange("Bytes 0-0/*")?.count == 1)
    for text in [
      "", "bytes", "bytes 5-9", "bytes 5/9", "bytes 9-5/10", "bytes 5-9/9", "bytes -9/10", "bytes */10",
      "bytes 5-9/x", "items 5-9/10", "bytes 5-9/10/11", "bytes 0-18446744073709551615/*",
      "bytes 0-18446744073709551616/*", "bytes 1--2/9",
    ] {
      #expect(ContentRange(text) == nil, "\(text)")
    }
  }

  @Test("a record is read back unchanged; a truncated one is not a record")
  func records() throws {
    var record = BodyMetadata(url: "https://h/a?b: c", from: "https://h/d")
    record.validators = Validators(etag: "W/\"x\"", lastModified: "Sat, 07 Nov 2026", isDateStrong: true)
    record.body = "a.body"
    record.total = 9
    record.length = 7
    record.sha256 = SHA256Hasher.hex(of: "")
    #expect(record.sha256 == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(BodyMetadata(text: record.text) == record)
    let bytes = Array(record.text.utf8)
    for length in 0..<bytes.count {
      #expect(BodyMetadata(text: String(decoding: bytes[..<length], as: UTF8.self)) == nil, "\(length)")
    }
    for (old, new) in [
      ("a.body", "../a"), ("total: 9", "total: 6"), ("length: 7", "length: -7"), ("W/", "w"),
      ("download 1", "x"),
      ("url: ", "url"),
    ] {
      #expect(BodyMetadata(text: record.text.replacing(old, with: new)) == nil, "\(new)")
    }
  }

  @Test("Retry-After is read as a count of seconds")
  func retryAfter() {
    #expect(head("HTTP/1.1 503 Busy", "Retry-After:  30 ", "").retryAfterSeconds == 30)
    #expect(head("HTTP/1.1 503 Busy", "Retry-After: 999999999999999999999", "").retryAfterSeconds == 1e9)
    for value in ["", "soon", "-1", "1.5", "Sat, 07 Nov 2026 03:12:00 GMT"] {
      #expect(head("HTTP/1.1 503 Busy", "Retry-After: \(value)", "").retryAfterSeconds == nil, "\(value)")
    }
  }

  @Test("a netrc file is checked before anything is sent")
  func netrc() throws {
    func check(_ text: String) -> Failure? {
      do throws(Failure) {
        try NetrcFile.check(Array(text.utf8), file: "f")
        return nil
      } catch {
        return error
      }
    }
    for good in [
      "machine h login u password p\n",
      "machine h\n  login u\n  password \"a \\\" b\"\r\n# x\nmachine i login v",
      "default login u password p", "# machine\n\nmachine h login u password p # comment",
      "machine h login u password #p\nmachine i",
      "macdef init\ncd /x\nbinary y\n\nmachine h login u password p",
      "machine machine login login password password account a",
    ] {
      #expect(check(good) == nil, "\(good)")
    }
    for (bad, line) in [
      ("user:password\n", 1), ("machine h login u passwort p", 1), ("\n\nlogin u\n", 3),
      ("machine h login", 1),
      ("machine", 1), ("machine h login u password p\n\u{0}\u{1}\n", 2), ("machine h\nlogin a b\n", 2),
    ] {
      #expect(check(bad) == .malformedNetrcLine(file: "f", line: line), "\(bad)")
    }
    for empty in ["", "\n", "# machine h\n", "macdef x\n  y\n"] {
      #expect(check(empty) == .emptySecretFile(file: "f", isNetrc: true), "\(empty)")
    }
    #expect(
      check(String(repeating: "#", count: 70_000)) == .secretFileTooLarge(file: "f"))
  }
}
