// A file under a second path: as a hard link, or as a copy.

import SystemPackage

/// Makes duplicates of files.
package enum FileDuplicate {
  /// Links a file to a path, in place of the file there. Where the file system has no hard links, the file is copied.
  package static func link(_ file: String, to path: String, calls: any SystemCalls) throws(SystemError) {
    let temporary = UnpublishedFiles.name(beside: FilePath(path))
    let ticket = UnpublishedFiles.shared.add(temporary, calls: calls)
    defer { UnpublishedFiles.shared.remove(ticket) }
    do throws(Errno) {
      try calls.makeLink(temporary, to: FilePath(file))
    } catch {
      return try copy(file, to: path, calls: calls)
    }
    do throws(Errno) {
      try calls.rename(temporary, to: FilePath(path))
      // When both paths already are links to one file, rename does nothing and keeps both.
      try? calls.unlink(temporary)
    } catch {
      try? calls.unlink(temporary)
      throw SystemError(.publishOutput, path, error)
    }
  }

  /// Copies a file to a path, in place of the file there.
  package static func copy(_ file: String, to path: String, calls: any SystemCalls) throws(SystemError) {
    try copy(file, to: OutputFile(path, calls: calls), durably: true, calls: calls)
  }

  /// Copies one of many files to a path, in place of the file there. A system crash may leave an incomplete file: syncing
  /// 20,000 files takes minutes. Temporary files of killed processes are not removed, because that lists the directory.
  package static func copyOne(
    _ file: String, to path: String, calls: any SystemCalls
  ) throws(SystemError) {
    try copy(
      file, to: OutputFile(path, removesLeftovers: false, calls: calls), durably: false, calls: calls)
  }

  private static func copy(
    _ file: String, to output: consuming OutputFile, durably: Bool, calls: any SystemCalls
  ) throws(SystemError) {
    var input = try InputFile(file, calls: calls)
    var output = output
    var chunk = ByteChunk()
    while try input.read(into: &chunk) > 0 {
      try output.write(chunk)
      chunk.removeAll()
    }
    try output.publish(durably: durably)
  }
}
