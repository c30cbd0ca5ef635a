// Errors and rejects of set operations: unsorted lists, lists that overlap themselves, and lines that are not
// records.

import CallStoreReader
import RecordStages
import Records
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
        let error = try failure(operation, texts)
        let list = texts[0].contains("9") ? "b" : "a"
        #expect(error?.code == "not-sorted", "\(operation) of \(texts)")
        #expect(
          error?.message.message.hasSuffix("/\(list):3: 2 comes after 3: input is not sorted") == true,
          "\(operation) of \(texts)")
      }
    }
  }

  @Test("the first list of subtract and intersect must be disjoint, the others need not be")
  func overlapping() throws {
    for operation in [SetOptions.Operation.subtract, .intersect] {
      let error = try failure(operation, ["1..5\n5..9\n", "1\n"])
      #expect(error?.code == "overlaps-itself", "\(operation)")
      #expect(error?.message.message.contains("/a:2: 5 is also in") == true, "\(operation)")
      #expect(try failure(operation, ["1..5\n", "1..5\n1..3\n1..3\n2..9\n"]) == nil)
    }
    #expect(try failure(.union, ["1..5\n1..5\n5..9\n", "1\n1\n"]) == nil)
  }

  @Test("the lists of a merge must be in the order of sort, those of a union need not be")
  func widths() throws {
    let texts = ["1\n", "1..5\n2..4\n2..4\n2..9\n"]
    let error = try failure(.merge, texts)
    #expect(error?.code == "wider-range-after")
    #expect(error?.message.message.contains("/b:4: a wider record that starts at 2 comes") == true)
    #expect(try failure(.union, texts) == nil)
    #expect(try failure(.merge, ["1\n", "1..5\n2..9\n2..4\n2\n"]) == nil)
  }

  @Test("an invalid line is a reject in a list that is written, and an error in a list that is only compared")
  func badLines() throws {
    let error = try failure(.subtract, ["1\n", "1\n+49 30 1234\n"])
    #expect(error?.code == "not-a-record")
    let text = "/b:2: \(TextFormReject.notANumber.text): \(PrintableText.quoted(Array("+49 30 1234".utf8)))"
    #expect(error?.message.message.hasSuffix(text) == true)

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
    #expect(failed?.code == "not-sorted")
    #expect(failed?.message.message == "\(InputName.plain("-")):3: 6 comes after 7: input is not sorted")
  }

  @Test("files and directories that are not lists are refused")
  func missing() throws {
    let directory = try TemporaryDirectory()
    try directory.write("a", Array("1\n".utf8))
    let fixture = try StageFixture(.subtract)
    func failure(_ name: String) -> Failure? {
      stageError { () throws(Failure) in
        let options = SetOptions(.subtract, lists: [directory / "a", name])
        try stage(options, fixture.context, CollectingRecords()).finish()
      }
    }
    #expect(failure(directory / "none")?.systemError?.code == .noSuchFileOrDirectory)
    #expect(failure(directory.path)?.code == "shards-no-manifest")
    // The first bytes of a store, and nothing after them.
    try directory.write("cut", [0x89, 0x43, 0x44, 0x53, 0x54, 0x4F, 0x0D, 0x0A])
    #expect(failure(directory / "cut")?.code == "unreadable-store")
  }

  @Test("more lists than are read at a time are refused, except by a merge")
  func tooMany() throws {
    let fixture = try StageFixture(.intersect)
    let lists = Array(repeating: "none", count: SetOptions.listsMax + 1)
    let failed = stageError { () throws(Failure) in
      _ = try stage(SetOptions(.intersect, lists: lists), fixture.context, CollectingRecords())
    }
    #expect(failed?.code == "too-many-lists")
    #expect(failed?.message.message == "65 lists; the maximum is 64")
  }
}
