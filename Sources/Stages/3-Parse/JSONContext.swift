// The state of the JSON reader between two units: where in the input it is, and how it recovers from a broken unit.
//
// Not for: what is known of the object that is being read (JSONSeen).

/// The position in the input, as far as the meaning of the next unit depends on it.
struct JSONContext {
  /// The open brackets.
  var stack: [UInt8] = []
  /// Something was broken, so brackets need not match.
  var isDamaged = false
  /// A colon comes before: an opening bracket begins a value.
  var isAfterColon = false
  /// The last unit was a pair without a bracket before it.
  var isInRun = false
  /// How many brackets were open where a row with brackets or a colon of its own was last seen in an array, or 0: a
  /// value alone in that array is a broken row.
  var rowsInArrayDepth = 0
  /// How often reading was resumed inside a broken row since the last whole one.
  var resumedInside = 0
  /// The byte before the window.
  var previousByte: UInt8 = 0x0A
  /// Whether only white space is between the last line end and the window.
  var isAtLineStart = true

  init() {
    stack.reserveCapacity(ParseLimits.depthMax)
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
  /// Nothing: no unit is broken.
  case none
  /// It searches the place where reading resumes. `opener` is the opening bracket of the broken unit, or 0; `sawEnd` is
  /// set once a closing bracket or a line end was passed.
  case skipping(opener: UInt8, sawEnd: Bool)
  /// It reads again. What is broken before the next whole row or line end belongs to the reject that is counted
  /// already.
  case resumed
  /// It reads again at the start of a line. If that begins with a key, `bracket` counts as open.
  case resumedAtLine(bracket: UInt8)

  /// Whether broken pieces belong to a reject that is counted already.
  var isResumed: Bool {
    if case .resumed = self { true } else { false }
  }

  /// Whether a bracket may count as open.
  var owesBracket: Bool {
    if case .resumedAtLine = self { true } else { false }
  }

  /// The line ends.
  mutating func endLine() {
    if case .resumed = self { self = .none }
  }
}
