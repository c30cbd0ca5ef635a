// The state of a published folder, stored in `.publish.json`: the versions in the order in which they became current,
// what happened to the folder, and the inputs of the last version.
//
// If the file is lost, nothing published is lost: the versions are found again, and the next run processes everything.

package import CallManifest
import FoundationEssentials
package import StoreWriting
package import SystemIO

struct PublishState: Codable, Equatable {
  static let format = "cdpipe-publish"
  static let version = 1
  /// The maximum size of the file in bytes: a thousand versions need about 150,000, the events 400,000, a source about
  /// 500. Tens of thousands of sources fit.
  private static let bytesMax = 32 << 20
  /// The maximum number of events that are remembered: those of almost three years with a new version every night.
  static let eventsMax = 1000

  struct HistoryEntry: Codable, Equatable {
    var id: String
    /// When it became current, in seconds since 1970.
    var published: Int64
    var entries: UInt64
    /// Whether it was rolled back: the same content is not published again automatically.
    var isWithdrawn = false
  }

  var format = Self.format
  var version = Self.version
  /// The versions, oldest first; each id occurs once.
  var history: [HistoryEntry] = []
  /// What happened, oldest first, at most ``eventsMax``. Events of versions that were removed stay.
  var events: [PublishEvent] = []
  var memory: PublishMemory?
  /// The version that last passed a check of every byte, with the state of its files at that time.
  var verified: VerifiedFiles?
  /// The highest serial number of a signature so far; nil if no version was signed, and in states up to 0.1.0.
  var serial: Int64?

  private enum CodingKeys: String, CodingKey {
    case format, version, history, events, memory, serial
    case verified = "sound"
  }

  struct VerifiedFiles: Codable, Equatable {
    var version: String
    /// A hash of the files' names, sizes and modification times.
    var looks: String
  }

  /// Records that a version was published or written again, and is current.
  mutating func note(_ event: PublishEvent) {
    history.removeAll { $0.id == event.version }
    history.append(HistoryEntry(id: event.version, published: event.time, entries: event.numbers ?? 0))
    log(event)
  }

  /// The last publication of a version; nil if it is forgotten.
  func published(_ id: String) -> PublishEvent? { events.last { $0.kind == .published && $0.version == id } }

  /// Adds an event. A run that published nothing, like the one before, is added to that event.
  mutating func log(_ event: PublishEvent) {
    if event.kind.isCounted, let last = events.last, last.kind == event.kind, last.version == event.version,
      last.missing == event.missing
    {
      events[events.count - 1].runs = (last.runs ?? 1) &+ 1
      events[events.count - 1].lastTime = event.time
      return
    }
    events.append(event)
    events.removeFirst(max(0, events.count - Self.eventsMax))
  }

  /// Updates the history to the versions that exist in the folder.
  ///
  /// - Parameters:
  ///   - ids: the versions in the folder.
  ///   - current: the current version.
  ///   - isKnown: whether a history was read. Without one, every existing version is assumed to have been published.
  mutating func fit(
    _ folder: PublishedFolder, ids: [String], current: String?, isKnown: Bool,
    calls: any SystemCalls = KernelCalls()
  ) {
    let ids = Set(ids)
    if isKnown {
      history.removeAll { !ids.contains($0.id) }
    } else {
      let found = ids.map { (id: $0, time: FileSignature.modified(folder.version($0), calls: calls)) }
      for (id, time) in found.sorted(by: { ($0.time, $0.id) < ($1.time, $1.id) }) where id != current {
        adopt(id, in: folder, at: time, calls)
      }
    }
    if let current, !isKnown || !history.contains(where: { $0.id == current }) {
      adopt(current, in: folder, at: FileSignature.modified(folder.version(current), calls: calls), calls)
    }
    // A rollback is saved before the switch, and this one was interrupted between the two.
    if let last = events.last, last.kind == .rolledBack, last.replaced == current, current != nil {
      events.removeLast()
    }
  }

  /// Records a version that was found in the folder: its run was interrupted before it did, or the state was lost.
  ///
  /// - Complexity: O(records of the deltas from the version before).
  private mutating func adopt(
    _ id: String, in folder: PublishedFolder, at seconds: Int64, _ calls: any SystemCalls
  ) {
    var event = PublishEvent(.published, id, at: seconds)
    if let shards = try? ShardFolder(folder.version(id), calls: calls) {
      event.kinds = shards.manifest.entries
      // The manifest names the content that was current when it was made.
      if let before = history.last?.id, let baseline = shards.manifest.baseline?.contentID,
        let earlier = try? ShardFolder(folder.version(before), calls: calls),
        earlier.contentID == baseline
      {
        event.replaced = before
        event.changes = (try? shards.changes(since: earlier.shards)) ?? nil
      }
    }
    event.numbers = event.kinds?.sum ?? 0
    event.bytes = try? folder.bytes(of: folder.version(id), calls: calls)
    history.append(HistoryEntry(id: id, published: seconds, entries: event.numbers ?? 0))
    log(event)
  }

  /// Reads the file; nil if it is missing or unusable. Throws when the machine can't read it: without the history, a
  /// version that was rolled back would be published again.
  static func read(_ path: String, calls: any SystemCalls) throws(SystemError) -> PublishState? {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try InputFile.bytes(of: path, limit: bytesMax, calls: calls)
    } catch {
      if error.code.blamesMachine { throw error }
      return nil
    }
    guard bytes.count <= bytesMax,
      let state = try? JSONDecoder().decode(PublishState.self, from: Data(bytes)),
      state.format == format, state.version == version,
      state.history.allSatisfy({ PublishedNames.isID($0.id) })
    else { return nil }
    return state
  }

  func write(_ path: String, calls: any SystemCalls) throws(SystemError) {
    var short = self
    short.events = []
    short.memory?.inputs = memory?.inputs.map { _ in [] }
    short.memory?.sources = []
    var json = JSONText(of: short)
    json.fill("events", events, depth: 1)
    json.fill("inputs", memory?.inputs ?? [], depth: 2)
    json.fill("sources", memory?.sources ?? [], depth: 2)
    let text = json.bytes + [UInt8(ascii: "\n")]
    var file = try OutputFile(path, calls: calls)
    try file.write(text.span)
    try file.publish()
  }
}

extension PublishState {
  /// An event, or nil for one of a form that this version of the program does not know.
  private struct KnownEvent: Decodable {
    var event: PublishEvent?

    init(from decoder: any Decoder) { event = try? PublishEvent(from: decoder) }
  }

  /// Decodes a state. Versions up to 0.1.0 wrote no events: each existing version is one.
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    format = try values.decode(String.self, forKey: .format)
    version = try values.decode(Int.self, forKey: .version)
    history = try values.decode([HistoryEntry].self, forKey: .history)
    memory = try values.decodeIfPresent(PublishMemory.self, forKey: .memory)
    verified = try values.decodeIfPresent(VerifiedFiles.self, forKey: .verified)
    serial = try values.decodeIfPresent(Int64.self, forKey: .serial)
    if let known = try? values.decode([KnownEvent].self, forKey: .events) {
      events = known.suffix(Self.eventsMax).compactMap(\.event).filter {
        PublishedNames.isID($0.version) && PublishedNames.isID($0.replaced ?? $0.version)
      }
    } else {
      events = history.suffix(Self.eventsMax).map { entry in
        var event = PublishEvent(.published, entry.id, at: entry.published)
        event.numbers = entry.entries
        return event
      }
    }
  }
}

/// The inputs and pipeline of a version. If they are unchanged, the next run has nothing to do.
package struct PublishMemory: Codable, Equatable, Sendable {
  /// An input file, or the content of a URL.
  package struct Input: Codable, Equatable, Sendable {
    package var name: String
    /// The SHA-256 of the bytes, as 64 hexadecimal digits.
    package var sha256: String
    /// The file's signature when it was read. Nil for content that is always or never read again.
    package var stamp: FileSignature?
  }

  package struct Source: Codable, Equatable, Sendable {
    package var name: String
    /// The count of usable rows.
    package var rows: UInt64
    /// When the source's bytes were last known to be good, in seconds since 1970.
    package var good: Int64
    /// The valid SHA-256 hashes of the last good copy, each as 64 hexadecimal digits: that of the last run, and that of
    /// the run before, which applies if the last run ended before it replaced the copy. Nil if unknown.
    package var copies: [String]?
  }

  package var result: String
  /// The identity of the pipeline: a hash of its stages, options and the program's version.
  package var pipeline: String
  /// The inputs; nil if they are not completely known, so that the next run reads everything.
  package var inputs: [Input]?
  /// The sources, including those that were left out of the last run.
  package var sources: [Source]
  /// The sources that the last run did not read itself; nil for none.
  package var missing: MissingSources?
}

/// The names of the sources that a run did not read as they were.
package struct MissingSources: Codable, Equatable, Sendable {
  /// Those whose last good copy was used.
  package var lastGood: [String] = []
  package var leftOut: [String] = []
}

// MARK: - What happened to a published folder: the events that its state remembers
//
// Runs that published nothing are counted, not listed: a folder whose list never changes keeps one event.

package struct PublishEvent: Codable, Equatable, Sendable {
  package typealias EventKind = RunReport.Event.EventKind

  package var kind: EventKind
  /// The version that became current, was written again, or resulted from the runs.
  package var version: String
  /// When it happened, in seconds since 1970. The clock may have been set back between two events.
  package var time: Int64
  /// The version that was current before. Nil if there was none, or if it is unknown.
  package var replaced: String?
  /// The count of single numbers; nil for runs that published nothing.
  package var numbers: UInt64?
  /// The count of single numbers for blocking and for identification; nil if unknown.
  package var kinds: KindCounts?
  /// The size of all files of the version; nil if unknown.
  package var bytes: UInt64?
  /// The single numbers in which a published version differs from the one that it replaced. Nil for the first version,
  /// and if unknown.
  package var changes: NumberChanges?
  /// The number of runs in a row that published nothing; nil for other events.
  package var runs: UInt64?
  /// When the last of these runs was, in seconds since 1970.
  package var lastTime: Int64?
  /// The sources that the run did not read itself; nil for none.
  package var missing: MissingSources?

  init(_ kind: EventKind, _ version: String, at seconds: Int64, missing: MissingSources? = nil) {
    self.kind = kind
    self.missing = missing
    self.version = version
    time = seconds
    if kind.isCounted { (runs, lastTime) = (1, seconds) }
  }
}

extension RunReport.Event.EventKind {
  /// Whether runs of this kind in a row are one event.
  var isCounted: Bool { self == .unchanged || self == .withdrawn }
}

// MARK: - Selects the versions to remove, and the versions that deltas start from

enum Retention {
  private static let daySeconds: Int64 = 86_400

  /// The ids of the versions to remove: all but the newest `keep`, and those older than `keepDays`. The current version
  /// is always kept, as are the versions that the next version's deltas will start from.
  ///
  /// `result`, the version that the sources resulted in last, is kept if it was rolled back. Its mark is lost when it
  /// is removed, and the next run would publish it again.
  static func expired(
    _ history: [PublishState.HistoryEntry], current: String, result: String?, now: Int64,
    _ options: PublishOptions
  ) -> Set<String> {
    var kept: Set<String> = [current]
    if let withdrawn = history.first(where: { $0.id == result && $0.isWithdrawn }) {
      kept.insert(withdrawn.id)
    }
    kept.formUnion(deltaSources(history, current: current, count: options.deltas))
    var slotsLeft = max(0, options.keep - kept.count)
    for entry in history.reversed() where !kept.contains(entry.id) {
      let isOld = options.keepDays.map { now &- entry.published > Int64($0) &* daySeconds } ?? false
      if !isOld, slotsLeft > 0 {
        kept.insert(entry.id)
        slotsLeft -= 1
      }
    }
    return Set(history.map(\.id)).subtracting(kept)
  }

  /// The versions that deltas to a new version start from, the current one first.
  static func deltaSources(_ history: [PublishState.HistoryEntry], current: String, count: Int) -> [String] {
    guard count > 0 else { return [] }
    let others = history.reversed().filter { $0.id != current && !$0.isWithdrawn }.map(\.id)
    return [current] + others.prefix(count - 1)
  }
}
