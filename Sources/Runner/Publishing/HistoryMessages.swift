// The versions of a published folder, and what happened to it, as tables and as JSON.

package import Records
import StoreWriting
import CallManifest
import SystemIO

/// Formats the history of a published folder.
package enum HistoryMessages {
  /// What is shown for a value that is unknown or does not exist.
  private static let none = "-"

  // MARK: Versions

  /// The table of versions, oldest first. The id comes first in each line, shortened.
  ///
  /// - Parameter hasHeading: whether the first line names the columns.
  package static func table(_ versions: [PublishedVersion], hasHeading: Bool) -> [StyledText] {
    let heading = ["version", "published", "numbers", "size", "changes", ""].map { Cell($0, .heading) }
    let rows = versions.map { version in
      [
        Cell(PublishMessages.short(version.id)), Cell(time(version.published)),
        Cell(Figures.grouped(version.numbers)), Cell(version.bytes.map { Figures.bytes($0) } ?? none),
        Cell(text(version.changes)), mark(version),
      ]
    }
    return lines((hasHeading ? [heading] : []) + rows, numeric: 2...3)
  }

  private static func mark(_ version: PublishedVersion) -> Cell {
    if version.isDamaged { return Cell(version.isCurrent ? "current, damaged" : "damaged", .removed) }
    if version.isCurrent {
      return Cell("current\(version.signedUntil.map { ", signed until \(time($0))" } ?? "")", .added)
    }
    return version.isWithdrawn ? Cell("rolled back", .changed) : Cell("")
  }

  /// A version, as a JSON object.
  package static func json(_ version: PublishedVersion) -> String {
    JSONLine.text(
      VersionDocument(
        version: version.id, published: time(version.published), entries: version.numbers,
        kinds: version.kinds, bytes: version.bytes, replaced: version.replaced, changes: version.changes,
        isCurrent: version.isCurrent, isRolledBack: version.isWithdrawn, isDamaged: version.isDamaged,
        signedUntil: version.signedUntil.map(time)))
  }

  private struct VersionDocument: Encodable {
    var version: String
    var published: String
    var entries: UInt64
    var kinds: KindCounts?
    var bytes: UInt64?
    var replaced: String?
    var changes: NumberChanges?
    var isCurrent: Bool
    var isRolledBack: Bool
    var isDamaged: Bool
    var signedUntil: String?
  }

  // MARK: Events

  /// The table of the last events, newest first.
  ///
  /// - Parameters:
  ///   - count: the maximum number of events.
  ///   - hasHeading: whether the first line names the columns.
  package static func table(_ history: VersionHistory, last count: Int, hasHeading: Bool) -> [StyledText] {
    let heading = ["time", "version", "numbers", "size", "changes", "event"].map { Cell($0, .heading) }
    let rows = history.latest(count).map { event in
      [
        Cell(time(event.event.lastTime ?? event.event.time)),
        Cell(PublishMessages.short(event.event.version)),
        Cell(event.event.numbers.map(Figures.grouped) ?? none),
        Cell(event.event.bytes.map { Figures.bytes($0) } ?? none), Cell(text(event.event.changes)),
        Cell(text(event), event.isCurrent ? .added : event.isKept ? nil : .faint),
      ]
    }
    return lines((hasHeading ? [heading] : []) + rows, numeric: 2...3)
  }

  private static func text(_ listed: VersionHistory.ListedEvent) -> String {
    let event = listed.event
    let runs =
      event.runs.map { $0 == 1 ? "" : ", \(Figures.grouped($0)) runs since \(time(event.time))" } ?? ""
    let what =
      switch event.kind {
      case .published:
        event.replaced.map { "published, replaces \(PublishMessages.short($0))" } ?? "published"
      case .repaired: "repaired"
      case .signed: "written again and signed"
      case .rolledBack:
        event.replaced.map { "rolled back from \(PublishMessages.short($0))" } ?? "rolled back"
      case .unchanged: "unchanged\(runs)"
      case .withdrawn: "not published, because it was rolled back\(runs)"
      }
    return what + (listed.isCurrent ? "; current" : listed.isKept ? "" : "; no longer kept")
  }

  /// An event, as a JSON object.
  package static func json(_ listed: VersionHistory.ListedEvent) -> String {
    let event = listed.event
    return JSONLine.text(
      EventDocument(
        event: event.kind.rawValue, time: time(event.time), version: event.version, replaced: event.replaced,
        entries: event.numbers, kinds: event.kinds, bytes: event.bytes, changes: event.changes,
        runs: event.runs, lastTime: event.lastTime.map(time), isCurrent: listed.isCurrent,
        isKept: listed.isKept))
  }

  private struct EventDocument: Encodable {
    var event: String
    var time: String
    var version: String
    var replaced: String?
    var entries: UInt64?
    var kinds: KindCounts?
    var bytes: UInt64?
    var changes: NumberChanges?
    var runs: UInt64?
    var lastTime: String?
    var isCurrent: Bool
    var isKept: Bool
  }

  // MARK: Columns

  private typealias Cell = StyledCell

  private static func time(_ seconds: Int64) -> String { WallClock.text(Double(seconds)) }

  /// `+350 −12 40 relabelled`.
  private static func text(_ changes: NumberChanges?) -> String {
    guard let changes else { return none }
    return "+\(Figures.grouped(changes.added)) −\(Figures.grouped(changes.removed))"
      + (changes.relabelled == 0 ? "" : " \(Figures.grouped(changes.relabelled)) relabelled")
  }

  /// Lines of cells in columns; the numeric ones are aligned at their end.
  private static func lines(_ rows: [[StyledCell]], numeric: ClosedRange<Int>) -> [StyledText] {
    guard let first = rows.first else { return [] }
    let widths = first.indices.map { column in rows.map { $0[column].text.displayWidth }.max() ?? 0 }
    return rows.map { row in
      var line = StyledText("")
      for (column, cell) in row.enumerated() where !cell.text.isEmpty {
        let space = String(repeating: " ", count: widths[column] - cell.text.displayWidth)
        if column > 0 { line.append("  ") }
        if numeric.contains(column) { line.append(StyledText(space)) }
        line.append(StyledText(cell.text, cell.style))
        let isLast = row[(column + 1)...].allSatisfy(\.text.isEmpty)
        if !numeric.contains(column), !isLast { line.append(StyledText(space)) }
      }
      return line
    }
  }

  /// A file that is not a report.
  package static func notAReport(_ path: String) -> UserMessage {
    UserMessage(
      "'\(PrintableText.line(path))' is not a report of 'cdpipe run'",
      hint: "write one with 'cdpipe run --report FILE.json'")
  }

  /// A report that was written by a newer version.
  package static func newerReport(_ path: String, version: Int) -> UserMessage {
    UserMessage(
      "'\(PrintableText.line(path))' is a report in version \(version) of the format, which is newer than this program",
      hint: "use the same version of cdpipe everywhere")
  }
}

/// A text in a column, with its style.
private struct StyledCell {
  var text: String
  var style: TextStyle?

  init(_ text: String, _ style: TextStyle? = nil) {
    self.text = text
    self.style = style
  }
}
