// Finds rows in JSON of any layout, and in text that is close to JSON: the outer loop, and what is between rows.
//
// It reads unit by unit. A unit is a pair with its opening bracket (`{"n": "l"`), or a whole object if objects are
// rows; anything else between rows (brackets, commas, white space) is read byte by byte. A unit that crosses the end of
// the window is not started: the next window contains it with more bytes. Commas are treated as white space.
//
// Not for: tokens (JSONToken), a pair (JSONPairs), a value in an array (JSONElements), an object (JSONObjects),
// recovery from a broken unit (JSONRecovery), RFC 8259 (JSONValidator).

import Records

extension ParseOptions.Format {
  package static let json = Self("json")
}

extension FormatDescription {
  static let json = FormatDescription(
    format: .json, what: "JSON of any layout, and text similar to JSON",
    recognised: "{ or [, or quoted keys with colons", fieldNames: .chosen, turn: .last, isJSON: true,
    matches: { Detection.isJSON($0) }, makeReader: { JSONReader($0.options) })
}

extension Failure {
  /// JSON that ends inside an array or an object after a whole row.
  static func unfinishedJSON(input: String, bracket: UInt8) -> Failure {
    parse(
      "unfinished-json",
      "\(InputName.quoted(input)) ends inside an \(bracket == UInt8(ascii: "[") ? "array" : "object")",
      hint: "get the whole input again; the rows before its end were read")
  }
}

/// The reader for the `json` format.
final class JSONReader: FormatReader {
  private let options: ParseOptions
  private var machine: JSONMachine
  /// Whether the kind of rows was chosen, or determined from the input's start.
  private var isDecided: Bool

  init(_ options: ParseOptions) {
    self.options = options
    machine = JSONMachine(options)
    isDecided = !JSONCommonFields.areNeeded(options)
  }

  func read(_ window: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter) throws(Failure) -> Int
  {
    if !isDecided {
      switch JSONCommonFields.examine(window, isEnd: isEnd, bytesMax: options.recordBytesMax) {
      case .cut: return 0
      case .pairs: break
      case .objects(let found): machine = JSONMachine(found.chosen(options))
      }
      isDecided = true
    }
    return try machine.read(window, isEnd, &rows)
  }

  func checkEnd(input: String) throws(Failure) {
    if machine.openAtEnd != 0 { throw .unfinishedJSON(input: input, bracket: machine.openAtEnd) }
  }

  var position: ReaderPosition? { isDecided ? machine.position : nil }

  func resume(at position: ReaderPosition) -> Bool {
    machine.resume(at: position)
    return isDecided
  }

  func reset() {
    guard JSONCommonFields.areNeeded(options) else { return machine.reset() }
    machine = JSONMachine(options)
    isDecided = false
  }

  func layout(of start: InputStart) -> InputLayout {
    var options = options
    let bytes = start.bytes.span
    if JSONCommonFields.areNeeded(options),
      case .objects(let found) = JSONCommonFields.examine(
        bytes, isEnd: start.isWhole, bytesMax: options.recordBytesMax)
    {
      options = found.chosen(options)
    }
    return JSONFieldNames(bytes).layout(options, isNumberChosen: self.options.numberField != nil)
  }
}

/// The state between units, and the loop over them.
struct JSONMachine: ~Copyable {
  static let object = UInt8(ascii: "{")
  static let array = UInt8(ascii: "[")
  static let angle = UInt8(ascii: "<")

  let fields: JSONFields
  let recordBytesMax: Int
  /// Whether rows are plain pairs, and all rows of the fast path are within the size limit.
  let hasFastPath: Bool
  /// Whether the input is known to be RFC 8259 JSON up to the current position.
  let isStrict: Bool

  /// The position in the input.
  var context = JSONContext()
  /// The recovery from a broken unit.
  var recovery = JSONRecovery.none
  /// The start of the unit's last token: a broken unit is searched from there on.
  var tokenStart = 0

  /// The innermost bracket that is open at the end of the input; 0 if there is none, or if it is unknown because
  /// something before the end was broken.
  var openAtEnd: UInt8 = 0

  // The object that is being read as a row, and the open brackets of the part of it that is skipped.
  var seen = JSONSeen()
  var inside: [UInt8] = []

  init(_ options: ParseOptions) {
    fields = JSONFields(options)
    recordBytesMax = options.recordBytesMax
    hasFastPath = !options.rowsAreObjects && fields.isPlain && options.recordBytesMax >= Self.fastBytes
    isStrict = options.isStrict
  }

  mutating func reset() {
    context.reset()
    inside.removeAll()
    recovery = .none
    openAtEnd = 0
  }

  /// The position between two units, of which the next one starts a line, outside of all brackets or in one.
  var position: ReaderPosition? {
    guard case .none = recovery, inside.isEmpty, openAtEnd == 0 else { return nil }
    return context.position
  }

  /// Continues at a position.
  mutating func resume(at position: ReaderPosition) {
    reset()
    context.resume(at: position)
  }

  mutating func read(
    _ window: Span<UInt8>, _ isEnd: Bool, _ rows: inout RowWriter
  ) throws(Failure) -> Int {
    let done = try readUnits(window, isEnd, &rows)
    if isEnd { noteEnd() }
    context.previousByte = byte(before: done, window)
    context.isAtLineStart = isLineStart(window, done)
    return done
  }

  private mutating func readUnits(
    _ window: Span<UInt8>, _ isEnd: Bool, _ rows: inout RowWriter
  ) throws(Failure) -> Int {
    var at = 0
    while true {
      if case .skipping = recovery {
        at = resume(window, from: at, isEnd)
        if case .skipping = recovery { return at }
      }
      while at < window.count, isFiller(window[at]) {
        if window[at] == 0x0A { recovery.endLine() }
        at += 1
      }
      if hasFastPath, window.count - at >= Self.fastBytes, !recovery.mayAssumeBracket {
        let inObject = context.stack.last == Self.object
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

  /// Whether an object at this position is neither inside another object nor too deep.
  private var isBetweenObjects: Bool {
    context.stack.count < ParseLimits.depthMax && (context.stack.last ?? Self.array) == Self.array
  }

  var isInObject: Bool { context.stack.last.map { $0 != Self.array } ?? false }

  // MARK: Units

  /// Reads one unit; returns the index after it, or -1 if the window ends inside it.
  private mutating func unit(
    _ window: Span<UInt8>, _ at: Int, _ isEnd: Bool, _ rows: inout RowWriter
  ) throws(Failure) -> Int {
    let unitBytesMax = recordBytesMax + ParseLimits.lookaheadCapacity
    let limit = min(window.count, at + unitBytesMax)
    let bytes = window.extracting(0..<limit)
    // A unit that fills this space is too long, even if the input ends exactly there: the result must not depend on the
    // windows.
    let isFull = limit - at == unitBytesMax
    let atEnd = isEnd && limit == window.count && !isFull
    assumeBracket(before: window[at])
    tokenStart = at
    let wasAfterColon = context.isAfterColon
    let reason: ParseReject
    var parsed: JSONUnit?
    var problem = JSONUnitError.cut
    do throws(JSONUnitError) {
      parsed = try parse(bytes, at, atEnd: atEnd)
    } catch {
      problem = error
    }
    if let parsed {
      try process(parsed, bytes, at, &rows)
      return parsed.end
    }
    if isStrict, atEnd, problem.isEnd {
      // The validator reports the error.
      return window.count
    }
    switch problem {
    case .broken(let cause):
      if isWrapper(bytes, at, cause) { return at + 1 }
      reason = cause
      if cause == .truncated { noteEnd() }
    case .cut:
      if isFull {
        if isWrapper(bytes, at, nil) { return at + 1 }
        reason = .recordTooLong(limit: recordBytesMax)
        tokenStart = limit - 1
      } else if atEnd {
        if isWrapper(bytes, at, nil) { return at + 1 }
        reason = .truncated
        noteEnd()
      } else {
        context.isAfterColon = wasAfterColon
        return -1
      }
    }
    let next = try rejectUnit(window, at, reason, isEnd, &rows)
    if next < 0 { context.isAfterColon = wasAfterColon }
    return next
  }

  /// Treats a bracket as open if a line starts with a key after a broken unit.
  private mutating func assumeBracket(before byte: UInt8) {
    guard case .resumedAtLine(let bracket) = recovery else { return }
    if byte == UInt8(ascii: "\""), context.stack.count < ParseLimits.depthMax {
      context.stack.append(bracket)
    }
    recovery = .none
  }

  /// Notes the bracket that is open at the end of the input.
  private mutating func noteEnd() {
    if !context.isDamaged { openAtEnd = context.stack.last ?? 0 }
  }

  private mutating func process(
    _ unit: JSONUnit, _ bytes: Span<UInt8>, _ at: Int, _ rows: inout RowWriter
  ) throws(Failure) {
    switch unit.kind {
    case .row, .numberless:
      // The end of the input was not inside the last row.
      openAtEnd = 0
      try makeRow(unit, bytes, at, &rows)
    case .stray:
      // One reject per line, and nothing is skipped: the next byte may start a row.
      if !recovery.isResumed { try rows.reject(bytes, from: at, to: unit.end, .unexpectedText) }
      recovery = .resumed
      context.isDamaged = true
    case .word:
      if !recovery.isResumed { try rows.reject(bytes, from: at, to: unit.end, .unexpectedText) }
    case .structure:
      break
    }
    context.isInRun = unit.kind == .row && unit.opened == 0 && !fields.rowsAreObjects && !unit.isElement
    if unit.opened != 0 { context.stack.append(unit.opened) }
    if unit.openedInside != 0 { context.stack.append(unit.openedInside) }
  }

  /// Parses the unit at `at`.
  mutating func parse(_ bytes: Span<UInt8>, _ at: Int, atEnd: Bool) throws(JSONUnitError) -> JSONUnit {
    switch bytes[at] {
    case Self.object:
      if context.isAfterColon {
        context.isAfterColon = false
      } else {
        while isInObject { context.stack.removeLast() }
        noteRowInArray()
      }
      if fields.rowsAreObjects { return try object(bytes, at) }
      return try opener(bytes, at, atEnd: atEnd)
    case Self.angle:
      while isInObject { context.stack.removeLast() }
      return try opener(bytes, at, atEnd: atEnd)
    case Self.array:
      if !context.isAfterColon { while isInObject { context.stack.removeLast() } }
      context.isAfterColon = false
      if fields.paths.rowsMayBeArrays { return try array(bytes, at) }
      if context.stack.count >= ParseLimits.depthMax { throw .broken(.tooDeep(limit: ParseLimits.depthMax)) }
      if !fields.rowsAreObjects, let pair = try pairInArray(bytes, at, atEnd: atEnd) { return pair }
      context.stack.append(Self.array)
      return JSONUnit(end: at + 1)
    case UInt8(ascii: "\""):
      if fields.rowsAreObjects || (isStrict && !isInObject && !isInList) {
        return try member(bytes, at, atEnd: atEnd)
      }
      return try pair(bytes, at, atEnd: atEnd)
    case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ">"):
      return try close(bytes[at], at)
    case UInt8(ascii: "/"), UInt8(ascii: "#"):
      throw try comment(bytes, at, atEnd: atEnd)
    default:
      if isInList { return try bareElement(bytes, at, atEnd: atEnd) }
      if isStrict || (fields.rowsAreObjects && !context.stack.isEmpty) {
        // A value in an array that is not needed; it may be the whole document.
        return JSONUnit(end: try JSONToken.scalar(bytes, from: at, atEnd: atEnd).end)
      }
      throw .broken(.unexpectedText)
    }
  }

  private mutating func close(_ bracket: UInt8, _ at: Int) throws(JSONUnitError) -> JSONUnit {
    let opener =
      bracket == UInt8(ascii: "}") ? Self.object : bracket == UInt8(ascii: "]") ? Self.array : Self.angle
    if opener == Self.array {
      // Brackets that were left open inside were rejected with their row.
      while isInObject, context.stack.contains(Self.array) { context.stack.removeLast() }
      if context.stack.count <= context.rowsInArrayDepth { context.rowsInArrayDepth = 0 }
    }
    if context.stack.last == opener {
      context.stack.removeLast()
    } else if !context.isDamaged {
      return JSONUnit(kind: .stray, end: at + 1)
    }
    return JSONUnit(end: at + 1)
  }

  func byte(before at: Int, _ window: Span<UInt8>) -> UInt8 { at > 0 ? window[at - 1] : context.previousByte }

  /// Whether there is only white space between the start of the line and `at`.
  func isLineStart(_ window: Span<UInt8>, _ at: Int) -> Bool {
    var index = at
    while index > 0 {
      index -= 1
      if window[index] == 0x0A { return true }
      if !JSONToken.isSpace(window[index]) { return false }
    }
    return index == 0 && context.isAtLineStart
  }
}
