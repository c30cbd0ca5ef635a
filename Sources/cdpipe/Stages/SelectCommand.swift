// `cdpipe select`

import ArgumentParser
import RecordStages
import Records
import Runner
import Synchronization

/// A rule as it was typed, with its position among the options: the parser returns those of each option separately, but
/// reads them in their order.
struct RuleOption: Sendable {
  private static let count = Atomic(0)

  let rule: SelectRule
  let position: Int

  private init(_ action: SelectRule.Action, _ text: String) throws {
    do throws(Failure) {
      rule = try SelectRule(action, text)
    } catch {
      throw ValidationError(error.usageText)
    }
    position = Self.count.add(1, ordering: .relaxed).newValue
  }

  @Sendable static func keep(_ text: String) throws -> RuleOption { try RuleOption(.keep, text) }
  @Sendable static func drop(_ text: String) throws -> RuleOption { try RuleOption(.drop, text) }
}

struct SelectArguments: StageArguments {
  static let keys: [String: KeyTraits] = ["keep": rule, "drop": rule]
  private static let rule = KeyTraits(
    isList: true, decides: true, replacesPaths: SelectRule.replacingPaths)

  @Option(
    "Keep the records that meet all conditions of RULE, such as 'country=DE,AT type=mobile'. May be repeated.",
    value: "rule", completion: .nothing, transform: RuleOption.keep)
  var keep: [RuleOption] = []

  @Option(
    "Drop the records that meet all conditions of RULE, such as 'label=Test*'. May be repeated.",
    value: "rule", completion: .nothing, transform: RuleOption.drop)
  var drop: [RuleOption] = []

  func validate() throws { _ = try options() }

  func plan() throws -> any StagePlan { try options() }

  private func options() throws -> SelectOptions {
    let rules = (keep + drop).sorted { $0.position < $1.position }.map(\.rule)
    do throws(Failure) {
      return try SelectOptions(rules: rules)
    } catch {
      throw ValidationError(error.usageText)
    }
  }
}

extension Failure {
  /// The sentence and the hint, as a parser's error has one text.
  fileprivate var usageText: String {
    userMessage.sentence + (userMessage.suggestion.map { "; \($0)" } ?? "")
  }
}

struct SelectCommand: FilterCommand, InputFilesCommand {
  static let row = StageRow(
    name: .select, group: .stages, command: Self.self, position: .sourceOrShared,
    arguments: SelectArguments.self, isOrdered: true)

  static let configuration = CommandConfiguration(
    commandName: "select", abstract: "Keep or drop records by rules.",
    discussion: """
      Reads records in any order and writes those that the rules select. The rules are tried in the order in which they \
      are typed, and the last one that applies to a record decides. A record to which no rule applies is dropped if the \
      first rule is --keep, else kept. Ranges are cut where the answer changes.

      A rule is one or more conditions, separated by spaces, that must all hold; of several values, separated by \
      commas, one is enough: country=DE,AT, type=mobile (as 'cdpipe stats' names types), label=Spam*, source=ftc, \
      score>=3 (a missing score counts as 0), date>=2026-11-29, number=4930123456 or number=A..B, prefix=4930, \
      numbers=FILE (records, a store, or a directory of shards), prefixes=FILE (one per line), is=range or is=number. \
      With != in place of =, a condition must not hold. A value with spaces or commas is in quotes: label="Spam call*".
      """)

  @OptionGroup var arguments: SelectArguments
  @OptionGroup var input: InputFiles

  @Option(output: .complete)
  var output = "-"

  @OptionGroup var packing: PackingOptions
  @OptionGroup var common: CommonOptions

  func parts() throws -> FilterParts {
    try FilterParts(input: .files(input.files), stages: [arguments.plan()], output: output, packing: packing)
  }
}
