// Computes the tables' content from territories: the automata that a territory needs, and the main territory of a
// calling code. Not for writing the tables (TableWriter).

/// A territory, like the C struct `cnp_region`.
struct RegionRow {
  var code: String
  var callingCode: Int
  var internationalPrefix = StatePool.dead
  var nationalPrefix = StatePool.dead
  /// The start of the program, plus 1; 0 if there is none.
  var program = 0
  var general = StatePool.dead
  var capturelessDigits: UInt16 = 0
  var transformDigits: [Int] = []
  var transformGroup = 0
  var groups = 0
  var lengths: LengthSet
  var localOnlyLengths: LengthSet
}

/// A calling code, like the C struct `cnp_calling_code`.
struct CallingCodeRow {
  var callingCode: Int
  /// Its territories in the order in which libphonenumber checks them, the main one first.
  var regions: [Int]
  /// Accepts valid numbers.
  var valid: PoolState
  /// Results are a `NumberClass` plus 1.
  var classes: PoolState
}

struct TableBuilder {
  var pool = StatePool()
  private(set) var programs: [UInt16] = []
  private(set) var regions: [RegionRow] = []
  private(set) var callingCodes: [CallingCodeRow] = []
  private var programStarts: [[UInt16]: Int] = [:]

  /// The maximum digits in the transform rule's packed field.
  private static let transformDigitsMax = 4
  /// The maximum digits of an international prefix and of a carrier code in NumberPlan's ParseTrace.
  private static let internationalDigitsMax = 8
  private static let carrierDigitsMax = 6

  init(_ territories: [Territory]) throws {
    // Networks without a country come last, so that the others can be looked up by code.
    let isCountry = { (territory: Territory) in territory.code != Territory.nonGeographicCode }
    let ordered =
      territories.filter(isCountry).sorted { $0.code < $1.code }
      + territories.filter { !isCountry($0) }.sorted { $0.callingCode < $1.callingCode }
    for territory in ordered { regions.append(try row(for: territory)) }

    let byCode = Dictionary(grouping: ordered.indices) { ordered[$0].callingCode }
    for (callingCode, members) in byCode.sorted(by: { $0.key < $1.key }) {
      // libphonenumber checks the main territory first, then the others in the file's order, which is by code.
      let inOrder =
        members.filter { ordered[$0].isMainForCode } + members.filter { !ordered[$0].isMainForCode }
      if members.count > 1 && members.filter({ ordered[$0].isMainForCode }).count != 1 {
        throw GenerationError("calling code \(callingCode) has several territories and not one main one")
      }
      let classes = try classes(of: inOrder.map { ordered[$0] })
      let valid = pool.combine([classes]) {
        NumberClass(answer: $0[0])?.type == nil ? StatePool.no : StatePool.yes
      }
      callingCodes.append(
        CallingCodeRow(callingCode: callingCode, regions: inOrder, valid: valid, classes: classes))
    }
  }

  private mutating func row(for territory: Territory) throws -> RegionRow {
    var row = RegionRow(
      code: territory.code, callingCode: territory.callingCode, lengths: territory.lengths,
      localOnlyLengths: territory.localOnlyLengths)
    guard row.lengths != 0 else { throw GenerationError("territory \(row.code) has no possible lengths") }
    row.general = try whole(territory.general)
    if let prefix = territory.internationalPrefix {
      let pattern = try MetadataPattern(prefix)
      guard longestMatch(pattern) <= Self.internationalDigitsMax else {
        throw GenerationError(
          "international prefix '\(prefix)' is longer than \(Self.internationalDigitsMax) digits")
      }
      row.internationalPrefix = DigitAutomatonBuilder(pattern).prefix(in: &pool)
    }
    guard let prefix = territory.nationalPrefixForParsing, !prefix.isEmpty else { return row }
    let pattern = try MetadataPattern(prefix)
    row.nationalPrefix = DigitAutomatonBuilder(pattern).prefix(in: &pool)
    row.groups = groupCount(pattern)
    guard row.groups <= 2 else { throw GenerationError("'\(prefix)' captures more than two groups") }
    if let rule = territory.transformRule { try addTransform(rule, to: &row) }
    // Without a rule, or next to the group that the rule keeps, group 1 is a carrier code.
    if territory.transformRule == nil || row.groups > 1 {
      guard longestMatch(ofGroup: 1, in: pattern) <= Self.carrierDigitsMax else {
        throw GenerationError(
          "a carrier code in '\(prefix)' is longer than \(Self.carrierDigitsMax) digits")
      }
    }
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

  // Every rule so far consists of some digits and then one group: `9$1`.
  private func addTransform(_ rule: String, to row: inout RegionRow) throws {
    let parts = rule.split(separator: "$", omittingEmptySubsequences: false)
    let digits = parts[0].compactMap(\.wholeNumberValue)
    guard parts.count == 2, let group = Int(parts[1]), (1...max(row.groups, 1)).contains(group),
      row.groups > 0,
      digits.count == parts[0].count, digits.count <= Self.transformDigitsMax
    else { throw GenerationError("transform rule '\(rule)' of \(row.code) is not understood") }
    row.transformDigits = digits
    row.transformGroup = group
  }

  mutating func whole(_ pattern: String) throws -> PoolState {
    DigitAutomatonBuilder(try MetadataPattern(pattern)).whole(in: &pool)
  }
}
