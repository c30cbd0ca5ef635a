// Random sequences of updates and failures: after each, the phone has the state of a single full load.

import CallDirectory
import SimulatedPhone
import StoreSupport
import TestSupport
import Testing

@Suite("Churn")
struct ChurnTests {
  private static let labels = ["a", "b", "fraud!", "spam!", "a long label beyond a small string"]

  private static func records(_ random: inout SplitMix64, upTo last: UInt64) -> [TestRecord] {
    var records: [TestRecord] = []
    var number = UInt64.random(in: 1...20, using: &random)
    while number <= last {
      let end =
        random.chance(oneIn: 3) ? min(last, number + UInt64.random(in: 0...12, using: &random)) : number
      records.append(TestRecord(number, to: end, labels.randomElement(using: &random) ?? ""))
      number = end + UInt64.random(in: 1...9, using: &random)
    }
    return random.chance(oneIn: 15) ? [] : records
  }

  /// The records of the next day: most are unchanged.
  private static func changed(
    _ records: [TestRecord], _ random: inout SplitMix64, upTo last: UInt64
  ) -> [TestRecord] {
    let fresh = Self.records(&random, upTo: last)
    let border = UInt64.random(in: 1...last, using: &random)
    let kept = records.filter { $0.last < border }
    return kept + fresh.filter { $0.first >= border }
  }

  @Test("loads, deltas, steps, failures and switches in any order", .seeded, arguments: 0..<12)
  func days(_ life: Int) throws {
    var random = SplitMix64(test: "churn \(life)")
    var assumptions = PhoneAssumptions()
    assumptions.additionsRefusedAt = 60
    let phone = try LoadingPhone(assumptions: assumptions)
    let last: UInt64 = 100
    var records = Self.records(&random, upTo: last)
    try phone.write(records)
    for _ in 0..<12 {
      let next = Self.changed(records, &random, upTo: last)
      for step in 1...30 { phone.remove("\(step).cddelta") }
      phone.remove(ExtensionFiles.bootstrapName)
      try phone.write(records, as: "old")
      try phone.write(next, as: "new")
      if !random.chance(oneIn: 4) {
        _ = try StoreFiles.makeDeltas(
          in: phone.place, from: "old", to: "new", entriesMax: UInt64.random(in: 8...200, using: &random))
      }
      let hasDeltas = phone.place.names.contains("1.cddelta")
      // The store may be the one that the deltas start from or the one that they produce.
      let isBefore = hasDeltas && random.chance(oneIn: 2)
      try phone.write(isBefore ? records : next)
      if random.chance(oneIn: 4) {
        try phone.write([TestRecord(3, "first")], as: ExtensionFiles.bootstrapName)
      }
      if random.chance(oneIn: 5) { try phone.phone.switchOff(LoadingPhone.name) }
      if random.chance(oneIn: 4) {
        // More additions than the phone accepts: whether the load fails depends on the day.
        phone.additionsMax = 200
        phone.load()
      }
      phone.additionsMax = Int.random(in: 5...59, using: &random)
      if random.chance(oneIn: 3) { phone.load() }
      _ = try phone.loadAll()
      try phone.expect(next, upTo: last + 5)
      records = next
    }
  }
}
