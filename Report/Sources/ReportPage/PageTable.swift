// A table of the page. Columns without a value are left out, and wide tables become a list of rows on a phone.

/// A table with names on the left and figures on the right.
struct PageTable {
  /// A column header.
  struct Column {
    var text: String
    /// Whether the column has figures, which are right-aligned.
    var isFigure: Bool
  }

  /// A cell.
  struct Cell {
    var text: String
    /// The column's header, shown next to the cell when the columns don't fit.
    var label = ""
    /// The whole text, if the cell has only a part of it; else nil.
    var whole: String?
    /// The CSS class that sets the cell's colour; empty for the text's.
    var colour = ""
    var isFigure = false
    /// Whether the cell names its row.
    var isHeader = false
  }

  struct TableRow {
    var cells: [Cell]
  }

  /// The name by which tests find the table.
  let id: String
  let columns: [Column]
  let rows: [TableRow]
  /// The CSS class that arranges a row on a phone; empty if the columns fit side by side.
  let style: String
  /// Whether there is such a class.
  let isWide: Bool
  /// Whether the table is long and therefore collapsed.
  let isLong: Bool

  /// The maximum number of rows of an expanded table: on a phone, a longer one would hide the rest of the page.
  static let openRowsMax = 20
  /// The maximum number of columns that a phone shows side by side: a name, and three figures of seven digits.
  private static let narrowColumnsMax = 4

  /// Creates a table. All rows have as many cells as there are columns.
  init(id: String, names: [String], figures: [String], rows: [[Cell]], style: String? = nil) {
    self.id = id
    let all =
      names.map { Column(text: $0, isFigure: false) } + figures.map { Column(text: $0, isFigure: true) }
    let shown = all.indices.filter { column in
      column == 0 || rows.contains { !$0[column].text.isEmpty }
    }
    columns = shown.map { all[$0] }
    self.rows = rows.map { row in
      TableRow(
        cells: shown.map { column in
          var cell = row[column]
          cell.label = all[column].text
          cell.isFigure = all[column].isFigure
          cell.isHeader = column == 0
          return cell
        })
    }
    self.style = style ?? (shown.count > Self.narrowColumnsMax ? "stack" : "")
    isWide = !self.style.isEmpty
    isLong = rows.count > Self.openRowsMax
  }

  /// Creates a table of texts.
  init(
    id: String, names: [String], figures: [String], rows: [(names: [String], figures: [String])],
    style: String? = nil
  ) {
    self.init(
      id: id, names: names, figures: figures,
      rows: rows.map { row in (row.names + row.figures).map { Cell(text: $0) } }, style: style)
  }
}
