// The part of the fold table that is prepared when rules are opened, so that a common character needs few steps: 64
// KiB.
//
// Not for: characters that need the fold table itself.

import CallStoreFormat

/// Shortcuts through the fold table for the most common characters.
struct FoldShortcuts: Sendable {
  /// The steps of the ASCII characters, followed by those of the kinds of characters, whose symbols are not used.
  private let steps: ContiguousArray<FoldStep>
  /// The index of the first of the 64 entries of the characters of three bytes that have the same first two bytes, by
  /// ``place(_:)``; -1 if they need the fold table. There are gaps, so that an index is computed in one step; the
  /// values that are used lie in 64 cache lines.
  private let threes: ContiguousArray<Int32>

  /// Makes the shortcuts for a fold table that was checked.
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
      // Neither surrogates nor Korean letters that may start a syllable.
      if first & 0xF800 == 0xD800 || first == 0x1100 { continue }
      let place = Self.place(first >> 12 | (first >> 6 & 0x3F) << 8)
      threes[place] = Int32(pages.u16(2 * Int(first >> 7)) << 7 | Int(first & 127))
    }
    self.threes = threes
  }

  /// The bits that distinguish the first two bytes of a character of three bytes, the first byte in the lowest bits.
  private static let bits = 0x3F0F

  /// The index for the first two bytes of a word.
  @inline(__always)
  static func place(_ word: UInt32) -> Int { Int(word) & bits }

  /// Calls `body` with pointers to the steps and the indices.
  @inline(__always)
  func withPointers<Result>(
    _ body: (_ steps: UnsafePointer<FoldStep>, _ threes: UnsafePointer<Int32>) -> Result
  ) -> Result {
    unsafe steps.withUnsafeBufferPointer { steps in
      unsafe threes.withUnsafeBufferPointer { threes in
        // Neither array is empty.
        guard let steps = steps.baseAddress, let threes = threes.baseAddress else {
          preconditionFailure("a fold table without shortcuts")
        }
        return unsafe body(steps, threes)
      }
    }
  }
}
