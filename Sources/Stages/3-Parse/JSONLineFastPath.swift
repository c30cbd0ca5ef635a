// The fastest path: rows that look like `{"8613800138000": "label"},` and the next one behind a line end, with up to 15
// plain digits and a short label that needs no escapes. It reads a part of what the fast path reads, and reads it the
// same; any other row is left to that.
//
// Not for: anything that can be broken, or that is written in another way.

import CallRecord
import PipeStage

/// What came of looking for usual rows.
struct JSONLineFastPath {
  /// The index of the first byte behind the last one.
  var end: Int
  var lineFeeds = 0
  var rows = 0
  /// The batch has no room for the next one.
  var isFull = false
}

/// How a row's number is written: most rows are like the one before, so that is tried first, and where the label begins
/// does not wait for what the digits say.
private struct NumberForm {
  // Little-endian texts of what stands behind a number.
  private static let spacedColon: UInt32 = 0x2220_3A22  // ": "
  private static let tightColon: UInt32 = 0x22_3A22  // ":"

  /// The number's digits.
  let length: Int
  /// All bits of the number's bytes in the two words at its beginning.
  private let front: UInt64
  private let back: UInt64
  private let colon: UInt32
  private let colonMask: UInt32
  /// Where the label begins behind the number's beginning.
  let labelStart: Int

  /// The form of no row: no masked colon is 1.
  init() {
    (length, front, back, colon, colonMask, labelStart) = (0, 0, 0, 1, 0, 0)
  }

  /// The form of a row whose number's digits begin at `start`, with the words `front` and `back`; nil if it is not a
  /// usual one. 20 bytes are there.
  @inline(__always)
  init?(_ front: UInt64, _ back: UInt64, _ bytes: RawSpan, _ start: Int) {
    var length = WordScan.first(WordScan.others(front))
    if length == 8 { length = 8 &+ WordScan.first(WordScan.others(back)) }
    // A digit still, or more than a number has; a quote is behind all others, or it is no usual row.
    if length >= 16 { return nil }
    let found = unsafe WordScan.knownHalf(bytes, start &+ length)
    let isSpaced = found == Self.spacedColon
    guard isSpaced || found & 0xFF_FFFF == Self.tightColon else { return nil }
    self.length = length
    // Not all 64 bits can be shifted out at once.
    self.front = length >= 8 ? .max : 1 &<< UInt64(8 &* length) &- 1
    self.back = length >= 8 ? 1 &<< UInt64(8 &* (length &- 8)) &- 1 : 0
    colon = isSpaced ? Self.spacedColon : Self.tightColon
    colonMask = isSpaced ? .max : 0xFF_FFFF
    labelStart = length &+ (isSpaced ? 4 : 3)
  }

  /// Whether the number that begins at `start` has this form; `front` and `back` are its words.
  @inline(__always)
  func fits(_ front: UInt64, _ back: UInt64, _ bytes: RawSpan, _ start: Int) -> Bool {
    // What `others` marks falsely stands behind something that is marked, too.
    let others = WordScan.others(front) & self.front | WordScan.others(back) & self.back
    return unsafe others == 0 && WordScan.knownHalf(bytes, start &+ length) & colonMask == colon
  }
}

extension JSONMachine {
  // Little-endian texts of what stands around the fields.
  private static let opening: UInt32 = 0x227B  // {"
  private static let ending: UInt32 = 0x7D22  // "}
  private static let lineEnding: UInt32 = 0x0A_7D22  // "}␊
  private static let commaEnding: UInt32 = 0x0A2C_7D22  // "},␊

  /// So many rows in a row are alike, on average, where they are read as such.
  private static let formRowsMin = 16

  /// Reads rows from `start` on, none of which begins behind `last`; from there on ``fastBytes`` bytes are in the window.
  ///
  /// Not inlined: its loop is slower by a fifth where it is.
  ///
  /// - Complexity: O(bytes); some 80 instructions a row whose label came before.
  @inline(never)
  static func usualRows(
    _ window: Span<UInt8>, from start: Int, last: Int, _ batch: inout RawRowBatch,
    _ labels: inout LabelCache,
    _ suffix: borrowing ContiguousArray<UInt8>
  ) -> JSONLineFastPath {
    precondition(start >= 0 && last + fastBytes <= window.count)
    var found = JSONLineFastPath(end: start)
    let bytes = unsafe window.bytes
    batch.appendRows { givenRoom, fieldsTable in
      // Variables of the loop's own: what others hold would be read and written anew for each row.
      var room = givenRoom
      var form = NumberForm()
      var formChanges = 0
      var lineFeeds = 0
      var at = start
      while true {
        if labels.isActive {
          // A form that is guessed wrong costs more than one that is found out.
          let areAlike = formChanges * formRowsMin <= room.rows + formRowsMin
          let known = rowsKnown(
            bytes, from: at, last: last, &form, areAlike: areAlike, labels, &room)
          at = known.end
          lineFeeds &+= known.lineFeeds
        }
        // One row that may be of another form, or have another label.
        guard at <= last else { break }
        if !opens(bytes, at) {
          guard room.rows > 0 else { break }
          skipBetween(window, &at, last: last, &lineFeeds)
          guard at <= last, opens(bytes, at) else { break }
        }
        guard room.hasCapacity else {
          found.isFull = true
          break
        }
        let (front, back) = unsafe (
          WordScan.knownWord(bytes, at &+ 2), WordScan.knownWord(bytes, at &+ 10)
        )
        if !form.fits(front, back, bytes, at &+ 2) {
          guard let other = NumberForm(front, back, bytes, at &+ 2) else { break }
          form = other
          formChanges += 1
        }
        let labelStart = at &+ 2 &+ form.labelStart
        let label: LabelCache.Label
        if labels.isActive, let known = unsafe labels.findQuoted(bytes, labelStart) {
          label = known
        } else {
          guard let end = newLabel(window, labelStart) else { break }
          guard
            let index = RowWriter.intern(window.extracting(labelStart..<end), suffix, in: &fieldsTable)
          else {
            found.isFull = true
            break
          }
          label = LabelCache.Label(count: end &- labelStart, index: index)
          if labels.isActive { unsafe labels.keepQuoted(label, bytes, labelStart) }
        }
        guard let next = rowEnd(bytes, labelStart &+ label.count, &lineFeeds) else { break }
        room.append(front, back, count: form.length, fieldsIndex: label.index)
        at = next
      }
      (found.end, found.lineFeeds, found.rows) = (at, lineFeeds, room.rows)
      givenRoom = room
    }
    return found
  }

  /// Reads rows whose labels are known, as far as there are any; those of one form only if they are alike.
  ///
  /// Not a part of the loop above, since in one without calls what it needs stays in registers. `form` is not changed: it
  /// is inout since it was copied for each call, be it made or not.
  @inline(never)
  private static func rowsKnown(
    _ bytes: RawSpan, from start: Int, last: Int, _ form: inout NumberForm, areAlike: Bool,
    _ labels: borrowing LabelCache, _ room: inout RawRowCapacity
  ) -> (end: Int, lineFeeds: Int) {
    // Two copies of the loop, each with the question answered.
    areAlike
      ? loopKnown(bytes, from: start, last: last, form, areAlike: true, labels, &room)
      : loopKnown(bytes, from: start, last: last, form, areAlike: false, labels, &room)
  }

  @inline(__always)
  private static func loopKnown(
    _ bytes: RawSpan, from start: Int, last: Int, _ common: NumberForm, areAlike: Bool,
    _ labels: borrowing LabelCache, _ room: inout RawRowCapacity
  ) -> (end: Int, lineFeeds: Int) {
    precondition(common.length >= 0 && common.length <= RawRowCapacity.textBytesMax)
    var at = start
    var lineFeeds = 0
    while at <= last, room.hasCapacity, opens(bytes, at) {
      let (front, back) = unsafe (
        WordScan.knownWord(bytes, at &+ 2), WordScan.knownWord(bytes, at &+ 10)
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
      guard let label = unsafe labels.findQuoted(bytes, labelStart),
        let next = rowEnd(bytes, labelStart &+ label.count, &lineFeeds)
      else { break }
      room.append(front, back, count: form.length, fieldsIndex: label.index)
      at = next
    }
    return (at, lineFeeds)
  }

  /// Whether a row begins at a place from which on ``fastBytes`` bytes are in the window: no place that is looked at in a
  /// row is more than 2 + 16 + 4 + 128 + 8 bytes behind it.
  @inline(__always)
  private static func opens(_ bytes: RawSpan, _ at: Int) -> Bool {
    unsafe WordScan.knownHalf(bytes, at) & 0xFFFF == opening
  }

  /// The place behind a row, and behind its line's end if that comes at once; nil if there is more in it.
  @inline(__always)
  private static func rowEnd(_ bytes: RawSpan, _ labelEnd: Int, _ lineFeeds: inout Int) -> Int? {
    let closing = unsafe WordScan.knownHalf(bytes, labelEnd)
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

  /// Passes over what may stand between two rows.
  private static func skipBetween(
    _ window: Span<UInt8>, _ at: inout Int, last: Int, _ lineFeeds: inout Int
  ) {
    while at <= last, window[at] == UInt8(ascii: ",") || JSONToken.isSpace(window[at]) {
      if window[at] == 0x0A { lineFeeds &+= 1 }
      at &+= 1
    }
  }

  /// The end of a short label that can be taken as it stands, and ends its row; nil if it is none.
  private static func newLabel(_ window: Span<UInt8>, _ start: Int) -> Int? {
    let bytes = unsafe window.bytes
    var end = start
    var seen: UInt64 = 0
    var stops: UInt64 = 0
    repeat {
      let word = unsafe WordScan.knownWord(bytes, end)
      stops = WordScan.stringStops(word)
      // What stands behind the label in its last word counts too: at worst a check is made that need not be.
      seen |= word
      end &+= stops == 0 ? 8 : WordScan.first(stops)
    } while stops == 0 && end &- start <= LabelCache.labelBytesMax
    guard stops != 0, unsafe WordScan.knownHalf(bytes, end) & 0xFFFF == ending else { return nil }
    guard seen & WordScan.highs == 0 || UTF8Check.isValid(window, from: start, endingBeforeASCIIAt: end)
    else { return nil }
    return end
  }
}
