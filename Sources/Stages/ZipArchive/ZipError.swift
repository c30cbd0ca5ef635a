// Why a zip archive or one of its members can't be read, as data.

import SystemIO
import SystemPackage

/// Why an archive can't be read. Names of members are unchanged, including control characters.
enum ZipError: Error, Equatable {
  /// libzip is not installed under its default name, or can't be used; `package` is the system's package.
  case libraryMissing(name: String, package: String)
  /// libzip can't be opened because the machine lacks something.
  case library(SystemError)
  case unreadable(Errno)
  case outOfMemory
  /// The archive's directory is damaged, such as in a truncated file.
  case damagedArchive(ArchiveErrorReason)
  case damagedMember(name: String, MemberErrorReason)
  case wrongChecksum(name: String)
  /// A member unpacks to more or fewer bytes than the directory records.
  case wrongSize(name: String, expected: UInt64, unpacked: UInt64)
  case wrongPassword(name: String)
  /// The decrypted data is invalid.
  case wrongPasswordOrDamaged(name: String)
  case unsupportedEncryption(name: String)
  /// A member is packed by a method that this libzip does not support; the number is defined in APPNOTE 4.4.5.
  case unsupportedMethod(name: String, method: Int)
}

/// Why a whole archive is invalid, as the end of a sentence.
package struct ArchiveErrorReason: Equatable, Sendable {
  let text: String

  /// The archive is truncated, or it is not an archive.
  static let noEndRecord = Self(text: "its end is missing")
  /// The end records contradict each other, or have a wrong location of the directory or a wrong number of entries.
  static let badEndRecord = Self(text: "its directory is not at the recorded place")
  static let multipleDisks = Self(text: "it is one part of a multi-part archive")

  static func trailingBytes(atByte byte: UInt64) -> Self {
    Self(text: "it has other data after its end, from byte \(byte)")
  }

  /// Indices count from 0.
  static func badEntry(index: UInt64) -> Self { Self(text: "entry \(index + 1) of its directory is invalid") }
}

/// Why a member of an archive is invalid, as the end of a sentence.
package struct MemberErrorReason: Equatable, Sendable {
  let text: String

  static let noHeader = Self(text: "it is not at the place recorded in the directory")
  static let outOfBounds = Self(text: "it extends past the end of the archive")
  static let overlapsMember = Self(text: "it overlaps another member, like in a zip bomb")
  static let truncated = Self(text: "its compressed data is truncated")
  static let trailingBytes = Self(text: "it has extra compressed data after its end")

  /// The field is also in the data descriptor, if there is one.
  static func headerMismatch(_ field: String) -> Self {
    Self(text: "its header and the directory disagree on its \(field)")
  }

  /// The text is the library's message.
  static func badData(text: String) -> Self {
    Self(text: text.isEmpty ? "its compressed data is invalid" : text)
  }
}
