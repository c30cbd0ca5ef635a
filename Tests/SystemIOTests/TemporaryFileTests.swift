// Files without a name: written bytes are read back, and no name is left.

import BasicContainers
import SystemIO
import SystemPackage
import TestSupport
import Testing

@Suite("TemporaryFile", .seeded)
struct TemporaryFileTests {
  static let byte: [UInt8] = [1]

  @Test("bytes are read back from anywhere, and no name is left", arguments: [false, true])
  func readsBack(isShort: Bool) throws {
    var generator = SplitMix64(test: "temporary file")
    let directory = try TemporaryDirectory()
    let calls = FailingCalls(nil, isShort: isShort)
    let bytes = generator.bytes(3000)
    do {
      var file = try TemporaryFile(in: directory.path, calls: calls)
      #expect(directory.names.isEmpty, "a name is left while the file is open")
      let start = Array(bytes[..<1000])
      try file.append(start.span)
      try Self.appendChunk(of: Array(bytes[1000...]), to: &file)
      expectEqual(file.size, 3000)
      for _ in 0..<20 {
        let start = Int.random(in: 0..<3000, using: &generator)
        let limit = Int.random(in: 1...200, using: &generator)
        let read = try Self.read(file, at: start, limit: limit)
        #expect(read == Array(bytes[start..<(isShort ? start + 1 : min(start + limit, 3000))]))
      }
      let afterEnd = try Self.read(file, at: 3000, limit: 10)
      #expect(afterEnd.isEmpty)
    }
    #expect(directory.names.isEmpty)
    #expect(calls.openFiles == 0)
  }

  private static func appendChunk(of bytes: [UInt8], to file: inout TemporaryFile) throws(SystemError) {
    var chunk = ByteChunk()
    chunk.append(bytes.span)
    try file.append(chunk)
  }

  private static func read(
    _ file: borrowing TemporaryFile, at offset: Int, limit: Int
  ) throws(SystemError) -> [UInt8] {
    var chunk = ByteChunk(capacity: 1000)
    let count = try file.read(into: &chunk, at: Int64(offset), limit: limit)
    let bytes = [UInt8](copying: chunk.span)
    return bytes.count == count ? bytes : []
  }

  @Test("without nameless files, the name is removed as soon as the file is open")
  func named() throws {
    let directory = try TemporaryDirectory()
    let calls = FailingCalls.withoutUnnamedFiles()
    var file = try TemporaryFile(in: directory.path, calls: calls)
    #expect(calls.count(of: .unlink) == 1)
    #expect(directory.names.isEmpty)
    let bytes: [UInt8] = [1, 2, 3]
    try file.append(bytes.span)
    var chunk = ByteChunk(capacity: 10)
    let count = try file.read(into: &chunk, at: 1)
    #expect(count == 2)
  }

  @Test("failures name the directory and the operation")
  func failing() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path
    let missing = directory / "missing"
    #expect(
      systemError { () throws(SystemError) in _ = try TemporaryFile(in: missing) }
        == SystemError(.createSpill, missing, .noSuchFileOrDirectory))
    let full = FailingCalls(.write, at: 2, .fails(.noSpace))
    #expect(
      systemError { () throws(SystemError) in
        var file = try TemporaryFile(in: path, calls: full)
        try file.append(Self.byte.span)
        try file.append(Self.byte.span)
      } == SystemError(.writeSpill, path, .noSpace))
    let broken = FailingCalls(.read, .fails(.ioError))
    #expect(
      systemError { () throws(SystemError) in
        var file = try TemporaryFile(in: path, calls: broken)
        try file.append(Self.byte.span)
        var chunk = ByteChunk(capacity: 10)
        _ = try file.read(into: &chunk, at: 0)
      } == SystemError(.readSpill, path, .ioError))
    #expect(directory.names.isEmpty)
    #expect(full.openFiles == 0 && broken.openFiles == 0)
  }
}
