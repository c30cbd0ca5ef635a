// The header of a delta as bytes: read from a file and checked, or made.

import CallStoreFormat

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension DeltaHeader {
  /// Whether a file starts as a delta does, whatever follows.
  public static func isDelta(descriptor: Int32) -> Bool {
    guard let (bytes, _) = try? start(of: descriptor), bytes.count >= 8 else { return false }
    let span = bytes.span
    return unsafe span.bytes.u64(0) == DeltaLayout.magic
  }

  /// Reads and checks the header of the file that a descriptor names. When it exists, the two stores fill the file
  /// behind it.
  package init(descriptor: Int32) throws(CallDeltaError) {
    let (bytes, size) = try Self.start(of: descriptor)
    // Bytes are bytes: no padding, no invalid values.
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
    let room = UInt64(max(0, size - DeltaLayout.bytes))
    guard removalsLength <= room, additionsLength == room - removalsLength else { throw .wrongLength }
    func hash(_ at: Int) -> [UInt8] { Array(bytes[at..<(at + DeltaLayout.hashBytes)]) }
    self.init(
      baselineHash: hash(DeltaLayout.baselineHash), resultHash: hash(DeltaLayout.resultHash), step: step,
      steps: steps, removalsLength: Int(removalsLength), additionsLength: Int(additionsLength))
  }

  /// The header's bytes. The hashes have 32 bytes each.
  package var bytes: ContiguousArray<UInt8> {
    // An `Array` has a span from iOS 26 on, a `ContiguousArray` from 12.2 on.
    var bytes: ContiguousArray<UInt8> = []
    func append(_ value: UInt64, _ count: Int) {
      for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
    }
    append(DeltaLayout.magic, 8)
    append(UInt64(DeltaLayout.version), 2)
    append(UInt64(DeltaLayout.bytes), 2)
    append(UInt64(step), 4)
    append(UInt64(steps), 4)
    append(0, 4)
    append(UInt64(removalsLength), 8)
    append(UInt64(additionsLength), 8)
    bytes.append(contentsOf: baselineHash)
    bytes.append(contentsOf: resultHash)
    append(0, DeltaLayout.crc - DeltaLayout.reserved)
    append(UInt64(CRC32C.checksum(bytes.span)), 4)
    append(0, 4)
    return bytes
  }

  /// The first bytes of a regular file, a header's at the most, and the file's size.
  private static func start(of descriptor: Int32) throws(CallDeltaError) -> (
    bytes: ContiguousArray<UInt8>, size: Int
  ) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .cannotOpen(errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw .cannotOpen(status.st_mode & S_IFMT == S_IFDIR ? EISDIR : ENODEV)
    }
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
