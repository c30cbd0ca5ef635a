// What publishing remembers, as `.publish.json` has it: the versions in the order in which they became current, and what
// the last one was made of.
//
// Losing it costs nothing that was published: the versions are looked up again, and the next run works in full.

import FoundationEssentials
import ShardDirectories
public import SystemIO

/// What publishing remembers.
struct PublishState: Codable, Equatable {
  static let format = "cdpipe-publish"
  static let version = 1
  /// The most bytes of the file: a thousand versions take some 150,000, a source some 500.
  private static let bytesMax = 4 << 20

  /// A version that became current.
  struct HistoryEntry: Codable, Equatable {
    var id: String
    /// When, in seconds since 1970.
    var published: Int64
    /// Single numbers.
    var entries: UInt64
    /// Somebody went back from it: the same content is not published again by itself.
    var isWithdrawn = false
  }

  var format = Self.format
  var version = Self.version
  /// The oldest first; each id once.
  var history: [HistoryEntry] = []
  var memory: PublishMemory?
  /// The version that last passed a check of every byte, and what its files looked like then.
  var verified: VerifiedFiles?

  private enum CodingKeys: String, CodingKey {
    case format, version, history, memory
    case verified = "sound"
  }

  /// What the files of a valid version look like.
  struct VerifiedFiles: Codable, Equatable {
    var version: String
    /// A hash over their names, sizes and times of change.
    var looks: String
  }

  /// Notes that a version has become current now.
  mutating func note(_ id: String, at seconds: Int64, entries: UInt64) {
    history.removeAll { $0.id == id }
    history.append(HistoryEntry(id: id, published: seconds, entries: entries))
  }

  /// Brings the history in line with the versions that are there.
  ///
  /// - Parameters:
  ///   - ids: the versions in the folder.
  ///   - current: the one that is current.
  ///   - isKnown: whether there was a history; without one every version that is there was published at some time.
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
        adopt(id, in: folder, at: time)
      }
    }
    if let current, !isKnown || !history.contains(where: { $0.id == current }) {
      adopt(current, in: folder, at: FileSignature.modified(folder.version(current), calls: calls))
    }
  }

  private mutating func adopt(_ id: String, in folder: PublishedFolder, at seconds: Int64) {
    let entries: UInt64
    do throws(ShardDirectoryError) {
      entries = try ShardDirectory(folder.version(id)).entries
    } catch {
      entries = 0
    }
    note(id, at: seconds, entries: entries)
  }

  /// Reads the file; nil when there is none, or none that can be used.
  static func read(_ path: String, calls: any SystemCalls) -> PublishState? {
    do {
      let bytes = try InputFile.bytes(of: path, limit: bytesMax, calls: calls)
      let state = try JSONDecoder().decode(PublishState.self, from: Data(bytes))
      guard bytes.count <= bytesMax, state.format == format, state.version == version,
        state.history.allSatisfy({ PublishedFolder.isID($0.id) })
      else { return nil }
      return state
    } catch {
      return nil
    }
  }

  /// Writes the file, whole or not at all.
  func write(_ path: String, calls: any SystemCalls) throws(SystemError) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Numbers and plain text only: there is nothing that can't be encoded.
    let text = Array((try? encoder.encode(self)) ?? Data()) + [UInt8(ascii: "\n")]
    var file = try OutputFile(path, calls: calls)
    try file.write(text.span)
    try file.publish()
  }
}

/// What a version was made of, so that the same need not be made again.
public struct PublishMemory: Codable, Equatable, Sendable {
  /// One file that went into it, or what a URL brought.
  public struct Input: Codable, Equatable, Sendable {
    /// What it is known by: the source's name, or a path.
    public var name: String
    /// Of its bytes, 64 hexadecimal digits.
    public var sha256: String
    /// What the file looked like when it was read; nil for what need not be read again, or must be.
    public var stamp: FileSignature?

    /// Makes an input.
    public init(name: String, sha256: String, stamp: FileSignature?) {
      self.name = name
      self.sha256 = sha256
      self.stamp = stamp
    }
  }

  /// What a source gave.
  public struct Source: Codable, Equatable, Sendable {
    /// The source's name.
    public var name: String
    /// Rows that were found in it.
    public var rows: UInt64
    /// When its bytes were last found good, in seconds since 1970.
    public var good: Int64
    /// What the SHA-256 of the copy of its good bytes may be, 64 hexadecimal digits each: of the last run's, and of those
    /// before, which the copy still has if that run ended before it was made. Nil when that is not known.
    public var copies: [String]?

    /// Makes a source.
    public init(name: String, rows: UInt64, good: Int64, copies: [String]? = nil) {
      self.name = name
      self.rows = rows
      self.good = good
      self.copies = copies
    }
  }

  /// The version that came of it.
  public var result: String
  /// The identity of the pipeline: its stages, options and the program's version.
  public var pipeline: String
  /// What was read; nil when that is not known whole, so that the next run reads it all.
  public var inputs: [Input]?
  /// The sources by name, those that were left out this time included.
  public var sources: [Source]

  /// Makes a memory.
  public init(result: String, pipeline: String, inputs: [Input]?, sources: [Source]) {
    self.result = result
    self.pipeline = pipeline
    self.inputs = inputs
    self.sources = sources
  }
}
