// Programs: found, started and awaited; their memory and CPU time; the wall clock.

import SystemIO
import SystemPackage
import Testing

@Suite("Programs")
struct ProgramTests {
  @Test("a program reads and writes the files on its command line")
  func copies() throws {
    let cat = try #require(ProgramPath.find("cat"))
    var input = try TemporaryFile(in: "/tmp")
    let text = Array("one\ntwo\n".utf8)
    try input.append(text.span)
    let output = try TemporaryFile(in: "/tmp")
    let ending = try ChildProgram(cat, [], input: input.descriptor, output: output.descriptor).wait()
    #expect(ending.status == 0)
    #expect(ending.peakBytes > 100_000)
    var chunk = ByteChunk()
    let count = try output.read(into: &chunk, at: 0)
    #expect(count == text.count)
    let read = (0..<chunk.count).map { chunk.span[$0] }
    #expect(read == text)
  }

  @Test("programs are joined by pipes, and a reader that closes its end stops the writer")
  func pipes() throws {
    let yes = try #require(ProgramPath.find("yes"))
    let head = try #require(ProgramPath.find("head"))
    let output = try TemporaryFile(in: "/tmp")
    let pipe = try ProgramPipe()
    let writer = try ChildProgram(yes, ["y"], output: pipe.writing)
    let reader = try ChildProgram(head, ["-n", "3"], input: pipe.reading, output: output.descriptor)
    pipe.close()
    #expect(reader.wait().status == 0)
    // 128 + SIGPIPE.
    #expect(writer.wait().status == 141)
    var chunk = ByteChunk()
    #expect(try output.read(into: &chunk, at: 0) == 6)
  }

  @Test("exit statuses, and missing programs")
  func endings() throws {
    let shell = try #require(ProgramPath.find("sh"))
    #expect(try ChildProgram(shell, ["-c", "exit 65"]).wait().status == 65)
    #expect(try ChildProgram(shell, ["-c", "kill -TERM $$"]).wait().status == 143)
    #expect(throws: Errno.noSuchFileOrDirectory) { try ChildProgram("/nowhere/cdpipe", []) }
    #expect(ProgramPath.find("no-such-program-of-anybody") == nil)
    #expect(!ProgramPath.isProgram("/tmp"))
    #expect(!ProgramPath.isProgram("/etc/passwd"))
    let own = try #require(ProgramPath.own)
    #expect(own.hasPrefix("/"))
    #expect(ProgramPath.isProgram(own))
  }

  @Test(
    "a loader is recognised by its name",
    arguments: [
      ("/lib64/ld-linux-x86-64.so.2", true), ("/lib/ld-linux-aarch64.so.1", true),
      ("/lib/ld-2.31.so", true),
      ("/usr/bin/cdpipe", false), ("/opt/ld-tools/cdpipe", false), ("/usr/bin/ld-wrapper", false),
      ("/", false),
    ])
  func loaders(path: String, isLoader: Bool) {
    #expect(ProgramPath.isLoader(path) == isLoader)
  }

  @Test("memory and CPU time of this process")
  func own() {
    let before = ProcessMemory.peakBytes()
    #expect(before > 1 << 20)
    let block = [UInt8](repeating: 1, count: 64 << 20)
    #expect(block.last == 1)
    #expect(ProcessMemory.peakBytes() >= before)
    #expect(ProcessMemory.cpuSeconds() > 0)
  }

  @Test("a time in UTC")
  func moment() {
    #expect(WallClock.text(0) == "1970-01-01T00:00:00Z")
    #expect(WallClock.text(1_774_929_906.9) == "2026-03-31T04:05:06Z")
    #expect(WallClock.text(951_782_400) == "2000-02-29T00:00:00Z")
    #expect(WallClock.text(-1) == "1970-01-01T00:00:00Z")
    #expect(WallClock.text(.infinity) == "9999-12-31T23:59:59Z")
    #expect(WallClock.seconds() > 1_700_000_000)
  }
}
