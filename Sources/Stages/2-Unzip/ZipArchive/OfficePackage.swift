// Recognises office documents among zip archives by the first member: an archive of lists is unpacked, while the parts
// of a workbook have no meaning of their own.
//
// Not for: which kind of document it is, which the directory shows (WorkbookArchive).
//
// Sources: ISO/IEC 29500-2 (the parts of a package); OpenDocument 1.3, part 2, section 3.3 (the member `mimetype`).

/// Recognises office documents.
package enum OfficePackage {
  /// The number of bytes that are needed: a local header and the longest start of a member.
  package static let startBytes = 30 + 42

  /// What the name of the first member starts with, in documents of Excel, LibreOffice, Google and libraries; the last
  /// one includes the content of the member, which is not compressed.
  private static let firstNames: [StaticString] = [
    "[Content_Types].xml", "_rels/", "docProps/", "xl/", "customXml/", "word/", "ppt/", "Index/Document.iwa",
    "mimetypeapplication/vnd.oasis.opendocument",
  ]

  /// Whether a zip archive with this start is an office document, as far as its first ``startBytes`` show.
  package static func begins(_ start: Span<UInt8>) -> Bool {
    starts(start, with: "PK\u{3}\u{4}", at: 0)
      && firstNames.contains { starts(start, with: $0, at: MemberLocation.headerBytes) }
  }

  private static func starts(_ bytes: Span<UInt8>, with text: StaticString, at offset: Int) -> Bool {
    guard bytes.count >= offset + text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { letters in
      for index in 0..<letters.count where unsafe letters[index] != bytes[offset + index] { return false }
      return true
    }
  }
}
