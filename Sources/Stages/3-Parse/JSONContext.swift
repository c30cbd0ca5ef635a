// The state of the JSON reader between two units: its position in the input, and its recovery from a broken unit.
//
// Not for: what is known about the object that is being read (JSONSeen).

/// The position in the input, as far as it affects the meaning of the next unit.
struct JSONContext {
  /// The open brackets.
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
  /// The byte before the window.
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

  /// Continues at a position.
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

/// How the JSON reader recovers from a broken unit.
enum JSONRecovery {
  /// No unit is broken.
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

  /// Whether a bracket may have to be treated as open.
  var mayAssumeBracket: Bool {
    if case .resumedAtLine = self { true } else { false }
  }

  /// Records the end of a line.
  mutating func endLine() {
    if case .resumed = self { self = .none }
  }
}
