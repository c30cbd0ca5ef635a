// Cuts a sorted list into parts, in one pass.

package import Records
package import SystemIO
import SystemPackage

/// What a list was split into.
package struct SplitOutcome: Equatable, Sendable {
  /// The parts, in order: one more than cuts. Some may be empty.
  package internal(set) var parts: [ListPart] = []
  package internal(set) var movedCuts = 0
}

package struct ListSplitter: Sendable {
  package var cuts: [UInt64]
  /// Whether a cut inside a range is moved to the next number at which no range is open. Otherwise it is an error.
  package var movesCuts: Bool

  package init(cuts: [UInt64], movesCuts: Bool = false) {
    self.cuts = cuts
    self.movesCuts = movesCuts
  }

  /// Splits a list: a file, or standard input for `-`. Writes the parts to a folder, if there is one.
  ///
  /// The parts one after another are the list, byte by byte. A record is in the part of its first number, and no range
  /// has numbers of two parts.
  ///
  /// - Complexity: O(bytes). Memory: one read buffer.
  package func split(
    _ list: String, into folder: PartFolder? = nil, calls: any SystemCalls = KernelCalls()
  ) throws(Failure) -> SplitOutcome {
    var lines = try LineBlocks(list, .split, calls: calls)
    var progress = SplitProgress(self, list)
    try folder?.begin(progress.part)
    while try lines.nextBlock() {
      var written = 0
      while try lines.nextRecord() {
        while lines.first >= progress.nextCut {
          guard try progress.canCut(before: lines.first) else { break }
          try folder?.write(lines.bytes(written..<lines.start))
          written = lines.start
          progress.beginPart(at: lines.lineOffset)
          try folder?.begin(progress.part)
        }
        progress.add(first: lines.first, last: lines.last, line: lines.number)
      }
      try folder?.write(lines.bytes(written..<lines.count))
    }
    // The cuts above the last record. `offset` is the size of the list now.
    while progress.nextCut != .max {
      _ = try progress.canCut(before: .max)
      progress.beginPart(at: lines.offset)
      try folder?.begin(progress.part)
    }
    return progress.finish(size: lines.offset)
  }
}

/// The state of a split: the current part, the next cut, and the range that reaches furthest.
private struct SplitProgress {
  private let splitter: ListSplitter
  private let list: String
  private var outcome = SplitOutcome()
  private var cutsDone = 0
  private(set) var part = ListPart(number: 1, from: ListPart.numberMin, offset: 0, records: 0)
  /// The next cut, possibly moved; `.max` if there are no more.
  private(set) var nextCut: UInt64
  /// The record with the highest last number so far.
  private var furthest: (range: ClosedRange<UInt64>, line: UInt64) = (0...0, 0)

  init(_ splitter: ListSplitter, _ list: String) {
    self.splitter = splitter
    self.list = list
    nextCut = splitter.cuts.first ?? .max
  }

  @inline(__always)
  mutating func add(first: UInt64, last: UInt64, line: UInt64) {
    if part.records == 0 { part.first = first }
    part.records? += 1
    if last > furthest.range.upperBound { furthest = (first...max(first, last), line) }
  }

  /// Whether a part may begin before a record. Moves the next cut, or throws, if it is inside a range.
  mutating func canCut(before first: UInt64) throws(Failure) -> Bool {
    let open = furthest.range.upperBound
    guard open >= nextCut else { return true }
    guard splitter.movesCuts else {
      throw Failure(
        .split, .badData, "cut-in-range",
        "\(InputName.plain(list)):\(furthest.line): the cut \(nextCut) is inside the range "
          + "\(furthest.range.lowerBound)..\(furthest.range.upperBound)",
        hint: "plan the cuts with a sample of this list, or for this list alone move them with --move-cuts")
    }
    guard first > open else { return false }
    nextCut = open + 1
    outcome.movedCuts += 1
    return true
  }

  mutating func beginPart(at offset: UInt64) {
    endPart(at: offset)
    part = ListPart(number: part.number + 1, from: nextCut, offset: offset, records: 0)
    cutsDone += 1
    nextCut = cutsDone < splitter.cuts.count ? splitter.cuts[cutsDone] : .max
  }

  private mutating func endPart(at offset: UInt64) {
    part.bytes = offset - part.offset
    outcome.parts.append(part)
  }

  mutating func finish(size: UInt64) -> SplitOutcome {
    endPart(at: size)
    return outcome
  }
}

package struct ListPart: Equatable, Sendable {
  /// The lowest number, from which the first part begins.
  package static let numberMin: UInt64 = 1

  /// The number of the part, from 1.
  package var number: Int
  /// The cut at which it begins: its first possible number.
  package var from: UInt64
  /// The offset of its first byte in the list.
  package var offset: UInt64
  package var bytes: UInt64 = 0
  /// The number of records; nil if the list was not read.
  package var records: UInt64?
  /// The first number of its first record; nil if it is empty.
  package var first: UInt64?

  /// The name of its file in a directory of parts.
  package var fileName: String {
    let digits = String(number)
    return "part-\(String(repeating: "0", count: max(0, Self.digitsMin - digits.count)))\(digits).tsv"
  }

  /// The digits in the name of a file, enough for all parts, so that the names sort like the parts.
  private static let digitsMin = 4

  static func isFileName(_ name: String) -> Bool {
    guard let number = Int(name.dropFirst("part-".count).prefix(digitsMin)) else { return false }
    return number > 0 && name == ListPart(number: number, from: numberMin, offset: 0).fileName
  }
}

/// A directory of parts that is being written: a staging directory, which ``publish()`` renames. Unless it is called,
/// nothing remains of it.
package final class PartFolder {
  package let path: String
  private let directory: StagedDirectory
  private let calls: any SystemCalls
  private var file: OutputFile?

  /// Begins a directory. One that exists may contain nothing but parts; they are replaced. The list must not be one of
  /// them.
  package init(_ path: String, list: String, calls: any SystemCalls = KernelCalls()) throws(Failure) {
    let target = try Self.target(path, list, calls)
    do throws(SystemError) {
      directory = try StagedDirectory(target, calls: calls)
    } catch {
      throw Failure(.split, SystemError(error.operation, path, error.code))
    }
    self.path = path
    self.calls = calls
  }

  /// The directory itself, if the path is a link to it. Throws if it must not be replaced.
  private static func target(
    _ path: String, _ list: String, _ calls: any SystemCalls
  ) throws(Failure) -> FilePath {
    let target = FilePath(SymbolicLink.resolved(path, calls: calls))
    guard !StagedDirectory.holdsWorkingDirectory(target, calls: calls) else {
      throw Failure(
        .split, .usage, "working-directory",
        "'\(path)' would be replaced by the parts, and contains the working directory",
        hint: "name a new directory")
    }
    let kind = try asFailure(.split) { () throws(SystemError) in
      try FileKind(checking: target, calls: calls)
    }
    switch kind {
    case .none: return target
    case .directory: break
    case .regular, .other: throw Failure(.split, SystemError(.createOutput, path, .notDirectory))
    }
    let names = try asFailure(.split) { () throws(SystemError) in
      try Directory.names(target.string, calls: calls)
    }
    if let name = names.first(where: { !ListPart.isFileName($0) }) {
      throw Failure(
        .split, .cannotCreate, "foreign-file",
        "'\(path)' contains '\(name)', which is not a part, and would be removed",
        hint: "name a new directory")
    }
    let parts = names.map { FileIdentity(input: target.appending($0).string) }
    if parts.contains(FileIdentity(input: list)) {
      throw Failure(
        .split, .usage, "list-inside", "'\(list)' is in '\(path)', which would be replaced by the parts",
        hint: "name a new directory")
    }
    return target
  }

  /// Ends the part before, and begins the next one.
  func begin(_ part: ListPart) throws(Failure) {
    try endPart()
    let name = directory.staging.appending(part.fileName).string
    file = try throwing(named) { () throws(SystemError) in
      try OutputFile(name, removesLeftovers: false, calls: calls)
    }
  }

  func write(_ bytes: Span<UInt8>) throws(Failure) {
    do throws(SystemError) { try file?.write(bytes) } catch { throw named(error) }
  }

  private func endPart() throws(Failure) {
    guard let ended = file.take() else { return }
    do throws(SystemError) { try ended.publish() } catch { throw named(error) }
  }

  /// Puts the directory in its place. Parts of an earlier split are removed.
  package func publish() throws(Failure) {
    try endPart()
    do throws(SystemError) { try directory.publish() } catch { throw named(error) }
  }

  /// An error with the path that the user typed instead of that of the staging directory.
  private func named(_ error: SystemError) -> Failure {
    Failure(.split, SystemError(error.operation, path, error.code))
  }
}

package enum SplitText {
  private struct Part: Encodable {
    var part: Int
    var from: UInt64
    var offset: UInt64
    var bytes: UInt64
    var records: UInt64?
    var first: UInt64?
    var file: String?
  }

  /// Formats a part as a line without its line feed: its number, first byte, number of bytes, first possible number.
  package static func line(_ part: ListPart) -> String {
    "\(part.number)\t\(part.offset)\t\(part.bytes)\t\(part.from)"
  }

  /// Formats a part as a JSON object. `directory` has its file; nil if it was not written.
  package static func json(_ part: ListPart, in directory: String?) -> String {
    JSONLine.text(
      Part(
        part: part.number, from: part.from, offset: part.offset, bytes: part.bytes, records: part.records,
        first: part.first,
        file: directory.map { $0.hasSuffix("/") ? $0 + part.fileName : "\($0)/\(part.fileName)" }))
  }

  /// `1,000 records in 7 parts`
  package static func summary(_ parts: [ListPart]) -> String {
    let records = parts.reduce(0) { $0 + ($1.records ?? 0) }
    return "\(Figures.counted(records, "record")) in \(Figures.counted(UInt64(parts.count), "part"))"
  }

  /// `2 cuts moved out of ranges`
  package static func moved(_ cuts: Int) -> String {
    "\(Figures.counted(UInt64(cuts), "cut")) moved out of \(cuts == 1 ? "a range" : "ranges")"
  }

  package static func fewerParts(_ count: Int, wanted: Int) -> UserMessage {
    UserMessage(
      "\(Figures.counted(UInt64(count), "part")) instead of \(Figures.grouped(UInt64(wanted))): "
        + "there are not enough numbers outside of ranges")
  }

  package static func replacedInput(_ path: String) -> UserMessage {
    UserMessage("'\(path)' is an input, and would be replaced")
  }
}
