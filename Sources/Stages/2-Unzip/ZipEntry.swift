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
  /// As it stands there: ``aesMethod`` for a member that is encrypted so.
  var rawMethod: UInt16
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
  static let aesMethod: UInt16 = 99
  static let encryptedFlag: UInt16 = 1 << 0
  /// The checksum and the sizes stand behind the data.
  static let dataDescriptorFlag: UInt16 = 1 << 3
  static let utf8Flag: UInt16 = 1 << 11
  /// Patches, PKWARE's strong encryption, and headers that it masks: none of them can be read here.
  static let unsupportedFlags: UInt16 = 1 << 5 | 1 << 6 | 1 << 13

  /// How the member is packed.
  var method: UInt16 { aes?.method ?? rawMethod }
  var isEncrypted: Bool { flags & Self.encryptedFlag != 0 }
  /// Whether the checksum counts; AE-2 leaves it out and has a stronger one.
  var hasChecksum: Bool { aes.map { $0.version != 2 } ?? true }

  var summary: ArchiveEntry {
    ArchiveEntry(
      name: name, size: size, compressedSize: compressedSize, method: Int(method), isEncrypted: isEncrypted)
  }
}
