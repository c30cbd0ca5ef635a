// The fast path of the text form: consecutive lines that are read straight into a batch, eight bytes at a time. It reads
// a subset of what RecordLine reads, with the same result; it stops before any other line.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BasicContainers

enum PlainLines {
  /// The number of bytes that must follow the start of a line: two numbers of up to 15 digits, two dots, a tab, and the
  /// words that are compared with a cached label.
  static let windowBytes = 2 * 16 + 2 + 1 + LabelCache.windowBytes

  struct Fields {
    /// Their index in the batch; -1 if they don't fit, or are not record fields.
    var index: Int
    var next: Int
  }

  /// Reads the record fields after a tab before `start`, and the line feed.
  @inline(__always)
  static func fields(
    _ bytes: Span<UInt8>, _ raw: RawSpan, from start: Int, _ labels: inout LabelCache,
    _ table: inout RecordFieldsTable
  ) -> Fields {
    guard labels.isActive else { return newFields(bytes, from: start, &table) }
    // The callers check that there are `windowBytes`.
    let key = unsafe Self.key(raw, start)
    if let known = unsafe labels.find(raw, start, key: key) {
      return Fields(index: known.index, next: start &+ known.count &+ 1)
    }
    let fields = newFields(bytes, from: start, &table)
    if fields.index >= 0 {
      let label = LabelCache.Label(count: fields.next - 1 - start, index: fields.index)
      unsafe labels.keep(label, raw, start, key: key)
    }
    return fields
  }

  /// The key under which record fields are cached: their first eight bytes, up to the line feed.
  @unsafe @inline(__always)
  private static func key(_ raw: RawSpan, _ start: Int) -> UInt64 {
    let word = unsafe UInt64(
      littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt64.self))
    // Line feeds become zero bytes; the lowest one is marked by the upper bit of its byte.
    let differing = word ^ 0x0A0A_0A0A_0A0A_0A0A
    let marks = (differing &- 0x0101_0101_0101_0101) & ~differing & 0x8080_8080_8080_8080
    // All bits up to that mark, or all.
    return word & (marks ^ (marks &- 1))
  }

  @inline(never)
  private static func newFields(
    _ bytes: Span<UInt8>, from start: Int, _ table: inout RecordFieldsTable
  ) -> Fields {
    let end = LineScan.lineFeed(in: bytes, from: start)
    guard end < bytes.count else { return Fields(index: -1, next: end) }
    let fields = bytes.extracting(start..<end)
    let hash = table.hash.of(fields)
    let slot = table.slot(of: fields, hash)
    if let known = table.index(at: slot) { return Fields(index: known, next: end + 1) }
    guard let checked = try? RecordFields.check(fields) else { return Fields(index: -1, next: end + 1) }
    let added =
      checked == fields.count
      ? table.addIfTheyFit(fields, hash, slot) : table.intern(fields.extracting(0..<checked))
    return Fields(index: added ?? -1, next: end + 1)
  }
}

extension RecordBatch {
  /// Adds the records of lines from `start` on, and returns the start of the first line that was not read. It stops
  /// before a line that does not fit, that is not a record, or that is near the end of the bytes.
  ///
  /// `labels` belongs to this batch: call its `removeAll` when the batch is emptied.
  ///
  /// - Complexity: O(bytes); about 50 instructions per line whose label is cached.
  public mutating func append(
    lines bytes: Span<UInt8>, from start: Int, _ labels: inout LabelCache
  ) -> Int {
    Self.append(lines: bytes, from: start, &labels, &firsts, &lasts, &fieldsIndices, &fieldsTable)
  }

  private static func append(
    lines bytes: Span<UInt8>, from start: Int, _ labels: inout LabelCache,
    _ firsts: inout RigidArray<UInt64>, _ lasts: inout RigidArray<UInt64>,
    _ fieldsIndices: inout RigidArray<UInt32>, _ table: inout RecordFieldsTable
  ) -> Int {
    let free = recordsMax - firsts.count
    let lastStart = bytes.count - PlainLines.windowBytes
    let raw = unsafe bytes.bytes
    var at = start
    precondition(start >= 0)
    firsts.append(addingCount: free) { firsts in
      lasts.append(addingCount: free) { lasts in
        fieldsIndices.append(addingCount: free) { indices in
          var left = free
          while at <= lastStart, left > 0 {
            let number = unsafe Decimal.readLong(raw, from: at)
            guard number.count > 0 else { break }
            var end = at &+ number.count
            var last = number.value
            if bytes[end] == Byte.dot {
              // The second number, or something else that the caller reads.
              guard bytes[end &+ 1] == Byte.dot else { break }
              let other = unsafe Decimal.readLong(raw, from: end &+ 2)
              guard other.count > 0, other.value >= last else { break }
              last = other.value
              end = end &+ 2 &+ other.count
            }
            let fields: PlainLines.Fields
            switch bytes[end] {
            case Byte.tab: fields = PlainLines.fields(bytes, raw, from: end &+ 1, &labels, &table)
            case Byte.lineFeed: fields = PlainLines.Fields(index: table.indexOfNone(), next: end &+ 1)
            default: fields = PlainLines.Fields(index: -1, next: at)
            }
            guard fields.index >= 0 else { break }
            firsts.append(number.value)
            lasts.append(last)
            indices.append(UInt32(truncatingIfNeeded: fields.index))
            left &-= 1
            at = fields.next
          }
        }
      }
    }
    return at
  }
}

extension RawRowBatch {
  /// Adds the rows of lines from `start` on, and returns the start of the first line that was not read. It stops before a
  /// line that does not fit, that is not a row, whose text is long or has escapes, or that is near the end of the bytes.
  ///
  /// `labels` belongs to this batch: call its `removeAll` when the batch is emptied.
  ///
  /// - Complexity: O(bytes); about 50 instructions per line whose label is cached.
  public mutating func append(
    lines bytes: Span<UInt8>, from start: Int, _ labels: inout LabelCache
  ) -> Int {
    let lastStart = bytes.count - PlainLines.windowBytes
    let raw = unsafe bytes.bytes
    var at = start
    precondition(start >= 0)
    appendRows { capacity, table in
      while at <= lastStart, capacity.hasCapacity {
        // Any bytes are a UInt64, and `windowBytes` bytes follow.
        let front = unsafe UInt64(
          littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: at, as: UInt64.self))
        let back = unsafe UInt64(
          littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: at &+ 8, as: UInt64.self))
        var stops = LineScan.textStops(front)
        var count = stops.trailingZeroBitCount &>> 3
        if stops == 0 {
          stops = LineScan.textStops(back)
          guard stops != 0 else { break }
          count = 8 &+ (stops.trailingZeroBitCount &>> 3)
        }
        let end = at &+ count
        let fields: PlainLines.Fields
        switch bytes[end] {
        case Byte.tab: fields = PlainLines.fields(bytes, raw, from: end &+ 1, &labels, &table)
        case Byte.lineFeed: fields = PlainLines.Fields(index: table.indexOfNone(), next: end &+ 1)
        default: fields = PlainLines.Fields(index: -1, next: at)
        }
        guard fields.index >= 0 else { break }
        capacity.append(front, back, count: count, fieldsIndex: fields.index)
        at = fields.next
      }
    }
    return at
  }
}
