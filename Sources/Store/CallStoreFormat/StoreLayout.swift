// Where every field of a store file stands; docs/store-format.md is the same in words.
//
// Not for: the codes inside a block (the reader's and the writer's halves of Sequence and LabelCode).

/// The head: 8 bytes magic, u16 version, 6 bytes 0.
package enum HeadLayout {
  package static let bytes = 16
  /// `\x89CDSTO\r\n`: not text, and broken by whatever rewrites line ends.
  package static let magic: UInt64 = 0x0A0D_4F54_5344_4389
  package static let version: UInt16 = 1
}

/// The trailer, the last bytes of the file.
package enum TrailerLayout {
  package static let bytes = 152
  package static let labelsOffset = 0
  package static let labelsLength = 8
  package static let indexOffset = 16
  package static let indexLength = 24
  package static let firstNumber = 32
  package static let lastNumber = 40
  package static let blockingEntries = 48
  package static let identificationEntries = 56
  package static let blockingRecords = 64
  package static let identificationRecords = 72
  package static let blockingBlocks = 80
  package static let identificationBlocks = 84
  package static let labelCount = 88
  package static let labelsCRC = 92
  package static let indexCRC = 96
  package static let reserved = 100
  package static let contentHash = 104
  package static let contentHashBytes = 32
  package static let crc = 136
  package static let version = 140
  package static let length = 142
  package static let magicOffset = 144
  /// `CDSTEND\x89`
  package static let magic: UInt64 = 0x8944_4E45_5453_4443
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
  package static let bytes = 48
  package static let kind = 0
  package static let labelMode = 1
  package static let records = 2
  package static let ranges = 4
  package static let ownLabels = 6
  package static let symbols = 8
  package static let dominant = 10
  package static let runShift = 12
  package static let groupShift = 13
  package static let groupWidth = 14
  package static let longestCode = 15
  package static let groupBitsMin = 16
  package static let positions = 20
  package static let widths = 24
  package static let symbolKeys = 28
  package static let codes = 32
  package static let ownLabelEnds = 36
  package static let ownLabelText = 40
  package static let ownLabelBytes = 44
  /// Zero bytes at a block's end, so that eight bytes can be loaded from wherever a code starts.
  package static let padding = 8
}

/// An ascending sequence of integers, in groups.
package enum SequenceLayout {
  /// The numbers in a group: a look-up decodes half a group on average, a directory entry is paid once a group.
  package static let groupCount = 64
  package static let headBytes = 2
  package static let valueWidthMax = 50
  package static let offsetWidthMax = 24
  package static let shiftWidth = 6
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
  /// The bits of a label's identity: below ``StoreLimits/tableLabelsMax`` it stands in the table, from there on
  /// it is one of the block's own.
  package static let identityWidth = 14
  package static let noIdentity = 0xFFFF
  /// 10,000 records make no Huffman tree deeper than 18: the Fibonacci number F(21) is 10,946.
  package static let codeLengthMax = 20
  package static let codeCountWidth = 14
  package static let groupShiftMin = 6
  package static let groupShiftMax = 14
  package static let runShiftMax = 14
  package static let groupWidthMax = 24
}
