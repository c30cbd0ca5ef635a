// An output exists completely or not at all, whatever call fails.

import BasicContainers
import SystemIO
import SystemPackage
import TestSupport
import Testing

@Suite("OutputFile")
struct OutputFileTests {
  static let text = Array("8613800138000\n".utf8)

  @Test(
    "the file gets its name only when it is published, and replaces the old one", arguments: [true, false])
  func publishes(durably: Bool) throws {
    let directory = try TemporaryDirectory()
    let calls = FailingCalls(nil)
    try directory.write("out.tsv", Array("old".utf8))
    do {
      var file = try OutputFile(directory / "out.tsv", calls: calls)
      try file.write(Self.text.span)
      try file.write(Self.text.span)
      #expect(directory.text("out.tsv") == "old")
      #expect(directory.names.count == 2)
      try file.publish(durably: durably)
    }
    #expect(directory.names == ["out.tsv"])
    #expect(directory.read("out.tsv") == Self.text + Self.text)
    // The file, then the directory that contains its name.
    #expect(calls.count(of: .sync) == (durably ? 2 : 0))
    #expect(calls.openFiles == 0)
  }

  @Test("the name may be set after the file is created")
  func laterName() throws {
    let directory = try TemporaryDirectory()
    var file = try OutputFile(directory / "out")
    try file.write(Self.text.span)
    try file.publish(as: directory / "named")
    #expect(directory.names == ["named"])
  }

  @Test("a file that is not published leaves nothing, and the old file stays")
  func dropped() throws {
    let directory = try TemporaryDirectory()
    let calls = FailingCalls(nil)
    try directory.write("out.tsv", Array("old".utf8))
    do {
      var file = try OutputFile(directory / "out.tsv", calls: calls)
      try file.write(Self.text.span)
    }
    #expect(directory.names == ["out.tsv"])
    #expect(directory.text("out.tsv") == "old")
    #expect(calls.openFiles == 0)
  }

  @Test(
    "a failed call is named, no new file stays, and the old one does",
    arguments: [
      (FailingCalls.Call.open, SystemError.Operation.createOutput), (.write, .writeOutput),
      (.sync, .publishOutput),
      (.rename, .publishOutput),
    ])
  func failing(call: FailingCalls.Call, operation: SystemError.Operation) throws {
    let directory = try TemporaryDirectory()
    try directory.write("out.tsv", Array("old".utf8))
    let calls = FailingCalls(call, .fails(.noSpace))
    let path = directory / "out.tsv"
    let failure = systemError { () throws(SystemError) in
      var file = try OutputFile(path, calls: calls)
      try file.write(Self.text.span)
      try file.publish()
    }
    #expect(failure == SystemError(operation, path, .noSpace))
    #expect(directory.names == ["out.tsv"])
    #expect(directory.text("out.tsv") == "old")
    #expect(calls.openFiles == 0)
  }

  @Test("the third write fails")
  func thirdWrite() throws {
    let directory = try TemporaryDirectory()
    let calls = FailingCalls(.write, at: 3, .fails(.noSpace))
    let path = directory / "out"
    var done = 0
    let failure = systemError { () throws(SystemError) in
      var file = try OutputFile(path, calls: calls)
      while done < 10 {
        try file.write(Self.text.span)
        done += 1
      }
      try file.publish()
    }
    #expect(done == 2)
    #expect(failure == SystemError(.writeOutput, path, .noSpace))
    #expect(directory.names.isEmpty)
  }

  @Test("a directory that can't be synced is reported, and the complete file is in place")
  func directorySync() throws {
    let directory = try TemporaryDirectory()
    let path = directory / "out"
    let failure = systemError { () throws(SystemError) in
      var file = try OutputFile(path, calls: FailingCalls(.sync, at: 2, .fails(.ioError)))
      try file.write(Self.text.span)
      try file.publish()
    }
    #expect(failure == SystemError(.publishOutput, path, .ioError))
    #expect(directory.names == ["out"])
    #expect(directory.read("out") == Self.text)
  }

  @Test("short writes and reads lose no bytes")
  func shortWrites() throws {
    let directory = try TemporaryDirectory()
    let calls = FailingCalls.short()
    var file = try OutputFile(directory / "out", calls: calls)
    try file.write(Self.text.span)
    try file.write(Array("44".utf8).span, at: 0)
    var chunk = ByteChunk(capacity: 64)
    while try file.read(into: &chunk, at: Int64(chunk.count)) > 0 {}
    expectEqual([UInt8](copying: chunk.span), Array("44".utf8) + Self.text.dropFirst(2))
    try file.publish()
    #expect(directory.read("out") == Array("44".utf8) + Self.text.dropFirst(2))
    #expect(calls.count(of: .write) == Self.text.count + 2)
  }

  @Test("a directory, and a path in a missing directory, can't be written")
  func missingDirectory() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path
    let missing = directory / "missing/out"
    let slash = directory / "missing/"
    #expect(
      systemError { () throws(SystemError) in _ = try OutputFile(path) }
        == SystemError(.createOutput, path, .isDirectory))
    #expect(
      systemError { () throws(SystemError) in _ = try OutputFile(missing) }
        == SystemError(.createOutput, missing, .noSuchFileOrDirectory))
    #expect(
      systemError { () throws(SystemError) in _ = try OutputFile(slash) }
        == SystemError(.createOutput, slash, .isDirectory))
    #expect(directory.names.isEmpty)
  }

  @Test("a device is written in place and stays a device")
  func devices() throws {
    var null = try OutputFile("/dev/null")
    try null.write(Self.text.span)
    try null.publish()
    #expect(FileKind(of: "/dev/null") == .other)
  }

  #if os(Linux)
    @Test("a full device is reported")
    func fullDevice() {
      let failure = systemError { () throws(SystemError) in
        var full = try OutputFile("/dev/full")
        try full.write(Self.text.span)
      }
      #expect(failure == SystemError(.writeOutput, "/dev/full", .noSpace))
    }
  #endif
}
