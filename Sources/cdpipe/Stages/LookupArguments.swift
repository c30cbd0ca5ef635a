// The options of `cdpipe emit` for Live Caller ID Lookup.

import ArgumentParser
import PhoneTools
import RecordStages
import Records
import StoreWriting
import SystemIO

/// A pattern of labels and their category: `Bank*=business`.
struct CategoryArgument: ExpressibleByArgument, Equatable {
  let rule: LookupOptions.CategoryRule

  init?(argument: String) {
    guard let equals = argument.lastIndex(of: "="), equals > argument.startIndex,
      let category = CallerCategory(rawValue: String(argument[argument.index(after: equals)...]))
    else { return nil }
    rule = LookupOptions.CategoryRule(glob: String(argument[..<equals]), category: category)
  }
}

struct LookupArguments: ParsableArguments {
  @Option(
    name: [.customLong("bundle-id")],
    help: ArgumentHelp("The bundle identifier of the app's extension.", valueName: "identifier"))
  var bundleIdentifier: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The average number of numbers in a shard (default: \(LookupOptions.defaultEntriesPerShard)).",
      valueName: "n"))
  var entriesPerShard: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The minutes for which phones keep a name (default: up to the phone).", valueName: "n")
  )
  var cacheMinutes: UInt32?

  @Option(
    help: ArgumentHelp(
      "Mark the callers whose label matches as 'person' or 'business'. May be repeated; the first match decides.",
      valueName: "label-glob=category"))
  var category: [CategoryArgument] = []

  @Flag(
    help: "Add the identity that Apple looks up before it accepts a service: +14085551212, Johnny Appleseed.")
  var testIdentity = false

  /// The first of these options that is set.
  var first: String? {
    if bundleIdentifier != nil { return "bundle-id" }
    if entriesPerShard != nil { return "entries-per-shard" }
    if cacheMinutes != nil { return "cache-minutes" }
    if !category.isEmpty { return "category" }
    return testIdentity ? "test-identity" : nil
  }

  /// Checks the options of an output with `--format pir`.
  func check(_ shards: ShardArguments, output: String) throws {
    guard output != OutputFile.standardOutput else {
      throw ValidationError("--format pir writes a directory: -o DIRECTORY")
    }
    guard let bundleIdentifier else {
      throw ValidationError("--format pir needs --bundle-id, the bundle identifier of the app's extension")
    }
    do throws(Failure) {
      try BundleIdentifier.check(bundleIdentifier, option: "--bundle-id")
    } catch {
      throw ValidationError(error.message.message)
    }
    if let entriesPerShard, !(1...LookupOptions.entriesPerShardMax).contains(entriesPerShard) {
      throw ValidationError("--entries-per-shard must be 1 to \(LookupOptions.entriesPerShardMax)")
    }
    if let count = shards.shards, !ShardFunction.isAllowed(count) {
      throw ValidationError(
        "--shards must be a power of two up to \(ShardFunction.shardsMax) with --format pir: phones accept no other number"
      )
    }
    if shards.shards != nil, entriesPerShard != nil {
      throw ValidationError("--shards and --entries-per-shard exclude each other")
    }
    if let option = shards.firstForStores { throw ValidationError("--\(option) is not for --format pir") }
  }

  func options() -> LookupOptions {
    var options = LookupOptions()
    options.bundleIdentifier = bundleIdentifier ?? ""
    if let entriesPerShard { options.entriesPerShard = entriesPerShard }
    if let cacheMinutes { options.cacheMinutes = cacheMinutes }
    options.categories = category.map(\.rule)
    options.hasTestIdentity = testIdentity
    return options
  }
}
