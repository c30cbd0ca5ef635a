// The common names of columns and fields, in many languages.
//
// Not for: choosing columns (TableColumns) or fields (JSONCommonFields), names of a contact's columns (ContactColumns).

/// The common names of columns and fields, for all formats whose fields have names: JSON, tables, property lists and
/// databases.
enum CommonFieldNames {
  /// Whether a column of this name has numbers.
  package static func isNumber(_ name: String) -> Bool {
    number.contains(plain(name)) || ContactColumns.isNumber(name)
  }

  /// A name without case, spaces, and the signs between words.
  package static func plain(_ name: String) -> String {
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
  package static let number: Set<String> = [
    "number", "phone", "phonenumber", "phoneno", "tel", "telno", "telephone", "telephonenumber", "msisdn",
    "caller",
    "callernumber", "callerid", "callingnumber", "mobile", "mobilenumber", "mobilephone", "cell", "cellphone",
    "e164",
    "contactnumber", "companyphonenumber", "num", "prefix", "range",
    "pattern", "numéro", "numero", "téléphone",
    "telefon",
    "telefono", "teléfono", "telefone", "телефон", "номер", "电话", "电话号码", "号码", "手机", "手机号", "手机号码",
    "電話", "電話號碼", "電話番号", "號碼", "番号", "전화", "전화번호", "번호",
  ]

  /// Common names for columns of labels.
  package static let label: Set<String> = [
    "label", "name", "displayname", "type", "kind", "category", "subject", "title", "tag", "comment",
    "comments",
    "description", "note", "notes", "reason", "company", "companyname", "libellé", "nom", "nombre",
    "bezeichnung",
    "название", "имя", "标签", "标记", "类型", "名称", "备注", "標籤", "類型", "名稱", "備註", "ラベル", "名前", "라벨",
    "이름", "분류",
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
    "société", "entreprise", "nombrecompleto", "apellidos", "contacto", "cliente", "empresa",
    "organización", "nome", "nomecompleto", "cognome", "contatto", "nominativo", "azienda", "contato",
    "naam", "volledigenaam", "voornaam", "achternaam", "klant", "klantnaam", "bedrijf", "imięinazwisko",
    "imię", "nazwisko", "nazwa", "klient", "navn", "namn", "nimi", "jméno", "příjmení", "název", "név",
    "ad", "adsoyad", "adısoyadı", "isim", "müşteri", "фио", "фамилия", "полноеимя", "контакт", "клиент",
    "компания", "организация", "имʼя", "ім'я", "назва", "姓名", "名字", "联系人", "联系人姓名", "客户", "客户名称", "客户姓名",
    "单位", "公司", "公司名称", "聯絡人", "聯絡人姓名", "客戶", "客戶名稱", "公司名稱", "氏名", "お名前", "会社名", "성명", "성함", "고객명",
    "회사명",
  ]

  /// Common names of the last number of a range.
  static let last: Set<String> = [
    "last", "to", "end", "until", "upto", "till", "lastnumber", "endnumber", "tonumber", "numberto",
    "numberend",
    "rangeend", "endrange", "endofrange", "rangelast", "rangeto", "upper", "upperbound", "max", "bis", "ende",
    "fin",
    "àfin", "jusquà", "numérofin", "hasta", "fino", "do", "tot", "по", "до", "конец", "结束", "结束号码", "终止号码",
    "止",
  ]

  /// Short names of numbers and labels in objects. They are used only if no field has one of the names above.
  static let shortNumber: Set<String> = ["n", "nr", "no", "p", "ph", "pn"]
  static let shortLabel: Set<String> = ["l", "lb", "lbl"]

  /// The names that have precedence in databases, the most common first. Only databases have common names for sources
  /// and scores.
  static let databaseNumber = [
    "number", "phone", "phone_number", "phonenumber", "tel", "telephone", "msisdn",
  ]
  static let databaseLabel = ["label", "name", "title"]
  static let databaseSource = ["source", "list"]
  static let databaseScore = ["score", "votes"]
}
