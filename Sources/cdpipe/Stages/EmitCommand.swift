// `cdpipe emit`

import ArgumentParser
package import RecordStages
import Records
import Runner
import SystemIO

extension EmitFormat: ExpressibleByArgument {}

struct EmitArguments: StageArguments {
  static let keys: [String: KeyTraits] = CountryArguments.keys.merging([
    "baseline": KeyTraits(isPath: true, word: "none"), "block": .list,
    "path": KeyTraits(isPath: true, option: "output"),
  ]) { one, _ in one }

  @Option(
    help: ArgumentHelp(
      "The format of the output (default: by the output's name, else tsv).", valueName: "format"))
  var format: EmitFormat?

  @Option(
    help: ArgumentHelp(
      "Block records whose label matches; * is any text, ? any character. May be repeated.",
      valueName: "label-glob"))
  var block: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The maximum number of single numbers in one store.", valueName: "n"))
  var maxEntries = EmitOptions.defaultMaxEntries

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "In formats without ranges: the maximum number of single numbers that ranges are expanded to.",
      valueName: "n"))
  var expandMax = EmitOptions.defaultExpandMax

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "In formats of contacts: the maximum number of numbers in a contact (default: 100, in a phone book 9).",
      valueName: "n"))
  var contactNumbers: Int?

  @Option(help: ArgumentHelp("The name of a phone book (default: cdpipe).", valueName: "name"))
  var bookName: String?

  @Flag(help: "In CSV, put ' before labels and sources that a spreadsheet would run as formulas.")
  var csvSafe = false

  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp(
      """
      Write to FILE, which is replaced when the output is complete. A store's name ends in .cdstore; with \
      --format store, any other name is a directory of shards.
      """, valueName: "path"), completion: .file())
  var output = "-"

  @OptionGroup var countries: CountryArguments
  @OptionGroup(title: "Options for Live Caller ID Lookup (--format pir)") var lookup: LookupArguments
  @OptionGroup(title: "Options for a directory of shards") var shards: ShardArguments

  func validate() throws {
    guard maxEntries >= 1 else { throw ValidationError("--max-entries must be above 0") }
    guard expandMax >= 1 else { throw ValidationError("--expand-max must be above 0") }
    if format == nil, let choices = EmitFormat.choices(named: output) {
      throw ValidationError(EmitFormat.unclearName(output, choices))
    }
    try checkContacts()
    if options().format == .pir { return try lookup.check(shards, output: output) }
    if let option = lookup.first { throw ValidationError("--\(option) is for --format pir") }
    if let option = shards.first, !options().isDirectory {
      throw ValidationError(
        "--\(option) is for a directory of shards: --format=store -o DIRECTORY")
    }
    if let count = shards.shards, count > EmitOptions.shardsMax {
      throw ValidationError("--shards must be 1 to \(EmitOptions.shardsMax)")
    }
  }

  /// Checks the options for contacts.
  private func checkContacts() throws {
    let format = options().format
    if let contactNumbers {
      guard let allowed = format.contactNumbers else {
        throw ValidationError("--contact-numbers is for vcard, vcard4 and phonebook")
      }
      guard (1...allowed.max).contains(contactNumbers) else {
        throw ValidationError(
          "--contact-numbers must be from 1 to \(allowed.max) with --format \(format.rawValue)")
      }
    }
    guard bookName == nil || format == .phonebook else {
      throw ValidationError("--book-name is for --format phonebook")
    }
  }

  func options() -> EmitOptions {
    var options = EmitOptions(
      format: format ?? EmitFormat.named(output), blockGlobs: block, maxEntries: maxEntries,
      output: output,
      shards: shards.options())
    options.isCSVSafe = csvSafe
    options.expandMax = expandMax
    options.lookup = lookup.options()
    options.contactNumbers = contactNumbers
    if let bookName { options.bookName = bookName }
    options.countryCheck = countries.check
    return options
  }

  func plan() -> any StagePlan { EmitPlan([options()]) }
}

struct EmitCommand: FilterCommand {
  static let row = StageRow(
    name: .emit, group: .stages, command: Self.self, position: .output, arguments: EmitArguments.self)

  static let configuration = CommandConfiguration(
    commandName: "emit", abstract: "Write records as stores, tables, or lists of other applications.",
    discussion: """
      Reads disjoint records in ascending order. A store is one file, or a directory of shards with a manifest when \
      there are more single numbers than one request of an extension accepts (1,999,999). Files are written under a \
      temporary name, synced, verified, then renamed: a crash leaves the old files.

      Other applications' formats hold less than a record: --formats shows which fields they hold and how ranges are \
      written. What a format can't hold is reported.
      """)

  static let examples = [
    Example("Write a store", "cdpipe emit list.tsv -o list.cdstore"),
    Example(
      "Block some labels instead of showing them", "cdpipe emit list.tsv --block '*fraud*' -o list.cdstore"),
    Example(
      "Also write the changes since the last shards, as deltas",
      "cdpipe emit list.tsv --format store --baseline shards -o new"),
    Example("Write CSV for a spreadsheet", "cdpipe emit list.tsv --csv-safe -o list.csv"),
    Example("List the formats", "cdpipe emit --formats"),
  ]

  @Argument(
    help: ArgumentHelp("The files to read, in order (default: '-', standard input).", valueName: "file"),
    completion: .file())
  var files: [String] = []

  @OptionGroup var arguments: EmitArguments
  @Flag(help: "List the formats, the fields that they hold, and how ranges are written.")
  var formats = false
  @Flag(help: "With --formats: print JSON, one object per line.")
  var json = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if json, !formats { throw ValidationError("--json needs --formats") }
  }

  func run() throws {
    if formats {
      let width = RunningProcess.isOutputTerminal ? RunningProcess.outputColumns : nil
      return StandardOutput.print(
        json ? EmitFormat.json() : EmitFormat.table(width: width), terminator: "")
    }
    try execute()
  }

  func parts() throws -> FilterParts {
    // The shards of a Live Caller ID Lookup directory are written when the input has ended, and other filters with it.
    let threads = Threads.count(arguments.options().format == .pir ? nil : 1)
    return try FilterParts(input: .files(files), stages: [arguments.plan()], output: "-", threads: threads)
  }
}
