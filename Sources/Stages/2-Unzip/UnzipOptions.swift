// What the user may choose about unpacking, what a listing shows, and what is fixed.

/// What the user may choose about unpacking.
public struct UnzipOptions: Sendable {
  /// Which members of a zip archive are wanted, as shell patterns (`*` also matches `/`); empty for all of
  /// them. Each pattern must fit a member. Asked for members, input that is no zip archive is a failure.
  public var entries: [String] = []
  /// Whether members that are gzip or zlib streams are unpacked in their turn; one level, no more.
  public var unpacksNested = false
  /// The file whose first line is the password of encrypted members, without its line feed; nil for none.
  public var passwordFile: String?
  /// The most bytes that may come out, be they unpacked or passed on as they are.
  ///
  /// 64 GiB is a thousand million rows, many times any list there is, and fits on a disk.
  public var maxBytes: UInt64 = 64 << 30
  /// How many times larger than it was packed a member, a stream, or all that comes out may be; it is judged
  /// beyond the first ``ratioFreeBytes``.
  ///
  /// Lists of numbers and labels come to 3 to 30 times (the assignments of the North American plan, padded with
  /// blanks, to 19); deflate can do 1,032 at most, and bombs do.
  public var maxRatio: Double = 200
  /// Where an archive that comes through a pipe is spooled; nil for the usual place.
  public var tempDirectory: String?

  /// Small things may be squeezed as much as they like.
  public static let ratioFreeBytes: UInt64 = 10 << 20
  /// The longest password in bytes. WinZip takes 128, the format 65,535; nobody types more than this.
  public static let passwordBytesMax = 1024

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
  /// How it is packed: 0 not at all, 8 by deflate; the others are in APPNOTE 4.4.5.
  public var method: Int
  /// Whether it needs a password.
  public var isEncrypted: Bool
  /// Whether it stands for a directory, and has no bytes.
  public var isDirectory: Bool { size == 0 && name.hasSuffix("/") }
}

/// What is fixed about unpacking, and why.
enum UnzipLimits {
  /// The largest entry of a directory: its fixed part and three fields of 65,535 bytes at most. A member's header is
  /// smaller, and so is the place where the end record is looked for.
  static let recordBytesMax = 46 + 3 * 65535
  /// How much of a directory is read at once.
  static let directoryReadAheadBytes = 64 * 1024
  /// How much of a member is read to see its header, which rarely has more.
  static let headerReadAheadBytes = 512
  /// Members that follow each other are one piece, in whatever order the directory names them; a gap makes two.
  /// Pieces take 16 bytes each, so these take 1 MiB.
  static let occupiedRangesMax = 65536
  /// So many names are given when a pattern fits none.
  static let suggestedNamesMax = 5
  /// So much of the input is looked at to tell a zlib stream from text that begins with the same two bytes. Among so
  /// many packed bytes some are control characters, but for one time in 10^13.
  static let sniffedBytes = 256
}
