// Where every field of a store file stands; docs/store-format.md is the same in words.
//
// Not for: the codes inside a block (the reader's and the writer's halves of Sequence and LabelCode).

/// The head: 8 bytes magic, u16 version, u16 minor version, 4 bytes 0.
package enum HeadLayout {
  package static let bytes = 16
  /// `\x89CDSTO\r\n`: not text, and broken by whatever rewrites line ends.
  package static let magic: UInt64 = 0x0A0D_4F54_5344_4389
  package static let versionOffset = 8
  package static let version: UInt16 = 1
  package static let minorVersionOffset = 10
  package static let minorVersion: UInt16 = 0
  package static let reserved = 12
}

/// The trailer, the last bytes of the file.
package enum TrailerLayout {
  package static let bytes = 208
  package static let labelsOffset = 0
  package static let labelsLength = 8
  package static let codesOffset = 16
  package static let codesLength = 24
  package static let indexOffset = 32
  package static let indexLength = 40
  package static let extensionsOffset = 48
  package static let extensionsLength = 56
  package static let firstNumber = 64
  package static let lastNumber = 72
  package static let blockingEntries = 80
  package static let identificationEntries = 88
  package static let blockingRecords = 96
  package static let identificationRecords = 104
  package static let blockingBlocks = 112
  package static let identificationBlocks = 116
  package static let labelCount = 120
  package static let codeCount = 124
  package static let labelsCRC = 128
  package static let codesCRC = 132
  package static let indexCRC = 136
  package static let extensionsCRC = 140
  package static let reserved = 144
  package static let reservedBytes = 16
  package static let contentHash = 160
  package static let contentHashBytes = 32
  package static let crc = 192
  package static let version = 196
  package static let length = 198
  package static let magicOffset = 200
  /// `CDSTEND\x89`
  package static let magic: UInt64 = 0x8944_4E45_5453_4443
}

/// The fixed part of a code that several blocks use; its symbols follow.
package enum CodeLayout {
  package static let bytes = 8
  package static let symbols = 0
  package static let reserved = 2
  package static let length = 4
}

/// One entry of the block index.
package enum IndexLayout {
  package static let bytes = 48
  package static let offset = 0
  package static let first = 8
  package static let last = 16
  package static let entries = 24
  package static let length = 32
  package static let records = 36
  package static let crc = 40
  package static let kind = 44
}

/// The fixed part at the start of a block.
package enum BlockLayout {
  package static let bytes = 56
  package static let kind = 0
  package static let labelMode = 1
  package static let records = 2
  package static let ranges = 4
  package static let ownLabels = 6
  package static let symbols = 8
  package static let dominant = 10
  package static let runShift = 12
  package static let groupShift = 13
  package static let startWidth = 14
  package static let longestCode = 15
  package static let code = 16
  package static let reserved = 17
  package static let startMean = 20
  package static let startBias = 24
  package static let positions = 28
  package static let widths = 32
  package static let symbolKeys = 36
  package static let codes = 40
  package static let ownLabelEnds = 44
  package static let ownLabelText = 48
  package static let ownLabelBytes = 52
  /// Zero bytes behind the last piece, so that a decoder may load eight bytes wherever a code starts.
  package static let padding = 8
}

/// Where the groups of a bit-packed piece start: a field says how far a group's start lies from where groups of equal
/// length would have it, so that any group is found at once and the field is narrow.
package enum GroupStarts {
  /// The mean length of a group counts in 256ths of a bit.
  package static let meanShift = 8
  package static let widthMax = 24

  /// Where groups of the mean length would have the start of `group`.
  @inlinable @inline(__always)
  package static func expected(_ group: Int, mean: Int) -> Int { (group &* mean) &>> meanShift }
}

/// An ascending sequence of integers, in groups.
package enum SequenceLayout {
  /// The numbers in a group: a look-up decodes half a group on average, a directory entry is paid once a group.
  package static let groupCount = 32
  package static let firstWidth = 0
  package static let startWidth = 1
  package static let shiftMin = 2
  package static let shiftWidth = 3
  package static let startMean = 4
  package static let startBias = 8
  package static let headBytes = 12
  package static let valueWidthMax = 50
  package static let shiftWidthMax = 6
  package static let shiftMax = 49
  /// So many zero bits say that the whole gap follows in ``valueWidthMax`` bits.
  package static let escapeZeros = 24
}

/// The label codes of a block.
package enum LabelLayout {
  /// Runs of the block's most frequent label, between them codes for the others.
  package static let modeRuns: UInt8 = 0
  /// A code for each record.
  package static let modeCodes: UInt8 = 1
  /// Each record has the next one of the block's own labels.
  package static let modeEach: UInt8 = 2
  /// In place of a code's number: the block has a code of its own, or none.
  package static let ownCode = 0xFF
  /// The bits of a label's identity: below ``StoreLimits/tableLabelsMax`` it stands in the table, from there on
  /// it is one of the block's own.
  package static let identityWidth = 14
  /// The symbol behind whose code an identity stands as it is.
  package static let escape = 0x3FFF
  package static let noIdentity = 0xFFFF
  /// 10,000 records make no Huffman tree deeper than 18: the Fibonacci number F(21) is 10,946. A writer cuts the
  /// codes of several blocks to this length.
  package static let codeLengthMax = 20
  package static let codeCountWidth = 14
  package static let groupShiftMin = 6
  package static let groupShiftMax = 14
  package static let runShiftMax = 14
}
