// The memory limit of sort: at least sort's minimum, at most what this machine and this process can provide.

import ArgumentParser
import RecordStages
import SystemIO
import Records

/// A memory size. Negative sizes are parsed, too, so that ``validate()`` can reject them with a message that contains
/// the limits.
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

  var defaultValueDescription: String { Figures.bytes(bytes) }

  /// The address space needed in addition to sort's: the program, its other stages, and the 64 MiB that the allocator
  /// reserves per thread. 192 MiB was not enough for a run with four threads.
  private static let restBytes = 384 << 20

  /// Throws if the size is below sort's minimum or above the available memory: a failed allocation would crash the
  /// process.
  func validate() throws {
    let min = SortOptions.memoryMin
    let max = ProcessMemory.physicalBytes
    guard bytes >= min, bytes <= max else {
      throw ValidationError(
        """
        --memory must be \(Figures.bytes(min)) to \(Figures.bytes(max)), the memory of this \
        machine
        """)
    }
    let reserved = SortOptions(memory: bytes).reservedBytesMax + Self.restBytes
    let limit = ProcessMemory.limitBytes
    guard let limit, reserved > limit else { return }
    throw ValidationError(
      """
      --memory \(Figures.bytes(bytes)) needs up to \(Figures.bytes(reserved)) of address \
      space; the limit of this process is \(Figures.bytes(limit)) (ulimit -v, ulimit -d)
      """)
  }
}
