// Why unpacking fails, as data.

package import Records

/// Why unpacking fails. Names of members are unchanged, including control characters.
///
/// A file that can't be opened, spooled or read is a `SystemError` instead.
package enum UnzipError: Error, ErrorCause, Equatable {
  /// libzip is not installed under its default name, or can't be used; `package` is the system's package.
  case libraryMissing(name: String, package: String)
  /// There is not enough memory for a decompressor.
  case outOfMemory
  /// The input differs in one byte from the signature of this format.
  case damagedSignature(PackedFormat)
  /// The input, or a member that was to be unpacked, has a packed format that is not supported.
  case unsupportedFormat(UnsupportedFormat, member: String?)
  /// The archive's directory is damaged, such as in a truncated file.
  case damagedArchive(ArchiveErrorReason)
  /// The archive's members are so fragmented that checking for overlaps would need more than this many ranges.
  case tooScattered(limit: Int)
  /// A member is damaged.
  case damagedMember(name: String, MemberErrorReason)
  /// A member was unpacked, but its checksum is wrong.
  case wrongChecksum(name: String)
  /// A member unpacks to more or fewer bytes than the directory records; `unpacked` bytes were output.
  case wrongSize(name: String, expected: UInt64, unpacked: UInt64)
  /// A member needs a password, and none was provided.
  case encrypted(name: String)
  /// The password is wrong for this member.
  case wrongPassword(name: String)
  /// The decrypted data is invalid. The formats verify only a few bits of a password (8 for traditional encryption, 16
  /// for AES), so a wrong one may be accepted at first.
  case wrongPasswordOrDamaged(name: String)
  /// A member is encrypted by an unsupported method.
  case unsupportedEncryption(name: String)
  /// The password file can't be used.
  case badPasswordFile(path: String, PasswordErrorReason)
  /// A member is packed by a method that this libzip does not support; the number is defined in APPNOTE 4.4.5.
  case unsupportedMethod(name: String, method: Int)
  /// Nested streams were to be unpacked, but this member is a zip archive.
  case nestedArchive(name: String)
  /// Some patterns match no member; a few of the existing names, and their number.
  case noSuchEntry(patterns: [String], available: [String], count: Int)
  /// Members or a listing were requested, but the input is not a zip archive.
  case notAnArchive
  /// A member is of a format that is read as a whole, and others were unpacked with it; `count` members were selected.
  case severalMembers(WholeFormat, name: String, count: Int)
  /// The input ends with a zip archive, after other data such as a program that unpacks it.
  case archiveAfterOtherData
  /// The output exceeds, or would exceed, `maxBytes`.
  case tooLarge(limit: UInt64)
  /// The output of a member or of the whole input exceeds, or would exceed, `maxRatio` times the input.
  case expandsTooMuch(limit: Double, bytesIn: UInt64, bytesOut: UInt64)
  /// A stream ends too early, at this byte.
  case truncatedStream(PackedStream, atByte: UInt64)
  /// A stream is damaged near this byte; the text is zlib's message.
  case damagedStream(PackedStream, atByte: UInt64, text: String)
  /// A stream is followed by unexpected data, from this byte on.
  case trailingGarbage(PackedStream, atByte: UInt64)

  /// Whether the source is the cause; a missing library is not its fault.
  package var blamesSource: Bool {
    if case .libraryMissing = self { return false }
    return errorClass.blamesSource
  }

  /// The class of the error.
  package var errorClass: ErrorClass {
    switch self {
    case .libraryMissing: .unavailable
    case .outOfMemory: .inputOutput
    case .noSuchEntry: .noInput
    case .badPasswordFile: .usage
    case .damagedSignature, .unsupportedFormat, .damagedArchive, .tooScattered, .damagedMember,
      .wrongChecksum,
      .wrongSize,
      .encrypted,
      .wrongPassword, .wrongPasswordOrDamaged, .unsupportedEncryption, .unsupportedMethod, .nestedArchive,
      .notAnArchive, .severalMembers, .archiveAfterOtherData, .tooLarge, .expandsTooMuch, .truncatedStream,
      .damagedStream,
      .trailingGarbage:
      .badData
    }
  }
}

/// The supported packed formats.
package enum PackedFormat: Equatable, Sendable {
  /// A zip archive (PKWARE's APPNOTE).
  case zip
  /// gzip (RFC 1952).
  case gzip
  /// zlib (RFC 1950).
  case zlib
}

/// A stream that is unpacked from front to back: the input, or a member of an archive.
package struct PackedStream: Equatable, Sendable {
  /// gzip or zlib.
  package var format: PackedFormat
  /// The member that contains it; nil for the input itself.
  package var member: String?

  /// Makes an identification of a stream.
  package init(_ format: PackedFormat, member: String? = nil) {
    self.format = format
    self.member = member
  }
}

/// Why a password file is invalid.
package enum PasswordErrorReason: Equatable, Sendable {
  /// Its first line is empty.
  case empty
  /// Its first line is longer than this many bytes.
  case tooLong(limit: Int)
  /// Its first line contains a zero byte, which a password can't have.
  case zeroByte
}

extension UnzipError {
  /// The error for a problem of an archive; nil for one of the file or the machine.
  init?(_ error: ZipError) {
    switch error {
    case .libraryMissing(let name, let package): self = .libraryMissing(name: name, package: package)
    case .outOfMemory: self = .outOfMemory
    case .damagedArchive(let reason): self = .damagedArchive(reason)
    case .damagedMember(let name, let reason): self = .damagedMember(name: name, reason)
    case .wrongChecksum(let name): self = .wrongChecksum(name: name)
    case .wrongSize(let name, let expected, let unpacked):
      self = .wrongSize(name: name, expected: expected, unpacked: unpacked)
    case .wrongPassword(let name): self = .wrongPassword(name: name)
    case .wrongPasswordOrDamaged(let name): self = .wrongPasswordOrDamaged(name: name)
    case .unsupportedEncryption(let name): self = .unsupportedEncryption(name: name)
    case .unsupportedMethod(let name, let method): self = .unsupportedMethod(name: name, method: method)
    case .unreadable, .library: return nil
    }
  }
}
