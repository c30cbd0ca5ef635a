// Recovery from a broken unit. The unit is one reject, from its first byte on. Then reading resumes after the start of
// the unit's last token, at whichever of these comes first:
//   - the next line, unless objects are rows and the broken unit is an object (which may span many lines);
//   - `{"` (white space between allowed): most likely the next row; if arrays are rows, also `["` and `[1`. If this
//     unit is broken, too, and no closing bracket or line end precedes it, it belongs to the same reject;
//   - `,"` (likewise; not if objects are rows): most likely the next pair. Anything broken from here to the line's
//     end or to the next valid row belongs to the same reject.
// A broken object or array is first searched from its start for a similar neighbour (`},{` and the same first key): one
// excess bracket or quote must not cause the loss of all rows within the maximum size of a record.
//
// A stray closing bracket is a reject in an input that was valid so far, and skipped in one that was not: after
// something broken it is unknown which brackets match.
//
// Not for: valid units (JSONPairs, JSONObjects).

import Records

extension JSONMachine {
  /// Rejects the unit at `start` and finds where reading resumes; -1 if that requires a longer window.
  mutating func rejectUnit(
    _ window: Span<UInt8>, _ start: Int, _ reason: ParseReject, _ isEnd: Bool, _ rows: inout RowWriter
  ) throws(Failure) -> Int {
    let bracket = window[start]
    let isRow =
      bracket == Self.object || bracket == Self.angle
      || (bracket == Self.array && fields.paths.rowsMayBeArrays)
    let opener = isRow ? bracket : 0
    let earlier = recovery
    var next = -1
    switch resumeInside(window, start, opener: opener, isEnd) {
    case .found(let index):
      next = index
      recovery = .none
    case .none:
      recovery = .skipping(opener: opener, sawEnd: false)
      next = resume(window, from: max(tokenStart, start) + 1, isEnd)
    case .cut: recovery = .skipping(opener: opener, sawEnd: false)
    }
    var isSkipping = false
    if case .skipping = recovery { isSkipping = true }
    if isSkipping, !isEnd, next - start < Reject.textBytesMax {
      // The reject's text must not depend on where the windows end.
      recovery = earlier
      return -1
    }
    context.isDamaged = true
    context.isInRun = false
    context.isAfterColon = false
    if case .tooDeep = reason {
      // Only the part that is nested too deeply is lost: the brackets before it are discarded.
      context.stack.removeAll(keepingCapacity: true)
    }
    if !earlier.isResumed {
      // The text ends before a line feed, also at the end of the input.
      let end = min(next, start + Reject.textBytesMax)
      try rows.reject(window, from: start, to: window[end - 1] == 0x0A ? end - 1 : end, reason)
    }
    return next
  }

  /// Finds a row between the start of the broken row at `start` and its last token: a missing quote or an excess
  /// bracket joins many rows into one. It must look like the next row of a list: after a closing bracket and a comma,
  /// and with the same first key.
  private mutating func resumeInside(
    _ window: Span<UInt8>, _ start: Int, opener: UInt8, _ isEnd: Bool
  ) -> ResumePlace {
    guard fields.rowsAreObjects, opener != 0, opener != Self.angle,
      context.resumedInside < ParseLimits.resumedInsideMax
    else { return .none }
    // In ASCII, `}` and `]` come two after `{` and `[`.
    let closer = opener + 2
    // Searches no further than the unit was read: any window can be that long, or reach the input's end.
    let limit = start + recordBytesMax + ParseLimits.lookaheadCapacity
    let bytes = window.extracting(0..<min(window.count, limit))
    let mayGrow = !isEnd && bytes.count < limit
    guard let key = firstToken(bytes, start, mayGrow) else { return .cut }
    var index = start + 1
    var state = 0
    while index <= tokenStart, index < bytes.count {
      let byte = bytes[index]
      if byte == closer {
        state = 1
      } else if byte == UInt8(ascii: ","), state == 1 {
        state = 2
      } else if byte == opener, state == 2 {
        guard let other = firstToken(bytes, index, mayGrow) else { return .cut }
        if isSame(bytes, other, key) {
          context.resumedInside += 1
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

  /// The result of a search for the index where reading resumes.
  private enum ResumePlace {
    case found(Int)
    case none
    /// A longer window is needed to decide.
    case cut
  }

  /// The range of an object's first key with its quotes, within the look-ahead; for an array, its first byte. Nil if
  /// the window ends before that and may grow.
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
      // All digits are equivalent: any of them starts a number.
      let areDigits = left &- 0x30 < 10 && right &- 0x30 < 10 && one.count == 1
      if left != right, !areDigits { return false }
    }
    return true
  }

  /// Finds where reading resumes after a broken unit, and sets the state for it. As long as nothing is found,
  /// ``recovery`` stays `skipping`, and the bytes before the returned index are no longer needed.
  mutating func resume(_ window: Span<UInt8>, from start: Int, _ isEnd: Bool) -> Int {
    guard case .skipping(let opener, var sawEnd) = recovery else { return start }
    let stopsAtLine = !(fields.rowsAreObjects && opener != 0)
    // Rows that are arrays, or pairs that are arrays in an array.
    let mayBeArray =
      fields.paths.rowsMayBeArrays || (!fields.rowsAreObjects && context.stack.last == Self.array)
    var index = min(start, window.count)
    while index < window.count {
      let byte = window[index]
      if byte == 0x0A, stopsAtLine {
        recovery = fields.rowsAreObjects || opener == 0 ? .none : .resumedAtLine(bracket: opener)
        return index + 1
      }
      if byte == 0x0A || byte == UInt8(ascii: "}") { sawEnd = true }
      if byte == UInt8(ascii: "]"), mayBeArray { sawEnd = true }
      let mayBegin =
        byte == Self.object || (byte == UInt8(ascii: ",") && !fields.rowsAreObjects)
        || (byte == Self.array && mayBeArray)
      if mayBegin {
        switch beginsRow(window, index, isEnd, stopsAtLine: stopsAtLine) {
        case .cut:
          recovery = .skipping(opener: opener, sawEnd: sawEnd)
          return index
        case .none: break
        case .found(let next):
          let isComma = byte == UInt8(ascii: ",")
          recovery = isComma || !sawEnd ? .resumed : .none
          if !isComma { return index }
          if opener != 0, context.stack.count < ParseLimits.depthMax { context.stack.append(opener) }
          return next
        }
      }
      index += 1
    }
    recovery = .skipping(opener: opener, sawEnd: sawEnd)
    return index
  }

  /// Whether a row most likely starts at the bracket or after the comma at `index`: whether a quote follows, or a digit
  /// after `[`. Returns the row's index.
  private func beginsRow(
    _ window: Span<UInt8>, _ index: Int, _ isEnd: Bool, stopsAtLine: Bool
  ) -> ResumePlace {
    let limit = min(window.count, index + 1 + ParseLimits.lookaheadBytesMax)
    var next = index + 1
    while next < limit, JSONToken.isSpace(window[next]), window[next] != 0x0A || !stopsAtLine {
      next += 1
    }
    if next == window.count, !isEnd, next < index + 1 + ParseLimits.lookaheadBytesMax { return .cut }
    // The number of an array that is a row may be unquoted.
    let isDigit = next < limit && window[index] == Self.array && window[next] &- 0x30 < 10
    return next < limit && (window[next] == UInt8(ascii: "\"") || isDigit) ? .found(next) : .none
  }

  // MARK: Comments

  /// Reads a comment in the style of another language: a broken part that is not searched for rows.
  ///
  /// A comment up to the line's end must start the line or be surrounded by white space, so that a wrong byte between
  /// two rows of one long line hides no rows. A comment that does not end hides none either.
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
      let isOnNextLine = index == bytes.count || JSONToken.isSpace(bytes[index])
      guard isOnNextLine, JSONToken.isSpace(byte(before: at, bytes)) else { return .broken(.unexpectedText) }
    }
    while index < end, bytes[index] != 0x0A { index += 1 }
    if !atEnd, index == bytes.count { throw .cut }
    // No row starts in the comment.
    tokenStart = index - 1
    return .broken(.unexpectedText)
  }
}
