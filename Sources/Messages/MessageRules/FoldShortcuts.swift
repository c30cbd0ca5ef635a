// The part of the fold table that is prepared when rules are opened, so that a common character costs few steps: 64 KiB.
//
// Not for: characters that need a closer look, which go by the table itself.

import CallStoreFormat

/// Ways through the fold table for the characters that texts have most of.
struct FoldShortcuts: Sendable {
  /// The steps of ASCII's characters, followed by those of the kinds of characters, whose symbols don't count.
  private let steps: ContiguousArray<FoldStep>
  /// Where the entries begin of the 64 characters of three bytes whose first two are the same, by ``place(_:)``; -1 for those
  /// that need a closer look. There are gaps, so that an index needs one step; what is read lies in 64 lines of a cache.
  private let threes: ContiguousArray<Int32>

  /// Makes them of a fold table that was checked.
  init(_ pages: RawSpan, _ blocks: RawSpan) {
    var steps: ContiguousArray<FoldStep> = []
    steps.reserveCapacity(FoldStep.spaceAt + 1)
    for scalar in 0..<UInt32(FoldStep.kindsAt) {
      steps.append(FoldStep(CompiledRules.entry(of: scalar, pages, blocks)))
    }
    for kind in 0..<UInt32(8) { steps.append(FoldStep(FoldEntry(bits: kind << 16))) }
    steps.append(
      FoldStep(FoldEntry(bits: UInt32(FoldKind.separator.rawValue) << 16 | FoldEntry.space << 24)))
    self.steps = steps

    var threes = ContiguousArray<Int32>(repeating: -1, count: Self.bits + 1)
    for first in stride(from: UInt32(0x800), to: 0x10000, by: 64) {
      // Not surrogates, and not Korean letters that may begin a syllable.
      if first & 0xF800 == 0xD800 || first == 0x1100 { continue }
      let place = Self.place(first >> 12 | (first >> 6 & 0x3F) << 8)
      threes[place] = Int32(pages.u16(2 * Int(first >> 7)) << 7 | Int(first & 127))
    }
    self.threes = threes
  }

  /// The bits that tell the first two bytes of a character of three bytes from others, the first byte in the lowest ones.
  private static let bits = 0x3F0F

  /// The place of the first two bytes of a word.
  @inline(__always)
  static func place(_ word: UInt32) -> Int { Int(word) & bits }

  /// Lends the steps and the places.
  @inline(__always)
  func withPointers<Result>(
    _ body: (_ steps: UnsafePointer<FoldStep>, _ threes: UnsafePointer<Int32>) -> Result
  ) -> Result {
    unsafe steps.withUnsafeBufferPointer { steps in
      unsafe threes.withUnsafeBufferPointer { threes in
        // Neither is empty.
        guard let steps = steps.baseAddress, let threes = threes.baseAddress else {
          preconditionFailure("a fold table without shortcuts")
        }
        return unsafe body(steps, threes)
      }
    }
  }
}
