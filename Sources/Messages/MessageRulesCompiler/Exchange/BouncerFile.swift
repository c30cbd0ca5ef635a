// Bouncer's filters: the JSON array that the app stores as `filters.json` in its group's container.
//
// Source: the app's published sources (github.com/afterxleep/Bouncer, `Filter` in FilterStore.swift): id, type, phrase,
// action, and optionally subAction, caseSensitive, useRegex. Allowing filters are applied first.

import FoundationEssentials
import MessageRules

enum BouncerFile {
  private struct Filter: Codable {
    var id: String
    var type: String
    var phrase: String
    var action: String
    var subAction: String?
    var caseSensitive: Bool?
    var useRegex: Bool?
  }

  private static let subActions: [(name: String, subAction: MessageSubAction)] = [
    ("transactionOrder", .transactionalOrders), ("transactionFinance", .transactionalFinance),
    ("transactionReminders", .transactionalReminders), ("transactionHealth", .transactionalHealth),
    ("transactionOther", .transactionalOthers), ("promotionOffers", .promotionalOffers),
    ("promotionCoupons", .promotionalCoupons), ("promotionOther", .promotionalOthers),
  ]

  /// The filters in their order; nil for an unknown one.
  static func filters(_ bytes: [UInt8]) throws(RuleExchangeError) -> [ForeignFilter?] {
    guard let filters = try? JSONDecoder().decode([Filter].self, from: Data(bytes)) else {
      throw .notTheFormat
    }
    return filters.map { filter in
      let places: [String: ForeignFilter.RuleField] = ["any": .any, "sender": .sender, "message": .body]
      guard let place = places[filter.type], let action = MessageAction(name: filter.action) else {
        return nil
      }
      var result = ForeignFilter(
        text: filter.phrase, place: place, matching: filter.useRegex == true ? .expression : .contains,
        action: action)
      result.isCaseSensitive = filter.caseSensitive == true
      let known = subActions.first { $0.name == filter.subAction }?.subAction ?? .none
      if known.action == action { result.subAction = known }
      return result
    }
  }

  static func text(_ filters: [ForeignFilter]) -> String {
    let list = filters.enumerated().map { index, filter in
      let names: [ForeignFilter.RuleField: String] = [.any: "any", .sender: "sender", .body: "message"]
      return Filter(
        id: identifier(index + 1), type: names[filter.place] ?? "any", phrase: filter.text,
        action: filter.action.name,
        subAction: subActions.first { $0.subAction == filter.subAction }?.name ?? "none",
        caseSensitive: false, useRegex: filter.matching == .expression)
    }
    return JSONDocument.pretty(list)
  }

  /// An identifier that depends only on the index, so that the same rules produce the same bytes.
  private static func identifier(_ number: Int) -> String {
    let digits = String(number, radix: 16, uppercase: true)
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: max(0, 12 - digits.count)) + digits
  }
}

/// Encodes values as JSON documents.
enum JSONDocument {
  static func pretty(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Only texts and Boolean values, which can always be encoded.
    return String(decoding: (try? encoder.encode(value)) ?? Data(), as: UTF8.self) + "\n"
  }
}
