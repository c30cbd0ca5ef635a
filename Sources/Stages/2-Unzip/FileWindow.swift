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
  private let ahead: Int
  private var buffer = ByteChunk(capacity: UnzipLimits.recordBytesMax)
  private var start: UInt64 = 0

  /// Makes a window that reads `ahead` bytes where fewer are asked for.
  init(_ file: FileDescriptor, size: UInt64, ahead: Int, calls: any SystemCalls) {
    self.file = file
    self.size = size
    self.ahead = ahead
    self.calls = calls
  }

  /// Sees to it that the window holds these bytes; false if the file has not so many.
  ///
  /// - Precondition: at most ``UnzipLimits/recordBytesMax`` bytes.
  mutating func hold(_ place: UInt64, _ count: Int) throws(ZipError) -> Bool {
    guard place <= size, UInt64(count) <= size - place else { return false }
    if place >= start, place - start <= UInt64(buffer.count),
      count <= buffer.count - Int(place - start)
    {
      return true
    }
    buffer.removeAll()
    start = place
    let wanted = Int(min(UInt64(max(count, min(ahead, buffer.freeCapacity))), size - place))
    while buffer.count < wanted {
      let missing = wanted - buffer.count
      let from = Int64(place) + Int64(buffer.count)
      let got: Int
      do throws(Errno) {
        got = try unsafe buffer.fill { (room) throws(Errno) in
          unsafe try calls.read(
            file, at: from, into: UnsafeMutableRawBufferPointer(rebasing: room.prefix(missing)))
        }
      } catch {
        throw .unreadable(error)
      }
      // The file got shorter meanwhile.
      if got == 0 { return buffer.count >= count }
    }
    return true
  }

  /// A byte that the window holds.
  func byte(_ place: UInt64) -> UInt8 { buffer.bytes[Int(place - start)] }

  /// Two bytes that the window holds.
  func u16(_ place: UInt64) -> UInt16 { UInt16(byte(place)) | UInt16(byte(place + 1)) << 8 }

  /// Four bytes that the window holds.
  func u32(_ place: UInt64) -> UInt32 { UInt32(u16(place)) | UInt32(u16(place + 2)) << 16 }

  /// Eight bytes that the window holds.
  func u64(_ place: UInt64) -> UInt64 { UInt64(u32(place)) | UInt64(u32(place + 4)) << 32 }

  /// Some bytes that the window holds.
  func bytes(_ place: UInt64, _ count: Int) -> [UInt8] {
    let first = Int(place - start)
    return [UInt8](copying: buffer.span.extracting(first..<first + count))
  }

  /// Whether the window, which holds them, has just these bytes.
  func agrees(_ place: UInt64, _ expected: [UInt8]) -> Bool {
    let first = Int(place - start)
    for index in expected.indices where buffer.bytes[first + index] != expected[index] { return false }
    return true
  }
}
