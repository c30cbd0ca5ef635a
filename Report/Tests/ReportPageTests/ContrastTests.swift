// The contrast of the pages' colours, computed as WCAG 2 defines it.

import Testing

@testable import ReportPage

@Suite("Contrast")
struct ContrastTests {
  @Test("texts have a contrast of 4.5 to 1, and bars of 3 to 1, in light and dark", arguments: [0, 1])
  func contrast(scheme: Int) throws {
    // The first block of variables is light, the second dark.
    let block = try #require(
      PageStyle.text.split(separator: ":root {").dropFirst(scheme).first?.prefix { $0 != "}" })
    var colours: [Substring: Double] = [:]
    for declaration in block.split(separator: ";") {
      let parts = declaration.split(separator: ":").map { $0.drop { $0 == " " || $0 == "\n" } }
      guard parts.count == 2, parts[0].hasPrefix("--"), parts[1].first == "#" else { continue }
      let luminance: Double = try #require(Self.luminance(parts[1].dropFirst()))
      colours[parts[0]] = luminance
    }
    #expect(colours.count == 15)
    func ratio(_ one: Substring, _ other: Substring) throws -> Double {
      let (a, b) = (try #require(colours[one]), try #require(colours[other]))
      return (max(a, b) + 0.05) / (min(a, b) + 0.05)
    }
    for back: Substring in ["--back", "--card"] {
      for text: Substring in ["--text", "--soft", "--good", "--bad", "--warn", "--plus", "--minus", "--turn"]
      {
        #expect(try ratio(text, back) >= 4.5, "\(text) on \(back)")
      }
      for bar: Substring in ["--good", "--bad", "--twin", "--out", "--rest", "--plus", "--minus", "--turn"] {
        #expect(try ratio(bar, back) >= 3, "\(bar) on \(back)")
      }
    }
  }

  /// The relative luminance of six hexadecimal digits, as WCAG 2 defines it.
  private static func luminance(_ digits: Substring) -> Double? {
    guard digits.count == 6, let value = UInt32(digits, radix: 16) else { return nil }
    let parts = [value >> 16, value >> 8 & 255, value & 255].map { part in
      let share = Double(part) / 255
      return share <= 0.04045 ? share / 12.92 : power((share + 0.055) / 1.055)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }

  /// A number to the power of 2.4: its square, times the fifth root of its square.
  private static func power(_ base: Double) -> Double {
    var root = 1.0
    // Newton's method for the fifth root.
    for _ in 0..<60 {
      root -= (root * root * root * root * root - base * base) / (5 * root * root * root * root)
    }
    return base * base * root
  }
}
