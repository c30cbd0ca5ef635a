// Reads an archive's central directory (APPNOTE 4.3.12). It is read in chunks and no entry is kept, so an archive may
// have any number of entries.

package import SystemIO

/// Iterates over an archive's central directory.
package struct CentralDirectory: ~Copyable {
  private static let fixedBytes = 46

  /// Where the directory is.
  package let end: EndOfCentralDirectory
  private var window: FileWindow
  private var offset: UInt64
  private var index: UInt64 = 0

  /// Locates the directory.
  package init(_ window: consuming FileWindow) throws(ZipError) {
    let end = try EndOfCentralDirectory.find(in: &window)
    self.end = end
    self.window = window
    offset = end.directoryStart
  }

  /// Returns to the first entry.
  package mutating func rewind() {
    offset = end.directoryStart
    index = 0
  }

  /// The next entry; nil at the end, which must be where the end record locates it.
  package mutating func next() throws(ZipError) -> ZipEntry? {
    if index == end.count {
      guard offset == end.directoryEnd else { throw .damagedArchive(.badEndRecord) }
      return nil
    }
    let bad = ZipError.damagedArchive(.badEntry(index: index))
    guard try load(Self.fixedBytes), window.u32(offset) == 0x0201_4B50 else { throw bad }
    let nameCount = Int(window.u16(offset + 28))
    let extraCount = Int(window.u16(offset + 30))
    let count = Self.fixedBytes + nameCount + extraCount + Int(window.u16(offset + 32))
    guard try load(count) else { throw bad }

    let rawName = window.bytes(offset + UInt64(Self.fixedBytes), nameCount)
    let extraStart = offset + UInt64(Self.fixedBytes + nameCount)
    let extra = ExtraFields(window, from: extraStart, count: extraCount)
    var sizes = Zip64Values(extra.zip64)
    let flags = window.u16(offset + 8)
    let method = window.u16(offset + 10)
    // In the order of the zip64 field.
    guard let size = sizes.value(window.u32(offset + 24), window),
      let compressedSize = sizes.value(window.u32(offset + 20), window),
      let headerOffset = sizes.value(window.u32(offset + 42), window)
    else { throw bad }
    let disk = window.u16(offset + 34)
    guard disk == 0 || disk == 0xFFFF && sizes.disk(window) == 0 else {
      throw .damagedArchive(.multipleDisks)
    }
    // A name with a zero byte would be a different name in C.
    guard !rawName.contains(0), (method == ZipEntry.aesMethod) == (extra.aes != nil),
      extra.aes == nil || flags & ZipEntry.encryptedFlag != 0
    else { throw bad }

    let entry = ZipEntry(
      rawName: rawName,
      name: EntryName.text(
        rawName, isUTF8: flags & ZipEntry.utf8Flag != 0, unicode: extra.unicodeName),
      versionMade: window.u16(offset + 4), versionNeeded: window.u16(offset + 6), flags: flags,
      rawMethod: method, time: window.u16(offset + 12), date: window.u16(offset + 14),
      crc: window.u32(offset + 16), compressedSize: compressedSize, size: size, offset: headerOffset,
      aes: extra.aes)
    offset += UInt64(count)
    index += 1
    return entry
  }

  private mutating func load(_ count: Int) throws(ZipError) -> Bool {
    guard UInt64(count) <= end.directoryEnd - offset else { return false }
    return try window.loadRecord(offset, count)
  }
}
