// Finds rows in JSON of any layout, and in what is close to JSON. The outer loop: what stands between rows.
//
// It reads unit by unit. A unit is a pair with its opening bracket (`{"n": "l"`), or a whole object when objects
// are rows; anything else between rows (brackets, commas, white space) is one byte at a time. A unit that the
// window cuts is not begun: the window comes again with more bytes. Commas are white space here.
//
// What happens to a broken unit: it is one reject, from the unit's first byte on. Then reading resumes, from
// behind the beginning of the last token, at whichever comes first:
//   - the next line, unless objects are rows and the broken unit is one (it may have many lines);
//   - `{"` (white space between allowed): most likely the next row. If it is broken too and no closing bracket
//     and no line end stood between, it belongs to the same reject;
//   - `,"` (likewise; not when objects are rows): most likely the next pair. What is broken from here to the
//     line's end or to the next good row belongs to the same reject.
// Stray closing brackets are a reject in an input that was sound so far, and passed over in one that was not:
// after a broken piece nobody knows which bracket belongs to which.
//
// Not for: tokens (JSONToken), a pair (JSONPairs), an object (JSONObjects), RFC 8259 (JSONValidator).

import CallRecord
import PipeStage

extension FormatRow {
  static let json = FormatRow(
    format: .json, looksLikeIt: { _ in true }, makeReader: { JSONReader($0.options) })
}

/// The reader for the `json` format.
final class JSONReader: FormatReader {
  private var machine: JSONMachine

  init(_ options: ParseOptions) {
    machine = JSONMachine(options)
  }

  func read(_ window: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter) throws(PipeFailure) -> Int {
    try machine.read(window, isEnd, &rows)
  }

  func reset() {
    machine.reset()
  }
}

/// The state between units, and the loop over them.
struct JSONMachine: ~Copyable {
  static let object = UInt8(ascii: "{")
  static let array = UInt8(ascii: "[")
  static let angle = UInt8(ascii: "<")

  let fields: JSONFields
  let recordBytesMax: Int
  /// Whether rows are plain pairs, and the fast path's are all within the limit.
  let hasFastPath: Bool

  /// The open brackets.
  var stack: [UInt8] = []
  /// Broken pieces belong to a reject that is counted already.
  var isRecovering = false
  /// Something was broken, so brackets need not match.
  var isDamaged = false
  /// Looking for the place where reading resumes.
  private var isSkipping = false
  /// The opening bracket of the unit that broke, or 0.
  private var brokenOpener: UInt8 = 0
  /// A closing bracket or a line end was passed since.
  private var sawEnd = false
  /// A bracket that counts as open if the next line begins with a key.
  private var owedOpener: UInt8 = 0
  /// A colon stands before: an opening bracket is a value.
  var isAfterColon = false
  /// Where the last token of the unit begins: a broken unit is searched from behind it.
  var tokenStart = 0

  // About the object that is being read as a row: whether its number and whether containers were seen, and
  // the brackets that are open inside.
  var hasNumber = false
  var hasInside = false
  var inside: [UInt8] = []

  init(_ options: ParseOptions) {
    fields = JSONFields(options)
    recordBytesMax = options.recordBytesMax
    hasFastPath = !options.rowsAreObjects && fields.isPlain && options.recordBytesMax >= Self.fastBytes
    stack.reserveCapacity(ParseLimits.depthMax)
  }

  mutating func reset() {
    stack.removeAll(keepingCapacity: true)
    isRecovering = false
    isDamaged = false
    isSkipping = false
    brokenOpener = 0
    owedOpener = 0
    isAfterColon = false
  }

  mutating func read(
    _ window: Span<UInt8>, _ isEnd: Bool, _ rows: inout RowWriter
  ) throws(PipeFailure) -> Int {
    var at = 0
    while true {
      if isSkipping {
        at = resume(window, from: at, isEnd)
        if isSkipping { return at }
      }
      while at < window.count, isFiller(window[at]) {
        if window[at] == 0x0A { isRecovering = false }
        at += 1
      }
      if hasFastPath, window.count - at >= Self.fastBytes, owedOpener == 0 {
        let inObject = stack.last == Self.object
        let isRow =
          inObject ? window[at] == UInt8(ascii: "\"") : window[at] == Self.object && isBetweenObjects
        if isRow {
          let next = try fastRows(window, from: at, inObject: inObject, &rows)
          if next > at {
            at = next
            continue
          }
        }
      }
      if at == window.count { return at }
      let next = try unit(window, at, isEnd, &rows)
      if next < 0 { return at }
      at = next
    }
  }

  @inline(__always)
  private func isFiller(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || JSONToken.isSpace(byte)
  }

  /// Whether an object here is neither inside another one nor too deep.
  private var isBetweenObjects: Bool {
    stack.count < ParseLimits.depthMax && (stack.last ?? Self.array) == Self.array
  }

  var isInObject: Bool { stack.last.map { $0 != Self.array } ?? false }

  // MARK: Units

  /// Reads one unit; returns the index behind it, or -1 if the window cuts it.
  private mutating func unit(
    _ window: Span<UInt8>, _ at: Int, _ isEnd: Bool, _ rows: inout RowWriter
  ) throws(PipeFailure) -> Int {
    let room = recordBytesMax + ParseLimits.lookaheadRoom
    let limit = min(window.count, at + room)
    let bytes = window.extracting(0..<limit)
    if owedOpener != 0 {
      if window[at] == UInt8(ascii: "\""), stack.count < ParseLimits.depthMax { stack.append(owedOpener) }
      owedOpener = 0
    }
    tokenStart = at
    let wasAfterColon = isAfterColon
    let reason: ParseReject
    var parsed: JSONUnit?
    var problem = UnitBreak.cut
    do throws(UnitBreak) {
      parsed = try parse(bytes, at, atEnd: isEnd && limit == window.count)
    } catch {
      problem = error
    }
    if let parsed {
      try take(parsed, bytes, at, &rows)
      return parsed.end
    }
    switch problem {
    case .broken(let why):
      if isWrapper(bytes, at, why) { return at + 1 }
      reason = why
    case .cut:
      if limit - at >= room {
        if isWrapper(bytes, at, nil) { return at + 1 }
        reason = .recordTooLong(limit: recordBytesMax)
        tokenStart = limit - 1
      } else if isEnd, limit == window.count {
        if isWrapper(bytes, at, nil) { return at + 1 }
        reason = .truncated
      } else {
        isAfterColon = wasAfterColon
        return -1
      }
    }
    return try breakOff(window, at, reason, isEnd, &rows)
  }

  private mutating func take(
    _ unit: JSONUnit, _ bytes: Span<UInt8>, _ at: Int, _ rows: inout RowWriter
  ) throws(PipeFailure) {
    switch unit.kind {
    case .row, .numberless:
      try makeRow(unit, bytes, at, &rows)
    case .stray:
      // One reject a line, and nothing is skipped: the next byte may begin a row.
      if !isRecovering { try rows.reject(bytes, from: at, to: unit.end, .unexpectedText) }
      isRecovering = true
      isDamaged = true
    case .structure:
      break
    }
    if unit.opened != 0 { stack.append(unit.opened) }
    if unit.openedInside != 0 { stack.append(unit.openedInside) }
  }

  /// Reads what begins at `at`.
  private mutating func parse(_ bytes: Span<UInt8>, _ at: Int, atEnd: Bool) throws(UnitBreak) -> JSONUnit {
    switch bytes[at] {
    case Self.object:
      if isAfterColon {
        isAfterColon = false
      } else {
        while isInObject { stack.removeLast() }
      }
      if fields.rowsAreObjects { return try object(bytes, at) }
      return try opener(bytes, at, atEnd: atEnd)
    case Self.angle:
      while isInObject { stack.removeLast() }
      return try opener(bytes, at, atEnd: atEnd)
    case Self.array:
      if !isAfterColon { while isInObject { stack.removeLast() } }
      isAfterColon = false
      if stack.count >= ParseLimits.depthMax { throw .broken(.tooDeep(limit: ParseLimits.depthMax)) }
      stack.append(Self.array)
      return JSONUnit(end: at + 1)
    case UInt8(ascii: "\""):
      if fields.rowsAreObjects { return try member(bytes, at, atEnd: atEnd) }
      return try pair(bytes, at, atEnd: atEnd)
    case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ">"):
      return try close(bytes[at], at)
    case UInt8(ascii: "/"), UInt8(ascii: "#"):
      throw try comment(bytes, at, atEnd: atEnd)
    default:
      if fields.rowsAreObjects, isInObject || !stack.isEmpty {
        // A value that nobody asked for, in an array of them.
        return JSONUnit(end: try JSONToken.scalar(bytes, from: at, atEnd: atEnd).end)
      }
      throw .broken(.unexpectedText)
    }
  }

  private mutating func close(_ bracket: UInt8, _ at: Int) throws(UnitBreak) -> JSONUnit {
    let opener =
      bracket == UInt8(ascii: "}") ? Self.object : bracket == UInt8(ascii: "]") ? Self.array : Self.angle
    if opener == Self.array {
      // What was left open inside was rejected with its row.
      while isInObject, stack.contains(Self.array) { stack.removeLast() }
    }
    if stack.last == opener {
      stack.removeLast()
    } else if !isDamaged {
      return JSONUnit(kind: .stray, end: at + 1)
    }
    return JSONUnit(end: at + 1)
  }

  /// What a comment is, in one of the ways of other languages: a broken piece in which no row is looked for.
  private mutating func comment(_ bytes: Span<UInt8>, _ at: Int, atEnd: Bool) throws(UnitBreak) -> UnitBreak {
    var isBlock = false
    if bytes[at] == UInt8(ascii: "/") {
      guard at + 1 < bytes.count else { throw .cut }
      isBlock = bytes[at + 1] == UInt8(ascii: "*")
      guard isBlock || bytes[at + 1] == UInt8(ascii: "/") else { return .broken(.unexpectedText) }
    }
    var firstLineEnd = -1
    var index = at + (isBlock ? 2 : 1)
    while index < bytes.count, index - at < ParseLimits.commentBytesMax {
      if bytes[index] == 0x0A, firstLineEnd < 0 { firstLineEnd = index }
      if !isBlock, firstLineEnd >= 0 { break }
      if isBlock, bytes[index] == UInt8(ascii: "/"), bytes[index - 1] == UInt8(ascii: "*"), index > at + 2 {
        tokenStart = index
        return .broken(.unexpectedText)
      }
      index += 1
    }
    if !isBlock || index - at >= ParseLimits.commentBytesMax || atEnd {
      if firstLineEnd < 0, index == bytes.count, !atEnd { throw .cut }
      // Nothing in the comment's first line begins a row.
      tokenStart = (firstLineEnd < 0 ? index : firstLineEnd) - 1
      return .broken(.unexpectedText)
    }
    throw .cut
  }

  // MARK: Broken units

  /// Rejects the unit at `start` and finds where reading resumes; -1 if the window must be longer for that.
  private mutating func breakOff(
    _ window: Span<UInt8>, _ start: Int, _ reason: ParseReject, _ isEnd: Bool, _ rows: inout RowWriter
  ) throws(PipeFailure) -> Int {
    let bracket = window[start]
    brokenOpener = bracket == Self.object || bracket == Self.angle ? bracket : 0
    sawEnd = false
    let wasRecovering = isRecovering
    let next = resume(window, from: max(tokenStart, start) + 1, isEnd)
    if isSkipping, !isEnd, window.count - start < Reject.textBytesMax {
      // The reject's text must not depend on where the input is cut.
      isSkipping = false
      isRecovering = wasRecovering
      return -1
    }
    isDamaged = true
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

  /// Finds where reading resumes after a broken unit, and sets the state for it. While nothing is found,
  /// `isSkipping` stays set and the returned bytes are done with.
  private mutating func resume(_ window: Span<UInt8>, from start: Int, _ isEnd: Bool) -> Int {
    let stopsAtLine = !(fields.rowsAreObjects && brokenOpener != 0)
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
      if byte == Self.object || (byte == UInt8(ascii: ",") && !fields.rowsAreObjects) {
        let limit = min(window.count, index + 1 + ParseLimits.lookaheadBytesMax)
        var next = index + 1
        while next < limit, JSONToken.isSpace(window[next]), window[next] != 0x0A || !stopsAtLine {
          next += 1
        }
        if next == window.count, !isEnd, next < index + 1 + ParseLimits.lookaheadBytesMax { return index }
        if next < limit, window[next] == UInt8(ascii: "\"") {
          isSkipping = false
          isRecovering = byte != Self.object || !sawEnd
          if byte == Self.object { return index }
          if brokenOpener != 0, stack.count < ParseLimits.depthMax { stack.append(brokenOpener) }
          return next
        }
      }
      index += 1
    }
    return index
  }
}
