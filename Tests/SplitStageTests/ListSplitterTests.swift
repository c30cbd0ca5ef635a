// Splitting single lists: cuts below, between and above the records, files of cuts, errors, and directories of parts.

import Records
import RecordStages
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
  private static func failure(_ text: String) throws -> SplitError? {
    let directory = try TemporaryDirectory()
    try directory.write("list.tsv", Array(text.utf8))
    let failure = stageError { () throws(Failure) in
      _ = try ListSplitter(cuts: []).split(directory / "list.tsv")
    }
    return failure?.cause as? SplitError
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
      guard case .notARecord(_, let line, _, _)? = try Self.failure(text) else { return nil }
      return line
    }
    #expect(try notARecord("1\n2\nx\n") == 3)
    #expect(try notARecord("1\n\n2\n") == 2)
    #expect(try notARecord("1\n9..8\n") == 2)
    #expect(try notARecord("1\n2\t" + String(repeating: "x", count: 40_000)) == 2)
    #expect(try notARecord("1\n2\t" + String(repeating: "x", count: 400_000)) == 2)
    let directory = try TemporaryDirectory()
    let name = directory / "list.tsv"
    func error(_ text: String, _ cuts: [UInt64]) throws -> SplitError? {
      try directory.write("list.tsv", Array(text.utf8))
      let failure = stageError { () throws(Failure) in _ = try ListSplitter(cuts: cuts).split(name) }
      return failure?.cause as? SplitError
    }
    #expect(try error("5\n4\n", []) == .notSorted(list: name, line: 2, previous: 5, number: 4))
    #expect(try error(Self.list, [15]) == .cutInRange(list: name, line: 1, range: 10...19, cut: 15))
    // The last record, with nothing after it.
    #expect(try error(Self.list, [39]) == .cutInRange(list: name, line: 5, range: 35...39, cut: 39))
  }

  @Test("a file of cuts")
  func cutFiles() throws {
    let directory = try TemporaryDirectory()
    func cuts(_ text: String) throws -> (cuts: [UInt64], failure: SplitError?) {
      try directory.write("cuts", Array(text.utf8))
      var found: [UInt64] = []
      let failure = stageError { () throws(Failure) in found = try CutList.read(directory / "cuts") }
      return (found, failure?.cause as? SplitError)
    }
    #expect(try cuts("").cuts == [])
    #expect(try cuts("5\n86138\n999999999999999").cuts == [5, 86138, 999_999_999_999_999])
    for text in ["05\n", "5\t\n", "+5\n", "5\n\n6\n", "1234567890123456\n", "5\r\n"] {
      let failure = try cuts(text).failure
      guard case .cutNotANumber? = failure else {
        Issue.record("\(text): \(String(describing: failure))")
        continue
      }
    }
    for (text, previous) in [("5\n5\n", UInt64(5)), ("6\n5\n", 6)] {
      #expect(
        try cuts(text).failure
          == .cutNotAscending(file: directory / "cuts", line: 2, previous: previous, cut: 5))
    }
    let many = (1...CutPlan.partsMax).map { "\($0)\n" }
    #expect(try cuts(many.dropLast().joined()).cuts.count == CutPlan.partsMax - 1)
    #expect(
      try cuts(many.joined()).failure
        == .tooManyCuts(file: directory / "cuts", limit: CutPlan.partsMax - 1))
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
    func error(_ list: String) -> SplitError? {
      let failure = stageError { () throws(Failure) in _ = try PartFolder(directory / "parts", list: list)
      }
      return failure?.cause as? SplitError
    }
    let part = directory / "parts/part-0002.tsv"
    #expect(error(part) == .listInside(directory: directory / "parts", list: part))
    try directory.write("parts/part-002.tsv", [])
    #expect(
      error(directory / "list.tsv") == .foreignFile(directory: directory / "parts", name: "part-002.tsv"))
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
