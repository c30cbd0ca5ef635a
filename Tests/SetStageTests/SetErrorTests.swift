// Errors and rejects of set operations: unsorted lists, lists that overlap themselves, and lines that are not
// records.

import Records
import CallStoreReader
import RecordStages
import StoreWriting
import SystemIO
import SystemPackage
import TestSupport
import Testing

@Suite("Set operations on invalid lists")
struct SetErrorTests {
  @Test("an unsorted list is reported with the line")
  func unsorted() throws {
    for operation in [SetOptions.Operation.subtract, .intersect, .union, .merge] {
      for texts in [["1\n3\n2\n", "1..9\n"], ["1\n2\n9\n", "1\n3\n2\n"]] {
        guard case .notSorted(let list, let line, 3, 2)? = try failure(operation, texts) else {
          Issue.record("\(operation) of \(texts) did not fail as it should")
          continue
        }
        #expect(line == 3)
        #expect(list.hasSuffix(texts[0].contains("9") ? "/b" : "/a"))
      }
    }
  }

  @Test("the first list of subtract and intersect must be disjoint, the others need not be")
  func overlapping() throws {
    for operation in [SetOptions.Operation.subtract, .intersect] {
      guard case .overlapsItself(_, 2, 5)? = try failure(operation, ["1..5\n5..9\n", "1\n"]) else {
        Issue.record("\(operation) took a list that overlaps itself")
        continue
      }
      #expect(try failure(operation, ["1..5\n", "1..5\n1..3\n1..3\n2..9\n"]) == nil)
    }
    #expect(try failure(.union, ["1..5\n1..5\n5..9\n", "1\n1\n"]) == nil)
  }

  @Test("the lists of a merge must be in the order of sort, those of a union need not be")
  func widths() throws {
    let texts = ["1\n", "1..5\n2..4\n2..4\n2..9\n"]
    guard case .widerRangeAfter(let list, 4, 2)? = try failure(.merge, texts) else {
      Issue.record("a wider record after a narrower one was merged")
      return
    }
    #expect(list.hasSuffix("/b"))
    #expect(try failure(.union, texts) == nil)
    #expect(try failure(.merge, ["1\n", "1..5\n2..9\n2..4\n2\n"]) == nil)
  }

  @Test("an invalid line is a reject in a list that is written, and an error in a list that is only compared")
  func badLines() throws {
    guard
      case .notARecord(let list, 2, .notANumber, let text)? = try failure(
        .subtract, ["1\n", "1\n+49 30 1234\n"])
    else {
      Issue.record("an allow list with a bad line was taken")
      return
    }
    #expect(list.hasSuffix("/b") && text == Array("+49 30 1234".utf8))

    let directory = try TemporaryDirectory()
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: 400_000)
    try directory.write(
      "a",
      Array("1\tone\nbad\n2\ttwo\n\n3\tthree\n".utf8) + long + Array("\n5\tfive\n6\t\t\tx\n7\tseven".utf8))
    try directory.write("b", Array("2\n".utf8))
    for calls in [KernelCalls(), FailingCalls.short()] as [any SystemCalls] {
      let fixture = try StageFixture(.subtract, calls: calls)
      let sink = CollectingRecords()
      let lists = [directory / "a", directory / "b"]
      try stage(SetOptions(.subtract, lists: lists), fixture.context, sink).finish()
      #expect(sink.records.map(\.description) == ["1\tone", "3\tthree", "5\tfive", "7\tseven"])
      let name = directory / "a"
      #expect(
        fixture.rejectLines == [
          "\(name):2 byte 6 not-a-number", "\(name):4 byte 16 not-a-number",
          "\(name):6 byte 25 line-too-long",
          "\(name):8 byte 400033 bad-score",
        ])
      #expect(fixture.meter.rowsIn.value == 9)
      #expect(
        fixture.meter.rowsIn.value
          == fixture.meter.rowsOut.value + fixture.meter.removed.value + fixture.meter.rejects.value)
    }
  }

  @Test("an unsorted list from the previous stage is reported with the row")
  func fed() throws {
    let directory = try TemporaryDirectory()
    try directory.write("b", Array("2\n".utf8))
    let fixture = try StageFixture(.subtract)
    let made = try stage(
      SetOptions(.subtract, lists: ["-", directory / "b"], fed: 0), fixture.context, CollectingRecords())
    let failed = stageError { () throws(Failure) in
      try feed([TestRecord(5), TestRecord(7), TestRecord(6)], cut: .every(2), to: made)
    }
    guard case .notSorted("-", 3, 7, 6)? = failed?.cause as? SetError else {
      Issue.record("\(String(describing: failed))")
      return
    }
  }

  @Test("files and directories that are not lists are refused")
  func missing() throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", Array("1\n".utf8))
    let fixture = try StageFixture(.subtract)
    func cause(_ name: String) -> (any ErrorCause)? {
      stageError { () throws(Failure) in
        let options = SetOptions(.subtract, lists: [directory / "a", name])
        try stage(options, fixture.context, CollectingRecords()).finish()
      }?.cause
    }
    #expect((cause(directory / "none") as? SystemError)?.code == .noSuchFileOrDirectory)
    guard case .noManifest? = cause(directory.path) as? ShardDirectoryError else {
      Issue.record("a directory without manifest.json was accepted")
      return
    }
    // The first bytes of a store, and nothing after them.
    try directory.write("cut", [0x89, 0x43, 0x44, 0x53, 0x54, 0x4F, 0x0D, 0x0A])
    guard case .store? = cause(directory / "cut") as? SetError else {
      Issue.record("\(String(describing: cause(directory / "cut")))")
      return
    }
  }

  @Test("more lists than are read at a time are refused, except by a merge")
  func tooMany() throws {
    let fixture = try StageFixture(.intersect)
    let lists = Array(repeating: "none", count: SetOptions.listsMax + 1)
    let failed = stageError { () throws(Failure) in
      _ = try stage(SetOptions(.intersect, lists: lists), fixture.context, CollectingRecords())
    }
    guard case .tooManyLists(65, 64)? = failed?.cause as? SetError else {
      Issue.record("\(String(describing: failed))")
      return
    }
  }
}
