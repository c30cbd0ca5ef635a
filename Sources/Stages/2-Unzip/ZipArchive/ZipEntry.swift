// One entry of an archive's central directory (APPNOTE 4.3.12).

/// A member, according to the central directory.
package struct ZipEntry {
  /// WinZip's AES: the vendor's version (2 omits the checksum), the strength (1 to 3), and the packing method of the
  /// encrypted data.
  package struct AES {
    package var version: UInt16
    package var strength: UInt8
    package var method: UInt16
  }

  package var rawName: [UInt8]
  package var name: String
  package var versionMade: UInt16
  package var versionNeeded: UInt16
  package var flags: UInt16
  /// The recorded method: ``aesMethod`` for a member encrypted by AES.
  package var rawMethod: UInt16
  package var time: UInt16
  package var date: UInt16
  package var crc: UInt32
  package var compressedSize: UInt64
  package var size: UInt64
  /// The offset of its local header.
  package var offset: UInt64
  package var aes: AES?

  package static let stored: UInt16 = 0
  package static let deflated: UInt16 = 8
  package static let aesMethod: UInt16 = 99
  package static let encryptedFlag: UInt16 = 1 << 0
  /// A data descriptor with the checksum and the sizes follows the data.
  package static let dataDescriptorFlag: UInt16 = 1 << 3
  package static let utf8Flag: UInt16 = 1 << 11
  /// Patches, PKWARE's strong encryption, and headers masked by it: not supported.
  package static let unsupportedFlags: UInt16 = 1 << 5 | 1 << 6 | 1 << 13

  /// The packing method.
  package var method: UInt16 { aes?.method ?? rawMethod }
  package var isEncrypted: Bool { flags & Self.encryptedFlag != 0 }
  /// Whether the checksum is used; AE-2 omits it and has a stronger one.
  package var hasChecksum: Bool { aes.map { $0.version != 2 } ?? true }
}
