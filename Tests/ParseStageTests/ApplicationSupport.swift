// Shared by the tests of other applications' formats: comparisons of all cuts of an input, and corrupted copies.

import Records
import TestSupport
import Testing

@testable import InputStages

func options(_ format: ParseOptions.Format, _ change: (inout ParseOptions) -> Void = { _ in }) -> ParseOptions
{
  var options = ParseOptions()
  options.format = format
  change(&options)
  return options
}

/// Parses a text in one piece, cut at every position, byte by byte and in odd pieces; the results must be equal.
func parseHoweverCut(_ text: String, _ options: ParseOptions) throws -> Outcome {
  let bytes = Array(text.utf8)
  let whole = try parse([bytes], options)
  for cuts in staccato {
    let cut = try parse([bytes], options, cuts: cuts)
    #expect(isSame(cut, whole), "cut in \(cuts)")
  }
  // Every position, except for texts where that would take minutes.
  for at in stride(from: 1, to: bytes.count, by: max(1, bytes.count / 1500)) {
    let cut = try parse([bytes], options, cuts: [at, bytes.count])
    if !isSame(cut, whole) { Issue.record("cut at \(at)") }
  }
  if whole.failure == nil {
    #expect(whole.rowsIn == whole.rowsOut + whole.rejectCount)
    #expect(whole.rowsOut == whole.rows.count && whole.isFinished && whole.ordinalsAreRight)
  }
  return whole
}

/// Whether two runs had the same result. If a run failed, the amount that it had read depends on the pieces.
func isSame(_ one: Outcome, _ other: Outcome) -> Bool {
  if one.failure == nil { return one == other }
  return one.failure == other.failure && one.rows == other.rows && one.rejects == other.rejects
}

/// Corrupts copies of a sample at random: no crash, the row counts add up, and the cuts do not change the result.
func fuzz(_ sample: [UInt8], _ options: [ParseOptions], turns: Int) throws {
  let seed = UInt64.random(in: 0...UInt64.max)
  var random = SplitMix64(seed: seed)
  var rowsSeen = 0
  for turn in 0..<turns {
    var bytes = sample
    for _ in 0..<random.below(6) { mutate(&bytes, &random) }
    var options = options[random.below(options.count)]
    if random.below(4) == 0 { options.recordBytesMax = 1 + random.below(200) }
    let place = Comment(rawValue: "seed \(seed), turn \(turn)")
    let whole = try parse([bytes], options)
    let cuts = (0..<5).map { _ in 1 + random.below(random.below(2) == 0 ? 4 : 400) }
    let cut = try parse([bytes], options, cuts: cuts, heldStep: 1 + random.below(40))
    try #require(whole.failure == cut.failure, place)
    try #require(whole.rows == cut.rows && whole.rejects == cut.rejects, place)
    rowsSeen += whole.rows.count
    for row in whole.rows {
      let isUTF8 = UTF8Check.isValid(row.text.span)
      try #require(isUTF8, place)
      let checked = try RecordFields.check(row.recordFields.span)
      try #require(checked == row.recordFields.count, place)
    }
    if whole.failure != nil { continue }
    try #require(whole.rowsIn == whole.rowsOut + whole.rejectCount, place)
    try #require(whole.isFinished && whole.ordinalsAreRight, place)
  }
  // Mutations that leave no rows would test nothing. XML ends at its first error, so most of its rows are lost.
  #expect(rowsSeen > turns / 8, "seed \(seed)")
}

private func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
  if bytes.isEmpty { return }
  let at = random.below(bytes.count)
  switch random.below(5) {
  case 0: bytes.remove(at: at)
  case 1: bytes[at] = UInt8(truncatingIfNeeded: random.next())
  case 2: bytes.removeSubrange(at..<min(bytes.count, at + random.below(30)))
  case 3:
    let length = random.below(min(60, bytes.count - at))
    bytes.insert(contentsOf: Array(bytes[at..<at + length]), at: random.below(bytes.count))
  default:
    let marks = Array("<>&;:=\"\n\r \\{}[]#,A0".utf8)
    bytes[at] = marks[random.below(marks.count)]
  }
}

#if DEBUG
  let fuzzTurns = 400
#else
  let fuzzTurns = 5_000
#endif

/// `(line, byte)` of the first reject.
func firstPlace(_ outcome: Outcome) -> [UInt64] {
  if case .line(let line, let byte, _)? = outcome.rejects.first?.place { [line, byte] } else { [] }
}
