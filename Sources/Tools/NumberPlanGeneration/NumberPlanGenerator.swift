// The generator's interface: metadata in, C text out. A library so that a test can check whether the
// committed tables are up to date.

public import Foundation

/// Converts libphonenumber's `PhoneNumberMetadata.xml` to the tables of CNumberPlanTables.
public enum NumberPlanGenerator {
  /// Generates the text of `NumberPlanTables.c`; the same for the same arguments.
  ///
  /// - Parameters:
  ///   - metadata: the whole XML file.
  ///   - version: the libphonenumber release of the file, such as `9.0.35`, which the file does not contain.
  /// - Throws: `GenerationError` if the XML or a pattern in it is not supported.
  /// - Complexity: a few seconds for all territories.
  public static func tables(fromMetadata metadata: Data, version: String) throws -> String {
    guard !version.isEmpty,
      version.allSatisfy({ $0.isASCII && ($0.isNumber || $0.isLetter || ".-".contains($0)) })
    else { throw GenerationError("'\(version)' is not a version") }
    let builder = try TableBuilder(try MetadataReader.read(metadata))
    return try TableWriter(builder).text(version: version, fingerprint: fingerprint(of: metadata))
  }

  /// FNV-1a, 64 bits, to distinguish metadata files.
  public static func fingerprint(of metadata: Data) -> UInt64 {
    metadata.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

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
  var valid: PoolState
  /// Results are a `NumberClass` plus 1.
  var classes: PoolState
  /// Results are the start of a list in `NumberFormatTable` plus 1.
  var formats: PoolState
}

struct TableBuilder {
  var pool = StatePool()
  private(set) var programs: [UInt16] = []
  private(set) var regions: [RegionRow] = []
  private(set) var callingCodes: [CallingCodeRow] = []
  var formatTable = NumberFormatTable()
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
      let formats = try formats(of: ordered[inOrder[0]])
      callingCodes.append(
        CallingCodeRow(
          callingCode: callingCode, regions: inOrder, valid: valid, classes: classes, formats: formats))
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

/// One result for a national number with a calling code: an automaton per calling code determines a number's territory and type. The rules are libphonenumber's
/// getRegionCodeForNumber and getNumberTypeHelper.
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

struct AutomatonTable {
  /// A state's name is the start of its row of ten, in pairs of entries: the processor's addressing mode then does the
  /// multiplication, and 13,107 states fit into 16 bits.
  static let pairsPerRow = 5

  /// The states in the table's order: accepting states come last, so that accepting is one comparison. At both ends are
  /// the states from which only the number of digits matters, so that detecting these is another comparison.
  let order: [PoolState]
  /// The name of the first state from which individual digits matter.
  let firstChoosing: Int
  let firstAccepting: Int
  /// The name of the first accepting state from which only the number of digits matters.
  let firstIndifferent: Int
  private let places: [PoolState: Int]
  private let pool: StatePool

  /// Packs the states that can be reached from `roots`; intermediate results stay in the pool.
  init(_ roots: [PoolState], of pool: StatePool) throws {
    self.pool = pool
    var seen: Set<PoolState> = [StatePool.dead]
    var reached = [StatePool.dead]
    var stack = Array(roots.reversed())
    while let state = stack.popLast() {
      guard seen.insert(state).inserted else { continue }
      reached.append(state)
      stack += pool.rows[state].next.reversed()
    }
    var isIndifferent: [PoolState: Bool] = [StatePool.dead: true]
    let names = { (states: [PoolState]) in states.count * Self.pairsPerRow }
    let groups = [(false, true), (false, false), (true, false), (true, true)].map { accepts, indifferent in
      reached.filter {
        pool.rows[$0].accepts == accepts && Self.isIndifferent($0, pool, &isIndifferent) == indifferent
      }
    }
    order = groups.flatMap { $0 }
    firstChoosing = names(groups[0])
    firstAccepting = firstChoosing + names(groups[1])
    firstIndifferent = firstAccepting + names(groups[2])
    places = Dictionary(
      uniqueKeysWithValues: order.enumerated().map { ($0.element, $0.offset * Self.pairsPerRow) })
    guard order.count * Self.pairsPerRow <= UInt16.max else {
      throw GenerationError("\(order.count) states do not fit into 16 bits")
    }
  }

  subscript(state: PoolState) -> Int { places[state, default: 0] }

  /// Ten names per state, one for each digit.
  var transitions: [Int] { order.flatMap { pool.rows[$0].next.map { self[$0] } } }

  /// The result of each accepting state, minus 1: the result 0 means no.
  var answers: [Int] { order.filter { pool.rows[$0].accepts }.map { pool.rows[$0].answer - 1 } }

  var lengths: [Int] { order.map { Int(pool.acceptedLengths($0)) } }

  // Whether all digits lead to the same state, here and from there on.
  private static func isIndifferent(_ state: PoolState, _ pool: StatePool, _ known: inout [PoolState: Bool])
    -> Bool
  {
    if let answer = known[state] { return answer }
    let next = pool.rows[state].next
    let answer = next.allSatisfy { $0 == next[0] } && isIndifferent(next[0], pool, &known)
    known[state] = answer
    return answer
  }
}

/// Writes the tables as C: 50,000 integers take the Swift compiler many seconds and the C compiler none.
struct TableWriter {
  private let builder: TableBuilder
  private let automata: AutomatonTable
  /// The automata for region and type, and for formats. They are separate, so that the former stay small and within 16
  /// bits.
  private let classes: AutomatonTable

  init(_ builder: TableBuilder) throws {
    self.builder = builder
    automata = try AutomatonTable(
      builder.regions.flatMap { [$0.internationalPrefix, $0.nationalPrefix, $0.general] }
        + builder.callingCodes.map(\.valid), of: builder.pool)
    classes = try AutomatonTable(
      builder.callingCodes.map(\.classes) + builder.callingCodes.map(\.formats), of: builder.pool)
  }

  func text(version: String, fingerprint: UInt64) -> String {
    let geographicCount = builder.regions.filter { $0.code != Territory.nonGeographicCode }.count
    let members = builder.callingCodes.flatMap(\.regions)
    var out = """
      // Generated by generate-number-plan, do not edit: see Sources/Tools/generate-number-plan/README.md.
      // The facts are those of libphonenumber \(version), resources/PhoneNumberMetadata.xml,
      // Copyright (C) The Libphonenumber Authors, Apache License 2.0.

      #include "CNumberPlanTables.h"

      const char cnp_metadata_version_text[] = "\(version)";
      const uint64_t cnp_metadata_fingerprint_value = \(fingerprint)u;
      const uint32_t cnp_state_count_value = \(automata.order.count);
      const uint32_t cnp_first_accepting_value = \(automata.firstAccepting);
      const uint32_t cnp_first_choosing_value = \(automata.firstChoosing);
      const uint32_t cnp_first_indifferent_value = \(automata.firstIndifferent);
      const uint32_t cnp_class_state_count_value = \(classes.order.count);
      const uint32_t cnp_first_class_value = \(classes.firstAccepting);
      const uint32_t cnp_program_count_value = \(builder.programs.count);
      const uint32_t cnp_region_count_value = \(builder.regions.count);
      const uint32_t cnp_geographic_region_count_value = \(geographicCount);
      const uint32_t cnp_calling_code_count_value = \(builder.callingCodes.count);
      const uint32_t cnp_member_count_value = \(members.count);
      const uint32_t cnp_format_count_value = \(builder.formatTable.rows.count);
      const uint32_t cnp_format_list_count_value = \(builder.formatTable.lists.count);
      const uint32_t cnp_template_count_value = \(builder.formatTable.templates.count);


      """
    appendArray("uint16_t cnp_transition_values[]", automata.transitions, to: &out)
    appendArray("uint32_t cnp_length_values[]", automata.lengths, to: &out)
    appendArray("uint16_t cnp_class_transition_values[]", classes.transitions, to: &out)
    appendArray("uint16_t cnp_class_values[]", classes.answers, to: &out)
    appendArray("uint16_t cnp_program_values[]", builder.programs.map(Int.init), to: &out)
    out += "const cnp_region cnp_region_values[] = {\n"
    for region in builder.regions { out += "    {\(fields(region))},\n" }
    out += "};\n\nconst cnp_calling_code cnp_calling_code_values[] = {\n"
    var firstMember = 0
    for row in builder.callingCodes {
      let numbers = [
        row.callingCode, row.regions[0], automata[row.valid], classes[row.classes], firstMember,
        row.regions.count, classes[row.formats],
      ]
      out += "    {" + numbers.map(String.init).joined(separator: ", ") + "},\n"
      firstMember += row.regions.count
    }
    out += "};\n\n"
    appendArray("uint16_t cnp_member_values[]", members, to: &out)
    appendFormats(to: &out)
    var index = Array(repeating: 0, count: 1000)
    for (place, row) in builder.callingCodes.enumerated() { index[row.callingCode] = place + 1 }
    appendArray("uint16_t cnp_calling_code_index_values[1000]", index, to: &out)
    return out
  }

  private func appendFormats(to out: inout String) {
    appendArray("uint16_t cnp_format_list_values[]", builder.formatTable.lists, to: &out)
    appendArray("uint8_t cnp_template_values[]", builder.formatTable.templates, to: &out)
    out += "const cnp_format cnp_format_values[] = {\n"
    for row in builder.formatTable.rows {
      out += "    {\(row.packedGroups)u, \(row.national), \(row.international)},\n"
    }
    // C has no empty arrays.
    out += builder.formatTable.rows.isEmpty ? "    {0u, 0, 0},\n};\n\n" : "};\n\n"
  }

  private func fields(_ region: RegionRow) -> String {
    let digits = region.transformDigits.enumerated().reduce(0) { $0 | $1.element << (4 * $1.offset) }
    let numbers = [
      region.callingCode, automata[region.internationalPrefix], automata[region.nationalPrefix],
      region.program, automata[region.general], Int(region.capturelessDigits), digits,
      region.transformDigits.count, region.transformGroup, region.groups,
      Int(builder.pool.acceptedLengths(region.general)), Int(region.lengths), Int(region.localOnlyLengths),
    ]
    return "\"\(region.code)\", " + numbers.map(String.init).joined(separator: ", ")
  }

  private func appendArray(_ declaration: String, _ values: [Int], to out: inout String) {
    out += "const \(declaration) = {\n"
    var line = ""
    for value in values {
      let item = "\(value),"
      if line.utf8.count + item.utf8.count > 118 {
        out += line + "\n"
        line = ""
      }
      line += item
    }
    // C has no empty arrays; the 0 is never read.
    out += (line.isEmpty ? "0" : line) + "\n};\n\n"
  }
}
