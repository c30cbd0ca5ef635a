// Chooses the region of a sample's national numbers, by trying all regions.

package import NumberPlan
import Records

package struct RegionChoice: Sendable, Equatable {
  package enum Certainty: Sendable, Equatable {
    case chosen
    /// The numbers carry their country codes: no region is needed.
    case international
    /// The numbers fit one region clearly better than all others.
    case clear
    /// Other regions are possible as well.
    case probable
    /// No region fits enough of the numbers, or there are too few of them.
    case undecided
  }

  package struct Candidate: Sendable, Equatable {
    package var region: Region
    /// The share of the numbers without a plus sign that are valid in the region or, if the labels or the numbers with a
    /// plus sign hint at it, start with its calling code and have a possible length; 0 to 1.
    package var share: Double
  }

  package var certainty: Certainty
  /// The region for `normalize`; nil for none.
  package var region: Region?
  /// The regions that fit best, the best one first; empty if none was tried.
  package var candidates: [Candidate] = []
  /// The number of numbers without a plus sign that were tried.
  package var triedCount = 0
  /// Whether there are too few numbers to tell the regions apart. Of one or two numbers, the candidates are the likely
  /// regions by the form of writing and by size.
  package var areTooFew = false
  /// The country of most numbers with a country code, if the best candidate is another one. Then no region is certain.
  package private(set) var countryOfCodes: Region?
  /// The region that the user may choose; nil if none is likely.
  package var proposed: Region? {
    let best = candidates.first?.region
    return countryOfCodes == nil || countryOfCodes == best ? best : nil
  }

  /// The maximum number of candidates.
  static let candidatesMax = 3
  /// The number of numbers with which all regions are tried first.
  private static let firstTrialMax = 128
  /// The number of regions that are tried with all numbers: those that nearly have the best share, and others.
  private static let nearTrialMax = 64
  private static let otherTrialMax = 8
  /// The minimum share of a region that is chosen, and of one that is certain.
  private static let shareMin = 0.5
  private static let clearShareMin = 0.8
  /// Regions whose shares differ by less than this are told apart by their evidence; a region that the labels hint at
  /// may have a lower share, since lists also have numbers that are not assigned.
  private static let shareTolerance = 0.05
  private static let hintedShareTolerance = 0.15
  /// The differences between a clear choice and the next region: in the share or, if the shares differ by more than the
  /// tolerance, in bits per number.
  private static let clearShareLead = 0.25
  private static let clearBitsLead = 0.5
  /// The minimum number of numbers that fit a clear choice and not the next region.
  private static let clearNumbersLead = 2.5
  /// Of fewer numbers, the share that fits a likely choice, and the difference in bits of all numbers to the next region.
  private static let likelyCountMin = 20
  private static let likelyShareMin = 0.9
  private static let likelyBitsLead = 7.0
  /// The share of numbers that are valid without a region from which no region is needed.
  private static let internationalShareMin = 0.6
  /// With fewer numbers, only the labels or the numbers with a plus sign can decide.
  private static let numbersMin = 3
  /// The number of digits that most numbers must have: shorter ones, such as the prefixes of an area, are valid by chance
  /// in many small plans, so only the labels or the numbers with a plus sign can decide.
  private static let digitsMin = 7
  /// The maximum evidence of the numbers, which for a small plan could outweigh everything else.
  private static let evidenceMax = 6.0
  private static let callingCodeBits = 6.0
  /// The maximum evidence of a region's size: numbers that fit two plans are more often those of the larger one.
  private static let sizeBits = 4.0

  /// Creates the choice of the user, with the share of the sample's numbers that belong to the region.
  package init(_ rows: [SampledRow], chosen region: Region) {
    let texts = NumberTexts(rows)
    var trial = RegionTrial(region)
    for text in texts.national { trial.countOnly(text) }
    certainty = .chosen
    self.region = region
    triedCount = texts.national.count
    let share = texts.national.isEmpty && texts.internationalCount > 0 ? 1 : trial.share
    candidates = [Candidate(region: region, share: share)]
  }

  /// Chooses the region of a sample's numbers. `fields` are the names of the input's fields, and `encoding` is its
  /// encoding, if it is known.
  package init(_ rows: [SampledRow], fields: [String] = [], encoding: String? = nil) {
    let texts = NumberTexts(rows)
    triedCount = texts.national.count
    certainty = .undecided
    guard !texts.national.isEmpty else {
      if texts.internationalCount > 0 { certainty = .international }
      return
    }
    let hints = LabelHints.bits(rows, fields: fields, encoding: encoding)
    var ranked = Self.ranked(texts, hints)
    guard let best = ranked.first else { return }
    ranked[0].region = Self.member(of: best.region, texts)
    areTooFew = texts.national.count < Self.numbersMin && best.share == 1 && best.hintBits == 0
    if areTooFew { ranked = Self.likely(ranked) }
    countryOfCodes = Self.countryOfCodes(texts, besides: &ranked)
    candidates = ranked.prefix(Self.candidatesMax).filter { $0.share > 0 }.map {
      Candidate(region: $0.region, share: $0.share)
    }
    let international = Double(texts.validInternationally) / Double(texts.national.count)
    if international >= Self.internationalShareMin, international >= best.share - 0.01 {
      (certainty, countryOfCodes) = (.international, nil)
    } else if countryOfCodes != nil {
      areTooFew = false
    } else if best.share >= Self.shareMin, Self.areEnough(texts) || best.hintBits > 0 {
      if Self.isClear(ranked, texts.national.count) {
        (region, certainty) = (ranked[0].region, .clear)
      } else if Self.isLikely(ranked, hints, texts.national.count) {
        (region, certainty) = (ranked[0].region, .probable)
      } else {
        areTooFew = true
      }
    }
  }

  /// The country of most numbers with a country code, if that contradicts the best region: none of them is of the best
  /// region, or it fits only a few numbers beside them. If the country fits nearly as well, it is ranked first.
  private static func countryOfCodes(_ texts: NumberTexts, besides ranked: inout [Ranked]) -> Region? {
    guard let best = ranked.first, best.share > 0, let most = texts.mainCallingCode,
      most.code != best.region.callingCode,
      most.total >= numbersMin,
      texts.callingCodes[best.region.callingCode] == nil
        || texts.national.count < min(likelyCountMin, most.count)
    else { return nil }
    if let index = ranked.firstIndex(where: { $0.region.callingCode == most.code }),
      ranked[index].share >= best.share - hintedShareTolerance
    {
      ranked.insert(ranked.remove(at: index), at: 0)
      return ranked[0].region
    }
    return NumberPlan.regions(callingCode: most.code).first
  }

  private static func areEnough(_ texts: NumberTexts) -> Bool {
    let longCount = texts.national.count { $0.digits >= digitsMin }
    return texts.national.count >= numbersMin && 2 * longCount > texts.national.count
  }

  /// The regions that fit all numbers: those that write numbers like these first, and of them the largest.
  private static func likely(_ ranked: [Ranked]) -> [Ranked] {
    ranked.filter { $0.share == 1 }.sorted { one, other in
      if one.isBare != other.isBare { return other.isBare }
      return size(one.region) < size(other.region)
    }
  }

  /// The regions with the most telephone numbers, the largest first; regions that share a calling code are one. Source:
  /// fixed and mobile subscriptions as of 2023, ITU.
  private static let largest = """
    CN IN US ID BR RU PK NG BD JP VN MX PH EG DE IR TR GB TH ZA FR IT KR CO ES MM AR KE DZ UA PL TZ ET MY IQ SA MA UZ PE GH
    CI CD TW AU CL RO NL NP LK CM KZ SD VE AE UG KH GT EC HK SN ML CZ PT HU ZM AO BE SE TN GR BY CH JO AT BF HN IL BG MZ BJ
    RS DO BO NI SV AZ FI DK NO SK IE TG LY GN SG LB PY ZW KW KG CR OM QA NZ HR
    """.split(whereSeparator: \.isWhitespace).map(String.init)

  private static func size(_ region: Region) -> Int {
    largest.firstIndex(of: region.code) ?? largest.count + Int(region.callingCode)
  }

  private static func bitsOfSize(_ region: Region) -> Double {
    sizeBits * max(0, 1 - Double(size(region)) / Double(largest.count))
  }

  private struct Ranked {
    var region: Region
    var share: Double
    /// Whether most numbers lack the prefix that the region writes before them.
    var isBare: Bool
    /// The evidence of labels and of numbers with a plus sign, in bits.
    var hintBits: Double
    /// All evidence, in bits per number, and that of the region's size.
    var bits: Double
  }

  private static func isClear(_ ranked: [Ranked], _ count: Int) -> Bool {
    guard count >= numbersMin, ranked[0].share >= clearShareMin else { return false }
    return ranked.dropFirst().allSatisfy { next in
      let lead = ranked[0].share - next.share
      if lead * Double(count) < clearNumbersLead { return false }
      return lead >= clearShareLead
        || (lead > shareTolerance && next.bits <= ranked[0].bits - clearBitsLead)
    }
  }

  /// Whether the best region is likely enough to be used, since with a wrong one every number becomes another: the labels hint at
  /// it, or they hint at none, and the numbers are many or tell it from others with nearly the same share.
  private static func isLikely(_ ranked: [Ranked], _ hints: [Region: Double], _ count: Int) -> Bool {
    let best = ranked[0]
    if best.hintBits > 0 || !hints.isEmpty { return best.hintBits > 0 }
    if count >= likelyCountMin { return true }
    return best.share >= likelyShareMin && !best.isBare
      && ranked.dropFirst().allSatisfy { next in
        next.share < best.share - clearShareLead || (best.bits - next.bits) * Double(count) >= likelyBitsLead
      }
  }

  /// The regions in the order in which they explain the numbers: those with nearly the best share by their evidence,
  /// then the others by their share.
  private static func ranked(_ texts: NumberTexts, _ hints: [Region: Double]) -> [Ranked] {
    let tried = mostLikely(texts, hints).map { region -> Ranked in
      let hint = (hints[region] ?? 0) + callingCodeBits * texts.shareOfCallingCode(region.callingCode)
      var trial = RegionTrial(region, isHinted: hint > 0)
      for text in texts.national { trial.add(text) }
      return Ranked(
        region: region, share: trial.share, isBare: 2 * trial.bare > trial.count, hintBits: hint,
        bits: min(trial.evidence, evidenceMax) + hint + bitsOfSize(region))
    }
    let bestShare = tried.map(\.share).max() ?? 0
    func isNear(_ one: Ranked) -> Bool {
      let tolerance = one.hintBits > 0 ? hintedShareTolerance : shareTolerance
      return one.share > 0 && one.share >= bestShare - tolerance
    }
    return tried.sorted { one, other in
      if isNear(one) != isNear(other) { return isNear(one) }
      if isNear(one), one.bits != other.bits { return one.bits > other.bits }
      return one.share != other.share ? one.share > other.share : one.region.code < other.region.code
    }
  }

  /// The regions with the highest shares among some of the numbers, and those that the labels hint at.
  private static func mostLikely(_ texts: NumberTexts, _ hints: [Region: Double]) -> [Region] {
    let step = max(1, texts.national.count / firstTrialMax)
    // Regions that share a calling code differ little: the main one stands for them.
    let main = Region.all.filter { NumberPlan.regions(callingCode: $0.callingCode).first == $0 }
    let trials = main.map { region -> RegionTrial in
      var trial = RegionTrial(region)
      for index in stride(from: 0, to: texts.national.count, by: step) {
        trial.countOnly(texts.national[index])
      }
      return trial
    }
    let sorted = trials.sorted { one, other in
      one.share != other.share ? one.share > other.share : one.region.code < other.region.code
    }
    let best = sorted.first?.share ?? 0
    let nearMax = texts.national.count < numbersMin ? sorted.count : nearTrialMax
    let near = sorted.prefix { $0.share > 0 && $0.share >= best - shareTolerance }.prefix(nearMax)
    let others = sorted.dropFirst(near.count).prefix(otherTrialMax).filter { $0.share > 0 }
    var likely = (near + others).map(\.region)
    for region in main where hints[region] != nil || texts.shareOfCallingCode(region.callingCode) > 0 {
      if !likely.contains(region) { likely.append(region) }
    }
    return likely
  }

  /// The region with the same calling code that more than half of the numbers belong to, such as CA for US; otherwise
  /// the region itself.
  private static func member(of main: Region, _ texts: NumberTexts) -> Region {
    var counts: [Region: Int] = [:]
    var total = 0
    for text in texts.national {
      guard let number = try? NumberPlan.parse(text.bytes.span, region: main), NumberPlan.isValid(number),
        number.callingCode == main.callingCode, let region = NumberPlan.region(of: number)
      else { continue }
      total += 1
      counts[region, default: 0] += 1
    }
    return counts.first { 2 * $0.value > total }?.key ?? main
  }
}

// MARK: - The texts of a sample's numbers, prepared for trying regions

struct NumberTexts {
  /// A text, and what decides how likely it is valid by chance.
  struct Text {
    var bytes: ContiguousArray<UInt8>
    var digits: Int
    /// Whether the first digit is 0.
    var startsWithZero: Bool
  }

  /// The texts that may lack a country code.
  private(set) var national: [Text] = []
  private(set) var internationalCount = 0
  /// The calling codes of the numbers that are written with them, after a plus sign or 00.
  private(set) var callingCodes: [UInt16: Int] = [:]
  /// The number of national texts that are valid if they are read as international.
  private(set) var validInternationally = 0

  /// The maximum number of national texts that are tried.
  static let nationalMax = 1000
  /// The maximum size of a text that may be a number, in bytes.
  private static let bytesMax = 64
  /// The minimum number of digits of a text that is tried.
  private static let digitsMin = 3

  init(_ rows: [SampledRow]) {
    let step = max(1, rows.count / Self.nationalMax)
    var random = TrialDigits()
    for index in stride(from: 0, to: rows.count, by: step) { add(rows[index].text, &random) }
  }

  private mutating func add(_ text: [UInt8], _ random: inout TrialDigits) {
    guard text.count <= Self.bytesMax else { return }
    var bytes = ContiguousArray<UInt8>()
    var digits = 0
    var first: UInt8?
    for (index, byte) in text.enumerated() {
      // The first number of a range stands for all of them.
      if byte == UInt8(ascii: "."), index + 1 < text.count, text[index + 1] == byte { break }
      // An extension: ` x12`.
      if byte | 0x20 == UInt8(ascii: "x"), index > 0, text[index - 1] == 0x20, index + 1 < text.count,
        text[index + 1] &- 0x30 < 10
      {
        break
      }
      let isWildcard = "#*?_xX".utf8.contains(byte)
      let shown = isWildcard ? random.next() : byte
      if shown &- 0x30 < 10 {
        digits += 1
        first = first ?? shown
      }
      bytes.append(shown)
    }
    if Self.hasPlus(bytes) {
      internationalCount += 1
      countCallingCode(bytes.span)
      return
    }
    guard digits >= Self.digitsMin || bytes.contains(where: { $0 >= 0x80 }) else { return }
    national.append(Text(bytes: bytes, digits: digits, startsWithZero: first == UInt8(ascii: "0")))
    if let number = try? NumberPlan.parseInternational(bytes.span), NumberPlan.isValid(number) {
      validInternationally += 1
    }
    if let first = bytes.firstIndex(where: { $0 &- 0x30 < 10 }), bytes[first...].starts(with: "00".utf8) {
      countCallingCode(bytes.span.extracting((first + 2)...))
    }
  }

  private mutating func countCallingCode(_ text: Span<UInt8>) {
    if let number = try? NumberPlan.parseInternational(text), NumberPlan.isPossible(number) == .isPossible {
      callingCodes[number.callingCode, default: 0] += 1
    }
  }

  /// Whether a text has a plus sign, of ASCII or full width, before its first digit.
  private static func hasPlus(_ bytes: ContiguousArray<UInt8>) -> Bool {
    for (index, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "+") { return true }
      if byte == 0xEF, index + 2 < bytes.count, bytes[index + 1] == 0xBC, bytes[index + 2] == 0x8B {
        return true
      }
      if byte &- 0x30 < 10 { return false }
    }
    return false
  }

  /// The share of the numbers with a calling code that have this one, 0 to 1.
  func shareOfCallingCode(_ code: UInt16) -> Double {
    let total = callingCodes.values.reduce(0, +)
    return total > 0 ? Double(callingCodes[code] ?? 0) / Double(total) : 0
  }

  /// The calling code of most numbers with one, how many have it, and how many have any; nil if none is that of most.
  var mainCallingCode: (code: UInt16, count: Int, total: Int)? {
    let total = callingCodes.values.reduce(0, +)
    return callingCodes.first { 2 * $0.value > total }.map { ($0.key, $0.value, total) }
  }
}

struct TrialDigits {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  mutating func next() -> UInt8 {
    // A linear congruential generator (Knuth, MMIX); its high bits are good enough for digits.
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return 0x30 + UInt8(truncatingIfNeeded: (state >> 33) % 10)
  }
}

// MARK: - The regions that the labels or the way of writing numbers hint at

enum LabelHints {
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

  private static func areAmerican(_ rows: ArraySlice<SampledRow>) -> Bool {
    let national = rows.filter { $0.text.first != UInt8(ascii: "+") }
    let matches = national.count { row in
      let form = row.text.map { $0 &- 0x30 < 10 ? 0x30 : $0 }
      return americanForms.contains(String(decoding: form, as: UTF8.self))
    }
    return 2 * matches > national.count
  }

  /// The words of column names in languages whose letters others use as well, with the regions of each.
  private static let languages: [Language] = [
    Language(
      "DE AT CH",
      """
      nummer rufnummer telefonnummer telefon vorwahl anrufer anrufe bezeichnung bemerkung grund \
      kommentar kategorie handy vorname nachname firma bewertung anzahl quelle mobilnummer
      """),
    Language(
      "FR BE CH CA",
      """
      numéro nom appels appel appelant catégorie libellé commentaire motif prénom société téléphone
      """),
    Language(
      "IT",
      """
      numero nome chiamate telefono cellulare cognome azienda categoria commento prefisso chiamante \
      segnalazioni
      """),
    Language(
      "ES MX AR CO CL PE",
      """
      numero número telefono teléfono nombre llamadas móvil celular empresa categoria categoría \
      comentario prefijo apellido apellidos
      """),
    Language(
      "BR PT",
      """
      numero número telefone nome chamadas ligações celular empresa categoria comentário operadora ddd
      """),
    Language(
      "NL BE",
      """
      nummer telefoonnummer telefoon naam oproepen bedrijf categorie opmerking voornaam achternaam
      """),
    Language("PL", "numer telefon nazwa kategoria imię nazwisko komentarz firma połączenia"),
    Language("SE", "nummer telefonnummer telefon namn samtal kategori företag"),
    Language("DK", "nummer telefonnummer telefon navn opkald kategori virksomhed"),
    Language("NO", "nummer telefonnummer telefon navn anrop samtaler kategori firma"),
    Language("FI", "numero puhelin puhelinnumero nimi puhelut luokka yritys"),
    Language("TR", "telefon numara ad adı isim soyad arama kategori"),
    Language("CZ SK", "telefon číslo cislo jméno jmeno název hovory kategorie"),
    Language("HU", "telefon telefonszám szám név hívások"),
    Language("RO", "telefon număr numar nume apeluri categorie"),
    Language("JP", "電話番号 番号 名前 氏名 会社名 種類 備考 件数 携帯電話"),
    Language("TW HK", "電話號碼 號碼 電話 姓名 名稱 分類"), Language("CN", "电话 电话号码 号码 姓名 名称 分类"),
    Language("ID", "nomor telepon nama panggilan kategori"),
  ]

  private struct Language {
    let regions: [String]
    let words: Set<String>

    init(_ regions: String, _ words: String) {
      self.regions = regions.split(separator: " ").map(String.init)
      self.words = Set(words.split(separator: " ").map(String.init))
    }
  }

  /// The regions of the language in which most of the names are.
  private static func regions(ofFields fields: [String]) -> [String] {
    let words: [String] = fields.flatMap { field in
      field.lowercased().split { !$0.isLetter }.map { String($0) }
    }
    let counts = languages.map { language in words.count { language.words.contains($0) } }
    guard let most = counts.max(), most > 0 else { return [] }
    return languages.indices.flatMap { counts[$0] == most ? languages[$0].regions : [] }
  }

  /// The evidence of a language or an encoding, and of a way of writing numbers that is common in North America only.
  private static let languageBits = 3.0
  private static let formBits = 8.0

  /// The evidence of the labels, the names of fields, the encoding and the form of the numbers for regions.
  static func bits(_ rows: [SampledRow], fields: [String], encoding: String?) -> [Region: Double] {
    var bits: [Region: Double] = [:]
    func add(_ codes: [String], _ evidence: Double) {
      for region in Set(codes).compactMap({ Region($0) }) { bits[region, default: 0] += evidence }
    }
    if let encoding, let codes = encodings[encoding.uppercased()] {
      add(codes, languageBits)
      return bits
    }
    let ofFields = regions(ofFields: fields)
    add(ofFields, languageBits)
    let labels: [String] = rows.prefix(NumberTexts.nationalMax).map(\.fields.label)
    add(regions(ofTexts: ofFields.isEmpty ? fields + labels : labels), languageBits)
    if areAmerican(rows.prefix(NumberTexts.nationalMax)) { add(["US", "CA"], formBits) }
    return bits
  }

  /// The regions of the first script that is common in the texts.
  private static func regions(ofTexts texts: [String]) -> [String] {
    let scripts = scripts
    var counts = [Int](repeating: 0, count: scripts.count)
    var total = 0
    for text in texts {
      for scalar in text.unicodeScalars where scalar.value >= 0x80 {
        total += 1
        for index in scripts.indices where scripts[index].contains(scalar.value) { counts[index] += 1 }
      }
    }
    let common = scripts.indices.first { counts[$0] > 0 && commonShare * counts[$0] >= total }
    return common.map { scripts[$0].regions } ?? []
  }
}
