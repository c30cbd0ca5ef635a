// Sets of numbers: what `number`, `prefix`, `numbers` and `prefixes` name, and what rules with such conditions select.

import BasicContainers
import Records
import StoreWriting
import SystemIO

/// A set of numbers as ascending ranges that do not touch each other.
struct SelectedNumbers: Sendable, Equatable {
  /// The maximum number of ranges of a stage's rules: 8 MiB, and three times that while they are prepared. Longer lists
  /// are for `subtract` and `intersect`, which read sorted lists side by side.
  static let rangesMax = 1 << 18

  static let all = SelectedNumbers([0...(.max)])

  private(set) var ranges: [ClosedRange<UInt64>]

  init(_ ranges: [ClosedRange<UInt64>] = []) {
    self.ranges = ranges
    join()
  }

  /// Reads the numbers of a list of any kind, in any order. A line that is not a record is an error.
  init(lists: [String], _ context: StageContext) throws(Failure) {
    // The stage's own counters are for the records that flow through it.
    var context = context
    context.meter = StageMeter(context.stage)
    ranges = []
    var batch = RecordBatch()
    for list in lists {
      var records = try ListRecords(list, context, .fatal, expectsSize: false)
      while try records.next(&batch) {
        if ranges.count + batch.count > Self.rangesMax { join() }
        guard ranges.count + batch.count <= Self.rangesMax else { throw .tooManyRanges(in: list) }
        for index in 0..<batch.count { ranges.append(batch.firsts[index]...batch.lasts[index]) }
        batch.removeAll()
      }
    }
    join()
  }

  /// Reads files with a prefix per line.
  init(prefixFiles: [String], _ context: StageContext) throws(Failure) {
    ranges = []
    for file in prefixFiles {
      for line in try StageFile.lines(of: file, "prefixes", .select, context.calls) {
        let text = line.text.split { $0.isWhitespace || $0 == "\u{FEFF}" }.joined(separator: " ")
        guard let prefix = PhoneNumber.ranges(ofPrefix: text) else {
          throw .badPrefix(text, file, line.number)
        }
        if ranges.count + prefix.count > Self.rangesMax { join() }
        guard ranges.count + prefix.count <= Self.rangesMax else { throw .tooManyRanges(in: file) }
        ranges += prefix
      }
    }
    join()
  }

  /// Sorts the ranges and joins those that overlap or touch.
  private mutating func join() {
    ranges.sort { $0.lowerBound < $1.lowerBound }
    var count = 0
    for range in ranges {
      if count > 0, range.lowerBound == 0 || range.lowerBound - 1 <= ranges[count - 1].upperBound {
        let upper = max(ranges[count - 1].upperBound, range.upperBound)
        ranges[count - 1] = ranges[count - 1].lowerBound...upper
      } else {
        ranges[count] = range
        count += 1
      }
    }
    ranges.removeLast(ranges.count - count)
  }

  var complement: SelectedNumbers {
    var gaps: [ClosedRange<UInt64>] = []
    var start: UInt64 = 0
    for range in ranges {
      if range.lowerBound > start { gaps.append(start...range.lowerBound - 1) }
      if range.upperBound == .max { return SelectedNumbers(gaps) }
      start = range.upperBound + 1
    }
    return SelectedNumbers(gaps + [start...(.max)])
  }

  func intersection(_ other: SelectedNumbers) -> SelectedNumbers {
    var result = SelectedNumbers()
    var (at, otherAt) = (0, 0)
    while at < ranges.count, otherAt < other.ranges.count {
      let (range, otherRange) = (ranges[at], other.ranges[otherAt])
      if range.overlaps(otherRange) { result.ranges.append(range.clamped(to: otherRange)) }
      if range.upperBound < otherRange.upperBound { at += 1 } else { otherAt += 1 }
    }
    return result
  }
}

extension Failure {
  fileprivate static func badPrefix(_ text: String, _ file: String, _ line: Int) -> Failure {
    Failure(
      .select, .badData, "bad-prefix",
      "\(file):\(line): '\(PrintableText.line(text))' is not a prefix of 1 to 15 digits",
      hint: "write one prefix per line, such as 4930; lines that start with # are comments")
  }

  fileprivate static func tooManyRanges(in list: String) -> Failure {
    .tooManyRanges("\(InputName.quoted(list)) has too many numbers for a rule")
  }

  static func tooManyRanges(_ text: String) -> Failure {
    Failure(
      .select, .badData, "too-many-ranges",
      "\(text): at most \(Figures.grouped(UInt64(SelectedNumbers.rangesMax))) ranges",
      hint: "use 'cdpipe subtract' or 'cdpipe intersect' for a long list", blamesSource: false)
  }
}
