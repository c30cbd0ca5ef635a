// Why unpacking ended early, as data. Only the command layer makes sentences.

public import PipeStage
import SystemPackage

/// Why unpacking ended early. Names of members are as the archive has them, control characters and all.
///
/// A file that can't be opened, spooled or read is a `SystemError` instead.
public enum UnzipError: Error, ErrorCause, Equatable {
  /// No libzip under its usual name, or one that can't be used; it comes with the system's package.
  case libraryMissing(name: String, package: String)
  /// There is no memory for a decompressor.
  case outOfMemory
  /// The input begins as a packed file of this form does, but for one byte.
  case damagedSignature(PackedFormat)
  /// The input, or a member that was to be unpacked in its turn, is packed in a form that is not unpacked here.
  case unsupportedFormat(UnsupportedFormat, member: String?)
  /// The archive's directory is not right, as of a file that was cut short.
  case damagedArchive(ArchiveErrorReason)
  /// The archive's members lie so that more than this many pieces have to be remembered to tell whether any two
  /// share bytes.
  case tooScattered(limit: Int)
  /// A member is not right.
  case damagedMember(name: String, MemberErrorReason)
  /// A member was unpacked, and its checksum says that it is not what was packed.
  case wrongChecksum(name: String)
  /// A member unpacks to more or fewer bytes than the directory says; `unpacked` is how far it got.
  case wrongSize(name: String, expected: UInt64, unpacked: UInt64)
  /// A member needs a password, and there is none.
  case encrypted(name: String)
  /// The password is not this member's.
  case wrongPassword(name: String)
  /// What was decrypted makes no sense. The formats know few bits of a password (8 of the traditional one, 16 of
  /// AES), so a wrong one can look right at first.
  case wrongPasswordOrDamaged(name: String)
  /// A member is encrypted in a way that can't be read here.
  case unsupportedEncryption(name: String)
  /// The password file can't be used.
  case badPasswordFile(path: String, PasswordErrorReason)
  /// A member is packed in a way that this libzip does not know; the method's number in the format
  /// (APPNOTE 4.4.5).
  case unsupportedMethod(name: String, method: Int)
  /// Nested streams were to be unpacked, and this member is a zip archive, which is no stream.
  case nestedArchive(name: String)
  /// No member's name matches some of the patterns: these; a few of the names there are, and how many.
  case noSuchEntry(patterns: [String], available: [String], count: Int)
  /// Members were asked for, or a listing, and the input is no zip archive.
  case notAnArchive
  /// More than `maxBytes` came out, or would.
  case tooLarge(limit: UInt64)
  /// More than `maxRatio` times what went in came out, or would; of a member, or of all the input.
  case expandsTooMuch(limit: Double, bytesIn: UInt64, bytesOut: UInt64)
  /// A stream ends too early; at which of its bytes.
  case truncatedStream(PackedStream, atByte: UInt64)
  /// A stream is not what was packed; near which of its bytes, with zlib's words.
  case damagedStream(PackedStream, atByte: UInt64, text: String)
  /// There is something behind a stream that does not belong there; from which byte on.
  case trailingGarbage(PackedStream, atByte: UInt64)

  /// What kind of trouble it is.
  public var errorClass: ErrorClass {
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
      .notAnArchive, .tooLarge, .expandsTooMuch, .truncatedStream, .damagedStream, .trailingGarbage:
      .badData
    }
  }
}

/// The forms that are known.
public enum PackedFormat: Equatable, Sendable {
  /// A zip archive (PKWARE's APPNOTE).
  case zip
  /// gzip (RFC 1952).
  case gzip
  /// zlib (RFC 1950).
  case zlib
}

/// A stream that is unpacked from front to back: the input, or a member of an archive.
public struct PackedStream: Equatable, Sendable {
  /// gzip or zlib.
  public var format: PackedFormat
  /// The member that holds it; nil for the input itself.
  public var member: String?

  /// Makes the name of a stream.
  public init(_ format: PackedFormat, member: String? = nil) {
    self.format = format
    self.member = member
  }
}

/// What is wrong with an archive as a whole.
public enum ArchiveErrorReason: Equatable, Sendable {
  /// There is no end record: the archive was cut short, or is none.
  case noEndRecord
  /// There are bytes behind the end record; from this one on.
  case trailingBytes(atByte: UInt64)
  /// The end records contradict each other, or the directory does not lie where they say, or they count its
  /// entries wrongly.
  case badEndRecord
  /// It is one of several files, or claims to be.
  case multipleDisks
  /// What should be the directory's entry of this index is none; the first is 0.
  case badEntry(index: UInt64)
}

/// What is wrong with a member of an archive.
public enum MemberErrorReason: Equatable, Sendable {
  /// There is no header where the directory says.
  case noHeader
  /// The member's header and the directory say different things about this.
  case headerMismatch(HeaderField)
  /// It reaches beyond the archive's data.
  case outOfBounds
  /// It lies over another member, which is how bombs are built.
  case overlapsMember
  /// Its packed bytes end too early.
  case truncated
  /// There are packed bytes behind its end.
  case trailingBytes
  /// Its packed bytes make no sense, in the library's words.
  case badData(text: String)
}

/// What stands both in a member's header and in the directory, or behind the member's data.
public enum HeaderField: Equatable, Sendable {
  /// The name.
  case name
  /// How it is packed.
  case method
  /// Whether and how it is encrypted.
  case encryption
  /// The checksum or one of the sizes.
  case sizes
}

/// What is wrong with a password file.
public enum PasswordErrorReason: Equatable, Sendable {
  /// Its first line is empty.
  case empty
  /// Its first line is longer than this many bytes.
  case tooLong(limit: Int)
  /// Its first line has a zero byte, which no password can have.
  case zeroByte
}

/// What goes wrong inside, before it is known which file it is about.
enum ZipError: Error {
  case unzip(UnzipError)
  case unreadable(Errno)
}
