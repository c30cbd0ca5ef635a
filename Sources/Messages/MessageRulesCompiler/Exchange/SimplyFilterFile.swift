// Simply Filter SMS's export: a JSON object with the format's name, its version, and the filters.
//
// Source: the app's published sources (github.com/adibendahan/SimplyFilterSMS-iOS, `FilterExportPayload`, version 1):
// format, version, exportedAt (ISO 8601), appVersion, filters with text, type, folder, target, matching, case. Its
// `exact` matches a word: no letter before or after it. For an unknown sender's message that no filter matches, the app
// answers `allow`; here the rules decide.

import FoundationEssentials
import MessageRules

enum SimplyFilterFile {
  private static let name = "simply-filter-sms-filters"
  private static let version = 1
  /// A meaningless time, so that the same rules produce the same bytes. The app's import ignores it.
  private static let noTime = "2000-01-01T00:00:00Z"

  private struct Payload: Codable {
    var format: String
    var version: Int
    var exportedAt: String?
    var appVersion: String?
    var filters: [Filter]
  }

  private struct Filter: Codable {
    var text: String?
    var type: String?
    var folder: String?
    var target: String?
    var matching: String?
    var `case`: String?
  }

  /// The filters in their order; nil for an unknown one.
  static func filters(_ bytes: [UInt8]) throws(RuleExchangeError) -> [ForeignFilter?] {
    guard let payload = try? JSONDecoder().decode(Payload.self, from: Data(bytes)), payload.format == name,
      payload.version >= 1
    else { throw .notTheFormat }
    guard payload.version <= version else { throw .unsupportedVersion(payload.version) }
    return payload.filters.map { filter in
      let places: [String: ForeignFilter.RuleField] = ["all": .any, "sender": .sender, "body": .body]
      let matchings: [String: ForeignFilter.Matching] = [
        "contains": .contains, "exact": .word, "regex": .expression,
      ]
      guard let text = filter.text, let place = places[filter.target ?? ""],
        let matching = filter.type == "denyLanguage"
          ? ForeignFilter.Matching.language : matchings[filter.matching ?? ""],
        let action = filter.type == "allow" ? MessageAction.allow : MessageAction(name: filter.folder ?? ""),
        ["allow", "deny", "denyLanguage"].contains(filter.type)
      else { return nil }
      var result = ForeignFilter(text: text, place: place, matching: matching, action: action)
      result.isCaseSensitive = filter.case == "sensitive"
      return result
    }
  }

  static func text(_ filters: [ForeignFilter]) -> String {
    let list = filters.filter { $0.action != .none }.map { filter in
      let targets: [ForeignFilter.RuleField: String] = [.any: "all", .sender: "sender", .body: "body"]
      let isAllowed = filter.action == .allow
      return Filter(
        text: filter.text, type: isAllowed ? "allow" : "deny",
        folder: isAllowed ? "junk" : filter.action.name,
        target: targets[filter.place], matching: filter.matching == .expression ? "regex" : "contains",
        case: "insensitive")
    }
    return JSONDocument.pretty(
      Payload(format: name, version: version, exportedAt: noTime, appVersion: "cdpipe", filters: list))
  }
}
