// Merges of more lists than are read at a time: the same records as in a single merge, and nothing left after a failure.

import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import RecordStages

/// Lists in files, and merges of them that read few lists at a time.
private struct MergeCase {
  let directory: TemporaryDirectory
  let spills: TemporaryDirectory
  var options: SetOptions

  /// Writes the lists to the files `0`, `1`, …
  init(_ operation: SetOptions.Operation, _ texts: [[UInt8]], fed: Int? = nil) throws {
    directory = try TemporaryDirectory()
    spills = try TemporaryDirectory()
    var names: [String] = []
    for (index, text) in texts.enumerated() {
      if index != fed { try directory.write("\(index)", text) }
      names.append(index == fed ? "-" : directory / "\(index)")
    }
    options = SetOptions(operation, lists: names, fed: fed)
    options.temporaryDirectory = spills.path
  }

  func merger(
    fanIn: Int, _ fixture: StageFixture, _ sink: CollectingRecords = CollectingRecords()
  ) throws(Failure) -> ListMerger {
    try ListMerger(options: options, fanIn: fanIn, context: fixture.context, downstream: sink)
  }

  /// The records of the merge; `records` are those of the fed list.
  func merged(
    fanIn: Int, fed records: [TestRecord] = [], cut: Cut = .whole, calls: any SystemCalls = KernelCalls()
  ) throws -> SetOutcome {
    let fixture = try StageFixture(.union, calls: calls)
    let sink = CollectingRecords()
    let merger = try merger(fanIn: fanIn, fixture, sink)
    if options.fed == nil { try merger.finish() } else { try feed(records, cut: cut, to: merger) }
    #expect(sink.rules.isFinished && fixture.meter.isFinished)
    #expect(spills.names.isEmpty)
    return SetOutcome(records: sink.records, meter: fixture.meter, rejects: fixture.rejectLines)
  }

  /// The error of the merge.
  func failure(fanIn: Int, calls: any SystemCalls = KernelCalls()) throws -> Failure? {
    let fixture = try StageFixture(.union, calls: calls)
    return stageError { () throws(Failure) in try merger(fanIn: fanIn, fixture).finish() }
  }
}

@Suite("Merges in levels", .seeded)
struct MergeLevelsTests {
  /// Lists of a few records that nearly all overlap. Each record has fields of its own, so that the order of equal ones
  /// shows.
  private static func lists(
    _ count: Int, _ operation: SetOptions.Operation, _ generator: inout SplitMix64
  ) -> [[TestRecord]] {
    (0..<count).map { list in
      let records = (0..<generator.below(7)).map { index in
        let first = UInt64(1 + generator.below(40))
        let width = generator.chance(oneIn: 2) ? UInt64(generator.below(9)) : 0
        return TestRecord(first, to: first + width, "\(list).\(index)")
      }
      if operation == .merge { return SortOracle.sorted(records) }
      // The lists of a union may have a wider range after a narrower one.
      return records.enumerated().sorted { ($0.element.first, $0.offset) < ($1.element.first, $1.offset) }
        .map(\.element)
    }
  }

  @Test(
    "any number of lists, any number of which are read at a time",
    arguments: [SetOptions.Operation.union, .merge], 0..<6)
  func anyNumber(operation: SetOptions.Operation, round: Int) throws {
    var generator = SplitMix64(test: "levels \(operation) \(round)")
    let count = Int.random(in: 1...300, using: &generator)
    let fanIn = Int.random(in: 3...9, using: &generator)
    let lists = Self.lists(count, operation, &generator)
    let fed = round % 2 == 0 ? nil : generator.below(count)
    let merge = try MergeCase(operation, lists.map { lines($0) }, fed: fed)
    let fedRecords = fed.map { lists[$0] } ?? []
    let outcome = try merge.merged(fanIn: fanIn, fed: fedRecords, cut: .every(1 + round))
    let total = UInt64(lists.map(\.count).reduce(0, +))

    let story = "\(count) lists, \(fanIn) at a time, fed: \(String(describing: fed))"
    let wanted =
      operation == .merge
      ? SortOracle.sorted(lists.flatMap { $0 })
      : try merge.merged(fanIn: count + 1, fed: fedRecords).records
    let isSame = outcome.records == wanted
    #expect(isSame, "\(story)")
    #expect(outcome.meter.rowsIn.value == total, "\(story)")
    #expect(outcome.meter.rowsOut.value == total, "\(story)")
    let bytes = UInt64(
      lists.enumerated().filter { $0.offset != fed }.map { lines($0.element).count }.reduce(0, +))
    #expect(outcome.meter.bytesIn.value == bytes, "\(story)")
    #expect(outcome.meter.bytesExpected.value == bytes, "\(story)")
    if count <= fanIn { #expect(outcome.meter.bytesSpilled.value == 0, "\(story)") }
  }

  @Test("records that cross the read buffer, read byte by byte or not")
  func longRecords() throws {
    var generator = SplitMix64(test: "levels of long records")
    let lists = (0..<7).map { list in
      SortOracle.sorted(
        (0..<5).map { index in
          let label = [UInt8](repeating: UInt8(ascii: "x"), count: generator.below(RecordFields.bytesMax - 8))
          return TestRecord(UInt64(1 + generator.below(5)), to: nil, "\(list).\(index) ").adding(label)
        })
    }
    let merge = try MergeCase(.merge, lists.map { lines($0) })
    let wanted = SortOracle.sorted(lists.flatMap { $0 })
    let outcome = try merge.merged(fanIn: 3)
    let isSame = outcome.records == wanted
    #expect(isSame)
    #expect(outcome.meter.bytesSpilled.value > UInt64(TextRecords.bufferBytes))

    let small = try MergeCase(.merge, (1...9).map { Array("\($0)\ta\n\($0)0..\($0)9\tb\n".utf8) })
    let short = try small.merged(fanIn: 3, calls: FailingCalls.short())
    #expect(short.records == (try small.merged(fanIn: 9)).records)
  }

  @Test("as little as possible is written to disk")
  func sizes() {
    func sizes(_ count: Int, fanIn: Int) -> [Int] {
      MergeLevels.groupSizes(of: count, slots: fanIn, fanIn: fanIn)
    }
    #expect(sizes(64, fanIn: 64) == Array(repeating: 1, count: 64))
    #expect(sizes(65, fanIn: 64) == [2] + Array(repeating: 1, count: 63))
    #expect(sizes(20_000, fanIn: 64) == [4096, 4096, 4096, 3872] + Array(repeating: 64, count: 60))
    for fanIn in 3...7 {
      for count in 1...1500 {
        let all = sizes(count, fanIn: fanIn)
        #expect(all.reduce(0, +) == count && all.count == min(count, fanIn))
        // No group has more levels than a full tree of this many lists.
        var full = 1
        while full * fanIn < count { full *= fanIn }
        #expect(all.allSatisfy { $0 <= full })
      }
    }
  }

  @Test("the list from the previous stage is in a group of its own")
  func fedGroups() {
    for fanIn in 3...6 {
      for count in 1...60 {
        for fed in 0..<count {
          let groups = MergeLevels.groups(of: count, fed: fed, fanIn: fanIn)
          #expect(groups.count <= fanIn && groups.contains(fed..<fed + 1))
          #expect(groups.flatMap { Array($0) } == Array(0..<count))
        }
      }
    }
  }

  @Test("the memory decides how many lists are read at a time")
  func memory() {
    var options = SetOptions(.union, lists: [])
    #expect(options.fanIn == SetOptions.listsMax)
    options.memory = 12 << 20
    #expect(options.fanIn == 32)
    #expect(options.fanIn * SetOptions.listBytes + SetOptions.fixedBytes <= options.memory)
    options.memory = 0
    #expect(options.fanIn == 3)
    options.memory = .max
    #expect(options.fanIn == SetOptions.listsMax)
  }
}

@Suite("Failures of merges in levels")
struct MergeLevelsErrorTests {
  /// 25 lists of two lines, each with a different second number.
  private static let texts = (0..<25).map { Array("1\t\($0)\n\(10 + $0)\t\($0)\n".utf8) }

  @Test("invalid lists are reported with their file and line, in any level", arguments: [0, 4, 12, 24])
  func places(index: Int) throws {
    var texts = Self.texts
    texts[index] = Array("7\n5\n".utf8)
    let unsorted = try MergeCase(.merge, texts)
    let error = try unsorted.failure(fanIn: 3)
    #expect(error?.code == "not-sorted")
    #expect(
      error?.message.message
        == "\(InputName.plain(unsorted.directory / "\(index)")):2: 5 comes after 7: input is not sorted")
    texts[index] = Array("1\nx\n2\n".utf8)
    let rejecting = try MergeCase(.merge, texts)
    let outcome = try rejecting.merged(fanIn: 3)
    #expect(outcome.rejects == ["\(rejecting.directory / "\(index)"):2 byte 2 not-a-number"])
    #expect(outcome.records.count == 50 && outcome.meter.rowsIn.value == 51)
  }

  @Test("a missing list is an error before anything is read")
  func missing() throws {
    let merge = try MergeCase(.union, Self.texts)
    merge.directory.remove("24")
    let calls = FailingCalls(nil)
    let fixture = try StageFixture(.union, calls: calls)
    let failed = stageError { () throws(Failure) in _ = try merge.merger(fanIn: 3, fixture) }
    #expect(
      failed?.systemError
        == SystemError(.openInput, merge.directory / "24", .noSuchFileOrDirectory))
    #expect(calls.count(of: .read) == 0 && calls.openFiles == 0)
  }

  @Test("a list that vanishes while others are merged is an error")
  func vanishing() throws {
    let merge = try MergeCase(.union, Self.texts)
    let calls = FailingCalls(nil)
    let fixture = try StageFixture(.union, calls: calls)
    let sink = CollectingRecords()
    let failed = stageError { () throws(Failure) in
      let merger = try merge.merger(fanIn: 3, fixture, sink)
      merge.directory.remove("24")
      try merger.finish()
    }
    #expect(
      failed?.systemError
        == SystemError(.openInput, merge.directory / "24", .noSuchFileOrDirectory))
    #expect(calls.count(of: .write) > 0 && sink.records.isEmpty)
    #expect(merge.spills.names.isEmpty && calls.openFiles == 0)
  }

  @Test(
    "every call fails once, and no file is left",
    arguments: [
      (FailingCalls.Call.open, FailingCalls.CallError.fails(.tooManyOpenFiles)), (.write, .fails(.noSpace)),
      (.read, .fails(.ioError)),
    ])
  func failingCalls(call: FailingCalls.Call, fault: FailingCalls.CallError) throws {
    let merge = try MergeCase(.union, Self.texts)
    let counting = FailingCalls(nil)
    #expect(try merge.failure(fanIn: 4, calls: counting) == nil)
    let total = counting.count(of: call)
    #expect(total > 0)
    var operations: [SystemError.Operation] = []
    for number in 1...max(total, 1) {
      let calls = FailingCalls(call, at: number, fault)
      let failed = try merge.failure(fanIn: 4, calls: calls)
      #expect(failed?.stage == .union && failed?.errorClass == .inputOutput, "\(call) \(number)")
      #expect(calls.openFiles == 0 && merge.spills.names.isEmpty, "\(call) \(number)")
      if let error = failed?.systemError { operations.append(error.operation) }
    }
    let wanted: SystemError.Operation =
      call == .open ? .createSpill : call == .write ? .writeSpill : .readSpill
    #expect(operations.contains(wanted), "\(operations)")
  }

  @Test("a spill file that is shorter than what was written is an error")
  func truncatedSpill() throws {
    let merge = try MergeCase(.union, Self.texts)
    let counting = FailingCalls(nil)
    #expect(try merge.failure(fanIn: 4, calls: counting) == nil)
    var errors = 0
    for number in 1...max(counting.count(of: .read), 1) {
      let calls = FailingCalls(.read, at: number, .endsFile, once: true)
      guard let failed = try merge.failure(fanIn: 4, calls: calls) else { continue }
      // An input that ends early is a shorter list.
      #expect(failed.systemError == SystemError(.readSpill, merge.spills.path, .ioError))
      errors += 1
    }
    #expect(errors > 0)
  }
}

extension TestRecord {
  /// The record with more bytes at the end of its fields.
  fileprivate func adding(_ bytes: [UInt8]) -> TestRecord { TestRecord(first, last, recordFields + bytes) }
}
