// A sample of a sorted list: numbers at even distances and the covered ranges, from which cuts are planned.

package import Records
package import SystemIO

extension StageName {
  /// Samples sorted lists. Not a stage of a pipeline.
  package static let sample = StageName(rawValue: "sample")
  package static let split = StageName(rawValue: "split")
}

/// A small description of a sorted list, for choosing cuts: numbers at even distances by record, and all numbers that
/// ranges cover.
package struct ListSample: Equatable, Sendable {
  /// The maximum number of numbers and of covered ranges in a sample. Both bound its size; a list with more is described
  /// more coarsely.
  package struct Limits: Equatable, Sendable {
    package let numbers: Int
    package let covered: Int

    /// Creates limits. `numbers` must be even, and `covered` at least 2.
    package init(numbers: Int, covered: Int) {
      precondition(numbers > 0 && numbers % 2 == 0 && covered >= 2)
      self.numbers = numbers
      self.covered = covered
    }

    package static let standard = Limits(numbers: 1024, covered: 4096)

    /// Limits for planning a number of parts from one sample: a part is within a few percent of its share.
    package static func forParts(_ parts: Int) -> Limits {
      Limits(numbers: max(standard.numbers, 64 * parts), covered: max(standard.covered, 64 * parts))
    }
  }

  /// A number of the list that stands for itself and the records after it, up to the next one.
  struct Mark: Equatable, Sendable {
    var number: UInt64
    var records: UInt64
  }

  package internal(set) var records: UInt64 = 0
  package internal(set) var bytes: UInt64 = 0
  /// The numbers, in ascending order; the first is that of the first record.
  var marks: [Mark] = []
  var covered: CoveredRanges
  private let numbersMax: Int
  /// The number of records that each mark stands for, except the last one.
  private var stride: UInt64 = 1

  init(_ limits: Limits) {
    numbersMax = limits.numbers
    covered = CoveredRanges(limit: limits.covered)
  }

  /// Samples a sorted list in the text form: a file, or standard input for `-`.
  ///
  /// - Complexity: O(bytes). Memory: one read buffer, and what the limits allow.
  package init(
    of list: String, _ limits: Limits = .standard, stage: StageName = .sample,
    calls: any SystemCalls = KernelCalls()
  ) throws(Failure) {
    var sample = ListSample(limits)
    var lines = try LineBlocks(list, stage, calls: calls)
    while try lines.nextBlock() {
      while try lines.nextRecord() { sample.add(first: lines.first, last: lines.last) }
      sample.bytes += UInt64(lines.count)
    }
    self = sample
  }

  @inline(__always)
  mutating func add(first: UInt64, last: UInt64) {
    records += 1
    covered.add(first: first, last: last)
    if marks.isEmpty || marks[marks.count - 1].records == stride {
      appendMark(first)
    } else {
      marks[marks.count - 1].records += 1
    }
  }

  private mutating func appendMark(_ number: UInt64) {
    if marks.count == numbersMax {
      marks = Self.merged(marks)
      stride *= 2
    }
    marks.append(Mark(number: number, records: 1))
  }

  /// Every second mark, which also stands for the records of the one after it.
  static func merged(_ marks: [Mark]) -> [Mark] {
    Swift.stride(from: 0, to: marks.count, by: 2).map { index in
      let second = index + 1 < marks.count ? marks[index + 1].records : 0
      return Mark(number: marks[index].number, records: marks[index].records + second)
    }
  }
}

extension ListSample {
  static let signature = "cdpipe-sample 1"
  /// The start of the first line in any version.
  private static let name = "cdpipe-sample "

  package var text: String {
    var text = """
      \(Self.signature)
      records\t\(records)
      bytes\t\(bytes)
      numbers\t\(marks.count)
      covered\t\(covered.runs.count)

      """
    for mark in marks { text += "\(mark.number)\t\(mark.records)\n" }
    for run in covered.runs { text += "\(run.first)..\(run.last)\n" }
    return text
  }

  /// Reads the samples in a file, or in standard input for `-`, one after another, and passes each to `body`.
  ///
  /// - Complexity: O(bytes). Memory: one sample.
  static func read(
    _ file: String, calls: any SystemCalls, _ body: (ListSample) throws(Failure) -> Void
  ) throws(Failure) {
    var reader = SampleReader(lines: try LineBlocks(file, .split, calls: calls))
    while let sample = try reader.next() { try body(sample) }
    if reader.count == 0 { throw Failure.notASample(file, .split) }
  }

  static func read(one file: String, calls: any SystemCalls) throws(Failure) -> ListSample {
    var found: ListSample?
    try read(file, calls: calls) { (sample) throws(Failure) in
      if found != nil {
        throw Failure(
          .split, .badData, "several-samples", "\(InputName.quoted(file)) has the samples of several lists",
          hint: "sample this list alone: cdpipe sample LIST -o FILE")
      }
      found = sample
    }
    guard let found else { throw Failure.notASample(file, .split) }
    return found
  }

  private struct SampleReader: ~Copyable {
    /// The largest number of lines that are read of one sample: more than `cdpipe sample` writes.
    private static let linesMax: UInt64 = 1 << 20

    var lines: LineBlocks
    private(set) var count = 0

    init(lines: consuming LineBlocks) { self.lines = lines }

    /// Reads the next sample; nil at the end of the file.
    mutating func next() throws(Failure) -> ListSample? {
      guard try lines.advance() else { return nil }
      let first = String(decoding: [UInt8](copying: lines.line), as: UTF8.self)
      guard first.hasPrefix(ListSample.name) else {
        if count > 0 { throw damaged }
        throw Failure.notASample(lines.name, lines.stage)
      }
      guard first == ListSample.signature else {
        throw Failure(
          lines.stage, .badData, "unknown-sample-version",
          "\(InputName.quoted(lines.name)) is a sample of a newer version", hint: "use a newer cdpipe")
      }
      count += 1
      let records = try count(named: "records")
      let bytes = try count(named: "bytes")
      let numbers = try count(named: "numbers")
      let covered = try count(named: "covered")
      guard numbers <= Self.linesMax, covered <= Self.linesMax else { throw damaged }
      var sample = ListSample(Limits(numbers: 2, covered: max(2, Int(covered))))
      sample.records = records
      sample.bytes = bytes
      try readMarks(Int(numbers), to: &sample)
      try readCovered(Int(covered), to: &sample)
      return sample
    }

    private mutating func readMarks(_ count: Int, to sample: inout ListSample) throws(Failure) {
      var records: UInt64 = 0
      for _ in 0..<count {
        let (head, end) = try nextNumbers()
        let more = Decimal.read(lines.line, from: head.fieldsStart, to: end)
        guard head.first == head.last, let more, more.end == end,
          head.first >= sample.marks.last?.number ?? 0, more.value <= sample.records - records
        else { throw damaged }
        sample.marks.append(Mark(number: head.first, records: more.value))
        records += more.value
      }
      guard records == sample.records else { throw damaged }
    }

    private mutating func readCovered(_ count: Int, to sample: inout ListSample) throws(Failure) {
      for _ in 0..<count {
        let (head, end) = try nextNumbers()
        let before = sample.covered.runs.last?.last ?? 0
        guard head.fieldsStart == end, head.first < head.last, head.first > before else { throw damaged }
        sample.covered.add(first: head.first, last: head.last)
      }
    }

    private mutating func nextNumbers() throws(Failure) -> (RecordLine.Head, end: Int) {
      try advance()
      do throws(RecordLineError) {
        return (try RecordLine.head(lines.line), lines.line.count)
      } catch {
        throw damaged
      }
    }

    private mutating func count(named name: String) throws(Failure) -> UInt64 {
      try advance()
      let line = String(decoding: [UInt8](copying: lines.line), as: UTF8.self)
      guard line.hasPrefix(name + "\t"), let count = UInt64(line.dropFirst(name.utf8.count + 1)) else {
        throw damaged
      }
      return count
    }

    /// Advances to a line that must exist and be complete.
    private mutating func advance() throws(Failure) {
      let hasLine = try lines.advance()
      guard hasLine, lines.isTerminated else { throw damaged }
    }

    private var damaged: Failure {
      Failure(
        lines.stage, .badData, "damaged-sample",
        "\(InputName.plain(lines.name)):\(lines.number): the sample is damaged or incomplete",
        hint: "sample the list again")
    }
  }
}

extension Failure {
  fileprivate static func notASample(_ file: String, _ stage: StageName) -> Failure {
    Failure(
      stage, .badData, "not-a-sample", "\(InputName.quoted(file)) is not a sample",
      hint: "make one with: cdpipe sample LIST -o FILE")
  }
}
