// How well a region explains the numbers of a sample: how many are valid there, and how unlikely that is by chance.
//
// Some numbering plans are nearly full: most digits are a valid number of Germany or Italy. So valid numbers of a region
// count by how few digits of that length are valid numbers of the same type there. The types are told apart because
// lists have as many mobile numbers as others, whatever part of a plan they are: 0171 2345678 is a number of both
// Germany and Austria, but of a mobile phone only in Germany, where few digits are one.

import NumberPlan

struct RegionTrial {
  let region: Region
  /// Whether numbers that only start with the calling code and have a possible length belong to the region, too. Most of
  /// them are valid elsewhere: so there must be another reason to expect the region.
  private let includesCarried: Bool
  private(set) var valid = 0
  /// The numbers that are not valid, but start with the region's calling code and have a possible length.
  private(set) var carriesCode = 0
  /// The numbers with the international prefix and another country's code. They say nothing about the region.
  private(set) var foreign = 0
  private(set) var count = 0
  /// The valid numbers that are written without the prefix that the region writes before them.
  private(set) var bare = 0
  private var bits = 0.0
  /// How many of the random texts are valid, by the number of digits and whether they start with 0, then by type.
  private var chances: [Int: [NumberType: Int]] = [:]

  init(_ region: Region, isHinted: Bool = false) {
    self.region = region
    // A calling code of one digit starts too many numbers by chance: all mobile numbers of China start with 1.
    includesCarried = isHinted && region.callingCode >= 10
  }

  /// The share of the numbers that belong to the region, 0 to 1.
  var share: Double {
    let decisive = count - foreign
    return decisive > 0 ? Double(valid + (includesCarried ? carriesCode : 0)) / Double(decisive) : 0
  }

  /// The evidence for the region in bits per number; above 0 if the numbers fit it better than random digits do.
  var evidence: Double { count > 0 ? bits / Double(count) : 0 }

  /// The bits for a number that is not valid: one in twenty numbers of real lists is wrong. A number that starts with
  /// the calling code and has a possible length has none: every 1 and ten digits look like that in the United States.
  private static let wrongBits = -4.3
  private static let validRate = 0.95
  /// How often a number is written without the prefix that its region writes before it, and with it.
  private static let bareRate = 0.1
  private static let prefixedRate = 0.9
  /// The number of random texts that determine a chance.
  private static let chanceTrials = 128

  /// How common the numbers of a type are in lists, compared with the most common types.
  private static func rate(_ type: NumberType) -> Double {
    switch type {
    case .fixedLine, .mobile, .fixedLineOrMobile: 1
    case .tollFree: 0.3
    default: 0.1
    }
  }

  /// Counts a number without determining its evidence.
  mutating func countOnly(_ text: NumberTexts.Text) {
    count += 1
    switch Self.read(text.bytes.span, region) {
    case .valid: valid += 1
    case .carriesCode: carriesCode += 1
    case .foreign: foreign += 1
    case .wrong: break
    }
  }

  mutating func add(_ text: NumberTexts.Text) {
    count += 1
    switch Self.read(text.bytes.span, region) {
    case .valid(let number):
      valid += 1
      let type = NumberPlan.type(of: number)
      let isBare = writesPrefix(before: type) && lacksPrefix(text, number)
      if isBare { bare += 1 }
      let likelihood =
        Self.validRate * (isBare ? Self.bareRate : Self.prefixedRate) * Self.rate(type)
      let chance = chance(text, type)
      bits += Self.log2(likelihood / chance + 1 - Self.validRate)
    case .carriesCode: carriesCode += 1
    case .foreign: foreign += 1
    case .wrong: bits += Self.wrongBits
    }
  }

  private enum Reading {
    case valid(ParsedNumber)
    /// Not valid, but it starts with the region's calling code and has a possible length.
    case carriesCode
    case foreign
    case wrong
  }

  private static func read(_ text: Span<UInt8>, _ region: Region) -> Reading {
    if let number = try? NumberPlan.parse(text, region: region), NumberPlan.isValid(number) {
      if number.callingCode == region.callingCode { return .valid(number) }
      return number.stripped.contains(.internationalPrefix) ? .foreign : .wrong
    }
    guard let number = try? NumberPlan.parseInternational(text), number.callingCode == region.callingCode,
      NumberPlan.isPossible(number) == .isPossible
    else { return .wrong }
    return .carriesCode
  }

  /// The regions that write some of their numbers without the prefix that they write before others, as libphonenumber's
  /// formats do.
  private static let bareMobiles: Set<String> = [
    "BO", "BR", "CN", "CO", "GE", "KI", "LB", "LI", "MN", "NP", "PE", "SO",
  ]
  private static let bareFixedLines: Set<String> = [
    "BO", "BR", "CO", "KI", "LI", "MC", "MN", "RW", "SO", "UY",
  ]

  /// Whether the region writes its prefix, such as 0, before national numbers of a type.
  private func writesPrefix(before type: NumberType) -> Bool {
    switch type {
    case .mobile: !Self.bareMobiles.contains(region.code)
    case .fixedLine: !Self.bareFixedLines.contains(region.code)
    case .tollFree: false
    default: true
    }
  }

  /// Whether a number is written without the prefix, such as 0, that its region writes before national numbers.
  private func lacksPrefix(_ text: NumberTexts.Text, _ number: ParsedNumber) -> Bool {
    if text.startsWithZero || number.stripped.contains(.nationalPrefix)
      || number.stripped.contains(.callingCode)
    {
      return false
    }
    var prefixed: ContiguousArray<UInt8> = [UInt8(ascii: "0")]
    prefixed.append(contentsOf: text.bytes)
    guard let other = try? NumberPlan.parse(prefixed.span, region: region) else { return false }
    return other.stripped.contains(.nationalPrefix) && other.e164 == number.e164
  }

  /// The share of random texts like this one that are valid numbers of a type in the region.
  private mutating func chance(_ text: NumberTexts.Text, _ type: NumberType) -> Double {
    let key = text.digits * 2 + (text.startsWithZero ? 1 : 0)
    if chances[key] == nil { chances[key] = randomTypes(like: text) }
    return (Double(chances[key]?[type] ?? 0) + 0.5) / Double(Self.chanceTrials + 1)
  }

  /// How many random texts like this one are valid numbers of each type in the region.
  private func randomTypes(like text: NumberTexts.Text) -> [NumberType: Int] {
    var random = TrialDigits()
    var found: [NumberType: Int] = [:]
    for _ in 0..<Self.chanceTrials {
      var digits = ContiguousArray<UInt8>()
      while digits.count < max(text.digits, 1) {
        var digit = random.next()
        if digits.isEmpty {
          if text.startsWithZero {
            digit = UInt8(ascii: "0")
          } else if digit == 0x30 {
            digit = UInt8(ascii: "5")
          }
        }
        digits.append(digit)
      }
      if case .valid(let number) = Self.read(digits.span, region) {
        found[NumberPlan.type(of: number), default: 0] += 1
      }
    }
    return found
  }

  /// The binary logarithm, accurate to a tenth: linear between powers of two.
  private static func log2(_ value: Double) -> Double { Double(value.exponent) + value.significand - 1 }
}
