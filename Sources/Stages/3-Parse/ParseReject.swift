// Why a part of an input is left out.

import Records

/// Why `parse` rejected a part of its input.
package enum ParseReject: RejectReason, Error, Equatable {
  /// Text that is not part of a row: garbage, a comment, a value without a key, a stray bracket.
  case unexpectedText
  /// The input ended inside a row.
  case truncated
  /// A string that is not closed before the end of its line.
  case unterminatedString
  /// A key without a colon.
  case missingColon
  /// A number with a colon, but without a value.
  case missingValue
  /// A row without its opening or closing bracket.
  case missingBrace
  /// A backslash that does not start a valid JSON escape.
  case badEscape
  /// Half of a surrogate pair.
  case loneSurrogate
  /// Bytes that are not UTF-8.
  case invalidUTF8
  /// Brackets nested deeper than the limit.
  case tooDeep(limit: Int)
  /// A record longer than the limit, in bytes.
  case recordTooLong(limit: Int)
  /// A number's text longer than the limit, in bytes.
  case numberTooLong(bytes: Int, limit: Int)
  /// A label, together with its source and score, longer than the limit, in bytes.
  case fieldsTooLong(bytes: Int, limit: Int)
  /// An object without the number's field.
  case missingField(String)
  /// A chosen field is an object or an array; without a name, the label of a pair.
  case unusableField(String)
  /// A score that is not a 64-bit integer.
  case badScore
  /// A row whose date is empty.
  case missingDate
  /// A date that is none in the calendar, or in no known form.
  case badDate
  /// A date that has several readings.
  case ambiguousDate
  /// A row whose number is empty.
  case missingNumber
  /// A quoted field of a table without a closing quote, within a limit in bytes if it is not nil.
  case openQuote(limit: Int?)
  case textAfterQuote
  /// A phone number, written as a JSON number, that has a fraction, is negative, or is out of range; in a table or
  /// list, a number with an exponent and too few digits.
  case notWhole
  /// A record of a table with more fields than its header.
  case tooManyFields
  /// A number in JSON outside of the objects that are rows.
  case outsideRows
  /// A row of a list whose name states that its numbers are not those to block.
  case otherList
  /// A call between two extensions of a telephone system.
  case internalCall
  /// A row whose number is not blocked, by another field or by a remark.
  case notBlocked
  /// A number whose row has a calling code or country that is not understood, or none where others have one.
  case unknownCountry(String)
  /// A number that is valid with and without the calling code that its row has.
  case ambiguousCountry(String)
  /// A number that lacks its area code, whose row has one that is not understood, or none where others have one.
  case unknownAreaCode(String)
  /// A number beside an area code that is long enough to have it already.
  case ambiguousAreaCode(String)

  /// A card without an end: another one starts before it ends.
  case missingEnd
  /// A text with an XML entity that is not declared, or that is defined outside the document.
  case unknownEntity
  /// A number that the input removes from a list.
  case removed
  /// A date or a time where a number is expected.
  case date
  /// Another number in an entry, which may be that of somebody else, or the end of a range.
  case severalNumbers
  /// A field that begins with the sign of a comment.
  case commentedOut
  /// A comment over several lines that does not end: nothing after its start was read.
  case unclosedComment

  package var code: String { words.code }
  package var text: String { words.text }

  private var words: (code: String, text: String) {
    switch self {
    case .unexpectedText: ("unexpected-text", "not a phone number")
    case .truncated: ("truncated", "the input ends inside a row")
    case .unterminatedString: ("unterminated-string", "unterminated string")
    case .missingColon: ("missing-colon", "no colon after the key")
    case .missingValue: ("missing-value", "no value after the colon")
    case .missingBrace: ("missing-brace", "missing bracket")
    case .badEscape: ("bad-escape", "invalid escape")
    case .loneSurrogate: ("lone-surrogate", "half of a surrogate pair")
    case .invalidUTF8: ("invalid-utf8", "not UTF-8")
    case .tooDeep(let limit): ("too-deep", "nested deeper than \(limit) brackets")
    case .recordTooLong(let limit):
      ("record-too-long", "longer than \(Figures.byteLimit(UInt64(limit))) (\(option: "max-record"))")
    case .numberTooLong(let bytes, let limit):
      ("number-too-long", "a number of \(bytes) bytes; the maximum is \(limit)")
    case .fieldsTooLong(let bytes, let limit):
      ("label-too-long", "a label of \(bytes) bytes; the maximum is \(limit)")
    case .missingField(let field): ("missing-field", "no field '\(field)'")
    case .unusableField(""): ("unusable-field", "the label is a list or an object")
    case .unusableField(let field): ("unusable-field", "the field '\(field)' is a list or an object")
    case .badScore: ("bad-score", "the score is not an integer")
    case .missingDate: ("missing-date", "no date")
    case .badDate: ("bad-date", "the date can't be read")
    case .ambiguousDate: ("ambiguous-date", "the date has several readings (\(option: "date-format"))")
    case .missingNumber: ("missing-number", "no number")
    case .missingEnd: ("missing-end", "the vCard has no END before the next one")
    case .unknownEntity: ("unknown-entity", "the text has an undeclared entity")
    case .removed: ("removed", "the input removes this number from a list")
    case .date: ("date", "a date or time, not a phone number")
    case .severalNumbers: ("several-numbers", "several numbers in one entry")
    case .commentedOut: ("commented-out", "commented out")
    case .unclosedComment: ("unclosed-comment", "a comment without an end: nothing after this was read")
    case .openQuote(nil): ("unterminated-quote", "unterminated quoted field")
    case .openQuote(let limit?):
      (
        "unterminated-quote",
        "a quoted field does not end within \(Figures.byteLimit(UInt64(limit))) (\(option: "max-record"))"
      )
    case .textAfterQuote: ("text-behind-quote", "text after a closing quote")
    case .tooManyFields: ("too-many-fields", "more fields than the header")
    case .outsideRows: ("outside-rows", "a number outside of the objects that are rows")
    case .otherList: ("other-list", "in a list of numbers that are not blocked, by its name")
    case .internalCall: ("internal-call", "a call between two extensions")
    case .notBlocked: ("not-blocked", "not blocked, by its row")
    case .unknownCountry(""): ("unknown-country", "no calling code or country")
    case .unknownCountry(let text):
      ("unknown-country", "unknown calling code or country '\(PrintableText.line(text))'")
    case .ambiguousCountry(let code):
      ("ambiguous-country", "the number may already begin with its calling code \(code)")
    case .unknownAreaCode(""): ("unknown-area-code", "no area code")
    case .unknownAreaCode(let text): ("unknown-area-code", "unknown area code '\(PrintableText.line(text))'")
    case .ambiguousAreaCode(let code):
      ("ambiguous-area-code", "the number may already have its area code \(code)")
    case .notWhole: ("not-whole", "the number is negative, too large, has a fraction, or has lost digits")
    }
  }
}
