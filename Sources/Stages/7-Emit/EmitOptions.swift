// The options of one output of `emit`.

import CallManifest
package import Records
package import StoreWriting

/// The formats of an output.
package enum EmitFormat: String, CaseIterable, Sendable {
  /// Stores that a phone loads.
  case store
  /// The text form: tab-separated, escaped.
  case tsv
  /// Comma-separated with a header line (RFC 4180).
  case csv
  /// One JSON object per line.
  case jsonl
  /// The blacklist of Asterisk and FreePBX, as CSV.
  case asterisk
  /// An SQLite database with a table of records.
  case sqlite
  /// The rules of SpamBlocker, as CSV.
  case spamblocker
  /// The pattern lists of Saracroche.
  case saracroche
  /// The block list of PhoneBlock.
  case phoneblock
  /// A list of Begone, as an XML property list.
  case plist
  /// A data slice of YetAnotherCallBlocker and Should I Answer.
  case yacb
  /// Contacts as vCards 3.0.
  case vcard
  /// Contacts as vCards 4.0.
  case vcard4
  /// The phone book of a FRITZ!Box router.
  case phonebook
  /// The input of Apple's service for Live Caller ID Lookup, a directory.
  case pir
}

/// The options of one output of `emit`.
package struct EmitOptions: Equatable, Sendable {
  /// The maximum number of single numbers in one request of an extension: iOS rejects 2,000,000.
  package static let defaultMaxEntries: UInt64 = 1_999_999

  /// The default limit of single numbers that ranges are expanded to. A range may stand for billions of numbers; lists
  /// in the formats of other applications have at most hundreds of thousands.
  package static let defaultExpandMax: UInt64 = 1_000_000

  /// The default name of a phone book. Lists are for blocking or for showing names, so it is a neutral one.
  package static let defaultBookName = "cdpipe"

  /// The maximum number of shards: an app has a few dozen extensions, and a mistake such as `1..999999999999999` would
  /// fill a disk.
  package static let shardsMax = Manifest.shardsMax

  /// The format.
  package var format: EmitFormat
  /// Records whose label matches one of these patterns are blocked. `*` matches any text, `?` any character.
  package var blockGlobs: [String]
  /// The maximum number of single numbers in one store.
  package var maxEntries: UInt64
  /// The maximum number of single numbers that ranges are expanded to, in a format that has none.
  package var expandMax = EmitOptions.defaultExpandMax
  /// The maximum number of numbers in a contact; nil for the format's own.
  package var contactNumbers: Int?
  /// The name of a phone book.
  package var bookName = EmitOptions.defaultBookName
  /// Whether CSV fields that a spreadsheet would take for formulas are disarmed.
  package var isCSVSafe = false
  /// The path of the file, or of a directory for stores; `-` for standard output.
  package var output: String
  /// What is required of all numbers together; nil for nothing.
  package var countryCheck: CountryCheck?
  /// The options of a directory of shards.
  package var shards = ShardOptions()
  /// The options of a Live Caller ID Lookup directory.
  package var lookup = LookupOptions()
  /// The number of threads. With more than one, blocks are encoded in a separate thread, and a shard is verified and
  /// published in another while the next one is written.
  package var threads = 1

  /// Makes options.
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

  /// Whether stores go into a directory, with a manifest.
  package var isDirectory: Bool {
    format == .store && output != "-" && !output.lowercased().hasSuffix(".cdstore")
  }
}

/// What a directory is used for that an output must not replace.
package enum DirectoryUse: Equatable, Sendable {
  /// It contains other files, such as one with a name.
  case otherFiles(name: String)
  /// It is the working directory or contains it.
  case workingDirectory
  /// It is a Live Caller ID Lookup directory, and the output is one of shards.
  case lookup
}

/// Why an emit ends early.
package enum EmitError: ErrorCause {
  /// A record starts before the end of the previous one.
  case notAscending(first: UInt64, previous: UInt64, row: UInt64)
  /// The records can't be part of a store: they are not ascending and disjoint, or a number is out of range.
  case notForStore(StoreEncodingError, row: UInt64)
  /// There are `count` single numbers, more than the limit of one store. They would need `shards` stores.
  case tooManyEntries(count: UInt64, limit: UInt64, shards: UInt64)
  /// More than `limit` shards of `maxEntries` single numbers each would be needed; `entries` numbers were seen so far.
  case tooManyShards(limit: Int, maxEntries: UInt64, entries: UInt64)
  /// The verification of a store that was just written failed. The cause is the disk or the memory.
  case invalidStore(StoreVerificationError, path: String)
  /// The verification of a delta that was just written failed.
  case invalidDelta(DeltaVerificationError, path: String)
  /// The format has no ranges, and those of the records have more than `limit` numbers.
  case rangesTooLong(format: EmitFormat, limit: UInt64)
  /// There are more numbers than the format can represent.
  case tooManyForFormat(EmitFormat, limit: UInt64)
  /// The ranges need more than `limit` patterns.
  case tooManyPatterns(format: EmitFormat, limit: UInt64)
  /// The labels of the strongest entries exceed the memory limit of `limit` bytes.
  case bootstrapLabelsTooLarge(limit: Int)
  /// The manifest would exceed the maximum size of a manifest.
  case manifestTooLarge(bytes: Int, limit: Int)
  /// The format is written into a new file, but the output is standard output, a pipe or a device.
  case needsFile(EmitFormat, path: String)
  /// The output would replace files of a directory that is used for something else.
  case unusableDirectory(directory: String, use: DirectoryUse)
  /// The library that writes the format can't be opened: `name`, from the package `package`.
  case libraryMissing(name: String, package: String)
  /// The verification of a database that was just written failed.
  case invalidDatabase(String, path: String)
  /// The output of a store is a terminal.
  case isTerminal
  /// Another emit writes into the directory: `holder`, if its note can be read.
  case locked(directory: String, holder: OutputHolder?)

  /// Bad data, unless the disk, the usage or another process is the cause.
  package var errorClass: ErrorClass {
    switch self {
    case .notAscending, .notForStore, .tooManyEntries, .tooManyShards, .rangesTooLong, .tooManyPatterns,
      .tooManyForFormat, .bootstrapLabelsTooLarge, .manifestTooLarge:
      .badData
    case .invalidStore, .invalidDelta, .invalidDatabase: .inputOutput
    case .isTerminal, .needsFile, .unusableDirectory: .usage
    case .libraryMissing: .unavailable
    case .locked: .tryLater
    }
  }
}

// MARK: - The options for a directory of shards

/// The options for a directory of shards.
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
  /// The date in the manifest.
  package var date: String?
  /// The maximum number of single numbers that one delta adds; nil for the maximum of a store.
  package var deltaEntries: UInt64?
  /// Whether the manifest is written without the hashes of the run's sources.
  package var leavesOutSourceHashes = false

  /// Makes the default options: no baseline, full shards, the maximum number of shards.
  package init() {}

  /// The number of entries in a new shard.
  func capacity(_ maxEntries: UInt64) -> UInt64 {
    guard let fillPercent else { return maxEntries }
    let percent = UInt64(clamping: fillPercent)
    return max(1, maxEntries / 100 * percent + maxEntries % 100 * percent / 100)
  }
}

// MARK: - The options of a Live Caller ID Lookup directory

/// What kind of caller a record is.
package enum CallerCategory: String, CaseIterable, Sendable {
  /// A person.
  case person
  /// A business.
  case business
}

/// The options of a Live Caller ID Lookup directory. The number of shards and the baseline are ``ShardOptions``.
package struct LookupOptions: Equatable, Sendable {
  /// The default number of numbers in a shard, on average. Processing such a shard needs 60 MB.
  package static let defaultEntriesPerShard = 16_384
  /// The maximum number of numbers in a shard: the programs that process them hold a shard in memory.
  package static let entriesPerShardMax = 1_048_576

  /// The categories of the labels that match a pattern; the first one that matches decides.
  package struct CategoryRule: Equatable, Sendable {
    /// The pattern, as of `--block`.
    package var glob: String
    /// The category.
    package var category: CallerCategory

    /// Makes a rule.
    package init(glob: String, category: CallerCategory) {
      self.glob = glob
      self.category = category
    }
  }

  /// The bundle identifier of the app's extension, from which the names of the use cases are made.
  package var bundleIdentifier = ""
  /// The average number of numbers in a shard, if the number of shards is not chosen.
  package var entriesPerShard = LookupOptions.defaultEntriesPerShard
  /// The minutes for which phones keep an answer; 0 for their default.
  package var cacheMinutes: UInt32 = 0
  /// The categories of labels.
  package var categories: [CategoryRule] = []
  /// Whether the identity is added that Apple looks up before it accepts a service.
  package var hasTestIdentity = false

  /// Makes the default options.
  package init() {}
}
