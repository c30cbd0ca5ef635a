// NumberPlan against the oracle's answers, row by row. The rows are made by Vectors/make-vectors.py.

import NumberPlan
import Testing

@Suite("Vectors from libphonenumber's port")
struct VectorTests {
  /// What a row says of the oracle, and what NumberPlan says in the same words.
  static func answer(_ row: VectorRow) -> String {
    do throws(ParseFailure) {
      let number = try NumberPlan.parse(row.input.span, region: Region(row.region))
      let possibility =
        switch NumberPlan.isPossible(number) {
        case .isPossible: 0
        case .isPossibleLocalOnly: 1
        case .invalidCountryCode: 2
        case .tooShort: 3
        case .invalidLength: 4
        case .tooLong: 5
        }
      return "\(number.allDigits)\t\(NumberPlan.isValid(number) ? 1 : 0)\t\(possibility)"
    } catch {
      return "!\(error)"
    }
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
  /// Calling code and national number with its zeros, also where that does not fit 64 bits.
  var allDigits: String {
    let national = String(nationalNumber)
    return String(callingCode) + String(repeating: "0", count: Int(nationalLength) - national.count)
      + national
  }
}
