// Random access to a file through one buffer, for the records of a zip archive, which are small and may be anywhere.
//
// Not for: members' data (ZipMember).

import BasicContainers
import SystemIO
import SystemPackage

/// A part of a file in memory, from which little-endian integers can be read.
struct FileWindow: ~Copyable {
  let file: FileDescriptor
  let size: UInt64
  private let calls: any SystemCalls
  private let readAhead: Int
  private var buffer = ByteChunk(capacity: UnzipLimits.recordBytesMax)
  private var start: UInt64 = 0

  /// Makes a window that reads at least `readAhead` bytes at a time.
  init(_ file: FileDescriptor, size: UInt64, readAhead: Int, calls: any SystemCalls) {
    self.file = file
    self.size = size
    self.readAhead = readAhead
    self.calls = calls
  }

  /// Makes sure that these bytes are loaded; false if they are beyond the end of the file.
  ///
  /// - Precondition: at most ``UnzipLimits/recordBytesMax`` bytes.
  mutating func load(_ offset: UInt64, _ count: Int) throws(ZipError) -> Bool {
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
      let readCount: Int
      do throws(Errno) {
        readCount = try unsafe buffer.fill { (space) throws(Errno) in
          unsafe try calls.read(
            file, at: from, into: UnsafeMutableRawBufferPointer(rebasing: space.prefix(missing)))
        }
      } catch {
        throw .unreadable(error)
      }
      // The file was truncated meanwhile.
      if readCount == 0 { return buffer.count >= count }
    }
    return true
  }

  /// A loaded byte.
  func byte(_ offset: UInt64) -> UInt8 { buffer.bytes[Int(offset - start)] }

  /// An integer of two loaded bytes.
  func u16(_ offset: UInt64) -> UInt16 { UInt16(byte(offset)) | UInt16(byte(offset + 1)) << 8 }

  /// An integer of four loaded bytes.
  func u32(_ offset: UInt64) -> UInt32 { UInt32(u16(offset)) | UInt32(u16(offset + 2)) << 16 }

  /// An integer of eight loaded bytes.
  func u64(_ offset: UInt64) -> UInt64 { UInt64(u32(offset)) | UInt64(u32(offset + 4)) << 32 }

  /// Some loaded bytes.
  func bytes(_ offset: UInt64, _ count: Int) -> [UInt8] {
    let first = Int(offset - start)
    return [UInt8](copying: buffer.span.extracting(first..<first + count))
  }

  /// Whether the loaded bytes at an offset are the expected ones.
  func matches(_ offset: UInt64, _ expected: [UInt8]) -> Bool {
    let first = Int(offset - start)
    for index in expected.indices where buffer.bytes[first + index] != expected[index] { return false }
    return true
  }
}
