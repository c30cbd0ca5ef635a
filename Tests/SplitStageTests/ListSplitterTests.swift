// Splitting single lists: cuts below, between and above the records, files of cuts, errors, and directories of parts.

import RecordStages
import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

@Suite("Splitting a list")
struct ListSplitterTests {
  private static let list = "10..19\twide\n12\tx\n20\n20\tb\n35..39\n"

  /// The parts of a text, as text.
  private static func split(
    _ text: String, _ cuts: [UInt64], moves: Bool = false, calls: any SystemCalls = FailingCalls.unsynced()
  ) throws -> [String] {
    let directory = try TemporaryDirectory()
    try directory.write("list.tsv", Array(text.utf8))
    let written = try parts(
      of: directory / "list.tsv", ListSplitter(cuts: cuts, movesCuts: moves), in: directory, calls: calls)
    return written.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The error of splitting a text.
  private static func failure(_ text: String) throws -> Failure? {
    let directory = try TemporaryDirectory()
    try directory.write("list.tsv", Array(text.utf8))
    return stageError { () throws(Failure) in
      _ = try ListSplitter(cuts: []).split(directory / "list.tsv")
    }
  }

  @Test("cuts below, at, between and above the records")
  func places() throws {
    #expect(try Self.split(Self.list, []) == [Self.list])
    #expect(try Self.split(Self.list, [5, 10]) == ["", "", Self.list])
    #expect(try Self.split(Self.list, [20, 30]) == ["10..19\twide\n12\tx\n", "20\n20\tb\n", "35..39\n"])
    #expect(
      try Self.split(Self.list, [21, 35, 40]) == ["10..19\twide\n12\tx\n20\n20\tb\n", "", "35..39\n", ""])
    #expect(try Self.split("", [7]) == ["", ""])
  }

  @Test("the last line may lack its line feed, and lines may be read byte by byte")
  func pieces() throws {
    let text = String(Self.list.dropLast())
    #expect(
      try Self.split(text, [20, 30], calls: FailingCalls.short())
        == ["10..19\twide\n12\tx\n", "20\n20\tb\n", "35..39"])
  }

  @Test("cuts inside ranges are moved to where no range is open")
  func moved() throws {
    #expect(
      try Self.split(Self.list, [11, 15, 38], moves: true)
        == ["10..19\twide\n12\tx\n", "", "20\n20\tb\n35..39\n", ""])
    let outcome = try {
      let directory = try TemporaryDirectory()
      try directory.write("list.tsv", Array(Self.list.utf8))
      return try ListSplitter(cuts: [11, 15, 30, 38], movesCuts: true).split(directory / "list.tsv")
    }()
    #expect(outcome.movedCuts == 3)
    #expect(outcome.parts.map(\.from) == [1, 20, 20, 30, 40])
    #expect(outcome.parts.map(\.first) == [10, nil, 20, 35, nil])
    #expect(outcome.parts.map(\.records) == [2, 0, 2, 1, 0])
  }

  @Test("errors name the line")
  func errors() throws {
    func notARecord(_ text: String) throws -> UInt64? {
      guard let failure = try Self.failure(text), failure.code == "not-a-record" else { return nil }
      return UInt64(failure.message.message.split(separator: ":")[1])
    }
    #expect(try notARecord("1\n2\nx\n") == 3)
    #expect(try notARecord("1\n\n2\n") == 2)
    #expect(try notARecord("1\n9..8\n") == 2)
    #expect(try notARecord("1\n2\t" + String(repeating: "x", count: 40_000)) == 2)
    #expect(try notARecord("1\n2\t" + String(repeating: "x", count: 400_000)) == 2)
    let directory = try TemporaryDirectory()
    let name = directory / "list.tsv"
    func error(_ text: String, _ cuts: [UInt64]) throws -> Failure? {
      try directory.write("list.tsv", Array(text.utf8))
      return stageError { () throws(Failure) in _ = try ListSplitter(cuts: cuts).split(name) }
    }
    let unsorted = try error("5\n4\n", [])
    #expect(unsorted?.code == "not-sorted")
    #expect(unsorted?.message.message == "\(name):2: 4 comes after 5: input is not sorted")
    let inRange = try error(Self.list, [15])
    #expect(inRange?.code == "cut-in-range")
    #expect(inRange?.message.message == "\(name):1: the cut 15 is inside the range 10..19")
    // The last record, with nothing after it.
    let inLast = try error(Self.list, [39])
    #expect(inLast?.code == "cut-in-range")
    #expect(inLast?.message.message == "\(name):5: the cut 39 is inside the range 35..39")
  }

  @Test("a file of cuts")
  func cutFiles() throws {
    let directory = try TemporaryDirectory()
    func cuts(_ text: String) throws -> (cuts: [UInt64], failure: Failure?) {
      try directory.write("cuts", Array(text.utf8))
      var found: [UInt64] = []
      let failure = stageError { () throws(Failure) in found = try CutList.read(directory / "cuts") }
      return (found, failure)
    }
    #expect(try cuts("").cuts == [])
    #expect(try cuts("5\n86138\n999999999999999").cuts == [5, 86138, 999_999_999_999_999])
    for text in ["05\n", "5\t\n", "+5\n", "5\n\n6\n", "1234567890123456\n", "5\r\n"] {
      #expect(try cuts(text).failure?.code == "cut-not-a-number", "\(text)")
    }
    for (text, previous) in [("5\n5\n", UInt64(5)), ("6\n5\n", 6)] {
      let failure = try cuts(text).failure
      #expect(failure?.code == "cut-not-ascending")
      #expect(
        failure?.message.message
          == "\(directory / "cuts"):2: the cut 5 is not above the one before it, \(previous)")
    }
    let many = (1...CutPlan.partsMax).map { "\($0)\n" }
    #expect(try cuts(many.dropLast().joined()).cuts.count == CutPlan.partsMax - 1)
    let tooMany = try cuts(many.joined()).failure
    #expect(tooMany?.code == "too-many-cuts")
    #expect(tooMany?.message.message == "'\(directory / "cuts")' has more than 9,998 cuts")
  }

  @Test("a failed split leaves the former parts, and nothing else", arguments: FailingCalls.Call.allCases)
  func failures(call: FailingCalls.Call) throws {
    let directory = try TemporaryDirectory()
    try directory.write("list.tsv", Array(Self.list.utf8))
    let name = directory / "list.tsv"
    _ = try parts(of: name, ListSplitter(cuts: []), in: directory)
    for number in 1... {
      let calls = FailingCalls(call, at: number, once: true)
      let failure = stageError { () throws(Failure) in
        let folder = try PartFolder(directory / "parts", list: name, calls: calls)
        _ = try ListSplitter(cuts: [20]).split(name, into: folder, calls: calls)
        try folder.publish()
      }
      if calls.count(of: call) < number { break }
      #expect(calls.openFiles == 0)
      let isNew = directory.names(in: "parts").count == 2
      // Only syncing the directory comes after the rename.
      #expect(failure == nil ? isNew : !isNew || call == .sync || call == .open)
      if !isNew { #expect(directory.text("parts/part-0001.tsv") == Self.list) }
      if isNew { _ = try parts(of: name, ListSplitter(cuts: []), in: directory) }
      // A file or directory that can't be removed or listed stays.
      if ![.unlink, .removeDirectory, .names, .status].contains(call) {
        #expect(directory.names == ["list.tsv", "parts"], "\(number)")
      }
    }
  }

  @Test("a directory with other files, or with the list, is not replaced")
  func foreignFiles() throws {
    let directory = try TemporaryDirectory()
    try directory.write("list.tsv", Array(Self.list.utf8))
    _ = try parts(of: directory / "list.tsv", ListSplitter(cuts: [20]), in: directory)
    func error(_ list: String) -> Failure? {
      stageError { () throws(Failure) in _ = try PartFolder(directory / "parts", list: list) }
    }
    let part = directory / "parts/part-0002.tsv"
    let inside = error(part)
    #expect(inside?.code == "list-inside" && inside?.errorClass == .usage)
    #expect(inside?.message.message.hasPrefix("'\(part)' is in '\(directory / "parts")', ") == true)
    try directory.write("parts/part-002.tsv", [])
    let foreign = error(directory / "list.tsv")
    #expect(foreign?.code == "foreign-file" && foreign?.errorClass == .cannotCreate)
    #expect(
      foreign?.message.message.hasPrefix("'\(directory / "parts")' contains 'part-002.tsv', ") == true)
    #expect(directory.names == ["list.tsv", "parts"])
  }

  @Test("the staging directory of a split that was killed is removed, one in use is not")
  func leftovers() throws {
    let directory = try TemporaryDirectory()
    try directory.write("list.tsv", Array(Self.list.utf8))
    // No system has as many processes.
    let killed = directory / ".parts.2000000000-x.tmp"
    let other = directory / ".other.2000000000-x.tmp"
    for path in [killed, other] {
      try Directory.make(path)
      try directory.write("\(path.dropFirst(directory.path.utf8.count + 1))/part-0001.tsv", [])
    }
    let held = try FileDescriptor.open(FilePath(killed), .readOnly, options: [.directory])
    try KernelCalls().lock(held)
    _ = try parts(of: directory / "list.tsv", ListSplitter(cuts: []), in: directory)
    #expect(directory.names == [".other.2000000000-x.tmp", ".parts.2000000000-x.tmp", "list.tsv", "parts"])
    try held.close()
    _ = try parts(of: directory / "list.tsv", ListSplitter(cuts: []), in: directory)
    #expect(directory.names == [".other.2000000000-x.tmp", "list.tsv", "parts"])
  }
}
