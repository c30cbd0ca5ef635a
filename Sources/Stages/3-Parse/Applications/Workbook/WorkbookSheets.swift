// The sheets of a workbook: which there are, which one is read, and where its part is.
//
// Elements are recognised by their names without prefix, so that both forms of the format (transitional and strict,
// which have different namespaces) are read alike.
//
// Not for: the cells (SheetHandler).
//
// Sources: ISO/IEC 29500-1, 18.2.19 (sheets), ISO/IEC 29500-2, 9.3 (relationships).

import Records
import SystemIO

/// A sheet of a workbook.
struct WorkbookSheet {
  var name: String
  var isVisible: Bool
  /// The identifier of the relationship with its part.
  fileprivate var relationship: ContiguousArray<UInt8>
  /// The path of its part; nil if it has no cells, such as a chart.
  var path: String?
}

/// The sheets of a workbook, in the order of their tabs, and the part with its texts.
struct WorkbookSheets {
  private(set) var sheets: [WorkbookSheet] = []
  /// The path of the shared strings; nil if there are none.
  private(set) var stringsPath: String?

  /// Reads the parts that list the sheets. Throws if the document is not a workbook.
  init(_ archive: WorkbookArchive, input: String, _ rows: inout RowWriter) throws(Failure) {
    let path = try Self.workbookPath(archive, &rows)
    guard let part = try archive.part(named: path), !path.hasSuffix(".bin") else {
      if let other = try archive.otherFormat() { throw .unsupportedDocument(other, input: input) }
      throw .noWorkbook(input: input)
    }
    let list = SheetListHandler()
    try archive.parse(part, limit: WorkbookLimits.listBytesMax, list, into: &rows)
    sheets = list.sheets
    let base = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let relationshipsPath = base + "_rels/" + path.dropFirst(base.count) + ".rels"
    guard let relationships = try archive.part(named: relationshipsPath) else {
      throw .missingPart(relationshipsPath, input: input)
    }
    var found = self
    try archive.parse(
      relationships, limit: WorkbookLimits.listBytesMax,
      RelationshipHandler { identifier, type, target in
        found.note(identifier, type, Self.resolve(target, base))
      }, into: &rows)
    self = found
  }

  /// The path of the workbook's part: the target of the package's relationship, or the common one.
  private static func workbookPath(
    _ archive: WorkbookArchive, _ rows: inout RowWriter
  ) throws(Failure) -> String {
    var path = "xl/workbook.xml"
    guard let part = try archive.part(named: "_rels/.rels") else { return path }
    try archive.parse(
      part, limit: WorkbookLimits.listBytesMax,
      RelationshipHandler { _, type, target in
        if type == "officeDocument" { path = resolve(target, "") }
      }, into: &rows)
    return path
  }

  private mutating func note(_ identifier: ContiguousArray<UInt8>, _ type: String, _ path: String) {
    if type == "sharedStrings" { stringsPath = path }
    guard type == "worksheet" else { return }
    for index in sheets.indices where sheets[index].relationship == identifier { sheets[index].path = path }
  }

  /// The path of a target, which is relative to a folder unless it begins with a slash.
  private static func resolve(_ target: String, _ base: String) -> String {
    let full = target.hasPrefix("/") ? target : base + target
    var parts: [Substring] = []
    for part in full.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }

  /// The sheet with this name, or at this position among the visible ones; the first visible one for nil. Throws if
  /// there is none with cells.
  func choose(_ chosen: String?, input: String) throws(Failure) -> WorkbookSheet {
    let withCells = sheets.filter { $0.path != nil }
    let visible = withCells.filter { $0.isVisible }
    guard let chosen else {
      if let first = visible.first { return first }
      throw .noSheet(hidden: Self.names(withCells), input: input)
    }
    if let named = withCells.first(where: { $0.name == chosen }) { return named }
    if let position = FieldSelector.name(chosen).position, position <= visible.count {
      return visible[position - 1]
    }
    throw .noSuchSheet(chosen, names: Self.names(withCells), input: input)
  }

  /// The visible sheets with cells besides one, at most ``WorkbookLimits/sheetsShownMax``.
  func visible(except chosen: WorkbookSheet) -> [WorkbookSheet] {
    Array(
      sheets.filter { $0.isVisible && $0.path != nil && $0.path != chosen.path }
        .prefix(WorkbookLimits.sheetsShownMax))
  }

  private static func names(_ sheets: [WorkbookSheet]) -> [String] {
    sheets.prefix(WorkbookLimits.sheetsShownMax).map(\.name)
  }
}

/// Reads the list of sheets in the workbook's part.
private final class SheetListHandler: XMLHandler {
  private(set) var sheets: [WorkbookSheet] = []

  func start(
    _ name: Span<UInt8>, _ attributes: borrowing XMLAttributes, at place: () -> RecordPosition,
    into rows: inout RowWriter
  ) throws(Failure) {
    guard name.localName.equals("sheet"), sheets.count < WorkbookLimits.sheetsMax else { return }
    let state = attributes.value(of: "state")
    let title = attributes.value(of: "name").prefix(WorkbookLimits.nameBytesMax)
    let relationship = attributes.value(of: "id", ignoringPrefix: true)
    sheets.append(
      WorkbookSheet(
        name: String(decoding: title, as: UTF8.self),
        isVisible: state.isEmpty || state.span.equals("visible"),
        relationship: ContiguousArray(relationship.prefix(WorkbookLimits.nameBytesMax))))
  }

  func end(_ name: Span<UInt8>, into rows: inout RowWriter) throws(Failure) {}
  func text(_ bytes: Span<UInt8>) {}
  func unknownEntity() {}
}

/// Reads a list of relationships.
private final class RelationshipHandler: XMLHandler {
  private let note: (_ identifier: ContiguousArray<UInt8>, _ type: String, _ target: String) -> Void

  /// Calls `note` with each relationship's identifier, the last word of its type, and its target.
  init(_ note: @escaping (ContiguousArray<UInt8>, String, String) -> Void) {
    self.note = note
  }

  func start(
    _ name: Span<UInt8>, _ attributes: borrowing XMLAttributes, at place: () -> RecordPosition,
    into rows: inout RowWriter
  ) throws(Failure) {
    guard name.localName.equals("Relationship") else { return }
    let type = String(decoding: attributes.value(of: "Type"), as: UTF8.self)
    let target = attributes.value(of: "Target").prefix(WorkbookLimits.nameBytesMax)
    note(
      attributes.value(of: "Id"), type.split(separator: "/").last.map(String.init) ?? "",
      String(decoding: target, as: UTF8.self))
  }

  func end(_ name: Span<UInt8>, into rows: inout RowWriter) throws(Failure) {}
  func text(_ bytes: Span<UInt8>) {}
  func unknownEntity() {}
}
