// The common names of columns and fields, in many languages.

import Records
import SystemIO

/// The common names of columns and fields, for all formats whose fields have names: JSON, tables, property lists and
/// databases.
enum CommonFieldNames {
  static func isNumber(_ name: String) -> Bool {
    number.contains(plain(name)) || ContactColumns.isNumber(name)
  }

  /// A name without case, spaces, and the signs between words.
  static func plain(_ name: String) -> String {
    lowercased(name, keeps: { !isBetweenWords($0) })
      ?? String(
        String.UnicodeScalarView(
          name.lowercased().unicodeScalars.filter { !$0.isASCII || !isBetweenWords(UInt8($0.value)) }))
  }

  private static func isBetweenWords(_ byte: UInt8) -> Bool { " _-.#".utf8.contains(byte) }

  /// The characters of a name in lower case that are kept; nil if not all are ASCII.
  static func lowercased(_ name: String, keeps: (UInt8) -> Bool) -> String? {
    var kept: [UInt8] = []
    kept.reserveCapacity(name.utf8.count)
    for byte in name.utf8 {
      guard byte < 0x80 else { return nil }
      let lower = byte &- 0x41 < 26 ? byte | 0x20 : byte
      if keeps(lower) { kept.append(lower) }
    }
    return String(decoding: kept, as: UTF8.self)
  }

  /// Common names for columns of numbers.
  static let number: Set<String> = [
    "number", "phone", "phonenumber", "phoneno", "tel", "telno", "telephone", "telephonenumber", "msisdn",
    "caller", "callernumber", "callerid", "callingnumber", "mobile", "mobilenumber", "mobilephone", "cell",
    "cellphone", "e164", "contactnumber", "companyphonenumber", "num", "prefix", "range", "pattern",
    "numéro", "numero", "téléphone", "telefon", "telefono", "teléfono", "telefone", "телефон", "номер", "电话",
    "电话号码", "号码", "手机", "手机号", "手机号码", "電話", "電話號碼", "電話番号", "號碼", "番号", "전화", "전화번호", "번호",
  ]

  /// Common names for columns of labels.
  static let label: Set<String> = [
    "label", "name", "displayname", "type", "kind", "category", "subject", "title", "tag", "comment",
    "comments", "description", "note", "notes", "reason", "company", "companyname", "libellé", "nom",
    "nombre", "bezeichnung", "название", "имя", "标签", "标记", "类型", "名称", "备注", "標籤", "類型", "名稱", "備註", "ラベル",
    "名前", "라벨", "이름", "분류",
  ]

  /// More names of labels, in the order of precedence: what is known about a number, then whom it belongs to. They are
  /// used only if no field has one of the names above.
  static let otherLabels: [Set<String>] = [descriptions, owners]

  private static let descriptions: Set<String> = [
    "kategorie", "grund", "bemerkung", "bemerkungen", "kommentar", "notiz", "catégorie", "commentaire",
    "motif", "categoría", "comentario", "motivo", "categoria", "commento", "comentário", "kategoria",
    "komentarz", "açıklama", "категория", "комментарий", "примечание", "описание", "категорія",
    "коментар", "分类", "类别", "说明", "描述", "原因", "分類", "類別", "說明", "メモ", "備考", "種別", "메모", "비고", "유형",
  ]

  private static let owners: Set<String> = [
    "fullname", "completename", "firstname", "lastname", "givenname", "familyname", "surname", "contact",
    "contactname", "contactperson", "customer", "customername", "client", "clientname", "person", "owner",
    "ownername", "subscriber", "username", "callername", "business", "businessname", "organization",
    "organizationname", "organisation", "organisationname", "operator", "operatorname", "carrier",
    "provider", "vollständigername", "anzeigename", "kontakt", "ansprechpartner", "kunde", "kundenname",
    "vorname", "nachname", "firma", "firmenname", "unternehmen", "inhaber", "nomcomplet", "prénom",
    "société", "entreprise", "nombrecompleto", "apellidos", "contacto", "cliente", "empresa", "organización",
    "nome", "nomecompleto", "cognome", "contatto", "nominativo", "azienda", "contato", "naam",
    "volledigenaam", "voornaam", "achternaam", "klant", "klantnaam", "bedrijf", "imięinazwisko", "imię",
    "nazwisko", "nazwa", "klient", "navn", "namn", "nimi", "jméno", "příjmení", "název", "név", "ad",
    "adsoyad", "adısoyadı", "isim", "müşteri", "фио", "фамилия", "полноеимя", "контакт", "клиент",
    "компания", "организация", "имʼя", "ім'я", "назва", "姓名", "名字", "联系人", "联系人姓名", "客户", "客户名称", "客户姓名",
    "单位", "公司", "公司名称", "聯絡人", "聯絡人姓名", "客戶", "客戶名稱", "公司名稱", "氏名", "お名前", "会社名", "성명", "성함", "고객명", "회사명",
  ]

  /// Common names of the last number of a range.
  static let last: Set<String> = [
    "last", "to", "end", "until", "upto", "till", "lastnumber", "endnumber", "tonumber", "numberto",
    "numberend", "rangeend", "endrange", "endofrange", "rangelast", "rangeto", "upper", "upperbound", "max",
    "bis", "ende", "fin", "àfin", "jusquà", "numérofin", "hasta", "fino", "do", "tot", "по", "до", "конец",
    "结束", "结束号码", "终止号码", "止",
  ]

  /// Short names of numbers and labels in objects. They are used only if no field has one of the names above.
  static let shortNumber: Set<String> = ["n", "nr", "no", "p", "ph", "pn"]
  static let shortLabel: Set<String> = ["l", "lb", "lbl"]

  /// The names that have precedence in databases, the most common first. Only databases have common names for sources
  /// and scores.
  static let databaseNumber = [
    "number", "phone", "phone_number", "phonenumber", "tel", "telephone", "msisdn", "e164_number", "e164",
    "normalized_number", "original_number",
  ]
  static let databaseLabel = ["label", "name", "title"]
  static let databaseSource = ["source", "list"]
  static let databaseScore = ["score", "votes"]
}

// The fields of the lists that `emit` writes, and of its databases: an input with exactly these is read back with all of
// them, as it was written.

enum EmittedFields {
  /// The names in JSON, in their order; those that are empty are left out.
  static let inJSON = ["number", "last", "label", "source", "score"]

  /// Whether the names of a table's columns are those of a CSV file of `emit`, or of the table in its databases.
  static func areColumns(_ names: [String]) -> Bool {
    names == inJSON || names == inJSON.filter { $0 != "last" }
  }
}

extension ParseOptions {
  /// Chooses the fields that are not chosen yet from those of a list that `emit` wrote; `names` are the ones in it.
  mutating func chooseEmitted(_ names: [String] = EmittedFields.inJSON) {
    func chosen(_ field: FieldSelector?, _ name: String) -> FieldSelector? {
      field ?? (names.contains(name) ? .name(name) : nil)
    }
    numberField = chosen(numberField, "number")
    lastField = chosen(lastField, "last")
    labelField = chosen(labelField, "label")
    sourceField = chosen(sourceField, "source")
    scoreField = chosen(scoreField, "score")
  }
}

// The names of a row's fields in a record: those that the user chose, or the format's own. Used by the formats of other
// applications.

struct FieldSet: OptionSet {
  var rawValue: UInt8

  static let number = FieldSet(rawValue: 1)
  static let label = FieldSet(rawValue: 2)
  static let source = FieldSet(rawValue: 4)
  static let score = FieldSet(rawValue: 8)
}

/// The names of a row's fields; nil for a field that is not read from the input.
struct NamedFields {
  var number: ContiguousArray<UInt8>?
  var label: ContiguousArray<UInt8>?
  var source: ContiguousArray<UInt8>?
  var score: ContiguousArray<UInt8>?

  /// Uses the chosen names, and the format's own names for the other fields.
  init(
    _ options: ParseOptions, number: StaticString, label: StaticString? = nil, source: StaticString? = nil,
    score: StaticString? = nil
  ) {
    self.number = Self.name(options.numberField, number)
    self.label = Self.name(options.labelField, label)
    self.source = Self.name(options.sourceField, source)
    self.score = Self.name(options.scoreField, score)
  }

  private static func name(_ chosen: FieldSelector?, _ defaultName: StaticString?) -> ContiguousArray<UInt8>?
  {
    if let chosen { return chosen.nameBytes }
    return defaultName.map { ContiguousArray("\($0)".utf8) }
  }

  func fields(named name: Span<UInt8>) -> FieldSet { fields { name.equals($0) } }

  /// The fields whose names satisfy a condition.
  func fields(where isTheirs: (ContiguousArray<UInt8>) -> Bool) -> FieldSet {
    var fields: FieldSet = []
    if let number, isTheirs(number) { fields.insert(.number) }
    if let label, isTheirs(label) { fields.insert(.label) }
    if let source, isTheirs(source) { fields.insert(.source) }
    if let score, isTheirs(score) { fields.insert(.score) }
    return fields
  }

  var numberName: String { String(decoding: number ?? [], as: UTF8.self) }
}

/// The common names of the fields that were not chosen, for formats whose writers name them differently.
struct CommonNames {
  private let hasNumber: Bool
  private let hasLabel: Bool
  /// The fields of the names that occurred; lists have a few different ones.
  private var known: [ContiguousArray<UInt8>: FieldSet] = [:]

  /// The maximum number of names that are stored.
  private static let knownMax = 256
  private static let nameBytesMax = 64

  init(_ options: ParseOptions) {
    hasNumber = options.numberField == nil
    hasLabel = options.labelField == nil
  }

  mutating func fields(named name: ContiguousArray<UInt8>) -> FieldSet {
    if let found = known[name] { return found }
    guard name.count <= Self.nameBytesMax else { return [] }
    let plain = CommonFieldNames.plain(String(decoding: name, as: UTF8.self))
    var fields: FieldSet = []
    if hasNumber, CommonFieldNames.number.contains(plain) { fields.insert(.number) }
    if hasLabel, CommonFieldNames.label.contains(plain) { fields.insert(.label) }
    if known.count < Self.knownMax { known[name] = fields }
    return fields
  }
}

extension InputLayout {
  /// The layout of a format whose own names are used for the fields that were not chosen.
  init(_ names: NamedFields, _ options: ParseOptions) {
    var options = options
    func chosen(_ field: FieldSelector?, _ name: ContiguousArray<UInt8>?) -> FieldSelector? {
      field ?? name.map { .name(String(decoding: $0, as: UTF8.self)) }
    }
    options.numberField = chosen(options.numberField, names.number)
    options.labelField = chosen(options.labelField, names.label)
    options.sourceField = chosen(options.sourceField, names.source)
    options.scoreField = chosen(options.scoreField, names.score)
    var fields: [String] = []
    for case .name(let name)? in [
      options.numberField, options.labelField, options.sourceField, options.scoreField,
    ] where !fields.contains(name) { fields.append(name) }
    self.init(fields, options)
  }
}

extension RowFields {
  mutating func set(_ fields: FieldSet, _ text: borrowing ContiguousArray<UInt8>) {
    if fields.contains(.number) { number = copy text }
    if fields.contains(.label) { label = copy text }
    if fields.contains(.source) { source = copy text }
    if fields.contains(.score) { score = copy text }
  }
}

// The fields that the user chose by name, in formats whose fields have names but no header: whether any record had them.
// A misspelt name would otherwise only bring empty fields, or no rows at all.

struct ChosenFields {
  private let chosen: [(field: FieldSet, name: String)]
  private var found: FieldSet = []
  private var names: [ContiguousArray<UInt8>] = []

  /// The maximum number of names that are listed, and of bytes of each.
  private static let namesMax = 16
  private static let nameBytesMax = 64

  init(_ options: ParseOptions) {
    let fields: [(FieldSet, FieldSelector?)] = [
      (.number, options.numberField), (.label, options.labelField), (.source, options.sourceField),
      (.score, options.scoreField),
    ]
    var chosen: [(field: FieldSet, name: String)] = []
    for (field, selector) in fields {
      if case .name(let name)? = selector { chosen.append((field, name)) }
    }
    self.chosen = chosen
  }

  /// Starts another input.
  mutating func reset() {
    found = []
    names.removeAll()
  }

  /// Notes the name of a record's field, from which these fields are read.
  ///
  /// - Complexity: O(1) if no field was chosen by name.
  mutating func note(_ name: Span<UInt8>, readInto fields: FieldSet) {
    if chosen.isEmpty { return }
    found.formUnion(fields)
    guard names.count < Self.namesMax, name.count <= Self.nameBytesMax,
      !names.contains(where: { name.equals($0) })
    else { return }
    names.append(ContiguousArray(copying: name))
  }

  /// The chosen fields that no record had, for a message at the end of an input with records; nil if there are none.
  var finding: InputNotice.Finding? {
    let missing = names.isEmpty ? [] : chosen.filter { !found.contains($0.field) }.map(\.name)
    return missing.isEmpty ? nil : .missingFields(missing, available: available)
  }

  /// Throws if the number's field was chosen, and no record had it, although there are records.
  func checkNumber(_ input: String) throws(Failure) {
    guard !names.isEmpty, let number = chosen.first, number.field == .number, !found.contains(.number) else {
      return
    }
    throw .noSuchField(number.name, names: available, input: input)
  }

  private var available: [String] { names.map { String(decoding: $0, as: UTF8.self) } }

  /// Throws if a chosen field is none of a format with fixed names.
  func check(_ known: [String], _ input: String) throws(Failure) {
    guard let unknown = chosen.first(where: { !known.contains($0.name) }) else { return }
    throw .noSuchField(unknown.name, names: known, input: input)
  }
}

extension Failure {
  static func noSuchField(_ name: String, names: [String], input: String) -> Failure {
    missing("field", name, names, input)
  }

  /// `names` are the columns that the table has, or the first of them.
  static func noSuchColumn(_ name: String, names: [String], input: String) -> Failure {
    missing("column", name, names, input)
  }

  private static func missing(_ kind: String, _ name: String, _ names: [String], _ input: String) -> Failure {
    parse(
      "no-such-\(kind)", "\(InputName.quoted(input)) has no \(kind) '\(PrintableText.line(name))'",
      hint: "use one of its \(kind)s: \(nameList(names))")
  }

  static func nameList(_ names: [String]) -> String {
    names.map { PrintableText.line($0) }.joined(separator: ", ")
  }
}
