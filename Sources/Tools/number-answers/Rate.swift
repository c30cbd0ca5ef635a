// Measures how many numbers per second NumberPlan parses on one core, without reading files or lines.
// Not for checking the answers.

import Foundation
import NumberPlan

enum Rate {
  /// Numbers per second in the best of `rounds` rounds over all `questions`: parse, isValid, e164.
  static func best(of rounds: Int, _ questions: Data) throws -> Int {
    var texts: ContiguousArray<UInt8> = []
    var ends: [Int] = []
    var regions: [Region?] = []
    var cutter = QuestionLines()
    cutter.forEach(in: questions, isLast: true) { region, text in
      for index in 0..<text.count { texts.append(text[index]) }
      ends.append(texts.count)
      regions.append(region)
    }
    let clock = ContinuousClock()
    var best = Duration.seconds(Int64.max >> 1)
    // The results are summed and checked, so that nothing is optimized away.
    var sum: UInt64 = 0
    for _ in 0..<rounds {
      best = min(best, clock.measure { sum &+= round(texts.span, ends.span, regions.span) })
    }
    if sum == 0 { throw RateError.noNumbers }
    return Int(Double(ends.count) / (best / .seconds(1)))
  }

  private static func round(_ texts: Span<UInt8>, _ ends: Span<Int>, _ regions: Span<Region?>) -> UInt64 {
    var sum: UInt64 = 0
    var start = 0
    for index in 0..<ends.count {
      let end = ends[index]
      if let number = try? NumberPlan.parse(texts.extracting(start..<end), region: regions[index]) {
        sum &+= number.e164 &+ (NumberPlan.isValid(number) ? 1 : 0)
      }
      start = end
    }
    return sum
  }
}

enum RateError: Error {
  /// The file has no line with a number.
  case noNumbers
}
