// Rows of tables and JSON whose numbers are on a list no longer, or never were to be blocked: by a column or a field, by a
// remark, by a heading above them.

import Records
import Testing

@testable import InputStages

@Suite("Rows that are not blocked")
struct UnblockedRowTests {
  /// The rows with numbers of the area 646 are blocked, and those of 212 are not.
  private func check(
    _ text: String, _ format: ParseOptions.Format = .auto, codes: Set<String> = ["not-blocked"],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let outcome = try parseInPieces(
      Array(text.utf8), options(format), startBytes: 4096, sourceLocation: sourceLocation)
    let rows = outcome.rows.map { String($0.description.trimmingPrefix("+1").prefix(3)) }
    #expect(
      outcome.failure == nil && !rows.isEmpty && Set(rows) == ["646"], "\(text)",
      sourceLocation: sourceLocation)
    #expect(Set(outcome.codes) == codes, "\(text)", sourceLocation: sourceLocation)
  }

  /// A table with this column, in which the first texts are those of blocked numbers.
  private func table(_ name: String, _ blocked: [String], _ unblocked: [String]) -> String {
    let rows =
      blocked.enumerated().map { "646555010\($0);a;\($1)" }
      + unblocked.enumerated().map { "212555010\($0);b;\($1)" }
    return "Number;Who;\(name)\n" + rows.joined(separator: "\n") + "\n"
  }

  // MARK: Columns

  @Test(arguments: [
    ("Bloccare?", ["si"], ["no"]), ("Sperren?", ["ja"], ["nein"]), ("À bloquer", ["oui"], ["non"]),
    ("¿Bloquear?", ["sí"], ["no"]), ("บล็อก", ["ใช่"], ["ไม่"]), ("Sperre", ["ein"], ["aus"]),
    ("Gesperrt", ["an"], ["aus"]), ("Gesperrt", ["x", "x"], [""]), ("Blocked", ["X", "x"], ["", ""]),
    ("Blocked", ["✓"], ["✗"]), ("Blocked", ["✔"], ["✘", ""]), ("Blocked", ["☑"], ["☐"]),
    ("Gesperrt", ["ja"], ["-"]), ("Blocked", ["on"], ["off"]), ("Blocked", ["yes", "yes"], [""]),
    ("Blocked", ["2026-11-01", "2026-11-02"], [""]), ("屏蔽", ["是"], ["否"]), ("Blocked", ["1"], ["0"]),
  ])
  func columnsOfBlocked(_ name: String, _ blocked: [String], _ unblocked: [String]) throws {
    try check(table(name, blocked, unblocked))
  }

  @Test(arguments: [
    ("Active", ["yes"], ["no"]), ("Aktiv", ["ja"], ["nein"]), ("enabled", ["1"], ["0"]),
    ("Activ", ["da"], ["nu"]), ("启用", ["是"], ["否"]),
    ("Unblocked on", [""], ["2026-11-04"]), ("Débloqué le", [""], ["04.11.2026"]),
    ("Odblokováno", ["", ""], ["04.11.2026"]), ("Deleted", ["", "No"], ["Yes"]),
    ("Removed", ["-"], ["4 May 2026", "1793491200", "wrong number"]), ("解除日", [""], ["2026/11/04"]),
    ("Status", ["blocked"], ["removed", "deleted", "resolved", "expired", "cleared"]),
    ("Status", ["active"], ["inactive"]), ("Durum", ["Engelli"], ["Kaldırıldı"]),
    ("Stav", ["blokováno"], ["odblokováno"]), ("状态", ["骚扰"], ["已解除"]),
    ("Status", ["gesperrt"], ["aufgehoben", "gelöscht", "freigegeben"]), ("op", ["add"], ["remove"]),
    ("Event", ["created"], ["deleted"]), ("Action", ["block"], ["unblock", "remove"]),
    ("Rating", ["negative"], ["positive"]),
  ])
  func columnsOfRemoved(_ name: String, _ blocked: [String], _ unblocked: [String]) throws {
    try check(table(name, blocked, unblocked))
  }

  @Test(arguments: [
    ("Notes", ["silent call"], ["do not block", "NOT SPAM - my doctor", "removed"]),
    ("Bemerkung", ["Werbung"], ["nicht sperren", "wieder freigegeben", "Arzt, gelöscht"]),
    ("Remarque", ["démarchage"], ["débloqué", "retiré de la liste"]), ("备注", ["骚扰"], ["误报", "已解除"]),
    ("Comment", ["fake bank"], ["false positive - remove from list"]), ("Info", ["?"], ["do not block"]),
  ])
  func remarks(_ name: String, _ blocked: [String], _ unblocked: [String]) throws {
    try check(table(name, blocked, unblocked))
    // Without names.
    if name == "Info" {
      try check("6465550143,robot\n6465550144,call\n2125550100,do not block\n", .csv)
    }
  }

  /// Several columns: any of them decides, apart from the clearest of those that say what is blocked.
  @Test func severalColumns() throws {
    let header = "Number;Who;Blocked;Unblocked;Notes\n"
    try check(
      header + "6465550143;a;01.11.2026;;\n2125550100;b;02.11.2026;04.11.2026;\n"
        + "2125550101;c;03.11.2026;;do not block\n6465550144;d;03.11.2026;;evening\n")
  }

  @Test(arguments: [
    "Number,Removed\n6465550143,2\n6465550144,30\n", "Number,Who,Comment\n6465550143,a,virus removed\n",
    "Number,Blocked\n6465550143,0\n6465550144,3\n", "Number,Rating\n6465550143,5\n6465550144,1\n",
    "Number,Active\n6465550143,2\n6465550144,0\n", "Number,Event\n6465550143,call\n6465550144,sms\n",
    "Number,Info\n6465550143,removed\n6465550144,x\n", "Number,Deleted\n6465550143,\n6465550144,no\n",
    "Date,Time,Number,Result\n2026-11-01,10:15,6465550143,released\n2026-11-01,10:16,6465550144,cleared\n",
  ])
  func otherColumns(_ text: String) throws {
    try check(text, codes: [])
  }

  // MARK: JSON

  @Test(arguments: [
    (#""deleted":false"#, #""deleted":true"#),
    (#""removed_at":null"#, #""removed_at":"2026-11-01T10:00:00Z""#),
    (#""active":true"#, #""active":false"#), (#""enabled":1"#, #""enabled":0"#),
    (#""op":"add""#, #""op":"remove""#), (#""action":"block""#, #""action":"delete""#),
    (#""event":"added""#, #""event":"removed""#), (#""type":"add""#, #""type":"unblock""#),
    (#""notes":"robot""#, #""notes":"do not block""#), (#""status":"active""#, #""status":"expired""#),
    (#""rating":"negative""#, #""rating":"positive""#), (#""blocked":"x""#, #""blocked":"""#),
  ])
  func objects(_ blocked: String, _ unblocked: String) throws {
    let objects = [
      "{\"phone\":\"6465550143\",\"name\":\"a\"}", "{\(unblocked),\"phone\":\"2125550100\",\"name\":\"b\"}",
      "{\"phone\":\"6465550144\",\(blocked),\"name\":\"c\"}",
    ]
    try check("[\(objects.joined(separator: ","))]")
    try check(objects.joined(separator: "\n") + "\n")
  }

  /// Objects without the field are blocked, also if no other object has it with another value.
  @Test(arguments: [
    #""blocked":false"#, #""blocked":0"#, #""status":"whitelisted""#, #""whitelisted":true"#,
    #""active":false"#,
  ])
  func fieldsOfSomeObjects(_ unblocked: String) throws {
    let objects = [
      #"{"phone":"6465550143","name":"a"}"#, "{\"phone\":\"2125550100\",\"name\":\"b\",\(unblocked)}",
    ]
    try check("[\(objects.joined(separator: ","))]")
    try check("{\"data\":[\(objects.reversed().joined(separator: ","))]}")
    try check(objects.joined(separator: "\n") + "\n")
    try check("{\"6465550143\":{\"label\":\"a\"},\"2125550100\":{\"label\":\"b\",\(unblocked)}}", .json)
  }

  @Test func fieldsOfObjectsAfterTheStart() throws {
    let object = "{\"phone\":\"6465550143\",\"name\":\"a\"}\n"
    let count = ParseLimits.startBytesMax / object.utf8.count + 1
    let outcome = try parse(
      String(repeating: object, count: count) + #"{"phone":"2125550100","name":"b","blocked":false}"# + "\n")
    #expect(outcome.rows.count == count && outcome.codes == ["not-blocked"])
  }

  /// What all objects have is about something else.
  @Test func fieldsOfAllObjects() throws {
    let object = #"{"phone":"6465550143","blocked":false}"#
    try check("[\(object),\(object)]", codes: [])
    try check(String(repeating: object + "\n", count: 200), codes: [])
  }

  @Test func severalFields() throws {
    try check(
      #"[{"phone":"6465550143","active":true,"deleted":false},{"phone":"2125550100","active":false,"deleted":false},"#
        + #"{"phone":"2125550101","active":true,"deleted":true}]"#)
    try check(
      #"{"6465550143":{"label":"a","active":true},"2125550100":{"label":"not spam","active":true},"#
        + #""2125550101":{"label":"b","active":false}}"#, .json)
  }

  @Test(arguments: [
    #"{"+16465550143":"spam","+12125550100":"not spam","+12125550101":"ok"}"#,
    #"{"+16465550143":true,"+12125550100":false}"#, #"{"+16465550143":"yes","+12125550100":"no"}"#,
    #"{"+16465550143":"bank","+16465550144":"a","+12125550100":"whitelisted"}"#,
    #"[["+16465550143","spam"],["+12125550100","not spam"]]"#,
    #"{"+16465550143":"a","+12125550100":"allow"}"#,
  ])
  func pairs(_ text: String) throws {
    let outcome = try parseInPieces(Array(text.utf8), options(.json))
    #expect(outcome.rows.allSatisfy { $0.description.hasPrefix("+1646") } && !outcome.rows.isEmpty, "\(text)")
    #expect(Set(outcome.codes) == ["not-blocked"], "\(text)")
  }

  @Test(arguments: [
    #"{"6465550143":"x","6465550144":"n"}"#, #"{"6465550143":"0","6465550144":"3"}"#,
    #"{"6465550143":"ok","6465550144":"verified"}"#, #"{"6465550143":"virus removed"}"#,
  ])
  func otherPairs(_ text: String) throws {
    try check(text, .json, codes: [])
  }

  @Test(arguments: [
    "remove", "delete", "vip", "owner", "never_block", "neverBlock", "do_not_block", "doNotBlockList",
    "nicht sperren", "ne pas bloquer", "false positives", "falsePositives", "not_spam",
  ])
  func listsOfOthers(_ name: String) throws {
    try check("{\"block\":[\"6465550143\"],\"\(name)\":[\"2125550100\"]}", codes: ["other-list"])
  }

  @Test(arguments: [
    #"{"spam":"+16465550143","not spam":"+12125550100"}"#,
    #"{"owner":"+12125550100","fraud":"+16465550143"}"#,
  ])
  func keysOfOthers(_ text: String) throws {
    let outcome = try parseInPieces(Array(text.utf8), options(.json))
    #expect(outcome.rows.map { String($0.description.prefix(5)) } == ["+1646"], "\(text)")
    #expect(outcome.codes == ["other-list"], "\(text)")
  }

  // MARK: Labels

  @Test(arguments: [
    "allow: 2125550100\nblock: 6465550143\n", "allow 212 555 0100\nblock 646 555 0143\n",
    "212-555-0100 allow\n646-555-0143 spam\n", "6465550143 spam\n2125550100 Whitelisted\n",
    "6465550143 spam\n2125550100\tErlaubt\n6465550144\tx\n", "6465550143 spam\n2125550100 允许\n",
    "6465550143 спам\n2125550100 Разрешено\n", "6465550143 spam\n2125550100 # allowed\n",
    "2125550100;whitelist\n6465550143;blacklist\n", "6465550143;blacklist\n2125550100;whitelist\n",
    "number,label\n2125550100,allow\n6465550143,spam\n", "number,name\n6465550143,a\n2125550100,trusted\n",
    "6465550143 spam\nallow: 2125550100, 2125550101, 2125550102\n",
    "6465550143 spam\n2125550100, 2125550101, 2125550102, allow\n",
    "Phone,x\n6465550143,a\nallow: 2125550100,b\n",
    "block: +16465550143, +16465550144\nallow: +12125550100, +12125550101\n",
  ])
  func labels(_ text: String) throws {
    try check(text)
  }

  /// A name, a word in a label, and another word that begins alike.
  @Test(arguments: [
    "6465550143 Weiss\n6465550144 White\n", "6465550143 not allowed\n6465550144 allowed calls\n",
    "6465550143;Autohaus\n6465550144;Safeway\n", "number,label\n6465550143,Pass\n6465550144,allow all\n",
  ])
  func otherLabels(_ text: String) throws {
    try check(text, codes: [])
  }

  // MARK: Titles and sections

  @Test(arguments: [
    "Blocked,,Allowed,\nNumber,Who,Number,Who\n6465550143,scam,2125550100,dentist\n6465550144,scam,2125550101,a\n",
    "Allowed,,Blocked,\nNumber,Who,Number,Who\n2125550100,dentist,6465550143,scam\n2125550101,a,6465550144,scam\n",
    "Blokeret\t\tTilladt\t\nNummer\tHvem\tNummer\tHvem\n6465550143\ta\t2125550100\tb\n6465550144\tc\t2125550101\td\n",
    "Blocked number,Allowed number\n6465550143,2125550100\n6465550144,2125550101\n",
    "Allowed number,Blocked number\n2125550100,6465550143\n2125550101,6465550144\n",
    "Allowed,Denied\n2125550101,6465550143\n2125550100,6465550144\n",
  ])
  func halvesOfOthers(_ text: String) throws {
    let parsed = try parseWithNotices(Array(text.utf8), options(.auto))
    #expect(parsed.rows.map { String($0.prefix(6)) } == ["646555", "646555"], "\(text)")
    let unread = parsed.layouts.first?.unread ?? []
    #expect(unread.contains { if case .numbers = $0 { true } else { false } }, "\(text)")
  }

  @Test func tablesSideBySideHaveTheirOwnLabels() throws {
    let outcome = try parseInPieces(
      Array("Number,Who,,Number,Who\n6465550143,scam,,6465550144,bank\n6465550145,x,,6465550146,y\n".utf8),
      options(.auto), startBytes: 4096)
    #expect(
      outcome.rows.map(\.description)
        == ["6465550143|scam", "6465550144|bank", "6465550145|x", "6465550146|y"])
  }

  @Test(arguments: [
    "Number,Who\n6465550143,a\nWhitelist,\n2125550100,b\n2125550101,c\nBlacklist,\n6465550144,d\n",
    "Numero;Selite;Määrä\n6465550143;a;1\n6465550144;b;2\n;;\nSallitut;;\nNumero;Selite;\n2125550100;c;\n",
    "Nr,Phone,Name\n1,6465550143,a\n2,6465550144,b\nAllowed,,\n3,2125550100,c\n",
    "6465550143,a\n6465550144,b\nWhitelist,\n2125550100,c\n",
  ])
  func sections(_ text: String) throws {
    try check(text, .csv, codes: ["missing-number", "other-list"])
  }

  /// In the column of labels, such a word may be one.
  @Test func labelsWithoutNumbersBeginNoSection() throws {
    try check("Name,Phone\na,6465550143\nFamily,\nb,6465550144\n", .csv, codes: ["missing-number"])
  }

  // MARK: Amounts

  @Test(arguments: [
    "Code,Area,Numbers allocated\n020,London,12000000\n0161,Manchester,2000000\n",
    "Vorwahl;Ort;Einwohner\n030;Berlin;3700000\n089;München;1500000\n",
    "Indicatif;Ville;Population\n01;Paris;2100000\n04;Lyon;5200000\n",
    "区号,城市,人口\n010,北京,21000000\n021,上海,24000000\n",
  ])
  func amountsAreNoNumbers(_ text: String) throws {
    let rows = try parseInPieces(Array(text.utf8), options(.csv), startBytes: 4096).rows
    #expect(rows.allSatisfy { !$0.description.contains("00000") }, "\(text)")
  }
}
