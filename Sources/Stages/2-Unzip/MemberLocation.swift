// Where a member lies, by its own header (APPNOTE 4.3.7) and what may stand behind its data (4.3.9). Whatever the
// header says must be what the directory says: otherwise one of the two is wrong, and so would be what comes out.

/// Where a member lies in the archive.
struct MemberLocation {
  private static let headerBytes = 30
  /// The longest form of what stands behind the data.
  private static let descriptorBytesMax = 24

  /// Where the header begins.
  var start: UInt64
  /// Where the packed data end.
  var dataEnd: UInt64
  /// Where the member ends.
  var end: UInt64

  /// Reads a member's header and holds it against the directory's entry. Data end before `limit`, where the directory
  /// begins.
  static func find(
    _ entry: ZipEntry, limit: UInt64, in window: inout FileWindow
  ) throws(ZipError) -> MemberLocation {
    func bad(_ defect: MemberErrorReason) -> ZipError { .failure(.damagedMember(name: entry.name, defect)) }
    let start = entry.offset
    guard start <= limit, UInt64(headerBytes) <= limit - start, try window.hold(start, headerBytes),
      window.u32(start) == 0x0403_4B50
    else { throw bad(.noHeader) }
    let nameCount = Int(window.u16(start + 26))
    let extraCount = Int(window.u16(start + 28))
    let count = headerBytes + nameCount + extraCount
    guard nameCount == entry.rawName.count else { throw bad(.headersDisagree(.name)) }
    guard UInt64(count) <= limit - start, try window.hold(start, count) else { throw bad(.beyondEnd) }
    guard window.agrees(start + UInt64(headerBytes), entry.rawName) else {
      throw bad(.headersDisagree(.name))
    }
    guard window.u16(start + 8) == entry.writtenMethod else { throw bad(.headersDisagree(.method)) }

    let flags = window.u16(start + 6)
    let encryptionFlags = ZipEntry.encryptedFlag | ZipEntry.unreadableFlags
    let extra = ExtraFields(window, from: start + UInt64(headerBytes + nameCount), count: extraCount)
    guard flags & encryptionFlags == entry.flags & encryptionFlags, Self.agree(extra.aes, entry.aes) else {
      throw bad(.headersDisagree(.encryption))
    }

    // With the flag, the header may leave them out.
    let mayBeMissing = flags & ZipEntry.descriptorFlag != 0
    var sizes = Zip64Values(extra.zip64)
    let crc = window.u32(start + 14)
    let size = sizes.value(window.u32(start + 22), window)
    let compressedSize = sizes.value(window.u32(start + 18), window)
    let agrees = crc == entry.crc && size == entry.size && compressedSize == entry.compressedSize
    if !agrees {
      // The size without the packed one is what some write who know it beforehand.
      let isMissing =
        (crc == 0 || crc == entry.crc) && (size == 0 || size == entry.size)
        && (compressedSize == 0 || compressedSize == entry.compressedSize)
      guard mayBeMissing, isMissing else { throw bad(.headersDisagree(.sizes)) }
    }

    let dataStart = start + UInt64(count)
    guard entry.compressedSize <= limit - dataStart else { throw bad(.beyondEnd) }
    let dataEnd = dataStart + entry.compressedSize
    var place = MemberLocation(start: start, dataEnd: dataEnd, end: dataEnd)
    if mayBeMissing {
      let descriptor = try Self.descriptor(entry, at: dataEnd, limit: limit, in: &window)
      // Some set the flag and write nothing behind the data, because the header is complete.
      guard descriptor != nil || agrees else { throw bad(.headersDisagree(.sizes)) }
      place.end += UInt64(descriptor ?? 0)
    }
    return place
  }

  private static func agree(_ header: ZipEntry.AES?, _ entry: ZipEntry.AES?) -> Bool {
    guard let header, let entry else { return header == nil && entry == nil }
    return header.version == entry.version && header.strength == entry.strength
      && header.method == entry.method
  }

  /// How long the record behind the data is, if one is there that says what the directory says: with or without a
  /// signature, with sizes of 4 or 8 bytes.
  private static func descriptor(
    _ entry: ZipEntry, at place: UInt64, limit: UInt64, in window: inout FileWindow
  ) throws(ZipError) -> Int? {
    let there = Int(min(UInt64(descriptorBytesMax), limit - place))
    guard try window.hold(place, there) else { return nil }
    for (signature, width) in [(4, 8), (4, 4), (0, 8), (0, 4)] {
      let count = signature + 4 + 2 * width
      guard count <= there, signature == 0 || window.u32(place) == 0x0807_4B50 else { continue }
      let crc = place + UInt64(signature)
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
