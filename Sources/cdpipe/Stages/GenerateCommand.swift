// `cdpipe generate`

import ArgumentParser
import RecordStages
import Records
import Runner

/// Counts of digits, such as `12`, `11,12` or `6-12`.
struct DigitCounts: ExpressibleByArgument, Equatable {
  /// Bit `n` is set if `n` digits are allowed.
  let bits: UInt64

  init?(argument: String) {
    var bits: UInt64 = 0
    for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
      guard let first = ends.first ?? nil, let last = ends.last ?? nil, ends.count <= 2, first >= 1,
        first <= last, last <= PhoneNumber.digitsMax
      else { return nil }
      for count in first...last { bits |= 1 << UInt64(count) }
    }
    self.bits = bits
  }
}

struct GenerateArguments: StageArguments {
  static let keys: [String: KeyTraits] = [
    "patterns": KeyTraits(isList: true, isPositional: true), "exclude": .list, "patterns-file": .path,
  ]

  @Argument(
    help: ArgumentHelp(
      "Numbers with their calling code: '+82 70 XXXX XXXX', '+1 212', nanp:212, '33162*', A..B.",
      valueName: "pattern"), completion: .nothing)
  var patterns: [String] = []

  @Option(
    "Read more patterns from FILE, one per line; lines that start with # are comments.", value: "file",
    name: [.customLong("patterns"), .customLong("patterns-file")], completion: .file())
  var patternsFile: String?

  @Option(
    """
    Exclude numbers: '*000*', a prefix, a mask, A..B; several separated by commas. May be repeated.
    """, value: "pattern")
  var exclude: [String] = []

  @Option(
    """
    The number of digits of patterns with an open end, with the calling code: 12, 11,12 or 6-12 \
    (default: those of the numbering plan).
    """, value: "n")
  var lengths: DigitCounts?

  @Option("The label of all records.", value: "text")
  var label = ""

  @Option("The source of all records.", value: "text")
  var source = ""

  @Option("The score of all records.", value: "n", parsing: .unconditional)
  var score: Int64?

  var options: GenerateOptions {
    GenerateOptions(
      patterns: patterns, patternFile: patternsFile,
      excludes: exclude.flatMap {
        $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      },
      lengths: lengths?.bits, fields: RecordFields.Fields(label: label, source: source, score: score))
  }

  /// Creates the stage's plan. Patterns are checked here, because an error in a pattern is a usage error that names the
  /// option.
  func plan() throws -> any StagePlan {
    do throws(Failure) {
      try NumberSet.checkArguments(options)
    } catch {
      let sentence = error.userMessage
      throw ValidationError(sentence.sentence + (sentence.suggestion.map { "; \($0)" } ?? ""))
    }
    return options
  }
}

struct GenerateCommand: FilterCommand {
  static let row = StageRow(
    name: .generate, group: .sets, command: Self.self, position: .generator,
    arguments: GenerateArguments.self)

  static let configuration = CommandConfiguration(
    commandName: "generate", abstract: "Write the numbers of patterns, area codes and ranges.",
    discussion: """
      Writes records in ascending order: disjoint, and in ranges as long as possible. In a pattern X, # and ? are one \
      digit each, and so is each of two or more stars; one star at the end is any number of digits that the numbering \
      plan allows. Digits alone are a number if the plan has it, otherwise a prefix. nanp:212 is an area code of the \
      North American plan, and must exist. Several patterns are combined. Ranges are not expanded, so the time \
      depends on the number of ranges only.
      """)

  @Flag(help: "Only print the count of numbers.")
  var countOnly = false

  @OptionGroup var arguments: GenerateArguments

  @Option(output: .complete)
  var output = "-"

  @OptionGroup var packing: PackingOptions
  @OptionGroup var common: CommonOptions

  func parts() throws -> FilterParts {
    if countOnly { throw ValidationError("\(option: "count-only") can't be used in a pipe") }
    return try FilterParts(input: .nothing, stages: [arguments.plan()], output: output, packing: packing)
  }

  func run() throws {
    guard countOnly else { return try execute() }
    _ = try arguments.plan()
    var numbers = try NumberSet(arguments.options)
    StandardOutput.print(String(try numbers.count()))
  }
}
