// The windows through which the records of an archive are read.

package import SystemIO
package import SystemPackage

/// The sizes of an archive's records, and how much is read at a time.
enum ZipLimits {
  /// The maximum size of a directory entry: its fixed part and three fields of at most 65,535 bytes. A local header is
  /// smaller, and so is the area that is searched for the end record.
  static let recordBytesMax = 46 + 3 * 65535
  /// How many bytes of the directory are read at a time.
  static let directoryReadAheadBytes = 64 * 1024
  /// How many bytes are read for a local header, which is rarely longer.
  static let headerReadAheadBytes = 512
}

extension FileWindow {
  /// Makes a window for an archive's directory.
  package static func zipDirectory(
    _ file: FileDescriptor, size: UInt64, calls: any SystemCalls
  ) -> FileWindow {
    FileWindow(
      file, size: size, capacity: ZipLimits.recordBytesMax, readAhead: ZipLimits.directoryReadAheadBytes,
      calls: calls)
  }

  /// Makes a window for the members' local headers.
  package static func zipHeaders(
    _ file: FileDescriptor, size: UInt64, calls: any SystemCalls
  ) -> FileWindow {
    FileWindow(
      file, size: size, capacity: ZipLimits.recordBytesMax, readAhead: ZipLimits.headerReadAheadBytes,
      calls: calls)
  }

  /// Makes sure that a record's bytes are loaded; false if they are beyond the end of the file.
  mutating func loadRecord(_ offset: UInt64, _ count: Int) throws(ZipError) -> Bool {
    do throws(Errno) {
      return try load(offset, count)
    } catch {
      throw .unreadable(error)
    }
  }
}
