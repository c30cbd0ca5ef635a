// The fixed part of a block and what it says about where the block's pieces stand, checked.

import CallStoreFormat

/// One entry of the block index.
struct IndexEntry {
  let offset: UInt64
  let first: UInt64
  let last: UInt64
  let entries: UInt64
  let length: Int
  let records: Int
  let crc: UInt32
  let kind: UInt32

  init(_ bytes: RawSpan, at: Int) {
    offset = bytes.u64(at + IndexLayout.offset)
    first = bytes.u64(at + IndexLayout.first)
    last = bytes.u64(at + IndexLayout.last)
    entries = bytes.u64(at + IndexLayout.entries)
    length = Int(bytes.u32(at + IndexLayout.length))
    records = Int(bytes.u32(at + IndexLayout.records))
    crc = bytes.u32(at + IndexLayout.crc)
    kind = bytes.u32(at + IndexLayout.kind)
  }
}

/// A block's fixed part. When it exists, every piece lies inside the block.
struct BlockHeader {
  let records: Int
  let ranges: Int
  let ownLabels: Int
  let symbols: Int
  let dominant: Int
  let labelMode: UInt8
  let runShift: Int
  let groupShift: Int
  let longestCode: Int
  /// The number of the code that the block shares with others, or ``LabelLayout/ownCode``.
  let code: Int
  let starts: GroupStartReader
  let positions: Int
  let widths: Int
  let symbolKeys: Int
  let codes: Int
  let ownLabelEnds: Int
  let ownLabelText: Int
  let ownLabelBytes: Int

  /// Reads a block's fixed part. `minor` is the store's minor version: in a newer one, fields that are reserved here may
  /// have a meaning.
  init(_ bytes: RawSpan, _ entry: IndexEntry, minor: Int) throws(BlockDamage) {
    guard bytes.byteCount >= BlockLayout.bytes + BlockLayout.padding else { throw BlockDamage() }
    records = bytes.u16(BlockLayout.records)
    ranges = bytes.u16(BlockLayout.ranges)
    ownLabels = bytes.u16(BlockLayout.ownLabels)
    symbols = bytes.u16(BlockLayout.symbols)
    dominant = bytes.u16(BlockLayout.dominant)
    labelMode = bytes.byte(BlockLayout.labelMode)
    runShift = Int(bytes.byte(BlockLayout.runShift))
    groupShift = Int(bytes.byte(BlockLayout.groupShift))
    longestCode = Int(bytes.byte(BlockLayout.longestCode))
    code = Int(bytes.byte(BlockLayout.code))
    starts = GroupStartReader(
      width: Int(bytes.byte(BlockLayout.startWidth)), mean: Int(bytes.u32(BlockLayout.startMean)),
      bias: Int(bytes.u32(BlockLayout.startBias)))
    positions = Int(bytes.u32(BlockLayout.positions))
    widths = Int(bytes.u32(BlockLayout.widths))
    symbolKeys = Int(bytes.u32(BlockLayout.symbolKeys))
    codes = Int(bytes.u32(BlockLayout.codes))
    ownLabelEnds = Int(bytes.u32(BlockLayout.ownLabelEnds))
    ownLabelText = Int(bytes.u32(BlockLayout.ownLabelText))
    ownLabelBytes = Int(bytes.u32(BlockLayout.ownLabelBytes))
    let reserved = bytes.byte(BlockLayout.reserved)
    guard minor > HeadLayout.minorVersion || reserved == 0 && bytes.u16(BlockLayout.reserved + 1) == 0 else {
      throw BlockDamage()
    }
    guard UInt32(bytes.byte(BlockLayout.kind)) == entry.kind, records == entry.records, ranges <= records,
      ownLabels <= records, symbols <= records, ownLabelBytes <= StoreLimits.blockLabelBytesMax,
      BlockLayout.bytes <= positions, positions <= widths, widths <= symbolKeys, symbolKeys <= codes,
      codes <= ownLabelEnds, ownLabelEnds <= ownLabelText,
      ownLabelText + ownLabelBytes + BlockLayout.padding == bytes.byteCount
    else { throw BlockDamage() }
    switch labelMode {
    case LabelLayout.modeRuns:
      guard dominant != LabelLayout.noIdentity else { throw BlockDamage() }
    case LabelLayout.modeCodes:
      guard dominant == LabelLayout.noIdentity, symbols >= 2 || hasSharedCode else { throw BlockDamage() }
    case LabelLayout.modeEach:
      guard dominant == LabelLayout.noIdentity, symbols == 0, !hasSharedCode, ownLabels == records else {
        throw BlockDamage()
      }
    default: throw BlockDamage()
    }
    guard runShift <= LabelLayout.runShiftMax, starts.width <= GroupStarts.widthMax,
      !hasSharedCode || symbols == 0 && longestCode == 0,
      (LabelLayout.groupShiftMin...LabelLayout.groupShiftMax).contains(groupShift)
    else { throw BlockDamage() }
  }

  /// Whether the block's labels are in a code that stands outside of it.
  var hasSharedCode: Bool { code != LabelLayout.ownCode }

  func numbers(_ bytes: RawSpan, _ entry: IndexEntry) throws(BlockDamage) -> SequenceReader {
    try SequenceReader(bytes, from: BlockLayout.bytes, to: positions, count: records, base: entry.first)
  }

  func rangePositions(_ bytes: RawSpan) throws(BlockDamage) -> SequenceReader {
    try SequenceReader(bytes, from: positions, to: widths, count: ranges)
  }

  func rangeWidths(_ bytes: RawSpan) throws(BlockDamage) -> SequenceReader {
    try SequenceReader(bytes, from: widths, to: symbolKeys, count: ranges)
  }

  func symbolKeys(_ bytes: RawSpan) throws(BlockDamage) -> SequenceReader {
    try SequenceReader(bytes, from: symbolKeys, to: codes, count: symbols)
  }

  func ownEnds(_ bytes: RawSpan) throws(BlockDamage) -> SequenceReader {
    try SequenceReader(bytes, from: ownLabelEnds, to: ownLabelText, count: ownLabels)
  }
}
