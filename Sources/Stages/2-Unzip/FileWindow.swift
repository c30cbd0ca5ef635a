// Any bytes of a file, through one buffer: for the records of a zip archive, which are small and stand anywhere.
//
// Not for: members' data (ZipMember reads that).

import BasicContainers
import SystemIO
import SystemPackage

/// A part of a file in memory, and little-endian integers out of it.
struct FileWindow: ~Copyable {
  let file: FileDescriptor
  let size: UInt64
  private let calls: any SystemCalls
  private let readAhead: Int
  private var buffer = ByteChunk(capacity: UnzipLimits.recordBytesMax)
  private var start: UInt64 = 0

  /// Makes a window that reads `readAhead` bytes where fewer are asked for.
  init(_ file: FileDescriptor, size: UInt64, readAhead: Int, calls: any SystemCalls) {
    self.file = file
    self.size = size
    self.readAhead = readAhead
    self.calls = calls
  }

  /// Sees to it that the window holds these bytes; false if the file has not so many.
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
      // The file readCount shorter meanwhile.
      if readCount == 0 { return buffer.count >= count }
    }
    return true
  }

  /// A byte that the window holds.
  func byte(_ offset: UInt64) -> UInt8 { buffer.bytes[Int(offset - start)] }

  /// Two bytes that the window holds.
  func u16(_ offset: UInt64) -> UInt16 { UInt16(byte(offset)) | UInt16(byte(offset + 1)) << 8 }

  /// Four bytes that the window holds.
  func u32(_ offset: UInt64) -> UInt32 { UInt32(u16(offset)) | UInt32(u16(offset + 2)) << 16 }

  /// Eight bytes that the window holds.
  func u64(_ offset: UInt64) -> UInt64 { UInt64(u32(offset)) | UInt64(u32(offset + 4)) << 32 }

  /// Some bytes that the window holds.
  func bytes(_ offset: UInt64, _ count: Int) -> [UInt8] {
    let first = Int(offset - start)
    return [UInt8](copying: buffer.span.extracting(first..<first + count))
  }

  /// Whether the window, which holds them, has just these bytes.
  func matches(_ offset: UInt64, _ expected: [UInt8]) -> Bool {
    let first = Int(offset - start)
    for index in expected.indices where buffer.bytes[first + index] != expected[index] { return false }
    return true
  }
}
