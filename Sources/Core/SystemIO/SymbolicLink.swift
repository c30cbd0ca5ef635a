// Symbolic links: read, and replaced in one step. And second names of a file.

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What is done with symbolic links.
public enum SymbolicLink {
  /// What a link at a path says; nil when there is no link.
  public static func destination(of path: String) -> String? {
    // PATH_MAX, and the byte that tells a longer one.
    let bytesMax = 4096
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytesMax) { room -> String? in
      let count = unsafe readlink(path, room.baseAddress!, bytesMax)
      guard count > 0, count < bytesMax else { return nil }
      return unsafe String(
        decoding: UnsafeRawBufferPointer(start: room.baseAddress, count: count), as: UTF8.self)
    }
  }

  /// The path without links, `.` and `..`, from the root on: of what stands there, or would, as far as its folders are
  /// there.
  public static func resolved(_ path: String) -> String {
    var front = FilePath(path.isEmpty ? "." : path)
    var rest: [FilePath.Component] = []
    while true {
      let place = front.isEmpty ? FilePath(".") : front
      if let real = unsafe place.withPlatformString({ unsafe realpath($0, nil) }) {
        defer { unsafe free(real) }
        return unsafe FilePath(platformString: real).appending(rest.reversed()).string
      }
      guard let last = front.lastComponent else { return path }
      rest.append(last)
      front = front.removingLastComponent()
    }
  }

  /// Whether anything stands at a path, be it a link that leads nowhere.
  public static func exists(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }

  /// Puts a link in place of what link or file there was, in one step; a reader sees the old one or the new one. The
  /// directory is not synced.
  public static func replace(
    _ path: String, by destination: String, calls: any SystemCalls
  ) throws(SystemError) {
    let fresh = UnpublishedFiles.name(beside: FilePath(path))
    let ticket = UnpublishedFiles.shared.add(fresh)
    defer { UnpublishedFiles.shared.remove(ticket) }
    guard unsafe symlink(destination, fresh.string) == 0 else {
      throw SystemError(.createOutput, path, Errno(rawValue: errno))
    }
    do throws(Errno) {
      try calls.rename(fresh, to: FilePath(path))
    } catch {
      try? calls.unlink(fresh)
      throw SystemError(.publishOutput, path, error)
    }
  }
}

/// A second name of a file.
public enum SecondName {
  /// Gives a file's present content a second name, in place of what had that name. Where a file system knows no
  /// second names, the content is copied.
  public static func give(
    _ file: String, _ name: String, calls: any SystemCalls
  ) throws(SystemError) {
    let fresh = UnpublishedFiles.name(beside: FilePath(name))
    let ticket = UnpublishedFiles.shared.add(fresh)
    defer { UnpublishedFiles.shared.remove(ticket) }
    guard unsafe link(file, fresh.string) == 0 else { return try copy(file, name, calls: calls) }
    do throws(Errno) {
      try calls.rename(fresh, to: FilePath(name))
      // Of two names of one file, rename leaves both.
      try? calls.unlink(fresh)
    } catch {
      try? calls.unlink(fresh)
      throw SystemError(.publishOutput, name, error)
    }
  }

  /// Copies a file, in place of what had the name.
  public static func copy(
    _ file: String, _ name: String, calls: any SystemCalls
  ) throws(SystemError) {
    var input = try InputFile(file, calls: calls)
    var output = try OutputFile(name, calls: calls)
    var chunk = ByteChunk()
    while try input.read(into: &chunk) > 0 {
      try output.write(chunk)
      chunk.removeAll()
    }
    try output.publish()
  }
}
