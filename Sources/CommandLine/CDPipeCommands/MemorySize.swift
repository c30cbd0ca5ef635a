// The memory that sort is to use: a size between what it needs and what this machine and this process can have.

import ArgumentParser
import SortStage
import SystemIO

/// A size of memory as it was typed. Whether it can be had, ``validate()`` says; so a size below zero is read, too.
struct MemorySize: ExpressibleByArgument, Equatable {
  let bytes: Int

  init(bytes: Int) {
    self.bytes = bytes
  }

  init?(argument: String) {
    let isNegative = argument.hasPrefix("-")
    guard let size = ByteSize(argument: isNegative ? String(argument.dropFirst()) : argument) else {
      return nil
    }
    bytes = isNegative ? -size.bytes : size.bytes
  }

  var defaultValueDescription: String { ByteSize.text(UInt64(clamping: bytes)) }

  /// What is not sort's: the program itself, its other stages, and the 64 MiB that the allocator sets aside for each of some
  /// threads. With 192 MiB a run of four threads found too little.
  private static let restBytes = 384 << 20

  /// Throws when sort can't do with so little, or when so much can't be had: an allocation that is refused would be the
  /// end of the process.
  func validate() throws {
    let least = SortOptions.memoryMin
    let most = ProcessMemory.physicalBytes
    guard bytes >= least, bytes <= most else {
      throw ValidationError(
        """
        --memory takes \(ByteSize.text(UInt64(least))) to \(ByteSize.text(UInt64(clamping: most))), the memory of this \
        machine
        """)
    }
    let reserved = SortOptions(memory: bytes).reservedBytesMax + Self.restBytes
    let limit = ProcessMemory.limitBytes
    guard let limit, reserved > limit else { return }
    throw ValidationError(
      """
      --memory \(ByteSize.text(UInt64(clamping: bytes))) needs up to \(ByteSize.text(UInt64(clamping: reserved))) of address \
      space, and this process may have \(ByteSize.text(UInt64(clamping: limit))) (ulimit -v, ulimit -d)
      """)
  }
}
