// The target of an output's name: through links, also to missing files, and to descriptors, which are never replaced.

import SystemIO
import SystemPackage
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Output targets")
struct OutputTargetTests {
  static let text = Array("8613800138000\n".utf8)

  private func link(_ path: String, to destination: String) throws {
    try SymbolicLink.replace(path, by: destination, calls: KernelCalls())
  }

  private func write(_ path: String) throws {
    var file = try OutputFile(path)
    try file.write(Self.text.span)
    try file.publish()
  }

  @Test("links are followed to their targets, and stay links", arguments: [true, false])
  func links(isThere: Bool) throws {
    let directory = try TemporaryDirectory()
    try Directory.make(directory / "data/old")
    if isThere { try directory.write("data/list.tsv", Array("old".utf8)) }
    try link(directory / "data/old/two", to: "../list.tsv")
    try link(directory / "one", to: directory / "data/old/two")
    try write(directory / "one")
    #expect(directory.read("data/list.tsv") == Self.text)
    #expect(SymbolicLink.destination(of: directory / "one") == directory / "data/old/two")
    #expect(SymbolicLink.destination(of: directory / "data/old/two") == "../list.tsv")
    #expect(try DirectoryTree.files(directory.path) == ["data/list.tsv", "data/old/two", "one"])
  }

  @Test("a link into a missing directory is reported with the directory, and a cycle of links is reported")
  func lost() throws {
    let directory = try TemporaryDirectory()
    let (lost, circle) = (directory / "lost", directory / "circle")
    let goal = directory / "nowhere/list.tsv"
    try link(lost, to: "nowhere/list.tsv")
    try link(circle, to: "circle")
    #expect(
      systemError { () throws(SystemError) in _ = try OutputFile(lost) }
        == SystemError(.createOutput, goal, .noSuchFileOrDirectory))
    #expect(
      systemError { () throws(SystemError) in _ = try OutputFile(circle) }
        == SystemError(.createOutput, circle, .tooManySymbolicLinkLevels))
    #expect(directory.names == ["circle", "lost"])
  }

  @Test(
    "a descriptor is written at its position, by its name and through links, and stays open",
    arguments: ["/dev/fd", "/proc/self/fd"])
  func descriptors(folder: String) throws {
    #if !os(Linux)
      if folder != "/dev/fd" { return }
    #endif
    let directory = try TemporaryDirectory()
    let path = directory / "list.tsv"
    try directory.write("list.tsv", Array("before\n".utf8))
    // As a shell opens it for `>>`: inherited, so not closed on exec.
    let file = try FileDescriptor.open(FilePath(path), .writeOnly, options: .append)
    defer { try? file.close() }
    let before = FileSignature(of: path)?.inode
    try link(directory / "link", to: "\(folder)/\(file.rawValue)")
    try write("\(folder)/\(file.rawValue)")
    try write(directory / "link")
    #expect(directory.read("list.tsv") == Array("before\n".utf8) + Self.text + Self.text)
    #expect(FileSignature(of: path)?.inode == before)
    #expect(SymbolicLink.destination(of: directory / "link") == "\(folder)/\(file.rawValue)")
    // Also after a missing path component.
    unsafe unlink(path)
    try write(directory / "link")
    #expect(directory.names == ["link"])
  }

  @Test("a descriptor that is closed, is this process's own, or can't be written is an error")
  func unwritable() throws {
    let directory = try TemporaryDirectory()
    try directory.write("list.tsv", Self.text)
    let path = FilePath(directory / "list.tsv")
    let readable = try FileDescriptor.open(path, .readOnly)
    let own = try FileDescriptor.open(path, .readWrite, options: .closeOnExec)
    defer {
      try? readable.close()
      try? own.close()
    }
    for number in [readable.rawValue, own.rawValue, 99_999] {
      let name = "/dev/fd/\(number)"
      #expect(
        systemError { () throws(SystemError) in _ = try OutputFile(name) }
          == SystemError(.createOutput, name, .badFileDescriptor))
    }
    #expect(directory.read("list.tsv") == Self.text)
  }

  @Test("a named pipe is written to, and stays a pipe")
  func pipes() throws {
    let directory = try TemporaryDirectory()
    let path = directory / "pipe"
    #expect(unsafe mkfifo(path, 0o600) == 0)
    try link(directory / "link", to: "pipe")
    let reader = try FileDescriptor.open(FilePath(path), .readOnly, options: .nonBlocking)
    defer { try? reader.close() }
    try write(directory / "link")
    var buffer = [UInt8](repeating: 0, count: 100)
    let count = try unsafe buffer.withUnsafeMutableBytes { unsafe try reader.read(into: $0) }
    #expect(Array(buffer[..<count]) == Self.text)
    #expect(FileKind(of: FilePath(path)) == .other)
  }
}
