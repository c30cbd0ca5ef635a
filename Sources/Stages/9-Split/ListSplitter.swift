// Cuts a sorted list into parts, in one pass.
//
// Not for: choosing cuts (CutPlan), finding them without reading the list (PartSearch), files (PartFolder).

package import Records
package import SystemIO

/// What a list was split into.
package struct SplitOutcome: Equatable, Sendable {
  /// The parts, in order: one more than cuts. Some may be empty.
  package internal(set) var parts: [ListPart] = []
  /// The number of cuts that were moved out of ranges.
  package internal(set) var movedCuts = 0
}

/// Cuts a sorted list into parts.
package struct ListSplitter: Sendable {
  /// The cuts, in ascending order.
  package var cuts: [UInt64]
  /// Whether a cut inside a range is moved to the next number at which no range is open. Otherwise it is an error.
  package var movesCuts: Bool

  /// Creates a splitter.
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
    var lines = try RecordLines(list, .split, calls: calls)
    var progress = SplitProgress(self, list)
    try folder?.begin(progress.part)
    while try lines.nextBlock() {
      var written = 0
      while try lines.next() {
        while lines.first >= progress.nextCut {
          guard try progress.canCut(before: lines.first) else { break }
          try folder?.write(lines.text.bytes(written..<lines.text.start))
          written = lines.text.start
          progress.beginPart(at: lines.offset)
          try folder?.begin(progress.part)
        }
        progress.add(first: lines.first, last: lines.last, line: lines.text.number)
      }
      try folder?.write(lines.text.bytes(written..<lines.text.count))
    }
    // The cuts above the last record. `offset` is the size of the list now.
    while progress.nextCut != .max {
      _ = try progress.canCut(before: .max)
      progress.beginPart(at: lines.text.offset)
      try folder?.begin(progress.part)
    }
    return progress.finish(size: lines.text.offset)
  }
}

/// The state of a split: the current part, the next cut, and the range that reaches furthest.
private struct SplitProgress {
  private let splitter: ListSplitter
  private let list: String
  private var outcome = SplitOutcome()
  private var cutsDone = 0
  /// The current part.
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

  /// Counts a record of the current part.
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
        .split,
        SplitError.cutInRange(list: list, line: furthest.line, range: furthest.range, cut: nextCut))
    }
    guard first > open else { return false }
    nextCut = open + 1
    outcome.movedCuts += 1
    return true
  }

  /// Ends the current part, and begins the next one at an offset.
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
