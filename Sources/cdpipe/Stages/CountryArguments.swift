// The options of a stage that requires its numbers to be valid in given countries.

import ArgumentParser
import NumberPlan
import Records
import Runner

struct CountryArguments: ParsableArguments {
  /// The traits of the options in a pipeline file.
  static let keys: [String: KeyTraits] = ["countries": KeyTraits(isList: true, option: "expect-country")]

  @Option(
    help: ArgumentHelp(
      """
      Fail unless at least 90% of the numbers (or --min-valid) are valid numbers of this country. Several are separated \
      by commas. May be repeated.
      """, valueName: "cc"), completion: .region)
  var expectCountry: [String] = []

  @Option(
    help: ArgumentHelp(
      "Fail unless at least P% of the numbers are valid in their country.", valueName: "p%"),
    transform: Percentage.typed)
  var minValid: Percentage?

  func validate() throws {
    for code in codes { _ = try Region.typed(code) }
    if let minValid, minValid.percent > 100 { throw ValidationError("--min-valid must be at most 100%") }
  }

  private var codes: [String] {
    expectCountry.flatMap {
      $0.split(separator: ",", omittingEmptySubsequences: false).map { $0.uppercased() }
    }
  }

  /// The check; nil if no option is set.
  var check: CountryCheck? {
    if codes.isEmpty, minValid == nil { return nil }
    return CountryCheck(
      countries: codes, minValidPercent: minValid?.percent ?? CountryCheck.defaultMinValidPercent)
  }
}
