// Tables and objects as people publish and export them: names of columns in many languages, logs of calls, countries and
// area codes in fields of their own, records with a separator too many.

import Records
import Testing

@testable import InputStages

@Suite("Published tables")
struct PublishedTableTests {
  private func rows(_ text: String, _ chosen: ParseOptions = options(.auto)) throws -> [String] {
    let outcome = try parseInPieces(Array(text.utf8), chosen, startBytes: 4096)
    #expect(outcome.failure == nil && outcome.rejects == [], "\(text)")
    return outcome.rows.map(\.description)
  }

  private func unread(_ text: String) throws -> [UnreadFields] {
    try parseWithNotices(Array(text.utf8), options(.auto)).layouts.first?.unread ?? []
  }

  // MARK: Names

  @Test(
    "a column is found by its name before its content",
    arguments: [
      "Telefonnummer", "Número", "N° de téléphone", "Numéro de téléphone", "Numero di telefono", "Nomor",
      "Nomor HP",
      "Số điện thoại", "So dien thoai", "SĐT", "Numer telefonu", "Telefonní číslo", "Telefonszám",
      "Puhelinnumero",
      "Tlf.nr.", "Αριθμός τηλεφώνου", "Номер телефона", "Номер телефону", "رقم الهاتف", "מספר טלפון",
      "เบอร์โทรศัพท์", "फ़ोन नंबर", "携帯番号", "手机号码", "電話號碼", "휴대폰 번호", "Cep telefonu", "call_block_number",
      "phoneNumber2",
    ])
  func numbersByName(_ name: String) throws {
    let table = "ID;\(name);X\n12345678;0301234567;A\n12345680;0301234568;B\n"
    #expect(try rows(table).map { $0.prefix(10) } == ["0301234567", "0301234568"])
    let object = "[{\"ID\":\"12345678\",\"\(name)\":\"0301234567\",\"X\":\"A\"}]"
    #expect(try rows(object).map { $0.prefix(10) } == ["0301234567"])
  }

  @Test(
    "a word for numbers in a column's name distinguishes it from identifiers",
    arguments: [
      "Gemeldete Nummer", "Numéro signalé", "Teléfono denunciado", "Número que llamó", "Numero segnalato",
      "Telefone denunciado", "Gemeld nummer", "Zgłoszony numer", "Nahlášené číslo", "Жалоба на номер",
      "Şikayet edilen numara", "举报号码", "通報された番号", "신고된 번호", "Number that called you", "Reported phone",
    ])
  func numbersByWord(_ name: String) throws {
    let table = "Vorgang;\(name);Grund\n2024000123;0301234567;A\n2024000125;0301234568;B\n"
    #expect(try rows(table) == ["0301234567|A", "0301234568|B"])
    let victim = "Your phone number;\(name);Text\n0309876543;0301234567;A\n0309876543;0301234568;B\n"
    #expect(try rows(victim) == ["0301234567|A", "0301234568|B"])
  }

  /// Both names have a word for numbers, and the first one is that of a report.
  @Test(arguments: [
    ("Número de folio", "Número"), ("رقم البلاغ", "رقم المتصل"), ("Номер обращения", "Номер нарушителя"),
    ("Numéro de dossier", "Numéro signalé"), ("Complaint number", "Number in question"),
  ])
  func numbersBesideReports(_ record: String, _ name: String) throws {
    #expect(
      try rows("\(record);\(name);Text\n2024000123;0301234567;A\n2024000125;0301234568;B\n")
        == ["0301234567|A", "0301234568|B"])
  }

  /// The complainant's number has the clearer name.
  @Test func theCallerIsNotTheOneWhoReports() throws {
    let text = "Denunciante,Teléfono,Número que llamó,Motivo\nJuan,11 4999 9999,011 4123-4501,Venta\n"
    #expect(try rows(text) == ["011 4123-4501|Venta"])
    #expect(try unread(text) == [.numbers(["Teléfono"])])
    let json = #"[{"telefono":"1149999999","numeroQueLlamo":"01141234501","motivo":"Venta"}]"#
    #expect(try rows(json) == ["01141234501|Venta"])
    let log =
      "Дата\tКто звонил\tКому звонили\tТип\n"
      + "05.01.2024\t84951234501\t89123456799\tВходящий\n06.01.2024\t89123456799\t84951234502\tИсходящий\n"
    #expect(try rows(log).map { $0.prefix(11) } == ["84951234501", "84951234502"])
  }

  @Test func namesAreComparedWithoutAccentsAndSigns() {
    #expect(CommonFieldNames.plain("Numéro_de-Téléphone (1)") == "numerodetelephone1")
    #expect(CommonFieldNames.plain("Nu\u{301}mero") == "numero")
    #expect(CommonFieldNames.plain("SỐ ĐIỆN THOẠI") == "sodienthoai")
    // Korean letters may be separate.
    let letters =
      "\u{1100}\u{1165}\u{11AF} \u{110C}\u{1165}\u{11AB}\u{1112}\u{116A}\u{1107}\u{1165}\u{11AB}\u{1112}\u{1169}"
    #expect(CommonFieldNames.plain(letters).utf8.elementsEqual("걸전화번호".utf8))
    #expect(
      CommonFieldNames.numberRank("e164") == .complete && CommonFieldNames.numberRank("phone2") == .phone)
    #expect(!CommonFieldNames.isNumber("0301234567 phone") && !CommonFieldNames.isNumber("Eigene Rufnummer"))
    #expect(CommonFieldNames.labelRank("call_block_name") == .name && CommonFieldNames.labelRank("") == nil)
  }

  @Test(
    arguments: [
      // Columns that only count the rows, identifiers and times are no numbers.
      ("Número,Línea,Tipo\n1,600000001,x\n2,600000002,y\n", ["600000001|x", "600000002|y"]),
      (
        "uuid,customer_id,Wert\na,4930111,0301234567\nb,4930112,0301234568\n",
        ["0301234567|a", "0301234568|b"]
      ),
      ("1704448800,0301234567,Spam\n1704452400,0301234568,Spam\n", ["0301234567|Spam", "0301234568|Spam"]),
      (
        "1704448800123,0301234567,Spam\n1704452400123,0301234568,Spam\n",
        ["0301234567|Spam", "0301234568|Spam"]
      ),
      (
        "12345678;0301234567;A\n12345679;0301234599;B\n12345680;0301234522;C\n12345681;0301234511;D\n",
        ["0301234567|A", "0301234599|B", "0301234522|C", "0301234511|D"]
      ),
    ])
  func figuresAreNoNumbers(_ text: String, _ expected: [String]) throws {
    #expect(try rows(text) == expected)
  }

  // MARK: Labels

  @Test(
    arguments: [
      ("Date,Type,Number,Name\n05/01/2024,Missed,+49301234567,Spam Co\n", "+49301234567|Spam Co"),
      ("Type,Phone,Category\nx,12345678,spam\n", "12345678|spam"),
      ("Category,Phone,Name\nspam,12345678,Ann\n", "12345678|Ann"),
      ("Name,Phone,Label\nAnn,12345678,spam\n", "12345678|spam"),
      ("Type,Phone\nmobile,12345678\n", "12345678|mobile"),
      ("Phone,Carrier,Line Type,Scam Category,City\n12345678,x,y,spam,z\n", "12345678|spam"),
      ("Phone,Operator,scamType,Motivo de la queja\n12345678,x,y,spam\n", "12345678|spam"),
      ("Nummer;Status;Innehavare\n12345678;x;Voip AB\n", "12345678|Voip AB"),
      ("Telefon No;Şikayet Türü;Operatör\n12345678;Kredi;x\n", "12345678|Kredi"),
      ("Phone|Label\n---|:--:\n12345678|spam\n", "12345678|spam"),
      ("Phone,Complaint number,Carrier\n12345678,A7,x\n", "12345678|x"),
      ("Vorname;Nachname;Telefon;Kategorie\nAnn;Test;12345678;x\n", "12345678|Ann Test"),
    ])
  func labelsOfTables(_ text: String, _ row: String) throws {
    #expect(try rows(text) == [row])
  }

  @Test(
    arguments: [
      (#"[{"phone":"12345678","type":"missed","name":"Spam Co"}]"#, "12345678|Spam Co"),
      (
        #"[{"first_name":"Anna","last_name":"Beispiel","phone_number":"12345678"}]"#, "12345678|Anna Beispiel"
      ),
      (#"[{"lastName":"B","phone":"12345678","firstName":"A \"x\"","category":"c"}]"#, "12345678|A \"x\" B"),
      (#"[{"firstName":"A","lastName":null,"phone":"12345678"}]"#, "12345678|A"),
      (#"[{"prenom":"A","nom":"B","telephone":"12345678"}]"#, "12345678|A B"),
      (#"[{"firstName":"A","lastName":"B","name":"C","phone":"12345678"}]"#, "12345678|C"),
    ])
  func labelsOfObjects(_ text: String, _ row: String) throws {
    #expect(try rows(text) == [row])
  }

  // MARK: Headers and wide records

  @Test func aHeaderMakesATable() throws {
    var text = "name,phone,city\n"
    for index in 10..<40 {
      text += "Spam \(index),+493010000\(index),Berlin\(index % 4 == 0 ? ", Mitte" : "")\n"
    }
    let outcome = try parseInPieces(Array(text.utf8), options(.auto), startBytes: 4096)
    #expect(outcome.rows.count == 23 && outcome.rows.first == RawRow("+49301000010", "Spam 10"))
    #expect(outcome.codes == Array(repeating: "too-many-fields", count: 7))
  }

  @Test(
    arguments: [
      ("name,duration,number\nA,1,03010000\nA B, c,33,0301234567\n", ["03010000|A"], 1),
      ("phone,label\n03010000,Spam, Inc.\n", ["03010000|Spam, Inc."], 0),
      ("phone,label\n03010000,\"Spam\", Inc.\n", [], 1),
      ("phone,label,city\n03010000,E,F,,\n03010001,G,H,\"\"\n", ["03010000|E", "03010001|G"], 0),
      ("Home Phone,Mobile Phone,Name\n03010000,03010001,A\n1,2,3,4\n", ["03010000|A", "03010001|A"], 1),
      ("phone,label,a,b\n03010000,E,\"x, y\",z\n03010001,F,\"x, y\",z,z\n", ["03010000|E"], 1),
    ])
  func recordsWithMoreFieldsThanTheHeader(_ text: String, _ expected: [String], _ rejected: Int) throws {
    let outcome = try parseInPieces(Array(text.utf8), options(.csv), startBytes: 4096)
    #expect(outcome.rows.map(\.description) == expected)
    #expect(outcome.codes == Array(repeating: "too-many-fields", count: rejected))
  }

  @Test func longTablesAreReadAlike() throws {
    var text = "phone,label,city,note\n"
    var expected: [String] = []
    for index in 1000..<3000 {
      let isWide = index % 97 == 0
      text +=
        "+4930\(index)00,Spam \(index),\"Berlin, Mitte\",x\(isWide ? ",y" : index % 5 == 0 ? ",," : "")\n"
      if !isWide { expected.append("+4930\(index)00|Spam \(index)") }
    }
    let outcome = try parse(text, options(.auto))
    #expect(outcome.rows.map(\.description) == expected)
    #expect(outcome.rejectCount == 2000 - UInt64(expected.count))
  }

  @Test func aChosenNameIsFoundBelowATitle() throws {
    let text = "File Date,1\nNPA_ID,LOC\n201,NJ\n202,DC\n"
    #expect(try rows(text, tableOptions(number: "NPA_ID")) == ["201|", "202|"])
    #expect(try parse(text, tableOptions(number: "NPA")).failure?.code == "no-such-column")
  }

  // MARK: Logs of calls

  @Test(
    arguments: [
      (
        "Type;Date;Name;Number;Extension;Telephone Number;Duration\n2;01.02.24 11:00;A;0891234567;;0301112223;0:00\n",
        ["0891234567|A"]
      ),
      (
        "Type;Date;Name;Telephone number;Extension;Telephone number;Duration\n1;x;;030123456;T;0301112223;0:02\n",
        ["030123456|"]
      ),
      (
        "Typ;Datum;Name;Rufnummer;Nebenstelle;Eigene Rufnummer;Dauer\n1;x;A;030123456;T;0301112223;0:02\n",
        ["030123456|A"]
      ),
      // A FRITZ!Box with several own lines.
      (
        "sep=;\nType;Date;Name;Number;Extension;Outgoing Caller ID;Duration\n1;x;A;03012345;T;5551;1\n4;x;;03012346;T;5552;1\n",
        ["03012345|A", "03012346|"]
      ),
      (
        "Typ;Datum;Name;Rufnummer;Landes-/Ortsnetzbereich;Nebenstelle;Eigene Rufnummer;Dauer\n2;x;A;03012345;B;;5551;0\n",
        ["03012345|A"]
      ),
      (
        "From,To,Direction,Name\n+12125550101,+12125550199,inbound,A\n+12125550199,+12125550102,outbound-api,B\n",
        ["+12125550101|A", "+12125550102|B"]
      ),
      (
        "Date,From,To,Duration\nx,0301222222,0302111111,3\nx,0303111111,0301222222,4\n",
        ["0302111111|", "0303111111|"]
      ),
      ("calldate,src,dst,billsec\n2024-01-05,12125550101,12125550199,3\n", ["12125550101|"]),
      (
        "Sens,Numéro appelant,Numéro appelé,Durée\nSortant,0612345678,0148123456,1\nEntrant,0162123456,0612345678,1\n",
        ["0148123456|Sortant", "0162123456|Entrant"]
      ),
      (
        "Tipo,Número de origen,Número de destino,Duración\nLlamada saliente,612345678,934567890,1\n",
        ["934567890|Llamada saliente"]
      ),
      ("種別,発信番号,着信番号,通話時間\n発信,09012345678,0612345678,1\n", ["0612345678|発信"]),
      ("Тип;Номер А;Номер Б;Длительность\nИсходящий;89161234567;88121234567;1\n", ["88121234567|Исходящий"]),
      ("Tür;Arayan;Aranan;Süre\nGiden;05321234567;03121234567;1\n", ["03121234567|Giden"]),
      ("Direction,A-Number,B-Number,Duration\nout,2125550101,3125550144,1\n", ["3125550144|out"]),
      (
        "meu_telefone,empresa_chata,numero_chato,data\n11991230000,A,1631060001,2023-04-29\n",
        ["1631060001|A"]
      ),
    ])
  func theOtherPartyOfACall(_ text: String, _ expected: [String]) throws {
    #expect(try rows(text) == expected)
    #expect(try unread(text) == [])
  }

  // MARK: Countries and area codes

  @Test func twoZerosAfterAnAreaCode() throws {
    let text = "DEF;От;До;Оператор\n900;0062000;0062999;A\n900;0063000;0099999;B\n"
    var options = tableOptions()
    options.lastField = .name("До")
    #expect(
      try parse(text, options).rows.map(\.description) == [
        "9000062000..9000062999|A", "9000063000..9000099999|B",
      ])
  }

  @Test(
    arguments: [
      ("country_code,phone,label\n+49,301234567,A\n+1,2125550101,B\n", ["+49301234567|A", "+12125550101|B"]),
      ("Land;Telefon\nDE;030 1234567\nAT;+43 1 5805801\n", ["+49030 1234567|", "+43 1 5805801|"]),
      ("Country,Phone\nGermany,0301234567\nFrance,0033199001234\n", ["+490301234567|", "0033199001234|"]),
      ("Country,Phone\nIvory Tower,0301234567\n", ["0301234567|"]),
      ("Phone,Region\n2125550101,DE\n2125550102,CA\n", ["2125550101|DE", "2125550102|CA"]),
      ("DDI,DDD,Telefone\n55,11,33334444\n", ["+551133334444|"]),
      ("Vorwahl;Rufnummer;Name\n030;1234567;A\n0171;2345678;B\n", ["0301234567|A", "01712345678|B"]),
      ("Strefa numeracyjna,Numer\n22,7234591\n12,6234592\n", ["227234591|", "126234592|"]),
      ("Nr kierunkowy;Numer telefonu\n22;7234591\n12;6234592\n", ["227234591|", "126234592|"]),
      ("Numer kierunkowy;Numer;Nazwa\n22;7234591;A\n12;6234592;B\n", ["227234591|A", "126234592|B"]),
      ("Vorwahl;Rufnummer\n030;0301234567\n0171;01712345678\n", ["0301234567|", "01712345678|"]),
      // Each number of a field, and both of a range.
      (
        "country,phone,label\nDE,\"030 1234567, 0171 2345678\",a\nAT,01 5805801 / 0664 1234567,c\n",
        ["+49030 1234567|a", "+490171 2345678|a", "+4301 5805801|c", "+430664 1234567|c"]
      ),
      ("cc,phone\n49,030 1234500..030 1234599\n", ["+49030 1234500..+49030 1234599|"]),
      // Numbers that have an area code: their own, or another one.
      (
        "Vorwahl;Rufnummer\n030;1234567\n030;7654321\n030;2345678\n030;3456789\n030;01712345678\n030;(0171) 4567891\n"
          + "030;0171 2345678\n030;tel:4567891\n",
        [
          "0301234567|", "0307654321|", "0302345678|", "0303456789|", "01712345678|", "(0171) 4567891|",
          "0171 2345678|",
          "0304567891|",
        ]
      ),
      // The number is valid only with the code that it has.
      ("cc,phone\n1,12127365000\n", ["+12127365000|"]),
    ])
  func prefixesInOtherColumns(_ text: String, _ expected: [String]) throws {
    let found = try rows(text)
    #expect(found == expected)
  }

  /// Area codes in other notations, and in none that is understood.
  @Test(arguments: [
    ("(030)", "0301234567"), ("0(30)", "0301234567"), ("030-", "0301234567"), ("0 30", "0301234567"),
    ("030 (Berlin)", "0301234567"), ("Berlin 030", "0301234567"), ("033 203", "0332031234567"),
    ("+49(0)30", "+49301234567"), ("0049 30", "+49301234567"), ("+39 06", "+39061234567"),
    ("0xx31", "311234567"), ("0XX(41)", "411234567"), ("0049", "+491234567"),
    ("030/033", nil), ("030 oder 033", nil), ("212, 646", nil), ("91-93", nil), ("030 033", nil),
    ("21x", nil),
    ("n/a", nil), ("-", nil), ("?", nil), ("", nil), ("Berlin", nil), ("深圳", nil), ("1234567", nil),
  ])
  func notationsOfAreaCodes(_ code: String, _ expected: String?) throws {
    let rest = "030;7654321;B\n040;7654321;C\n\(code);01712345678;D\n"
    let outcome = try parse("Vorwahl;Rufnummer;Name\n\(code);1234567;A\n" + rest, tableOptions())
    let others = ["0307654321|B", "0407654321|C", "01712345678|D"]
    #expect(outcome.rows.map(\.description) == (expected.map { ["\($0)|A"] } ?? []) + others)
    #expect(outcome.codes == (expected == nil ? ["unknown-area-code"] : []))
    let object = #"[{"vorwahl":"\#(code)","nummer":"1234567","label":"A"}]"#
    let objects = try parse(object, options(.auto))
    #expect(objects.rows.map(\.description) == (expected.map { ["\($0)|A"] } ?? []))
    #expect(objects.codes == (expected == nil ? ["unknown-area-code"] : []))
  }

  @Test func areaCodesThatAreNotRead() throws {
    let outcome = try parse(
      "prefijo;telefono;nombre\n91;3456789;a\n93;4567890;b\n91/93;3456780;c\n", options(.auto))
    #expect(outcome.rows.map(\.description) == ["913456789|a", "934567890|b"])
    #expect(outcome.codes == ["unknown-area-code"])
    #expect(
      try unread("prefijo;telefono;nombre\n34;912345678;a\n34;932345678;b\n") == [.areaCode("prefijo")])
    #expect(
      try unread("area code,phone\n212,2125550143\n212,2125550144\n212,5550145\n") == [.areaCode("area code")]
    )
    #expect(
      try rows("Vorwahl;Telefon\n030;1234567\n030;0301234568\n;01711234569\n") == [
        "0301234567|", "0301234568|", "01711234569|",
      ])
  }

  // MARK: Several numbers

  @Test(arguments: [
    (
      "Nummer;Name;;Nummer;Name\n0301234501;A;;0301234601;F\n0301234502;B;;;\n",
      ["0301234501|A", "0301234601|F", "0301234502|B"]
    ),
    (
      "Name 1,Phone 1,Name 2,Phone 2\nA,2125550143,F,2125550144\n", ["2125550143|A", "2125550144|F"]
    ),
    ("Name;Telefon;Firma;Fax\nA;0301234501;B;0301234601\n", ["0301234501|A", "0301234601|A"]),
    (
      "Nummer;Zweitnummer;Faxnummer\n0301234501;0301234601;0301234701\n",
      ["0301234501|", "0301234601|", "0301234701|"]
    ),
    ("Phone,Alternate,Reason\n212-555-0143,310-555-0188,x\n", ["212-555-0143|x", "310-555-0188|x"]),
  ])
  func severalNumbersInARecord(_ text: String, _ expected: [String]) throws {
    #expect(try rows(text) == expected)
  }

  /// The numbers of those who report, and of users, are not those that were reported.
  @Test(arguments: [
    "Date,User Phone Number,Spam Number\n2024-01-05,030 1234501,0171 1234501\n2024-01-06,030 1234502,0171 1234502\n",
    "Date,User Phone Number,Number\n2024-01-05,030 1234501,0171 1234501\n2024-01-06,030 1234502,0171 1234502\n",
    "Customer Phone,Scammer Phone\n030 1234501,0171 1234501\n030 1234502,0171 1234502\n",
    "举报人电话,被举报号码\n030 1234501,0171 1234501\n030 1234502,0171 1234502\n",
    "举报人电话,号码\n030 1234501,0171 1234501\n030 1234502,0171 1234502\n",
    "用户电话,诈骗电话\n030 1234501,0171 1234501\n030 1234502,0171 1234502\n",
    "通報者電話番号,迷惑電話番号\n030 1234501,0171 1234501\n030 1234502,0171 1234502\n",
    "신고자 전화번호,전화번호\n030 1234501,0171 1234501\n030 1234502,0171 1234502\n",
    "Telefon Nutzer;Telefon\n030 1234501;0171 1234501\n030 1234502;0171 1234502\n",
    "Телефон заявителя;Телефон\n030 1234501;0171 1234501\n030 1234502;0171 1234502\n",
    #"[{"user_phone":"030 1234501","number":"0171 1234501"},{"user_phone":"030 1234502","number":"0171 1234502"}]"#,
    #"[{"举报人电话":"030 1234501","号码":"0171 1234501"},{"举报人电话":"030 1234502","号码":"0171 1234502"}]"#,
  ])
  func numbersOfReporters(_ text: String) throws {
    #expect(try rows(text) == ["0171 1234501|", "0171 1234502|"])
  }

  /// Alone, users' numbers are those of the list.
  @Test func numbersOfUsers() throws {
    #expect(
      try rows("Name,User Phone Number\nA,030 1234501\nB,030 1234502\n") == [
        "030 1234501|A", "030 1234502|B",
      ])
    #expect(try rows(#"[{"user_phone":"030 1234501"}]"#) == ["030 1234501|"])
  }

  @Test func aListOfNumbersIsClearerThanAFax() throws {
    let outcome = try parse(
      #"[{"business":"A","phones":["0255501201"],"fax":"0255501203"}]"#, options(.auto))
    #expect(outcome.rows == [] && outcome.codes == ["unusable-field"])
  }

  @Test func otherNumbersAreNamed() throws {
    #expect(
      try unread("Anrufdatum;Anrufnummer;R\u{fc}ckrufnummer;Dauer\n05.01.24;030 1234501;0900 1234502;12\n")
        == [
          .numbers(["R\u{fc}ckrufnummer"])
        ])
    #expect(
      try unread("Advertiser Line,Caller ID Number\n800-555-0100,212-555-0143\n,212-555-0144\n") == [
        .numbers(["Advertiser Line"])
      ])
  }

  /// Short numbers are rows, not names of columns.
  @Test(arguments: [
    ("Ziffern,Nutzung,Inhaber\n0151,Mobil,Telekom\n01511234501,Mobil,X\n01511234502,Festnetz,Y\n", 3),
    ("Wer,Was,Wann\n110,Telefon,heute\n0301234501,Anruf,gestern\n0301234502,Anruf,gestern\n", 3),
    ("0151,Mobil,Telekom\n01511234501,Mobil,X\n01511234502,Festnetz,Y\n", 3),
  ])
  func recordsWithWordsOfHeaders(_ text: String, _ count: Int) throws {
    #expect(try rows(text).count == count)
  }

  @Test func callsThroughExtensions() throws {
    let log =
      "Call Time,Caller ID,Destination,Talking\n2024-01-05 10:33:01,\"Desk (100)\",912345678,00:01\n"
      + "2024-01-05 10:35:01,612345678 (612345678),\"Sales (101)\",00:00\n"
      + "2024-01-05 10:36:01,+34 913 456 789,\"Sales (101)\",00:10\n"
      + "2024-01-05 10:37:01,Desk (100),Sales (101),00:10\n"
    let outcome = try parse(log, options(.auto))
    #expect(outcome.rows.map(\.text) == ["912345678", "612345678", "+34 913 456 789"].map { Array($0.utf8) })
    #expect(outcome.codes == ["internal-call"])
    let rest = #""x",SIP/1,SIP/2,Dial,y,2024-01-05,,2024-01-05,12,11,ANSWERED,DOCUMENTATION,17.1"#
    #expect(
      try rows(",2125550143,100,in,\(rest),\n,100,13105550188,out,\(rest),\n,2125550144,100,in,\(rest),\n")
        == ["2125550143|ANSWERED", "13105550188|ANSWERED", "2125550144|ANSWERED"])
    let json =
      #"[{"src":"2125550143","dst":"100","billsec":3},{"src":"100","dst":"13105550188","billsec":4}]"#
    #expect(try rows(json) == ["2125550143|", "13105550188|"])
    #expect(
      try unread("Date,From,To,Duration\nx,0301222222,0302111111,3\nx,0303111111,0304222222,4\n") == [
        .callees("To")
      ])
  }

  @Test func countriesThatAreNotUnderstoodAreRejects() throws {
    let text =
      "country_code,phone\n+49,301234567\n,2125550101\n999,2125550101\nxyz,2125550101\nxyz,+12125550101\n"
    let outcome = try parse(text, tableOptions())
    #expect(outcome.rows.map(\.description) == ["+49301234567|", "+12125550101|"])
    #expect(outcome.codes == ["unknown-country", "unknown-country", "unknown-country"])
    // Valid with and without the code: +49 4921 1234567 and +49 211 234567.
    let both = try parse("country_code,phone\n49,49211234567\n", tableOptions())
    #expect(both.codes == ["ambiguous-country"] && both.rows == [])
  }

  @Test func longNumbersBesideAreaCodes() throws {
    let text = "Vorwahl;Rufnummer\n30;1234567\n30;7654321\n30;2345678\n30;301234567\n30;1712345678\n"
    let outcome = try parse(text, tableOptions())
    #expect(outcome.rows.map(\.description) == ["301234567|", "307654321|", "302345678|"])
    #expect(outcome.codes == ["ambiguous-area-code", "ambiguous-area-code"])
    // Mobile numbers of Brazil have nine digits, and may begin like their codes.
    let mobile = "DDD;Telefone\n91;33334444\n91;33335555\n91;912345678\n"
    #expect(try parse(mobile, tableOptions()).codes == ["ambiguous-area-code"])
    var options = tableOptions()
    options.countryField = .constant("BR")
    #expect(
      try parse(mobile, options).rows.map(\.description) == [
        "+559133334444|", "+559133335555|", "+5591912345678|",
      ])
  }

  @Test func theCountryIsChosen() throws {
    func chosen(_ country: String, _ text: String, _ format: ParseOptions.Format = .csv) throws -> Outcome {
      try parse(text, options(format) { $0.countryField = FieldSelector(country) })
    }
    let text = "cc,where,phone\n49,US,2125550101\n"
    #expect(try chosen("where", text).rows.map(\.description) == ["+12125550101|"])
    #expect(try chosen("=", text).rows.map(\.description) == ["2125550101|"])
    #expect(try chosen("=US", text).rows.map(\.description) == ["+12125550101|"])
    #expect(try chosen("=nowhere", text).failure?.code == "unknown-country-constant")
    #expect(try chosen("where", "12345678\n", .lines).failure?.code == "country-without-columns")
    #expect(try chosen("=1", "{\"2125550101\": \"A\"}", .json).rows.map(\.description) == ["+12125550101|A"])
  }

  @Test func countriesInObjects() throws {
    let text =
      #"[{"phone":{"countryCode":"49","number":"301234567"}},{"phone":{"countryCode":1,"number":2125550101}}]"#
    #expect(try rows(text) == ["+49301234567|", "+12125550101|"])
    #expect(
      try rows(#"[{"country":"DE","phone":"301234567","name":"A"},{"phone":"+1212","country":null}]"#)
        == ["+49301234567|A", "+1212|"])
    let missing = try parse(#"[{"country":"DE","phone":"301234567"},{"phone":"301234568"}]"#)
    #expect(missing.codes == ["unknown-country"])
  }

  @Test(
    arguments: [
      ("+49", "49"), ("0049", "49"), ("49", "49"), ("de", "49"), ("Germany", "49"), ("Deutschland", "49"),
      ("DE (+49)", "49"), ("+1-242", "1242"), ("1", "1"), ("USA", "1"), ("États-Unis", nil), ("999", nil),
      ("", nil),
      ("4", nil), ("049", nil), ("中国", "86"),
    ] as [(String, String?)])
  func callingCodes(_ text: String, _ code: String?) {
    #expect(NumberPrefix.callingCode(text) == code)
  }

  // MARK: Ranges

  @Test func rangesThatAreNotRead() throws {
    #expect(
      try unread("33199000000;33199000999;A\n33199001000;33199001999;B\n") == [.lastNumbers(["2"])])
    #expect(
      try unread("Tranche_Debut;Tranche_Fin;Operateur\n0199000000;0199000999;A\n") == [
        .lastNumbers(["Tranche_Fin"])
      ])
    #expect(try unread("aa;bb;op\n0199000000;0199000999;A\n") == [.lastNumbers(["bb"])])
    #expect(try unread("aa;bb;op\n0199000000;0301234567;A\n") == [.numbers(["bb"])])
    let plan = "ABC/ DEF;From;To;Capacity;Operator\n900;0000000;0061999;62000;Mobile One\n"
    #expect(try rows(plan) == ["9000000000|Mobile One"])
    #expect(try unread(plan) == [.lastNumbers(["To"])])
    var chosen = options(.auto)
    chosen.lastField = .name("To")
    #expect(try rows(plan, chosen) == ["9000000000..9000061999|Mobile One"])
  }

  /// The first digits are in a column of their own; the hint is followed.
  @Test(
    arguments: [
      ("prefijo;desde;hasta\n911;200000;299999\n", "911200000|", "911200000..911299999|"),
      ("prefijo;desde;hasta\n911;2000000;2999999\n", "9112000000|", "9112000000..9112999999|"),
      ("prefix,start,end,operator\n33199,20000,29999,A\n", "3319920000|A", "3319920000..3319929999|A"),
      ("operator,range,from,to\nA,0199,200000,200999\n", "0199200000|A", "0199200000..0199200999|A"),
      ("Vorwahl;von;bis;Firma\n0199;20000;29999;A\n", "019920000|A", "019920000..019929999|A"),
      ("předvolba;od;do\n199;200000;299999\n", "199200000|", "199200000..199299999|"),
      ("DEF;От;До\n900;200000;299999\n", "900200000|", "900200000..900299999|"),
      // The numbers begin with their prefix.
      ("prefix,from,to\n33199,33199000000,33199009999\n", "33199|", "33199000000..33199009999|"),
    ])
  func rangesBesideTheirPrefix(_ text: String, _ first: String, _ range: String) throws {
    #expect(try rows(text) == [first])
    guard case .lastNumbers(let fields)? = try unread(text).first else {
      Issue.record("no last numbers in \(text)")
      return
    }
    var chosen = options(.auto)
    chosen.lastField = .name(fields[0])
    #expect(try rows(text, chosen) == [range])
  }

  // MARK: Quotes and missing values

  @Test func quotesMeanTheSameEverywhere() throws {
    var text = "Tel\tWho\n"
    for index in 0..<4000 { text += "+4930\(1_000_000 + index)\tSpam \(index)\n" }
    text +=
      "+49302222222\t\"Smith \"\"&\"\" Co\nBerlin\"\n+49302222223\t\"A\" B\n+49302222224\t\"C\n+49302222225\tD\n"
    for cuts in [[], [65536], [1000, 7, 300_000]] {
      let outcome = try parse([Array(text.utf8)], options(.auto), cuts: cuts, heldStep: 1024)
      #expect(
        outcome.rows.suffix(4).map(\.description) == [
          "+49302222222|Smith \"&\" Co\\nBerlin", "+49302222223|\"A\" B", "+49302222224|\"C",
          "+49302222225|D",
        ])
      #expect(outcome.rejects == [] && outcome.rows.count == 4004)
    }
  }

  @Test func missingValues() throws {
    for separator in ["\t", ","] {
      let text = ["phone,label", "+4930123456,\\N", "+4930123457,Spam", "\\N,x", ""].joined(separator: "\n")
        .replacing(",", with: separator)
      let outcome = try parse(text, options(.auto))
      #expect(outcome.rows.first?.description == "+4930123456|" && outcome.rows.count >= 2)
    }
  }
}
