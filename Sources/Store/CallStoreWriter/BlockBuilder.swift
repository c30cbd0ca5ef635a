// The records of one kind that wait for their block to be full, and the bytes of the block they make.

import BasicContainers
import CallStoreFormat

package struct BlockBuilder: ~Copyable {
  var kind = StoreKind.blocking
  private(set) var count = 0
  private(set) var last: UInt64 = 0
  private(set) var entries: UInt64 = 0
  /// The first `count` are records; there is room for a whole block, so that none is appended one by one.
  private var firsts = RigidArray<UInt64>(repeating: 0, count: StoreLimits.blockRecordsMax)
  private var rangePositions: ContiguousArray<UInt64> = []
  private var widthSums: ContiguousArray<UInt64> = []
  private var identities = RigidArray<UInt16>(repeating: 0, count: StoreLimits.blockRecordsMax)
  var own = LabelIndex(countMax: StoreLimits.blockRecordsMax, bytesMax: StoreLimits.blockLabelBytesMax)

  /// Makes an empty block.
  package init() {}

  var isFull: Bool { count == StoreLimits.blockRecordsMax }
  var first: UInt64 { count > 0 ? firsts[0] : 0 }

  /// The identity of the latest record's label, which the next one's often is too.
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

  /// Appends single numbers as long as they ascend from `previous`, their labels' names are of this kind, and there
  /// is room. Returns how many those were.
  mutating func append(
    _ numbers: Span<UInt64>, labels: Span<UInt32>, _ names: Span<StoreNames.Name>, after previous: UInt64
  ) -> Int {
    let room = count..<min(count + numbers.count, StoreLimits.blockRecordsMax)
    let taken = Self.fill(
      &firsts, &identities, room, numbers, labels, names, kind: UInt16(kind.rawValue), after: previous)
    note(taken, numbers)
    return taken
  }

  private static func fill(
    _ firsts: inout RigidArray<UInt64>, _ identities: inout RigidArray<UInt16>, _ room: Range<Int>,
    _ numbers: Span<UInt64>, _ labels: Span<UInt32>, _ names: Span<StoreNames.Name>, kind: UInt16,
    after previous: UInt64
  ) -> Int {
    var firsts = firsts.mutableSpan
    var identities = identities.mutableSpan
    var previous = previous
    var taken = 0
    // One check for all of them: only a label's place can be anything.
    precondition(room.count <= numbers.count && room.count <= labels.count)
    precondition(room.upperBound <= firsts.count && room.upperBound <= identities.count)
    while taken < room.count {
      let name = unsafe names[Int(labels[unchecked: taken])]
      let number = unsafe numbers[unchecked: taken]
      guard name.kind == kind, number > previous, number <= StoreLimits.numberMax else { break }
      unsafe firsts[unchecked: room.lowerBound &+ taken] = number
      unsafe identities[unchecked: room.lowerBound &+ taken] = name.identity
      previous = number
      taken &+= 1
    }
    return taken
  }

  /// After so many labels in a row that had their names already, the shorter way is worth trying again.
  private static let namedRunMax = 16

  /// Appends single numbers as long as they ascend from `previous`, their labels are of this kind and plain, and there
  /// is room for the numbers and for labels that have no names yet. Returns how many those were. It also stops behind
  /// some labels in a row that had names: for them there is a shorter way.
  mutating func append(
    _ numbers: Span<UInt64>, labels: Span<UInt32>, in texts: borrowing BatchLabels, _ names: inout StoreNames,
    _ table: inout LabelIndex, after previous: UInt64
  ) -> Int {
    let room = min(numbers.count, StoreLimits.blockRecordsMax - count)
    let raw = UInt16(kind.rawValue)
    var previous = previous
    var namedRun = 0
    var taken = 0
    while taken < room, namedRun < Self.namedRunMax {
      let number = numbers[taken]
      guard number > previous, number <= StoreLimits.numberMax else { break }
      let label = Int(labels[taken])
      let name = names.all[label]
      if name.kind == raw {
        identities[count + taken] = name.identity
        namedRun += 1
      } else {
        let place = texts.places[label]
        guard place.isPlain, place.kind == kind, place.count <= StoreLimits.labelBytesMax,
          let identity = identity(of: texts.label(place), &table)
        else { break }
        names.set(label, kind, identity: identity)
        identities[count + taken] = UInt16(truncatingIfNeeded: identity)
        namedRun = 0
      }
      firsts[count + taken] = number
      previous = number
      taken += 1
    }
    note(taken, numbers)
    return taken
  }

  /// Counts the numbers that were taken, from the first on.
  private mutating func note(_ taken: Int, _ numbers: Span<UInt64>) {
    guard taken > 0 else { return }
    last = numbers[taken - 1]
    count += taken
    entries += UInt64(taken)
  }

  /// The identity of a label, added to the store's table or the block's own where there is room; nil when there is none.
  mutating func identity(of label: Span<UInt8>, _ table: inout LabelIndex) -> Int? {
    let tableMax = StoreLimits.tableLabelsMax
    let hash = table.hash(label)
    switch table.find(label, hash) {
    case .held(let place): return place
    case .absent(let slot):
      switch own.find(label, hash) {
      case .held(let place): return tableMax + place
      case .absent(let ownSlot):
        return table.add(label, hash, at: slot) ?? own.add(label, hash, at: ownSlot).map { tableMax + $0 }
      }
    }
  }

  /// Appends the block to `bytes`, and returns its length. There is at least one record.
  func write(
    to bytes: inout ContiguousArray<UInt8>, _ sequences: inout SequenceWriter, _ codes: inout SharedCodes
  ) -> Int {
    let start = bytes.count
    let identities = identities.span.extracting(0..<count)
    for _ in 0..<BlockLayout.bytes { bytes.append(0) }
    sequences.append(firsts.span.extracting(0..<count), base: first, to: &bytes)
    var offsets: ContiguousArray<Int> = [bytes.count - start]
    sequences.append(rangePositions.span, to: &bytes)
    offsets.append(bytes.count - start)
    sequences.append(widthSums.span, to: &bytes)
    offsets.append(bytes.count - start)
    let isEach = own.count == count
    var coder = isEach ? LabelCoder() : LabelCoder.best(identities, kind, &codes, &sequences)
    let ownSymbols = coder.ownKeys
    sequences.append(ownSymbols.span, to: &bytes)
    offsets.append(bytes.count - start)
    coder.append(identities, to: &bytes)
    offsets.append(bytes.count - start)
    var ownKeys: ContiguousArray<UInt64> = []
    ownKeys.reserveCapacity(own.count)
    // The place is added so that the ends of empty labels ascend too.
    let ends = own.ends
    for place in 0..<ends.count { ownKeys.append(UInt64(ends[place]) + UInt64(place)) }
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

  mutating func removeAll() {
    count = 0
    entries = 0
    rangePositions.removeAll(keepingCapacity: true)
    widthSums.removeAll(keepingCapacity: true)
    own.removeAll()
  }
}
