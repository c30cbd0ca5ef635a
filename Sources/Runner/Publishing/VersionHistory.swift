// The history of a published folder: the versions that exist, and what happened.
//
//     let history = try VersionHistory(of: PublishedFolder("public"))
//     history.versions.last?.changes
//
// Nothing is locked or written: while a run publishes, the history is the one before or after.

package import CallManifest
import Hashing
import RecordStages
package import Records
package import StoreWriting
package import SystemIO

package struct PublishedVersion: Equatable, Sendable {
  package var id: String
  /// When it was published, in seconds since 1970.
  package var published: Int64
  package var numbers: UInt64
  /// The count of single numbers for blocking and for identification; nil if the manifest can't be read.
  package var kinds: KindCounts?
  /// The size of all files; nil if one of them is inaccessible.
  package var bytes: UInt64?
  /// The version that it replaced. Nil for the first version, and if unknown.
  package var replaced: String?
  /// The single numbers that differ from the version that it replaced. Nil for the first version, and if unknown, such
  /// as for versions that 0.1.0 published.
  package var changes: NumberChanges?
  package var isCurrent: Bool
  /// Whether it was rolled back: the same content is not published again by itself.
  package var isWithdrawn: Bool
  /// Until when its signature is valid, in seconds since 1970; nil if it is not signed. The signature was not checked
  /// with a key.
  package var signedUntil: Int64?
  /// Whether its manifest is missing or unusable. Other damage is found by checking every byte.
  package var isDamaged: Bool
}

package struct VersionHistory: Equatable, Sendable {
  /// The versions that exist, oldest first: in the order in which they were published, whatever the clock said.
  package private(set) var versions: [PublishedVersion] = []
  /// What happened, oldest first; at most 1,000 events, also of versions that were removed since.
  package let events: [PublishEvent]
  /// The version that is current; nil if there is none.
  package let current: String?
  /// The destination of `current`, if that is not a version that exists.
  package let danglingLink: String?
  /// Whether the folder's state is damaged: times and order of the versions are those of their folders, and nothing is
  /// known about rollbacks.
  package let hasDamagedState: Bool

  package struct ListedEvent: Equatable, Sendable {
    package var event: PublishEvent
    /// Whether it is the one that made the current version current, or wrote it last.
    package var isCurrent: Bool
    package var isKept: Bool
  }

  /// The last events, newest first.
  package func latest(_ count: Int) -> [ListedEvent] {
    let kept = Set(versions.map(\.id))
    let place = events.lastIndex { !$0.kind.isCounted && $0.version == current }
    return events.indices.suffix(count).reversed().map { index in
      ListedEvent(
        event: events[index], isCurrent: index == place, isKept: kept.contains(events[index].version))
    }
  }

  /// What is wrong with the folder, as far as the history shows it; nil if nothing is.
  func problem(of folder: PublishedFolder) -> Failure? {
    if let danglingLink { return .danglingCurrent(path: folder.current, destination: danglingLink) }
    if hasDamagedState { return .damagedState(path: folder.state) }
    return versions.last { $0.isDamaged }.map { .noVersionManifest(path: folder.version($0.id)) }
  }

  /// Calls `body` with the history of a folder. Throws if nothing was published, and afterwards if the folder is damaged.
  package static func show(
    _ directory: String, _ body: (VersionHistory) throws(Failure) -> Void
  ) throws(Failure) {
    let folder = PublishedFolder(directory)
    let history = try asFailure(nil) { () throws(SystemError) in try VersionHistory(of: folder) }
    let problem = history.problem(of: folder)
    if history.events.isEmpty, history.versions.isEmpty, problem == nil {
      throw .nothingPublished(in: folder.directory)
    }
    try body(history)
    if let problem { throw problem }
  }

  /// Reads the history of a folder. An empty or missing `versions` folder is a history without versions.
  ///
  /// Throws if the folder or its state can't be read.
  ///
  /// - Complexity: O(files of all versions), whose sizes are looked up; no store is read. If the state is lost, also
  ///   O(records of the deltas).
  package init(of folder: PublishedFolder, calls: any SystemCalls = KernelCalls()) throws(SystemError) {
    let calls: any SystemCalls = try folder.confine(calls)
    // A run that publishes meanwhile writes the state before it removes versions.
    for _ in 1..<Self.attemptsMax {
      let state = FileSignature(of: folder.state, calls: calls)
      let history = try VersionHistory(reading: folder, calls)
      if FileSignature(of: folder.state, calls: calls) == state {
        self = history
        return
      }
    }
    try self.init(reading: folder, calls)
  }

  /// The maximum number of attempts to read a folder in which others publish.
  private static let attemptsMax = 5

  private init(reading folder: PublishedFolder, _ calls: any SystemCalls) throws(SystemError) {
    let known = try PublishState.read(folder.state, calls: calls)
    hasDamagedState = known == nil ? try Self.isReadable(folder.state, calls) : false
    let current = try folder.currentVersion(calls: calls)
    self.current = current
    danglingLink = current == nil ? try SymbolicLink.read(folder.current, calls: calls) : nil
    let ids =
      try SymbolicLink.isPresent(folder.versions, calls: calls) ? try folder.ids(calls: calls) : []
    var state = known ?? PublishState()
    state.fit(folder, ids: ids, current: current, isKnown: known != nil, calls: calls)
    events = state.events
    var published: [String: PublishEvent] = [:]
    for event in events where event.kind == .published { published[event.version] = event }
    versions = state.history.map { entry in
      Self.version(entry, published[entry.id], in: folder, isCurrent: entry.id == current, calls)
    }
  }

  /// Whether a file exists. Throws if it does and can't be opened.
  private static func isReadable(_ path: String, _ calls: any SystemCalls) throws(SystemError) -> Bool {
    guard try SymbolicLink.isPresent(path, calls: calls) else { return false }
    _ = try InputFile.bytes(of: path, limit: 0, calls: calls)
    return true
  }

  private static func version(
    _ entry: PublishState.HistoryEntry, _ event: PublishEvent?, in folder: PublishedFolder, isCurrent: Bool,
    _ calls: any SystemCalls
  ) -> PublishedVersion {
    let path = folder.version(entry.id)
    let manifest = "\(path)/\(Manifest.fileName)"
    let kinds = event?.kinds ?? (try? Manifest(path: manifest, calls: calls))?.entries
    return PublishedVersion(
      id: entry.id, published: entry.published, numbers: entry.entries, kinds: kinds,
      bytes: try? folder.bytes(of: path, calls: calls), replaced: event?.replaced, changes: event?.changes,
      isCurrent: isCurrent, isWithdrawn: entry.isWithdrawn, signedUntil: signedUntil(path, calls),
      isDamaged: kinds == nil || !Directory.holdsFile(manifest, calls: calls))
  }

  /// Until when the signature in a version's folder is valid; nil if there is none, or it is for another manifest.
  private static func signedUntil(_ version: String, _ calls: any SystemCalls) -> Int64? {
    let path = "\(version)/\(ManifestSignature.fileName)"
    guard Directory.holdsFile(path, calls: calls),
      let bytes = try? InputFile.bytes(of: path, limit: ManifestSignature.bytesMax, calls: calls),
      let statement = (try? SignatureFile(bytes))?.statement,
      let manifest = try? Manifest.bytes(of: "\(version)/\(Manifest.fileName)", calls)
    else { return nil }
    var hasher = SHA256Hasher()
    hasher.update(manifest.span)
    return hasher.digest == statement.manifestHash ? statement.expires : nil
  }
}

// MARK: - Rolls back to an earlier version, or forward again

extension Publisher {
  /// Makes another version current: the one whose id starts with `beginning`, or the previous one if it is nil.
  /// Verifies every byte of it first.
  ///
  /// The version that was current is marked as withdrawn: the same content is not published again until it is made
  /// current in this way.
  ///
  /// If the publisher has keys, the version is signed, also if it is the current one: with a new serial number, since
  /// phones refuse an older one.
  package func rollBack(to beginning: String?) throws(Failure) -> (from: String, to: String) {
    guard let from = current else {
      let destination = (try? SymbolicLink.read(folder.current, calls: calls)) ?? nil
      throw destination.map { .danglingCurrent(path: folder.current, destination: $0) }
        ?? .nothingPublished(in: folder.directory)
    }
    let to = try target(beginning, from)
    if to == from, signer == nil { return (from, to) }
    let signature = "\(folder.version(from))/\(ManifestSignature.fileName)"
    if signer == nil, Directory.holdsFile(signature, calls: calls) { throw .needsSigningKey }
    if let problem = try folder.problem(of: to, calls: calls) { throw .damagedVersion(to, problem) }
    try sign(folder.version(to))
    if to != from { try withdraw(from, for: to) }
    return (from, to)
  }

  private func withdraw(_ from: String, for to: String) throws(Failure) {
    for index in state.history.indices {
      if state.history[index].id == from { state.history[index].isWithdrawn = true }
      if state.history[index].id == to { state.history[index].isWithdrawn = false }
    }
    var event = PublishEvent(.rolledBack, to, at: now)
    event.replaced = from
    event.numbers = state.history.first { $0.id == to }?.entries
    let published = state.published(to)
    (event.kinds, event.bytes) = (published?.kinds, published?.bytes)
    state.log(event)
    // Save first. A crash after this leaves the version marked as withdrawn but still current, which is harmless. In
    // the other order, the withdrawn version would be published again.
    try save()
    try switchCurrent(to: to)
  }

  private func target(_ beginning: String?, _ from: String) throws(Failure) -> String {
    if let beginning {
      let matches = history.map(\.id).filter { $0.hasPrefix(beginning) }
      guard matches.count == 1, !beginning.isEmpty else {
        throw .noSuchVersion(beginning, matches: matches.count)
      }
      return matches[0]
    }
    let place = history.lastIndex { $0.id == from } ?? 0
    guard let before = history[..<place].last(where: { !$0.isWithdrawn }) else {
      throw .nothingBefore(version: from)
    }
    return before.id
  }
}

// MARK: - The versions of a published folder, and what happened to it, as tables and as JSON

package enum HistoryText {
  /// What is shown for a value that is unknown or does not exist.
  private static let none = "-"

  // MARK: Versions

  /// The table of versions, oldest first. The id comes first in each line, shortened.
  package static func table(_ versions: [PublishedVersion], hasHeading: Bool) -> [StyledText] {
    let heading = ["version", "published", "numbers", "size", "changes", ""].map { Cell($0, .heading) }
    let rows = versions.map { version in
      [
        Cell(PublishText.short(version.id)), Cell(time(version.published)),
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

  package static func table(_ history: VersionHistory, last count: Int, hasHeading: Bool) -> [StyledText] {
    let heading = ["time", "version", "numbers", "size", "changes", "event"].map { Cell($0, .heading) }
    let rows = history.latest(count).map { event in
      [
        Cell(time(event.event.lastTime ?? event.event.time)),
        Cell(PublishText.short(event.event.version)),
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
        event.replaced.map { "published, replaces \(PublishText.short($0))" } ?? "published"
      case .repaired: "repaired"
      case .signed: "written again and signed"
      case .rolledBack:
        event.replaced.map { "rolled back from \(PublishText.short($0))" } ?? "rolled back"
      case .unchanged: "unchanged\(runs)"
      case .withdrawn: "not published, because it was rolled back\(runs)"
      }
    return what + missing(event.missing)
      + (listed.isCurrent ? "; current" : listed.isKept ? "" : "; no longer kept")
  }

  /// `, with the last good copy of 'b', without 'c'`.
  private static func missing(_ sources: MissingSources?) -> String {
    func names(_ names: [String]) -> String {
      names.map { "'\(PrintableText.name($0))'" }.joined(separator: ", ")
    }
    guard let sources else { return "" }
    return (sources.lastGood.isEmpty ? "" : ", with the last good copy of \(names(sources.lastGood))")
      + (sources.leftOut.isEmpty ? "" : ", without \(names(sources.leftOut))")
  }

  package static func json(_ listed: VersionHistory.ListedEvent) -> String {
    let event = listed.event
    return JSONLine.text(
      EventDocument(
        event: event.kind.rawValue, time: time(event.time), version: event.version, replaced: event.replaced,
        entries: event.numbers, kinds: event.kinds, bytes: event.bytes, changes: event.changes,
        runs: event.runs, lastTime: event.lastTime.map(time), lastGood: event.missing?.lastGood,
        leftOut: event.missing?.leftOut, isCurrent: listed.isCurrent, isKept: listed.isKept))
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
    var lastGood: [String]?
    var leftOut: [String]?
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
}

extension Failure {
  package static func notAReport(_ path: String) -> Failure {
    Failure(
      nil, .badData, "not-a-report", "'\(PrintableText.line(path))' is not a report of 'cdpipe run'",
      hint: "write one with 'cdpipe run --report FILE.json'")
  }

  package static func newerReport(_ path: String, version: Int) -> Failure {
    Failure(
      nil, .badData, "newer-report",
      "'\(PrintableText.line(path))' is a report in version \(version) of the format, which is newer than this program",
      hint: "use the same version of cdpipe everywhere")
  }
}

private struct StyledCell {
  var text: String
  var style: TextStyle?

  init(_ text: String, _ style: TextStyle? = nil) {
    self.text = text
    self.style = style
  }
}
