// The generate stage: turns patterns into records. It has no input; `finish` makes it run.

package import Records
package import SystemIO

/// Outputs the numbers of patterns as records: ascending, disjoint, in ranges as long as possible.
///
/// Memory: the patterns' automaton and one batch, regardless of the number of numbers. Time: O(ranges).
package final class Generator: RecordSink {
  private var state: GeneratorState

  /// Parses the patterns, and makes a stage that sends records to `downstream` when `finish` is called.
  package init(
    options: GenerateOptions, context: StageContext, downstream: any RecordSink
  ) throws(Failure) {
    state = try GeneratorState(options, context, downstream)
  }

  /// Does nothing: no stage precedes this one.
  package func receive(_ batch: inout RecordBatch) {}

  /// Outputs all records, and ends the stream.
  package func finish() throws(Failure) {
    try state.run()
  }
}

private struct GeneratorState: ~Copyable {
  private var numbers: NumberSet
  private var output: RangeWriter

  init(
    _ options: GenerateOptions, _ context: StageContext, _ downstream: any RecordSink
  ) throws(Failure) {
    let numbers: NumberSet
    do throws(GenerateError) {
      numbers = try NumberSet(options, calls: context.calls)
    } catch {
      throw Failure(context.stage, error)
    }
    let recordFields = RecordFields.bytes(options.fields)
    do throws(RecordFieldsError) {
      _ = try RecordFields.check(recordFields.span)
    } catch {
      throw Failure(context.stage, GenerateError.badFields(error))
    }
    self.numbers = numbers
    output = RangeWriter(recordFields, context, downstream)
  }

  mutating func run() throws(Failure) {
    try numbers.forEachRange(&output)
    try output.finish()
  }
}

private struct RangeWriter: RangeSink, ~Copyable {
  private let recordFields: [UInt8]
  private let meter: StageMeter
  private let downstream: any RecordSink
  private var batch = RecordBatch()

  init(_ recordFields: [UInt8], _ context: StageContext, _ downstream: any RecordSink) {
    self.recordFields = recordFields
    meter = context.meter
    self.downstream = downstream
  }

  mutating func receive(_ range: ClosedRange<UInt64>) throws(Failure) {
    let recordFields = recordFields
    if batch.append(first: range.lowerBound, last: range.upperBound, recordFields: recordFields.span) {
      return
    }
    try flush()
    _ = batch.append(first: range.lowerBound, last: range.upperBound, recordFields: recordFields.span)
  }

  private mutating func flush() throws(Failure) {
    guard !batch.isEmpty else { return }
    // The generated records are the input of the pipe.
    meter.rowsIn.add(batch.count)
    meter.rowsOut.add(batch.count)
    try downstream.receive(&batch)
    batch.removeAll()
  }

  mutating func finish() throws(Failure) {
    try flush()
    meter.finish()
    try downstream.finish()
  }
}

/// The options of `generate`.
package struct GenerateOptions: Equatable, Sendable {
  /// The maximum number of patterns, included and excluded: the world has about 2,000 area codes, and many single
  /// numbers are a list, not patterns.
  package static let patternsMax = 4096
  /// The maximum size of a pattern file: 4096 long lines.
  package static let fileBytesMax = 1 << 20

  /// The patterns from the command line or pipeline file.
  package var patterns: [String]
  /// A file with more patterns, one per line; lines that begin with `#` are comments.
  package var patternFile: String?
  /// Patterns of numbers to exclude.
  package var excludes: [String]
  /// The lengths for patterns of unspecified length, in digits including the calling code: bit `n` for `n` digits. Nil
  /// for those of the numbering plan.
  package var lengths: UInt64?
  /// Label, source and score of all records.
  package var fields: RecordFields.Fields

  /// Makes options.
  package init(
    patterns: [String], patternFile: String? = nil, excludes: [String] = [], lengths: UInt64? = nil,
    fields: RecordFields.Fields = RecordFields.Fields()
  ) {
    self.patterns = patterns
    self.patternFile = patternFile
    self.excludes = excludes
    self.lengths = lengths
    self.fields = fields
  }
}

extension StageName {
  /// Turns patterns into records.
  package static let generate = StageName(rawValue: "generate")
}

extension GenerateOptions: StagePlan {
  /// The stage's name.
  package var name: StageName { .generate }
  /// The kind of data that flows in.
  package var input: DataKind { .nothing }
  /// The kind of data that flows out.
  package var output: DataKind { .records }
  /// The files that the stage reads or writes besides the data that flows through it.
  package var files: [StageFile] { patternFile.map { [StageFile($0, .input)] } ?? [] }

  /// Builds the stage, which sends its output to `downstream`.
  package func makeSink(
    _ environment: StageEnvironment, downstream: AnySink
  ) throws(Failure) -> AnySink {
    .records(
      try Generator(options: self, context: environment.context, downstream: downstream.recordSink))
  }
}

/// Why a pattern is invalid.
package enum NumberPatternErrorReason: Equatable, Sendable {
  /// It is empty.
  case empty
  /// It has a character that is not a digit, a wildcard or punctuation.
  case unexpected(Unicode.Scalar)
  /// It starts with 0, which no country calling code does.
  case leadingZero
  /// It has more digits than a number can have.
  case tooManyDigits(limit: Int)
  /// Something follows a star, which matches any number of digits.
  case starNotLast
  /// A plus sign is not at the start.
  case plusNotFirst
  /// The dots of a range are not between two numbers.
  case malformedRange
  /// The ends of a range have different numbers of digits.
  case unequalLengths
  /// The last number of a range is less than the first.
  case descending
  /// The calling code is not assigned, so the length of the numbers is unknown.
  case noCallingCode
  /// This calling code has no numbers of this length.
  case impossibleLength(digits: Int, callingCode: UInt16)
  /// The numbering plan has no numbers with this prefix.
  case noNumbers
  /// The pattern is longer than all of the requested lengths.
  case noLength
  /// An area code of the North American plan must have three digits.
  case areaNotThreeDigits
  /// An area code of the North American plan must start with 2 to 9.
  case areaBelow200(code: Int)
  /// N11 is a service code, such as 911.
  case areaIsService(code: Int)
  /// N9X is reserved for longer numbers, 37X and 96X for future plans.
  case areaIsReserved(code: Int)
  /// The numbering plan has no numbers with this area code.
  case areaNotAssigned(code: Int)
}

/// Why `generate` fails.
package enum GenerateError: Error, ErrorCause {
  /// The origin of a pattern.
  package enum Origin: Equatable, Sendable {
    /// On the command line or in a pipeline file.
    case argument
    /// The same, as an exclusion.
    case excluded
    /// A line of a pattern file, from 1.
    case file(String, line: Int)
  }

  /// A pattern is invalid, at the given character, from 1, or 0 for the whole pattern.
  case badPattern(String, position: Int, NumberPatternErrorReason, Origin)
  /// Label, source and score together are not valid record fields.
  case badFields(RecordFieldsError)
  /// There is no pattern at all; `file` is the pattern file if there is one.
  case noPatterns(file: String?)
  /// There are too many patterns; `file` is the pattern file if it is the cause.
  case tooManyPatterns(limit: Int, file: String?)
  /// The patterns' automaton has too many states; `file` is the pattern file if there is one.
  case tooManyStates(limit: Int, file: String?)
  /// A pattern file is too large.
  case fileTooLarge(path: String, bytesMax: Int)
  /// A pattern file can't be read.
  case unreadable(SystemError)

  /// A usage error, or bad data if a file is the cause.
  package var errorClass: ErrorClass {
    switch self {
    case .badPattern(_, _, _, .file), .fileTooLarge, .noPatterns(_?), .tooManyPatterns(_, _?),
      .tooManyStates(_, _?):
      .badData
    case .unreadable(let failure): failure.errorClass
    default: .usage
    }
  }
}

extension GenerateError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of _: StageName?) -> UserMessage {
    switch self {
    case .badPattern(let text, let place, let error, let origin):
      let at = place > 0 ? ", character \(place)" : ""
      let quoted = "'\(PrintableText.line(text))'"
      let isEmpty = error == .empty
      let shown = isEmpty ? "the pattern \(quoted) \(error.text)" : "\(quoted)\(at): \(error.text)"
      return switch origin {
      case .argument: UserMessage(shown, hint: error.hint)
      case .excluded: UserMessage("--exclude\(isEmpty ? ":" : "") \(shown)", hint: error.hint)
      case .file(let path, let line): UserMessage("\(path):\(line): \(shown)", hint: error.hint)
      }
    case .badFields: return UserMessage("label and source together are too long")
    case .noPatterns(let file?):
      return UserMessage(
        "'\(file)' has no patterns",
        hint: "write one pattern per line, such as +82 70 XXXX XXXX; lines that start with # are comments")
    case .noPatterns(nil):
      return UserMessage(
        "no pattern given",
        hint: "use a pattern such as '+82 70 XXXX XXXX', '+1 212', 'nanp:212', '33162*' or A..B")
    case .tooManyPatterns(let limit, let file):
      return UserMessage(
        Self.place(file) + "more than \(Figures.grouped(UInt64(limit))) patterns",
        hint: "for single numbers, use a list with 'cdpipe normalize', 'sort' and 'dedupe'")
    case .tooManyStates(let statesMax, let file):
      return UserMessage(
        Self.place(file)
          + "the patterns together have more than \(Figures.grouped(UInt64(statesMax))) states",
        hint: "use fewer patterns that start with a star, or remove lists with 'cdpipe subtract'")
    case .fileTooLarge(let path, let bytesMax):
      return UserMessage("'\(path)' is larger than \(Figures.bytes(bytesMax)): is it a file of patterns?")
    case .unreadable(let error): return error.userMessage
    }
  }

  private static func place(_ file: String?) -> String { file.map { "'\($0)': " } ?? "" }
}

extension NumberPatternErrorReason {
  /// What is wrong with a pattern.
  var text: String {
    switch self {
    case .empty: "has no digits"
    case .unexpected(let scalar): "'\(PrintableText.line(String(scalar)))' is not a digit or a wildcard"
    case .leadingZero: "no international number starts with 0"
    case .tooManyDigits(let limit): "more than \(limit) digits"
    case .starNotLast: "a star is allowed only at the end"
    case .plusNotFirst: "a plus sign is allowed only at the start"
    case .malformedRange: "a range is two complete numbers with two dots between them"
    case .unequalLengths: "the two ends of the range have different numbers of digits"
    case .descending: "the range ends before it starts"
    case .noCallingCode: "unknown country calling code"
    case .impossibleLength(let digits, let code): "numbers of +\(code) never have \(digits) digits in total"
    case .noNumbers: "the numbering plan has no such numbers"
    case .noLength: "it has more digits than --lengths allows"
    case .areaNotThreeDigits: "an area code has three digits"
    case .areaBelow200(let code): "\(code) is not an area code: area codes start with 2 to 9"
    case .areaIsService(let code): "\(code) is a service code, not an area code"
    case .areaIsReserved(let code): "\(code) is reserved and not an area code yet"
    case .areaNotAssigned(let code): "\(code) is not assigned"
    }
  }

  /// What to write instead.
  var hint: String? {
    switch self {
    case .unexpected: "use X, # or ? for one digit, * for any number of digits"
    case .leadingZero: "write the country calling code without the trunk zero: +82 70 …, not 070 …"
    case .starNotLast: "use X, # or ? for one digit"
    case .impossibleLength:
      "use a star instead of the wildcards: it stands for the lengths in the numbering plan"
    case .noNumbers: "set the total number of digits with --lengths N"
    case .areaNotAssigned(let code): "to include its numbers anyway, use '+1\(code)XXXXXXX'"
    default: nil
    }
  }
}
