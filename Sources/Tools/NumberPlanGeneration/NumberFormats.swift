// How national numbers are written: the automata of leading digits that choose a format, and the formats as rows.

/// One `<numberFormat>`.
struct MetadataFormat {
  /// Groups of digits, such as `(\d{3})(\d{3,4})`; it must match the whole number.
  var pattern = ""
  /// The last `<leadingDigits>`, which is the most detailed one; nil if the format is for all numbers.
  var leadingDigits: String?
  /// Such as `$1-$2`.
  var national = ""
  /// `NA` if the format is not for international forms; nil if they look like the national form.
  var international: String?
  /// Replaces the first group of the national form, and has the national prefix as `$NP`: such as `($NP$FG)`.
  var prefixRule: String?
}

/// A format, like the C struct `cnp_format`.
struct NumberFormatRow: Hashable {
  /// The minimum and the maximum of digits in each group.
  var groups: [ClosedRange<Int>]
  /// The starts of templates.
  var national: Int
  var international: Int

  /// The value that stands for no template.
  static let none = 0xFFFF
  /// The groups and the digits in a group that the packed field can represent.
  static let groupsMax = 8
  static let groupDigitsMax = 15

  var packedGroups: UInt64 {
    groups.enumerated().reduce(0) { packed, group in
      packed | UInt64(group.element.lowerBound | group.element.upperBound << 4) << UInt64(8 * group.offset)
    }
  }
}

/// The formats of all calling codes. Equal rows, lists and templates are stored once.
struct NumberFormatTable {
  private(set) var rows: [NumberFormatRow] = []
  /// Lists of rows, in the order in which they are tried. The last one of a list has the highest bit.
  private(set) var lists: [Int] = []
  /// Texts that end with 0, in which 1 is the first group, 2 the second one, and so on.
  private(set) var templates: [Int] = []
  private var rowPlaces: [NumberFormatRow: Int] = [:]
  private var listStarts: [[Int]: Int] = [:]
  private var templateStarts: [[Int]: Int] = [:]

  private static let lastInList = 0x8000

  /// The place of a format's row, which is added if necessary.
  mutating func place(of format: MetadataFormat, in territory: Territory) throws -> Int {
    let groups = try Self.groups(of: format.pattern)
    let row = NumberFormatRow(
      groups: groups,
      national: try template(Self.national(format, territory.nationalPrefix), groups.count),
      international: format.international == "NA"
        ? NumberFormatRow.none : try template(format.international ?? format.national, groups.count))
    if let place = rowPlaces[row] { return place }
    rows.append(row)
    rowPlaces[row] = rows.count - 1
    return rows.count - 1
  }

  /// The start of a list of rows, plus 1; 0 if it is empty.
  mutating func list(_ places: [Int]) -> StatePool.Answer {
    guard let last = places.last else { return StatePool.no }
    if let start = listStarts[places] { return start + 1 }
    listStarts[places] = lists.count
    lists += places.dropLast() + [last | Self.lastInList]
    return listStarts[places, default: 0] + 1
  }

  private static func groups(of pattern: String) throws -> [ClosedRange<Int>] {
    let parsed = try MetadataPattern(pattern)
    let parts = if case .sequence(let parts) = parsed { parts } else { [parsed] }
    let groups: [ClosedRange<Int>] = parts.compactMap { part in
      switch part {
      case .group(_, .anyDigit): 1...1
      case .group(_, .repeated(.anyDigit, let min, let max)): min...max
      default: nil
      }
    }
    guard groups.count == parts.count, (1...NumberFormatRow.groupsMax).contains(groups.count),
      groups.allSatisfy({ $0.upperBound <= NumberFormatRow.groupDigitsMax })
    else { throw GenerationError("format '\(pattern)' is not understood") }
    return groups
  }

  /// The national form with the national prefix in its first group.
  private static func national(_ format: MetadataFormat, _ prefix: String) -> String {
    guard let rule = format.prefixRule, let dollar = format.national.firstIndex(of: "$") else {
      return format.national
    }
    let group = format.national[dollar...].prefix(2)
    let first = rule.replacing("$NP", with: prefix).replacing("$FG", with: group)
    return "\(format.national[..<dollar])\(first)\(format.national[group.endIndex...])"
  }

  private mutating func template(_ text: String, _ groupCount: Int) throws -> Int {
    var template: [Int] = []
    var characters = text.utf8.makeIterator()
    while let byte = characters.next() {
      if byte == UInt8(ascii: "$") {
        let group = Int(characters.next() ?? 0) - Int(UInt8(ascii: "0"))
        guard (1...groupCount).contains(group) else { throw GenerationError("'\(text)' is not understood") }
        template.append(group)
      } else {
        guard (0x20..<0x7F).contains(byte) else { throw GenerationError("'\(text)' is not understood") }
        template.append(Int(byte))
      }
    }
    template.append(0)
    if let start = templateStarts[template] { return start }
    templateStarts[template] = templates.count
    templates += template
    return templateStarts[template, default: 0]
  }
}

extension TableBuilder {
  /// In place of the state of a format whose leading digits have been found.
  private static let found: PoolState = -1

  /// The automaton of a territory's formats: the last state that a national number reaches before a dead one results in
  /// the list of the formats with these leading digits.
  mutating func formats(of territory: Territory) throws -> PoolState {
    var places: [Int] = []
    var states: [PoolState] = []
    for format in territory.formats {
      places.append(try formatTable.place(of: format, in: territory))
      guard let leadingDigits = format.leadingDigits else {
        states.append(Self.found)
        continue
      }
      let pattern = try MetadataPattern(leadingDigits)
      guard !leadingDigits.contains("$"), longestMatch(pattern) > 0 else {
        throw GenerationError("leading digits '\(leadingDigits)' are not understood")
      }
      states.append(DigitAutomatonBuilder(pattern).whole(in: &pool))
    }
    var memo: [[PoolState]: PoolState] = [:]
    return formats(places, states, &memo)
  }

  private mutating func formats(
    _ places: [Int], _ states: [PoolState], _ memo: inout [[PoolState]: PoolState]
  ) -> PoolState {
    if let state = memo[states] { return state }
    let isDecided = states.allSatisfy { $0 == Self.found || $0 == StatePool.dead }
    let next = (0..<10).map { digit in
      if isDecided { return StatePool.dead }
      let next = states.map { state in
        if state == Self.found { return state }
        let next = pool.rows[state].next[digit]
        return pool.rows[next].accepts ? Self.found : next
      }
      return formats(places, next, &memo)
    }
    let list = formatTable.list(zip(places, states).filter { $0.1 == Self.found }.map(\.0))
    let state = pool.intern(list, next: next)
    memo[states] = state
    return state
  }
}
