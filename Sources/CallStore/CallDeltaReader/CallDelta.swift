// An open delta file: the store that it changes, the store that results, and the records to remove and to add.
//
// An extension walks the two stores with StoreCursor and passes the removals and then the additions to the
// system.

import CallStoreFormat
// The stores of a delta are read like any other: one import is enough.
@_exported public import CallStoreReader
import Hashing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Why a delta can't be read. It carries data; the caller writes the message.
public enum CallDeltaError: Error, Equatable, Sendable {
  /// The file can't be opened or read; the value is the `errno`.
  case cannotOpen(Int32)
  /// The file does not start like a delta.
  case notADelta
  /// The file has a version of the format that this reader does not support.
  case unsupportedVersion(Int)
  /// The file starts like a delta, but is truncated or has extra bytes at its end.
  case wrongLength
  /// The header's checksum is wrong, or its fields contradict each other.
  case damagedHeader
  /// The store of the removals can't be read.
  case removals(CallStoreError)
  /// The store of the additions can't be read.
  case additions(CallStoreError)
}

/// The header of a delta.
public struct DeltaHeader: Equatable, Sendable {
  /// The content hash of the store that the delta changes, 32 bytes.
  public var baselineHash: [UInt8]
  /// The content hash of the store that results, 32 bytes.
  public var resultHash: [UInt8]
  /// The number of this step between two emitted stores, from 1.
  public var step: Int
  /// The number of steps between the two stores.
  public var steps: Int
  /// The size of the store of removals in bytes.
  public var removalsLength: Int
  /// The size of the store of additions in bytes.
  public var additionsLength: Int

  /// Makes a header. The hashes have 32 bytes each.
  public init(
    baselineHash: [UInt8], resultHash: [UInt8], step: Int, steps: Int, removalsLength: Int,
    additionsLength: Int
  ) {
    self.baselineHash = baselineHash
    self.resultHash = resultHash
    self.step = step
    self.steps = steps
    self.removalsLength = removalsLength
    self.additionsLength = additionsLength
  }

  /// The removals' bytes in the file.
  public var removals: Range<Int> { DeltaLayout.bytes..<(DeltaLayout.bytes + removalsLength) }
  /// The additions' bytes in the file.
  public var additions: Range<Int> { removals.upperBound..<(removals.upperBound + additionsLength) }
}

/// A delta. Its two stores are mapped, and read and checked like any `CallStore`.
///
///     let delta = try CallDelta(path: "0003-….cddelta")
///     if delta.header.baselineHash == store.contentHash {
///       var cursor = StoreCursor(delta.removals)
///       while try cursor.nextEntries(of: delta.removals, into: &batch) { show(batch.firsts[0], batch.count) }
///     }
///
/// Several threads may use a delta at a time.
public struct CallDelta: ~Copyable, Sendable {
  /// The delta's header.
  public let header: DeltaHeader
  /// The records of the baseline that are not in the result.
  public let removals: CallStore
  /// The records of the result that are not in the baseline.
  public let additions: CallStore

  /// Opens the file at a path.
  ///
  /// - Complexity: O(blocks + bytes of the label tables).
  public init(path: String) throws(CallDeltaError) {
    var descriptor: Int32
    // Only regular files are accepted. Without O_NONBLOCK, opening a pipe would wait for a writer.
    repeat {
      descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else { throw .cannotOpen(errno) }
    defer { close(descriptor) }
    try self.init(descriptor: descriptor)
  }

  /// Opens a delta by an open file's descriptor. The caller keeps the descriptor and may close it.
  public init(descriptor: Int32) throws(CallDeltaError) {
    let read = try DeltaHeader(descriptor: descriptor)
    let removed = try Self.store(descriptor, read.removals) { .removals($0) }
    let added = try Self.store(descriptor, read.additions) { .additions($0) }
    header = read
    removals = removed
    additions = added
  }

  private static func store(
    _ descriptor: Int32, _ part: Range<Int>, _ failure: (CallStoreError) -> CallDeltaError
  ) throws(CallDeltaError) -> CallStore {
    do throws(CallStoreError) {
      return try CallStore(descriptor: descriptor, part: part)
    } catch {
      throw failure(error)
    }
  }
}

extension DeltaHeader {
  /// Whether a file starts like a delta. The rest of the file is not checked.
  public static func isDelta(descriptor: Int32) -> Bool {
    guard let (bytes, _) = try? start(of: descriptor), bytes.count >= 8 else { return false }
    let span = bytes.span
    return unsafe span.bytes.u64(0) == DeltaLayout.magic
  }

  /// Reads and checks the header of an open file. The lengths in a header that was read add up to the file's size.
  package init(descriptor: Int32) throws(CallDeltaError) {
    let (bytes, size) = try Self.start(of: descriptor)
    // UInt8 has no padding and no invalid values.
    let span = bytes.span
    let raw = unsafe span.bytes
    guard raw.byteCount >= 12, raw.u64(0) == DeltaLayout.magic else { throw .notADelta }
    guard raw.u16(DeltaLayout.versionAt) == Int(DeltaLayout.version) else {
      throw .unsupportedVersion(raw.u16(DeltaLayout.versionAt))
    }
    guard raw.byteCount == DeltaLayout.bytes else { throw .wrongLength }
    let removalsLength = raw.u64(DeltaLayout.removalsLength)
    let additionsLength = raw.u64(DeltaLayout.additionsLength)
    let step = Int(raw.u32(DeltaLayout.step))
    let steps = Int(raw.u32(DeltaLayout.steps))
    guard CRC32C.checksum(raw.extracting(0..<DeltaLayout.crc)) == raw.u32(DeltaLayout.crc),
      raw.u16(DeltaLayout.length) == DeltaLayout.bytes, raw.u32(DeltaLayout.flags) == 0,
      raw.u64(DeltaLayout.reserved) == 0, raw.u64(DeltaLayout.reserved + 8) == 0,
      raw.u32(DeltaLayout.reservedEnd) == 0, (1...DeltaLimits.stepsMax).contains(steps),
      (1...steps).contains(step)
    else { throw .damagedHeader }
    let storeBytes = UInt64(max(0, size - DeltaLayout.bytes))
    guard removalsLength <= storeBytes, additionsLength == storeBytes - removalsLength else {
      throw .wrongLength
    }
    func hash(_ at: Int) -> [UInt8] { Array(bytes[at..<(at + DeltaLayout.hashBytes)]) }
    self.init(
      baselineHash: hash(DeltaLayout.baselineHash), resultHash: hash(DeltaLayout.resultHash), step: step,
      steps: steps, removalsLength: Int(removalsLength), additionsLength: Int(additionsLength))
  }

  package var bytes: ContiguousArray<UInt8> {
    // `Array` has a span since iOS 26, `ContiguousArray` since 12.2.
    var bytes: ContiguousArray<UInt8> = []
    bytes.append(littleEndian: DeltaLayout.magic)
    bytes.append(littleEndian: DeltaLayout.version)
    bytes.append(littleEndian: UInt16(DeltaLayout.bytes))
    bytes.append(littleEndian: UInt32(step))
    bytes.append(littleEndian: UInt32(steps))
    let flags: UInt32 = 0
    bytes.append(littleEndian: flags)
    bytes.append(littleEndian: UInt64(removalsLength))
    bytes.append(littleEndian: UInt64(additionsLength))
    bytes.append(contentsOf: baselineHash)
    bytes.append(contentsOf: resultHash)
    bytes.append(contentsOf: repeatElement(0, count: DeltaLayout.crc - DeltaLayout.reserved))
    bytes.append(littleEndian: CRC32C.checksum(bytes.span))
    bytes.append(contentsOf: repeatElement(0, count: DeltaLayout.bytes - DeltaLayout.reservedEnd))
    return bytes
  }

  /// The first bytes of a regular file, at most as many as a header has, and the file's size.
  private static func start(of descriptor: Int32) throws(CallDeltaError) -> (
    bytes: ContiguousArray<UInt8>, size: Int
  ) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .cannotOpen(errno) }
    if let code = RegularFile.errorNumber(ofMode: UInt32(status.st_mode)) { throw .cannotOpen(code) }
    var bytes = ContiguousArray<UInt8>(repeating: 0, count: DeltaLayout.bytes)
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeMutableBytes {
        unsafe pread(descriptor, $0.baseAddress! + done, $0.count - done, off_t(done))
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .cannotOpen(errno) }
      if count == 0 { break }
      done += count
    }
    return (ContiguousArray(bytes[..<done]), Int(status.st_size))
  }
}

/// The header, the first bytes of the file. The store of removals follows it, then the store of additions.
package enum DeltaLayout {
  package static let bytes = 128
  /// `\x89CDDLT\r\n`: not text, and damaged by programs that convert line ends.
  package static let magic: UInt64 = 0x0A0D_544C_4444_4389
  package static let version: UInt16 = 1
  package static let hashBytes = 32

  package static let versionAt = 8
  package static let length = 10
  package static let step = 12
  package static let steps = 16
  package static let flags = 20
  package static let removalsLength = 24
  package static let additionsLength = 32
  package static let baselineHash = 40
  package static let resultHash = 72
  package static let reserved = 104
  package static let crc = 120
  package static let reservedEnd = 124
}

/// The limits that readers and writers of deltas share.
public enum DeltaLimits {
  /// The maximum number of steps from one store to another. Each costs the writer a walk through both.
  public static let stepsMax = 100
}
