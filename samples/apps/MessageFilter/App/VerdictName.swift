// The names of the filter's categories, as the Messages app has them.

import IdentityLookup

#if canImport(SampleShared)
  import SampleShared
#endif

private nonisolated let texts = TextCatalog("Filter")

nonisolated extension FilterVerdict {
  /// The name of the category of a transaction or promotion.
  var name: String {
    switch subAction {
    case .transactionalFinance: texts("Transactions: Finance")
    case .transactionalOrders: texts("Transactions: Orders")
    case .transactionalReminders: texts("Transactions: Reminders")
    case .transactionalHealth: texts("Transactions: Health")
    case .transactionalWeather: texts("Transactions: Weather")
    case .transactionalCarrier: texts("Transactions: Carrier")
    case .transactionalRewards: texts("Transactions: Rewards")
    case .transactionalPublicServices: texts("Transactions: Public Services")
    case .transactionalOthers: texts("Transactions: Others")
    case .promotionalOffers: texts("Promotions: Offers")
    case .promotionalCoupons: texts("Promotions: Coupons")
    case .promotionalOthers: texts("Promotions: Others")
    default: action == .promotion ? texts("Promotions") : texts("Transactions")
    }
  }
}
