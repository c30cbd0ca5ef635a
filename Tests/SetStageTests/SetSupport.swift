// Shared by the tests of this target: lists in files, operations on them, and many small cases combined in one list, so
// that thousands of cases cost one run.

import RecordStages
import Records
import SystemIO
import TestSupport
import Testing

/// The result of an operation.
struct SetOutcome {
  var records: [TestRecord] = []
  var meter: StageMeter
  var rejects: [String] = []
}

/// The stage of an operation.
func stage(
  _ options: SetOptions, _ context: StageContext, _ sink: any RecordSink
) throws(Failure) -> any RecordSink {
  switch options.operation {
  case .union, .merge:
    try ListMerger(options: options, context: context, downstream: sink)
  case .subtract, .intersect:
    try ListCutter(options: options, context: context, downstream: sink)
  }
}

/// Runs an operation on lists in files, or with one of them from the previous stage.
func execute(
  _ operation: SetOptions.Operation, _ lists: [[TestRecord]], fed: Int? = nil, cut: Cut = .whole,
  swaps: Bool = false, calls: any SystemCalls = KernelCalls()
) throws -> SetOutcome {
  let directory = try TemporaryDirectory()
  var names: [String] = []
  for (index, list) in lists.enumerated() {
    try directory.write("\(index).tsv", lines(list))
    names.append(index == fed ? "-" : directory / "\(index).tsv")
  }
  let fixture = try StageFixture(
    operation == .merge
      ? StageName(rawValue: "sort")
      : operation == .union ? .union : operation == .subtract ? .subtract : .intersect, calls: calls)
  let sink = CollectingRecords(CollectorOptions(swaps: swaps))
  let made = try stage(SetOptions(operation, lists: names, fed: fed), fixture.context, sink)
  if let fed { try feed(lists[fed], cut: cut, to: made) } else { try made.finish() }
  #expect(sink.rules.isFinished && fixture.meter.isFinished)
  return SetOutcome(records: sink.records, meter: fixture.meter, rejects: fixture.rejectLines)
}

/// The error of an operation on texts in the files `a`, `b`, ….
func failure(
  _ operation: SetOptions.Operation, _ texts: [String]
) throws -> Failure? {
  let directory = try TemporaryDirectory()
  var names: [String] = []
  for (index, text) in texts.enumerated() {
    let name = String(UnicodeScalar(UInt8(ascii: "a") + UInt8(index)))
    try directory.write(name, Array(text.utf8))
    names.append(directory / name)
  }
  let fixture = try StageFixture(.subtract)
  return stageError { () throws(Failure) in
    try stage(SetOptions(operation, lists: names), fixture.context, CollectingRecords()).finish()
  }
}

/// Random lists made of many small cases: each has about a dozen numbers, in which nearly everything overlaps.
struct RandomLists {
  /// The numbers of one case.
  static let width: UInt64 = 24

  private var generator: SplitMix64

  init(_ generator: SplitMix64) {
    self.generator = generator
  }

  /// Lists of `cases` cases. The records of lists that must be disjoint do not overlap; those of other lists may.
  mutating func lists(_ count: Int, cases: Int, disjoint: (Int) -> Bool) -> [[TestRecord]] {
    var lists = [[TestRecord]](repeating: [], count: count)
    var base: UInt64 = 1
    for _ in 0..<cases {
      for list in 0..<count {
        if disjoint(list) {
          addDisjoint(from: base, to: &lists[list])
        } else {
          addAny(from: base, to: &lists[list])
        }
      }
      // Some cases touch adjacent ones.
      base += Self.width + UInt64.random(in: 0...2, using: &generator)
    }
    return lists.map(SortOracle.sorted)
  }

  private mutating func addDisjoint(from base: UInt64, to list: inout [TestRecord]) {
    var number = base + UInt64.random(in: 0...6, using: &generator)
    while number < base + Self.width {
      let isRange = generator.chance(oneIn: 2)
      let last = min(
        number + (isRange ? UInt64.random(in: 0...9, using: &generator) : 0), base + Self.width - 1)
      list.append(TestRecord(number, last, recordFields()))
      number = last + UInt64.random(in: 1...(generator.chance(oneIn: 2) ? 2 : 9), using: &generator)
    }
  }

  private mutating func addAny(from base: UInt64, to list: inout [TestRecord]) {
    for _ in 0..<Int.random(in: 0...4, using: &generator) {
      let first = base + UInt64.random(in: 0..<Self.width, using: &generator)
      let last = min(
        first + (generator.chance(oneIn: 2) ? UInt64.random(in: 0...12, using: &generator) : 0),
        base + Self.width - 1)
      list.append(TestRecord(first, last, recordFields()))
    }
  }

  private mutating func recordFields() -> [UInt8] {
    let texts = ["", "a", "b", "b\tsource", "b\tsource\t7", "b\t\t8", "label \\\\ with \\t escapes"]
    return Array((texts.randomElement(using: &generator) ?? "").utf8)
  }
}
