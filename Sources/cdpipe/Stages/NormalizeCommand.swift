// `cdpipe normalize`

import ArgumentParser
import NumberPlan
package import RecordStages
import Records
import Runner

extension NormalizeOptions.Reading: ExpressibleByArgument {}
extension NormalizeOptions.Requirement: ExpressibleByArgument {}

extension Region {
  /// Parses a typed region code in upper or lower case.
  @Sendable static func typed(_ code: String) throws -> Region {
    guard let region = Region(code) else {
      throw ValidationError("no region has the code '\(code)'; codes have two letters, such as CN, US or GB")
    }
    return region
  }
}

/// How many numbers one pattern may stand for.
struct PatternLimit: Equatable {
  /// 0 for `no`.
  let numbersMax: UInt64

  @Sendable static func typed(_ text: String) throws -> PatternLimit {
    if text == "no" { return PatternLimit(numbersMax: 0) }
    guard let max = UInt64(text), max > 0 else {
      throw ValidationError("expected 'no', or a number such as 10000")
    }
    return PatternLimit(numbersMax: max)
  }
}

struct NormalizeArguments: StageArguments {
  /// Where YAML 1.1 is read, `no` is the Boolean `false`, so both mean the same.
  static let keys: [String: KeyTraits] = CountryArguments.keys.merging(
    ["patterns": KeyTraits(falseText: "no")]
  ) { _, new in new }

  @Option(
    "The region of numbers without a country code, such as CN or US (default: all are international).",
    value: "cc", completion: .region, transform: Region.typed)
  var region: Region?

  @Option("How digits without a plus sign are read.", value: "how")
  var numbers: NormalizeOptions.Reading = .auto

  @Option("What a number must be to be accepted.", value: "what")
  var require: NormalizeOptions.Requirement = .possible

  @Option(
    "Reject patterns that stand for more than MAX numbers, or all of them (default: no limit).",
    value: "no|max", transform: PatternLimit.typed)
  var patterns: PatternLimit?

  @Flag(help: "Read each number as a prefix: all numbers that start with it, as if it ended in *.")
  var prefixes = false
  @OptionGroup var countries: CountryArguments

  func validate() throws {
    try refuse(
      numbers == .national && region == nil, "\(option: "numbers") national needs \(option: "region")")
  }

  var options: NormalizeOptions {
    var options = NormalizeOptions(
      region: region, numbers: numbers, require: require, patternNumbersMax: patterns?.numbersMax)
    options.arePrefixes = prefixes
    options.countryCheck = countries.check
    return options
  }

  func plan() -> any StagePlan { options }
}

struct NormalizeCommand: FilterCommand, InputFilesCommand {
  static let row = StageRow(
    name: .normalize, group: .stages, command: Self.self, position: .source,
    arguments: NormalizeArguments.self, sourceKeys: ["region", "patterns", "countries", "min-valid"])

  static let configuration = CommandConfiguration(
    commandName: "normalize", abstract: "Convert phone numbers as people write them to E.164 numbers.",
    discussion: """
      Reads raw rows and writes records: the country calling code and the number without its trunk zero. A number \
      that libphonenumber considers valid is written as libphonenumber formats it. Otherwise, digits that start with \
      the region's calling code and are possible there are kept; otherwise libphonenumber's reading is used if it is \
      possible; otherwise the row is rejected with the reason. Trailing wildcards (33162######, 070-XXXX-XXXX, \
      +33162*) become ranges.
      """)

  @OptionGroup var arguments: NormalizeArguments
  @OptionGroup var input: InputFiles

  @Option(output: .complete)
  var output = "-"

  @OptionGroup var packing: PackingOptions
  @OptionGroup var common: CommonOptions

  func parts() throws -> FilterParts {
    try FilterParts(input: .files(input.files), stages: [arguments.plan()], output: output, packing: packing)
  }
}
