// The options of parsing, as plain data.
//
// Not for: the command line (the command layer), or the formats themselves (one file each).

/// Where a field of a raw row comes from.
package enum FieldSelector: Sendable, Equatable {
  /// The field of this name in each object, or of this path if objects are nested: `contact.phone`.
  case name(String)
  /// The same text for every row.
  case constant(String)

  /// Parses a selector: `=TEXT` is a constant, anything else a name.
  package init(_ text: String) {
    self = text.utf8.first == UInt8(ascii: "=") ? .constant(String(text.dropFirst())) : .name(text)
  }

  var isName: Bool {
    if case .name = self { true } else { false }
  }

  /// The position that a name consisting of digits stands for; columns count from 1. A column with that name takes
  /// precedence.
  package var position: Int? {
    guard case .name(let name) = self, name.utf8.count <= 5, name.utf8.allSatisfy({ $0 &- 0x30 < 10 }),
      let position = Int(name), position > 0
    else { return nil }
    return position
  }

  var constantBytes: ContiguousArray<UInt8>? {
    if case .constant(let text) = self { ContiguousArray(text.utf8) } else { nil }
  }

  package var nameBytes: ContiguousArray<UInt8>? {
    if case .name(let text) = self { ContiguousArray(text.utf8) } else { nil }
  }
}

/// The options of parsing.
package struct ParseOptions: Sendable, Equatable {
  /// The format of the input.
  package enum Format: String, Sendable, CaseIterable {
    /// Detected from the first bytes.
    case auto
    /// JSON in any layout, or text close to it.
    case json
    /// Fields with a separator between them, quoted where needed (RFC 4180).
    case csv
    /// Fields separated by tabs, without quoting (IANA `text/tab-separated-values`).
    case tsv
    /// One number per line, optionally with a label after it.
    case lines
    /// Apple's property lists: an array of dictionaries.
    case plist
    /// The phone books of FRITZ!Box routers.
    case phonebook
    /// Contact cards (RFC 6350).
    case vcard
    /// The pattern lists of the call blocker Saracroche.
    case saracroche
    /// The list of numbers of the community PhoneBlock.
    case phoneblock
    /// A SQLite database.
    case sqlite
    /// The blacklist of Asterisk, as its command line prints it.
    case asterisk
    /// The data slices of YetAnotherCallBlocker and Should I Answer.
    case yacb
    /// An Excel workbook in Office Open XML: `.xlsx`, `.xlsm` (ISO/IEC 29500).
    case xlsx

    /// Whether its inputs are JSON.
    var isJSON: Bool { [.json, .saracroche, .phoneblock].contains(self) }

    /// The format itself if its inputs are never text; nil otherwise.
    var binary: Format? { [.sqlite, .yacb, .xlsx].contains(self) ? self : nil }
  }

  /// Whether the first record of a table contains the names of its columns.
  package enum Header: String, Sendable, CaseIterable {
    /// It does if fields are chosen by name, or if its cell in the number column is not a number.
    case auto
    /// It does.
    case yes
    /// It does not.
    case no
  }

  /// The default limit for a record, in bytes. A record has a few dozen bytes; a mebibyte allows objects with long
  /// fields that are not used, and limits the buffer.
  package static let defaultRecordBytes = 1024 * 1024

  /// The default limit for reading a database, in seconds of processor time: hundreds of millions of rows. A view can be
  /// written so that it never ends.
  package static let defaultQuerySeconds = 300.0

  /// The format of the input.
  package var format: Format = .auto
  /// The field that the number is read from; nil for the key of a pair.
  package var numberField: FieldSelector?
  /// The field that the label is read from; nil for the value of a pair, or for no label if objects are rows.
  package var labelField: FieldSelector?
  /// The field that the source is read from; nil for none.
  package var sourceField: FieldSelector?
  /// The field that the score is read from; nil for none.
  package var scoreField: FieldSelector?
  /// The field that the last number of a range is read from; nil for none.
  package var lastField: FieldSelector?
  /// The maximum size of a record in bytes; a longer one is rejected, and skipped without being buffered.
  package var recordBytesMax = ParseOptions.defaultRecordBytes
  /// Whether JSON must conform strictly to RFC 8259. It has no effect on other formats.
  package var isStrict = false
  /// The ASCII byte between the fields of a record; nil to detect it.
  package var separator: UInt8?
  /// Whether the first record of a table contains the names of its columns.
  package var header: Header = .auto
  /// The input's encoding, by a name that iconv accepts, or ``recognisedEncoding``; nil for UTF-8, or the encoding of a
  /// byte order mark.
  package var encoding: String?
  /// The query whose rows are read if the input is a database.
  package var query: String?
  /// The sheet that is read if the input is a workbook: its name, or its position among the visible ones, from 1; nil
  /// for the first visible one.
  package var sheet: String?
  /// The processor time for reading a database, in seconds.
  package var querySeconds = ParseOptions.defaultQuerySeconds

  /// The name that stands for an encoding that is recognised by the input's start.
  package static let recognisedEncoding = "auto"

  /// Makes the default options.
  package init() {}

  /// Whether the encoding is recognised by the input's start, the first ``EncodingGuess/bytesMax`` bytes.
  package var recognisesEncoding: Bool { encoding?.lowercased() == Self.recognisedEncoding }

  /// Whether each object is one row, because a field is chosen by its name; otherwise each pair is one row.
  package var rowsAreObjects: Bool {
    [numberField, labelField, sourceField, scoreField, lastField].contains { $0?.isName ?? false }
  }

  /// Checks that the options are consistent.
  ///
  /// Throws ``ParseError/noNumberField`` when objects are rows and the number's field is not chosen,
  /// ``ParseError/badScoreConstant(_:)`` when a constant score is not an integer, ``ParseError/badSeparator(_:)`` when
  /// the separator can be part of a field, ``ParseError/nameWithoutHeader(_:)`` when a column is chosen by its name and
  /// columns have no names, ``ParseError/lastWithoutColumns`` when the last number is not read from a field, and
  /// ``ParseError/unknownEncoding(_:)`` when iconv does not support the encoding.
  package func check() throws(ParseError) {
    try check(format)
    if case .constant(let text) = scoreField, !text.isEmpty, Int64(text) == nil {
      throw .badScoreConstant(text)
    }
    if let separator, !Self.canSeparate(separator) { throw .badSeparator(separator) }
    if let encoding, !recognisesEncoding, !TextDecoder.isKnown(encoding) { throw .unknownEncoding(encoding) }
  }

  /// Checks what depends on the format, once it is known.
  func check(_ format: Format) throws(ParseError) {
    if query != nil, format != .sqlite, format != .auto { throw .queryWithoutDatabase }
    if let lastField {
      if case .constant = lastField { throw .lastWithoutColumns }
      guard format.isJSON || [.auto, .csv, .tsv, .xlsx, .sqlite].contains(format) else {
        throw .lastWithoutColumns
      }
    }
    if sheet != nil, format != .xlsx, format != .auto { throw .sheetWithoutWorkbook }
    switch format {
    case .json:
      if rowsAreObjects, numberField == nil { throw .noNumberField }
    case .csv, .tsv, .xlsx:
      if header == .no, let name = firstName { throw .nameWithoutHeader(name) }
    case .lines:
      if let name = firstName { throw .nameWithoutHeader(name) }
    default:
      break
    }
  }

  /// The first field that is chosen by a name which can't be a position; nil if there is none.
  package var firstName: String? {
    for field in [numberField, labelField, sourceField, scoreField, lastField] {
      if case .name(let name)? = field, field?.position == nil { return name }
    }
    return nil
  }

  /// Whether a byte can separate fields: it is not a letter, digit, sign of a number, quote or line end.
  private static func canSeparate(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x1C...0x1F, 0x21, 0x24...0x26, 0x2C, 0x2F, 0x3A...0x3F, 0x5E, 0x7C, 0x7E: true
    default: false
    }
  }
}
