// One entry of an archive's central directory (APPNOTE 4.3.12).

/// A member, according to the central directory.
struct ZipEntry {
  /// WinZip's AES: the vendor's version (2 omits the checksum), the strength (1 to 3), and the packing method of the
  /// encrypted data.
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
  /// The recorded method: ``aesMethod`` for a member encrypted by AES.
  var rawMethod: UInt16
  var time: UInt16
  var date: UInt16
  var crc: UInt32
  var compressedSize: UInt64
  var size: UInt64
  /// The offset of its local header.
  var offset: UInt64
  var aes: AES?

  static let stored: UInt16 = 0
  static let deflated: UInt16 = 8
  static let aesMethod: UInt16 = 99
  static let encryptedFlag: UInt16 = 1 << 0
  /// A data descriptor with the checksum and the sizes follows the data.
  static let dataDescriptorFlag: UInt16 = 1 << 3
  static let utf8Flag: UInt16 = 1 << 11
  /// Patches, PKWARE's strong encryption, and headers masked by it: not supported.
  static let unsupportedFlags: UInt16 = 1 << 5 | 1 << 6 | 1 << 13

  /// The packing method.
  var method: UInt16 { aes?.method ?? rawMethod }
  var isEncrypted: Bool { flags & Self.encryptedFlag != 0 }
  /// Whether the checksum is used; AE-2 omits it and has a stronger one.
  var hasChecksum: Bool { aes.map { $0.version != 2 } ?? true }

  var summary: ArchiveEntry {
    ArchiveEntry(
      name: name, size: size, compressedSize: compressedSize, method: Int(method), isEncrypted: isEncrypted)
  }
}
