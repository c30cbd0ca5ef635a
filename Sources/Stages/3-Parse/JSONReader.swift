// Finds rows in JSON of any layout, and in text that is close to JSON: the outer loop, and what is between rows.
//
// It reads unit by unit. A unit is a pair with its opening bracket (`{"n": "l"`), or a whole object if objects are
// rows; anything else between rows (brackets, commas, white space) is read byte by byte. A unit that crosses the end of
// the window is not started: the next window contains it with more bytes. Commas are treated as white space.

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

  func read(_ window: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter) throws(Failure) -> Int {
    if !isDecided {
      switch JSONCommonFields.examine(window, isEnd: isEnd, bytesMax: options.recordBytesMax) {
      case .cut: return 0
      case .pairs:
        let limit = min(options.recordBytesMax, ParseLimits.startBytesMax)
        if !isEnd, window.count < limit { return 0 }
        let lists = JSONLists(ofPairs: window.extracting(first: limit))
        switch JSONPairShape.examine(window, isEnd: isEnd, bytesMax: options.recordBytesMax) {
        case .cut: return 0
        case .numbersAreKeys:
          let verdicts = JSONVerdicts(window.extracting(first: limit))
          machine = JSONMachine(options, verdicts: verdicts, lists: lists)
        case .numbersAreValues: machine = JSONMachine(options, numbersAreValues: true, lists: lists)
        case .numbersAlone:
          var options = options
          options.labelField = options.labelField ?? .noText
          machine = JSONMachine(options, lists: lists)
        case .columns: throw .jsonColumns(input: rows.input)
        case .jCard: throw .jCard(input: rows.input)
        }
      case .objects(let found):
        machine = JSONMachine(
          found.chosen(options), parties: found.parties, verdicts: found.verdicts, lists: found.lists,
          reportsNumbers: true)
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
        bytes, isEnd: true, bytesMax: options.recordBytesMax)
    {
      options = found.chosen(options)
    }
    var layout = JSONFieldNames(bytes).layout(options, isNumberChosen: self.options.numberField != nil)
    if layout.rowsArePairs, layout.possibleNumbers.isEmpty {
      layout.possibleNumbers = JSONFieldNames.numberPosition(bytes).map { [String($0)] } ?? []
    }
    if layout.rowsArePairs, machine.fields.numbersAreValues {
      layout.numbersAreValues = true
      layout.possibleNumbers = []
      layout.hasOnlyOtherNumbers = false
    }
    if let parties = machine.fields.parties, parties.direction != nil || !parties.ownLine.isEmpty {
      layout.outgoing = parties.callee
    }
    if layout.rowsArePairs, machine.fields.label.constant != nil {
      layout.label = (self.options.labelField ?? .noText).text
    }
    return layout
  }
}

/// The state between units, and the loop over them.
struct JSONMachine: ~Copyable {
  static let object = UInt8(ascii: "{")
  static let array = UInt8(ascii: "[")
  static let angle = UInt8(ascii: "<")

  let fields: JSONFields
  let recordBytesMax: Int
  /// Whether numbers outside of the objects that are rows are rejects: no field was chosen.
  let reportsNumbers: Bool
  let lists: JSONLists
  /// Whether rows are plain pairs, and all rows of the fast path are within the size limit.
  let hasFastPath: Bool
  /// Whether the input is known to be RFC 8259 JSON up to the current position.
  let isStrict: Bool

  /// The position in the input.
  var context = JSONContext()
  var recovery = JSONRecovery.none
  /// The start of the unit's last token: a broken unit is searched from there on.
  var tokenStart = 0

  /// The innermost bracket that is open at the end of the input; 0 if there is none, or if it is unknown because
  /// something before the end was broken.
  var openAtEnd: UInt8 = 0

  // The object that is being read as a row, and the open brackets of the part of it that is skipped.
  var seen = JSONSeen()
  var inside: [UInt8] = []
  /// The values of the fields that show whether its number is blocked.
  var verdictValues: [JSONValue]

  init(
    _ options: ParseOptions, numbersAreValues: Bool = false, parties: JSONCallParties? = nil,
    verdicts: JSONVerdicts = JSONVerdicts(), lists: JSONLists = JSONLists(), reportsNumbers: Bool = false
  ) {
    self.lists = lists
    self.reportsNumbers = reportsNumbers
    fields = JSONFields(options, numbersAreValues: numbersAreValues, parties: parties, verdicts: verdicts)
    verdictValues = Array(repeating: JSONValue(), count: verdicts.fields.count)
    recordBytesMax = options.recordBytesMax
    hasFastPath =
      !options.rowsAreObjects && fields.isPlain && options.recordBytesMax >= Self.fastBytes
      && verdicts.labels == nil
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
      if hasFastPath, window.count - at >= Self.fastBytes, !recovery.mayAssumeBracket,
        context.otherListDepth == 0
      {
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
    byte == UInt8(ascii: ",") || byte.isASCIISpace
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
      let isExchanged = fields.numbersAreValues && unit.kind == .row && !unit.isElement
      try makeRow(isExchanged ? exchanged(unit, bytes) : unit, bytes, at, &rows)
    case .stray:
      // One reject per line, and nothing is skipped: the next byte may start a row.
      if !recovery.isResumed { try rows.reject(bytes, from: at, to: unit.end, .unexpectedText) }
      recovery = .resumed
      context.isDamaged = true
    case .word:
      if !recovery.isResumed { try rows.reject(bytes, from: at, to: unit.end, .unexpectedText) }
    case .outside:
      if !recovery.isResumed { try rows.reject(bytes, from: at, to: unit.end, .outsideRows) }
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
        let value = try JSONToken.scalar(bytes, from: at, atEnd: atEnd)
        return JSONUnit(kind: betweenRows(bytes, value), end: value.end)
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
    if context.stack.count < context.otherListDepth { context.otherListDepth = 0 }
    return JSONUnit(end: at + 1)
  }

  func byte(before at: Int, _ window: Span<UInt8>) -> UInt8 { at > 0 ? window[at - 1] : context.previousByte }

  /// Whether there is only white space between the start of the line and `at`.
  func isLineStart(_ window: Span<UInt8>, _ at: Int) -> Bool {
    var index = at
    while index > 0 {
      index -= 1
      if window[index] == 0x0A { return true }
      if !window[index].isASCIISpace { return false }
    }
    return index == 0 && context.isAtLineStart
  }
}

/// The position in the input, as far as it affects the meaning of the next unit.
struct JSONContext {
  var stack: [UInt8] = []
  /// Whether something was broken, so that brackets need not match.
  var isDamaged = false
  /// Whether a colon precedes: an opening bracket then starts a value.
  var isAfterColon = false
  /// Whether the last unit was a pair without a bracket before it.
  var isInRun = false
  /// The depth of the array in which a row with brackets or a colon was last seen, or 0: a single value in that array
  /// is a broken row.
  var rowsInArrayDepth = 0
  /// The number of times that reading resumed inside a broken row since the last whole row.
  var resumedInside = 0
  /// The number of brackets around a list of numbers that are not blocked; 0 if the position is in none.
  var otherListDepth = 0
  var previousByte: UInt8 = 0x0A
  /// Whether only white space is between the last line end and the window.
  var isAtLineStart = true

  init() {
    stack.reserveCapacity(ParseLimits.depthMax)
  }

  /// The position at the start of a line that is at most one bracket deep; nil anywhere else, and inside a broken row.
  var position: ReaderPosition? {
    guard stack.count <= 1, !isAfterColon, resumedInside == 0, previousByte == 0x0A, isAtLineStart else {
      return nil
    }
    return ReaderPosition(
      isAfterReject: isDamaged, brackets: stack, isInRun: isInRun, rowsInArrayDepth: rowsInArrayDepth)
  }

  mutating func resume(at position: ReaderPosition) {
    reset()
    stack.append(contentsOf: position.brackets)
    isDamaged = position.isAfterReject
    isInRun = position.isInRun
    rowsInArrayDepth = position.rowsInArrayDepth
  }

  /// Begins another input.
  mutating func reset() {
    var stack: [UInt8] = []
    swap(&stack, &self.stack)
    stack.removeAll(keepingCapacity: true)
    self = JSONContext(stack: stack)
  }

  private init(stack: [UInt8]) {
    self.stack = stack
  }
}

enum JSONRecovery {
  case none
  /// The reader searches for the position where reading resumes. `opener` is the opening bracket of the broken unit, or
  /// 0; `sawEnd` is set once a closing bracket or a line end was passed.
  case skipping(opener: UInt8, sawEnd: Bool)
  /// The reader reads again. Anything broken before the next whole row or line end belongs to the reject that was
  /// already counted.
  case resumed
  /// The reader reads again at the start of a line. If the line starts with a key, `bracket` is treated as open.
  case resumedAtLine(bracket: UInt8)

  /// Whether broken parts belong to a reject that was already counted.
  var isResumed: Bool {
    if case .resumed = self { true } else { false }
  }

  var mayAssumeBracket: Bool {
    if case .resumedAtLine = self { true } else { false }
  }

  mutating func endLine() {
    if case .resumed = self { self = .none }
  }
}

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
      } else if !byte.isASCIISpace {
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
    while first < limit, window[first].isASCIISpace { first += 1 }
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
    while next < limit, window[next].isASCIISpace, window[next] != 0x0A || !stopsAtLine {
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
      let isOnNextLine = index == bytes.count || bytes[index].isASCIISpace
      guard isOnNextLine, byte(before: at, bytes).isASCIISpace else { return .broken(.unexpectedText) }
    }
    while index < end, bytes[index] != 0x0A { index += 1 }
    if !atEnd, index == bytes.count { throw .cut }
    // No row starts in the comment.
    tokenStart = index - 1
    return .broken(.unexpectedText)
  }
}
