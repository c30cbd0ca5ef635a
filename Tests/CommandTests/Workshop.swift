// The directory of a session: a working directory with copies of the samples, a directory for temporary files, and the
// program on the PATH. It is removed when the session ends.

import Subprocess
import SystemPackage
import TestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The directory of a session.
final class Workshop: Sendable {
  /// The directory itself.
  let path: String
  private let directory: TemporaryDirectory
  /// The working directory of commands. It has copies of `samples`.
  let work: String
  /// The directory for temporary files.
  let temporary: String
  /// The environment of commands.
  let environment: Environment

  /// Runs a command without root's permission to read every file.
  private static let asUser = """
    #!/bin/sh
    # Root may read every file; without these two capabilities it has the permissions of other users.
    [ "$(id -u)" = 0 ] && exec setpriv --bounding-set=-dac_override,-dac_read_search "$@"
    exec "$@"

    """

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path
    work = path + "/work"
    temporary = path + "/tmp"
    environment = .custom([
      "PATH": path + "/bin:/usr/local/bin:/usr/bin:/bin", "TMPDIR": temporary, "HOME": path,
      "LC_ALL": "C.UTF-8",
    ])
    for folder in [work, temporary, path + "/bin", work + "/samples"] { unsafe mkdir(folder, 0o755) }
    guard unsafe symlink(try Program.path(), path + "/bin/cdpipe") == 0 else { throw Errno(rawValue: errno) }
    try write(path + "/bin/as-user", Array(Self.asUser.utf8), mode: 0o755)
    let samples = Program.root + "/samples"
    // Sessions don't need the sample apps, the example repository and the samples of pipelines.
    for name in FileTree.names(samples)
    where !name.hasSuffix(".py") && name != "apps" && name != "list-repository"
      && name != "lists"
    {
      try write(work + "/samples/" + name, try FileTree.read(samples + "/" + name))
    }
  }

  /// Writes a file.
  func write(_ path: String, _ bytes: [UInt8], mode: CInterop.Mode = 0o644) throws {
    try FileTree.write(path, bytes, mode: mode)
  }

  /// Bytes as an open file without a name, at its start.
  func open(_ bytes: [UInt8]) throws -> FileDescriptor {
    let name = FilePath(path + "/stdin")
    let file = try FileDescriptor.open(
      name, .readWrite, options: [.create, .exclusiveCreate], permissions: [.ownerReadWrite])
    unsafe unlink(name.string)
    try file.writeAll(bytes)
    try file.seek(offset: 0, from: .start)
    return file
  }

  /// The files that the session's commands created, and their bytes. Files that differ from run to run, such as
  /// encrypted archives, are in `unalike/`.
  func files() -> [String: [UInt8]] {
    FileTree.files(work).filter { !$0.key.hasPrefix("samples/") && !$0.key.hasPrefix("unalike/") }
  }

  /// Saves the working directory.
  func save() async throws { try await copy("work", to: "saved") }

  /// Makes the working directory what it was when it was saved, with the same permissions and times.
  func restore() async throws { try await copy("saved", to: "work") }

  private func copy(_ folder: String, to other: String) async throws {
    let script = "cd \"$HOME\" && rm -rf \(other) && cp -a \(folder) \(other)"
    // The working directory itself is replaced, so that the command must not run in it.
    let result = try await Subprocess.run(
      .path("/bin/sh"), arguments: ["-c", script], environment: environment,
      workingDirectory: FilePath(path), output: .discarded, error: .string(limit: 1 << 16))
    guard result.terminationStatus.isSuccess else { throw CopyError(description: result.standardError) }
  }

  /// The working directory could not be saved or restored.
  struct CopyError: Error, CustomStringConvertible {
    let description: String
  }

  /// Files that a command left by mistake: temporary names, and anything in the directory for temporary files.
  func leftovers() -> [String] {
    let beside = FileTree.paths(work).filter { path in
      let name = path.split(separator: "/").last ?? ""
      return (name.hasPrefix(".") && name.hasSuffix(".tmp")) || name.hasPrefix("cdpipe-")
    }
    return beside.sorted() + FileTree.names(temporary).map { "$TMPDIR/" + $0 }
  }
}
