// The offset of every field of a store file; docs/formats/store.md describes them.
//
// Not for: the codes inside a block (SequenceReader and LabelCode, SequenceWriter and LabelCoder).
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

/// One entry of the block index.
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

/// The label codes of a block.
@usableFromInline package enum LabelLayout {
  /// Runs of the block's most frequent label, with codes for the other labels between them.
  @inlinable package static var modeRuns: UInt8 { 0 }
  /// A code for each record.
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
