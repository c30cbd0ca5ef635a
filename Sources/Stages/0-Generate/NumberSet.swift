// The set of numbers that patterns match: its size, and its ranges in order.

import Records
package import SystemIO

/// The numbers that some patterns match and others don't. It stores patterns, not numbers.
///
///     var numbers = try NumberSet(GenerateOptions(patterns: ["+82 70 XXXX XXXX"]))
///     try numbers.count()  // 100,000,000
package struct NumberSet {
  private var automaton: DigitAutomaton

  /// Parses the patterns.
  ///
  /// Throws an error with the reason for which a pattern is invalid, and its position.
  package init(_ options: GenerateOptions, calls: any SystemCalls = KernelCalls()) throws(GenerateError) {
    let file = options.patternFile
    let arguments = try Self.included(options.patterns.map { (text: $0, origin: .argument) }, options)
    var included = arguments
    if let file { included += try Self.included(PatternFile.patterns(file, calls), options, file: file) }
    let excluded = try Self.excluded(options)
    guard !included.isEmpty else { throw .noPatterns(file: file) }
    guard included.count + excluded.count <= GenerateOptions.patternsMax else {
      throw .tooManyPatterns(limit: GenerateOptions.patternsMax, file: file)
    }
    automaton = try DigitAutomaton(included: included, excluded: excluded, file: file)
  }

  /// Checks the patterns from the command line, without reading the file.
  package static func checkArguments(_ options: GenerateOptions) throws(GenerateError) {
    _ = try included(options.patterns.map { (text: $0, origin: .argument) }, options)
    _ = try excluded(options)
    if options.patterns.isEmpty, options.patternFile == nil { throw .noPatterns(file: nil) }
  }

  /// The number of numbers.
  ///
  /// - Complexity: O(states of the patterns' automaton), regardless of the result.
  package mutating func count() throws(GenerateError) -> UInt64 {
    var sum: UInt64 = 0
    for digits in 1...PhoneNumber.digitsMax { sum += try automaton.count(automaton.start, digits) }
    return sum
  }

  /// Sends the numbers as ranges to the sink: ascending, disjoint, and as long as possible.
  ///
  /// - Complexity: O(ranges), including the creation of states.
  mutating func forEachRange(_ sink: inout some RangeSink & ~Copyable) throws(Failure) {
    var run: ClosedRange<UInt64>?
    for digits in 1...PhoneNumber.digitsMax {
      try visit(automaton.start, prefix: 0, digits, &run, &sink)
    }
    if let run { try sink.receive(run) }
  }

  /// Visits the numbers that start with `prefix` and have `digits` more digits. The last range may continue after them.
  private mutating func visit(
    _ state: Int, prefix: UInt64, _ digits: Int, _ run: inout ClosedRange<UInt64>?,
    _ sink: inout some RangeSink & ~Copyable
  ) throws(Failure) {
    let count = try mappingErrors { (automaton) throws(GenerateError) in try automaton.count(state, digits) }
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
      let next = try mappingErrors { (automaton) throws(GenerateError) in try automaton.next(state, digit) }
      try visit(next, prefix: prefix * 10 + UInt64(digit), digits - 1, &run, &sink)
    }
  }

  private mutating func mappingErrors<Value>(
    _ body: (inout DigitAutomaton) throws(GenerateError) -> Value
  ) throws(Failure) -> Value {
    do throws(GenerateError) {
      return try body(&automaton)
    } catch {
      throw Failure(.generate, error)
    }
  }

  // MARK: Parsing

  private static func included(
    _ patterns: [(text: String, origin: GenerateError.Origin)], _ options: GenerateOptions,
    file: String? = nil
  ) throws(GenerateError) -> [DigitPattern] {
    var read: [DigitPattern] = []
    for (text, origin) in patterns {
      do throws(PatternTextError) {
        read += try IncludedPattern.patterns(text, lengths: options.lengths)
      } catch {
        throw .badPattern(text, position: error.position, error.reason, origin)
      }
      guard read.count <= GenerateOptions.patternsMax else {
        throw .tooManyPatterns(limit: GenerateOptions.patternsMax, file: file)
      }
    }
    return read
  }

  private static func excluded(_ options: GenerateOptions) throws(GenerateError) -> [DigitPattern] {
    var read: [DigitPattern] = []
    for text in options.excludes {
      do throws(PatternTextError) {
        read.append(try ExcludedPattern.pattern(text))
      } catch {
        throw .badPattern(text, position: error.position, error.reason, .excluded)
      }
    }
    return read
  }
}

/// A sink for ranges.
protocol RangeSink: ~Copyable {
  mutating func receive(_ range: ClosedRange<UInt64>) throws(Failure)
}

// An automaton over digits for many included and excluded patterns, with the count of the numbers after each state.
//
// The counts make ranges cheap: a state after which all numbers are included is one range, and a state after which
// none is included is skipped. So the work is proportional to the ranges, not to the numbers. States are created on
// demand. Source: the standard subset construction (Rabin and Scott, 1959).

/// An automaton of included and excluded patterns.
struct DigitAutomaton {
  /// The maximum number of states, about 300 bytes each: 20 MiB. 4096 single numbers of 15 digits need fewer.
  static let statesMax = 65_536
  /// The state after which no number is included.
  static let dead = 0

  /// A state of the subset construction.
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
  /// The index of the first excluded pattern.
  private let firstExcluded: Int
  /// The pattern file, for errors; nil if there is none.
  private let file: String?
  private var states: [SubsetState] = []
  private var stateIndices: [[UInt64]: Int] = [:]
  /// The start state.
  private(set) var start = 0

  init(included: [DigitPattern], excluded: [DigitPattern], file: String?) throws(GenerateError) {
    patterns = included + excluded
    firstExcluded = included.count
    self.file = file
    states = [SubsetState(items: [], accepts: false, next: Array(repeating: 0, count: 10), counts: [])]
    var items: [UInt64] = []
    for index in patterns.indices { items += Self.items(index, patterns[index].start) }
    start = try state(items)
  }

  /// The state after one more digit.
  mutating func next(_ state: Int, _ digit: UInt8) throws(GenerateError) -> Int {
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
  mutating func count(_ state: Int, _ digits: Int) throws(GenerateError) -> UInt64 {
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

  /// The state with these items, created if necessary.
  private mutating func state(_ unsorted: [UInt64]) throws(GenerateError) -> Int {
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
    guard states.count < Self.statesMax else { throw .tooManyStates(limit: Self.statesMax, file: file) }
    stateIndices[items] = states.count
    states.append(
      SubsetState(
        items: items, accepts: accepts && !isExcluded, next: Array(repeating: -1, count: 10),
        counts: Array(repeating: .max, count: PhoneNumber.digitsMax + 1)))
    return states.count - 1
  }
}

enum PatternFile {
  /// The patterns of a file with their lines.
  static func patterns(
    _ path: String, _ calls: any SystemCalls
  ) throws(GenerateError) -> [(text: String, origin: GenerateError.Origin)] {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try InputFile.bytes(of: path, limit: GenerateOptions.fileBytesMax, calls: calls)
    } catch {
      throw .unreadable(error)
    }
    guard bytes.count <= GenerateOptions.fileBytesMax else {
      throw .fileTooLarge(path: path, bytesMax: GenerateOptions.fileBytesMax)
    }
    var patterns: [(text: String, origin: GenerateError.Origin)] = []
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let text = String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
      let front = text.first { !$0.isWhitespace && $0 != "\u{FEFF}" }
      if front == nil || front == "#" { continue }
      patterns.append((text, .file(path, line: index + 1)))
    }
    return patterns
  }
}
