// The share of the input that was read, as far as its size is known.

import ParseStage
import PipeStage
import SortStage
import Testing

@testable import PipeRunner

@Suite("InputShare")
struct InputShareTests {
  @Test("the sizes of all inputs are added; with an input of unknown size the total is unknown")
  func share() {
    let share = InputShare()
    #expect(share.value == nil)
    let (one, other) = (StageMeter(.parse), StageMeter(.sort))
    share.add(one)
    share.add(other)
    #expect(share.value == nil)
    one.bytesExpected.add(300)
    one.bytesIn.add(100)
    #expect(share.value == 1.0 / 3)
    other.bytesExpected.add(100)
    #expect(share.value == 0.25)
    other.bytesIn.add(100)
    #expect(share.value == 0.5)
    // The file grew, or its size is unknown.
    other.bytesIn.add(1)
    #expect(share.value == nil)
  }
}
