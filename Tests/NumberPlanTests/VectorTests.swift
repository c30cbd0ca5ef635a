// NumberPlan against the oracle's answers, row by row. Vectors/make-vectors.py generates the rows.

import Foundation
import NumberPlan
import Testing

@Suite("Vectors from libphonenumber's port")
struct VectorTests {
  /// The oracle's results in a row, and NumberPlan's results in the same format.
  static func answer(_ row: VectorRow) -> String {
    do throws(NumberParseError) {
      let number = try NumberPlan.parse(row.input.span, region: Region(row.region))
      let (region, type) = NumberPlan.classify(number)
      let columns = [
        "\(number.callingCode)", "\(number.nationalNumber)", "\(number.leadingZeros)",
        number.extensionDigits(in: row.input) ?? "", "\(NumberPlan.isPossible(number).rawValue)",
        NumberPlan.isValid(number) ? "1" : "0", region?.code ?? "", "\(type.rawValue)",
        number.carrierCode ?? "", "\(source(number.stripped))",
      ]
      return columns.joined(separator: "\t")
    } catch {
      return "!\(error)"
    }
  }

  /// The oracle's CountryCodeSource.
  private static func source(_ stripped: ParsedNumber.Stripped) -> Int {
    if stripped.contains(.plus) { return 1 }
    if stripped.contains(.internationalPrefix) { return 5 }
    return stripped.contains(.callingCode) ? 10 : 20
  }

  @Test("examples and mutations agree", arguments: ["examples", "mutations"])
  func agrees(file: String) throws {
    let rows = try VectorRow.all(in: file)
    #expect(rows.count > 3000)
    let differences = rows.filter { Self.answer($0) != $0.expected }
    for row in differences.prefix(20) {
      Issue.record("\(row.region) '\(row.text)': \(row.expected) expected, got \(Self.answer(row))")
    }
    #expect(differences.isEmpty, "\(differences.count) of \(rows.count) rows differ")
  }

  @Test("every example number is valid in E.164")
  func examplesAreValid() throws {
    for row in try VectorRow.all(in: "examples") where row.input.first == UInt8(ascii: "+") {
      let number = try NumberPlan.parse(row.input.span, region: nil)
      #expect(NumberPlan.isValid(number), "\(row.region) \(row.text)")
      #expect(number.allDigits == "\(number.e164)")
    }
  }

  @Test("every region and calling code has examples")
  func coverage() throws {
    let rows = try VectorRow.all(in: "examples")
    let regions = Set(rows.map(\.region)).subtracting(["ZZ"])
    #expect(regions == Set(Region.all.map(\.code)))
    let networks = rows.filter { $0.region == "ZZ" && $0.text.hasPrefix("+8") }
    #expect(
      networks.contains { $0.text.hasPrefix("+800") } && networks.contains { $0.text.hasPrefix("+882") })
  }
}

extension ParsedNumber {
  /// The extension as the oracle reports it, taken from the parsed text.
  func extensionDigits(in text: ContiguousArray<UInt8>) -> String? {
    guard let range = self.extension else { return nil }
    return String(decoding: text[extensionHead ?? 0..<0] + text[range], as: UTF8.self)
  }

  /// The calling code and the national number with its leading zeros, even if it does not fit 64 bits.
  var allDigits: String {
    let national = String(nationalNumber)
    return String(callingCode) + String(repeating: "0", count: Int(nationalLength) - national.count)
      + national
  }
}

struct VectorRow {
  let region: String
  let input: ContiguousArray<UInt8>
  /// The oracle's words: the columns of an answer, or ! and an error.
  let expected: String

  /// The input for messages.
  var text: String { String(decoding: input, as: UTF8.self) }

  /// The rows of `Vectors/NAME.tsv`; see make-vectors.py for the columns.
  static func all(in name: String) throws -> [VectorRow] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors/\(name).tsv")
    return [UInt8](try Data(contentsOf: file)).split(separator: UInt8(ascii: "\n"))
      .filter { $0.first != UInt8(ascii: "#") }
      .map { line in
        let fields = line.split(separator: UInt8(ascii: "\t"), maxSplits: 2, omittingEmptySubsequences: false)
        return VectorRow(
          region: String(decoding: fields[0], as: UTF8.self), input: unescaped(fields[1]),
          expected: String(decoding: fields[2], as: UTF8.self))
      }
  }

  private static func unescaped(_ field: ArraySlice<UInt8>) -> ContiguousArray<UInt8> {
    var result: ContiguousArray<UInt8> = []
    var isEscaped = false
    for byte in field {
      if isEscaped {
        result.append(byte == UInt8(ascii: "t") ? 9 : byte)
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else {
        result.append(byte)
      }
    }
    return result
  }
}
