// Ascending records to blocks: the half of writing a store that processes every record.

import BasicContainers
package import CallStoreFormat
import Records
import SystemIO

/// Why a record can't be part of a store.
package enum StoreEncodingError: Error, Equatable, Sendable {
  /// A number outside ``StoreLimits/numberMin`` to ``StoreLimits/numberMax``, or a range whose last number is
  /// below its first.
  case numberOutOfRange(first: UInt64, last: UInt64)
  /// A record starts at or before the last number of the one before it, of whichever kind.
  case notAscending(previous: UInt64, first: UInt64)
  /// A label is longer than ``StoreLimits/labelBytesMax``.
  case labelTooLong(bytes: Int, limit: Int)
  /// The store would need more than ``StoreLimits/blocksMax`` blocks.
  case tooManyBlocks(limit: Int)
}

/// Fills blocks with records that come in ascending order, both kinds in one stream.
///
/// All stores are written this way: the filler builds blocks, and a ``StoreBody`` encodes them, in the same thread
/// (``StoreEncoder``) or in another one (the emit stage).
///
/// If the block of a record is full, the record is not appended: end the block, then append the record again.
package struct BlockFiller: ~Copyable {
  private var blocking = BlockBuilder()
  private var identification = BlockBuilder()
  private var table = LabelIndex(countMax: StoreLimits.tableLabelsMax, bytesMax: StoreLimits.tableBytesMax)
  private var previous: UInt64 = 0
  private var first: UInt64?
  /// The number of ended blocks. When its block ends, a label loses its name, unless it is in the store's table.
  private var epoch = 0

  package init() {
    blocking.kind = .blocking
    identification.kind = .identification
  }

  /// Appends a record; false when its block must be ended first. After a throw, other records may follow.
  package mutating func append(
    first: UInt64, last: UInt64, kind: StoreKind, label: Span<UInt8>
  ) throws(StoreEncodingError) -> Bool {
    guard first >= StoreLimits.numberMin, first <= last, last <= StoreLimits.numberMax else {
      throw .numberOutOfRange(first: first, last: last)
    }
    guard first > previous else { throw .notAscending(previous: previous, first: first) }
    guard label.count <= StoreLimits.labelBytesMax else {
      throw .labelTooLong(bytes: label.count, limit: StoreLimits.labelBytesMax)
    }
    guard hasCapacity(kind) else { throw .tooManyBlocks(limit: StoreLimits.blocksMax) }
    if kind == .blocking {
      guard !blocking.isFull, let identity = blocking.identity(of: label, &table) else { return false }
      blocking.append(first: first, last: last, identity: identity)
    } else {
      guard !identification.isFull, let identity = identification.identity(of: label, &table) else {
        return false
      }
      identification.append(first: first, last: last, identity: identity)
    }
    if self.first == nil { self.first = first }
    previous = last
    return true
  }

  /// Appends a record whose label is at `index` in a batch, and records the label's name in the store.
  ///
  /// Otherwise like ``append(first:last:kind:label:)``.
  package mutating func append(
    first: UInt64, last: UInt64, kind: StoreKind, label: Span<UInt8>, at index: Int, _ names: inout StoreNames
  ) throws(StoreEncodingError) -> Bool {
    guard try append(first: first, last: last, kind: kind, label: label) else { return false }
    let latest = kind == .blocking ? blocking.latestIdentity : identification.latestIdentity
    names.follow(epoch)
    names.set(index, kind, identity: latest ?? 0)
    return true
  }

  /// Appends the first single numbers whose labels have names, up to the end of a block, and returns how many were
  /// appended. `labels` holds the index of each number's label in its batch.
  ///
  /// It stops before the first record that needs ``append(first:last:kind:label:at:_:)``: to name a label, to end a
  /// block, or to report an error.
  ///
  /// - Precondition: `labels` is as long as `numbers`.
  /// - Complexity: O(appended numbers); about ten instructions each.
  package mutating func append(numbers: Span<UInt64>, labels: Span<UInt32>, _ names: inout StoreNames) -> Int
  {
    precondition(numbers.count == labels.count, "every number has a label")
    names.follow(epoch)
    var appended = 0
    while appended < numbers.count {
      let rest = numbers.extracting(appended..<numbers.count)
      let restLabels = labels.extracting(appended..<labels.count)
      let isBlocking = names.kind(at: Int(restLabels[0])) == .blocking
      guard hasCapacity(isBlocking ? .blocking : .identification) else { break }
      let count =
        isBlocking
        ? blocking.append(rest, labels: restLabels, names.all, after: previous)
        : identification.append(rest, labels: restLabels, names.all, after: previous)
      if count == 0 { break }
      if first == nil { first = rest[0] }
      previous = rest[count - 1]
      appended += count
    }
    return appended
  }

  /// Appends the first single numbers, including those whose labels have no names yet, and returns how many were
  /// appended.
  ///
  /// It stops before the first record that needs ``append(first:last:kind:label:at:_:)``, and where the faster
  /// ``append(numbers:labels:_:)`` can continue.
  ///
  /// - Precondition: `labels` is as long as `numbers`.
  /// - Complexity: O(appended numbers and bytes of new labels).
  package mutating func append(
    numbers: Span<UInt64>, labels: Span<UInt32>, in texts: borrowing BatchLabels, _ names: inout StoreNames
  ) -> Int {
    precondition(numbers.count == labels.count, "every number has a label")
    guard numbers.count > 0 else { return 0 }
    names.follow(epoch)
    let isBlocking = texts.spans[Int(labels[0])].kind == .blocking
    guard hasCapacity(isBlocking ? .blocking : .identification) else { return 0 }
    let appended =
      isBlocking
      ? blocking.append(numbers, labels: labels, in: texts, &names, &table, after: previous)
      : identification.append(numbers, labels: labels, in: texts, &names, &table, after: previous)
    if appended > 0 {
      if first == nil { first = numbers[0] }
      previous = numbers[appended - 1]
    }
    return appended
  }

  /// Ends the block of a kind, if it has records: passes it to `encode`, which empties it or exchanges it for an empty
  /// one.
  package mutating func endBlock<Failure: Error>(
    _ kind: StoreKind, _ encode: (inout BlockBuilder) throws(Failure) -> Void
  ) throws(Failure) {
    guard (kind == .blocking ? blocking.count : identification.count) > 0 else { return }
    epoch += 1
    if kind == .blocking {
      try encode(&blocking)
      blocking.kind = .blocking
    } else {
      try encode(&identification)
      identification.kind = .identification
    }
  }

  /// Whether a record of a kind would leave the number of blocks within ``StoreLimits/blocksMax``.
  private func hasCapacity(_ kind: StoreKind) -> Bool {
    if (kind == .blocking ? blocking.count : identification.count) > 0 { return true }
    let otherCount = kind == .blocking ? identification.count : blocking.count
    return epoch + (otherCount > 0 ? 1 : 0) < StoreLimits.blocksMax
  }

  /// Ends the store in `body`, which has encoded all blocks, and returns its totals.
  ///
  /// - Precondition: the blocks of both kinds were ended.
  package borrowing func finish(_ body: inout StoreBody) -> StoreSummary {
    body.finish(table, first: first, last: previous)
  }
}

// MARK: - Collects the records of one kind for a block, and writes the bytes of the block

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

  package init() {}

  package mutating func encode(_ block: inout BlockBuilder) {
    block.encodeNumbers(&sequences)
  }
}

// The names of a batch's labels in a store, so that records with known labels need no lookup.

/// The names of a batch's labels in one store: the kind and the identity of each label that was used.
///
/// A name in the store's table is valid for the whole store; the name of a block's own label only for that block. Reset
/// the names when another batch or another store begins.
package struct StoreNames: ~Copyable, Sendable {
  /// A kind and an identity, or ``none``.
  struct Name: BitwiseCopyable {
    var kind: UInt16
    var identity: UInt16
    /// The name of a label that was not used yet.
    static let none = Name(kind: .max, identity: 0)
  }

  private var names = UniqueArray<Name>()
  private var epoch = 0
  /// Whether one of the names is only valid for its block.
  private var hasOwn = false

  package init() {}

  /// Removes all names, and sets the number of labels.
  package mutating func reset(count: Int) {
    names.removeAll(keepingCapacity: true)
    names.append(addingCount: count) { output in output.append(repeating: .none, count: count) }
    hasOwn = false
  }

  /// Whether a label has a name, or had one before the last block ended.
  package func isNamed(_ index: Int) -> Bool { names[index].kind != Name.none.kind }

  var all: Span<Name> {
    @_lifetime(borrow self)
    borrowing get { names.span }
  }

  func kind(at index: Int) -> StoreKind? {
    StoreKind(rawValue: UInt8(truncatingIfNeeded: names[index].kind))
  }

  mutating func set(_ index: Int, _ kind: StoreKind, identity: Int) {
    names[index] = Name(kind: UInt16(kind.rawValue), identity: UInt16(truncatingIfNeeded: identity))
    if identity >= StoreLimits.tableLabelsMax { hasOwn = true }
  }

  /// Removes the names that are only valid for ended blocks.
  mutating func follow(_ epoch: Int) {
    guard epoch != self.epoch else { return }
    self.epoch = epoch
    guard hasOwn else { return }
    for index in 0..<names.count where names[index].identity >= StoreLimits.tableLabelsMax {
      names[index] = .none
    }
    hasOwn = false
  }
}

// MARK: - The labels of a batch as text, for records whose labels may be new to the store

/// The position of a label's bytes in its batch's text, and the kind of its records.
package struct LabelSpan: Sendable {
  private let startByte: UInt32
  private let byteCount: UInt32
  /// The kind of the label's records.
  package let kind: StoreKind
  /// Whether the bytes are the label. False if they contain escapes.
  package let isPlain: Bool

  /// Makes a span. A batch's text is shorter than 4 GiB.
  package init(start: Int, count: Int, kind: StoreKind, isPlain: Bool) {
    startByte = UInt32(start)
    byteCount = UInt32(count)
    self.kind = kind
    self.isPlain = isPlain
  }

  /// The offset of the first byte in the text.
  package var start: Int { Int(startByte) }
  package var count: Int { Int(byteCount) }
}

/// The labels of a batch: their text, and the span of each.
package struct BatchLabels: ~Copyable, ~Escapable {
  let text: Span<UInt8>
  let spans: Span<LabelSpan>

  @_lifetime(copy text, copy spans)
  package init(text: Span<UInt8>, spans: Span<LabelSpan>) {
    self.text = text
    self.spans = spans
  }

  @_lifetime(copy self)
  borrowing func label(_ span: LabelSpan) -> Span<UInt8> {
    text.extracting(span.start..<span.start &+ span.count)
  }
}
