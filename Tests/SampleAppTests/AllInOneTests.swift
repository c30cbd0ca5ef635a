// The tabs of an app with several parts. Their screens are compiled in a scaffolded project.

import Testing

@testable import AllInOne

@Suite("AllInOne")
struct AllInOneTests {
  @Test("the app has a tab for each part, with a title and a symbol of its own")
  func tabs() {
    #expect(AppTab.allCases.map(\.title) == ["Callers", "Messages", "Live Lookup"])
    #expect(Set(AppTab.allCases.map(\.symbol)).count == 3)
  }
}
