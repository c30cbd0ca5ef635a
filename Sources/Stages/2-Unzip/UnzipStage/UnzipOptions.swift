// What the user may choose about unpacking, and what a listing shows.

/// What the user may choose about unpacking.
public struct UnzipOptions: Sendable {
  /// Which members of a zip archive are wanted, as shell patterns (`*` also matches `/`); empty for all of
  /// them. Asked for members, input that is no zip archive is a failure.
  public var entries: [String] = []
  /// The most bytes that an archive may unpack to. Input that is not packed has no limit.
  public var maxBytes: UInt64 = 64 << 30
  /// How many times larger than its archive the unpacked data may be; it is judged beyond the first
  /// ``ratioFreeBytes``. Deflate can't do more than 1,032; lists of numbers and labels stay under 50.
  public var maxRatio: Double = 1000
  /// Where an archive that comes through a pipe is spooled; nil for the usual place.
  public var tempDirectory: String?

  /// Small things may be squeezed as much as they like.
  public static let ratioFreeBytes: UInt64 = 10 << 20

  /// Makes the usual options.
  public init() {}
}

/// One entry of a zip archive, as its directory tells it.
public struct ArchiveEntry: Equatable, Sendable {
  /// The name; whoever made the archive chose it, so it may be anything.
  public var name: String
  /// Unpacked bytes.
  public var size: UInt64
  /// Bytes in the archive.
  public var compressedSize: UInt64
  /// Whether it needs a password.
  public var isEncrypted: Bool
  /// Whether it stands for a directory, and has no bytes.
  public var isDirectory: Bool { name.hasSuffix("/") }
}

/// What is fixed about unpacking, and why.
enum UnzipLimits {
  /// libzip holds an archive's directory in memory, about six times what it takes in the file; that of a
  /// hundred members takes 10 KiB. Opening an archive reads little else (the last 64 KiB, to find it).
  static let directoryBytesMax: UInt64 = 4 << 20
  /// So many names are given when none matched.
  static let namesShownMax = 5
}
