// What all stages share: counters, the file at the end of a filter, URLs without secrets.

import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

extension StageName {
  static let parse = StageName(rawValue: "parse")
  static let normalize = StageName(rawValue: "normalize")
  static let sort = StageName(rawValue: "sort")
  static let emit = StageName(rawValue: "emit")
  static let unzip = StageName(rawValue: "unzip")
}

@Suite("StageMeter")
struct StageMeterTests {
  @Test("what is added is read, from any thread")
  func counts() throws {
    let meter = StageMeter(.sort)
    let threads = try (0..<2).map { _ in
      try WorkerThread(name: "test") {
        for _ in 0..<1000 { meter.rowsIn.add(3) }
      }
    }
    for thread in threads { thread.join() }
    #expect(meter.rowsIn.value == 6000 && meter.rowsOut.value == 0)
    #expect(!meter.isFinished)
    meter.finish()
    #expect(meter.isFinished && meter.stage == .sort)
  }
}

@Suite("FileSink", .seeded)
struct FileSinkTests {
  @Test("the file has the received bytes, whatever the cuts")
  func writes() throws {
    var generator = SplitMix64(test: "file sink")
    let bytes = generator.bytes(3000)
    for cut in Cut.common(&generator) {
      let directory = try TemporaryDirectory()
      let calls = FailingCalls(nil)
      try feed(bytes, cut: cut, to: try FileSink(directory / "out", calls: calls))
      #expect(directory.read("out") == bytes)
      #expect(directory.names == ["out"])
      #expect(calls.openFiles == 0)
    }
  }

  @Test(
    "a failure is attributed to the stage, and leaves no file",
    arguments: [FailingCalls.Call.open, .write, .sync, .rename])
  func failing(call: FailingCalls.Call) throws {
    let directory = try TemporaryDirectory()
    let path = directory / "out"
    let failure = stageError { () throws(Failure) in
      let sink = try FileSink(path, stage: .emit, calls: FailingCalls(call, .fails(.noSpace)))
      try feed([1, 2, 3], to: sink)
    }
    #expect(failure?.stage == .emit)
    #expect(failure?.systemError?.code == .noSpace)
    #expect(directory.names.isEmpty)
  }

  @Test("a stream without an end leaves no file")
  func unfinished() throws {
    let directory = try TemporaryDirectory()
    do {
      let sink = try FileSink(directory / "out", calls: KernelCalls())
      var chunk = ByteChunk()
      let bytes: [UInt8] = [1, 2, 3]
      chunk.append(bytes.span)
      try sink.receive(&chunk)
      expectTrue(chunk.isEmpty)
    }
    #expect(directory.names.isEmpty)
  }
}

@Suite("Secrets in URLs")
struct URLRedactionTests {
  @Test("no message has a private key")
  func keys() {
    let body = "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g"
    let pem = "-----BEGIN PRIVATE KEY-----\n\(body)\n-----END PRIVATE KEY-----\n"
    let old = "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAbCd\n-----END EC PRIVATE KEY-----"
    for key in [pem, body, "x\(body)", old, "-----BEGIN PRIVATE KEY-----\nAbCd"] {
      for text in [key, "'\(key)': is not a path", PrintableText.name(key)] {
        var message = UserMessage(text, hint: text)
        #expect(![body, "AbCd"].contains { "\(message.message)\(message.hint ?? "")".contains($0) })
        message.hint = text
        #expect(![body, "AbCd"].contains { (message.hint ?? "").contains($0) })
      }
    }
    #expect(KeyRedaction.text("'\(body)' is missing") == "'…' is missing")
    let mark = #"--set publish.sign="-----BEGIN PRIVATE KEY-----": 'sign' must be a path"#
    #expect(KeyRedaction.text(mark) == mark)
  }

  @Test(
    "a URL loses its login, query and fragment",
    arguments: [
      ("https://host/a/list.csv", "https://host/a/list.csv"), ("https://host/a?key=S", "https://host/a?…"),
      ("https://host?S", "https://host?…"), ("https://host/a?…", "https://host/a?…"),
      ("https://user:S@host:81/a@b", "https://host:81/a@b"), ("https://S@host/a?b=c@d#S", "https://host/a?…"),
      ("https://host/#S", "https://host/#…"), ("https://host/a?b='S' S", "https://host/a?…"),
      ("https://S@S@host\\@x?S", "https://host\\@x?…"), ("ftp://host/a?S://S/", "ftp://host/a?…"),
      ("list.csv?v=1", "list.csv?v=1"), ("", ""), ("://", "://"), ("a://?", "a://?…"),
    ])
  func whole(text: String, expected: String) {
    #expect(URLRedaction.url(text) == expected)
    #expect(URLRedaction.url(expected) == expected)
  }

  @Test(
    "a path may be a URL with a missing or mistyped scheme",
    arguments: [
      ("host.org/a?S", "host.org/a?…"), ("http:/host/a?S", "http:/host/a?…"), ("a/list.csv", "a/list.csv"),
      ("host.org/a?b=c://S", "host.org/a?…"), ("https://host/a?S", "https://host/a?…"),
      ("https://host/#S", "https://host/#…"),
    ])
  func resource(text: String, expected: String) {
    #expect(URLRedaction.resource(text) == expected)
  }

  @Test(
    "URLs in a sentence",
    arguments: [
      ("'https://host/a?key=S': the server answered 404", "'https://host/a?…': the server answered 404"),
      ("from https://a/?S to http://u:S@b/c?S, too", "from https://a/?… to http://b/c?… too"),
      ("'https://a/?b=it's S", "'https://a/?… S"), ("url: \"https://a/?S\"", "url: \"https://a/?…\""),
      ("--set sources.one.url=https://a/b?S: no", "--set sources.one.url=https://a/b?… no"),
      ("no URL at all: 'a?b'", "no URL at all: 'a?b'"),
    ])
  func inText(text: String, expected: String) {
    #expect(URLRedaction.text(text) == expected)
    #expect(URLRedaction.text(expected) == expected)
  }
}
