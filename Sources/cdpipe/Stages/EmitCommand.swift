// `cdpipe emit`

public import ArgumentParser
public import NumberPlan
import PhoneTools
package import RecordStages
import Records
import Runner
import StoreWriting
import SystemIO

extension EmitFormat: ExpressibleByArgument {}
extension NumberForm: ExpressibleByArgument {}

struct EmitArguments: StageArguments {
  static let keys: [String: KeyTraits] = CountryArguments.keys.merging([
    "baseline": KeyTraits(isPath: true, word: "none"), "block": KeyTraits(isList: true, mayBeEmpty: true),
    "book-name": .text, "template": .text, "header": .text, "footer": .text, "join": .text,
    "format": KeyTraits(aliases: EmitFormat.allCases.flatMap(\.aliases)),
    "path": KeyTraits(isPath: true, option: "output"),
  ]) { one, _ in one }

  @Option("The format of the output (default: by the output's name, else tsv).", value: "format")
  var format: EmitFormat?

  @Option(
    "Block records whose label matches; * is any text, ? any character. May be repeated.", value: "label-glob"
  )
  var block: [String] = []

  @Option("The maximum number of single numbers in one store.", value: "n", parsing: .unconditional)
  var maxEntries = EmitOptions.defaultMaxEntries

  @Option(
    "In formats without ranges: the maximum number of single numbers that ranges are expanded to.",
    value: "n", parsing: .unconditional)
  var expandMax = EmitOptions.defaultExpandMax

  @Option(
    "In formats of contacts: the maximum number of numbers in a contact (default: 100, in a phone book 9).",
    value: "n", parsing: .unconditional)
  var contactNumbers: Int?

  @Option(
    """
    In formats of contacts: write at most N files, FILE-1, FILE-2 and so on, each with as many contacts as programs \
    accept.
    """, value: "n", parsing: .unconditional)
  var books: Int?

  @Option("The name of a phone book (default: cdpipe).", value: "name")
  var bookName: String?

  @Option(
    """
    In formats that people read: write numbers as 442079460958 (e164), +442079460958 (plus), 020 7946 0958 \
    (national) or +44 20 7946 0958 (international).
    """, value: "form")
  var numbers: NumberForm?

  @OptionGroup var template: TemplateArguments

  @Flag(help: "In CSV, put ' before labels and sources that a spreadsheet would run as formulas.")
  var csvSafe = false

  @Flag(help: "In CSV and SQLite, add a column 'day': when the number was reported.")
  var day = false

  @Option(
    output: OutputHelp(
      """
      Write to FILE, which is replaced when the output is complete. A store's name ends in .cdstore; with \
      --format store, any other name is a directory of shards.
      """, valueName: "path"))
  var output = "-"

  @Flag(help: "Write an output that has no records: it replaces the list that is there.")
  var allowEmpty = false

  @OptionGroup var countries: CountryArguments
  @OptionGroup(title: "Options for Live Caller ID Lookup (--format pir)") var lookup: CallerIDArguments
  @OptionGroup(title: "Options for a directory of shards") var shards: ShardArguments

  func validate() throws {
    guard maxEntries >= 1 else { throw ValidationError("\(option: "max-entries") must be above 0") }
    guard expandMax >= 1 else { throw ValidationError("\(option: "expand-max") must be above 0") }
    try require(!day || options().format.hasDayColumn, "\(option: "day") is for csv and sqlite")
    try require(
      numbers == nil || options().format.hasNumberForms,
      "\(option: "numbers") is for "
        + EmitFormat.allCases.filter(\.hasNumberForms).map(\.rawValue).joined(separator: ", "))
    try template.check(format)
    let chosen = template.template == nil ? format : .template
    if let error = EmitFormat.nameError(output, chosen: chosen) { throw ValidationError(error) }
    try checkContacts()
    if options().format == .pir { return try lookup.check(shards, output: output) }
    if let option = lookup.first { throw ValidationError("\(option: option) is for \(option: "format") pir") }
    if let option = shards.first, !options().isDirectory {
      throw ValidationError(
        "\(option: option) is for a directory of shards: \(option: "format=", "store") \(option: "o", "DIRECTORY")"
      )
    }
    if let count = shards.shards, count > EmitOptions.shardsMax {
      throw ValidationError("\(option: "shards") must be 1 to \(EmitOptions.shardsMax)")
    }
  }

  private func checkContacts() throws {
    let format = options().format
    try require(
      bookName == nil || format == .phonebook, "\(option: "book-name") is for \(option: "format") phonebook")
    guard let allowed = format.contactNumbers else {
      let option = contactNumbers != nil ? "contact-numbers" : "books"
      return try require(
        contactNumbers == nil && books == nil, "\(option: option) is for vcard, vcard4 and phonebook")
    }
    try require(
      (1...allowed.max).contains(contactNumbers ?? 1),
      "\(option: "contact-numbers") must be from 1 to \(allowed.max) with \(option: "format", format.rawValue)"
    )
    guard let books else { return }
    try require(
      (1...EmitOptions.booksMax).contains(books),
      "\(option: "books") must be from 1 to \(EmitOptions.booksMax)")
    try require(output != OutputFile.standardOutput, "\(option: "books") needs \(option: "o", "FILE")")
  }

  func options() -> EmitOptions {
    var options = EmitOptions(
      format: format ?? (template.template == nil ? EmitFormat.named(output) : .template), blockGlobs: block,
      maxEntries: maxEntries,
      output: output,
      shards: shards.options())
    options.isCSVSafe = csvSafe
    options.hasDay = day
    options.allowsEmpty = allowEmpty
    options.expandMax = expandMax
    options.lookup = lookup.options()
    options.contactNumbers = contactNumbers
    options.books = books
    options.numbers = numbers
    options.template = template.options
    if let bookName { options.bookName = bookName }
    options.countryCheck = countries.check
    return options
  }

  func plan() -> any StagePlan { EmitPlan([options()]) }
}

struct EmitCommand: FilterCommand, InputFilesCommand {
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

  @OptionGroup var input: InputFiles
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
    return try FilterParts(
      input: .files(input.files), stages: [arguments.plan()], output: "-", threads: threads)
  }
}

struct TemplateArguments: ParsableArguments {
  @Option(
    """
    Write this text for each number, with {e164}, {+e164}, {national}, {international}, {country}, {label}, {source}, \
    {score} and {day} filled in, quoted as in {label|csv}, |json or |xml; {{ and }} are braces.
    """, value: "text")
  var template: String?

  @Option("With --template: the text before the first record.", value: "text")
  var header: String?

  @Option("With --template: the text after the last record.", value: "text")
  var footer: String?

  @Option(
    "With --template: the text between records (default: header, records and footer are lines).",
    value: "text")
  var join: String?

  var options: TemplateOptions? {
    guard let template else { return nil }
    var options = TemplateOptions()
    options.record = template
    options.header = header ?? ""
    options.footer = footer ?? ""
    options.join = join
    return options
  }

  func check(_ format: EmitFormat?) throws {
    guard let options else {
      let other = [("header", header), ("footer", footer), ("join", join)].first { $0.1 != nil }
      try require(other == nil, "\(option: other?.0 ?? "") needs \(option: "template")")
      return try require(format != .template, "\(option: "format") template needs \(option: "template")")
    }
    try refuse(
      format != nil && format != .template, "\(option: "template") is for \(option: "format") template")
    do throws(Failure) {
      _ = try RecordTemplate(options)
    } catch {
      throw ValidationError(error.message.sentence)
    }
  }
}

/// A percentage from 1% to 100%.
struct Fill: ExpressibleByArgument, Equatable {
  let percent: Int

  init?(argument: String) {
    guard argument.hasSuffix("%"), let percent = Int(argument.dropLast()), (1...100).contains(percent) else {
      return nil
    }
    self.percent = percent
  }
}

/// A date with an optional time of day in ISO 8601: 2026-03-31, 2026-03-31T04:30:00Z.
struct ISODate: ExpressibleByArgument, Equatable {
  let text: String

  init?(argument: String) {
    let form = String(argument.map { $0.isASCII && $0.isNumber ? "0" : $0 })
    let times = ["", "T00:00:00Z", "T00:00:00+00:00", "T00:00:00-00:00"]
    guard times.contains(where: { form == "0000-00-00" + $0 }) else { return nil }
    let numbers = argument.split { !$0.isNumber }.compactMap { Int($0) }
    let (year, month, day) = (numbers[0], numbers[1], numbers[2])
    // The time of day and the time zone. 60 seconds are valid: a leap second.
    guard CalendarDay(year: year, month: month, day: day) != nil,
      zip(numbers.dropFirst(3), [24, 60, 61, 24, 60]).allSatisfy({ $0 < $1 })
    else { return nil }
    text = argument
  }
}

struct ShardArguments: ParsableArguments {
  @Option(
    "Fail if more than N shards are needed, the number of extensions of the app. With --format pir: write N shards.",
    value: "n", parsing: .unconditional)
  var shards: Int?

  @Option("Fill new shards only to this percentage of the maximum (default: 100%).", value: "p%")
  var fill: Fill?

  @Option(
    """
    Keep the shard boundaries of this manifest, and write the changes since then as deltas; 'none' for the first \
    time. With --format pir: keep its parameters (default: those of the directory that is replaced).
    """, value: "manifest", completion: .file(extensions: ["json"]))
  var baseline: String?

  @Option(
    "Also write a small starter store of the N highest-scoring entries (at most \(ShardOptions.bootstrapMax)).",
    value: "n", parsing: .unconditional)
  var bootstrap: Int?

  @Option("The date to write into the manifest, such as 2026-03-31T04:30:00Z.", value: "iso8601")
  var date: ISODate?

  @Option(
    "The maximum number of additions in one delta (default: --max-entries).", value: "n",
    parsing: .unconditional)
  var deltaEntries: UInt64?

  @Flag(help: "In a run: omit the SHA-256 of the sources from the manifest.")
  var noSourceHashes = false

  func validate() throws {
    if let shards, shards < 1 { throw ValidationError("\(option: "shards") must be above 0") }
    if let bootstrap, !(1...ShardOptions.bootstrapMax).contains(bootstrap) {
      throw ValidationError("\(option: "bootstrap") must be 1 to \(ShardOptions.bootstrapMax)")
    }
    if deltaEntries == 0 { throw ValidationError("\(option: "delta-entries") must be above 0") }
    try refuse(
      deltaEntries != nil && baseline == nil, "\(option: "delta-entries") needs \(option: "baseline")")
    if baseline == "" { throw ValidationError("\(option: "baseline") must be the path of a manifest") }
  }

  /// The first of these options that is set.
  var first: String? {
    if shards != nil { return "shards" }
    if baseline != nil { return "baseline" }
    return firstForStores
  }

  /// The first of these options that is set and applies to stores only.
  var firstForStores: String? {
    if fill != nil { return "fill" }
    if bootstrap != nil { return "bootstrap" }
    if date != nil { return "date" }
    if deltaEntries != nil { return "delta-entries" }
    return noSourceHashes ? "no-source-hashes" : nil
  }

  func options() -> ShardOptions {
    var options = ShardOptions()
    options.shards = shards
    options.fillPercent = fill?.percent
    options.baseline = baseline
    options.bootstrap = bootstrap
    options.date = date?.text
    options.deltaEntries = deltaEntries
    options.leavesOutSourceHashes = noSourceHashes
    return options
  }
}

/// A pattern of labels and their category: `Bank*=business`.
struct CategoryArgument: ExpressibleByArgument, Equatable {
  let rule: CallerIDOptions.CategoryRule

  init?(argument: String) {
    guard let equals = argument.lastIndex(of: "="), equals > argument.startIndex,
      let category = CallerCategory(rawValue: String(argument[argument.index(after: equals)...]))
    else { return nil }
    rule = CallerIDOptions.CategoryRule(glob: String(argument[..<equals]), category: category)
  }
}

struct CallerIDArguments: ParsableArguments {
  @Option(
    "The bundle identifier of the app's extension.", value: "identifier", name: [.customLong("bundle-id")])
  var bundleIdentifier: String?

  @Option(
    "The average number of numbers in a shard (default: \(CallerIDOptions.defaultEntriesPerShard)).",
    value: "n", parsing: .unconditional)
  var entriesPerShard: Int?

  @Option(
    "The minutes for which phones keep a name (default: up to the phone).", value: "n",
    parsing: .unconditional)
  var cacheMinutes: UInt32?

  @Option(
    "Mark the callers whose label matches as 'person' or 'business'. May be repeated; the first match decides.",
    value: "label-glob=category")
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
    try require(
      output != OutputFile.standardOutput,
      "\(option: "format") pir writes a directory: \(option: "o", "DIRECTORY")")
    guard let bundleIdentifier else {
      throw ValidationError(
        "\(option: "format") pir needs \(option: "bundle-id"), the bundle identifier of the app's extension")
    }
    do throws(Failure) {
      try BundleIdentifier.check(bundleIdentifier, option: "\(option: "bundle-id")")
    } catch {
      throw ValidationError(error.message.sentence)
    }
    if let entriesPerShard, !(1...CallerIDOptions.entriesPerShardMax).contains(entriesPerShard) {
      throw ValidationError(
        "\(option: "entries-per-shard") must be 1 to \(CallerIDOptions.entriesPerShardMax)")
    }
    if let count = shards.shards, !ShardFunction.isAllowed(count) {
      throw ValidationError(
        "\(option: "shards") must be a power of two up to \(ShardFunction.shardsMax) with \(option: "format") pir: phones accept no other number"
      )
    }
    try refuse(
      shards.shards != nil && entriesPerShard != nil,
      "\(option: "shards") and \(option: "entries-per-shard") exclude each other")
    if let option = shards.firstForStores {
      throw ValidationError("\(option: option) is not for \(option: "format") pir")
    }
  }

  func options() -> CallerIDOptions {
    var options = CallerIDOptions()
    options.bundleIdentifier = bundleIdentifier ?? ""
    if let entriesPerShard { options.entriesPerShard = entriesPerShard }
    if let cacheMinutes { options.cacheMinutes = cacheMinutes }
    options.categories = category.map(\.rule)
    options.hasTestIdentity = testIdentity
    return options
  }
}
