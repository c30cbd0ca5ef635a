// Opening: everything outside the blocks, checked against its checksums and against itself.

import CallStoreFormat

/// What the trailer says. When it exists, the label table and the index lie inside the file and are sound: labels
/// ascend to the table's end, blocks of a kind ascend, and the blocks fill the file from the head to the labels.
struct StoreTrailer {
  let labelsOffset: Int
  let labelCount: Int
  let indexOffset: Int
  let blockingBlocks: Int
  let blockCount: Int
  let firstNumber: UInt64
  let lastNumber: UInt64
  let blockingEntries: UInt64
  let identificationEntries: UInt64
  let blockingRecords: UInt64
  let identificationRecords: UInt64

  init(_ file: RawSpan) throws(CallStoreError) {
    try Self.checkHead(file)
    let end = file.byteCount - TrailerLayout.bytes
    let trailer = file.extracting(end..<file.byteCount)
    guard trailer.u64(TrailerLayout.magicOffset) == TrailerLayout.magic else { throw .truncated }
    guard CRC32C.checksum(trailer.extracting(0..<TrailerLayout.crc)) == trailer.u32(TrailerLayout.crc),
      trailer.u16(TrailerLayout.version) == Int(HeadLayout.version),
      trailer.u16(TrailerLayout.length) == TrailerLayout.bytes,
      trailer.u32(TrailerLayout.reserved) == 0
    else { throw .damaged(.trailer) }
    firstNumber = trailer.u64(TrailerLayout.firstNumber)
    lastNumber = trailer.u64(TrailerLayout.lastNumber)
    blockingEntries = trailer.u64(TrailerLayout.blockingEntries)
    identificationEntries = trailer.u64(TrailerLayout.identificationEntries)
    blockingRecords = trailer.u64(TrailerLayout.blockingRecords)
    identificationRecords = trailer.u64(TrailerLayout.identificationRecords)
    blockingBlocks = Int(trailer.u32(TrailerLayout.blockingBlocks))
    blockCount = blockingBlocks + Int(trailer.u32(TrailerLayout.identificationBlocks))
    labelCount = Int(trailer.u32(TrailerLayout.labelCount))
    let labelsLength = trailer.u64(TrailerLayout.labelsLength)
    let labelsBytesMax = UInt64(StoreLimits.tableBytesMax + 4 * StoreLimits.tableLabelsMax)
    let indexLength = blockCount * IndexLayout.bytes
    guard blockCount <= StoreLimits.blocksMax, labelCount <= StoreLimits.tableLabelsMax,
      labelsLength <= labelsBytesMax, Int(labelsLength) >= 4 * labelCount,
      trailer.u64(TrailerLayout.indexLength) == UInt64(indexLength),
      end - HeadLayout.bytes >= indexLength + Int(labelsLength)
    else { throw .damaged(.trailer) }
    indexOffset = end - indexLength
    labelsOffset = indexOffset - Int(labelsLength)
    guard trailer.u64(TrailerLayout.indexOffset) == UInt64(indexOffset),
      trailer.u64(TrailerLayout.labelsOffset) == UInt64(labelsOffset)
    else { throw .damaged(.trailer) }

    let labels = file.extracting(labelsOffset..<indexOffset)
    guard CRC32C.checksum(labels) == trailer.u32(TrailerLayout.labelsCRC) else { throw .damaged(.labels) }
    try Self.checkLabels(labels, count: labelCount)
    let index = file.extracting(indexOffset..<end)
    guard CRC32C.checksum(index) == trailer.u32(TrailerLayout.indexCRC) else { throw .damaged(.index) }
    try checkIndex(index)
  }

  private static func checkHead(_ file: RawSpan) throws(CallStoreError) {
    guard file.byteCount >= HeadLayout.bytes, file.u64(0) == HeadLayout.magic else { throw .notAStore }
    guard file.u16(8) == Int(HeadLayout.version) else { throw .unsupportedVersion(file.u16(8)) }
    guard file.u16(10) == 0, file.u32(12) == 0 else { throw .damaged(.head) }
    guard file.byteCount >= HeadLayout.bytes + TrailerLayout.bytes else { throw .truncated }
  }

  private static func checkLabels(_ labels: RawSpan, count: Int) throws(CallStoreError) {
    var previous = 0
    for index in 0..<count {
      let end = Int(labels.u32(4 * index))
      guard end >= previous, end - previous <= StoreLimits.labelBytesMax else { throw .damaged(.labels) }
      previous = end
    }
    guard 4 * count + previous == labels.byteCount else { throw .damaged(.labels) }
  }

  /// Blocks of a kind stand in the file in the order of their numbers, so two hands, one a kind, see every block
  /// in the order of the file.
  private func checkIndex(_ index: RawSpan) throws(CallStoreError) {
    var next = (blocking: 0, identification: blockingBlocks)
    var offset = UInt64(HeadLayout.bytes)
    var lasts = (blocking: UInt64(0), identification: UInt64(0))
    var records = (blocking: UInt64(0), identification: UInt64(0))
    var entries = (blocking: UInt64(0), identification: UInt64(0))
    var first = UInt64.max
    for _ in 0..<blockCount {
      func entry(_ at: Int) -> IndexEntry { IndexEntry(index, at: at * IndexLayout.bytes) }
      let isBlocking = next.blocking < blockingBlocks && entry(next.blocking).offset == offset
      guard isBlocking || next.identification < blockCount else { throw .damaged(.index) }
      let entry = entry(isBlocking ? next.blocking : next.identification)
      guard entry.offset == offset,
        entry.kind == UInt32((isBlocking ? StoreKind.blocking : .identification).rawValue),
        entry.first > (isBlocking ? lasts.blocking : lasts.identification),
        entry.first <= entry.last, entry.last <= StoreLimits.numberMax,
        (1...StoreLimits.blockRecordsMax).contains(entry.records),
        entry.entries >= UInt64(entry.records), entry.entries <= entry.last - entry.first + 1,
        entry.length >= BlockLayout.bytes + BlockLayout.padding,
        UInt64(entry.length) <= UInt64(labelsOffset) - offset
      else { throw .damaged(.index) }
      offset += UInt64(entry.length)
      first = min(first, entry.first)
      if isBlocking {
        next.blocking += 1
        lasts.blocking = entry.last
        records.blocking += UInt64(entry.records)
        entries.blocking += entry.entries
      } else {
        next.identification += 1
        lasts.identification = entry.last
        records.identification += UInt64(entry.records)
        entries.identification += entry.entries
      }
    }
    guard offset == UInt64(labelsOffset), records == (blockingRecords, identificationRecords),
      entries == (blockingEntries, identificationEntries),
      lastNumber == max(lasts.blocking, lasts.identification), firstNumber == (blockCount == 0 ? 0 : first)
    else { throw .damaged(.index) }
  }
}
