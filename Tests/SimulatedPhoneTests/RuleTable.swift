// Every known rule of the Call Directory, one per row: those that Apple documents, then those of the extension's
// side, then those of the daemon.

import SimulatedPhone
import Testing

/// Numbers from the range that is reserved for fiction.
private func number(_ place: Int) -> Int64 { 15_550_100_000 + Int64(place) }

private func block(_ places: ClosedRange<Int>) -> Rule.Load {
  { request in
    for place in places { request.addBlocking(number(place)) }
    _ = request.complete()
  }
}

private func label(_ places: ClosedRange<Int>, _ label: String = "spam") -> Rule.Load {
  { request in
    for place in places { request.addIdentification(number(place), label: label) }
    _ = request.complete()
  }
}

/// An incremental load.
private func change(_ body: @escaping Rule.Load) -> Rule.Load {
  { request in
    #expect(request.isIncremental)
    body(request)
    _ = request.complete()
  }
}

private func full(_ body: @escaping Rule.Load) -> Rule.Load {
  { request in
    body(request)
    _ = request.complete()
  }
}

private func answer(_ phone: SimulatedPhone, _ place: Int) throws -> CallAnswer {
  try phone.answer(IncomingCall(from: "+\(number(place))"))
}

private func counts(_ blocking: Int, _ identification: Int = 0) -> EntryCounts {
  EntryCounts(blocking: blocking, identification: identification)
}

enum RuleTable {
  static let documented: [Rule] = [
    Rule(
      .header, "isIncremental is false in the first load",
      [full { request in #expect(!request.isIncremental) }]),
    Rule(
      .header, "isIncremental read: only changes are sent",
      [block(1...5), change { $0.addBlocking(number(6)) }], holds: counts(6),
      also: { phone, outcome in
        #expect(outcome.report.isIncremental && !outcome.report.didInitialRemoval)
        #expect(phone.lastOutcome(Rule.identifier) == outcome)
      }),
    Rule(
      .header, "isIncremental not read: the request is the whole", [block(1...5), block(3...4)],
      holds: counts(2),
      also: { _, outcome in #expect(!outcome.report.isIncremental && outcome.report.didInitialRemoval) }),
    Rule(
      .header, "a removal names one number",
      [block(1...5), change { $0.remove(.blocking, number(3)) }], holds: counts(4),
      also: { phone, _ in try #expect(answer(phone, 3) == .unknown) }),
    Rule(
      .header, "removing a number's label removes all its labels",
      [
        label(1...2, "one"), change { $0.addIdentification(number(1), label: "two") },
        change { $0.remove(.identification, number(1)) },
      ], holds: counts(0, 1), also: { phone, _ in try #expect(answer(phone, 1) == .unknown) }),
    Rule(
      .documented, "one request may block and identify",
      [
        full { request in
          request.addBlocking(number(2))
          request.addIdentification(number(1), label: "spam")
        }
      ], holds: counts(1, 1)),
    Rule(
      .documented, "contacts win over labels", [label(1...1)], holds: counts(0, 1),
      also: { phone, _ in
        try phone.addContact("Ann", "+\(number(1))")
        try #expect(answer(phone, 1) == .contact("Ann"))
      }),
    Rule(
      .documented, "the owner's list comes before the extensions'", [label(1...1)], holds: counts(0, 1),
      also: { phone, _ in
        try phone.block("+\(number(1))")
        try #expect(answer(phone, 1) == .blocked(by: .owner))
      }),
    Rule(
      .documented, "an expired request delivers nothing, and reports it",
      [
        { request in
          request.addBlocking(number(2))
          request.addBlocking(number(1))
          #expect(request.complete())
        }
      ], fails: .directory(.entriesOutOfOrder)),
  ]

  static let ofExtensions: [Rule] = [
    Rule(
      .observed, "changes go in batches of 10,000", [block(1...25_000)], holds: counts(25_000),
      also: { _, outcome in #expect(outcome.report.batches == 3) }),
    Rule(
      .observed, "the kinds are batches of their own",
      [
        full { request in
          for place in 1...50 {
            request.addBlocking(number(place))
            request.addIdentification(number(place), label: "spam")
          }
        }
      ], holds: counts(50, 50), also: { _, outcome in #expect(outcome.report.batches == 2) }),
    Rule(
      .observed, "adding after removing sends a batch",
      [
        block(1...5),
        change { request in
          request.addBlocking(number(6))
          request.remove(.blocking, number(1))
          request.addBlocking(number(7))
        },
      ], holds: counts(6), also: { _, outcome in #expect(outcome.report.batches == 3) }),
    Rule(
      .observed, "no number is refused when it is added", [full { $0.addBlocking(.max) }], holds: counts(1)),
    Rule(
      .observed, "an empty label drops the entry without a word",
      [
        full { request in
          request.addIdentification(number(1), label: "")
          request.addIdentification(number(1), label: "kept")
        }
      ], holds: counts(0, 1), also: { _, outcome in #expect(outcome.report.entriesDropped == 1) }),
    Rule(
      .observed, "65,534 bytes of label are kept, 65,535 drop the entry",
      [
        full { request in
          request.addIdentification(number(1), label: String(repeating: "骚", count: 21_844) + "ab")
          request.addIdentification(number(2), label: String(repeating: "骚", count: 21_845))
        }
      ], holds: counts(0, 1), also: { _, outcome in #expect(outcome.report.entriesDropped == 1) }),
    Rule(
      .observed, "a removal in a first load crashes the extension",
      [full { $0.remove(.blocking, number(1)) }],
      fails: .directory(.loadingInterrupted), interruption: .exception(.removalOutsideIncremental)),
    Rule(
      .observed, "removing all in a first load crashes the extension",
      [full { $0.removeAll(.identification) }],
      fails: .directory(.loadingInterrupted), interruption: .exception(.removalOutsideIncremental)),
    Rule(
      .observed, "a removal asks by itself whether the request is incremental",
      [block(1...5), full { $0.remove(.blocking, number(1)) }], holds: counts(4),
      also: { _, outcome in #expect(outcome.report.isIncremental) }),
    Rule(
      .observed, "additions after a failure are ignored, and don't throw",
      [
        { request in
          for place in [2, 1] + Array(3...40_000) { request.addBlocking(number(place)) }
          #expect(request.complete())
        }
      ], fails: .directory(.entriesOutOfOrder)),
  ]

  static let ofTheDaemon: [Rule] = [
    Rule(
      .observed, "a full load that adds nothing leaves nothing", [block(1...5), full { _ in }],
      also: { _, outcome in #expect(outcome.report.didInitialRemoval) }),
    Rule(
      .observed, "a full load of one kind removes the other", [block(1...5), label(1...2)],
      holds: counts(0, 2)),
    Rule(
      .observed, "one under the limit is taken", [block(1...(Rule.smallLimit - 1))], holds: counts(999),
      limit: Rule.smallLimit),
    Rule(
      .observed, "the limit is refused", [block(1...Rule.smallLimit)],
      fails: .directory(.maximumEntriesExceeded), limit: Rule.smallLimit),
    Rule(
      .observed, "both kinds count together",
      [
        full { request in
          for place in 1...500 {
            request.addBlocking(number(place))
            request.addIdentification(number(place), label: "spam")
          }
        }
      ], fails: .directory(.maximumEntriesExceeded), limit: Rule.smallLimit),
    Rule(
      .observed, "what is stored does not count",
      [block(1...900), change { for place in 901...1_800 { $0.addBlocking(number(place)) } }],
      holds: counts(1_800), limit: Rule.smallLimit),
    Rule(
      .observed, "the number of entries is looked at before their order",
      [
        full { request in
          for _ in 1...Rule.smallLimit { request.addBlocking(number(1)) }
        }
      ], fails: .directory(.maximumEntriesExceeded), limit: Rule.smallLimit),
    Rule(
      .observed, "a lower number is out of order",
      [
        full { request in
          request.addBlocking(number(2))
          request.addBlocking(number(1))
        }
      ], fails: .directory(.entriesOutOfOrder)),
    Rule(
      .observed, "the same number is a duplicate",
      [
        full { request in
          request.addBlocking(number(2))
          request.addBlocking(number(2))
        }
      ], fails: .directory(.duplicateEntries)),
    Rule(
      .observed, "the same number with another label is a duplicate",
      [
        full { request in
          request.addIdentification(number(2), label: "one")
          request.addIdentification(number(2), label: "two")
        }
      ], fails: .directory(.duplicateEntries)),
    Rule(.observed, "0 is a duplicate", [full { $0.addBlocking(0) }], fails: .directory(.duplicateEntries)),
    Rule(
      .observed, "a negative number is out of order", [full { $0.addBlocking(-1) }],
      fails: .directory(.entriesOutOfOrder)),
    Rule(
      .observed, "removals don't reset the order",
      [
        block(1...5),
        change { request in
          request.addBlocking(number(7))
          request.removeAll(.blocking)
          request.addBlocking(number(6))
        },
      ], fails: .directory(.entriesOutOfOrder)),
    Rule(
      .measured, "blocking what is stored is the database's error 19",
      [block(1...5), change { $0.addBlocking(number(3)) }], fails: .database(19)),
    Rule(
      .observed, "removals have no order, and may name what is not there",
      [block(1...5), change { for place in [9, 4, 2, 77] { $0.remove(.blocking, number(place)) } }],
      holds: counts(3), also: { _, outcome in #expect(outcome.report.removalsAsked == 4) }),
    Rule(
      .observed, "a failure removes all entries of both kinds, and the extension stays on",
      [
        full { request in
          request.addBlocking(number(1))
          request.addIdentification(number(1), label: "spam")
        }, change { $0.addBlocking(-1) },
      ], fails: .directory(.entriesOutOfOrder), state: .loaded),
    Rule(
      .observed, "after a failed load the next one is incremental still",
      [block(1...5), full { $0.addBlocking(-1) }, change { $0.addBlocking(number(1)) }], holds: counts(1)),
    Rule(
      .observed, "an extension's own error reaches the app, and leaves nothing",
      [block(1...5), { $0.cancel(Cancellation(domain: "Handler", code: 7, text: "no data")) }],
      fails: .cancelled(Cancellation(domain: "Handler", code: 7, text: "no data"))),
    Rule(
      .observed, "removing and then adding changes a label",
      [
        label(1...1, "old"),
        change { request in
          request.remove(.identification, number(1))
          request.addIdentification(number(1), label: "new")
        },
      ], holds: counts(0, 1),
      also: { phone, _ in
        try #expect(answer(phone, 1) == .identified(label: "new", by: Rule.identifier))
      }),
    Rule(
      .observed, "adding and then removing leaves nothing",
      [
        label(1...1, "old"),
        change { request in
          request.addIdentification(number(1), label: "new")
          request.remove(.identification, number(1))
        },
      ]),
    Rule(
      .observed, "a number may be blocked and have a label; blocking wins",
      [
        full { request in
          request.addBlocking(number(1))
          request.addIdentification(number(1), label: "spam")
        }
      ], holds: counts(1, 1),
      also: { phone, _ in
        try #expect(answer(phone, 1) == .blocked(by: .extension(Rule.identifier)))
      }),
  ]
}

@Suite("Rules of the Call Directory")
struct RuleTests {
  @Test("documented rules", arguments: RuleTable.documented)
  func documented(_ rule: Rule) throws { try rule.check(.database(path: nil)) }

  @Test("rules of the extension's side", arguments: RuleTable.ofExtensions)
  func ofExtensions(_ rule: Rule) throws { try rule.check(.database(path: nil)) }

  @Test("rules of the daemon", arguments: RuleTable.ofTheDaemon)
  func ofTheDaemon(_ rule: Rule) throws { try rule.check(.database(path: nil)) }

  @Test("counting agrees on every rule, for the numbers that it watches")
  func counting() throws {
    // Without stored entries, the removal of a missing number and several labels of a number can't be detected.
    let onlyStored = ["removals have no order", "removes all its labels", "adding and then removing"]
    let watched = Set((1...10).map { number($0) })
    for rule in RuleTable.documented + RuleTable.ofExtensions + RuleTable.ofTheDaemon
    where !onlyStored.contains(where: { rule.text.contains($0) }) {
      try rule.check(.counting(watching: watched))
    }
  }
}
