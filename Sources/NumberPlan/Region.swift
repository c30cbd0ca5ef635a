// Regions by their two-letter code, and regions for networks without a country. Not for their rules.

/// A region in libphonenumber's metadata, such as `CN`; its rules apply to numbers without a calling code.
///
/// Networks without a country (+800, +882 …) can't be selected by a code. Their numbers have a region with the code
/// `001` (see `NumberPlan.region(of:)`); parsing with it is the same as parsing without a region.
public struct Region: Sendable, Hashable {
  /// The index in the tables, which are sorted by code.
  let index: UInt16

  init(index: UInt16) { self.index = index }

  /// The region with this CLDR two-letter code, in either case; nil for `ZZ`, `001` and unknown codes.
  ///
  /// - Complexity: O(log *n*) in the number of regions.
  public init?(_ code: String) {
    guard code.utf8.count == 2 else { return nil }
    var letters: UInt16 = 0
    for byte in code.utf8 {
      guard (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte & 0xDF), byte < 0x80 else { return nil }
      letters = letters << 8 | UInt16(byte & 0xDF)
    }
    var low = 0
    var high = Tables.geographicRegionCount
    while low < high {
      let middle = (low + high) / 2
      if Self.packedLetters(UInt16(middle)) < letters { low = middle + 1 } else { high = middle }
    }
    guard low < Tables.geographicRegionCount, Self.packedLetters(UInt16(low)) == letters else { return nil }
    index = UInt16(low)
  }

  /// Whether it is a country or territory, as opposed to a network without a country.
  @inline(__always)
  public var isGeographic: Bool { Int(index) < Tables.geographicRegionCount }

  /// Two capital letters; `001` for a network without a country.
  public var code: String {
    if !isGeographic { return "001" }
    let letters = Self.packedLetters(index)
    return String(decoding: [UInt8(letters >> 8), UInt8(letters & 0xFF)], as: UTF8.self)
  }

  /// The country calling code, 1...999; several regions may share one.
  public var callingCode: UInt16 { Plan(index: index).callingCode }

  /// All regions, sorted by code.
  public static var all: [Region] { (0..<Tables.geographicRegionCount).map { Region(index: UInt16($0)) } }

  private static func packedLetters(_ index: UInt16) -> UInt16 {
    let code = Plan(index: index).code
    return UInt16(code.0) << 8 | UInt16(code.1)
  }
}
