// Inputs: reading to the end, and invalid inputs.

import BasicContainers
import SystemIO
import SystemPackage
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("InputFile", .seeded)
struct InputFileTests {
  static func read(_ path: String, calls: any SystemCalls = KernelCalls(), chunk: Int) throws(SystemError)
    -> [UInt8]
  {
    var file = try InputFile(path, calls: calls)
    var bytes: [UInt8] = []
    var chunk = ByteChunk(capacity: chunk)
    while try file.read(into: &chunk) > 0 {
      bytes.append(copying: chunk.span)
      chunk.removeAll()
    }
    return bytes
  }

  @Test("a small file is read whole; of a longer one, more than the limit but not all is read")
  func bytes() throws {
    var generator = SplitMix64(test: "small input")
    let directory = try TemporaryDirectory()
    let bytes = generator.bytes(1 << 20)
    try directory.write("in", bytes)
    expectEqual(try InputFile.bytes(of: directory / "in", limit: bytes.count), bytes)
    expectEqual(
      try InputFile.bytes(of: directory / "in", limit: bytes.count, calls: FailingCalls.short()), bytes)
    let some = try InputFile.bytes(of: directory / "in", limit: 1000)
    #expect(some.count > 1000 && some.count < bytes.count)
    #expect(throws: SystemError.self) { try InputFile.bytes(of: directory / "absent", limit: 1000) }
  }

  @Test("all bytes are read, in pieces of any size", arguments: [1, 3, 4096, 1 << 20])
  func reads(chunk: Int) throws {
    var generator = SplitMix64(test: "input")
    let directory = try TemporaryDirectory()
    let bytes = generator.bytes(chunk < 100 ? 500 : 100_000)
    try directory.write("in", bytes)
    let calls = FailingCalls(nil)
    expectEqual(try Self.read(directory / "in", calls: calls, chunk: chunk), bytes)
    expectEqual(try Self.read(directory / "in", calls: FailingCalls.short(), chunk: chunk), bytes)
    #expect(calls.openFiles == 0)
    expectEqual(try InputFile(directory / "in").size, UInt64(bytes.count))
  }

  @Test("a device has no size")
  func device() throws {
    let file = try InputFile("/dev/null")
    expectEqual(file.size, nil)
    #expect(try Self.read("/dev/null", chunk: 10) == [])
  }

  @Test("a missing file and a directory are not inputs")
  func noInput() throws {
    let directory = try TemporaryDirectory()
    let missing = directory / "missing"
    let path = directory.path
    let calls = FailingCalls(nil)
    #expect(
      systemError { () throws(SystemError) in _ = try InputFile(missing, calls: calls) }
        == SystemError(.openInput, missing, .noSuchFileOrDirectory))
    #expect(
      systemError { () throws(SystemError) in _ = try InputFile(path, calls: calls) }
        == SystemError(.openInput, path, .isDirectory))
    #expect(calls.openFiles == 0)
  }

  @Test(
    "a file without read permission is not an input", .enabled(if: geteuid() != 0, "root may read anything"))
  func unreadable() throws {
    let directory = try TemporaryDirectory()
    try directory.write("in", [1])
    let path = directory / "in"
    #expect(unsafe chmod(path, 0) == 0)
    #expect(
      systemError { () throws(SystemError) in _ = try InputFile(path) }
        == SystemError(.openInput, path, .permissionDenied))
  }

  @Test("a read that fails is named")
  func failing() throws {
    let directory = try TemporaryDirectory()
    try directory.write("in", [UInt8](repeating: 1, count: 100))
    let path = directory / "in"
    let calls = FailingCalls(.read, at: 3, .fails(.ioError))
    #expect(
      systemError { () throws(SystemError) in _ = try Self.read(path, calls: calls, chunk: 10) }
        == SystemError(.readInput, path, .ioError))
    #expect(calls.count(of: .read) == 3)
    #expect(calls.openFiles == 0)
  }
}
