// The next run with the same output removes the temporary files of killed runs, and no others.

import SystemIO
import SystemPackage
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Leftover temporary files")
struct LeftoverTests {
  /// A process that has ended.
  private static func goneProcess() throws -> pid_t {
    var process: pid_t = 0
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("true"), nil]
    defer { unsafe free(arguments[0]) }
    try #require(unsafe posix_spawnp(&process, "true", nil, nil, &arguments, nil) == 0)
    waitpid(process, nil, 0)
    return process
  }

  @Test("those of processes that ended are removed, unless they are locked", arguments: [true, false])
  func clearing(removesLeftovers: Bool) throws {
    let directory = try TemporaryDirectory()
    let gone = try Self.goneProcess()
    let long = String(repeating: "n", count: 200)
    let stale = [".list.tsv.\(gone)-1.tmp", ".list.tsv.\(gone)-2z.tmp", ".\(long.prefix(100)).\(gone)-3.tmp"]
    let kept = [
      ".list.tsv.\(gone)-locked.tmp", ".list.tsv.\(getpid())-1.tmp", ".list.tsv.tmp", ".other.\(gone)-1.tmp",
      "list.tsv.\(gone)-1.tmp",
    ]
    for name in stale + kept { try directory.write(name, [1]) }
    let locked = try FileDescriptor.open(FilePath(directory / kept[0]), .readWrite, options: .closeOnExec)
    defer { try? locked.close() }
    #expect(flock(locked.rawValue, LOCK_EX | LOCK_NB) == 0)
    for name in ["list.tsv", long] {
      let file = try OutputFile(directory / name, removesLeftovers: removesLeftovers)
      try file.publish()
    }
    #expect(Set(directory.names) == Set(kept + ["list.tsv", long] + (removesLeftovers ? [] : stale)))
  }

  @Test("a file is locked while it is written, and the lock ends with the writing")
  func locked() throws {
    let directory = try TemporaryDirectory()
    do {
      var file = try OutputFile(directory / "list.tsv")
      let byte: [UInt8] = [1]
      try file.write(byte.span)
      let name = try #require(directory.names.first)
      let other = try FileDescriptor.open(FilePath(directory / name), .readWrite)
      defer { try? other.close() }
      #expect(flock(other.rawValue, LOCK_EX | LOCK_NB) != 0)
      try file.publish()
    }
    let published = try FileDescriptor.open(FilePath(directory / "list.tsv"), .readWrite)
    defer { try? published.close() }
    #expect(flock(published.rawValue, LOCK_EX | LOCK_NB) == 0)
  }
}
