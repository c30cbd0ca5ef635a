// The regions whose languages use the characters of some labels, or whose way of writing numbers a list uses: a hint
// where numbers alone do not decide.

import Records
import NumberPlan

/// Regions that labels hint at.
enum LabelHints {
  /// Characters, and the regions that use them.
  private struct Script {
    var contains: (UInt32) -> Bool
    var regions: [String]
  }

  private static func letters(_ text: String) -> (UInt32) -> Bool {
    let values = Set(text.unicodeScalars.map(\.value))
    return { values.contains($0) }
  }

  /// Scripts and letters from the most telling to the least: the first one that is common in the labels is used.
  private static var scripts: [Script] {
    [
      Script(contains: { (0xAC00...0xD7A3).contains($0) }, regions: ["KR"]),
      Script(contains: { (0x3041...0x30FF).contains($0) }, regions: ["JP"]),
      // Characters of labels that differ between the simplified and the traditional script.
      Script(contains: letters("电话骗广诈销员应险贷产递响声骚扰"), regions: ["CN"]),
      Script(contains: letters("電話騙廣詐銷員應險貸產遞響聲騷擾"), regions: ["TW", "HK"]),
      Script(contains: { (0x4E00...0x9FFF).contains($0) }, regions: ["CN", "TW", "HK"]),
      Script(contains: { (0x0E00...0x0E7F).contains($0) }, regions: ["TH"]),
      Script(contains: { (0x0590...0x05FF).contains($0) }, regions: ["IL"]),
      Script(contains: { (0x0370...0x03FF).contains($0) }, regions: ["GR", "CY"]),
      Script(contains: letters("іїєґІЇЄҐ"), regions: ["UA"]),
      Script(contains: letters("ўЎ"), regions: ["BY"]),
      Script(contains: letters("ћђџљњјЋЂЏЉЊЈ"), regions: ["RS"]),
      Script(contains: { (0x0400...0x04FF).contains($0) }, regions: ["RU", "UA", "KZ", "BY", "BG", "KG"]),
      Script(contains: letters("ąęłńśźżĄĘŁŃŚŹŻ"), regions: ["PL"]),
      Script(contains: letters("ěřůĚŘŮ"), regions: ["CZ"]),
      Script(contains: letters("őűŐŰ"), regions: ["HU"]),
      Script(contains: letters("şğıİŞĞ"), regions: ["TR"]),
      Script(contains: letters("ășțĂȘȚ"), regions: ["RO"]),
      Script(contains: letters("ñ¿¡Ñ"), regions: ["ES", "MX", "AR", "CO", "CL", "PE"]),
      Script(contains: letters("ãõÃÕ"), regions: ["BR", "PT"]),
      Script(contains: letters("øæØÆ"), regions: ["DK", "NO"]),
      Script(contains: letters("åÅ"), regions: ["SE", "DK", "NO", "FI"]),
      Script(contains: letters("ßüÜ"), regions: ["DE", "AT", "CH"]),
      Script(contains: letters("äöÄÖ"), regions: ["DE", "AT", "CH", "FI", "SE"]),
      Script(contains: letters("éèêëçàùîôœÉÈÊÇÀ"), regions: ["FR", "BE", "CH", "CA", "LU"]),
    ]
  }

  /// The regions that encodings of one language hint at.
  private static let encodings: [String: [String]] = [
    "EUC-KR": ["KR"], "CP949": ["KR"], "EUC-JP": ["JP"], "CP932": ["JP"], "SHIFT_JIS": ["JP"],
    "GB18030": ["CN"], "GBK": ["CN"], "BIG5": ["TW", "HK"], "BIG5-HKSCS": ["HK"],
  ]

  /// A script is common if it has one in this many of the characters outside ASCII.
  private static let commonShare = 20

  /// How numbers are written in North America, with 0 for each digit.
  private static let americanForms: Set<String> = [
    "(000) 000-0000", "(000)000-0000", "000-000-0000", "000.000.0000", "1-000-000-0000", "1 (000) 000-0000",
  ]

  /// Whether most numbers are written as in North America.
  private static func areAmerican(_ rows: ArraySlice<SampledRow>) -> Bool {
    let matches = rows.count { row in
      let form = row.text.map { $0 &- 0x30 < 10 ? 0x30 : $0 }
      return americanForms.contains(String(decoding: form, as: UTF8.self))
    }
    return 2 * matches > rows.count
  }

  /// The regions that the labels, the names of fields, the encoding and the form of the numbers hint at; empty if they
  /// don't.
  static func regions(_ rows: [SampledRow], fields: [String], encoding: String?) -> Set<Region> {
    if let encoding, let codes = encodings[encoding.uppercased()] {
      return Set(codes.compactMap { Region($0) })
    }
    let scripts = scripts
    var counts = [Int](repeating: 0, count: scripts.count)
    var total = 0
    for text in fields + rows.prefix(NumberTexts.nationalMax).map(\.fields.label) {
      for scalar in text.unicodeScalars where scalar.value >= 0x80 {
        total += 1
        for index in scripts.indices where scripts[index].contains(scalar.value) { counts[index] += 1 }
      }
    }
    for index in scripts.indices where counts[index] > 0 && commonShare * counts[index] >= total {
      return Set(scripts[index].regions.compactMap { Region($0) })
    }
    let isAmerican = areAmerican(rows.prefix(NumberTexts.nationalMax))
    return Set((isAmerican ? ["US", "CA"] : []).compactMap { Region($0) })
  }
}
