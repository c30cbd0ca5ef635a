// Random access to a file through one buffer, for small records that may be anywhere in it.
//
// Not for: reading a file from front to back (InputFile).

import BasicContainers
package import SystemPackage

/// A part of a file in memory, from which integers can be read.
package struct FileWindow: ~Copyable {
  /// The file, which must stay open.
  package let file: FileDescriptor
  /// The file's size in bytes.
  package let size: UInt64
  /// The maximum number of bytes that can be loaded.
  package let capacity: Int
  private let calls: any SystemCalls
  private let readAhead: Int
  private var buffer: ByteChunk
  private var start: UInt64 = 0

  /// Makes a window of at most `capacity` bytes that reads at least `readAhead` bytes at a time.
  package init(
    _ file: FileDescriptor, size: UInt64, capacity: Int, readAhead: Int, calls: any SystemCalls
  ) {
    self.file = file
    self.size = size
    self.capacity = capacity
    buffer = ByteChunk(capacity: capacity)
    self.readAhead = readAhead
    self.calls = calls
  }

  /// Makes sure that these bytes are loaded; false if they are beyond the end of the file.
  ///
  /// - Precondition: at most ``capacity`` bytes.
  package mutating func load(_ offset: UInt64, _ count: Int) throws(Errno) -> Bool {
    guard offset <= size, UInt64(count) <= size - offset else { return false }
    if offset >= start, offset - start <= UInt64(buffer.count),
      count <= buffer.count - Int(offset - start)
    {
      return true
    }
    buffer.removeAll()
    start = offset
    let target = Int(min(UInt64(max(count, min(readAhead, buffer.freeCapacity))), size - offset))
    while buffer.count < target {
      let missing = target - buffer.count
      let from = Int64(offset) + Int64(buffer.count)
      let readCount = try unsafe buffer.fill { (space) throws(Errno) in
        unsafe try calls.read(
          file, at: from, into: UnsafeMutableRawBufferPointer(rebasing: space.prefix(missing)))
      }
      // The file was truncated meanwhile.
      if readCount == 0 { return buffer.count >= count }
    }
    return true
  }

  /// A loaded byte.
  package func byte(_ offset: UInt64) -> UInt8 { buffer.bytes[Int(offset - start)] }

  /// A little-endian integer of two loaded bytes.
  package func u16(_ offset: UInt64) -> UInt16 { UInt16(byte(offset)) | UInt16(byte(offset + 1)) << 8 }

  /// A little-endian integer of four loaded bytes.
  package func u32(_ offset: UInt64) -> UInt32 { UInt32(u16(offset)) | UInt32(u16(offset + 2)) << 16 }

  /// A little-endian integer of eight loaded bytes.
  package func u64(_ offset: UInt64) -> UInt64 { UInt64(u32(offset)) | UInt64(u32(offset + 4)) << 32 }

  /// Some loaded bytes.
  package func bytes(_ offset: UInt64, _ count: Int) -> [UInt8] {
    let first = Int(offset - start)
    return [UInt8](copying: buffer.span.extracting(first..<first + count))
  }

  /// Whether the loaded bytes at an offset are the expected ones.
  package func matches(_ offset: UInt64, _ expected: [UInt8]) -> Bool {
    let first = Int(offset - start)
    for index in expected.indices where buffer.bytes[first + index] != expected[index] { return false }
    return true
  }
}
