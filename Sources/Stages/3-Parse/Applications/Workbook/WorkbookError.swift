// Why a workbook can't be read, as data; and the limits of reading workbooks, with their reasons.

package import Records

/// The limits of reading workbooks, with their reasons.
enum WorkbookLimits {
  /// The maximum number of members of the archive: the directory is searched for each part. Workbooks with a thousand
  /// pictures have a few thousand.
  static let membersMax: UInt64 = 65_536
  /// The maximum unpacked size of the parts that list the sheets, in bytes; real ones have a few KiB.
  static let listBytesMax: UInt64 = 16 << 20
  /// The maximum unpacked size of the shared strings, in bytes. They are written to a temporary file.
  static let stringsBytesMax: UInt64 = 4 << 30
  /// The maximum unpacked size of a sheet, in bytes: a full sheet with sixteen short cells in each row has 1 GiB.
  static let sheetBytesMax: UInt64 = 16 << 30
  /// The maximum number of sheets, and of bytes of a name or a path that is kept. Excel allows names of 31 characters.
  static let sheetsMax = 1024
  static let nameBytesMax = 1024
  /// The maximum numbers of rows and columns. They are Excel's own limits.
  static let rowsMax: UInt64 = 1_048_576
  static let columnsMax = 16_384
  /// The number of names of sheets that an error lists.
  static let sheetsShownMax = 20
}

/// A kind of office document that is recognised, but not read.
package enum OfficeFormat: Sendable, Equatable {
  /// A workbook of Excel 97 to 2003, `.xls`, or another document of that time.
  case excel97
  /// A workbook that is protected by a password.
  case encrypted
  /// A workbook in Excel's binary form, `.xlsb`.
  case excelBinary
  /// A spreadsheet of LibreOffice, `.ods`, or another OpenDocument file.
  case openDocument
  /// A spreadsheet of Apple's Numbers.
  case numbers
  /// A document or a presentation.
  case other
}

/// Why a workbook can't be read.
package enum WorkbookError: Error, ErrorCause, Equatable {
  /// A kind of document that is not read.
  case unsupported(OfficeFormat, input: String)
  /// A zip archive that contains no workbook.
  case noWorkbook(input: String)
  /// The archive's directory is damaged.
  case damagedArchive(ArchiveErrorReason, input: String)
  /// A part is damaged; the reason is nil if its checksum or its size is wrong.
  case damagedPart(String, MemberErrorReason?, input: String)
  /// A part is missing.
  case missingPart(String, input: String)
  /// A part is larger than the limit, in bytes.
  case partTooLarge(String, limit: UInt64, input: String)
  /// The archive has more members than the limit.
  case tooManyMembers(limit: UInt64, input: String)
  /// A part is not XML that can be read. Lines count from 1, bytes from 0.
  case notXML(part: String, line: UInt64, byte: UInt64, input: String, XMLErrorReason)
  /// The workbook has no sheet with cells, or all are hidden; the names of those.
  case noSheet(hidden: [String], input: String)
  /// The chosen sheet is not in the workbook; some of its sheets.
  case noSuchSheet(String, names: [String], input: String)
  /// A cell of this row refers to a text that the workbook lacks.
  case missingText(row: UInt64, input: String)

  /// Always true: the rows before the error are valid.
  package var endsInput: Bool { true }
  /// Always bad data.
  package var errorClass: ErrorClass { .badData }
}
