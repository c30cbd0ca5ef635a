// Unpacks and verifies one member: the end of its data, its length according to the directory, and its checksum.
//
// Deflate is decompressed here, from the packed (and decrypted) bytes that libzip returns: libzip itself can't detect
// packed bytes after the end, and processes only 8 KiB at a time.

package import SystemIO
package import SystemPackage

/// Unpacks one member.
package struct MemberReader: ~Copyable {
  package let entry: ZipEntry
  private var member: ZipMember
  /// For deflate: the decompressor, and packed bytes that it has not consumed yet.
  private var inflater: Inflater?
  private var packed: ByteChunk
  private var packedRead = 0
  private var hasEnded = false
  /// Whether AES's own checksum was verified in advance.
  private let isAuthenticated: Bool
  private var checksum = CRC32()
  /// The number of bytes output so far.
  package private(set) var unpacked: UInt64 = 0

  /// Opens a member.
  package init(
    _ file: FileDescriptor, _ entry: ZipEntry, _ location: MemberLocation, password: [UInt8]?
  ) throws(ZipError) {
    let isDeflated = entry.method == ZipEntry.deflated
    let isRaw = isDeflated || entry.method == ZipEntry.stored
    var inflater: Inflater?
    if isDeflated { inflater = try Inflater(.raw) }
    // If AE-2 omits the checksum, libzip 1.7 fails at the end of data packed by other methods, with the same error as
    // for a wrong AES checksum. So the AES checksum is verified first, by reading all of the data.
    let isAuthenticated = !isRaw && !entry.hasChecksum
    if isAuthenticated { try Self.authenticate(file, entry, location, password) }
    let opened = try ZipMember(file, entry, location, isRaw: isRaw, password: password)
    // Everything that can fail comes before the first property is set.
    member = opened
    self.entry = entry
    self.isAuthenticated = isAuthenticated
    self.inflater = inflater
    // An archive may have very many small members, so the buffer is not larger than needed.
    let packedMax = UInt64(isDeflated ? ByteChunk.defaultBytes : 0)
    packed = ByteChunk(capacity: Int(min(packedMax, max(entry.compressedSize, 1))))
  }

  private static func authenticate(
    _ file: FileDescriptor, _ entry: ZipEntry, _ location: MemberLocation, _ password: [UInt8]?
  ) throws(ZipError) {
    var member = try ZipMember(file, entry, location, isRaw: true, password: password)
    var chunk = ByteChunk()
    while try member.read(into: &chunk, of: entry) > 0 { chunk.removeAll() }
  }

  /// Unpacks into the chunk's free space, and returns the number of bytes: 0 at the end, after everything was verified.
  package mutating func read(into chunk: inout ByteChunk) throws(ZipError) -> Int {
    guard !hasEnded else { return 0 }
    let before = chunk.count
    try step(into: &chunk)
    let count = chunk.count - before
    checksum.add(chunk.span.extracting(droppingFirst: before))
    unpacked += UInt64(count)
    if unpacked > entry.size { throw wrongSize }
    if count == 0 { try finish() }
    return count
  }

  /// Adds bytes to the chunk, if there are any.
  private mutating func step(into chunk: inout ByteChunk) throws(ZipError) {
    guard entry.method == ZipEntry.deflated else {
      do throws(ZipError) {
        _ = try member.read(into: &chunk, of: entry)
      } catch .wrongPasswordOrDamaged where isAuthenticated && unpacked == entry.size {
        // All of the data was output.
      }
      return
    }
    // Set to nil when the stream has ended; excess data is detected after the output has been counted.
    guard var inflater = inflater.take() else { return }
    let before = chunk.count
    while chunk.count == before {
      if packedRead == packed.count {
        packed.removeAll()
        packedRead = 0
        _ = try member.read(into: &packed, of: entry)
      }
      // After the last packed byte, too: output that did not fit into the previous chunk is still in the decompressor.
      let (result, consumed) = inflater.inflate(
        packed.span.extracting(droppingFirst: packedRead), into: &chunk)
      packedRead += consumed
      switch result {
      case .inProgress where packed.isEmpty && chunk.count == before: throw damaged(.truncated)
      // With input and free space there is always progress; if not, avoid an infinite loop.
      case .inProgress where consumed == 0 && chunk.count == before:
        throw damaged(.badData(text: inflater.text))
      case .inProgress: break
      case .end: return
      case .damaged: throw damaged(.badData(text: inflater.text))
      case .outOfMemory: throw .outOfMemory
      }
    }
    self.inflater = consume inflater
  }

  /// Verifies the member at its end.
  private mutating func finish() throws(ZipError) {
    hasEnded = true
    if entry.method == ZipEntry.deflated {
      // Reading to the end also makes libzip verify the data after encrypted data.
      guard packedRead == packed.count else { throw damaged(.trailingBytes) }
      packed.removeAll()
      guard try member.read(into: &packed, of: entry) == 0 else { throw damaged(.trailingBytes) }
    }
    guard unpacked == entry.size else { throw wrongSize }
    guard checksum.value == entry.crc || !entry.hasChecksum else {
      throw entry.isEncrypted
        ? ZipError.wrongPasswordOrDamaged(name: entry.name) : .wrongChecksum(name: entry.name)
    }
  }

  private var wrongSize: ZipError {
    entry.isEncrypted
      ? .wrongPasswordOrDamaged(name: entry.name)
      : .wrongSize(name: entry.name, expected: entry.size, unpacked: unpacked)
  }

  private func damaged(_ reason: MemberErrorReason) -> ZipError {
    entry.isEncrypted
      ? .wrongPasswordOrDamaged(name: entry.name) : .damagedMember(name: entry.name, reason)
  }
}
