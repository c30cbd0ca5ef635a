// Why a zip archive or one of its members can't be read, as data.
//
// Not for: which file is affected, and limits of the output (the stages).

package import SystemIO
package import SystemPackage

/// Why an archive can't be read. Names of members are unchanged, including control characters.
package enum ZipError: Error, Equatable {
  /// libzip is not installed under its default name, or can't be used; `package` is the system's package.
  case libraryMissing(name: String, package: String)
  /// libzip can't be opened because the machine lacks something.
  case library(SystemError)
  /// The archive's file can't be read.
  case unreadable(Errno)
  /// There is not enough memory for a decompressor.
  case outOfMemory
  /// The archive's directory is damaged, such as in a truncated file.
  case damagedArchive(ArchiveErrorReason)
  /// A member is damaged.
  case damagedMember(name: String, MemberErrorReason)
  /// A member was unpacked, but its checksum is wrong.
  case wrongChecksum(name: String)
  /// A member unpacks to more or fewer bytes than the directory records.
  case wrongSize(name: String, expected: UInt64, unpacked: UInt64)
  /// The password is wrong for this member.
  case wrongPassword(name: String)
  /// The decrypted data is invalid.
  case wrongPasswordOrDamaged(name: String)
  /// A member is encrypted by an unsupported method.
  case unsupportedEncryption(name: String)
  /// A member is packed by a method that this libzip does not support; the number is defined in APPNOTE 4.4.5.
  case unsupportedMethod(name: String, method: Int)
}

/// Why a whole archive is invalid.
package enum ArchiveErrorReason: Equatable, Sendable {
  /// The end record is missing: the archive is truncated, or it is not an archive.
  case noEndRecord
  /// There are bytes after the end record, from this one on.
  case trailingBytes(atByte: UInt64)
  /// The end records contradict each other, or have a wrong location of the directory or a wrong number of entries.
  case badEndRecord
  /// It is one of several files, according to its records.
  case multipleDisks
  /// The directory entry with this index, from 0, is invalid.
  case badEntry(index: UInt64)
}

/// Why a member of an archive is invalid.
package enum MemberErrorReason: Equatable, Sendable {
  /// The local header is missing at the recorded offset.
  case noHeader
  /// The local header and the directory disagree about this field.
  case headerMismatch(HeaderField)
  /// It extends beyond the archive's data.
  case outOfBounds
  /// It overlaps another member, as in zip bombs.
  case overlapsMember
  /// Its packed data ends too early.
  case truncated
  /// There is packed data after its end.
  case trailingBytes
  /// Its packed data is invalid; the text is the library's message.
  case badData(text: String)
}

/// A field that is in a member's local header and in the directory, or in the data descriptor.
package enum HeaderField: Equatable, Sendable {
  /// The name.
  case name
  /// The packing method.
  case method
  /// The encryption, if any.
  case encryption
  /// The checksum or one of the sizes.
  case sizes
}
