// What must not break in an app that blocks area codes: what is an area code, and that the extensions together have each
// of its numbers once.

import Foundation
import Testing

@testable import CodeBlocker

#if canImport(SampleShared)
  import SampleShared
#endif

@Suite("Area codes")
struct AreaCodeTests {
  @Test("200 to 999 are area codes, and a text is checked as it is typed")
  func typing() throws {
    for (text, isComplete) in [("", false), ("2", false), ("21", false), ("212", true), (" 999 ", true)] {
      #expect((try AreaCode(typed: text) != nil) == isComplete, "\(text)")
    }
    let refused: [(String, AreaCodeError)] = [
      ("0", .badStart), ("1", .badStart), ("199", .badStart), ("21a", .notDigits), ("+1", .notDigits),
      ("２１２", .notDigits), ("2123", .tooLong),
    ]
    for (text, error) in refused { #expect(throws: error) { try AreaCode(typed: text) } }
  }

  @Test("six extensions have each number of a code once, and none has too many for iOS")
  func parts() throws {
    let code = try #require(try AreaCode(typed: "212"))
    var next: UInt64 = 12_120_000_000
    for number in 7...12 {
      let part = CodePart(of: try #require(ExtensionIndex("com.example.app.directory\(number)")))
      #expect(part.slot == 1)
      let numbers = part.numbers(of: code)
      #expect(numbers.lowerBound == next && numbers.count < 2_000_000)
      next = numbers.upperBound + 1
    }
    #expect(next == 12_130_000_000)
  }

  @Test("a code keeps its extensions when another one is removed")
  func slots() throws {
    var list = CodeList(slots: 2)
    #expect(try list.add("415") && list.add("212"))
    #expect(throws: AreaCodeError.full(codes: 2)) { try list.check("206") }
    #expect(throws: AreaCodeError.listed) { try list.check("415") }
    list.remove(try #require(list.slots[0]))
    #expect(list.slots == [nil, try AreaCode(typed: "212")])
    #expect(try list.add("206") && list.slots[0] == AreaCode(typed: "206"))
  }
}
