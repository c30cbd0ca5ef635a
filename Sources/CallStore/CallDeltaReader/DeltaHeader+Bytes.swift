// The header of a delta as bytes: reads it from a file and checks it, or makes it.

import CallStoreFormat
import CallStoreReader
import Hashing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

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

  /// The header's bytes.
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
