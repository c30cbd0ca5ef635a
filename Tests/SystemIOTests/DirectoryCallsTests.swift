// Calls below one directory: links are not followed, except the directory's own, and those within it.

import SystemIO
import SystemPackage
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Calls below a directory")
struct DirectoryCallsTests {
  /// A directory `own` with `file`, `sub/file` and a link `current` to `sub`; and a file and a directory outside.
  private let directory: TemporaryDirectory
  private let calls: DirectoryCalls

  init() throws {
    directory = try TemporaryDirectory()
    for name in ["own", "own/sub", "outside"] { unsafe mkdir(directory / name, 0o755) }
    for name in ["own/file", "own/sub/file", "outside/file"] { try directory.write(name, Array(name.utf8)) }
    unsafe symlink("sub", directory / "own/current")
    calls = try DirectoryCalls(directory / "own", owner: nil, ownLinks: ["current"], calls: KernelCalls())
  }

  private func text(_ name: String) throws(SystemError) -> String {
    String(decoding: try InputFile.bytes(of: directory / name, limit: 100, calls: calls), as: UTF8.self)
  }

  private func code(_ body: () throws(SystemError) -> Void) -> Errno? {
    do throws(SystemError) {
      try body()
      return nil
    } catch {
      return error.code
    }
  }

  @Test("files, paths elsewhere and the directory's own links work as usual")
  func plain() throws {
    #expect(try text("own/file") == "own/file")
    #expect(try text("own/current/file") == "own/sub/file")
    #expect(try text("outside/file") == "outside/file")
    #expect(try Directory.names(directory / "own", calls: calls) == ["current", "file", "sub"])
    #expect(try Directory.names(directory / "own/current", calls: calls) == ["file"])
    #expect(try SymbolicLink.read(directory / "own/current", calls: calls) == "sub")
    var file = try OutputFile(directory / "own/sub/new", calls: calls)
    try file.write([1, 2].span)
    try file.publish()
    #expect(directory.read("own/sub/new") == [1, 2])
    DirectoryTree.remove(directory / "own/sub", calls: calls)
    #expect(directory.names(in: "own") == ["current", "file"])
  }

  @Test(
    "a link is not followed", arguments: ["own/link", "own/sub/link", "own/linked/file", "own/current/link"])
  func links(name: String) throws {
    unsafe symlink(directory / "outside/file", directory / "own/link")
    unsafe symlink(directory / "outside/file", directory / "own/sub/link")
    unsafe symlink(directory / "outside", directory / "own/linked")
    let reading = code { () throws(SystemError) in _ = try text(name) }
    #expect(reading == .tooManySymbolicLinkLevels || reading == .notDirectory)
    let writing = code { () throws(SystemError) in
      var file = try OutputFile(directory / name, calls: calls)
      try file.write([1].span)
      try file.publish()
    }
    #expect(writing == .tooManySymbolicLinkLevels || writing == .notDirectory)
    DirectoryTree.remove(directory / name, calls: calls)
    #expect(directory.text("outside/file") == "outside/file")
    #expect(directory.names(in: "outside") == ["file"])
  }

  @Test(
    "an own link that leads out of the directory is not followed", arguments: ["../outside", "/", "current"])
  func ownLinks(destination: String) throws {
    directory.remove("own/current")
    unsafe symlink(destination, directory / "own/current")
    #expect(code { () throws(SystemError) in _ = try text("own/current/file") } != nil)
    #expect(code { () throws(SystemError) in _ = try text("own/sub/../../outside/file") } == .notPermitted)
  }

  @Test("a pipe is not waited for, and new files are as private as demanded")
  func kinds() throws {
    unsafe mkfifo(directory / "own/pipe", 0o644)
    #expect(code { () throws(SystemError) in _ = try text("own/pipe") } == .notPermitted)
    let hidden = try DirectoryCalls(
      directory / "own", owner: geteuid(), permissionsMax: [.ownerReadWrite], calls: KernelCalls())
    try OutputFile(directory / "own/new", calls: hidden).publish()
    try Directory.make(directory / "own/folder", calls: hidden)
    let calls = KernelCalls()
    #expect(
      try calls.status(FilePath(directory / "own/new"), followsLinks: false).permissions.rawValue == 0o600)
    #expect(
      try calls.status(FilePath(directory / "own/folder"), followsLinks: false).permissions.rawValue == 0o700)
  }

  @Test("as root, files and directories of other users are refused")
  func owners() throws {
    guard geteuid() == 0 else { return }
    unsafe chown(directory / "own/file", 12345, 12345)
    #expect(code { () throws(SystemError) in _ = try text("own/file") } == .notPermitted)
    unsafe chown(directory / "own/sub", 12345, 12345)
    #expect(code { () throws(SystemError) in _ = try text("own/sub/file") } == .notPermitted)
    unsafe chown(directory / "own", 12345, 12345)
    let shared = try DirectoryCalls(directory / "own", owner: nil, calls: KernelCalls())
    #expect(try InputFile.bytes(of: directory / "own/file", limit: 100, calls: shared).count == 8)
    #expect(
      code { () throws(SystemError) in
        _ = try DirectoryCalls(directory / "own", owner: 0, calls: KernelCalls())
      } == .notPermitted)
  }
}
