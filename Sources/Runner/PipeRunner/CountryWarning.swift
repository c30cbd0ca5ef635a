// The countries of a run's numbers, as lines, and the warnings and errors about numbers that are not valid in them.

import NumberPlan
import RecordStages
package import Records

package enum CountryText {
  /// The maximum number of counts in a line.
  static let listedMax = 6

  /// The numbers by country: `3,356 numbers: CN +86 3,351 · HK +852 5; 2 not valid`.
  package static func line(_ counts: CountryCounts) -> String {
    let all = listed(
      counts.countries.map { (name($0.callingCode, $0.region), $0.entries) }, "more country",
      plural: "more countries")
    return Figures.counted(counts.entries, "number") + (all.isEmpty ? "" : ": " + all) + invalid(counts)
  }

  /// How many numbers are not valid in their country, or which share of the sample if only that was checked.
  private static func invalid(_ counts: CountryCounts) -> String {
    if counts.invalid == 0 { return "" }
    let isSample = counts.checked >= RecordSample.sizeMax / 2
    return
      "; \(isSample ? share(counts.invalid, of: counts.checked) : Figures.grouped(counts.invalid)) not valid"
  }

  /// The first counts of a list, and the others together: `CN +86 3,351 · HK +852 5 · 2 more countries 3`.
  static func listed(
    _ counts: [(name: String, entries: UInt64)], _ noun: String, plural: String
  ) -> String {
    var parts = counts.prefix(listedMax).map { "\($0.name) \(Figures.grouped($0.entries))" }
    let others = counts.dropFirst(listedMax)
    if !others.isEmpty {
      parts.append(
        Figures.counted(UInt64(others.count), noun, plural: plural)
          + " \(Figures.grouped(others.reduce(0) { $0 &+ $1.entries }))")
    }
    return parts.joined(separator: " · ")
  }

  /// A country by its region and calling code: `CN +86`; `+800` for a network without a country.
  static func name(_ callingCode: UInt16, _ region: String?) -> String {
    guard let region else { return "no calling code" }
    let isCountry = Region(region) != nil
    return (isCountry ? region + " " : "") + "+\(callingCode)"
  }

  /// The English name of the main country with a calling code, or of the network that has it.
  package static func country(callingCode: UInt16) -> String? {
    NumberPlan.regions(callingCode: callingCode).first.map {
      CountryNames.name($0, callingCode: callingCode)
    }
  }

  /// A warning that many numbers are not valid in their country, with the likely cause.
  package static func warning(_ notice: CountryNotice) -> UserMessage {
    if notice.isDoubled, let country = notice.assumedCountry, let code = Region(country)?.callingCode {
      return UserMessage(
        place(notice.source)
          + "\(share(notice.doubled, of: notice.checked)) of the numbers begin with \(code) without a plus sign, and "
          + "were read as national numbers: +\(code) \(code)…",
        hint: "if they have their calling code already, use \(option: "numbers", "international")")
    }
    return UserMessage(
      place(notice.source)
        + "\(share(notice.invalid, of: notice.checked)) of the numbers are not valid in their country",
      hint: hint(notice))
  }

  private static func hint(_ notice: CountryNotice) -> String {
    if !notice.createsRecords {
      return "numbers without a country code need 'cdpipe normalize' with the list's \(option: "region"); "
        + "'cdpipe number +NUMBER' explains a number"
    }
    guard let country = notice.assumedCountry else {
      return "if the numbers have no country code, set their country with \(option: "region", "CC")"
    }
    return "check that the list is from \(country) (\(option: "region")); "
      + "'cdpipe number --region \(country) NUMBER' explains a number"
  }

  static func place(_ source: String?) -> String {
    source.map { "source '\(PrintableText.line($0))': " } ?? ""
  }

  /// A percentage that is not rounded to 0% or to 100%: `12%`, `less than 1%`.
  static func share(_ part: UInt64, of all: UInt64) -> String {
    if part == all { return "100%" }
    let percent = Int(Double(part) * 100 / Double(max(1, all)))
    return percent == 0 ? "less than 1%" : "\(percent)%"
  }

  /// A country check has failed; `source` is the source that the numbers come from, if there are several.
  static func failure(
    _ stage: StageName, _ check: CountryCheck, source: String?, valid: UInt64, of entries: UInt64
  ) -> Failure {
    let countries = check.countries.joined(separator: ", ")
    var failure = Failure(
      stage, .badData, "country-check",
      place(source)
        + "\(Figures.grouped(valid)) of \(Figures.counted(entries, "number")) \(entries == 1 ? "is" : "are") valid "
        + (countries.isEmpty ? "in their country" : "in \(countries)")
        + ", less than the required \(Figures.plain(check.minValidPercent))%",
      hint:
        "check \(option: "region"), and that it is the right list; \(option: "min-valid", "P%") lowers the limit"
    )
    failure.namesSource = source != nil
    return failure
  }
}
