// Collects the records of one kind for a block, and writes the bytes of the block.

import BasicContainers
import Records
import CallStoreFormat

/// The records of a block that is being filled.
package struct BlockBuilder: ~Copyable {
  var kind = StoreKind.blocking
  private(set) var count = 0
  private(set) var last: UInt64 = 0
  private(set) var entries: UInt64 = 0
  /// The first `count` belong to records. The array has its full size from the start, so that loops can store without
  /// growing it.
  private var firsts = RigidArray<UInt64>(repeating: 0, count: StoreLimits.blockRecordsMax)
  private var rangePositions: ContiguousArray<UInt64> = []
  private var widthSums: ContiguousArray<UInt64> = []
  private var identities = RigidArray<UInt16>(repeating: 0, count: StoreLimits.blockRecordsMax)
  /// The code of the records' numbers, if it is known, and the ends of its three sequences.
  private var numberCode: ContiguousArray<UInt8> = []
  private var numberCodeEnds: ContiguousArray<Int> = []
  var own = LabelIndex(countMax: StoreLimits.blockRecordsMax, bytesMax: StoreLimits.blockLabelBytesMax)

  /// Makes an empty block.
  package init() {}

  var isFull: Bool { count == StoreLimits.blockRecordsMax }
  var first: UInt64 { count > 0 ? firsts[0] : 0 }

  /// The identity of the last record's label.
  var latestIdentity: Int? { count > 0 ? Int(identities[count - 1]) : nil }

  mutating func append(first: UInt64, last: UInt64, identity: Int) {
    if last > first {
      rangePositions.append(UInt64(count))
      widthSums.append((widthSums.last ?? 0) + (last - first))
    }
    firsts[count] = first
    identities[count] = UInt16(truncatingIfNeeded: identity)
    entries += last - first + 1
    self.last = last
    count += 1
  }

  /// Appends the first single numbers that ascend from `previous` and whose labels have names of this kind, up to the
  /// block's capacity. Returns how many were appended.
  mutating func append(
    _ numbers: Span<UInt64>, labels: Span<UInt32>, _ names: Span<StoreNames.Name>, after previous: UInt64
  ) -> Int {
    let target = count..<min(count + numbers.count, StoreLimits.blockRecordsMax)
    let appended = Self.fill(
      &firsts, &identities, target, numbers, labels, names, kind: UInt16(kind.rawValue), after: previous)
    addToTotals(numbers.extracting(0..<appended))
    return appended
  }

  private static func fill(
    _ firsts: inout RigidArray<UInt64>, _ identities: inout RigidArray<UInt16>, _ target: Range<Int>,
    _ numbers: Span<UInt64>, _ labels: Span<UInt32>, _ names: Span<StoreNames.Name>, kind: UInt16,
    after previous: UInt64
  ) -> Int {
    var firsts = firsts.mutableSpan
    var identities = identities.mutableSpan
    var previous = previous
    var appended = 0
    // The bounds are checked once for all; only the index of a label is checked for each number.
    precondition(target.count <= numbers.count && target.count <= labels.count)
    precondition(target.upperBound <= firsts.count && target.upperBound <= identities.count)
    while appended < target.count {
      let name = unsafe names[Int(labels[unchecked: appended])]
      let number = unsafe numbers[unchecked: appended]
      guard name.kind == kind, number > previous, number <= StoreLimits.numberMax else { break }
      unsafe firsts[unchecked: target.lowerBound &+ appended] = number
      unsafe identities[unchecked: target.lowerBound &+ appended] = name.identity
      previous = number
      appended &+= 1
    }
    return appended
  }

  /// After this number of consecutive labels with names, the faster method for named labels is tried again.
  private static let namedRunMax = 16

  /// Appends the first single numbers that ascend from `previous` and whose labels are plain and of this kind, up to
  /// the block's capacity for numbers and for new labels. Returns how many were appended. It also stops after
  /// ``namedRunMax`` consecutive labels with names: for them there is a faster method.
  mutating func append(
    _ numbers: Span<UInt64>, labels: Span<UInt32>, in texts: borrowing BatchLabels, _ names: inout StoreNames,
    _ table: inout LabelIndex, after previous: UInt64
  ) -> Int {
    let capacity = min(numbers.count, StoreLimits.blockRecordsMax - count)
    let raw = UInt16(kind.rawValue)
    var previous = previous
    var namedRun = 0
    var appended = 0
    while appended < capacity, namedRun < Self.namedRunMax {
      let number = numbers[appended]
      guard number > previous, number <= StoreLimits.numberMax else { break }
      let label = Int(labels[appended])
      let name = names.all[label]
      if name.kind == raw {
        identities[count + appended] = name.identity
        namedRun += 1
      } else {
        let span = texts.spans[label]
        guard span.isPlain, span.kind == kind, span.count <= StoreLimits.labelBytesMax,
          let identity = identity(of: texts.label(span), &table)
        else { break }
        names.set(label, kind, identity: identity)
        identities[count + appended] = UInt16(truncatingIfNeeded: identity)
        namedRun = 0
      }
      firsts[count + appended] = number
      previous = number
      appended += 1
    }
    addToTotals(numbers.extracting(0..<appended))
    return appended
  }

  /// Updates the totals for appended single numbers.
  private mutating func addToTotals(_ numbers: Span<UInt64>) {
    guard numbers.count > 0 else { return }
    last = numbers[numbers.count - 1]
    count += numbers.count
    entries += UInt64(numbers.count)
  }

  /// The identity of a label. A new label is added to the store's table, or to the block's own labels if the table is
  /// full; nil if both are.
  mutating func identity(of label: Span<UInt8>, _ table: inout LabelIndex) -> Int? {
    let tableMax = StoreLimits.tableLabelsMax
    let hash = table.hash.of(label)
    switch table.find(label, hash) {
    case .found(let index): return index
    case .absent(let slot):
      switch own.find(label, hash) {
      case .found(let index): return tableMax + index
      case .absent(let ownSlot):
        return table.add(label, hash, at: slot) ?? own.add(label, hash, at: ownSlot).map { tableMax + $0 }
      }
    }
  }

  /// Encodes the numbers of a complete block, so that ``write(to:_:_:)`` need not. Their code doesn't depend on other
  /// blocks, unlike that of the labels.
  mutating func encodeNumbers(_ sequences: inout SequenceWriter) {
    var code: ContiguousArray<UInt8> = []
    swap(&code, &numberCode)
    sequences.append(firsts.span.extracting(0..<count), base: first, to: &code)
    numberCodeEnds.append(code.count)
    sequences.append(rangePositions.span, to: &code)
    numberCodeEnds.append(code.count)
    sequences.append(widthSums.span, to: &code)
    numberCodeEnds.append(code.count)
    numberCode = code
  }

  /// Appends the bytes of the block to `bytes`, and returns its length.
  ///
  /// - Precondition: the block has records.
  mutating func write(
    to bytes: inout ContiguousArray<UInt8>, _ sequences: inout SequenceWriter, _ codes: inout SharedCodes
  ) -> Int {
    if numberCodeEnds.isEmpty { encodeNumbers(&sequences) }
    let start = bytes.count
    let identities = identities.span.extracting(0..<count)
    for _ in 0..<BlockLayout.bytes { bytes.append(0) }
    var offsets: ContiguousArray<Int> = []
    for end in numberCodeEnds { offsets.append(BlockLayout.bytes + end) }
    bytes.append(contentsOf: numberCode)
    let isEach = own.count == count
    var coder = isEach ? LabelCoder() : LabelCoder.best(identities, kind, &codes, &sequences)
    let ownSymbols = coder.ownKeys
    sequences.append(ownSymbols.span, to: &bytes)
    offsets.append(bytes.count - start)
    coder.append(identities, to: &bytes)
    offsets.append(bytes.count - start)
    var ownKeys: ContiguousArray<UInt64> = []
    ownKeys.reserveCapacity(own.count)
    // The index is added so that the ends of empty labels ascend, too.
    let ends = own.ends
    for index in 0..<ends.count { ownKeys.append(UInt64(ends[index]) + UInt64(index)) }
    sequences.append(ownKeys.span, to: &bytes)
    offsets.append(bytes.count - start)
    bytes.append(copying: own.text)
    for _ in 0..<BlockLayout.padding { bytes.append(0) }
    writeHeader(coder, offsets, isEach, to: &bytes, at: start)
    return bytes.count - start
  }

  private func writeHeader(
    _ coder: LabelCoder, _ offsets: ContiguousArray<Int>, _ isEach: Bool,
    to bytes: inout ContiguousArray<UInt8>,
    at start: Int
  ) {
    var header: ContiguousArray<UInt8> = [kind.rawValue]
    let isRuns = coder.dominant != nil
    header.append(isEach ? LabelLayout.modeEach : isRuns ? LabelLayout.modeRuns : LabelLayout.modeCodes)
    header.append(littleEndian: UInt16(count))
    header.append(littleEndian: UInt16(rangePositions.count))
    header.append(littleEndian: UInt16(own.count))
    header.append(littleEndian: UInt16(coder.ownKeys.count))
    header.append(littleEndian: UInt16(coder.dominant ?? LabelLayout.noIdentity))
    header.append(UInt8(coder.runShift))
    header.append(UInt8(coder.groupShift))
    header.append(UInt8(coder.startWidth))
    header.append(UInt8(coder.ownLongest))
    header.append(UInt8(coder.shared ?? LabelLayout.ownCode))
    for _ in BlockLayout.reserved..<BlockLayout.startMean { header.append(0) }
    header.append(littleEndian: UInt32(coder.startMean))
    header.append(littleEndian: UInt32(coder.startBias))
    for offset in offsets { header.append(littleEndian: UInt32(offset)) }
    header.append(littleEndian: UInt32(own.text.count))
    for index in 0..<header.count { bytes[start + index] = header[index] }
  }

  /// Empties the block. Its buffers are kept.
  package mutating func removeAll() {
    count = 0
    entries = 0
    rangePositions.removeAll(keepingCapacity: true)
    widthSums.removeAll(keepingCapacity: true)
    numberCode.removeAll(keepingCapacity: true)
    numberCodeEnds.removeAll(keepingCapacity: true)
    own.removeAll()
  }
}

/// Encodes the numbers of blocks in a thread, before they are appended to a store.
package struct NumberEncoder: ~Copyable {
  private var sequences = SequenceWriter()

  /// Makes an encoder.
  package init() {}

  /// Encodes the numbers of a complete block.
  package mutating func encode(_ block: inout BlockBuilder) {
    block.encodeNumbers(&sequences)
  }
}
