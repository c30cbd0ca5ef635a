// The offset of every field of a store file; docs/formats/store.md describes them.
//
// The constants are computed, inlinable, and in enums that are usable from inline. Without any of the three, each use
// in another module is a call, and a lookup uses hundreds.

/// The head: 8 bytes magic, u16 version, u16 minor version, 4 bytes 0.
@usableFromInline package enum HeadLayout {
  @inlinable package static var bytes: Int { 16 }
  /// `\x89CDSTO\r\n`: not text, and damaged by programs that convert line ends.
  @inlinable package static var magic: UInt64 { 0x0A0D_4F54_5344_4389 }
  @inlinable package static var versionOffset: Int { 8 }
  @inlinable package static var version: UInt16 { 1 }
  @inlinable package static var minorVersionOffset: Int { 10 }
  @inlinable package static var minorVersion: UInt16 { 0 }
  @inlinable package static var reserved: Int { 12 }
}

/// The trailer, the last bytes of the file.
@usableFromInline package enum TrailerLayout {
  @inlinable package static var bytes: Int { 208 }
  @inlinable package static var labelsOffset: Int { 0 }
  @inlinable package static var labelsLength: Int { 8 }
  @inlinable package static var codesOffset: Int { 16 }
  @inlinable package static var codesLength: Int { 24 }
  @inlinable package static var indexOffset: Int { 32 }
  @inlinable package static var indexLength: Int { 40 }
  @inlinable package static var extensionsOffset: Int { 48 }
  @inlinable package static var extensionsLength: Int { 56 }
  @inlinable package static var firstNumber: Int { 64 }
  @inlinable package static var lastNumber: Int { 72 }
  @inlinable package static var blockingEntries: Int { 80 }
  @inlinable package static var identificationEntries: Int { 88 }
  @inlinable package static var blockingRecords: Int { 96 }
  @inlinable package static var identificationRecords: Int { 104 }
  @inlinable package static var blockingBlocks: Int { 112 }
  @inlinable package static var identificationBlocks: Int { 116 }
  @inlinable package static var labelCount: Int { 120 }
  @inlinable package static var codeCount: Int { 124 }
  @inlinable package static var labelsCRC: Int { 128 }
  @inlinable package static var codesCRC: Int { 132 }
  @inlinable package static var indexCRC: Int { 136 }
  @inlinable package static var extensionsCRC: Int { 140 }
  @inlinable package static var reserved: Int { 144 }
  @inlinable package static var reservedBytes: Int { 16 }
  @inlinable package static var contentHash: Int { 160 }
  @inlinable package static var contentHashBytes: Int { 32 }
  @inlinable package static var crc: Int { 192 }
  @inlinable package static var version: Int { 196 }
  @inlinable package static var length: Int { 198 }
  @inlinable package static var magicOffset: Int { 200 }
  /// `CDSTEND\x89`
  @inlinable package static var magic: UInt64 { 0x8944_4E45_5453_4443 }
}

/// The fixed part of a code that several blocks share; its symbols follow.
@usableFromInline package enum CodeLayout {
  @inlinable package static var bytes: Int { 8 }
  @inlinable package static var symbols: Int { 0 }
  @inlinable package static var reserved: Int { 2 }
  @inlinable package static var length: Int { 4 }
}

@usableFromInline package enum IndexLayout {
  @inlinable package static var bytes: Int { 48 }
  @inlinable package static var offset: Int { 0 }
  @inlinable package static var first: Int { 8 }
  @inlinable package static var last: Int { 16 }
  @inlinable package static var entries: Int { 24 }
  @inlinable package static var length: Int { 32 }
  @inlinable package static var records: Int { 36 }
  @inlinable package static var crc: Int { 40 }
  @inlinable package static var kind: Int { 44 }
}

/// The fixed part at the start of a block.
@usableFromInline package enum BlockLayout {
  @inlinable package static var bytes: Int { 56 }
  @inlinable package static var kind: Int { 0 }
  @inlinable package static var labelMode: Int { 1 }
  @inlinable package static var records: Int { 2 }
  @inlinable package static var ranges: Int { 4 }
  @inlinable package static var ownLabels: Int { 6 }
  @inlinable package static var symbols: Int { 8 }
  @inlinable package static var dominant: Int { 10 }
  @inlinable package static var runShift: Int { 12 }
  @inlinable package static var groupShift: Int { 13 }
  @inlinable package static var startWidth: Int { 14 }
  @inlinable package static var longestCode: Int { 15 }
  @inlinable package static var code: Int { 16 }
  @inlinable package static var reserved: Int { 17 }
  @inlinable package static var startMean: Int { 20 }
  @inlinable package static var startBias: Int { 24 }
  @inlinable package static var positions: Int { 28 }
  @inlinable package static var widths: Int { 32 }
  @inlinable package static var symbolKeys: Int { 36 }
  @inlinable package static var codes: Int { 40 }
  @inlinable package static var ownLabelEnds: Int { 44 }
  @inlinable package static var ownLabelText: Int { 48 }
  @inlinable package static var ownLabelBytes: Int { 52 }
  /// The number of zero bytes after the last piece, so that a decoder may load eight bytes wherever a code starts.
  @inlinable package static var padding: Int { 8 }
}

/// The starts of the groups of a bit-packed piece. Each is stored as its distance from where the group would start if
/// all groups had the mean length: the fields are narrow, and the start of any group is found directly.
@usableFromInline package enum GroupStarts {
  /// The mean length of a group is in 256ths of a bit.
  @inlinable package static var meanShift: Int { 8 }
  @inlinable package static var widthMax: Int { 24 }

  /// The bit at which `group` would start if all groups had the mean length.
  @inlinable @inline(__always)
  package static func expected(_ group: Int, mean: Int) -> Int { (group &* mean) &>> meanShift }
}

/// An ascending sequence of integers, in groups.
@usableFromInline package enum SequenceLayout {
  /// The number of values in a group. A lookup decodes half a group on average; each group costs a directory entry.
  @inlinable package static var groupCount: Int { 32 }
  @inlinable package static var firstWidth: Int { 0 }
  @inlinable package static var startWidth: Int { 1 }
  @inlinable package static var shiftMin: Int { 2 }
  @inlinable package static var shiftWidth: Int { 3 }
  @inlinable package static var startMean: Int { 4 }
  @inlinable package static var startBias: Int { 8 }
  @inlinable package static var headBytes: Int { 12 }
  @inlinable package static var valueWidthMax: Int { 50 }
  @inlinable package static var shiftWidthMax: Int { 6 }
  @inlinable package static var shiftMax: Int { 49 }
  /// The number of zero bits after which the whole gap follows in ``valueWidthMax`` bits.
  @inlinable package static var escapeZeros: Int { 24 }
}

@usableFromInline package enum LabelLayout {
  /// Runs of the block's most frequent label, with codes for the other labels between them.
  @inlinable package static var modeRuns: UInt8 { 0 }
  @inlinable package static var modeCodes: UInt8 { 1 }
  /// Each record has the next of the block's own labels.
  @inlinable package static var modeEach: UInt8 { 2 }
  /// Instead of a shared code's number: the block has its own code, or none.
  @inlinable package static var ownCode: Int { 0xFF }
  /// The width of a label's identity in bits. Identities below ``StoreLimits/tableLabelsMax`` are in the store's table;
  /// the others are the block's own labels.
  @inlinable package static var identityWidth: Int { 14 }
  /// The symbol whose code is followed by an identity without a code.
  @inlinable package static var escape: Int { 0x3FFF }
  @inlinable package static var noIdentity: Int { 0xFFFF }
  /// The Huffman tree of 10,000 records is at most 18 deep, because the Fibonacci number F(21) is 10,946. A writer
  /// limits the codes of several blocks to this length.
  @inlinable package static var codeLengthMax: Int { 20 }
  @inlinable package static var codeCountWidth: Int { 14 }
  @inlinable package static var groupShiftMin: Int { 6 }
  @inlinable package static var groupShiftMax: Int { 14 }
  @inlinable package static var runShiftMax: Int { 14 }
}

/// What a phone does with a number.
public enum StoreKind: UInt8, Sendable, CaseIterable {
  /// Calls from the number are blocked.
  case blocking = 0
  /// Calls from the number show a label.
  case identification = 1
}

/// The limits of a store. A file that exceeds one of them is not a valid store.
public enum StoreLimits {
  /// The smallest number.
  @inlinable public static var numberMin: UInt64 { 1 }
  /// The largest number: 15 digits, the maximum of ITU-T E.164.
  @inlinable public static var numberMax: UInt64 { 999_999_999_999_999 }
  /// The maximum number of records in a block: the size of CallKit's batches.
  @inlinable public static var blockRecordsMax: Int { 10_000 }
  /// The maximum length of a label in bytes. A phone shows a few dozen characters; this limit is far above that.
  @inlinable public static var labelBytesMax: Int { 32 * 1024 }
  /// The maximum number of labels in the store's table. Most lists have a few dozen. A list in which every record has a
  /// distinct label gains nothing from a table; its labels are in the blocks.
  @inlinable public static var tableLabelsMax: Int { 4096 }
  /// The maximum total size of the table's labels in bytes, so that a writer can hold them.
  @inlinable public static var tableBytesMax: Int { 256 * 1024 }
  /// The maximum number of label codes that blocks share. A writer makes a new one when there are eight times as many
  /// blocks of a kind, and a reader holds a table for each.
  @inlinable public static var codesMax: Int { 8 }
  /// The maximum total size of the shared codes in bytes: four for each possible symbol.
  @inlinable public static var codesBytesMax: Int { 128 * 1024 }
  /// The maximum total size of a block's own labels in bytes: four labels of the maximum length.
  @inlinable public static var blockLabelBytesMax: Int { 128 * 1024 }
  /// The maximum number of blocks: 327 million records when blocks are full. It limits the index that a writer holds to
  /// 1.5 MiB.
  @inlinable public static var blocksMax: Int { 32_768 }
}

/// A count for each kind of entry.
///
/// Manifests, reports and `cdpipe info --json` write it as JSON: the names of its properties are frozen.
public struct KindCounts: Codable, Equatable, Sendable {
  /// The count for blocking.
  public var blocking: UInt64
  /// The count for identification.
  public var identification: UInt64

  /// Creates counts.
  public init(blocking: UInt64 = 0, identification: UInt64 = 0) {
    self.blocking = blocking
    self.identification = identification
  }

  /// The count for both kinds. It wraps around: a manifest that was tampered with may hold any two numbers.
  public var sum: UInt64 { blocking &+ identification }

  /// The count for one kind.
  public subscript(kind: StoreKind) -> UInt64 {
    kind == .blocking ? blocking : identification
  }

  /// Adds counts, kind by kind. It wraps around as ``sum`` does.
  public static func += (counts: inout KindCounts, other: KindCounts) {
    counts.blocking &+= other.blocking
    counts.identification &+= other.identification
  }
}

extension RawSpan {
  /// The byte at an offset.
  ///
  /// - Precondition: the byte lies inside the span.
  @inlinable @inline(__always)
  package func byte(_ at: Int) -> UInt8 {
    // A load of a type without invalid values, checked against the bounds by the call.
    unsafe unsafeLoadUnaligned(fromByteOffset: at, as: UInt8.self)
  }

  /// The 16-bit field at an offset.
  ///
  /// - Precondition: the field lies inside the span.
  @inlinable @inline(__always)
  package func u16(_ at: Int) -> Int {
    unsafe Int(UInt16(littleEndian: unsafeLoadUnaligned(fromByteOffset: at, as: UInt16.self)))
  }

  /// The 32-bit field at an offset.
  ///
  /// - Precondition: the field lies inside the span.
  @inlinable @inline(__always)
  package func u32(_ at: Int) -> UInt32 {
    unsafe UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: at, as: UInt32.self))
  }

  /// The 64-bit field at an offset.
  ///
  /// - Precondition: the field lies inside the span.
  @inlinable @inline(__always)
  package func u64(_ at: Int) -> UInt64 {
    unsafe UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self))
  }

  /// The 64-bit field at an offset, without a check of the bounds.
  ///
  /// - Precondition: the field lies inside the span, or the behavior is undefined.
  @unsafe @inlinable @inline(__always)
  package func u64(unchecked at: Int) -> UInt64 {
    unsafe UInt64(littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: at, as: UInt64.self))
  }
}

extension ContiguousArray<UInt8> {
  /// Appends an integer, least significant byte first.
  @inlinable
  package mutating func append<Integer: FixedWidthInteger>(littleEndian value: Integer) {
    for byte in 0..<(Integer.bitWidth / 8) {
      append(UInt8(truncatingIfNeeded: value >> Integer(truncatingIfNeeded: 8 * byte)))
    }
  }
}
