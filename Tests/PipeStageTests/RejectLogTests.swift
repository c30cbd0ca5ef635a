// Rejects are counted and kept, and end a run if the policy requires it; and the class of failed system
// calls.

import Records
import Synchronization
import SystemIO
import SystemPackage
import TestSupport
import Testing

@Suite("Rejects")
struct RejectLogTests {
  struct Reason: RejectReason {
    var code = "odd"
    var text = "odd"
  }

  static func reject(_ row: UInt64, _ text: String = "x", stage: StageName = .parse) -> Reject {
    let bytes = Array(text.utf8)
    return Reject(stage, .row(row), Reason(), text: bytes.span)
  }

  @Test("without a policy, all rejects are counted, and none ends the run")
  func lenient() throws {
    let log = try RejectLog()
    for row in 1...1000 { try log.add(Self.reject(UInt64(row))) }
    #expect(log.count == 1000)
    try log.check(stage: .parse, inputs: 1001)
  }

  @Test("the file is ordered by source and stage, and names the source of a row")
  func order() throws {
    let directory = try TemporaryDirectory()
    let log = try RejectLog(policy: RejectPolicy(path: directory / "rejects.tsv"))
    func context(_ name: StageName, source: Int, position: Int) -> StageContext {
      var context = StageContext(meter: StageMeter(name), rejects: log)
      context.origin.sourceIndex = source
      context.origin.stagePosition = position
      context.origin.source = "s\(source)"
      context.origin.input = "\(source).json"
      return context
    }
    let text = Array("a\tb".utf8)
    for row in 1...3 as ClosedRange<UInt64> {
      // The next source's first stage may be ahead of this one's last stage.
      let place = InputLocation.line(row, byte: 0, input: "1.json")
      try context(.parse, source: 1, position: 0).reject(place, Reason(), text: text.span)
      try context(.normalize, source: 0, position: 1).reject(.row(row), Reason(), text: text.span)
      try context(.parse, source: 0, position: 0).reject(.row(row), Reason(), text: text.span)
    }
    try log.publish()
    func rows(_ stage: String) -> [String] {
      (1...3).map { "\(stage)\t0.json row \($0) of source 's0'\todd\ta\\tb\n" }
    }
    let lines =
      rows("parse") + rows("normalize")
      + (1...3).map { "parse\t1.json:\($0) byte 0 of source 's1'\todd\ta\\tb\n" }
    #expect(directory.read("rejects.tsv") == Array(lines.joined().utf8))
    #expect(directory.names == ["rejects.tsv"])
  }

  @Test("rejects of two stages that alternate very often are ordered; the first ones are those of the file")
  func alternation() throws {
    let directory = try TemporaryDirectory()
    let log = try RejectLog(policy: RejectPolicy(path: directory / "rejects.tsv"))
    func reject(_ row: Int, _ name: StageName, position: Int) throws {
      var reject = Self.reject(UInt64(row), stage: name)
      reject.origin.sourceIndex = 0
      reject.origin.stagePosition = position
      try log.add(reject)
    }
    let rows = 1...20_000
    for row in rows {
      try reject(row, .normalize, position: 1)
      // The lines of one stage alone would stay one segment.
      if row > 2 { try reject(row, .parse, position: 0) }
    }
    #expect(log.first.map(\.place) == [.row(3), .row(4), .row(5)])
    try log.publish()
    let lines =
      rows.dropFirst(2).map { "parse\trow \($0)\todd\tx\n" }
      + rows.map { "normalize\trow \($0)\todd\tx\n" }
    #expect(directory.read("rejects.tsv") == Array(lines.joined().utf8))
    #expect(directory.names == ["rejects.tsv"])
  }

  @Test("a strict run ends at the first reject")
  func strict() throws {
    let log = try RejectLog(policy: RejectPolicy(isStrict: true))
    let failure = stageError { () throws(Failure) in try log.add(Self.reject(7, stage: .normalize)) }
    #expect(failure?.stage == .normalize)
    #expect(failure?.code == "strict-reject" && failure?.message.message == "row 7: odd: 'x'")
    #expect(failure?.errorClass == .badData)
    #expect(log.count == 1)
  }

  @Test("more than the allowed number is an error", arguments: [0, 1, 5])
  func count(most: Int) throws {
    let log = try RejectLog(policy: RejectPolicy(limit: .count(UInt64(most))))
    for row in 0..<most { try log.add(Self.reject(UInt64(row + 1))) }
    let failure = stageError { () throws(Failure) in try log.add(Self.reject(99)) }
    #expect(failure?.code == "reject-limit" && failure?.rejects?.count == UInt64(most + 1))
    #expect(failure?.message.message.hasSuffix(" rejected (--max-rejects \(most))") == true)
  }

  @Test("more than the allowed percentage is an error, at the end")
  func percent() throws {
    func finish(rejects: Int, of inputs: UInt64, most: Double) throws -> Failure? {
      let log = try RejectLog(policy: RejectPolicy(limit: .percent(most)))
      for row in 0..<rejects { try log.add(Self.reject(UInt64(row + 1))) }
      return stageError { () throws(Failure) in try log.check(stage: nil, inputs: inputs) }
    }
    #expect(try finish(rejects: 0, of: 0, most: 0) == nil)
    #expect(try finish(rejects: 0, of: 10, most: 0) == nil)
    #expect(try finish(rejects: 2, of: 100, most: 2) == nil)
    #expect(try finish(rejects: 1, of: 1000, most: 0.1) == nil)
    let three = try finish(rejects: 3, of: 100, most: 2)
    #expect(three?.code == "reject-limit")
    #expect(three?.message.message == "3 of 100 rows were rejected, more than --max-rejects 2% allows")
    #expect(try finish(rejects: 1, of: 100, most: 0)?.code == "reject-limit")
  }

  @Test("a run without a usable row fails, an empty one does not")
  func nothingUsable() throws {
    let log = try RejectLog()
    try log.check(stage: nil, inputs: 0)
    for row in 1...3 { try log.add(Self.reject(UInt64(row))) }
    let failure = stageError { () throws(Failure) in try log.check(stage: .parse, inputs: 3) }
    #expect(failure?.code == "nothing-usable" && failure?.rejects?.count == 3)
  }

  @Test("the hint follows the first reject")
  func hints() {
    func hint(_ code: String) -> String? {
      let bytes = Array("x".utf8)
      let reject = Reject(.parse, .row(1), Reason(code: code), text: bytes.span)
      return Failure.nothingUsable(.parse, rejects: 1, source: "", first: reject).message.hint
    }
    #expect(hint("not-blocked")?.contains("call log, read all of it with --number number (") == true)
    #expect(hint("date")?.hasPrefix("check --format and --encoding; ") == true)
  }

  @Test("the file has every reject, escaped, and gets its name at the end")
  func file() throws {
    let directory = try TemporaryDirectory()
    let log = try RejectLog(policy: RejectPolicy(path: directory / "rejects.tsv"))
    try log.add(Self.reject(3, "+8\t6\\\n"))
    let bad: [UInt8] = [0x61, 0xFF]
    try log.add(
      Reject(.parse, .line(12, byte: 345, input: "a\tlist.json"), Reason(code: "too-short"), text: bad.span))
    #expect(directory.text("rejects.tsv") == nil)
    try log.publish()
    // A second call has no effect.
    try log.publish()
    #expect(
      directory.text("rejects.tsv")
        == "parse\trow 3\todd\t+8\\t6\\\\\\n\nparse\ta\\tlist.json:12 byte 345\ttoo-short\ta\u{FFFD}\n")
    #expect(directory.names == ["rejects.tsv"])
  }

  @Test("the file is written if a run is ended early")
  func fileOfFailedRun() throws {
    let directory = try TemporaryDirectory()
    let log = try RejectLog(policy: RejectPolicy(isStrict: true, path: directory / "r"))
    #expect(stageError { () throws(Failure) in try log.add(Self.reject(1)) } != nil)
    try log.publish()
    #expect(directory.text("r") == "parse\trow 1\todd\tx\n")
  }

  @Test(
    "a file that can't be written ends the run, and is not left",
    arguments: [FailingCalls.Call.open, .write, .rename])
  func failingFile(call: FailingCalls.Call) throws {
    let directory = try TemporaryDirectory()
    let path = directory / "r"
    let failure = stageError { () throws(Failure) in
      let log = try RejectLog(policy: RejectPolicy(path: path), calls: FailingCalls(call, .fails(.noSpace)))
      try log.add(Self.reject(1))
      try log.publish()
    }
    let operation: SystemError.Operation =
      call == .open ? .createOutput : call == .write ? .writeOutput : .publishOutput
    #expect(failure?.systemError == SystemError(operation, path, .noSpace))
    #expect(directory.names.isEmpty)
  }

  @Test("a long text is truncated")
  func longText() {
    let reject = Self.reject(1, String(repeating: "x", count: 5000))
    #expect(reject.text.count == Reject.textBytesMax)
  }

  private final class Ordinals: Sendable {
    let all = Mutex<[UInt64]>([])
  }

  @Test("threads may add at the same time: each reject gets a number, in order")
  func threads() throws {
    let ordinals = Ordinals()
    let log = try RejectLog { _, ordinal in ordinals.all.withLock { $0.append(ordinal) } }
    let threads = try (0..<4).map { _ in
      try WorkerThread(name: "test") {
        for row in 1...500 { try? log.add(Self.reject(UInt64(row))) }
      }
    }
    for thread in threads { thread.join() }
    #expect(log.count == 2000)
    #expect(ordinals.all.withLock { $0 } == Array(1...2000))
  }

  @Test("file errors have the class of their exit status")
  func failureClasses() {
    func of(_ operation: SystemError.Operation, _ code: Errno = .permissionDenied) -> ErrorClass {
      SystemError(operation, "x", code).errorClass
    }
    #expect(of(.openInput) == .noInput)
    #expect(of(.readInput) == .inputOutput)
    #expect(of(.readInput, .isDirectory) == .noInput)
    #expect(of(.createOutput) == .cannotCreate && of(.createSpill) == .cannotCreate)
    #expect(of(.writeOutput, .brokenPipe) == .readerGone)
    #expect(of(.writeOutput, .noSpace) == .inputOutput && of(.writeSpill, .noSpace) == .inputOutput)
    #expect(of(.writeSpill, .brokenPipe) == .inputOutput)
  }
}

@Suite("Rows of several inputs")
struct InputRowsTests {
  @Test("a row is located in its input")
  func location() {
    let rows = InputRows()
    func place(_ row: UInt64) -> String {
      let (input, number) = rows.location(of: row, first: "a")
      return "\(input) \(number)"
    }
    #expect(place(7) == "a 7")
    rows.begin("b", at: 4)
    // An input without rows.
    rows.begin("c", at: 6)
    rows.begin("d", at: 6)
    #expect([1, 3, 4, 5, 6, 100].map(place) == ["a 1", "a 3", "b 1", "b 2", "d 1", "d 95"])
  }
}

@Suite("Error classes")
struct ErrorClassTests {
  private static let machine: [Errno] = [
    .ioError, .tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory, .noSpace,
  ]
  private static let operations: [SystemError.Operation] = [
    .openInput, .readInput, .createOutput, .writeOutput, .publishOutput, .createSpill, .writeSpill,
    .readSpill,
    .startThread,
  ]

  @Test("a fault of the machine is an input/output error in every operation, and never a source's fault")
  func ofTheMachine() {
    for operation in Self.operations {
      for code in Self.machine {
        let error = SystemError(operation, "list.csv", code)
        #expect(error.errorClass == .inputOutput, "\(error)")
        #expect(!error.blamesSource, "\(error)")
      }
    }
    for code in Self.machine { #expect(ErrorClass.opening(code.rawValue) == .inputOutput) }
  }

  @Test(
    "a path that can't be used is that path's fault",
    arguments: [Errno.noSuchFileOrDirectory, .permissionDenied])
  func ofThePath(code: Errno) {
    let source = SystemError(.openInput, "list.csv", code)
    #expect(source.errorClass == .noInput && source.blamesSource)
    #expect(ErrorClass.opening(code.rawValue) == .noInput)
    let output = SystemError(.createOutput, "out.csv", code)
    #expect(output.errorClass == .cannotCreate && !output.blamesSource)
  }
}
