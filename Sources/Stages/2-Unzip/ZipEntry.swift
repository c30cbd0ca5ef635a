// One entry of an archive's directory, and the walk through the directory (APPNOTE 4.3.12). The directory is read in
// pieces and no entry is kept, so that an archive may have any number of them.

/// What the directory says about a member.
struct ZipEntry {
  /// WinZip's AES: the vendor's version (2 leaves the checksum out), the strength (1 to 3), and how the
  /// member is packed inside.
  struct AES {
    var version: UInt16
    var strength: UInt8
    var method: UInt16
  }

  var rawName: [UInt8]
  var name: String
  var versionMade: UInt16
  var versionNeeded: UInt16
  var flags: UInt16
  /// As it stands there: ``methodOfAES`` for a member that is encrypted so.
  var writtenMethod: UInt16
  var time: UInt16
  var date: UInt16
  var crc: UInt32
  var compressedSize: UInt64
  var size: UInt64
  /// Where its header begins.
  var offset: UInt64
  var aes: AES?

  static let stored: UInt16 = 0
  static let deflated: UInt16 = 8
  static let methodOfAES: UInt16 = 99
  static let encryptedFlag: UInt16 = 1 << 0
  /// The checksum and the sizes stand behind the data.
  static let descriptorFlag: UInt16 = 1 << 3
  static let utf8Flag: UInt16 = 1 << 11
  /// Patches, PKWARE's strong encryption, and headers that it masks: none of them can be read here.
  static let unreadableFlags: UInt16 = 1 << 5 | 1 << 6 | 1 << 13

  /// How the member is packed.
  var method: UInt16 { aes?.method ?? writtenMethod }
  var isEncrypted: Bool { flags & Self.encryptedFlag != 0 }
  /// Whether the checksum counts; AE-2 leaves it out and has a stronger one.
  var hasChecksum: Bool { aes.map { $0.version != 2 } ?? true }

  var shown: ArchiveEntry {
    ArchiveEntry(
      name: name, size: size, compressedSize: compressedSize, method: Int(method), isEncrypted: isEncrypted)
  }
}

/// Walks through an archive's directory.
struct ZipDirectory: ~Copyable {
  private static let fixedBytes = 46

  let end: ZipEnd
  private var window: FileWindow
  private var place: UInt64
  private var index: UInt64 = 0

  /// Finds the directory.
  init(_ window: consuming FileWindow) throws(ZipError) {
    let end = try ZipEnd.find(in: &window)
    self.end = end
    self.window = window
    place = end.directoryStart
  }

  /// Begins anew.
  mutating func rewind() {
    place = end.directoryStart
    index = 0
  }

  /// The next entry; nil at the end, which must be where the end record says.
  mutating func next() throws(ZipError) -> ZipEntry? {
    if index == end.count {
      guard place == end.directoryEnd else { throw .failure(.damagedArchive(.badEnd)) }
      return nil
    }
    let bad = ZipError.failure(.damagedArchive(.badEntry(index: index)))
    guard try holds(Self.fixedBytes), window.u32(place) == 0x0201_4B50 else { throw bad }
    let nameCount = Int(window.u16(place + 28))
    let extraCount = Int(window.u16(place + 30))
    let count = Self.fixedBytes + nameCount + extraCount + Int(window.u16(place + 32))
    guard try holds(count) else { throw bad }

    let rawName = window.bytes(place + UInt64(Self.fixedBytes), nameCount)
    let extraStart = place + UInt64(Self.fixedBytes + nameCount)
    let extra = ExtraFields(window, from: extraStart, count: extraCount)
    var sizes = Zip64Values(extra.zip64)
    let flags = window.u16(place + 8)
    let method = window.u16(place + 10)
    // In the order in which zip64's field has them.
    guard let size = sizes.value(window.u32(place + 24), window),
      let compressedSize = sizes.value(window.u32(place + 20), window),
      let offset = sizes.value(window.u32(place + 42), window)
    else { throw bad }
    let disk = window.u16(place + 34)
    guard disk == 0 || disk == 0xFFFF && sizes.disk(window) == 0 else {
      throw .failure(.damagedArchive(.severalDisks))
    }
    // A name with a zero byte would be another name to whoever reads it as C does.
    guard !rawName.contains(0), (method == ZipEntry.methodOfAES) == (extra.aes != nil),
      extra.aes == nil || flags & ZipEntry.encryptedFlag != 0
    else { throw bad }

    let entry = ZipEntry(
      rawName: rawName,
      name: EntryName.text(
        rawName, isUTF8: flags & ZipEntry.utf8Flag != 0, unicode: extra.unicodeName),
      versionMade: window.u16(place + 4), versionNeeded: window.u16(place + 6), flags: flags,
      writtenMethod: method, time: window.u16(place + 12), date: window.u16(place + 14),
      crc: window.u32(place + 16), compressedSize: compressedSize, size: size, offset: offset, aes: extra.aes)
    place += UInt64(count)
    index += 1
    return entry
  }

  private mutating func holds(_ count: Int) throws(ZipError) -> Bool {
    guard UInt64(count) <= end.directoryEnd - place else { return false }
    return try window.hold(place, count)
  }
}
