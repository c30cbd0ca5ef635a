// Most lines of plain lists are read without the rules for what else may be in a line. The rows must be the same as with
// them: a blank at the start of a line is enough for the rules.

import Records
import TestSupport
import Testing

@testable import InputStages

@Suite("Plain lines")
struct PlainLineTests {
  private static let separators = [" ", "-", ".", "/", " ", "-", ") ", ")", " (", " - ", "  ", ". "]
  private static let numbers = [
    "4930499####", "+4930499####", "030499####", "1212555####", "+1 212 555 ####", "(030) 499 ####",
    "030 499####",
    "01 23 45 67 89", "0800555####", "1800555", "20240105", "20240105 007", "5551234", "1-21-25-555", "110",
    "030 1234-####",
  ]
  private static let words = """
    Spam Anruf Fax Tel ext x X n up to bis zu and und oder Kat No. HELP LOVE O2 OO e E hasta el fino Mal mal calls h EUR Euro
    Zimmer Telefon Müller 骚扰 电话 do à Käse jusqu'à Service sip tel mobil until a o y i TO AND (privat) (3) (030 1) [x] 3 12
    0 007 1234 12345 499 2x 3x 12.5 12,5 24/7 05.01. 2024 10:30 # ## #| // + +49 +4930 - – . ! ? % & @ ' " | ; : , * ~ _
    notspam НЕСПАМ whitelist 白名单
    """.split(whereSeparator: \.isWhitespace).map(String.init)

  private static func digits(_ number: String, _ random: inout SplitMix64) -> String {
    number.map { $0 == "#" ? String(random.below(10)) : String($0) }.joined()
  }

  /// A number in groups of any size.
  private static func groups(_ random: inout SplitMix64) -> String {
    let separator = separators[random.below(separators.count)]
    var number = ["", "+", "(", "0", "1", "20"][random.below(6)]
    for group in 0...1 + random.below(5) {
      if group > 0 {
        number += random.below(4) == 0 ? separators[random.below(separators.count)] : separator
      }
      number += digits(String(repeating: "#", count: 1 + random.below(5)), &random)
    }
    return number
  }

  private static func line(_ random: inout SplitMix64) -> String {
    let number =
      random.below(3) == 0 ? groups(&random) : digits(numbers[random.below(numbers.count)], &random)
    let separator = [" ", " ", " ", " ", "\t", ",", ";", "  ", " # ", "\t# ", " (", "#", " - "][
      random.below(13)]
    let label = (0..<random.below(6)).map { _ in words[random.below(words.count)] }
      .joined(separator: [" ", " ", " ", "-", "  ", ", ", "/"][random.below(7)])
    return number + separator + label
  }

  @Test func areReadAsTheRulesReadThem() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    let lines = (0..<20_000).map { _ in Self.line(&random) }
    var options = ParseOptions()
    options.format = .lines
    // A line that opens a comment would hide the others.
    for line in lines where !line.contains("#|") {
      let plain = try parse("861\n\(line)\n862\n", options)
      let ruled = try parse("861\n \(line)\n862\n", options)
      let isSame =
        plain.rows.map(\.description) == ruled.rows.map(\.description)
        && plain.rejects.map(\.reason) == ruled.rejects.map(\.reason)
      #expect(isSame, "\(line) seed \(seed)")
    }
  }

  @Test(arguments: [
    ("+49301234567 Spam Anruf 3", "Spam Anruf 3"), ("+49301234567 Spam 3", "Spam 3"),
    ("+49301234567 Spam (3)", "Spam (3)"), ("+49301234567\tSpam 3 # seen", "Spam 3"),
    ("+49301234567 # Spam", ""),
    ("+49301234567\t# Spam", ""), ("030 1234567 Spam  # Spam", "Spam"), ("+49301234567 Müller 3", "Müller 3"),
  ])
  func labels(_ line: String, _ label: String) throws {
    var options = ParseOptions()
    options.format = .lines
    let found = try parse("861\n\(line)\n862\n", options)
    #expect(found.rows.count == 3 && found.rejects.isEmpty)
    #expect(found.rows.dropFirst().first.map { String(decoding: $0.recordFields, as: UTF8.self) } == label)
  }

  /// What states that a number is not blocked is found anywhere in a list, not only in its first bytes.
  @Test(arguments: [
    "not spam", "# whitelisted", "Не блокировать", "nicht blöckieren, weiße Liste", "不是骚扰", "스팸 아님",
  ])
  func remarks(_ remark: String) throws {
    let text = String(repeating: "+49301234567 Spam\n", count: 8_000) + "+49301234568 \(remark)\n"
    var options = ParseOptions()
    options.format = .lines
    let found = try parse(text, options)
    #expect(found.rows.count == 8_000 && found.rejects.map(\.reason) == [.notBlocked])
  }
}
