// A sort that can't spill: its error, and that no file is left.

import RecordStages
import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

@Suite("Sort failures")
struct SorterErrorTests {
  /// Records for a little more than one spilled run with the minimum memory, cheap to generate: few and long.
  static let records: [TestRecord] = (0..<500).map { index in
    let head = Array("\(index) ".utf8)
    let label = head + [UInt8](repeating: 0x78, count: RecordFields.bytesMax - head.count)
    return TestRecord(UInt64(1 + index), UInt64(1 + index), label)
  }

  static func failure(
    _ calls: FailingCalls, in directory: String, _ options: CollectorOptions = CollectorOptions()
  ) -> Failure? {
    stageError { () throws(Failure) in
      let stage = try StageFixture(.sort, calls: calls)
      let sorter = Sorter(
        options: SortOptions(memory: SortOptions.memoryMin, temporaryDirectory: directory),
        context: stage.context,
        downstream: CollectingRecords(options))
      try feed(Self.records, to: sorter)
    }
  }

  @Test(
    "a full disk, a broken disk, and one that reads back less than was written",
    arguments: [
      (
        FailingCalls.Call.open, 1, FailingCalls.CallError.fails(.permissionDenied),
        SystemError.Operation.createSpill
      ),
      (.open, 2, .fails(.tooManyOpenFiles), .createSpill),
      (.write, 1, .fails(.noSpace), .writeSpill),
      (.write, 3, .fails(.noSpace), .writeSpill),
      (.read, 1, .fails(.ioError), .readSpill),
      (.read, 4, .fails(.ioError), .readSpill),
      (.read, 1, .endsFile, .readSpill),
      (.read, 6, .endsFile, .readSpill),
    ])
  func failing(
    call: FailingCalls.Call, number: Int, fault: FailingCalls.CallError, operation: SystemError.Operation
  ) throws {
    let directory = try TemporaryDirectory()
    let calls = FailingCalls(call, at: number, fault)
    let failure = Self.failure(calls, in: directory.path)
    let code: Errno = if case .fails(let code) = fault { code } else { .ioError }
    #expect(failure?.stage == .sort)
    #expect(failure?.systemError == SystemError(operation, directory.path, code))
    #expect(calls.count(of: call) >= number)
    #expect(directory.names.isEmpty)
    #expect(calls.openFiles == 0)
  }

  @Test("a missing temporary directory is named")
  func missingDirectory() throws {
    let directory = try TemporaryDirectory()
    let missing = directory / "missing"
    let failure = Self.failure(FailingCalls(nil), in: missing)
    #expect(failure?.systemError == SystemError(.createSpill, missing, .noSuchFileOrDirectory))
    #expect(failure?.errorClass == .cannotCreate)
  }

  @Test("a list that fits into memory needs no temporary directory")
  func noSpillNeeded() throws {
    let stage = try StageFixture(.sort)
    let sink = CollectingRecords()
    let options = SortOptions(temporaryDirectory: "/nonexistent/directory")
    let sorter = Sorter(options: options, context: stage.context, downstream: sink)
    try feed([TestRecord(2), TestRecord(1)], to: sorter)
    #expect(sink.records == [TestRecord(1), TestRecord(2)])
  }

  @Test("an error of the next stage is rethrown, and no files stay")
  func downstream() throws {
    let directory = try TemporaryDirectory()
    let calls = FailingCalls(nil)
    let failure = Self.failure(calls, in: directory.path, CollectorOptions(failsAfter: 3))
    #expect(failure?.cause as? CollectorError == .asConfigured(batches: 3))
    #expect(directory.names.isEmpty)
    #expect(calls.openFiles == 0)
  }

  @Test("a sort that is released in the middle leaves no files")
  func dropped() throws {
    let directory = try TemporaryDirectory()
    let calls = FailingCalls(nil)
    do {
      let stage = try StageFixture(.sort, calls: calls)
      let sorter = Sorter(
        options: SortOptions(memory: SortOptions.memoryMin, temporaryDirectory: directory.path),
        context: stage.context,
        downstream: CollectingRecords())
      var batch = RecordBatch()
      for record in Self.records {
        if batch.append(first: record.first, last: record.last, recordFields: record.recordFields.span) {
          continue
        }
        try sorter.receive(&batch)
        batch.removeAll()
      }
      #expect(calls.openFiles > 0, "nothing was spilled")
      #expect(directory.names.isEmpty)
    }
    #expect(calls.openFiles == 0)
  }
}
