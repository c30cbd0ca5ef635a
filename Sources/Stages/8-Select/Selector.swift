// The select stage: keeps or drops records by rules, in one pass.
//
// A rule is a bit. The rules that apply to a record are those whose conditions on the label, the source and the score
// hold, which is found out once per batch for each of its record fields, and whose conditions on the number hold, which
// is the same for all numbers between two boundaries. The highest bit decides.

import BasicContainers
package import Records
import SystemIO

/// Keeps the records that rules select. Ranges are cut where the answer changes, and never expanded. The order of the
/// records does not matter, and stays.
///
/// Work: O(1) per record while the numbers stay between two boundaries, else O(log boundaries); O(boundaries) per range.
package final class Selector: RecordSink {
  private let options: SelectOptions
  private let meter: StageMeter
  private let source: String?
  private let fields: FieldRules
  private var numbers: NumberRules
  private var verdicts: SelectVerdicts
  private var output: RecordOutput
  /// By index of the record fields in a batch: the rules whose conditions on fields hold.
  private var masks: [UInt64] = []

  /// Makes a stage that sends the selected records to `downstream`. Reads the lists of the rules.
  package init(
    options: SelectOptions, context: StageContext, downstream: any RecordSink
  ) throws(Failure) {
    let numbers = try NumberRules(options.rules, context)
    self.options = options
    meter = context.meter
    source = context.origin.source.isEmpty ? nil : context.origin.source
    fields = FieldRules(options.rules)
    self.numbers = numbers
    verdicts = SelectVerdicts(options.rules, numberRules: numbers.rules)
    output = RecordOutput(context, downstream)
  }

  package func receive(_ batch: inout RecordBatch) throws(Failure) {
    meter.rowsIn.add(batch.count)
    masks.removeAll(keepingCapacity: true)
    for index in 0..<batch.fieldsTable.count { masks.append(fields.mask(batch.fieldsTable[index])) }
    output.changeSource()
    let (leftOut, splits) = (verdicts.leftOut.records, verdicts.splits)
    if batch.isSingles, !masks.contains(where: { verdicts.dependsOnNumber(verdicts.ruleOfNumber($0)) }) {
      selectByFields(&batch)
      try output.send(&batch)
    } else {
      try Self.select(batch, masks, &numbers, &verdicts, &output)
    }
    meter.leaveOut(Int(verdicts.leftOut.records - leftOut), because: SelectNotice.reason)
    meter.splits.add(verdicts.splits - splits)
    batch.removeAll()
  }

  /// Moves the records of single numbers that are kept to the front of the batch, if their fields alone decide.
  private func selectByFields(_ batch: inout RecordBatch) {
    // From here on, the rule that decides.
    for index in masks.indices { masks[index] = verdicts.ruleOfNumber(masks[index]) }
    let kept = Self.compact(&batch.firsts, &batch.fieldsIndices, masks.span, &verdicts)
    for index in 0..<kept { batch.lasts[index] = batch.firsts[index] }
    verdicts.leftOut.add(records: batch.count - kept)
    batch.truncate(to: kept)
  }

  /// Writes each record after those kept so far. This avoids a branch that would often be mispredicted.
  private static func compact(
    _ firsts: inout RigidArray<UInt64>, _ fieldsIndices: inout RigidArray<UInt32>, _ rules: Span<UInt64>,
    _ verdicts: inout SelectVerdicts
  ) -> Int {
    var firsts = firsts.mutableSpan
    var fieldsIndices = fieldsIndices.mutableSpan
    var kept = 0
    for index in 0..<firsts.count {
      let first = firsts[index]
      let fieldsIndex = fieldsIndices[index]
      firsts[kept] = first
      fieldsIndices[kept] = fieldsIndex
      kept += verdicts.decide(rules[Int(fieldsIndex)]) ? 1 : 0
    }
    return kept
  }

  package func finish() throws(Failure) {
    if let observe = options.observe {
      let leftOut = verdicts.leftOut
      if leftOut.records > 0 || leftOut.parts > 0 { observe(SelectNotice(.leftOut(leftOut), source: source)) }
      let idle = options.rules.indices.filter { !verdicts.hasDecided($0) }
      if meter.rowsIn.value > 0, !idle.isEmpty {
        observe(SelectNotice(.idleRules(idle.map { options.rules[$0] }), source: source))
      }
    }
    try output.finish()
  }

  private static func select(
    _ batch: borrowing RecordBatch, _ masks: [UInt64], _ numbers: inout NumberRules,
    _ verdicts: inout SelectVerdicts, _ output: inout RecordOutput
  ) throws(Failure) {
    let firsts = batch.firsts.span
    let lasts = batch.lasts.span
    let fieldsIndices = batch.fieldsIndices.span
    let masks = masks.span
    for index in firsts.indices {
      let first = firsts[index]
      let last = lasts[index]
      let mask = masks[Int(fieldsIndices[index])] & (first == last ? verdicts.ofNumbers : verdicts.ofRanges)
      var rule = SelectVerdicts.last(mask)
      if verdicts.dependsOnNumber(rule) {
        if first < numbers.piece.first || first > numbers.piece.last { numbers.enter(first) }
        if last > numbers.piece.last {
          try cut(batch, at: index, mask, &numbers, &verdicts, &output)
          continue
        }
        rule = SelectVerdicts.last(mask & numbers.piece.mask)
      }
      if verdicts.decide(rule) {
        try output.send(first: first, last: last, of: batch, at: index)
      } else {
        verdicts.leftOut.add(first, last)
      }
    }
  }

  /// Cuts a range that starts in the current piece and ends after it.
  private static func cut(
    _ batch: borrowing RecordBatch, at index: Int, _ mask: UInt64, _ numbers: inout NumberRules,
    _ verdicts: inout SelectVerdicts, _ output: inout RecordOutput
  ) throws(Failure) {
    let last = batch.lasts[index]
    var start = batch.firsts[index]
    var kept: ClosedRange<UInt64>?
    var sent = 0
    var dropped: UInt64 = 0
    while true {
      let end = min(last, numbers.piece.last)
      if !verdicts.decide(SelectVerdicts.last(mask & numbers.piece.mask)) {
        dropped += end - start + 1
      } else if let run = kept, run.upperBound + 1 == start {
        kept = run.lowerBound...end
      } else {
        if let run = kept {
          try output.send(first: run.lowerBound, last: run.upperBound, of: batch, at: index)
        }
        kept = start...end
        sent += 1
      }
      if end == last { break }
      start = end + 1
      numbers.enter(start)
    }
    if let run = kept { try output.send(first: run.lowerBound, last: run.upperBound, of: batch, at: index) }
    verdicts.splits += max(0, sent - 1)
    verdicts.leftOut.add(numbers: dropped, isWhole: sent == 0)
  }
}

package struct SelectOptions: Sendable {
  /// The maximum number of rules: one bit each, and one for the records that no rule applies to.
  package static let rulesMax = UInt64.bitWidth - 1

  /// The rules, of which the last one that applies to a record decides. A record to which none applies is dropped if the
  /// first rule keeps records, else kept.
  package var rules: [SelectRule]
  /// Receives notices at the end, such as how many records were left out.
  package var observe: (@Sendable (SelectNotice) -> Void)?

  package init(rules: [SelectRule]) throws(Failure) {
    guard !rules.isEmpty else {
      throw .badRule(
        "no-rules", "no rule given", hint: "use \(option: "keep", "RULE") or \(option: "drop", "RULE")")
    }
    guard rules.count <= Self.rulesMax else {
      throw .badRule("too-many-rules", "\(rules.count) rules; the maximum is \(Self.rulesMax)")
    }
    self.rules = rules
  }
}

extension StageName {
  package static let select = StageName(rawValue: "select")
}

extension SelectOptions: StagePlan {
  package var name: StageName { .select }
  package var input: DataKind { .records }
  package var output: DataKind { .records }
  package var files: [StageFile] { rules.flatMap(\.lists).map { StageFile($0, .settings) } }

  package func makeSink(_ environment: StageEnvironment, downstream: AnySink) throws(Failure) -> AnySink {
    var options = self
    if let notify = environment.notify { options.observe = { notify($0) } }
    return .records(
      try Selector(options: options, context: environment.context, downstream: downstream.recordSink))
  }
}

package struct SelectNotice: StageNotice {
  /// Why the stage leaves records out, in reports and metrics.
  static let reason = "not-selected"
  /// The most rules that are listed, and the most characters of each.
  private static let listedMax = 8
  private static let shownMax = 100

  package enum Finding: Sendable {
    case leftOut(LeftOut)
    /// These rules decided about no record.
    case idleRules([SelectRule])
  }

  /// What the rules do not select.
  package struct LeftOut: Equatable, Sendable {
    package private(set) var records: UInt64 = 0
    /// Ranges of which only a part was left out.
    package private(set) var parts: UInt64 = 0
    /// The numbers of both; `UInt64.max` if there are more.
    package private(set) var numbers: UInt64 = 0

    @inline(__always)
    mutating func add(_ first: UInt64, _ last: UInt64) {
      add(numbers: last - first + 1, isWhole: true)
    }

    /// Adds records of one number each.
    mutating func add(records count: Int) {
      records += UInt64(count)
      numbers = numbers.addingSaturated(UInt64(count))
    }

    @inline(__always)
    mutating func add(numbers count: UInt64, isWhole: Bool) {
      if count == 0 { return }
      if isWhole { records += 1 } else { parts += 1 }
      numbers = numbers.addingSaturated(count)
    }
  }

  package let finding: Finding
  /// The name of the source of the records; nil if they come from all sources.
  package let source: String?

  init(_ finding: Finding, source: String?) {
    self.finding = finding
    self.source = source
  }

  package var line: String {
    (source.map { "source '\(PrintableText.name($0))': " } ?? "") + text
  }

  private var text: String {
    switch finding {
    case .leftOut(let leftOut):
      let counts = Figures.counted(
        records: leftOut.records, partsOfRanges: leftOut.parts, numbers: leftOut.numbers)
      return "left out \(counts) that the rules do not select"
    case .idleRules(let rules):
      let names = rules.prefix(Self.listedMax).map {
        "\(quotedOption: $0.action.rawValue, PrintableText.shortened($0.text, to: Self.shownMax))"
      }
      let others = rules.count > names.count ? " and \(rules.count - names.count) others" : ""
      return
        "\(names.joined(separator: ", "))\(others) \(rules.count == 1 ? "decides" : "decide") about no record"
    }
  }
}

/// What the rules decide, and what follows from it.
struct SelectVerdicts {
  /// The bit of the records that no rule applies to. Those of the rules follow.
  static let noRule: UInt64 = 1

  /// The rules that can apply to records of one number, and to ranges.
  let ofNumbers: UInt64
  let ofRanges: UInt64
  private let numberRules: UInt64
  private var keeping: UInt64
  private var decided: UInt64 = 0
  var leftOut = SelectNotice.LeftOut()
  var splits = 0

  init(_ rules: [SelectRule], numberRules: UInt64) {
    func mask(_ isIncluded: (SelectRule) -> Bool) -> UInt64 {
      rules.indices.reduce(0) { $0 | (isIncluded(rules[$1]) ? Self.bit($1) : 0) }
    }
    func applies(_ rule: SelectRule, toRanges isRange: Bool) -> Bool {
      rule.tests.allSatisfy { test in
        if case .isRange(let wanted) = test.condition { (wanted == isRange) != test.isNegated } else { true }
      }
    }
    ofNumbers = Self.noRule | mask { applies($0, toRanges: false) }
    ofRanges = Self.noRule | mask { applies($0, toRanges: true) }
    keeping = mask { $0.action == .keep }
    if rules.first?.action == .drop { keeping |= Self.noRule }
    self.numberRules = numberRules
  }

  static func bit(_ rule: Int) -> UInt64 { 2 << UInt64(rule) }

  /// The bit of the last rule in a set that is not empty.
  @inline(__always)
  static func last(_ mask: UInt64) -> UInt64 {
    1 &<< UInt64(truncatingIfNeeded: 63 &- mask.leadingZeroBitCount)
  }

  /// The rule for a record of one number, unless it depends on the number.
  @inline(__always)
  func ruleOfNumber(_ mask: UInt64) -> UInt64 { Self.last(mask & ofNumbers) }

  @inline(__always)
  func dependsOnNumber(_ rule: UInt64) -> Bool { numberRules & rule != 0 }

  /// Whether a rule keeps a record, about which it decides.
  @inline(__always)
  mutating func decide(_ rule: UInt64) -> Bool {
    decided |= rule
    return keeping & rule != 0
  }

  func hasDecided(_ rule: Int) -> Bool { decided & Self.bit(rule) != 0 }
}
