// The fixed part of a block, with the offsets of the block's pieces, checked.

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

  /// Reads the entry at an offset.
  @inline(__always)
  init(_ bytes: RawSpan, at: Int) {
    // One check of the bounds for all the fields.
    let fields = bytes.extracting(at..<(at &+ IndexLayout.bytes))
    offset = fields.u64(IndexLayout.offset)
    first = fields.u64(IndexLayout.first)
    last = fields.u64(IndexLayout.last)
    entries = fields.u64(IndexLayout.entries)
    length = Int(fields.u32(IndexLayout.length))
    records = Int(fields.u32(IndexLayout.records))
    crc = fields.u32(IndexLayout.crc)
    kind = fields.u32(IndexLayout.kind)
  }
}

/// A block's fixed part. In a header that was read, every piece lies inside the block.
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
  /// The number of the shared code that the block uses, or ``LabelLayout/ownCode``.
  let code: Int
  let starts: GroupStartReader
  let positions: Int
  let widths: Int
  let symbolKeys: Int
  let codes: Int
  let ownLabelEnds: Int
  let ownLabelText: Int
  let ownLabelBytes: Int

  /// Reads a block's fixed part. `minor` is the store's minor version: newer versions may use the fields that are
  /// reserved here.
  init(_ bytes: RawSpan, _ entry: IndexEntry, minor: Int) throws(BlockError) {
    guard bytes.byteCount >= BlockLayout.bytes + BlockLayout.padding else { throw BlockError() }
    // One check of the bounds for all the fields.
    let fields = bytes.extracting(0..<BlockLayout.bytes)
    records = fields.u16(BlockLayout.records)
    ranges = fields.u16(BlockLayout.ranges)
    ownLabels = fields.u16(BlockLayout.ownLabels)
    symbols = fields.u16(BlockLayout.symbols)
    dominant = fields.u16(BlockLayout.dominant)
    labelMode = fields.byte(BlockLayout.labelMode)
    runShift = Int(fields.byte(BlockLayout.runShift))
    groupShift = Int(fields.byte(BlockLayout.groupShift))
    longestCode = Int(fields.byte(BlockLayout.longestCode))
    code = Int(fields.byte(BlockLayout.code))
    starts = GroupStartReader(
      width: Int(fields.byte(BlockLayout.startWidth)), mean: Int(fields.u32(BlockLayout.startMean)),
      bias: Int(fields.u32(BlockLayout.startBias)))
    positions = Int(fields.u32(BlockLayout.positions))
    widths = Int(fields.u32(BlockLayout.widths))
    symbolKeys = Int(fields.u32(BlockLayout.symbolKeys))
    codes = Int(fields.u32(BlockLayout.codes))
    ownLabelEnds = Int(fields.u32(BlockLayout.ownLabelEnds))
    ownLabelText = Int(fields.u32(BlockLayout.ownLabelText))
    ownLabelBytes = Int(fields.u32(BlockLayout.ownLabelBytes))
    let reserved = fields.byte(BlockLayout.reserved)
    guard minor > HeadLayout.minorVersion || reserved == 0 && fields.u16(BlockLayout.reserved + 1) == 0 else {
      throw BlockError()
    }
    guard UInt32(fields.byte(BlockLayout.kind)) == entry.kind, records == entry.records, ranges <= records,
      ownLabels <= records, symbols <= records, ownLabelBytes <= StoreLimits.blockLabelBytesMax,
      BlockLayout.bytes <= positions, positions <= widths, widths <= symbolKeys, symbolKeys <= codes,
      codes <= ownLabelEnds, ownLabelEnds <= ownLabelText,
      ownLabelText + ownLabelBytes + BlockLayout.padding == bytes.byteCount
    else { throw BlockError() }
    switch labelMode {
    case LabelLayout.modeRuns:
      guard dominant != LabelLayout.noIdentity else { throw BlockError() }
    case LabelLayout.modeCodes:
      guard dominant == LabelLayout.noIdentity, symbols >= 2 || hasSharedCode else { throw BlockError() }
    case LabelLayout.modeEach:
      guard dominant == LabelLayout.noIdentity, symbols == 0, !hasSharedCode, ownLabels == records else {
        throw BlockError()
      }
    default: throw BlockError()
    }
    guard runShift <= LabelLayout.runShiftMax, starts.width <= GroupStarts.widthMax,
      !hasSharedCode || symbols == 0 && longestCode == 0,
      (LabelLayout.groupShiftMin...LabelLayout.groupShiftMax).contains(groupShift)
    else { throw BlockError() }
  }

  /// Whether the block's labels are in a shared code.
  var hasSharedCode: Bool { code != LabelLayout.ownCode }

  func numbers(_ bytes: RawSpan, _ entry: IndexEntry) throws(BlockError) -> SequenceReader {
    try SequenceReader(bytes, from: BlockLayout.bytes, to: positions, count: records, base: entry.first)
  }

  func rangePositions(_ bytes: RawSpan) throws(BlockError) -> SequenceReader {
    try SequenceReader(bytes, from: positions, to: widths, count: ranges)
  }

  func rangeWidths(_ bytes: RawSpan) throws(BlockError) -> SequenceReader {
    try SequenceReader(bytes, from: widths, to: symbolKeys, count: ranges)
  }

  func symbolKeys(_ bytes: RawSpan) throws(BlockError) -> SequenceReader {
    try SequenceReader(bytes, from: symbolKeys, to: codes, count: symbols)
  }

  func ownEnds(_ bytes: RawSpan) throws(BlockError) -> SequenceReader {
    try SequenceReader(bytes, from: ownLabelEnds, to: ownLabelText, count: ownLabels)
  }
}
