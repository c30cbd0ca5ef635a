// A sample of a sorted list: numbers at even distances and the covered ranges, from which cuts are planned.
//
// Not for: its text (ListSample+Text), choosing cuts (CutPlan).

package import Records
package import SystemIO

extension StageName {
  /// Samples sorted lists. Not a stage of a pipeline.
  package static let sample = StageName(rawValue: "sample")
  /// Splits sorted lists. Not a stage of a pipeline.
  package static let split = StageName(rawValue: "split")
}

/// A small description of a sorted list, for choosing cuts: numbers at even distances by record, and all numbers that
/// ranges cover.
package struct ListSample: Equatable, Sendable {
  /// The maximum number of numbers and of covered ranges in a sample. Both bound its size; a list with more is described
  /// more coarsely.
  package struct Limits: Equatable, Sendable {
    /// The maximum number of numbers.
    package let numbers: Int
    /// The maximum number of covered ranges.
    package let covered: Int

    /// Creates limits. `numbers` must be even, and `covered` at least 2.
    package init(numbers: Int, covered: Int) {
      precondition(numbers > 0 && numbers % 2 == 0 && covered >= 2)
      self.numbers = numbers
      self.covered = covered
    }

    /// The limits of `cdpipe sample`.
    package static let standard = Limits(numbers: 1024, covered: 4096)

    /// Limits for planning a number of parts from one sample: a part is within a few percent of its share.
    package static func forParts(_ parts: Int) -> Limits {
      Limits(
        numbers: max(standard.numbers, 64 * parts), covered: max(standard.covered, 64 * parts))
    }
  }

  /// A number of the list that stands for itself and the records after it, up to the next one.
  struct Mark: Equatable, Sendable {
    /// The first number of a record.
    var number: UInt64
    /// How many records it stands for.
    var records: UInt64
  }

  /// The number of records.
  package internal(set) var records: UInt64 = 0
  /// The size of the list in bytes.
  package internal(set) var bytes: UInt64 = 0
  /// The numbers, in ascending order; the first is that of the first record.
  var marks: [Mark] = []
  /// The numbers that ranges cover.
  var covered: CoveredRanges
  private let numbersMax: Int
  /// The number of records that each mark stands for, except the last one.
  private var stride: UInt64 = 1

  /// Creates the sample of an empty list.
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
    var lines = try RecordLines(list, stage, calls: calls)
    while try lines.nextBlock() {
      while try lines.next() { sample.add(first: lines.first, last: lines.last) }
      sample.bytes += UInt64(lines.text.count)
    }
    self = sample
  }

  /// Adds the next record.
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
