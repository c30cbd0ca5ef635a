// The options of one output of `emit`.

import CallManifest
package import NumberPlan
package import Records
import SystemIO
import SystemPackage

package struct EmitOptions: Equatable, Sendable {
  /// The maximum number of single numbers in one request of an extension: iOS rejects 2,000,000.
  package static let defaultMaxEntries: UInt64 = 1_999_999

  /// The default limit of single numbers that ranges are expanded to. A range may stand for billions of numbers; lists
  /// in the formats of other applications have at most hundreds of thousands.
  package static let defaultExpandMax: UInt64 = 1_000_000

  /// The default name of a phone book. Lists are for blocking or for showing names, so it is a neutral one.
  static let defaultBookName = "cdpipe"

  /// The maximum number of shards: an app has a few dozen extensions, and a mistake such as `1..999999999999999` would
  /// fill a disk.
  package static let shardsMax = Manifest.shardsMax

  /// The maximum number of files that contacts are divided into: all of them are open until they are published.
  package static let booksMax = 100

  package var format: EmitFormat
  /// Records whose label matches one of these patterns are blocked. `*` matches any text, `?` any character.
  package var blockGlobs: [String]
  /// The maximum number of single numbers in one store.
  package var maxEntries: UInt64
  /// The maximum number of single numbers that ranges are expanded to, in a format that has none.
  package var expandMax = EmitOptions.defaultExpandMax
  /// The maximum number of numbers in a contact; nil for the format's own.
  package var contactNumbers: Int?
  /// The maximum number of files that contacts are divided into, each with as many as programs accept; nil for one file
  /// with the output's name.
  package var books: Int?
  package var bookName = EmitOptions.defaultBookName
  /// How numbers are written, in a format that people read; nil for the format's own form.
  package var numbers: NumberForm?
  /// Whether numbers are E.164 digits in a format whose own form they are.
  var writesDigits: Bool { numbers == nil || numbers == .e164 }
  /// Nil if the format is another one.
  package var template: TemplateOptions?
  /// Whether CSV fields that a spreadsheet would take for formulas are disarmed.
  package var isCSVSafe = false
  /// Whether a format that may have a column for the day has one.
  package var hasDay = false
  /// The fields that the output has.
  var fields: RecordFieldSet { hasDay && format.hasDayColumn ? .all : format.fields }
  /// The path of the file, or of a directory for stores; `-` for standard output.
  package var output: String
  /// Whether an output without records is written: it replaces the list that is there.
  package var allowsEmpty = false
  /// What is required of all numbers together; nil for nothing.
  package var countryCheck: CountryCheck?
  package var shards = ShardOptions()
  /// The options of a Live Caller ID Lookup directory.
  package var lookup = CallerIDOptions()
  /// The number of threads. With more than one, blocks are encoded in a separate thread, and a shard is verified and
  /// published in another while the next one is written.
  package var threads = 1

  package init(
    format: EmitFormat = .tsv, blockGlobs: [String] = [], maxEntries: UInt64 = EmitOptions.defaultMaxEntries,
    output: String = "-", shards: ShardOptions = ShardOptions()
  ) {
    self.format = format
    self.blockGlobs = blockGlobs
    self.maxEntries = maxEntries
    self.output = output
    self.shards = shards
  }

  /// The paths of the files that may be written.
  package var paths: [String] { books.map { (1...max($0, 1)).map(path(ofBook:)) } ?? [output] }

  /// The path of one of several files: `book-1.xml` for `book.xml`.
  func path(ofBook number: Int) -> String {
    let path = FilePath(output)
    guard let name = path.lastComponent else { return output }
    let end = name.extension.map { ".\($0)" } ?? ""
    return path.removingLastComponent().appending("\(name.stem)-\(number)\(end)").string
  }

  /// Whether an output without records is refused. Standard output, a pipe or a device has no list that it could replace.
  func refusesEmpty(calls: any SystemCalls) -> Bool {
    !allowsEmpty && output != OutputFile.standardOutput
      && FileKind(of: FilePath(output), calls: calls) != .other
  }

  /// Whether stores go into a directory, with a manifest.
  package var isDirectory: Bool {
    format == .store && output != "-" && !output.lowercased().hasSuffix(".cdstore")
  }
}

extension EmitOptions {
  /// The options that have no effect.
  var notices: [EmitNotice] {
    let hasBlock = format == .store || format == .pir
    let record = try? template.map { (options) throws(Failure) in try RecordTemplate(options) }
    return (blockGlobs.isEmpty || hasBlock ? [] : [.unusedBlock(format: format)])
      + (record?.hasFields ?? true ? [] : [.templateWithoutFields])
  }
}

// MARK: - The options for a directory of shards

package struct ShardOptions: Equatable, Sendable {
  /// The maximum number of entries in a bootstrap store. They are held in memory: about 40 bytes each, and their
  /// labels.
  package static let bootstrapMax = 100_000

  /// The baseline that means "no baseline", so that a first run can say so explicitly.
  package static let noBaseline = "none"

  /// The maximum number of shards, which is the number of the app's extensions; nil for ``EmitOptions/shardsMax``.
  package var shards: Int?
  /// The number of entries in a new shard, in percent of the maximum; nil for 100.
  package var fillPercent: Int?
  /// The directory of shards whose boundaries are kept and from which deltas start, named in any way that ``ListInput``
  /// accepts; `none` for none.
  package var baseline: String?
  /// More manifests from which deltas start, the newest first. Their shard boundaries are ignored. A state that is also
  /// in `baseline` gets one delta.
  package var olderBaselines: [String] = []
  /// Whether only the shard boundaries of the baseline are used, and no deltas are written.
  package var leavesOutDeltas = false
  /// The number of the strongest entries that are also written to a bootstrap store; nil for no bootstrap store.
  package var bootstrap: Int?
  package var date: String?
  /// The maximum number of single numbers that one delta adds; nil for the maximum of a store.
  package var deltaEntries: UInt64?
  /// Whether the manifest is written without the hashes of the run's sources.
  package var leavesOutSourceHashes = false

  /// Makes the default options: no baseline, full shards, the maximum number of shards.
  package init() {}

  func capacity(_ maxEntries: UInt64) -> UInt64 {
    guard let fillPercent else { return maxEntries }
    let percent = UInt64(clamping: fillPercent)
    return max(1, maxEntries / 100 * percent + maxEntries % 100 * percent / 100)
  }
}

// MARK: - The options of a Live Caller ID Lookup directory

/// What kind of caller a record is.
package enum CallerCategory: String, CaseIterable, Sendable {
  case person
  case business
}

/// The options of a Live Caller ID Lookup directory. The number of shards and the baseline are ``ShardOptions``.
package struct CallerIDOptions: Equatable, Sendable {
  /// The default number of numbers in a shard, on average. Processing such a shard needs 60 MB.
  package static let defaultEntriesPerShard = 16_384
  /// The maximum number of numbers in a shard: the programs that process them hold a shard in memory.
  package static let entriesPerShardMax = 1_048_576

  /// The categories of the labels that match a pattern; the first one that matches decides.
  package struct CategoryRule: Equatable, Sendable {
    /// The pattern, as of `--block`.
    package var glob: String
    package var category: CallerCategory

    package init(glob: String, category: CallerCategory) {
      self.glob = glob
      self.category = category
    }
  }

  /// The bundle identifier of the app's extension, from which the names of the use cases are made.
  package var bundleIdentifier = ""
  /// The average number of numbers in a shard, if the number of shards is not chosen.
  package var entriesPerShard = CallerIDOptions.defaultEntriesPerShard
  /// The minutes for which phones keep an answer; 0 for their default.
  package var cacheMinutes: UInt32 = 0
  package var categories: [CategoryRule] = []
  /// Whether the identity is added that Apple looks up before it accepts a service.
  package var hasTestIdentity = false

  package init() {}
}
