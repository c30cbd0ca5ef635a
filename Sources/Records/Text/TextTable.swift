// Tables of text with padded columns.

/// Formats tables of text.
package enum TextTable {
  /// A table with a header as lines: all columns but the last are padded to the width of their longest text. If a line
  /// is longer than `width`, each row becomes a paragraph that begins with its first text.
  package static func lines(_ rows: [[String]], width: Int?) -> String {
    let header = rows.first ?? []
    let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let lines = rows.map { row in
      zip(row, widths).dropLast().map { text, width in
        text + String(repeating: " ", count: width - text.count + 2)
      }.joined() + (row.last ?? "")
    }
    guard let width, lines.contains(where: { $0.count > width }) else {
      return lines.map { $0 + "\n" }.joined()
    }
    return rows.dropFirst().map { paragraph($0, header, width: width) }.joined(separator: "\n")
  }

  /// A row's first text, and its other texts with their column's name in indented lines.
  private static func paragraph(_ row: [String], _ header: [String], width: Int) -> String {
    let indent = "  "
    let texts = zip(header, row).dropFirst().filter { !$1.isEmpty }.map { "\($0): \($1)" }
    let lines = texts.flatMap { $0.wrapped(to: width - indent.count) }.map { indent + $0 }
    return ([row.first ?? ""] + lines).joined(separator: "\n") + "\n"
  }
}
