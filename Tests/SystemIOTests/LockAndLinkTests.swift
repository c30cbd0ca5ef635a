// Locks, links and folders, as publishing uses them.

import SystemIO
import SystemPackage
import TestSupport
import Testing

@Suite("Locks, links and folders")
struct LockAndLinkTests {
  private static func folder(_ name: String) throws -> String {
    let path = "\(TemporaryDirectory.parent)/cdpipe-test-\(name)-\(UInt64.random(in: 0...UInt64.max))"
    try Directory.make(path)
    return path
  }

  @Test("a lock has one holder, which leaves a note, and ends with its holder")
  func lock() throws {
    let folder = try Self.folder("lock")
    defer { DirectoryTree.remove(folder) }
    let path = folder + "/lock"
    do {
      let held = try FileLock.acquire(path, note: "first\n")
      let isHeld = held != nil
      let second = try FileLock.acquire(path, note: "second\n")
      let isRefused = second == nil
      #expect(isHeld && isRefused)
      #expect(FileLock.note(in: path) == "first\n")
    }
    let next = try FileLock.acquire(path, note: "n\n")
    let isFree = next != nil
    #expect(isFree)
    // The longer previous note is overwritten completely.
    #expect(FileLock.note(in: path) == "n\n")
  }

  @Test("a lock ends with its holder, although a child process still has the file open")
  func inheritedLock() throws {
    let folder = try Self.folder("inherited")
    defer { DirectoryTree.remove(folder) }
    let path = folder + "/lock"
    var inherited: [FileDescriptor] = []
    defer { for file in inherited { try? file.close() } }
    do {
      let held = try FileLock.acquire(path, note: "first\n")
      let isHeld = held != nil
      #expect(isHeld)
      // A duplicate shares the open file, like the descriptor of a process that was forked.
      let status = try KernelCalls().status(FilePath(path), followsLinks: false)
      for number in 0..<Int32(1024) {
        let file = FileDescriptor(rawValue: number)
        guard let open = try? KernelCalls().status(file), open.inode == status.inode,
          open.device == status.device
        else { continue }
        inherited.append(try file.duplicate())
      }
    }
    #expect(!inherited.isEmpty)
    let next = try FileLock.acquire(path, note: "next\n")
    let isFree = next != nil
    #expect(isFree)
  }

  @Test("a lock file that is a link is rejected")
  func linkedLock() throws {
    let folder = try Self.folder("linked")
    defer { DirectoryTree.remove(folder) }
    try SymbolicLink.replace(folder + "/lock", by: "elsewhere", calls: KernelCalls())
    #expect(throws: SystemError.self) { _ = try FileLock.acquire(folder + "/lock", note: "") == nil }
    #expect(!SymbolicLink.exists(folder + "/elsewhere"))
  }

  @Test("a link is replaced in one step, and a failure leaves the old one and no temporary file")
  func link() throws {
    let folder = try Self.folder("link")
    defer { DirectoryTree.remove(folder) }
    let path = folder + "/current"
    #expect(SymbolicLink.destination(of: path) == nil)
    for name in ["versions/a", "versions/b"] {
      try SymbolicLink.replace(path, by: name, calls: KernelCalls())
      #expect(SymbolicLink.destination(of: path) == name)
      // The link's target is missing, but the link exists.
      #expect(SymbolicLink.exists(path))
    }
    #expect(throws: SystemError.self) {
      try SymbolicLink.replace(path, by: "versions/c", calls: FailingCalls(.rename))
    }
    #expect(SymbolicLink.destination(of: path) == "versions/b")
    #expect(try Directory.names(folder) == ["current"])
  }

  @Test("a folder is removed with its contents, and the targets of its links stay")
  func tree() throws {
    let folder = try Self.folder("tree")
    defer { DirectoryTree.remove(folder) }
    try Directory.make(folder + "/a/b/c")
    try Directory.make(folder + "/kept")
    for path in ["a/1", "a/b/2", "kept/3"] {
      let file = try OutputFile(folder + "/" + path)
      try file.publish()
    }
    try SymbolicLink.replace(folder + "/a/b/link", by: folder + "/kept", calls: KernelCalls())
    #expect(try DirectoryTree.files(folder + "/a") == ["1", "b/2", "b/link"])
    DirectoryTree.remove(folder + "/a")
    #expect(try DirectoryTree.files(folder) == ["kept/3"])
    // A missing folder is not an error.
    DirectoryTree.remove(folder + "/a")
  }

  @Test("a signature distinguishes a file from a rewritten one, and from a copy")
  func stamp() throws {
    let folder = try Self.folder("stamp")
    defer { DirectoryTree.remove(folder) }
    let path = folder + "/file"
    #expect(FileSignature(of: path) == nil && FileSignature(of: folder) == nil)
    func write(_ text: String) throws {
      var file = try OutputFile(path)
      try file.write(Array(text.utf8).span)
      try file.publish()
    }
    try write("one")
    let stamp = try #require(FileSignature(of: path))
    #expect(stamp.size == 3 && FileSignature(of: path) == stamp)
    try FileDuplicate.copy(path, to: folder + "/copy", calls: KernelCalls())
    #expect(FileSignature(of: folder + "/copy") != stamp)
    try write("two")
    #expect(FileSignature(of: path) != stamp)
    // A file that was just written could be written again within one clock tick.
    #expect(!stamp.isSettled(at: stamp.changed / 1_000_000_000))
    #expect(stamp.isSettled(at: stamp.changed / 1_000_000_000 + 10))
  }

  @Test("a hard link keeps the bytes when the first name is replaced")
  func secondName() throws {
    let folder = try Self.folder("second")
    defer { DirectoryTree.remove(folder) }
    func write(_ text: String) throws {
      var file = try OutputFile(folder + "/body")
      try file.write(Array(text.utf8).span)
      try file.publish()
    }
    try write("good")
    for _ in 0..<2 {
      try FileDuplicate.link(folder + "/body", to: folder + "/good", calls: KernelCalls())
      #expect(try Directory.names(folder) == ["body", "good"])
    }
    try write("a bad one")
    #expect(FileSignature(of: folder + "/good")?.size == 4)
  }
}
