// Where every field of a store file stands; docs/formats/store.md is the same in words.
//
// Not for: the codes inside a block (the reader's and the writer's halves of Sequence and LabelCode).
//
// Constants are computed, inlinable, and in enums that are usable from inline: without any of the three, each use in
// another module is a call, and a look-up uses hundreds.

/// The head: 8 bytes magic, u16 version, u16 minor version, 4 bytes 0.
@usableFromInline package enum HeadLayout {
  @inlinable package static var bytes: Int { 16 }
  /// `\x89CDSTO\r\n`: not text, and broken by whatever rewrites line ends.
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

/// The fixed part of a code that several blocks use; its symbols follow.
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
  /// Zero bytes behind the last piece, so that a decoder may load eight bytes wherever a code starts.
  @inlinable package static var padding: Int { 8 }
}

/// Where the groups of a bit-packed piece start: a field says how far a group's start lies from where groups of equal
/// length would have it, so that any group is found at once and the field is narrow.
@usableFromInline package enum GroupStarts {
  /// The mean length of a group counts in 256ths of a bit.
  @inlinable package static var meanShift: Int { 8 }
  @inlinable package static var widthMax: Int { 24 }

  /// Where groups of the mean length would have the start of `group`.
  @inlinable @inline(__always)
  package static func expected(_ group: Int, mean: Int) -> Int { (group &* mean) &>> meanShift }
}

/// An ascending sequence of integers, in groups.
@usableFromInline package enum SequenceLayout {
  /// The numbers in a group: a look-up decodes half a group on average, a directory entry is paid once a group.
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
  /// So many zero bits say that the whole gap follows in ``valueWidthMax`` bits.
  @inlinable package static var escapeZeros: Int { 24 }
}

/// The label codes of a block.
@usableFromInline package enum LabelLayout {
  /// Runs of the block's most frequent label, between them codes for the others.
  @inlinable package static var modeRuns: UInt8 { 0 }
  /// A code for each record.
  @inlinable package static var modeCodes: UInt8 { 1 }
  /// Each record has the next one of the block's own labels.
  @inlinable package static var modeEach: UInt8 { 2 }
  /// In place of a code's number: the block has a code of its own, or none.
  @inlinable package static var ownCode: Int { 0xFF }
  /// The bits of a label's identity: below ``StoreLimits/tableLabelsMax`` it stands in the table, from there on
  /// it is one of the block's own.
  @inlinable package static var identityWidth: Int { 14 }
  /// The symbol behind whose code an identity stands as it is.
  @inlinable package static var escape: Int { 0x3FFF }
  @inlinable package static var noIdentity: Int { 0xFFFF }
  /// 10,000 records make no Huffman tree deeper than 18: the Fibonacci number F(21) is 10,946. A writer cuts the
  /// codes of several blocks to this length.
  @inlinable package static var codeLengthMax: Int { 20 }
  @inlinable package static var codeCountWidth: Int { 14 }
  @inlinable package static var groupShiftMin: Int { 6 }
  @inlinable package static var groupShiftMax: Int { 14 }
  @inlinable package static var runShiftMax: Int { 14 }
}
