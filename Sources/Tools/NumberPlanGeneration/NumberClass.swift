// An automaton per calling code that determines a number's territory and type.
// The rules are libphonenumber's getRegionCodeForNumber and getNumberTypeHelper. Not for parsing tables (TableBuilder).

/// One result for a national number with a calling code.
struct NumberClass {
  /// The index of the territory among those of the calling code.
  var region: Int
  /// libphonenumber's PhoneNumberType; nil for UNKNOWN.
  var type: Int?

  private static let unknown = 15

  /// libphonenumber's PhoneNumberType by the metadata's element names, in the order in which it checks them. The last
  /// two types depend on each other: see `TableBuilder.types`.
  static let firstAsked: [(name: String, type: Int)] = [
    ("premiumRate", 4), ("tollFree", 3), ("sharedCost", 5), ("voip", 6), ("personalNumber", 7), ("pager", 8),
    ("uan", 9), ("voicemail", 10),
  ]
  static let fixedLine = 0
  static let mobile = 1
  static let fixedLineOrMobile = 2

  /// Its value in an automaton; never 0, which means no.
  var answer: StatePool.Answer { 1 + region << 4 + (type ?? Self.unknown) }

  init(region: Int, type: Int?) {
    self.region = region
    self.type = type
  }

  init?(answer: StatePool.Answer) {
    if answer == StatePool.no { return nil }
    region = (answer - 1) >> 4
    type = (answer - 1) & 15 == Self.unknown ? nil : (answer - 1) & 15
  }
}

extension TableBuilder {
  /// The maximum digits of a national number: libphonenumber's `MAX_LENGTH_FOR_NSN`.
  private static let nationalLengthMax: LengthSet = 17

  /// The automaton of a calling code whose territories are checked in this order.
  ///
  /// A number belongs to the first territory whose leading digits it starts with, or, for a territory without leading
  /// digits, whose types it matches. If there is a single territory, all numbers belong to it.
  mutating func classes(of territories: [Territory]) throws -> PoolState {
    var result = StatePool.dead
    for (place, territory) in territories.enumerated().reversed() {
      let types = try types(of: territory)
      var belongs = types
      if let leadingDigits = territory.leadingDigits, territories.count > 1 {
        let rest = MetadataPattern.repeated(.anyDigit, min: 0, max: MetadataPattern.lengthMax)
        let anyLength = pool.lengths((1 << (Self.nationalLengthMax + 1)) - 1)
        let begins = DigitAutomatonBuilder(.sequence([try MetadataPattern(leadingDigits), rest])).whole(
          in: &pool)
        belongs = pool.combine([begins, anyLength]) { $0[0] & $0[1] }
      }
      result = pool.combine([belongs, types, result]) { answers in
        if answers[0] == StatePool.no { return answers[2] }
        return NumberClass(region: place, type: NumberClass(answer: answers[1])?.type).answer
      }
    }
    return result
  }

  // getNumberTypeHelper: the number must match the general description, and its type is the first one that it matches.
  private mutating func types(of territory: Territory) throws -> PoolState {
    let fixedLine = territory.types["fixedLine"]?.pattern ?? ""
    let isSame = !fixedLine.isEmpty && fixedLine == territory.types["mobile"]?.pattern
    var parts = [
      pool.combine([try whole(territory.general), pool.lengths(territory.lengths)]) { $0[0] & $0[1] }
    ]
    for name in Territory.typeNames {
      var kind = StatePool.dead
      if let type = territory.types[name], !type.pattern.isEmpty {
        guard type.lengths != 0 else {
          throw GenerationError("\(name) of \(territory.code) has no possible lengths")
        }
        kind = pool.combine([try whole(type.pattern), pool.lengths(type.lengths)]) { $0[0] & $0[1] }
      }
      parts.append(kind)
    }
    let first = NumberClass.firstAsked
    return pool.combine(parts) { answers in
      if answers[0] == StatePool.no { return StatePool.no }
      let type: Int
      if let place = first.indices.first(where: { answers[$0 + 1] != StatePool.no }) {
        type = first[place].type
      } else {
        let isFixedLine = answers[first.count + 1] != StatePool.no
        let isMobile = answers[first.count + 2] != StatePool.no
        if isFixedLine {
          // If both have the same pattern, libphonenumber checks fixedLine only, and its lengths.
          type = isSame || isMobile ? NumberClass.fixedLineOrMobile : NumberClass.fixedLine
        } else if isMobile, !isSame {
          type = NumberClass.mobile
        } else {
          return StatePool.no
        }
      }
      return NumberClass(region: 0, type: type).answer
    }
  }
}
