// From territories to the numbers in the tables: which automata a territory needs, and which territory speaks for
// a calling code. Not for how the numbers are written down (TableWriter).

/// A territory as the C struct `cnp_region` has it.
struct RegionRow {
  var code: String
  var callingCode: Int
  var internationalPrefix = StatePool.dead
  var nationalPrefix = StatePool.dead
  /// Where the program begins, plus 1; 0 when there is none.
  var program = 0
  var general = StatePool.dead
  var capturelessDigits: UInt16 = 0
  var transformDigits: [Int] = []
  var transformGroup = 0
  var groups = 0
  var lengths: LengthSet
  var localOnlyLengths: LengthSet
}

/// A calling code as the C struct `cnp_calling_code` has it.
struct CallingCodeRow {
  var callingCode: Int
  var mainRegion: Int
  var valid: State
}

struct TableBuilder {
  private(set) var pool = StatePool()
  private(set) var programs: [UInt16] = []
  private(set) var regions: [RegionRow] = []
  private(set) var callingCodes: [CallingCodeRow] = []
  private var programStarts: [[UInt16]: Int] = [:]

  /// Digits that the transform rule's packed field has room for.
  private static let transformDigitsMax = 4

  init(_ territories: [Territory]) throws {
    // Networks without a country come last, so that the others can be found by code.
    let isCountry = { (territory: Territory) in territory.code != Territory.nonGeographicCode }
    let ordered =
      territories.filter(isCountry).sorted { $0.code < $1.code }
      + territories.filter { !isCountry($0) }.sorted { $0.callingCode < $1.callingCode }
    for territory in ordered { regions.append(try row(for: territory)) }

    let byCode = Dictionary(grouping: ordered.indices) { ordered[$0].callingCode }
    for (callingCode, members) in byCode.sorted(by: { $0.key < $1.key }) {
      // libphonenumber asks the main territory first, then the others in the file's order, which is by code.
      let inOrder =
        members.filter { ordered[$0].isMainForCode } + members.filter { !ordered[$0].isMainForCode }
      if members.count > 1 && members.filter({ ordered[$0].isMainForCode }).count != 1 {
        throw GenerationFailure("calling code \(callingCode) has several territories and not one main one")
      }
      let valid = try validNumbers(of: inOrder.map { ordered[$0] })
      callingCodes.append(CallingCodeRow(callingCode: callingCode, mainRegion: inOrder[0], valid: valid))
    }
  }

  private mutating func row(for territory: Territory) throws -> RegionRow {
    var row = RegionRow(
      code: territory.code, callingCode: territory.callingCode, lengths: territory.lengths,
      localOnlyLengths: territory.localOnlyLengths)
    guard row.lengths != 0 else { throw GenerationFailure("territory \(row.code) has no possible lengths") }
    row.general = try whole(territory.general)
    if let prefix = territory.internationalPrefix {
      row.internationalPrefix = AutomatonBuilder(try Pattern(prefix)).prefix(in: &pool)
    }
    guard let prefix = territory.nationalPrefixForParsing, !prefix.isEmpty else { return row }
    let pattern = try Pattern(prefix)
    row.nationalPrefix = AutomatonBuilder(pattern).prefix(in: &pool)
    row.groups = groupCount(pattern)
    guard row.groups <= 2 else { throw GenerationFailure("'\(prefix)' captures more than two groups") }
    if let rule = territory.transformRule { try addTransform(rule, to: &row) }
    if row.groups > 0 {
      let program = try compileProgram(pattern)
      if programStarts[program] == nil {
        programStarts[program] = programs.count
        programs += program
      }
      row.program = programStarts[program, default: 0] + 1
      row.capturelessDigits = capturelessDigits(pattern)
    }
    return row
  }

  // Every rule so far is some digits and then one group: `9$1`.
  private func addTransform(_ rule: String, to row: inout RegionRow) throws {
    let parts = rule.split(separator: "$", omittingEmptySubsequences: false)
    let digits = parts[0].compactMap(\.wholeNumberValue)
    guard parts.count == 2, let group = Int(parts[1]), (1...max(row.groups, 1)).contains(group),
      row.groups > 0,
      digits.count == parts[0].count, digits.count <= Self.transformDigitsMax
    else { throw GenerationFailure("transform rule '\(rule)' of \(row.code) is not understood") }
    row.transformDigits = digits
    row.transformGroup = group
  }

  private mutating func whole(_ pattern: String) throws -> State {
    AutomatonBuilder(try Pattern(pattern)).whole(in: &pool)
  }

  // libphonenumber's getNumberType is not UNKNOWN: the general description fits, and that of some kind.
  private mutating func validNumbers(of territory: Territory) throws -> State {
    let general = pool.combine(
      [try whole(territory.general), pool.lengths(territory.lengths)], { $0[0] && $0[1] })
    var kinds = StatePool.dead
    for name in Territory.typeNames {
      guard let type = territory.types[name], !type.pattern.isEmpty else { continue }
      // Where mobile is written like fixedLine, libphonenumber asks fixedLine only.
      if name == "mobile" && type.pattern == territory.types["fixedLine"]?.pattern { continue }
      kinds = pool.combine(
        [kinds, try whole(type.pattern), pool.lengths(type.lengths)], { $0[0] || ($0[1] && $0[2]) })
    }
    return pool.combine([general, kinds], { $0[0] && $0[1] })
  }

  // The number belongs to the first territory whose leading digits it has, or, for a territory without leading
  // digits, whose kinds it fits; and is valid if it is valid there (getRegionCodeForNumber, isValidNumber).
  private mutating func validNumbers(of territories: [Territory]) throws -> State {
    if territories.count == 1 { return try validNumbers(of: territories[0]) }
    var result = StatePool.dead
    for territory in territories.reversed() {
      let valid = try validNumbers(of: territory)
      var belongs = valid
      if let leadingDigits = territory.leadingDigits {
        let rest = Pattern.repeated(.anyDigit, least: 0, most: Pattern.lengthMax)
        belongs = AutomatonBuilder(.sequence([try Pattern(leadingDigits), rest])).whole(in: &pool)
      }
      result = pool.combine([belongs, valid, result], { $0[0] ? $0[1] : $0[2] })
    }
    return result
  }
}
