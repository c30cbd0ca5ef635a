// Whose number it is: columns and fields of callers beside those of the people whom they called, who report, or who keep
// the list.

import Records
import Testing

@testable import InputStages

@Suite("Roles of numbers")
struct NumberRoleTests {
  private func rows(_ text: String) throws -> [String] {
    let outcome = try parseInPieces(Array(text.utf8), options(.auto), startBytes: 4096)
    #expect(outcome.failure == nil && outcome.rejects == [], "\(text)")
    return outcome.rows.map(\.description)
  }

  private func unread(_ text: String) throws -> [UnreadFields] {
    try parseWithNotices(Array(text.utf8), options(.auto)).layouts.first?.unread ?? []
  }

  // MARK: Callers

  /// A word for the one who calls or deceives, inflected or in a compound, beside any phone.
  @Test(arguments: [
    ("Phone", "Spam Number"), ("Mobile", "Scammer's number"), ("Contact number", "Robocaller phone"),
    ("Telefoon", "Nummer van de oplichter"), ("Telefoonnummer", "Bellernummer"),
    ("Telefonnummer", "Spamnummer"), ("Rufnummer", "Betrügernummer"), ("Handy", "Nummer des Betrügers"),
    ("Telefon", "Welche Nummer hat Sie angerufen?"), ("Kundentelefon", "Störnummer"),
    ("Rückrufnummer", "Störer"),
    ("Telefonnummer", "Spam-Nr."), ("Téléphone", "Numéro de l’arnaqueur"), ("Portable", "Numéro frauduleux"),
    ("Teléfono", "Número del estafador"), ("Celular", "Teléfono sospechoso"),
    ("Telefone", "Número do golpista"),
    ("Celular", "Número de golpe"), ("Telefono", "Numero che ha chiamato"),
    ("Cellulare", "Numero del truffatore"),
    ("Telefon", "Numer oszusta"), ("Telefon", "Numer dzwoniącego"), ("Telefon", "Číslo podvodníka"),
    ("Telefonszám", "Csaló száma"), ("Telefon", "Numărul escrocului"), ("Telefon", "Dolandırıcı numarası"),
    ("Телефон", "Номер мошенников"), ("Телефон", "Номер шахрая"), ("Τηλέφωνο", "Αριθμός απατεώνα"),
    ("הטלפון", "מספר הנוכל"), ("الهاتف", "رقم المحتال"), ("โทรศัพท์", "เบอร์มิจฉาชีพ"),
    ("Điện thoại", "Số lừa đảo"), ("Telepon", "Nomor penipu"), ("电话", "骚扰号码"), ("電話", "詐騙號碼"),
    ("電話番号", "詐欺番号"), ("연락처", "스팸번호"), ("전화번호", "사기 전화"), ("Puhelin", "Huijausnumero"),
    ("Telefon", "Bedragarens nummer"),
  ])
  func theCallersNumberIsRead(_ phone: String, _ caller: String) throws {
    for (header, first) in [("\(phone);\(caller)", false), ("\(caller);\(phone)", true)] {
      let own = ["2125550100", "2125550101"]
      let lines = zip(own, ["6465550143", "6465550144"]).map { first ? "\($1);\($0);x" : "\($0);\($1);x" }
      let text = "\(header);Text\n" + lines.joined(separator: "\n") + "\n"
      #expect(try rows(text).map { $0.prefix(10) } == ["6465550143", "6465550144"], "\(header)")
    }
  }

  @Test func otherNumbersAreNamed() throws {
    #expect(
      try unread("Phone,Spam Number\n2125550100,6465550143\n2125550101,6465550144\n") == [.numbers(["Phone"])]
    )
    #expect(
      try unread("Telefon;Störer\n030 1234500;030 1234501\n030 1234510;030 1234502\n") == [
        .numbers(["Telefon"])
      ])
  }

  // MARK: Calls

  /// In a log whose names don't show the parties, the line that all calls have is not the caller.
  @Test func aLineOfAllCallsIsNotTheCaller() throws {
    let lines = "030 1234500;030 1234501;00:00:10\n030 1234500;030 1234502;00:00:11\n"
    let text = "Qqq numer;Zzz numer;Duration\n" + lines
    #expect(try rows(text).map { $0.prefix(11) } == ["030 1234501", "030 1234502"])
  }

  @Test func otherNumbersOfCallsAreNamed() throws {
    #expect(
      try unread(
        "Qqq numer;Zzz numer;Duration\n030 1234500;030 1234501;10\n030 1234510;030 1234502;11\n")
        == [.numbers(["Zzz numer"])])
  }

  /// Outgoing calls by the line, if neither the other party's name nor the word for the direction is known.
  @Test(arguments: [
    "Art;Von;Nach;Dauer", "Kind;Caller;Qqq;Duration", "Kind;Qqq;Callee;Duration", "Type;De;Vers;Durée",
    "Call Type;Calling No;Called No;Duration", "Sens;Apelant;Apelat;Durata",
  ])
  func unknownDirections(_ header: String) throws {
    let text =
      header + "\nxin;030 1234501;0171 1234500;12\nxout;0171 1234500;030 1234502;33\n"
      + "xin;030 1234503;0171 1234500;12\n"
    let expected = ["030 1234501", "030 1234502", "030 1234503"]
    #expect(try rows(text).map { String($0.prefix(11)) } == expected)
  }

  /// Without one line in all calls, a direction in unknown words shows nothing.
  @Test func directionsWithoutAKnownWord() throws {
    let text =
      "Richtung;Anrufer;Angerufener;Dauer\nxin;030 1234501;0171 1234500;1\nxout;0171 1234501;030 1234502;3\n"
    #expect(try unread(text) == [.callees("Angerufener")])
  }

  /// Words that only look like those of callers, and the name of the one who reports.
  @Test(arguments: [
    ("Phone,Spam reports\n6465550143,12\n6465550144,15\n", ["6465550143|", "6465550144|"]),
    ("Phone,Store Number\n6465550143,12\n6465550144,15\n", ["6465550143|", "6465550144|"]),
    (
      "Number,Reported by phone\n6465550143,2125550100\n6465550144,2125550101\n",
      ["6465550143|", "6465550144|"]
    ),
    ("Name,Phone,Scam Number\nJoe,2125550100,6465550143\n", ["6465550143|"]),
    ("Phone,Scam Number,Name\n2125550100,6465550143,Bank\n", ["6465550143|Bank"]),
    ("Blocked Number 1,Blocked Number 2\n6465550143,6465550144\n", ["6465550143|", "6465550144|"]),
  ])
  func namesBesideCallers(_ text: String, _ expected: [String]) throws {
    #expect(try rows(text) == expected)
  }

  /// The caller is the number, not the one who is called.
  @Test(arguments: [
    ("To", "From"), ("Dialed Number", "ANI"), ("DNIS", "ANI"), ("Recipient", "Sender"),
    ("Angerufene Nummer", "Anrufende Nummer"), ("Gerufene Nummer", "Rufende Nummer"),
    ("Zielrufnummer", "Quellrufnummer"), ("Gebeld nummer", "Bellend nummer"),
    ("Вызываемый номер", "Вызывающий номер"),
    ("Кому", "Кто"), ("Số bị gọi", "Số gọi đến"), ("מספר נקרא", "מספר מתקשר"),
    ("Numéro appelé", "Numéro appelant"),
    ("Destinatario", "Remitente"),
  ])
  func theCalledNumberIsNotRead(_ called: String, _ caller: String) throws {
    for records in [["2125550100;6465550143"], ["2125550199;6465550143", "9175550100;6465550144"]] {
      let numbers = ["6465550143", "6465550144"].prefix(records.count)
      #expect(
        try rows("\(called);\(caller)\n" + records.joined(separator: "\n") + "\n").map { $0.prefix(10) }
          == numbers.map { $0[...] })
      let turned = records.map { $0.split(separator: ";").reversed().joined(separator: ";") }
      #expect(
        try rows("\(caller);\(called)\n" + turned.joined(separator: "\n") + "\n").map { $0.prefix(10) }
          == numbers.map { $0[...] })
    }
    #expect(
      try unread("\(called);\(caller)\n9175550100;6465550143\n2125550100;6465550144\n") == [.callees(called)])
  }

  // MARK: Other numbers of a record

  /// A bare name for numbers beside one for phones is that of a customer or an invoice.
  @Test(arguments: [
    ("Nummer", "Kunde", "Telefon"), ("Number", "Customer", "Phone"), ("Numéro", "Client", "Téléphone"),
    ("Número", "Cliente", "Teléfono"), ("Número", "Cliente", "Telefone"), ("Numero", "Data", "Telefono"),
    ("Nummer", "Klant", "Telefoon"), ("Numer", "Klient", "Telefon"), ("Numara", "Müşteri", "Telefon"),
    ("Номер", "Клиент", "Телефон"), ("号码", "客户", "电话"), ("番号", "氏名", "電話番号"), ("번호", "이름", "전화"),
    ("Số", "Tên", "Điện thoại"),
  ])
  func numbersOfCustomers(_ number: String, _ other: String, _ phone: String) throws {
    let text = "\(number);\(other);\(phone)\n4711123450;A;0301234501\n4711123467;B;0301234502\n"
    #expect(try rows(text).map { $0.prefix(10) } == ["0301234501", "0301234502"])
    #expect(try unread(text).contains(.numbers([number])))
    let turned = "\(phone);\(other);\(number)\n0301234501;A;4711123450\n0301234502;B;4711123467\n"
    #expect(try rows(turned).map { $0.prefix(10) } == ["0301234501", "0301234502"])
  }

  @Test func numbersBesideEmptyPhones() throws {
    #expect(
      try rows("Nummer;Kunde;Telefon\n0301234501;A;\n0301234502;B;\n").map { $0.prefix(10) }
        == ["0301234501", "0301234502"])
  }

  // MARK: Objects

  @Test(arguments: [
    #"[{"user":{"phone":"2125550100"},"reported":"6465550143","label":"x"}]"#,
    #"[{"reported":"6465550143","user":{"phone":"2125550100"},"label":"x"}]"#,
    #"[{"reporter":{"phone":"2125550100"},"spammer":{"phone":"6465550143"},"label":"x"}]"#,
    #"[{"spammer":{"phone":"6465550143"},"reporter":{"phone":"2125550100"},"label":"x"}]"#,
    #"[{"victim":{"phone":"2125550100"},"caller":{"phone":"6465550143"},"label":"x"}]"#,
    #"[{"to":{"number":"2125550100"},"from":{"number":"6465550143"},"label":"x"}]"#,
    #"[{"melder":{"telefon":"2125550100"},"anrufer":{"telefon":"6465550143"},"label":"x"}]"#,
    #"[{"reporter":{"name":"Joe","phone":"2125550100"},"scammer":{"name":"x","phone":"6465550143"}}]"#,
    #"[{"phone":"2125550100","spam_number":"6465550143","label":"x"}]"#,
    #"[{"dialed_number":"2125550100","ani":"6465550143","label":"x"}]"#,
    #"[{"phone":"2125550100","scammer":"6465550143","label":"x"}]"#,
    #"{"data":[{"telefono":"2125550100","estafador":{"telefono":"6465550143"},"label":"x"}]}"#,
  ])
  func callersInObjects(_ text: String) throws {
    let outcome = try parseHoweverCut(text, jsonOptions())
    #expect(outcome.rows.map(\.description) == ["6465550143|x"] && outcome.rejects == [])
  }

  /// The object around a list, and one beside it.
  @Test(arguments: [
    #"{"account":{"name":"Joe","phone":"2125550100"},"calls":[{"phone":"6465550143","name":"x"}]}"#,
    #"{"calls":[{"phone":"6465550143","name":"x"}],"account":{"name":"Joe","phone":"2125550100"}}"#,
    #"{"data":{"me":{"phone":"2125550100"},"list":[{"phone":"6465550143","name":"x"}]}}"#,
  ])
  func objectsBesideTheList(_ text: String) throws {
    let outcome = try parseHoweverCut(text, jsonOptions())
    #expect(outcome.rows.map(\.description) == ["6465550143|x"] && outcome.codes == ["outside-rows"])
  }

  // MARK: Lists of numbers that are not blocked

  @Test(arguments: [
    (#"{"blocked":["6465550143"],"whitelist":["2125550100"]}"#, ["6465550143|"]),
    (#"{"whitelist":["2125550100"],"blocked":["6465550143"]}"#, ["6465550143|"]),
    (#"{"spam":[6465550143],"ok":[2125550100]}"#, ["6465550143|"]),
    (#"{"spam":{"6465550143":"crypto"},"whitelist":{"2125550100":"GP"}}"#, ["6465550143|crypto"]),
    (#"{"not_spam":{"2125550100":"GP"},"spam":{"6465550143":"crypto"}}"#, ["6465550143|crypto"]),
    (
      "{\n\"ham\": {\n\"2125550100\": \"GP\"\n},\n\"spam\": {\n\"6465550143\": \"crypto\"\n}\n}\n",
      ["6465550143|crypto"]
    ),
    (#"{"lists":{"friends":["2125550100"],"scam":["6465550143"]}}"#, ["6465550143|"]),
    (
      #"{"family":{"Oma":"+12125550100"},"scam":{"Bank":"+16465550143","Tax":"+16465550144"}}"#,
      ["+16465550143|Bank", "+16465550144|Tax"]
    ),
    (#"[{"legit":["2125550100"]},{"spam":["6465550143"]}]"#, ["6465550143|"]),
  ])
  func listsOfTextsAndPairs(_ text: String, _ expected: [String]) throws {
    for cuts in staccato {
      let outcome = try parse(text, options(.json), cuts: cuts)
      #expect(outcome.rows.map(\.description) == expected && outcome.codes == ["other-list"], "cut \(cuts)")
    }
  }

  /// The only lists, and pairs after one.
  @Test(arguments: [
    (#"{"contacts":["2125550100","2125550101"]}"#, 2, 0),
    (#"{"version":20260101,"friends":{"2125550100":"a","2125550101":"b"}}"#, 2, 0),
    (#"{"2125550100":"ok","2125550101":"verified"}"#, 2, 0),
    (#"{"whitelist":["6465550143"],"2125550100":"a","2125550101":"b"}"#, 2, 1),
    ("{\"whitelist\":[\"6465550143\"]}\n{\"spam\":[[\"2125550100\",\"a\"],[\"2125550101\",\"b\"]]}\n", 2, 1),
  ])
  func onlyLists(_ text: String, _ count: Int, _ others: Int) throws {
    for cuts in staccato {
      let outcome = try parse(text, options(.json), cuts: cuts)
      let rows = outcome.rows.map(\.description).filter { $0.hasPrefix("212") }
      #expect(
        rows.count == count && outcome.codes.filter { $0 == "other-list" }.count == others, "cut \(cuts)")
    }
  }

  // MARK: Rows that are not blocked

  @Test(arguments: [
    "Number,Name,Blocked\n6465550143,a,Yes\n2125550100,b,No\n6465550144,c,yes\n",
    "Number,Name,is_blocked\n6465550143,a,true\n2125550100,b,FALSE\n6465550144,c,true\n",
    "Number,Name,Action\n6465550143,a,block\n2125550100,b,allow\n6465550144,c,Block\n",
    "Nummer;Name;Gesperrt\n6465550143;a;ja\n2125550100;b;nein\n6465550144;c;ja\n",
    "Numéro;Nom;Liste\n6465550143;a;noire\n2125550100;b;liste blanche\n6465550144;c;noire\n",
    "号码,姓名,名单\n6465550143,a,黑名单\n2125550100,b,白名单\n6465550144,c,黑名单\n",
    "First Name,Last Name,Phone 1 - Value,Blocked\n,a,6465550143,Yes\n,b,2125550100,No\n,c,6465550144,Yes\n",
    "Number,Name,Blocked\n6465550143,a,1\n2125550100,b,0\n6465550144,c,1\n",
    "Number,Name,is_spam\n6465550143,a,1\n2125550100,b,0\n6465550144,c,1\n",
    "Number,Name,Spam?\n6465550143,a,yes\n2125550100,b,no\n6465550144,c,\n",
    "Number,Name,Whitelisted\n6465550143,a,false\n2125550100,b,true\n6465550144,c,false\n",
    "Číslo;Jméno;Stav\n6465550143;a;blokováno\n2125550100;b;povoleno\n6465550144;c;blokováno\n",
    "Number,Name,Type\n6465550143,a,blacklist\n2125550100,b,whitelist\n6465550144,c,blacklist\n",
    "Número;Nombre;Estado\n6465550143;a;spam\n2125550100;b;permitido\n6465550144;c;estafa\n",
    "Номер;Имя;Статус\n6465550143;a;заблокирован\n2125550100;b;разрешён\n6465550144;c;заблокирован\n",
    // The clearest column decides.
    "Number,Name,Status,Blocked\n6465550143,a,allowed,yes\n2125550100,b,blocked,no\n6465550144,c,blocked,yes\n",
  ])
  func rowsThatAreNotBlocked(_ text: String) throws {
    let outcome = try parseInPieces(Array(text.utf8), options(.csv), startBytes: 4096)
    #expect(outcome.rows.map(\.description) == ["6465550143|a", "6465550144|c"])
    #expect(outcome.codes == ["not-blocked"])
  }

  static let objects = [
    #""blocked":false"#, #""blocked":"no""#, #""blocked":0"#, #""Blocked":"FALSE""#, #""action":"allow""#,
    #""isSpam":false"#, #""is_spam":0"#, #""status":"whitelisted""#, #""type":"allow""#,
    #""gesperrt":"nein""#,
    #""whitelisted":true"#, #""bl\u006fcked":false"#,
  ]
  static let blocking = [
    #""blocked":true"#, #""blocked":"yes""#, #""blocked":1"#, #""Blocked":"TRUE""#, #""action":"block""#,
    #""isSpam":true"#, #""is_spam":1"#, #""status":"blacklisted""#, #""type":"deny""#, #""gesperrt":"ja""#,
    #""whitelisted":false"#, #""blocked":true"#,
  ]

  @Test(arguments: zip(objects, blocking))
  func objectsThatAreNotBlocked(_ allowed: String, _ blocked: String) throws {
    let objects = [
      "{\"name\":\"a\",\"phone\":\"6465550143\"}", "{\(allowed),\"phone\":\"2125550100\",\"name\":\"b\"}",
      "{\"phone\":\"6465550144\",\(blocked),\"name\":\"c\"}",
    ]
    for text in [
      "[\(objects.joined(separator: ","))]", objects.joined(separator: "\n") + "\n",
      "{\"status\":\"ok\",\"list\":[\(objects.joined(separator: ",\n"))]}",
    ] {
      let outcome = try parseInPieces(Array(text.utf8), options(.auto))
      #expect(outcome.rows.map(\.description) == ["6465550143|a", "6465550144|c"], "\(text)")
      #expect(outcome.codes == ["not-blocked"], "\(text)")
    }
  }

  @Test func detailsOfNumbersThatAreNotBlocked() throws {
    let text =
      #"{"6465550143":{"label":"a","blocked":true},"2125550100":{"label":"b","blocked":false},"6465550144":"c"}"#
    let outcome = try parseInPieces(Array(text.utf8), options(.json))
    #expect(outcome.rows.map(\.description) == ["6465550143|a", "6465550144|c"])
    #expect(outcome.codes == ["not-blocked"])
  }

  @Test(arguments: [
    #"[{"phone":"6465550143","blocked":false},{"phone":"6465550144","blocked":false}]"#,
    #"[{"phone":"6465550143","spam":0},{"phone":"6465550144","spam":12}]"#,
    #"[{"phone":"6465550143","type":"mobile"},{"phone":"6465550144","type":"landline"}]"#,
    #"[{"phone":"6465550143","date":"2026-11-01","time":"10:15","blocked":false},{"phone":"6465550144","blocked":true}]"#,
    #"[{"phone":"6465550143","x":{"blocked":false}},{"phone":"6465550144","x":{"blocked":true}}]"#,
  ])
  func fieldsThatBlockNothing(_ text: String) throws {
    #expect(try rows(text).count == 2)
  }

  /// If no row is blocked, or in a list of calls, the column is about something else.
  @Test(arguments: [
    "phone,label,blocked\n6465550143,a,0\n6465550144,b,3\n",
    "Date,Time,Number,Blocked?\n2026-11-01,10:15,6465550143,Y\n2026-11-02,11:15,6465550144,N\n",
    "Datum;Uhrzeit;Nummer;Blockiert\n2026-11-01;10:15;6465550143;ja\n2026-11-02;11:15;6465550144;nein\n",
    "Number,Blocked\n6465550143,No\n6465550144,No\n", "Number,Action\n6465550143,no\n6465550144,none\n",
    "Number,Status\n6465550143,active\n6465550144,no\n", "Number,Spam\n6465550143,0\n6465550144,12\n",
    "Number,Type\n6465550143,allow\n6465550144,allow\n",
  ])
  func columnsThatBlockNothing(_ text: String) throws {
    #expect(try rows(text).count == 2)
  }

  // MARK: Labels

  @Test(arguments: [
    ("Phone,State,Type of Call\n2125550143,NY,Robocall\n", "2125550143|Robocall"),
    ("Phone,State,Spam type\n2125550143,NY,Robocall\n", "2125550143|Robocall"),
    ("Teléfono;Estado;Tipo de estafa\n2125550143;NY;banco\n", "2125550143|banco"),
    ("Telefon;Ort;Masche\n2125550143;Berlin;Enkeltrick\n", "2125550143|Enkeltrick"),
    ("Телефон;Город;Кто звонил\n2125550143;Тверь;банк\n", "2125550143|банк"),
    ("Phone,Calls,ZIP\n2125550143,5,10001\n", "2125550143|"),
    ("Telefon;PLZ\n0301234501;10115\n", "0301234501|"),
    ("Numéro;Société;Commentaire\n0162112233;Isolation Plus;le soir\n", "0162112233|Isolation Plus"),
    ("Nummer;Bemerkung;Firma\n0301234501;abends;Gas AG\n", "0301234501|Gas AG"),
    (
      "Timestamp,Your name,Your phone,What number called you?,What happened?\n"
        + "2026-11-01,Joe,2125550100,646-555-0143,fake IRS\n", "646-555-0143|fake IRS"
    ),
    ("Ihr Name;Nummer;Was ist passiert?\nEva;0301234501;Abo\n", "0301234501|Abo"),
  ])
  func labels(_ text: String, _ row: String) throws {
    #expect(try rows(text) == [row])
  }
}
