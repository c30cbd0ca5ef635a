// The set of numbers that patterns match: its size, and its ranges in order.

package import Records
package import SystemIO

/// The numbers that some patterns match and others don't. It stores patterns, not numbers.
///
///     var numbers = try NumberSet(GenerateOptions(patterns: ["+82 70 XXXX XXXX"]))
///     try numbers.count()  // 100,000,000
package struct NumberSet {
  private var automaton: DigitAutomaton

  package init(_ options: GenerateOptions, calls: any SystemCalls = KernelCalls()) throws(Failure) {
    let file = options.patternFile
    let arguments = try Self.included(options.patterns.map { (text: $0, origin: .argument) }, options)
    var included = arguments
    if let file {
      let patterns = try StageFile.lines(of: file, "patterns", .generate, calls).map { line in
        (text: line.text, origin: PatternOrigin.file(file, line: line.number))
      }
      included += try Self.included(patterns, options, file: file)
    }
    let excluded = try Self.excluded(options)
    guard !included.isEmpty else { throw Failure.noPatterns(file: file) }
    guard included.count + excluded.count <= GenerateOptions.patternsMax else {
      throw Failure.tooManyPatterns(file: file)
    }
    automaton = try DigitAutomaton(included: included, excluded: excluded, file: file)
  }

  /// Checks the patterns from the command line, without reading the file.
  package static func checkArguments(_ options: GenerateOptions) throws(Failure) {
    _ = try included(options.patterns.map { (text: $0, origin: .argument) }, options)
    _ = try excluded(options)
    if options.patterns.isEmpty, options.patternFile == nil { throw Failure.noPatterns(file: nil) }
  }

  /// The number of numbers.
  ///
  /// - Complexity: O(states of the patterns' automaton), regardless of the result.
  package mutating func count() throws(Failure) -> UInt64 {
    var sum: UInt64 = 0
    for digits in 1...PhoneNumber.digitsMax { sum += try automaton.count(automaton.start, digits) }
    return sum
  }

  /// Sends the numbers as ranges to the sink: ascending, disjoint, and as long as possible.
  ///
  /// - Complexity: O(ranges), including the creation of states.
  mutating func forEachRange(_ sink: inout RangeWriter) throws(Failure) {
    var run: ClosedRange<UInt64>?
    for digits in 1...PhoneNumber.digitsMax { try visit(automaton.start, prefix: 0, digits, &run, &sink) }
    if let run { try sink.receive(run) }
  }

  /// Visits the numbers that start with `prefix` and have `digits` more digits. The last range may continue after them.
  private mutating func visit(
    _ state: Int, prefix: UInt64, _ digits: Int, _ run: inout ClosedRange<UInt64>?,
    _ sink: inout RangeWriter
  ) throws(Failure) {
    let count = try automaton.count(state, digits)
    if count == 0 { return }
    let all = Decimal.tenToThe(digits)
    if count == all {
      let first = prefix * all
      if let pending = run, pending.upperBound + 1 == first {
        run = pending.lowerBound...first + (all - 1)
      } else {
        if let pending = run { try sink.receive(pending) }
        run = first...first + (all - 1)
      }
      return
    }
    for digit in 0..<UInt8(10) {
      let next = try automaton.next(state, digit)
      try visit(next, prefix: prefix * 10 + UInt64(digit), digits - 1, &run, &sink)
    }
  }

  // MARK: Parsing

  private static func included(
    _ patterns: [(text: String, origin: PatternOrigin)], _ options: GenerateOptions,
    file: String? = nil
  ) throws(Failure) -> [DigitPattern] {
    var read: [DigitPattern] = []
    for (text, origin) in patterns {
      do throws(PatternTextError) {
        read += try IncludedPattern.patterns(text, lengths: options.lengths)
      } catch {
        throw Failure.badPattern(text, error, origin)
      }
      guard read.count <= GenerateOptions.patternsMax else { throw Failure.tooManyPatterns(file: file) }
    }
    return read
  }

  private static func excluded(_ options: GenerateOptions) throws(Failure) -> [DigitPattern] {
    var read: [DigitPattern] = []
    for text in options.excludes {
      do throws(PatternTextError) {
        read.append(try ExcludedPattern.pattern(text))
      } catch {
        throw Failure.badPattern(text, error, .excluded)
      }
    }
    return read
  }
}

// An automaton over digits for many included and excluded patterns, with the count of the numbers after each state.
//
// The counts make ranges cheap: a state after which all numbers are included is one range, and a state after which
// none is included is skipped. So the work is proportional to the ranges, not to the numbers. States are created on
// demand. Source: the standard subset construction (Rabin and Scott, 1959).

struct DigitAutomaton {
  /// The maximum number of states, about 300 bytes each: 20 MiB. 4096 single numbers of 15 digits need fewer.
  static let statesMax = 65_536
  /// The state after which no number is included.
  static let dead = 0

  private struct SubsetState {
    /// Pairs of a pattern's index and a position in it, ascending: every way to match the digits so far.
    var items: [UInt64]
    var accepts: Bool
    /// The next state for each digit; -1 if it has not been created.
    var next: [Int32]
    /// The counts of numbers with n more digits, by n; `.max` if not computed.
    var counts: [UInt64]
  }

  private let patterns: [DigitPattern]
  private let firstExcluded: Int
  private let file: String?
  private var states: [SubsetState] = []
  private var stateIndices: [[UInt64]: Int] = [:]
  private(set) var start = 0

  init(included: [DigitPattern], excluded: [DigitPattern], file: String?) throws(Failure) {
    patterns = included + excluded
    firstExcluded = included.count
    self.file = file
    states = [SubsetState(items: [], accepts: false, next: Array(repeating: 0, count: 10), counts: [])]
    var items: [UInt64] = []
    for index in patterns.indices { items += Self.items(index, patterns[index].start) }
    start = try state(items)
  }

  mutating func next(_ state: Int, _ digit: UInt8) throws(Failure) -> Int {
    let made = states[state].next[Int(digit)]
    if made >= 0 { return Int(made) }
    var items: [UInt64] = []
    for item in states[state].items {
      let pattern = Int(item >> 32)
      let position = DigitPattern.Position(truncatingIfNeeded: item)
      items += Self.items(pattern, patterns[pattern].next(position, digit))
    }
    let next = try self.state(items)
    states[state].next[Int(digit)] = Int32(truncatingIfNeeded: next)
    return next
  }

  /// The count of included numbers with `digits` more digits after a state.
  ///
  /// - Complexity: O(states) for all calls together.
  mutating func count(_ state: Int, _ digits: Int) throws(Failure) -> UInt64 {
    if state == Self.dead { return 0 }
    let cached = states[state].counts[digits]
    if cached != .max { return cached }
    var sum: UInt64 = 0
    if digits == 0 {
      sum = states[state].accepts ? 1 : 0
    } else {
      for digit in 0..<UInt8(10) { sum += try count(next(state, digit), digits - 1) }
    }
    states[state].counts[digits] = sum
    return sum
  }

  private static func items(_ pattern: Int, _ positions: [DigitPattern.Position]) -> [UInt64] {
    positions.map { UInt64(pattern) << 32 | UInt64($0) }
  }

  private mutating func state(_ unsorted: [UInt64]) throws(Failure) -> Int {
    var items: [UInt64] = []
    var isIncluded = false
    var accepts = false
    var isExcluded = false
    for item in unsorted.sorted() where item != items.last {
      let pattern = Int(item >> 32)
      let position = DigitPattern.Position(truncatingIfNeeded: item)
      if pattern < firstExcluded {
        isIncluded = true
        if patterns[pattern].accepts(position) { accepts = true }
      } else {
        // All numbers after this state are excluded.
        if patterns[pattern].acceptsAll(after: position) { return Self.dead }
        if patterns[pattern].accepts(position) { isExcluded = true }
      }
      items.append(item)
    }
    guard isIncluded else { return Self.dead }
    if let state = stateIndices[items] { return state }
    guard states.count < Self.statesMax else { throw Failure.tooManyStates(file: file) }
    stateIndices[items] = states.count
    states.append(
      SubsetState(
        items: items, accepts: accepts && !isExcluded, next: Array(repeating: -1, count: 10),
        counts: Array(repeating: .max, count: PhoneNumber.digitsMax + 1)))
    return states.count - 1
  }
}

enum PatternOrigin {
  /// On the command line or in a pipeline file.
  case argument
  case excluded
  /// A line of a pattern file, from 1.
  case file(String, line: Int)
}

extension Failure {
  fileprivate static func badPattern(
    _ text: String, _ error: PatternTextError, _ origin: PatternOrigin
  ) -> Failure {
    let at = error.position > 0 ? ", character \(error.position)" : ""
    let quoted = "'\(PrintableText.line(text))'"
    let shown = error.isEmpty ? "the pattern \(quoted) \(error.text)" : "\(quoted)\(at): \(error.text)"
    let (errorClass, sentence): (ErrorClass, String) =
      switch origin {
      case .argument: (.usage, shown)
      case .excluded: (.usage, "\(option: "exclude")\(error.isEmpty ? ":" : "") \(shown)")
      case .file(let path, let line): (.badData, "\(path):\(line): \(shown)")
      }
    return Failure(.generate, errorClass, "bad-pattern", sentence, hint: error.hint)
  }

  /// `file` is the pattern file if there is one.
  fileprivate static func noPatterns(file: String?) -> Failure {
    guard let file else {
      return Failure(
        .generate, .usage, "no-patterns", "no pattern given",
        hint: "use a pattern such as '+82 70 XXXX XXXX', '+1 212', 'nanp:212', '33162*' or A..B")
    }
    return Failure(
      .generate, .badData, "no-patterns", "'\(file)' has no patterns",
      hint: "write one pattern per line, such as +82 70 XXXX XXXX; lines that start with # are comments")
  }

  /// `file` is the pattern file if it is the cause.
  fileprivate static func tooManyPatterns(file: String?) -> Failure {
    Failure(
      .generate, file == nil ? .usage : .badData, "too-many-patterns",
      (file.map { "'\($0)': " } ?? "")
        + "more than \(Figures.grouped(UInt64(GenerateOptions.patternsMax))) patterns",
      hint: "for single numbers, use a list with 'cdpipe normalize', 'sort' and 'dedupe'")
  }

  fileprivate static func tooManyStates(file: String?) -> Failure {
    Failure(
      .generate, file == nil ? .usage : .badData, "too-many-states",
      (file.map { "'\($0)': " } ?? "")
        + "the patterns together have more than \(Figures.grouped(UInt64(DigitAutomaton.statesMax))) states",
      hint: "use fewer patterns that start with a star, or remove lists with 'cdpipe subtract'")
  }
}
