// Reasons for rejecting a part of the input, and for ending parsing early, as data.

package import Records

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
  /// A row whose number is empty.
  case missingNumber
  /// A quoted field of a table without a closing quote.
  case unterminatedQuote
  /// A quoted field of a table with text after its closing quote.
  case textAfterQuote
  /// A phone number, written as a JSON number, that has a fraction, is negative, or is out of range; in a table or
  /// list, a number with an exponent and too few digits.
  case notWhole

  /// A card without an end: another one starts before it ends.
  case missingEnd
  /// A text with an XML entity that is not declared, or that is defined outside the document.
  case unknownEntity
  /// A number that the input removes from a list.
  case removed

  /// A stable identifier for scripts.
  package var code: String {
    switch self {
    case .missingEnd: "missing-end"
    case .unknownEntity: "unknown-entity"
    case .removed: "removed"
    case .unexpectedText: "unexpected-text"
    case .truncated: "truncated"
    case .unterminatedString: "unterminated-string"
    case .missingColon: "missing-colon"
    case .missingValue: "missing-value"
    case .missingBrace: "missing-brace"
    case .badEscape: "bad-escape"
    case .loneSurrogate: "lone-surrogate"
    case .invalidUTF8: "invalid-utf8"
    case .tooDeep: "too-deep"
    case .recordTooLong: "record-too-long"
    case .numberTooLong: "number-too-long"
    case .fieldsTooLong: "label-too-long"
    case .missingField: "missing-field"
    case .unusableField: "unusable-field"
    case .badScore: "bad-score"
    case .missingNumber: "missing-number"
    case .unterminatedQuote: "unterminated-quote"
    case .textAfterQuote: "text-behind-quote"
    case .notWhole: "not-whole"
    }
  }
}

/// An encoding that a byte order mark declares, other than UTF-8; the raw value is its name for iconv.
package enum WideEncoding: String, Sendable {
  case utf16LE = "UTF-16LE"
  case utf16BE = "UTF-16BE"
  case utf32LE = "UTF-32LE"
  case utf32BE = "UTF-32BE"
}

/// The first deviation of an input from RFC 8259.
package enum JSONErrorReason: Sendable, Equatable {
  /// A byte that is not allowed there.
  case unexpectedByte(UInt8)
  /// The input ended inside a document, or before one.
  case unexpectedEnd
  /// A byte order mark of UTF-16 or UTF-32 (RFC 8259, section 8.1, allows UTF-8 only).
  case otherEncoding(WideEncoding)
  /// A number with a leading zero.
  case leadingZero
  /// A control character inside a string.
  case controlCharacter(UInt8)
  /// A backslash that does not start an escape.
  case badEscape
  /// A byte that is not UTF-8.
  case invalidUTF8
  /// A trailing comma.
  case trailingComma
  /// Data after the end of the document.
  case secondDocument
  /// Brackets nested deeper than the limit. RFC 8259, section 9, lets a parser set one.
  case tooDeep(limit: Int)
}

/// Why an XML document is invalid. Nothing after the error can be read.
package enum XMLErrorReason: Sendable, Equatable {
  /// Not well-formed; expat's code and message.
  case malformed(code: Int, text: String)
  /// The document ends inside an element.
  case truncated
  /// An encoding that expat does not support, or that is not the document's; the one that the document declares.
  case encoding(declared: String? = nil)
  /// A tag, comment or declaration that is too long, in bytes.
  case tokenTooLong(limit: Int)
  /// Elements nested deeper than the limit.
  case tooDeep(limit: Int)
  /// Entities that expand to far more than the document.
  case entityBomb
  /// There was not enough memory.
  case outOfMemory
  /// The root element is not the one of the format.
  case otherRoot(String, expected: String)
}

/// Why a data slice can't be read any further.
package enum SliceErrorReason: Sendable, Equatable {
  /// The input does not begin like a slice.
  case notASlice
  /// The input ends inside the slice.
  case truncated
  /// A count below 0.
  case negativeCount
  /// The items are not followed by their divider.
  case divider
  /// The slice does not end with an end mark.
  case endMark
  /// Data follows the end mark that is not another slice.
  case otherData
}

/// Why a property list in Apple's binary form can't be read.
package enum BinaryPropertyListErrorReason: Sendable, Equatable {
  /// It ends too early, or its last 32 bytes contradict its size.
  case badTrailer
  /// The object at this byte is damaged, or refers to an object that is not in the list.
  case badObject(byte: UInt64)
  /// Objects nested deeper than the limit, or inside themselves.
  case tooDeep(limit: Int)
  /// Objects that are used repeatedly make it far larger than the file.
  case bomb
  /// It is shorter than the input, which may contain other lists.
  case otherData
}

/// Why a database, or the query for it, is invalid. The texts are SQLite's.
package enum DatabaseErrorReason: Sendable, Equatable {
  /// The input is not an SQLite database.
  case notADatabase
  /// Its pages are damaged.
  case damaged(String)
  /// Reading it failed.
  case unreadable(String)
  /// Its latest changes are in a write-ahead log of this name next to it, which SQLite has not merged yet.
  case unmergedLog(String)
  /// The query needs more memory than the limit, in bytes.
  case outOfMemory(limit: Int)
  /// A value or row longer than the limit, in bytes.
  case valueTooLong(limit: Int)
  /// Reading it took more processor time than the limit.
  case tooSlow
  /// The query does something other than read.
  case forbidden(String)
  /// There is more than one statement.
  case severalStatements
  /// The query returns no columns.
  case noColumns
  /// The query's text is not SQL.
  case syntax(String)
  /// The query can't be run on this database, such as for a missing table.
  case query(String)
  /// This SQLite can't read the database, or its only table of numbers.
  case unsupported(String)
  /// There is no query, and not exactly one table has a column for the number; these are the tables.
  case noQuery(tables: [String])
  /// No column of the table or query has a common name for numbers; these are the columns.
  case noNumberColumn([String])
}

/// Why parsing ended early.
package enum ParseError: ErrorCause, Error, Equatable {
  /// Input that is not RFC 8259 JSON in a strict run. Lines count from 1, bytes from 0.
  case notJSON(line: UInt64, byte: UInt64, input: String, JSONErrorReason)
  /// iconv does not support the encoding.
  case unknownEncoding(String)
  /// An encoding was chosen for an input that is not text and defines its own.
  case encodingOfBinary(ParseOptions.Format, input: String)
  /// The input is in this format, which is not text, and another one was chosen.
  case otherFormat(ParseOptions.Format, input: String)
  /// The input is in none of the formats; `isBinary` if it is not text either. `encoding` is the encoding in which it is
  /// probably text, if it is not read in it.
  case unknownFormat(input: String, isBinary: Bool, encoding: String? = nil)
  /// The input is a manifest of stores.
  case manifest(input: String)
  /// The input is a web page, which servers send in place of a list that they can't deliver.
  case webPage(input: String)
  /// A chosen column is not in the table; `names` are the columns that it has, or the first of them.
  case noSuchColumn(String, names: [String], input: String)
  /// No record of the input has a chosen field; `names` are fields that it has.
  case noSuchField(String, names: [String], input: String)
  /// A column is chosen by its name, and the columns have no names.
  case nameWithoutHeader(String)
  /// A byte that can't separate fields.
  case badSeparator(UInt8)
  /// An XML document that can't be read any further. Lines count from 1, bytes from 0.
  case notXML(line: UInt64, byte: UInt64, input: String, XMLErrorReason)
  /// A property list in Apple's binary form that can't be read.
  case binaryPropertyList(BinaryPropertyListErrorReason, input: String)
  /// A database that can't be read, or not with this query.
  case database(DatabaseErrorReason, input: String)
  /// A data slice that can't be read.
  case invalidSlice(SliceErrorReason, input: String)
  /// A query was specified, and the input is not a database.
  case queryWithoutDatabase
  /// JSON that ends inside an array or an object after a whole row; the bracket is the opening one.
  case unfinishedJSON(input: String, bracket: UInt8)
  /// A field of last numbers was chosen, and the input has no fields with names or positions.
  case lastWithoutColumns
  /// A sheet was specified, and the input is not a workbook.
  case sheetWithoutWorkbook
  /// A library that the format needs is missing; `package` is the Debian package.
  case libraryMissing(name: String, package: String)
  /// Fields are chosen by name, but not the number's field.
  case noNumberField
  /// The constant score is not a 64-bit integer.
  case badScoreConstant(String)

  /// Always true.
  package var endsInput: Bool { true }

  /// Whether the source is the cause; a missing library is not its fault.
  package var blamesSource: Bool {
    if case .libraryMissing = self { return false }
    return errorClass.blamesSource
  }

  /// The class of the error: bad data, or inconsistent options.
  package var errorClass: ErrorClass {
    switch self {
    case .notXML, .binaryPropertyList, .invalidSlice: .badData
    case .libraryMissing: .unavailable
    case .database(let reason, _):
      switch reason {
      case .notADatabase, .damaged, .unmergedLog, .outOfMemory, .valueTooLong, .noNumberColumn, .tooSlow,
        .query,
        .unsupported, .noQuery:
        .badData
      case .unreadable: .inputOutput
      case .forbidden, .severalStatements, .noColumns, .syntax: .usage
      }
    case .notJSON, .unfinishedJSON, .otherFormat, .unknownFormat, .manifest, .webPage,
      .noSuchColumn,
      .noSuchField:
      .badData
    // The command has checked its options before; here the input's format does not fit them.
    case .encodingOfBinary, .noNumberField, .nameWithoutHeader, .queryWithoutDatabase,
      .lastWithoutColumns, .sheetWithoutWorkbook:
      .badData
    case .badScoreConstant, .unknownEncoding, .badSeparator: .usage
    }
  }
}

extension ParseReject {
  package var text: String {
    switch self {
    case .unexpectedText: "not a phone number"
    case .truncated: "the input ends inside a row"
    case .unterminatedString: "unterminated string"
    case .missingColon: "no colon after the key"
    case .missingValue: "no value after the colon"
    case .missingBrace: "missing bracket"
    case .badEscape: "invalid escape"
    case .loneSurrogate: "half of a surrogate pair"
    case .invalidUTF8: "not UTF-8"
    case .tooDeep(let limit): "nested deeper than \(limit) brackets"
    case .recordTooLong(let limit): "longer than \(Figures.byteLimit(UInt64(limit))) (--max-record)"
    case .numberTooLong(let bytes, let limit): "a number of \(bytes) bytes; the maximum is \(limit)"
    case .fieldsTooLong(let bytes, let limit): "a label of \(bytes) bytes; the maximum is \(limit)"
    case .missingField(let field): "no field '\(field)'"
    case .unusableField(""): "the label is a list or an object"
    case .unusableField(let field): "the field '\(field)' is a list or an object"
    case .badScore: "the score is not an integer"
    case .missingNumber: "no number"
    case .missingEnd: "the vCard has no END before the next one"
    case .unknownEntity: "the text has an undeclared entity"
    case .removed: "the input removes this number from a list"
    case .unterminatedQuote: "unterminated quoted field"
    case .textAfterQuote: "text after a closing quote"
    case .notWhole: "the number is negative, too large, has a fraction, or has lost digits"
    }
  }
}
