// The location of a member, according to its local header (APPNOTE 4.3.7) and its data descriptor (4.3.9). The header
// must agree with the central directory: otherwise one of them is wrong, and so would be the output.

package import SystemIO

/// The location of a member in the archive.
package struct MemberLocation {
  /// The size of a local header without its name and extra fields.
  static let headerBytes = 30
  /// The maximum size of a data descriptor.
  private static let descriptorBytesMax = 24

  /// The offset of the local header.
  package var start: UInt64
  /// The end of the packed data.
  package var dataEnd: UInt64
  /// The end of the member.
  package var end: UInt64

  /// Reads a member's local header and compares it with the entry in the central directory. Data must end before
  /// `limit`, where the directory starts.
  package static func find(
    _ entry: ZipEntry, limit: UInt64, in window: inout FileWindow
  ) throws(ZipError) -> MemberLocation {
    func damaged(_ reason: MemberErrorReason) -> ZipError { .damagedMember(name: entry.name, reason) }
    let start = entry.offset
    guard start <= limit, UInt64(headerBytes) <= limit - start, try window.loadRecord(start, headerBytes),
      window.u32(start) == 0x0403_4B50
    else { throw damaged(.noHeader) }
    let nameCount = Int(window.u16(start + 26))
    let extraCount = Int(window.u16(start + 28))
    let count = headerBytes + nameCount + extraCount
    guard nameCount == entry.rawName.count else { throw damaged(.headerMismatch(.name)) }
    guard UInt64(count) <= limit - start, try window.loadRecord(start, count) else {
      throw damaged(.outOfBounds)
    }
    guard window.matches(start + UInt64(headerBytes), entry.rawName) else {
      throw damaged(.headerMismatch(.name))
    }
    guard window.u16(start + 8) == entry.rawMethod else { throw damaged(.headerMismatch(.method)) }

    let flags = window.u16(start + 6)
    let encryptionFlags = ZipEntry.encryptedFlag | ZipEntry.unsupportedFlags
    let extra = ExtraFields(window, from: start + UInt64(headerBytes + nameCount), count: extraCount)
    guard flags & encryptionFlags == entry.flags & encryptionFlags, Self.areEqual(extra.aes, entry.aes) else {
      throw damaged(.headerMismatch(.encryption))
    }

    // With this flag, the header may omit checksum and sizes.
    let mayBeMissing = flags & ZipEntry.dataDescriptorFlag != 0
    var sizes = Zip64Values(extra.zip64)
    let crc = window.u32(start + 14)
    let size = sizes.value(window.u32(start + 22), window)
    let compressedSize = sizes.value(window.u32(start + 18), window)
    let matches = crc == entry.crc && size == entry.size && compressedSize == entry.compressedSize
    if !matches {
      // Some programs that know the size in advance write it without the packed size.
      let isMissing =
        (crc == 0 || crc == entry.crc) && (size == 0 || size == entry.size)
        && (compressedSize == 0 || compressedSize == entry.compressedSize)
      guard mayBeMissing, isMissing else { throw damaged(.headerMismatch(.sizes)) }
    }

    let dataStart = start + UInt64(count)
    guard entry.compressedSize <= limit - dataStart else { throw damaged(.outOfBounds) }
    let dataEnd = dataStart + entry.compressedSize
    var location = MemberLocation(start: start, dataEnd: dataEnd, end: dataEnd)
    if mayBeMissing {
      let descriptor = try Self.descriptor(entry, at: dataEnd, limit: limit, in: &window)
      // Some programs set the flag but write no data descriptor, because the header is complete.
      guard descriptor != nil || matches else { throw damaged(.headerMismatch(.sizes)) }
      location.end += UInt64(descriptor ?? 0)
    }
    return location
  }

  private static func areEqual(_ header: ZipEntry.AES?, _ entry: ZipEntry.AES?) -> Bool {
    guard let header, let entry else { return header == nil && entry == nil }
    return header.version == entry.version && header.strength == entry.strength
      && header.method == entry.method
  }

  /// The length of the data descriptor, if there is one that agrees with the directory: with or without a signature,
  /// with sizes of 4 or 8 bytes.
  private static func descriptor(
    _ entry: ZipEntry, at offset: UInt64, limit: UInt64, in window: inout FileWindow
  ) throws(ZipError) -> Int? {
    let available = Int(min(UInt64(descriptorBytesMax), limit - offset))
    guard try window.loadRecord(offset, available) else { return nil }
    for (signature, width) in [(4, 8), (4, 4), (0, 8), (0, 4)] {
      let count = signature + 4 + 2 * width
      guard count <= available, signature == 0 || window.u32(offset) == 0x0807_4B50 else { continue }
      let crc = offset + UInt64(signature)
      let first = crc + 4
      let second = first + UInt64(width)
      let sizes =
        width == 8
        ? (window.u64(first), window.u64(second))
        : (UInt64(window.u32(first)), UInt64(window.u32(second)))
      if window.u32(crc) == entry.crc || !entry.hasChecksum, sizes == (entry.compressedSize, entry.size) {
        return count
      }
    }
    return nil
  }
}
