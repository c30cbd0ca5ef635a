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
