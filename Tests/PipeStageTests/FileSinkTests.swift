// Bytes written to a file: completely, or not at all.

import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

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
    #expect((failure?.cause as? SystemError)?.code == .noSpace)
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
