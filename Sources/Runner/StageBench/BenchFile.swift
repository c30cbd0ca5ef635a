// Operations on a benchmark's unnamed files: rewind, count, compare.

package import Records
package import SystemIO
package import SystemPackage

/// Operations on a benchmark's unnamed files.
package enum BenchFile {
  /// Sets a file's offset to its start.
  package static func rewind(_ file: FileDescriptor) throws(Errno) {
    do {
      _ = try file.seek(offset: 0, from: .start)
    } catch {
      throw error as? Errno ?? .ioError
    }
  }

  /// Truncates a file to zero bytes.
  package static func empty(_ file: FileDescriptor) throws(Errno) {
    try KernelCalls().truncate(file, to: 0)
    try rewind(file)
  }

  /// Calls `body` with every chunk of a file.
  package static func forEachChunk(
    _ file: borrowing TemporaryFile, _ body: (borrowing ByteChunk) throws(SystemError) -> Void
  ) throws(Failure) {
    do throws(SystemError) {
      var chunk = ByteChunk()
      var offset: Int64 = 0
      while true {
        let count = try file.read(into: &chunk, at: offset)
        if count == 0 { return }
        try body(chunk)
        offset += Int64(count)
        chunk.removeAll()
      }
    } catch {
      throw Failure(nil, error)
    }
  }

  /// Counts the bytes and lines of a file.
  package static func size(_ file: borrowing TemporaryFile) throws(Failure) -> (
    bytes: UInt64, lines: UInt64
  ) {
    var bytes: UInt64 = 0
    var lines: UInt64 = 0
    try forEachChunk(file) { (chunk) throws(SystemError) in
      let span = chunk.span
      bytes += UInt64(span.count)
      for index in 0..<span.count where span[index] == UInt8(ascii: "\n") { lines += 1 }
    }
    return (bytes, lines)
  }

  /// Whether two files have the same bytes.
  package static func isEqual(
    _ one: borrowing TemporaryFile, _ other: borrowing TemporaryFile
  ) throws(Failure) -> Bool {
    do throws(SystemError) {
      var chunk = ByteChunk()
      var otherChunk = ByteChunk()
      var offset: Int64 = 0
      while true {
        let count = try one.read(into: &chunk, at: offset)
        // The other file may be read in smaller pieces.
        var otherCount = 0
        while otherCount < max(count, 1) {
          let more = try other.read(
            into: &otherChunk, at: offset + Int64(otherCount), limit: max(count, 1) - otherCount)
          if more == 0 { break }
          otherCount += more
        }
        guard count == otherCount else { return false }
        if count == 0 { return true }
        guard chunk.span.hasSameBytes(as: otherChunk.span) else { return false }
        offset += Int64(count)
        chunk.removeAll()
        otherChunk.removeAll()
      }
    } catch {
      throw Failure(nil, error)
    }
  }
}
