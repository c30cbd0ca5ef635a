// The block list of the community PhoneBlock: a JSON object with an array of numbers, as its programming interface sends
// it. Each number has votes and one of seven ratings.
//
// `version` and `lastActivity` are left out: the first is a state of PhoneBlock's server, and records have no times.
//
// Source: haumacher/phoneblock, phoneblock/src/main/webapp/api/phoneblock.json; phoneblock-shared,
// app/api/model/Blocklist.java, BlockListEntry.java (every key may be missing).

import Records

extension EmitFormat {
  package static let phoneblock = entries(
    "phoneblock", "a block list of PhoneBlock", shared: ["json"], fields: [.label, .score], ranges: .numbers,
    form: { _ in PhoneBlockList() })
}

/// `{"phone":"+49…","votes":12,"rating":"C_PING"}`
struct PhoneBlockList: EntryForm {
  static let ratings = [
    "A_LEGITIMATE", "B_MISSED", "C_PING", "D_POLL", "E_ADVERTISING", "F_GAMBLE", "G_FRAUD",
  ]
  /// The rating for other labels: unwanted, without a kind.
  static let otherRating = "B_MISSED"
  /// The votes for a record without a score: the minimum that PhoneBlock publishes. 0 would remove the number.
  static let defaultVotes = 10

  var header: [UInt8] { Array("{\"numbers\":[\n".utf8) }
  var separator: [UInt8] { Array(",\n".utf8) }
  var footer: [UInt8] { Array("\n]}\n".utf8) }

  func surroundings(_ fields: RecordFields.Fields) -> (before: [UInt8], after: [UInt8]) {
    let votes = fields.score.map { Int(Int32(clamping: $0)) } ?? Self.defaultVotes
    let rating = Self.ratings.contains(fields.label) ? fields.label : Self.otherRating
    return (Array("{\"phone\":\"+".utf8), Array("\",\"votes\":\(votes),\"rating\":\"\(rating)\"}".utf8))
  }

  func replaced(in fields: RecordFields.Fields) -> RecordFieldSet {
    var replaced: RecordFieldSet = []
    if !fields.label.isEmpty, !Self.ratings.contains(fields.label) { replaced.insert(.label) }
    if let score = fields.score, Int32(exactly: score) == nil { replaced.insert(.score) }
    return replaced
  }
}
