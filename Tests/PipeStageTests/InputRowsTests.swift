// Which file of a source a row comes from.

import Records
import Testing

@Suite("Rows of several inputs")
struct InputRowsTests {
  @Test("a row is located in its input")
  func location() {
    let rows = InputRows()
    func place(_ row: UInt64) -> String {
      let (input, number) = rows.location(of: row, first: "a")
      return "\(input) \(number)"
    }
    #expect(place(7) == "a 7")
    rows.begin("b", at: 4)
    // An input without rows.
    rows.begin("c", at: 6)
    rows.begin("d", at: 6)
    #expect([1, 3, 4, 5, 6, 100].map(place) == ["a 1", "a 3", "b 1", "b 2", "d 1", "d 95"])
  }
}
