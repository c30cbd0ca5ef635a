// Random lists with ranges: the parts are the list, and dedupe of the parts is dedupe of the list.

import RecordStages
import Records
import SystemIO
import TestSupport
import Testing

@Suite("Parts of random lists", .seeded)
struct SplitPropertyTests {
  private static let keeps: [DedupeOptions.Keep] = [
    .first, .last, .highestScore, .mostFrequent, .priority,
  ]
  private static let rounds = TestEffort.cases(short: 100, long: 2000)
  private static let cutCount = 7

  private static func check(_ parts: [[UInt8]], of list: [TestRecord], round: Int) throws {
    #expect(parts.flatMap { $0 } == lines(list), "round \(round)")
    let pieces = try parts.filter { !$0.isEmpty }.map { try records($0) }
    for index in pieces.indices.dropLast() {
      let highest = pieces[...index].flatMap { $0 }.map(\.last).max() ?? 0
      let lowest = pieces[(index + 1)...].flatMap { $0 }.map(\.first).min() ?? .max
      #expect(highest < lowest, "round \(round): a range crosses the cut after part \(index + 1)")
    }
    for keep in keeps {
      let whole = try deduped(list, keep)
      let joined = try pieces.flatMap { try deduped($0, keep) }
      #expect(joined == whole, "round \(round), keep \(keep)")
    }
  }

  @Test("cuts that are moved out of ranges")
  func movedCuts() throws {
    var random = RandomSortedLists(generator: SplitMix64(test: "moved cuts"))
    for round in 0..<Self.rounds {
      let width: UInt64 = [60, 400, 5000][round % 3]
      let list = random.list(80, width: width)
      let directory = try TemporaryDirectory()
      try directory.write("list.tsv", lines(list))
      let cuts = Set(
        (0..<Self.cutCount).map { _ in UInt64.random(in: 1...(width + 20), using: &random.generator) }
      ).sorted()
      let written = try parts(
        of: directory / "list.tsv", ListSplitter(cuts: cuts, movesCuts: true), in: directory)
      #expect(written.count == cuts.count + 1)
      try Self.check(written, of: list, round: round)
    }
  }

  @Test("cuts that are planned from the samples of several lists")
  func plannedCuts() throws {
    var random = RandomSortedLists(generator: SplitMix64(test: "planned cuts"))
    var most = 0
    for round in 0..<Self.rounds {
      let directory = try TemporaryDirectory()
      let count = 1 + round % 4
      let lists = (0..<count).map { _ in random.list(60, width: round % 2 == 0 ? 400 : 5000) }
      var names: [String] = []
      for (index, list) in lists.enumerated() {
        let name = directory / "\(index).tsv"
        try directory.write("\(index).tsv", lines(list))
        try directory.write("\(index).sample", Array(try ListSample(of: name).text.utf8))
        names.append(directory / "\(index).sample")
      }
      let cuts = try CutPlan(samples: names).cuts(parts: Self.cutCount + 1)
      most = max(most, cuts.count)
      // Each list fits the plan by itself; and the n-th parts of all lists, merged, are the n-th part of all lists.
      var slices = [[TestRecord]](repeating: [], count: cuts.count + 1)
      for (index, list) in lists.enumerated() {
        let name = directory / "\(index).tsv"
        let written = try parts(of: name, ListSplitter(cuts: cuts), in: directory)
        #expect(written.count == cuts.count + 1)
        #expect(written.flatMap { $0 } == lines(list))
        for (part, bytes) in written.enumerated() { slices[part] += try records(bytes) }
        let found = try PartSearch(sample: directory / "\(index).sample").parts(of: name, cuts: cuts)
        var offsets = try ListSplitter(cuts: cuts).split(name).parts
        for part in offsets.indices { offsets[part].records = nil }
        #expect(found == offsets)
      }
      let merged = slices.map { lines(SortOracle.sorted($0)) }
      #expect(merged.allSatisfy { !$0.isEmpty } || cuts.isEmpty)
      try Self.check(merged, of: SortOracle.sorted(lists.flatMap { $0 }), round: round)
    }
    #expect(most == Self.cutCount)
  }

  @Test("a cut inside a range is an error, and no other cut is")
  func exactCuts() throws {
    var random = RandomSortedLists(generator: SplitMix64(test: "exact cuts"))
    for _ in 0..<Self.rounds / 4 {
      let list = random.list(12, width: 60)
      let directory = try TemporaryDirectory()
      try directory.write("list.tsv", lines(list))
      let sample = try ListSample(of: directory / "list.tsv")
      try directory.write("sample", Array(sample.text.utf8))
      let search = try PartSearch(sample: directory / "sample")
      for cut in UInt64(1)...90 {
        let isInside = list.contains { $0.first < cut && cut <= $0.last }
        let failure = stageError { () throws(Failure) in
          _ = try ListSplitter(cuts: [cut]).split(directory / "list.tsv")
        }
        #expect((failure != nil) == isInside, "\(cut)")
        if let failure {
          // Several ranges may hold the cut: the sentence is about one of them.
          let sentences = list.enumerated().filter { $1.first < cut && cut <= $1.last }.map { index, range in
            "\(directory / "list.tsv"):\(index + 1): the cut \(cut) is inside the range \(range.first)..\(range.last)"
          }
          #expect(failure.code == "cut-in-range" && sentences.contains(failure.message.message))
        }
        let searchError = stageError { () throws(Failure) in
          _ = try search.parts(of: directory / "list.tsv", cuts: [cut])
        }
        #expect((searchError != nil) == isInside, "\(cut) with a sample")
      }
    }
  }
}

/// The records of a list after dedupe.
func deduped(_ records: [TestRecord], _ keep: DedupeOptions.Keep) throws -> [TestRecord] {
  var options = DedupeOptions(keep: keep)
  options.priority = ["s1", "s0"]
  let sink = CollectingRecords()
  let dedupe = try Deduper(options: options, context: StageFixture(.dedupe).context, downstream: sink)
  try feed(records, to: dedupe)
  return sink.records
}

/// The records of a list in the text form, which tests have written themselves.
func records(_ text: [UInt8]) throws -> [TestRecord] {
  let sink = CollectingRecords()
  try feed(text, to: RecordReader(context: StageFixture(.split).context, downstream: sink))
  return sink.records
}

/// Random sorted lists: single numbers, nested, overlapping and adjacent ranges, equal numbers, and gaps.
struct RandomSortedLists {
  var generator: SplitMix64

  /// A list of at most `count` records within `width` numbers.
  mutating func list(_ count: Int, width: UInt64) -> [TestRecord] {
    var list: [TestRecord] = []
    let widest = UInt64([1, 3, 20].randomElement(using: &generator) ?? 1)
    for _ in 0..<Int.random(in: 0...count, using: &generator) {
      let first = UInt64.random(in: 1...width, using: &generator)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0, 1: add(first, first, to: &list)
      case 2: add(first, first + UInt64.random(in: 0...widest, using: &generator), to: &list)
      case 3:
        // Nested.
        add(first, first + widest, to: &list)
        add(first + widest / 2, first + widest, to: &list)
      case 4:
        // Adjacent.
        add(first, first + widest, to: &list)
        add(first + widest + 1, first + 2 * widest, to: &list)
      default:
        // Equal, and as wide.
        add(first, first + widest, to: &list)
        add(first, first + widest, to: &list)
        add(first, first, to: &list)
      }
    }
    return SortOracle.sorted(list)
  }

  private mutating func add(_ first: UInt64, _ last: UInt64, to list: inout [TestRecord]) {
    let fields = ["", "a", "b", "c\ts1", "c\ts0\t7", "a\ts1\t-3", "b\t\t7"].randomElement(using: &generator)
    list.append(TestRecord(first, Swift.max(first, last), Array((fields ?? "").utf8)))
  }
}

/// The parts that a splitter writes, as bytes.
func parts(
  of list: String, _ splitter: ListSplitter, in directory: TemporaryDirectory,
  calls: any SystemCalls = FailingCalls.unsynced()
) throws -> [[UInt8]] {
  let folder = try PartFolder(directory / "parts", list: list, calls: calls)
  let outcome = try splitter.split(list, into: folder, calls: calls)
  try folder.publish()
  #expect(directory.names(in: "parts") == outcome.parts.map(\.fileName))
  let written = outcome.parts.map { directory.read("parts/\($0.fileName)") ?? [] }
  #expect(outcome.parts.map(\.bytes) == written.map { UInt64($0.count) })
  return written
}
