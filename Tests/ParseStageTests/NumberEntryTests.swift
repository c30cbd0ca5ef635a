// What follows a number: remarks, extensions, further numbers, dates; in lines, tables and JSON alike.

import Records
import Testing

@testable import InputStages

@Suite struct NumberEntryTests {
  /// A field, and its numbers.
  static let fields: [(String, [String])] = [
    // One number as it is written.
    ("+4930123456", ["+4930123456"]), ("(212) 555-0101", ["(212) 555-0101"]),
    ("+49 (0) 30 1234567", ["+49 (0) 30 1234567"]), ("0049 (0)30/1234567", ["0049 (0)30/1234567"]),
    ("+86 138 0013 8000", ["+86 138 0013 8000"]), ("0176 12 34 56 78", ["0176 12 34 56 78"]),
    ("01.23.45.67.89", ["01.23.45.67.89"]), ("20.12.34", ["20.12.34"]), ("1-800-FLOWERS", ["1-800-FLOWERS"]),
    ("800.CALL.ATT", ["800.CALL.ATT"]), ("1-888-555-HELP", ["1-888-555-HELP"]),
    ("0800 REPAIR", ["0800 REPAIR"]),
    ("212-555-HELP", ["212-555-HELP"]),
    ("+49 30 1234567 ext. 12", ["+49 30 1234567 ext. 12"]), ("030 1234568 x12", ["030 1234568 x12"]),
    ("+49301234569;ext=12", ["+49301234569;ext=12"]), ("tel:+1-201-555-0123", ["tel:+1-201-555-0123"]),
    ("070-XXXX-XXXX", ["070-XXXX-XXXX"]), ("33162######", ["33162######"]), ("+33948*", ["+33948*"]),
    ("4930123400..4930123499", ["4930123400..4930123499"]), ("02-312-3400~3499", ["02-312-3400~3499"]),
    ("^(0|\\+33)162\\d{6}$", ["^(0|\\+33)162\\d{6}$"]), ("(15550100|15550101)", ["(15550100|15550101)"]),
    ("0171123[4-6]XXX", ["0171123[4-6]XXX"]), ("441632960.+5", ["441632960.+5"]),
    ("(0xx11) 3333-4444", ["(0xx11) 3333-4444"]), ("4.9301234567e+10", ["4.9301234567e+10"]),
    ("unknown", ["unknown"]), ("", [""]), ("110", ["110"]), ("12é34", ["12é34"]), ("555ы", ["555ы"]),
    // Remarks.
    ("030 1234567 (3 Meldungen)", ["030 1234567"]), ("0171 1234567 (12x)", ["0171 1234567"]),
    ("0171 1234568 (2)", ["0171 1234568"]), ("0171 1234569 [5]", ["0171 1234569"]),
    ("0171 1234560 3x angerufen", ["0171 1234560"]), ("0171 1234561 24/7 Service", ["0171 1234561"]),
    ("030 1234568 2023 gemeldet", ["030 1234568"]), ("+43 1 5805801 Fax", ["+43 1 5805801"]),
    ("+43 1 5805801 (Büro)", ["+43 1 5805801"]), ("+4930123456 ext.", ["+4930123456"]),
    ("+7 495 123-45-67 доп. 12", ["+7 495 123-45-67"]), ("110 Polizei", ["110"]),
    ("12345678e", ["12345678"]),
    ("0900 1123456 1,99 €/min", ["0900 1123456"]), ("0171 7177534 1,5h", ["0171 7177534"]),
    ("347 1234567 1.50 euro", ["347 1234567"]), ("0171 7177534 24.12. oder so", ["0171 7177534"]),
    ("08-123 45 67 3 gånger", ["08-123 45 67"]), ("06 1234567 2 volte", ["06 1234567"]),
    ("22 123 45 67 2 razy", ["22 123 45 67"]), ("0812 34567890 2 x", ["0812 34567890"]),
    ("22 123 45 67 12 razy", ["22 123 45 67"]), ("01 23 45 67 89 Spam", ["01 23 45 67 89"]),
    ("030 901820/2x", ["030 901820"]),
    ("+49 30 1234567 ext. 12 Büro", ["+49 30 1234567 ext. 12"]),
    ("030 1234567 x12 / x13", ["030 1234567 x12"]), ("+4930123456@example.com", ["+4930123456"]),
    ("13800138000（2次）", ["13800138000"]), ("13800138002 （3）", ["13800138002"]),
    ("0401201059（2）", ["0401201059"]), ("0401201059[2]", ["0401201059"]), ("13800138000【3】", ["13800138000"]),
    ("03-1234-5678（代）", ["03-1234-5678"]), ("02-312-3400 3건", ["02-312-3400"]),
    ("91.234.56.78", ["91.234.56.78"]), ("212.555.0143", ["212.555.0143"]),
    ("978-555-0143", ["978-555-0143"]), ("0401201279 10.33", ["0401201279"]),
    ("030 1234557 *gesperrt*", ["030 1234557"]), ("030 1234557 #spam", ["030 1234557"]),
    ("030 1234567 ?Spam?", ["030 1234567"]), ("030 12345?? vielleicht", ["030 12345??"]),
    ("[0171 1234567](https://example.com/01711234567)", ["0171 1234567"]),
    ("<+49 30 123456>", ["+49 30 123456"]), ("0171 1234567 O2", ["0171 1234567"]),
    // Counts before a sign, a unit, or a word for times or hours; also after a main extension or a short number.
    ("030 1234567 3\u{D7}", ["030 1234567"]), ("0171 1234567 3 \u{D7}", ["0171 1234567"]),
    ("030 1234567 5€", ["030 1234567"]), ("0171 123 45 67 12 €", ["0171 123 45 67"]),
    ("22 123 45 67 5 zł", ["22 123 45 67"]), ("030 123 45 67 10+", ["030 123 45 67"]),
    ("030 1234567 3\u{2605}", ["030 1234567"]), ("08-123 45 67 3\u{2605}", ["08-123 45 67"]),
    ("1588-1234 24시", ["1588-1234"]), ("1588-1234 24/7", ["1588-1234"]), ("0900-1234 10 ct", ["0900-1234"]),
    ("０９０ー１２３４ー５６８１ 営業", ["０９０ー１２３４ー５６８１"]),
    ("12345 热线", ["12345"]), ("12345 政务服务热线", ["12345"]), ("12320 hotline", ["12320"]),
    ("11861 Auskunft", ["11861"]), ("112233 горячая линия", ["112233"]), ("1577 상담", ["1577"]),
    // A single digit that may be the number's last one; `normalize` rejects it.
    ("0211 876543 2 Bank", ["0211 876543 2"]), ("030 2312578 1 Bank", ["030 2312578 1"]),
    ("+39 06 1234567 2 banca", ["+39 06 1234567 2"]), ("8 495 1234567 3 банк", ["8 495 1234567 3"]),
    ("212-555-0143 4 spam", ["212-555-0143 4"]),
    ("0211 876543 2 Beschwerden", ["0211 876543"]), ("01 23 45 67 89 3 plaintes", ["01 23 45 67 89"]),
    ("8 495 1234567 3 жалобы", ["8 495 1234567"]), ("13800138000 3 投诉", ["13800138000"]),
    ("95588 3次", ["95588"]), ("116 117 24h", ["116 117"]),
    ("06 1234567 1&1", ["06 1234567"]), ("06 1234567 3x", ["06 1234567"]),
    ("22 123 45 67 2nd", ["22 123 45 67"]),
    ("22 123 45 67 24h", ["22 123 45 67"]), ("+7 495 123-45-69 24 часа", ["+7 495 123-45-69"]),
    ("(22) 123-45-69 1. raz", ["(22) 123-45-69"]), ("06 1234567 118 Pronto", ["06 1234567"]),
    ("030 1234-0 3 Anrufe", ["030 1234-0"]), ("089 32168-0 1&1", ["089 32168-0"]),
    ("030 12345-0 2. OG", ["030 12345-0"]), ("0900-1234 24h", ["0900-1234"]), ("110 24h", ["110"]),
    ("112 3mal", ["112"]), ("0049 171 12 34 567 Anna", ["0049 171 12 34 567"]),
    ("+48 22 123 45 68 4 telefony", ["+48 22 123 45 68"]),
    // The last groups of numbers.
    ("030 123 45 67!", ["030 123 45 67"]), ("0 30 / 12 34 56 7", ["0 30 / 12 34 56 7"]),
    ("030 12 34 56 78 Anna", ["030 12 34 56 78"]), ("1 800 555 4YOU", ["1 800 555 4YOU"]),
    ("800.CALL.ATT", ["800.CALL.ATT"]), ("800 CALL ATT", ["800 CALL ATT"]),
    // The numbering plan decides whether these are an extension or a count.
    ("030 12345 (67)", ["030 12345 (67)"]), ("030 12345-(67-69)", ["030 12345-(67-69)"]),
    ("030 12345[0]", ["030 12345[0]"]), ("030 12345 (67) Anna", ["030 12345 (67)"]),
    ("030 12345 (3)", ["030 12345"]), ("06 1234567 (12)", ["06 1234567"]),
    ("030 1234-0 (12)", ["030 1234-0"]),
    // Slashes and dashes of one number.
    ("01/62/00/00/00", ["01/62/00/00/00"]), ("0171/1234567", ["0171/1234567"]),
    ("05251/1234", ["05251/1234"]), ("+43 (0)5252/1234", ["+43 (0)5252/1234"]),
    ("030/123 45 67", ["030/123 45 67"]), ("(212) 555 - 0143", ["(212) 555 - 0143"]),
    ("030 - 12 34 - 57 1", ["030 - 12 34 - 57 1"]), ("0212 555 - 01 43", ["0212 555 - 01 43"]),
    ("030 1234567-0", ["030 1234567-0"]), ("０３（１２３４）５６７８", ["０３（１２３４）５６７８"]),
    // Pauses.
    ("+4930123456p12", ["+4930123456"]), ("+4930123456w12", ["+4930123456"]),
    ("+4930123456,12", ["+4930123456"]),
    ("+4930123456,,12#", ["+4930123456"]),
    // Several numbers.
    ("030 1234567, 0171 1234567", ["030 1234567", "0171 1234567"]),
    ("030 1234568; 0171 1234568", ["030 1234568", "0171 1234568"]),
    ("030 1234569 oder 0171 1234569", ["030 1234569", "0171 1234569"]),
    ("030 1234569 / 0171 1234569", ["030 1234569", "0171 1234569"]),
    ("0901234512 và 0901234513", ["0901234512", "0901234513"]), ("030 1234567 bis 18 Uhr", ["030 1234567"]),
    ("030 1234567 und 3 Anrufe", ["030 1234567"]),
    ("+4930123456 +4930123457", ["+4930123456", "+4930123457"]),
    ("600000001 600000002 600000003", ["600000001", "600000002", "600000003"]),
    ("22 123 45 84 / 22 123 45 85", ["22 123 45 84", "22 123 45 85"]),
    ("0912 123 4511، 0912 123 4512", ["0912 123 4511", "0912 123 4512"]),
    ("۰۹۱۲ ۱۲۳ ۴۵۰۷، ۰۹۱۲ ۱۲۳ ۴۵۰۸", ["۰۹۱۲ ۱۲۳ ۴۵۰۷", "۰۹۱۲ ۱۲۳ ۴۵۰۸"]),
    ("13800138000，13800138001", ["13800138000", "13800138001"]), ("13800138000、诈骗", ["13800138000"]),
    // After a date.
    ("30.12.2023 +49301234567", ["+49301234567"]), ("05.01.2024 10:33 030 1234568", ["030 1234568"]),
    ("20231205 2125550123", ["2125550123"]), ("2023-12-05T10:33:00 2125550123", ["2125550123"]),
    ("05.01. 030 1234508", ["030 1234508"]), ("7.1. 040 1234508", ["040 1234508"]),
    ("5/1 089 1234508", ["089 1234508"]), ("1/5 03-1234-5678", ["03-1234-5678"]),
    ("05/01 (11) 3333-4444", ["(11) 3333-4444"]), ("05.01. 0800-FLOWERS", ["0800-FLOWERS"]),
    ("01.02 03 04 05", ["01.02 03 04 05"]),
    // After words.
    ("Tel.: 030 1234567", ["030 1234567"]), ("Büro: 030 1234567 (Anna)", ["030 1234567"]),
    ("Mo-Fr 9-17 Uhr: 030 1234567", ["030 1234567"]), ("ID 12345: 030 1234501", ["030 1234501"]),
    ("Fax 030 1234567", ["Fax 030 1234567"]), ("Tel. 110", ["Tel. 110"]),
    ("Anna 22 123456", ["Anna 22 123456"]), ("CALL 1-800-FLOWERS", ["CALL 1-800-FLOWERS"]),
    // Internet telephony.
    ("sip:+12125550199@sip.example.com", ["+12125550199"]),
    ("\"Spam 24/7\" <sip:+12125550197@192.0.2.1;user=phone>;tag=1", ["+12125550197"]),
  ]

  @Test(arguments: fields) func numbersOfAField(_ text: String, _ numbers: [String]) throws {
    let bytes = Array(text.utf8)
    let entry = try NumberEntry(bytes.span)
    let found = entry.map { $0.numbers.map { String(decoding: bytes[$0], as: UTF8.self) } } ?? [text]
    #expect(found == numbers)
    #expect(entry?.rejectReason == nil)
    #expect(NumberEntry.isNeeded(bytes.span) == (numbers != [text]))
  }

  /// Counters and counts before a number.
  @Test(arguments: [
    ("1. 1588-1234", "1588-1234"), ("12) 030 1234567", "030 1234567"),
    ("1. 030 1234567 ext. 12", "030 1234567 ext. 12"), ("2) 9 8765 4321", "9 8765 4321"),
    ("3x 338 1234567", "338 1234567"), ("3 x 0171 1234567", "0171 1234567"),
    ("3× 0171 1234567", "0171 1234567"), ("(3) 338 1234567", "338 1234567"),
    ("(1) 010-1234-5678", "010-1234-5678"), ("#3 (1) 123 4567", "(1) 123 4567"),
    ("1．03-1234-5601", "03-1234-5601"), ("１）０３－１２３４－５６０１", "０３－１２３４－５６０１"),
    ("1、03-1234-5601", "03-1234-5601"),
    // Area codes.
    ("(2) 2123 4567", "(2) 2123 4567"), ("(0) 30 1234567", "(0) 30 1234567"),
    ("030. 1234567", "030. 1234567"), ("06. 12 34 56 78", "06. 12 34 56 78"),
  ])
  func countersBeforeANumber(_ text: String, _ number: String) throws {
    let bytes = Array(text.utf8)
    let found = try NumberEntry(bytes.span)?.numbers ?? [bytes.indices]
    #expect(found.map { String(decoding: bytes[$0], as: UTF8.self) } == [number])
  }

  /// Fields that are left out, or of which the rest is.
  @Test(arguments: [
    ("2024-01-05", ParseReject.date), ("05.01.2024 10:33", .date), ("10:33", .date), ("5 Jan 2024", .date),
    ("030 1234500 bis 030 1234599", .severalNumbers), ("0301234567, 12345678", .severalNumbers),
    ("030 12 34 56 7 Verlag", .severalNumbers), ("0 211 / 12 34 5 Anna", .severalNumbers),
    ("+49 30 12 34 56 7 Anna", .severalNumbers), ("08-12 34 56 3\u{2605}", .severalNumbers),
    ("0912345 679 vay", .severalNumbers), ("+86 1380013 8006 诈骗", .severalNumbers),
    ("030123456 78 Bank", .severalNumbers), ("861380013 8006 spam", .severalNumbers),
    ("0316 1234 3x", .severalNumbers),
    ("030 1234-0 12", .severalNumbers), ("22 123 45 86 - 22 123 45 87", .severalNumbers),
    ("030 1234567 Fax 030 1234568", .severalNumbers), ("030 1234567 (oder 0171 1234567)", .severalNumbers),
    ("2023-12-05 call", .date), ("# 030 1234567", .commentedOut),
    ("212-555-0123 (home) 212-555-0124 (work)", .severalNumbers),
    ("2125550123 home, 2125550124 work", .severalNumbers), ("20123456 Anna 20123457", .severalNumbers),
    ("+493012345678 sip:+493012345679@voip.example", .severalNumbers),
    ("sip:+4930123456@a.example,sip:+4930123457@a.example", .severalNumbers),
    ("\"A\" <sip:+4930123456@a.example> 0171 2345678", .severalNumbers),
    ("030 1234561 / 62", .severalNumbers), ("030 1234561/62", .severalNumbers),
    ("030 12345-42/43", .severalNumbers), ("03-1234-5678 / 5679", .severalNumbers),
    ("02-312-3400/3401", .severalNumbers), ("0212 555 01 43 - 44", .severalNumbers),
    ("06 1234567/8/9", .severalNumbers), ("030 1234519/-20", .severalNumbers),
    ("030 1234519 – 22", .severalNumbers), ("020-7946-0039 or 0040", .severalNumbers),
    ("212-555-0143 & 0144", .severalNumbers), ("212-555-0143, 0144", .severalNumbers),
    ("030 1234501 oder -04", .severalNumbers), ("030 1234501 u. 24", .severalNumbers),
    ("030 1234501 + 26", .severalNumbers), ("030-1234-501 bis 509", .severalNumbers),
    ("03-1234-5678または5679", .severalNumbers), ("01 62 00 00 00 à 09", .severalNumbers),
    ("01 62 00 12 66 (ou 67)", .severalNumbers), ("020 123 4567 t/m 69", .severalNumbers),
    ("01 62 00 00 50 jusqu'à 59", .severalNumbers), ("01 62 00 00 50 jusqu\u{2019}à 59", .severalNumbers),
    ("030 1234560 bis zu 69", .severalNumbers), ("212-555-0140 up to 49", .severalNumbers),
    ("06 1234560 fino a 69", .severalNumbers), ("030 1234567 Fax 79", .severalNumbers),
    ("01 62 00 00 00 Fax 01", .severalNumbers), ("8 495 123-45-67 факс 68", .severalNumbers),
    ("Fall 20241234567", .unexpectedText), ("Az. 12345/24", .unexpectedText),
    ("Vorgangsnr. 1234567", .unexpectedText), ("Dossier 2024-123456", .unexpectedText),
    ("Ref. 8812345678", .unexpectedText), ("Zaak 8812345678", .unexpectedText),
    ("дело 12345678", .unexpectedText),
    ("工单号 12345678", .unexpectedText), ("Sprawa 1234567/2024", .unexpectedText),
    ("受付番号 20240123456", .unexpectedText), ("01 62 00 12 46 &amp; 47", .severalNumbers),
    ("01 62 00 12 40<br>01 62 00 12 41", .severalNumbers), ("01 62 00 12 82 puis 83", .severalNumbers),
    ("22 123 45 96 oraz 97", .severalNumbers), ("911 23 45 09 ó 10", .severalNumbers),
    ("0850 123 45 02 ve 03 aynı firma", .severalNumbers), ("02-123-4501 ถึง 15", .severalNumbers),
    ("08-123 456 02, 03 och 04", .severalNumbers), ("02-312-3411,3412", .severalNumbers),
    ("044 123 45 00 - 044 123 45 99", .severalNumbers), ("12345600-12345699", .severalNumbers),
    ("Vorwahl 030: 1234567", .severalNumbers),
    ("(11) 3333-4444 ou 3333-4445", .severalNumbers), ("123-45-67 (495)", .severalNumbers),
    ("1234567 (030)", .severalNumbers), ("555-0143 (212)", .severalNumbers),
    ("Stand: 05.01.2024", .date), ("Export 20240105", .date), ("Export 2024-01-05 10:33:12", .date),
    ("10115 Berlin", .unexpectedText), ("10115 Berlin 030/1234567", .unexpectedText),
    ("D-10115 Berlin, Tel. 030/1234567", .unexpectedText), ("seit 2019", .unexpectedText),
    ("Zimmer 12345", .unexpectedText), ("Konto 12345678", .unexpectedText), ("QQ：123456789", .unexpectedText),
    ("QQ群 13800138017", .unexpectedText), ("우편번호 04524", .unexpectedText), ("1.234.567,89", .unexpectedText),
    ("1.234,56 €", .unexpectedText),
    ("1234567,5", .notWhole), ("550e8400-e29b-41d4-a716-446655440000", .unexpectedText),
    ("192.168.178.1", .unexpectedText), ("8.8.8.8", .unexpectedText), ("978-3-16-148410-0", .unexpectedText),
    ("ISBN 978-3-16-148410-0", .unexpectedText), ("QQ:123456789", .unexpectedText),
    ("微信 abc13800138000", .unexpectedText), ("〇一〇12345678", .unexpectedText),
    ("Mo-Fr 9-17 Uhr", .unexpectedText), ("030 123 45 O1", .unexpectedText), ("O3O 1234567", .unexpectedText),
    ("o171-1234567", .unexpectedText), ("03O/1234568", .unexpectedText), ("€ 1234567", .unexpectedText),
    ("Kd-Nr. 1234567 Tel 030 1234501", .unexpectedText), ("〒100-0001 東京", .unexpectedText),
    ("// 030 1234567", .commentedOut),
    ("/* 030 1234567 */", .commentedOut),
  ])
  func doubtfulFields(_ text: String, _ reason: ParseReject) {
    var found: ParseReject?
    do throws(ParseReject) { found = try NumberEntry(Array(text.utf8).span)?.rejectReason } catch {
      found = error
    }
    #expect(found == reason)
  }

  /// Tables, JSON objects and pairs, and vCards read the same numbers.
  @Test func formatsAgree() throws {
    for (text, numbers) in Self.fields
    where text.contains(where: \.isNumber) && !text.contains(where: { "\"\\".contains($0) })
      && !text.contains("e+")
    {
      let rows = numbers.map { RawRow($0, "A") }
      let records = ["phone\tlabel\n\(text)\tA\n", "[{\"phone\": \"\(text)\", \"label\": \"A\"}]"]
      for record in records {
        #expect(try parse([Array(record.utf8)], ParseOptions()).rows == rows, "\(record)")
      }
    }
    let pairs = String(repeating: "{\"0171 1234567 (12x)\": \"A\"},\n", count: 30)
    #expect(try parse("[\n\(pairs)]").rows.filter { $0 == RawRow("0171 1234567", "A") }.count == 30)
    let card = "BEGIN:VCARD\nFN:A\nTEL:+4930123456p12\nTEL:+4930123456\\,12\nEND:VCARD\n"
    #expect(
      try parse([Array(card.utf8)], ParseOptions()).rows == [
        RawRow("+4930123456", "A"), RawRow("+4930123456", "A"),
      ])
  }

  @Test func datesAreNotKeys() throws {
    let outcome = try parse("{\"2024-01-05\": \"call\", \"+4520123456\": \"Spam\"}")
    #expect(outcome.rows == [RawRow("+4520123456", "Spam")] && outcome.codes == ["date"])
    let many = String(repeating: "{\"2024-01-05\": \"call\"},\n", count: 30) + "{\"20123456\": \"Spam\"}"
    let log = try parse("[\n\(many)]")
    #expect(log.rows == [RawRow("20123456", "Spam")] && log.rejectCount == 30)
  }

  @Test func aTableOfManyRowsIsReadAlike() throws {
    var text = "phone,label\n"
    for ordinal in 10..<60 { text += "0171 12345\(ordinal),A\n" }
    text += "0171 1234560 (12x),A\n2024-01-05,A\n\"030 1234567, 0171 1234567\",A\n0171 1234561,A\n"
    let outcome = try parse([Array(text.utf8)], ParseOptions())
    #expect(
      outcome.rows.suffix(4).map(\.description)
        == ["0171 1234560|A", "030 1234567|A", "0171 1234567|A", "0171 1234561|A"])
    #expect(outcome.codes == ["date"] && outcome.rowsIn == outcome.rowsOut + outcome.rejectCount)
  }
}
