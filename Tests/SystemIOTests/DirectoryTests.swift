// Directories: created if missing, and listed.

import SystemIO
import SystemPackage
import TestSupport
import Testing

@Suite("Directory")
struct DirectoryTests {
  @Test("missing directories are created, existing ones are accepted")
  func makes() throws {
    let directory = try TemporaryDirectory()
    try Directory.make(directory / "a")
    try Directory.make(directory / "a")
    #expect(try Directory.names(directory.path) == ["a"])
    #expect(FileKind(of: FilePath(directory / "a")) == .directory)
    #expect(!Directory.holdsFile(directory / "a"))
  }

  @Test(
    "a file is not a directory, neither as the last component nor before it",
    arguments: ["file", "file/below"])
  func blocked(name: String) throws {
    let directory = try TemporaryDirectory()
    try directory.write("file", [1])
    let path = directory / name
    let failure = systemError { () throws(SystemError) in try Directory.make(path) }
    #expect(failure?.operation == .createOutput && failure?.path == path && failure?.code == .notDirectory)
    #expect(Directory.holdsFile(directory / "file"))
  }

  @Test("names are sorted, and a missing directory has none")
  func names() throws {
    let directory = try TemporaryDirectory()
    for name in ["b", "a", ".hidden", String(repeating: "n", count: 255)] { try directory.write(name, []) }
    #expect(try Directory.names(directory.path) == [".hidden", "a", "b", String(repeating: "n", count: 255)])
    let missing = directory / "missing"
    let failure = systemError { () throws(SystemError) in _ = try Directory.names(missing) }
    #expect(failure == SystemError(.openInput, missing, .noSuchFileOrDirectory))
  }
}
