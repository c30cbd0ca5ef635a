// The columns of a table of contacts, as Google and Outlook export it: several columns of numbers, and a name in parts.
// Each number of a record is a row.
//
//     First Name,Last Name,Organization Name,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value
//
// Google writes several numbers with the same label into one cell, with ` ::: ` between them.
//
// Source: exports of Google Contacts (the columns before and since 2024); open-xchange/appsuite-middleware,
// importCSV/outlook2003.*.properties, for Outlook's columns in several languages.
//
// Not for: tables with one column of numbers (TableColumns).

/// The columns of a table of contacts, counted from 0.
struct ContactColumns: Equatable {
  /// The columns of numbers, at least one.
  let numbers: [Int]
  /// The columns of a name's parts, in spoken order; empty if the label is not a name in parts.
  let names: [Int]
  /// The columns of which the first one with a text is the label if the name is empty.
  let otherNames: [Int]
  /// The last one of all these columns.
  let last: Int

  /// Finds the columns in a header; nil if a record has at most one number. `free` are the columns that are not chosen.
  ///
  /// A column with a common name that is not a contact's, such as `caller` or `prefix`, is the only column of numbers:
  /// the phone next to it may be that of somebody else. A single column has several numbers only if it is Google's; it
  /// is a contact's, too, if there are a given and a family name and no other label.
  init?(_ header: [String], among free: [Int], findsNames: Bool) {
    let numbers = free.filter { Self.isNumber(header[$0]) }
    let common = free.filter { CommonFieldNames.number.contains(CommonFieldNames.plain(header[$0])) }
    let letters = header.map { Self.letters($0) }
    func columns(_ names: [Set<String>]) -> [Int] {
      names.compactMap { name in free.first { name.contains(letters[$0]) } }
    }
    let ownNames = columns([Self.givenNames, Self.familyNames])
    let hasOtherLabel = free.contains {
      !ownNames.contains($0) && CommonFieldNames.label.contains(CommonFieldNames.plain(header[$0]))
    }
    let isNamed = findsNames && ownNames.count == 2 && !hasOtherLabel
    guard common.allSatisfy({ numbers.contains($0) }),
      numbers.count > 1 || isNamed && !numbers.isEmpty
        || numbers.contains(where: { letters[$0] == Self.googleNumber })
    else { return nil }
    self.numbers = numbers
    if findsNames, !columns([Self.givenNames, Self.familyNames]).isEmpty {
      let whole = columns([["name"]])
      let parts = [
        Self.namePrefixes, Self.givenNames, Self.middleNames, Self.familyNames, Self.nameSuffixes,
      ]
      names = whole.isEmpty ? columns(parts) : whole
      otherNames = columns(Self.otherNames)
    } else {
      names = []
      otherNames = []
    }
    last = (numbers + names + otherNames).max() ?? 0
  }

  /// Whether a contact's numbers are in a column of this name.
  static func isNumber(_ name: String) -> Bool { numberNames.contains(letters(name)) }

  /// A name's letters in lower case: without digits, which distinguish columns of the same kind, and signs.
  private static func letters(_ name: String) -> String {
    CommonFieldNames.lowercased(name, keeps: { $0 &- 0x61 < 26 })
      ?? String(String.UnicodeScalarView(name.lowercased().unicodeScalars.filter(\.properties.isAlphabetic)))
  }

  // MARK: Names of columns, as letters(_:) returns them

  /// `Phone 1 - Value`, `Phone 2 - Value` …
  private static let googleNumber = "phonevalue"

  private static let numberNames: Set<String> = [
    // Common ones.
    "number", "num", "contactnumber", "numéro", "numero", "номер", "号码", "號碼", "番号", "번호",
    "phone", "phonenumber", "phoneno", "tel", "telno", "telephone", "telephonenumber", "mobile",
    "mobilenumber",
    "mobilephone", "cell", "cellphone", "cellnumber", "homephone", "homenumber", "workphone", "worknumber",
    "officephone", "landline", "businessphone", "fax", "faxnumber", "téléphone",
    "telefon",
    "telefono", "teléfono", "telefone", "телефон", "电话", "电话号码", "手机", "手机号", "手机号码", "電話", "電話號碼",
    "電話番号", "전화", "전화번호",
    googleNumber,
    "handy", "handynummer", "mobil", "mobilnummer", "mobilfunk", "festnetz", "rufnummer", "telefonnummer",
    "telefonmobil", "téléphonemobile", "téléphonefixe", "portable", "móvil", "celular", "teléfonomóvil",
    "teléfonofijo", "telefonocellulare", "cellulare", "telefonofisso", "telemóvel", "mobiel", "mobielnummer",
    "telefoonnummer", "telefoon", "telefonkomórkowy", "telefonstacjonarny", "telefondomowy",
    "telefonsłużbowy",
    "numertelefonu", "komórka", "mobilnítelefon", "mobiltelefonszám", "telefonszám", "ceptelefonu",
    "evtelefonu",
    "iştelefonu", "мобильный", "мобильныйтелефон", "домашнийтелефон", "рабочийтелефон", "сотовый",
    "номертелефона",
    "мобільний", "мобільнийтелефон", "номертелефону", "联系电话", "家庭电话", "办公电话", "固定电话", "座机", "固话", "手机电话",
    "联系方式", "聯絡電話", "行動", "市話", "携帯", "携帯電話", "携帯番号", "固定電話", "自宅電話", "휴대폰", "휴대폰번호", "휴대전화",
    "핸드폰", "집전화",
    // Outlook in English, German, French, Spanish, Dutch and Chinese.
    "assistantsphone", "businessfax", "callback", "carphone", "companymainphone", "homefax", "isdn",
    "otherfax",
    "otherphone", "pager", "primaryphone", "radiophone", "ttytddphone", "telex",
    "telefonassistent", "faxgeschäftlich", "telefongeschäftlich", "rückmeldung", "autotelefon",
    "telefonfirma",
    "faxprivat", "telefonprivat", "mobiltelefon", "weiteresfax", "weiterestelefon", "haupttelefon", "funkruf",
    "telefonfürhörbehinderte",
    "téléphonedelassistante", "télécopiebureau", "faxbureau", "téléphonebureau", "rappel", "téléphonevoiture",
    "téléphonesociété", "télécopiedomicile", "faxdomicile", "téléphonedomicile", "rnis", "télmobile",
    "télécopieautre", "faxautre", "téléphoneautre", "récepteurderadiomessagerie", "téléphoneprincipal",
    "télprincipal", "radiotéléphone", "téléphonetddtty", "télex",
    "teléfonodeltrabajo", "devolucióndellamada", "númerodecentralitadelaorganización", "otrofax",
    "otroteléfono",
    "teléfonoprincipal", "radioteléfono", "númerodeteletipo",
    "telefoonopwerk", "faxopwerk", "terugbellen", "autotelefoon", "telefoonthuis", "faxthuis",
    "mobieletelefoon",
    "anderetelefoon", "anderefax", "radiotelefoon", "telefoonassistent",
    "助理的电话", "商务传真", "商务电话", "回电话", "车载电话", "单位主要电话", "住宅传真", "住宅电话", "移动电话", "其他传真", "其他电话",
    "寻呼机", "主要电话", "无绳电话", "ttytdd电话", "电报",
    "助理電話", "商務傳真", "商務電話", "回撥電話", "汽車電話", "公司代表線", "住家傳真", "住家電話", "行動電話", "其他傳真", "其他電話",
    "呼叫器", "代表電話", "無線電話", "ttytdd電話",
  ]

  private static let namePrefixes: Set<String> = ["nameprefix"]
  private static let givenNames: Set<String> = [
    "firstname", "givenname", "forename", "vorname", "prénom", "prenom", "nombre", "voornaam", "imię", "imie",
    "jméno", "имя", "імя", "nome", "ad", "fornavn", "förnamn", "etunimi", "名", "名字",
  ]
  private static let middleNames: Set<String> = [
    "middlename", "additionalname", "weiterevornamen", "deuxièmeprénom", "segundonombre",
  ]
  private static let familyNames: Set<String> = [
    "lastname", "familyname", "surname", "nachname", "familienname", "nom", "apellidos", "apellido",
    "achternaam",
    "nazwisko", "příjmení", "фамилия", "прізвище", "cognome", "sobrenome", "apelido", "soyad", "soyadı",
    "etternavn",
    "efternavn", "efternamn", "sukunimi", "姓", "姓氏",
  ]
  private static let nameSuffixes: Set<String> = ["namesuffix", "suffix"]
  private static let otherNames: [Set<String>] = [
    ["fileas"], ["nickname"],
    [
      "organizationname", "organization", "company", "companyname", "firma", "société", "organización",
      "bedrijf",
      "单位", "公司",
    ],
  ]
}
