// Why unpacking ended early, as data. Only the command layer makes sentences.

public import PipeStage

/// Why unpacking ended early. Names of members are as the archive has them, control characters and all.
///
/// A file that can't be opened, spooled or read is a `SystemFailure` instead.
public enum UnzipFailure: Error, FailureCause, Equatable {
  /// No libzip under its usual name, or one that can't be used; it comes with the system's package.
  case libraryMissing(name: String, package: String)
  /// There is no memory for a decompressor.
  case outOfMemory
  /// The archive's directory can't be read, as of a file that was cut short; with libzip's code and words.
  case damagedArchive(code: Int, text: String)
  /// A member can't be unpacked to its end; with libzip's code and words.
  case damagedMember(name: String, code: Int, text: String)
  /// A member was unpacked, and its checksum says that it is not what was packed.
  case wrongChecksum(name: String)
  /// A member unpacks to more or fewer bytes than the directory says; `unpacked` is how far it got.
  case wrongSize(name: String, expected: UInt64, unpacked: UInt64)
  /// A member needs a password.
  case encrypted(name: String)
  /// A member is packed in a way that this libzip does not know; the method's number in the format
  /// (APPNOTE 4.4.5), if it is known.
  case unsupportedMethod(name: String, method: Int?)
  /// No member's name matches any of the patterns; a few of the names there are, and how many.
  case noSuchEntry(patterns: [String], available: [String], count: Int)
  /// Members were asked for, or a listing, and the input is no zip archive.
  case notAnArchive
  /// The archive's directory is larger than can be held in memory.
  case directoryTooLarge(limit: UInt64)
  /// More than `maxBytes` came out.
  case tooLarge(limit: UInt64)
  /// More than `maxRatio` times what went in came out.
  case expandsTooMuch(limit: Double, bytesIn: UInt64, bytesOut: UInt64)
  /// A gzip stream ends within a member; at which byte of the input.
  case truncatedGzip(atByte: UInt64)
  /// A gzip member is not what was packed; near which byte of the input, with zlib's words.
  case damagedGzip(atByte: UInt64, text: String)
  /// There is something other than zeros and further members behind a gzip stream; from which byte of the
  /// input.
  case trailingGarbage(atByte: UInt64)

  /// What kind of trouble it is.
  public var failureClass: FailureClass {
    switch self {
    case .libraryMissing: .unavailable
    case .outOfMemory: .inputOutput
    case .noSuchEntry: .noInput
    case .damagedArchive, .damagedMember, .wrongChecksum, .wrongSize, .encrypted, .unsupportedMethod,
      .notAnArchive,
      .directoryTooLarge, .tooLarge, .expandsTooMuch, .truncatedGzip, .damagedGzip, .trailingGarbage:
      .badData
    }
  }
}
