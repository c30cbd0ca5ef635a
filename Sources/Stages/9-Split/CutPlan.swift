// The cuts of a list: chosen from samples, read from a file, and found in a sorted file by binary search.

package import Records
import StoreWriting
package import SystemIO
import SystemPackage

package struct CutPlan: Sendable {
  package static let partsMax = 9999
  /// The maximum number of numbers, and of covered ranges, that are held: 16 MiB each. If there are more, they are
  /// merged.
  private static let heldMax = 1 << 20

  private var marks: [ListSample.Mark] = []
  private var covered: [CoveredRanges.Run] = []
  private var records: UInt64 = 0

  /// A number at which a part may begin, and about how many records are below it.
  private struct Candidate {
    var cut: UInt64
    var below: UInt64
  }

  package init(_ sample: ListSample) { add(sample) }

  /// Samples a list that will be read again. Throws for standard input and for pipes.
  package init(list: String, parts: Int, calls: any SystemCalls = KernelCalls()) throws(Failure) {
    let kind = list == InputFile.standardInput ? .other : FileKind(of: FilePath(list), calls: calls)
    if kind == .other { throw Failure.needsFile(list) }
    self.init(try ListSample(of: list, .forParts(parts), stage: .split, calls: calls))
  }

  package init(samples files: [String], calls: any SystemCalls = KernelCalls()) throws(Failure) {
    for file in files { try ListSample.read(file, calls: calls) { (sample) throws(Failure) in add(sample) } }
  }

  private mutating func add(_ sample: ListSample) {
    records += sample.records
    marks += sample.marks
    covered += sample.covered.runs
    if marks.count > Self.heldMax {
      marks.sort { $0.number < $1.number }
      while marks.count > Self.heldMax / 2 { marks = ListSample.merged(marks) }
    }
    if covered.count > Self.heldMax { covered = Self.united(covered, limit: Self.heldMax / 2).runs }
  }

  private static func united(_ runs: [CoveredRanges.Run], limit: Int) -> CoveredRanges {
    var all = CoveredRanges(limit: limit)
    for run in runs.sorted(by: { $0.first < $1.first }) { all.add(first: run.first, last: run.last) }
    return all
  }

  /// The cuts for a number of parts, in ascending order: at most `parts - 1`. There are fewer if the lists have too few
  /// numbers that are outside of ranges. With these cuts, no part of all lists together is empty.
  ///
  /// - Complexity: O(n log n) for n numbers and covered ranges.
  package func cuts(parts: Int) -> [UInt64] {
    let candidates = candidates()
    var cuts: [UInt64] = []
    var index = 0
    for part in 1..<max(1, parts) {
      let target = Double(records) * Double(part) / Double(parts)
      while index + 1 < candidates.count, Double(candidates[index + 1].below) <= target { index += 1 }
      guard index < candidates.count else { break }
      var nearest = index
      if index + 1 < candidates.count,
        Double(candidates[index + 1].below) - target < target - Double(candidates[index].below)
      {
        nearest += 1
      }
      if candidates[nearest].cut > cuts.last ?? 0 { cuts.append(candidates[nearest].cut) }
    }
    return cuts
  }

  /// The numbers at which a part may begin, except the lowest number of all.
  private func candidates() -> [Candidate] {
    let marks = self.marks.sorted { $0.number < $1.number }
    let covered = Self.united(self.covered, limit: max(2, self.covered.count))
    guard let lowest = marks.first?.number else { return [] }
    var candidates: [Candidate] = []
    func add(_ cut: UInt64, below: UInt64) {
      if cut > lowest, cut > candidates.last?.cut ?? 0, covered.run(forbidding: cut) == nil {
        candidates.append(Candidate(cut: cut, below: below))
      }
    }
    var below: UInt64 = 0
    var run = 0
    for mark in marks {
      while run < covered.runs.count, covered.runs[run].first < mark.number {
        add(covered.runs[run].first, below: below)
        run += 1
      }
      add(mark.number, below: below)
      below += mark.records
    }
    for left in covered.runs[run...] { add(left.first, below: below) }
    return candidates
  }
}

package enum CutList {
  /// Reads the cuts in a file: a text with one number per line, ascending, or a manifest, whose cuts are the first
  /// numbers of its shards except the first one. A directory of shards stands for its manifest, `-` for standard input.
  package static func read(_ file: String, calls: any SystemCalls = KernelCalls()) throws(Failure) -> [UInt64]
  {
    switch try ListInput(file, of: .split, calls: calls) {
    case .shards(let directory): return directory.shards.dropFirst().map(\.from)
    // Its shards are not ranges of numbers.
    case .lookup: throw Failure.notShards(path: file).of(.split)
    case .file: return try readText(file, calls)
    }
  }

  private static func readText(_ file: String, _ calls: any SystemCalls) throws(Failure) -> [UInt64] {
    var cuts: [UInt64] = []
    var lines = try LineBlocks(file, .split, calls: calls)
    while try lines.advance() {
      guard let cut = Decimal.read(lines.line, from: 0, to: lines.line.count),
        cut.end == lines.line.count
      else {
        throw Failure(
          .split, .badData, "cut-not-a-number",
          "\(InputName.plain(file)):\(lines.number): not a number of 1 to 15 digits: "
            + PrintableText.quoted(lines.quotation), hint: "write one number per line, or name a manifest")
      }
      if let previous = cuts.last, cut.value <= previous {
        throw Failure(
          .split, .badData, "cut-not-ascending",
          "\(InputName.plain(file)):\(lines.number): the cut \(cut.value) is not above the one before it, "
            + "\(previous)")
      }
      cuts.append(cut.value)
      if cuts.count >= CutPlan.partsMax {
        throw Failure(
          .split, .badData, "too-many-cuts",
          "\(InputName.quoted(file)) has more than \(Figures.grouped(UInt64(CutPlan.partsMax - 1))) cuts")
      }
    }
    return cuts
  }
}

// The numbers that a list's ranges cover, merged, in bounded memory. No cut may be inside them.
//
// A cut is the first number of a part. The range A..B allows the cuts A and B + 1, and no other one from A to B. So
// ranges that share a number are merged, and ranges that only touch are not.

/// The merged ranges of a list, in ascending order.
///
/// If there are more than a limit, neighbours are merged, which is always safe: it only forbids more cuts. Of each group
/// of consecutive gaps, the one with the roundest number stays. Ranges are aligned to round numbers more often than
/// not, so the gaps that stay are the same in most lists.
struct CoveredRanges: Equatable, Sendable {
  /// Consecutive numbers that ranges cover.
  struct Run: Equatable, Sendable {
    /// The first number. A cut here is allowed.
    var first: UInt64
    /// The last number. A cut here is inside, unless it is the first number, too.
    var last: UInt64

    /// Whether a cut would be inside.
    func forbids(_ cut: UInt64) -> Bool { cut > first && cut <= last }
  }

  /// The ranges; each starts above the last number of the one before it.
  private(set) var runs: [Run] = []
  private let limit: Int
  /// The number of consecutive gaps of which one stays.
  private var stride = 1
  /// The number of gaps that the last group has so far.
  private var groupCount = 1

  /// Creates an empty value for at most `limit` ranges, which must be at least 2.
  init(limit: Int) {
    precondition(limit >= 2)
    self.limit = limit
  }

  /// Adds a record. Its first number must not be below that of the one before it.
  ///
  /// - Complexity: O(1), averaged over all records.
  @inline(__always)
  mutating func add(first: UInt64, last: UInt64) {
    if last > first { addRange(Run(first: first, last: last)) }
  }

  private mutating func addRange(_ range: Run) {
    guard let before = runs.last, range.first > before.last else {
      if runs.isEmpty { runs.append(range) } else { extend(to: range.last) }
      return
    }
    if groupCount == stride, runs.count == limit { coarsen() }
    if groupCount == stride || runs.count == 1 {
      runs.append(range)
      groupCount = 1
      return
    }
    // The last two ranges are those around the best gap of the group so far.
    groupCount += 1
    let index = runs.count - 1
    let best = Self.roundness(runs[index - 1], runs[index])
    if Self.roundness(runs[index], range) > best {
      runs[index - 1].last = runs[index].last
      runs[index] = range
    } else {
      runs[index].last = range.last
    }
  }

  private mutating func extend(to last: UInt64) {
    runs[runs.count - 1].last = max(runs[runs.count - 1].last, last)
  }

  /// Merges the gaps in pairs, and doubles the groups.
  private mutating func coarsen() {
    var kept = [runs[0]]
    var index = 1
    while index + 1 < runs.count {
      let (first, second) = (runs[index], runs[index + 1])
      if Self.roundness(runs[index - 1], first) >= Self.roundness(first, second) {
        kept.append(Run(first: first.first, last: second.last))
      } else {
        kept[kept.count - 1].last = first.last
        kept.append(second)
      }
      index += 2
    }
    // A last gap without a partner is the first half of a group.
    groupCount = index < runs.count ? stride : 2 * stride
    if index < runs.count { kept.append(runs[index]) }
    stride *= 2
    runs = kept
  }

  /// The roundness of the gap between two ranges: the number of zeros at the end of the roundest cut in it, then the
  /// number of cuts in it.
  private static func roundness(_ one: Run, _ other: Run) -> (Int, UInt64) {
    var zeros = 0
    var power: UInt64 = 10
    while zeros < PhoneNumber.digitsMax, other.first / power * power > one.last {
      zeros += 1
      power *= 10
    }
    return (zeros, other.first - one.last)
  }

  /// The range that forbids a cut; nil if the cut is allowed.
  ///
  /// - Complexity: O(log ranges).
  func run(forbidding cut: UInt64) -> Run? {
    var low = 0
    var high = runs.count
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].last < cut { low = middle + 1 } else { high = middle }
    }
    return low < runs.count && runs[low].forbids(cut) ? runs[low] : nil
  }
}

/// Finds parts of a file without reading it.
///
/// The sample proves that the file is sorted, and that no cut is inside a range of it.
package struct PartSearch: Sendable {
  private let sampleFile: String
  package let sample: ListSample
  private let calls: any SystemCalls

  package init(sample file: String, calls: any SystemCalls = KernelCalls()) throws(Failure) {
    sample = try ListSample.read(one: file, calls: calls)
    sampleFile = file
    self.calls = calls
  }

  /// Finds the parts of a file. The number of records is not known.
  ///
  /// - Complexity: O(cuts · log bytes).
  package func parts(of list: String, cuts: [UInt64]) throws(Failure) -> [ListPart] {
    for cut in cuts {
      guard let run = sample.covered.run(forbidding: cut) else { continue }
      throw Failure(
        .split, .badData, "cut-in-sample",
        "\(InputName.plain(sampleFile)): the cut \(cut) is inside \(run.first)..\(max(run.first, run.last)), "
          + "which ranges cover", hint: "plan the cuts with this sample, or leave out --sample")
    }
    let calls = self.calls
    let file = try asFailure(.split) { () throws(SystemError) in try InputFile(list, calls: calls) }
    guard let size = file.size, list != InputFile.standardInput else { throw Failure.needsFile(list) }
    guard size == sample.bytes else {
      throw Failure(
        .split, .badData, "other-sample",
        "\(InputName.quoted(sampleFile)) is not a sample of '\(list)': the sizes differ",
        hint: "sample it again: cdpipe sample \(ShellQuoting.quoted(list)) -o FILE")
    }
    var lines = LineSearch(list, file.descriptor, size: size, calls)
    var parts = [ListPart(number: 1, from: ListPart.numberMin, offset: 0)]
    for cut in cuts {
      let offset = try lines.firstLine(atOrAbove: cut, from: parts[parts.count - 1].offset)
      parts.append(ListPart(number: parts.count + 1, from: cut, offset: offset))
    }
    for index in parts.indices {
      let end = index + 1 < parts.count ? parts[index + 1].offset : size
      parts[index].bytes = end - parts[index].offset
      if parts[index].bytes > 0 { parts[index].first = try lines.number(at: parts[index].offset) }
    }
    // The descriptor must stay open until here.
    _ = consume file
    return parts
  }
}

private struct LineSearch: ~Copyable {
  /// The number of bytes that are searched first for the start or the end of a line; few lines are longer.
  private static let nearBytes = 512
  private static let lineBytesMax = RecordLine.bytesMax + 1

  private let list: String
  private let size: UInt64
  private var window: FileWindow

  init(_ list: String, _ file: FileDescriptor, size: UInt64, _ calls: any SystemCalls) {
    self.list = list
    self.size = size
    window = FileWindow(
      file, size: size, capacity: Self.lineBytesMax, readAhead: 2 * Self.nearBytes, calls: calls)
  }

  /// The offset of the first line whose number is not below a cut; the size if there is none. `start` is the start of a
  /// line that is not after it.
  mutating func firstLine(atOrAbove cut: UInt64, from start: UInt64) throws(Failure) -> UInt64 {
    // All lines that start below `low` are below the cut; all from `high` on are not.
    var low = start
    var high = size
    while low < high {
      let middle = low + (high - low) / 2
      let line = try lineStart(before: middle, from: low)
      if try number(at: line) < cut { low = try lineEnd(after: middle) } else { high = line }
    }
    return low
  }

  mutating func number(at offset: UInt64) throws(Failure) -> UInt64 {
    let count = Int(min(UInt64(PhoneNumber.digitsMax + 1), size - offset))
    try load(offset, count)
    let digits = window.bytes(offset, count)
    guard let number = Decimal.read(digits.span, from: 0, to: count) else { throw invalid(offset) }
    return number.value
  }

  /// The start of the line with the byte at an offset; `low` is the start of a line that is not after it.
  private mutating func lineStart(before offset: UInt64, from low: UInt64) throws(Failure) -> UInt64 {
    for reach in [Self.nearBytes, Self.lineBytesMax] {
      let count = Int(min(UInt64(reach), offset - low))
      try load(offset - UInt64(count), count)
      var start = offset
      while start > offset - UInt64(count) {
        if window.byte(start - 1) == UInt8(ascii: "\n") { return start }
        start -= 1
      }
      if start == low { return low }
    }
    throw invalid(offset)
  }

  private mutating func lineEnd(after offset: UInt64) throws(Failure) -> UInt64 {
    for reach in [Self.nearBytes, Self.lineBytesMax] {
      let count = Int(min(UInt64(reach), size - offset))
      try load(offset, count)
      for end in offset..<offset + UInt64(count) where window.byte(end) == UInt8(ascii: "\n") {
        return end + 1
      }
      if offset + UInt64(count) == size { return size }
    }
    throw invalid(offset)
  }

  private mutating func load(_ offset: UInt64, _ count: Int) throws(Failure) {
    let list = list
    let isLoaded = try throwing({ Failure(.split, SystemError(.readInput, list, $0)) }) { () throws(Errno) in
      try window.load(offset, count)
    }
    // The file was truncated meanwhile.
    if !isLoaded { throw invalid(offset) }
  }

  private func invalid(_ offset: UInt64) -> Failure {
    Failure(
      .split, .badData, "not-a-record-at",
      "\(InputName.plain(list)): no record at byte \(offset): the list has changed since it was sampled",
      hint: "sample it again, or leave out --sample")
  }
}

extension Failure {
  /// The list must be a file, because it is read twice or not from the start.
  fileprivate static func needsFile(_ list: String) -> Failure {
    Failure(
      .split, .usage, "needs-file", "\(InputName.quoted(list)) can't be read twice",
      hint: "save it to a file, or name the cuts with --at")
  }
}
