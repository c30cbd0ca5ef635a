// The fast path for lines: rows that look like `{"8613800138000": "label"},`, one per line, with up to 15 plain digits
// and a short label that needs no escapes. It reads a subset of what the fast path for pairs reads, with the same
// result, and leaves all other rows to it.

import Records

struct JSONLineFastPath {
  /// The index after the last row.
  var end: Int
  var lineFeeds = 0
  var rows = 0
  /// Whether the batch has no capacity for the next row.
  var isFull = false
}

/// The notation of a row's number. Most rows are written like the previous one, so its notation is tried first: then
/// the label's position does not depend on the digits, and the processor need not wait for them.
private struct NumberForm {
  // The texts after a number, as little-endian integers.
  private static let spacedColon: UInt32 = 0x2220_3A22  // ": "
  private static let tightColon: UInt32 = 0x22_3A22  // ":"

  /// The number of digits.
  let length: Int
  /// Masks of the number's bytes in its first two words.
  private let front: UInt64
  private let back: UInt64
  private let colon: UInt32
  private let colonMask: UInt32
  let labelStart: Int

  /// Creates a form that fits no row: no masked colon is 1.
  init() {
    (length, front, back, colon, colonMask, labelStart) = (0, 0, 0, 1, 0, 0)
  }

  /// Creates the form of a row whose number starts at `start`, with the words `front` and `back`; nil if it is written
  /// in another way. The window must contain 20 bytes from `start` on.
  @inline(__always)
  init?(_ front: UInt64, _ back: UInt64, _ bytes: RawSpan, _ start: Int) {
    var length = WordScan.first(WordScan.nonDigits(front))
    if length == 8 { length = 8 &+ WordScan.first(WordScan.nonDigits(back)) }
    // More digits than a number has. The digits must be followed by a quote, which is checked below.
    if length >= 16 { return nil }
    let found = unsafe WordScan.uncheckedHalf(bytes, start &+ length)
    let isSpaced = found == Self.spacedColon
    guard isSpaced || found & 0xFF_FFFF == Self.tightColon else { return nil }
    self.length = length
    // A shift by all 64 bits at once is not possible.
    self.front = length >= 8 ? .max : 1 &<< UInt64(8 &* length) &- 1
    self.back = length >= 8 ? 1 &<< UInt64(8 &* (length &- 8)) &- 1 : 0
    colon = isSpaced ? Self.spacedColon : Self.tightColon
    colonMask = isSpaced ? .max : 0xFF_FFFF
    labelStart = length &+ (isSpaced ? 4 : 3)
  }

  /// Whether the number that starts at `start` has this form; `front` and `back` are its words.
  @inline(__always)
  func fits(_ front: UInt64, _ back: UInt64, _ bytes: RawSpan, _ start: Int) -> Bool {
    // Bytes that are marked wrongly follow one that is marked correctly.
    let nonDigits = WordScan.nonDigits(front) & self.front | WordScan.nonDigits(back) & self.back
    return unsafe nonDigits == 0 && WordScan.uncheckedHalf(bytes, start &+ length) & colonMask == colon
  }
}

extension JSONMachine {
  // The texts around the fields, as little-endian integers.
  private static let opening: UInt32 = 0x227B  // {"
  private static let ending: UInt32 = 0x7D22  // "}
  private static let lineEnding: UInt32 = 0x0A_7D22  // "}␊
  private static let commaEnding: UInt32 = 0x0A2C_7D22  // "},␊

  /// Rows are read as alike if runs of rows with the same form have at least this average length.
  private static let formRowsMin = 16

  /// Reads rows from `start` on, none of which starts after `last`; the window contains ``fastBytes`` bytes from `last`
  /// on.
  ///
  /// Not inlined: inlining makes its loop a fifth slower.
  ///
  /// - Complexity: O(bytes); about 80 instructions per row whose label is cached.
  @inline(never)
  static func readLineRows(
    _ window: Span<UInt8>, from start: Int, last: Int, _ batch: inout RawRowBatch,
    _ labels: inout LabelCache,
    _ suffix: borrowing ContiguousArray<UInt8>
  ) -> JSONLineFastPath {
    precondition(start >= 0 && last + fastBytes <= window.count)
    var found = JSONLineFastPath(end: start)
    let bytes = unsafe window.bytes
    batch.appendRows { batchCapacity, fieldsTable in
      // Local variables: properties would be loaded and stored for each row.
      var capacity = batchCapacity
      var form = NumberForm()
      var formChanges = 0
      var lineFeeds = 0
      var at = start
      while true {
        if labels.isActive {
          // A wrong guess costs more than determining the form.
          let areAlike = formChanges * formRowsMin <= capacity.rows + formRowsMin
          let known = readCachedRows(
            bytes, from: at, last: last, &form, areAlike: areAlike, labels, &capacity)
          at = known.end
          lineFeeds &+= known.lineFeeds
        }
        // One row that may have another form, or a label that is not cached.
        guard at <= last else { break }
        if !opens(bytes, at) {
          guard capacity.rows > 0 else { break }
          skipBetween(window, &at, last: last, &lineFeeds)
          guard at <= last, opens(bytes, at) else { break }
        }
        guard capacity.hasCapacity else {
          found.isFull = true
          break
        }
        let (front, back) = unsafe (
          WordScan.uncheckedWord(bytes, at &+ 2), WordScan.uncheckedWord(bytes, at &+ 10)
        )
        if !form.fits(front, back, bytes, at &+ 2) {
          guard let other = NumberForm(front, back, bytes, at &+ 2) else { break }
          form = other
          formChanges += 1
        }
        let labelStart = at &+ 2 &+ form.labelStart
        guard
          let label = label(window, labelStart, &labels, suffix, in: &fieldsTable, isFull: &found.isFull)
        else { break }
        guard let next = rowEnd(bytes, labelStart &+ label.count, &lineFeeds) else { break }
        capacity.append(front, back, count: form.length, fieldsIndex: label.index)
        at = next
      }
      (found.end, found.lineFeeds, found.rows) = (at, lineFeeds, capacity.rows)
      batchCapacity = capacity
    }
    return found
  }

  /// The label at `start`; nil if the full reader must read it, or if it does not fit into the batch: then sets `isFull`.
  @inline(__always)
  private static func label(
    _ window: Span<UInt8>, _ start: Int, _ labels: inout LabelCache,
    _ suffix: borrowing ContiguousArray<UInt8>, in table: inout RecordFieldsTable, isFull: inout Bool
  ) -> LabelCache.Label? {
    let bytes = unsafe window.bytes
    let key = labelKey(bytes, start)
    if labels.isActive, let known = unsafe labels.find(bytes, start, key: key) { return known }
    guard let end = newLabel(window, start) else { return nil }
    guard let index = RowWriter.intern(window.extracting(start..<end), suffix, in: &table) else {
      isFull = true
      return nil
    }
    let label = LabelCache.Label(count: end &- start, index: index)
    if labels.isActive { unsafe labels.keep(label, bytes, start, key: key) }
    return label
  }

  /// Reads rows as long as their labels are cached; if they are alike, only rows of one form.
  ///
  /// Separate from the loop above: in a loop without calls all variables stay in registers. `form` is not changed; it
  /// is inout because otherwise it was copied even where no call was made.
  @inline(never)
  private static func readCachedRows(
    _ bytes: RawSpan, from start: Int, last: Int, _ form: inout NumberForm, areAlike: Bool,
    _ labels: borrowing LabelCache, _ capacity: inout RawRowCapacity
  ) -> (end: Int, lineFeeds: Int) {
    // Two copies of the loop, each with a constant flag.
    areAlike
      ? cachedRowsLoop(bytes, from: start, last: last, form, areAlike: true, labels, &capacity)
      : cachedRowsLoop(bytes, from: start, last: last, form, areAlike: false, labels, &capacity)
  }

  @inline(__always)
  private static func cachedRowsLoop(
    _ bytes: RawSpan, from start: Int, last: Int, _ common: NumberForm, areAlike: Bool,
    _ labels: borrowing LabelCache, _ capacity: inout RawRowCapacity
  ) -> (end: Int, lineFeeds: Int) {
    precondition(common.length >= 0 && common.length <= RawRowCapacity.textBytesMax)
    var at = start
    var lineFeeds = 0
    while at <= last, capacity.hasCapacity, opens(bytes, at) {
      let (front, back) = unsafe (
        WordScan.uncheckedWord(bytes, at &+ 2), WordScan.uncheckedWord(bytes, at &+ 10)
      )
      let form: NumberForm
      if areAlike {
        guard common.fits(front, back, bytes, at &+ 2) else { break }
        form = common
      } else {
        guard let own = NumberForm(front, back, bytes, at &+ 2) else { break }
        form = own
      }
      let labelStart = at &+ 2 &+ form.labelStart
      guard let label = unsafe labels.find(bytes, labelStart, key: labelKey(bytes, labelStart)),
        let next = rowEnd(bytes, labelStart &+ label.count, &lineFeeds)
      else { break }
      capacity.append(front, back, count: form.length, fieldsIndex: label.index)
      at = next
    }
    return (at, lineFeeds)
  }

  /// The key under which a label is cached: its first eight bytes, with what follows a shorter label.
  @inline(__always)
  private static func labelKey(_ bytes: RawSpan, _ start: Int) -> UInt64 {
    unsafe WordScan.uncheckedWord(bytes, start)
  }

  /// Whether a row starts at `at`. The window must contain ``fastBytes`` bytes from there on: no byte of a row that is
  /// read is more than 2 + 16 + 4 + 128 + 8 bytes further.
  @inline(__always)
  private static func opens(_ bytes: RawSpan, _ at: Int) -> Bool {
    unsafe WordScan.uncheckedHalf(bytes, at) & 0xFFFF == opening
  }

  /// The index after a row, and after its line end if that follows directly; nil if the row does not end there.
  @inline(__always)
  private static func rowEnd(_ bytes: RawSpan, _ labelEnd: Int, _ lineFeeds: inout Int) -> Int? {
    let closing = unsafe WordScan.uncheckedHalf(bytes, labelEnd)
    if closing == commaEnding {
      lineFeeds &+= 1
      return labelEnd &+ 4
    }
    if closing & 0xFF_FFFF == lineEnding {
      lineFeeds &+= 1
      return labelEnd &+ 3
    }
    return closing & 0xFFFF == ending ? labelEnd &+ 2 : nil
  }

  /// Skips commas and white space between two rows.
  private static func skipBetween(
    _ window: Span<UInt8>, _ at: inout Int, last: Int, _ lineFeeds: inout Int
  ) {
    while at <= last, window[at] == UInt8(ascii: ",") || window[at].isASCIISpace {
      if window[at] == 0x0A { lineFeeds &+= 1 }
      at &+= 1
    }
  }

  /// The end of a short label that needs no change and ends its row; nil for any other.
  private static func newLabel(_ window: Span<UInt8>, _ start: Int) -> Int? {
    let bytes = unsafe window.bytes
    var end = start
    var seen: UInt64 = 0
    var stops: UInt64 = 0
    repeat {
      let word = unsafe WordScan.uncheckedWord(bytes, end)
      stops = WordScan.stringStops(word)
      // Bytes after the label in its last word count, too: at worst an unnecessary check is made.
      seen |= word
      end &+= stops == 0 ? 8 : WordScan.first(stops)
    } while stops == 0 && end &- start <= LabelCache.labelBytesMax
    guard stops != 0, unsafe WordScan.uncheckedHalf(bytes, end) & 0xFFFF == ending else { return nil }
    guard seen & WordScan.highs == 0 || UTF8Check.isValid(window, from: start, endingBeforeASCIIAt: end)
    else { return nil }
    return end
  }
}
