// What happens to a broken unit: it is one reject, from the unit's first byte on. Then reading resumes, from
// behind the beginning of the last token, at whichever comes first:
//   - the next line, unless objects are rows and the broken unit is one (it may have many lines);
//   - `{"` (white space between allowed): most likely the next row; where arrays are rows, `["` and `[1` too. If
//     it is broken too and no closing bracket and no line end stood between, it belongs to the same reject;
//   - `,"` (likewise; not when objects are rows): most likely the next pair. What is broken from here to the
//     line's end or to the next good row belongs to the same reject.
// A broken object or array is first searched from its beginning for what looks like its neighbour (`},{` and the same
// first key): one bracket or quote too many must not cost all the rows up to the longest record.
//
// Stray closing brackets are a reject in an input that was sound so far, and passed over in one that was not:
// after a broken piece nobody knows which bracket belongs to which.
//
// Not for: what a sound unit is (JSONPairs, JSONObjects).

import CallRecord
import PipeStage

extension JSONMachine {
  /// Rejects the unit at `start` and finds where reading resumes; -1 if the window must be longer for that.
  mutating func breakOff(
    _ window: Span<UInt8>, _ start: Int, _ reason: ParseReject, _ isEnd: Bool, _ rows: inout RowWriter
  ) throws(StageError) -> Int {
    let bracket = window[start]
    let isRow = bracket == Self.object || bracket == Self.angle
    brokenOpener = isRow || (bracket == Self.array && fields.paths.rowsMayBeArrays) ? bracket : 0
    sawEnd = false
    let wasRecovering = isRecovering
    var next = -1
    switch resumeInside(window, start, isEnd) {
    case .found(let index): next = index
    case .none: next = resume(window, from: max(tokenStart, start) + 1, isEnd)
    case .cut: isSkipping = true
    }
    if isSkipping, !isEnd, next - start < Reject.textBytesMax {
      // The reject's text must not depend on where the input is cut.
      isSkipping = false
      isRecovering = wasRecovering
      return -1
    }
    isDamaged = true
    isInRun = false
    isAfterColon = false
    if case .tooDeep = reason {
      // What stands too deep costs only itself: the brackets before it are forgotten.
      stack.removeAll(keepingCapacity: true)
    }
    if !wasRecovering { try rows.reject(window, from: start, to: lastIndex(window, start, next), reason) }
    return next
  }

  /// Where a reject's text ends: before the line feed, if reading resumes behind one.
  private func lastIndex(_ window: Span<UInt8>, _ start: Int, _ next: Int) -> Int {
    !isSkipping && next > start && window[next - 1] == 0x0A ? next - 1 : next
  }

  /// Finds a row between the beginning of the broken row at `start` and its last token: a lost quote or a bracket too many
  /// makes many rows one. It must look like the next one of a list: behind a closing bracket and a comma, and with
  /// the same first key.
  private mutating func resumeInside(_ window: Span<UInt8>, _ start: Int, _ isEnd: Bool) -> ResumeInside {
    guard fields.rowsAreObjects, brokenOpener != 0, brokenOpener != Self.angle,
      resumedInside < ParseLimits.resumedInsideMax
    else { return .none }
    // `{` and `[` stand two before `}` and `]` in ASCII.
    let closer = brokenOpener + 2
    // No further than the unit was read: so far, or to the input's end, any window can show it.
    let room = start + recordBytesMax + ParseLimits.lookaheadRoom
    let bytes = window.extracting(0..<min(window.count, room))
    let mayGrow = !isEnd && bytes.count < room
    guard let key = firstToken(bytes, start, mayGrow) else { return .cut }
    var index = start + 1
    var state = 0
    while index <= tokenStart, index < bytes.count {
      let byte = bytes[index]
      if byte == closer {
        state = 1
      } else if byte == UInt8(ascii: ","), state == 1 {
        state = 2
      } else if byte == brokenOpener, state == 2 {
        guard let other = firstToken(bytes, index, mayGrow) else { return .cut }
        if isSame(bytes, other, key) {
          resumedInside += 1
          isSkipping = false
          isRecovering = false
          return .found(index)
        }
        state = 0
      } else if !JSONToken.isSpace(byte) {
        state = 0
      }
      index += 1
    }
    return .none
  }

  /// What the search inside a broken row came to.
  private enum ResumeInside {
    case found(Int)
    case none
    /// The window must be longer to tell.
    case cut
  }

  /// Where the first key of an object stands with its quotes, as far as the look-ahead reaches; of an array, the first
  /// byte. Nil if the window ends before, and may grow.
  private func firstToken(_ window: Span<UInt8>, _ start: Int, _ mayGrow: Bool) -> Range<Int>? {
    let limit = min(window.count, start + 1 + ParseLimits.lookaheadBytesMax)
    let isCut = mayGrow && limit == window.count
    var first = start + 1
    while first < limit, JSONToken.isSpace(window[first]) { first += 1 }
    if first == limit, isCut { return nil }
    var end = min(first + 1, limit)
    if window[start] == Self.object {
      while end < limit, window[end] != UInt8(ascii: "\"") { end += 1 }
      if end == limit, isCut { return nil }
    }
    return first..<end
  }

  private func isSame(_ window: Span<UInt8>, _ one: Range<Int>, _ other: Range<Int>) -> Bool {
    guard one.count == other.count, !one.isEmpty else { return false }
    for offset in 0..<one.count {
      let (left, right) = (window[one.lowerBound + offset], window[other.lowerBound + offset])
      // Any digit begins a number.
      let areDigits = left &- 0x30 < 10 && right &- 0x30 < 10 && one.count == 1
      if left != right, !areDigits { return false }
    }
    return true
  }

  /// Finds where reading resumes after a broken unit, and sets the state for it. While nothing is found,
  /// `isSkipping` stays set and the returned bytes are done with.
  mutating func resume(_ window: Span<UInt8>, from start: Int, _ isEnd: Bool) -> Int {
    let stopsAtLine = !(fields.rowsAreObjects && brokenOpener != 0)
    // Rows as arrays, or pairs that are arrays in one.
    let mayBeArray = fields.paths.rowsMayBeArrays || (!fields.rowsAreObjects && stack.last == Self.array)
    var index = min(start, window.count)
    isSkipping = true
    while index < window.count {
      let byte = window[index]
      if byte == 0x0A, stopsAtLine {
        isSkipping = false
        isRecovering = false
        owedOpener = fields.rowsAreObjects ? 0 : brokenOpener
        return index + 1
      }
      if byte == 0x0A || byte == UInt8(ascii: "}") { sawEnd = true }
      if byte == UInt8(ascii: "]"), mayBeArray { sawEnd = true }
      if byte == Self.object || (byte == UInt8(ascii: ",") && !fields.rowsAreObjects)
        || (byte == Self.array && mayBeArray)
      {
        let limit = min(window.count, index + 1 + ParseLimits.lookaheadBytesMax)
        var next = index + 1
        while next < limit, JSONToken.isSpace(window[next]), window[next] != 0x0A || !stopsAtLine {
          next += 1
        }
        if next == window.count, !isEnd, next < index + 1 + ParseLimits.lookaheadBytesMax { return index }
        // The number of an array that is a row may be without quotes.
        let isDigit = next < limit && byte == Self.array && window[next] &- 0x30 < 10
        if next < limit, window[next] == UInt8(ascii: "\"") || isDigit {
          isSkipping = false
          isRecovering = byte == UInt8(ascii: ",") || !sawEnd
          if byte != UInt8(ascii: ",") { return index }
          if brokenOpener != 0, stack.count < ParseLimits.depthMax { stack.append(brokenOpener) }
          return next
        }
      }
      index += 1
    }
    return index
  }

  // MARK: Comments

  /// What a comment is, in one of the ways of other languages: a broken piece in which no row is looked for.
  ///
  /// One that goes to the line's end must begin the line, or stand in white space: a byte gone wrong between
  /// two rows of one long line hides nothing. One that does not end where it should hides nothing either.
  mutating func comment(_ bytes: Span<UInt8>, _ at: Int, atEnd: Bool) throws(JSONUnitError) -> JSONUnitError {
    let end = min(bytes.count, at + ParseLimits.commentBytesMax)
    var index = at + 1
    if bytes[at] == UInt8(ascii: "/") {
      guard index < bytes.count else { throw .cut }
      if bytes[index] == UInt8(ascii: "*") {
        index += 1
        while index < end {
          if bytes[index] == UInt8(ascii: "/"), bytes[index - 1] == UInt8(ascii: "*"), index > at + 2 {
            tokenStart = index
            return .broken(.unexpectedText)
          }
          index += 1
        }
        if !atEnd, index == bytes.count { throw .cut }
        return .broken(.unexpectedText)
      }
      guard bytes[index] == UInt8(ascii: "/") else { return .broken(.unexpectedText) }
      index += 1
    }
    if !isLineStart(bytes, at) {
      guard index < bytes.count || atEnd else { throw .cut }
      let isApart = index == bytes.count || JSONToken.isSpace(bytes[index])
      guard isApart, JSONToken.isSpace(byte(before: at, bytes)) else { return .broken(.unexpectedText) }
    }
    while index < end, bytes[index] != 0x0A { index += 1 }
    if !atEnd, index == bytes.count { throw .cut }
    // Nothing in the comment begins a row.
    tokenStart = index - 1
    return .broken(.unexpectedText)
  }
}
