// `cdpipe parse`

import ArgumentParser
package import InputStages
import Records
import Runner
import SystemIO

extension ParseOptions.Format: ExpressibleByArgument {}

extension FieldSelector: ExpressibleByArgument {
  /// Parses a field name, or `=TEXT`.
  package init?(argument: String) {
    self.init(argument)
  }
}

extension ParseOptions.Header: ExpressibleByArgument {}

extension DateFormat: ExpressibleByArgument {}

/// A day in ISO 8601: 2026-11-29.
struct DayArgument: ExpressibleByArgument {
  let day: CalendarDay

  init?(argument: String) {
    guard let day = CalendarDay(Array(argument.utf8).span) else { return nil }
    self.day = day
  }
}

/// A number of days or weeks: 90d, 12w.
struct Age: ExpressibleByArgument {
  /// A century.
  private static let daysMax = 36_525

  let days: Int

  init?(argument: String) {
    guard let unit = ["d": 1, "w": 7][argument.suffix(1)], let count = Int(argument.dropLast()),
      (0...Self.daysMax / unit).contains(count)
    else { return nil }
    days = count * unit
  }
}

enum Undated: String, CaseIterable, ExpressibleByArgument {
  case reject
  case keep
}

/// The byte between fields, typed as a character or by name.
struct SeparatorArgument: ExpressibleByArgument {
  let byte: UInt8

  init?(argument: String) {
    let names: [String: UInt8] = [
      "tab": 0x09, "\\t": 0x09, "comma": 0x2C, "semicolon": 0x3B, "pipe": 0x7C, "bar": 0x7C,
    ]
    if let named = names[argument.lowercased()] {
      byte = named
    } else if argument.utf8.count == 1, let typed = argument.utf8.first {
      byte = typed
    } else {
      return nil
    }
  }
}

struct ParseFields<Name: InputFormatName>: ParsableArguments {
  @OptionGroup var input: InputFormatOption<Name>

  @Option("The number's field, by name or position from 1.", value: "field")
  var number: FieldSelector?

  @Option("The label's field, or =TEXT for the same label in every row.", value: "field")
  var label: FieldSelector?

  @Option("The source's field, or =TEXT for the same source in every row.", value: "field")
  var source: FieldSelector?

  @Option("The score's field, or =NUMBER for the same score in every row.", value: "field")
  var score: FieldSelector?

  @Option("The date's field, or =DAY for the same day in every row.", value: "field")
  var date: FieldSelector?

  @Option(
    "How dates are written that can be read in several ways (default: decided by the start of the input).",
    value: "format")
  var dateFormat: DateFormat?

  @Option("Leave out rows that are older, such as 90d or 12w.", value: "age")
  var maxAge: Age?

  @Option("Leave out rows before this day (UTC).", value: "day")
  var since: DayArgument?

  @Option("Leave out rows after this day (UTC).", value: "day")
  var until: DayArgument?

  @Option("The day from which ages are counted (default: the day of the run, UTC).", value: "day")
  var now: DayArgument?

  @Option("Whether rows without a date that can be read are rejects, or kept.", value: "what")
  var undated: Undated = .reject

  @Option(
    "In JSON, tables and databases: the field of a range's last number; --number is the first.",
    value: "field")
  var last: FieldSelector?

  @Option(
    "In JSON, tables and workbooks: the field of the number's calling code or country, or =CODE for all rows.",
    value: "field")
  var country: FieldSelector?

  @Option(
    "The character between fields, or 'tab'.", value: "char",
    completion: .list(["tab", "comma", "semicolon", "pipe"]))
  var separator: SeparatorArgument?

  @Option("Whether a table's first record names its columns.", value: "when")
  var header: ParseOptions.Header = .auto

  @Option(
    "The input's encoding, such as GB18030, or 'auto' to recognise it (default: UTF-8, or by a byte order mark).",
    value: "name", completion: .encoding)
  var encoding: String?

  @Option(
    "The sheet of a workbook, by name or position among the visible ones (default: the first).",
    value: "sheet")
  var sheet: String?

  @Option("The SQL query whose rows are read from a database.", value: "sql")
  var query: String?

  @Option(
    "Fail if reading a database needs more than N seconds of processor time.", value: "seconds",
    parsing: .unconditional)
  var queryTimeout = ParseOptions.defaultQuerySeconds

  @Option("Reject records longer than this.", value: "size")
  var maxRecord = ByteSize(bytes: ParseOptions.defaultRecordBytes)

  func validate() throws {
    do throws(Failure) {
      try options(isStrict: false).check()
    } catch {
      // Other hints are about the options, which the help lists.
      throw UsageError(error.code == "unknown-encoding" ? error.message : UserMessage(error.message.sentence))
    }
    try require(
      queryTimeout > 0 && queryTimeout <= 86_400,
      "\(option: "query-timeout") must be a number of seconds above 0, at most 86400")
    try require(
      maxRecord.bytes >= 64 && maxRecord.bytes <= 256 << 20, "\(option: "max-record") must be 64 B to 256 MiB"
    )
  }

  func options(isStrict: Bool) -> ParseOptions {
    var options = ParseOptions()
    options.format = input.format
    options.numberField = number
    options.labelField = label
    options.sourceField = source
    options.scoreField = score
    options.dateField = date
    options.dates.format = dateFormat
    options.dates.maxAge = maxAge?.days
    options.dates.since = since?.day
    options.dates.until = until?.day
    options.dates.now = now?.day
    options.dates.keepsUndated = undated == .keep
    options.lastField = last
    options.countryField = country
    options.separator = separator?.byte
    options.header = header
    options.encoding = encoding
    options.sheet = sheet
    options.query = query
    options.querySeconds = queryTimeout
    options.recordBytesMax = maxRecord.bytes
    options.isStrict = isStrict
    return options
  }
}

/// What the option for the format of the input is called.
protocol InputFormatName {
  static var name: String { get }
}

enum ParseFormatName: InputFormatName { static let name = "format" }

/// In a command with the format of an output.
enum ConvertedFormatName: InputFormatName { static let name = "input-format" }

struct InputFormatOption<Name: InputFormatName>: ParsableArguments {
  @Option var format: ParseOptions.Format

  init() {
    _format = Option(
      wrappedValue: .auto, "The format of the input.", value: "format", name: .customLong(Name.name))
  }
}

/// The options in a pipeline file: the command's options and --strict.
struct ParseArguments: StageArguments {
  static let keys: [String: KeyTraits] = [
    "date": .decision, "max-age": .decision, "since": .decision, "until": .decision, "undated": .decision,
    "now": .decision,
  ]

  @OptionGroup var fields: ParseFields<ParseFormatName>
  @Flag(help: "Require RFC 8259 JSON; end at the first reject.")
  var strict = false

  func plan() -> any StagePlan { ParsePlan(fields.options(isStrict: strict)) }
}

struct ParseCommand: FilterCommand, InputFilesCommand {
  static let row = StageRow(
    name: .parse, group: .stages, command: Self.self, position: .source, arguments: ParseArguments.self)

  static let configuration = CommandConfiguration(
    commandName: "parse", abstract: "Read numbers and labels from JSON, tables and other lists.",
    discussion: """
      Recognises the format by the first bytes, unless --format names one: JSON in any layout, tables (CSV, TSV), \
      plain lists, property lists, phone books, workbooks, databases. --formats lists them all.

      In JSON each pair is a row; with --number, each object is a row and its fields have names. Columns of tables \
      have names, if there is a header, and positions from 1. A broken row is rejected with its position, and the \
      next one is read. With --strict the first reject ends the run, and JSON must conform to RFC 8259.

      Writes raw rows, one per line: the number's text as found, label, source, score and day, separated by tabs.
      """)

  @OptionGroup var arguments: ParseFields<ParseFormatName>
  @Flag(help: "List the formats, how they are recognised, and their options.")
  var formats = false
  @Flag(help: "List the encodings, and how they are recognised.")
  var encodings = false
  @Flag(help: "With --formats or --encodings: print JSON, one object per line.")
  var json = false
  @OptionGroup var input: InputFiles

  @Option(output: .complete)
  var output = "-"

  @OptionGroup var packing: PackingOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if json, !formats, !encodings { throw ValidationError("--json needs --formats or --encodings") }
    if formats, encodings { throw ValidationError("--formats and --encodings are exclusive") }
  }

  func run() throws {
    let width = RunningProcess.isOutputTerminal ? RunningProcess.outputColumns : nil
    if formats {
      return StandardOutput.print(
        json ? FormatText.json() : FormatText.table(width: width), terminator: "")
    }
    if encodings {
      return StandardOutput.print(
        json ? EncodingText.json() : EncodingText.table(width: width), terminator: "")
    }
    try execute()
  }

  func parts() throws -> FilterParts {
    try FilterParts(
      input: .files(input.files), stages: [ParsePlan(arguments.options(isStrict: common.strict))],
      output: output, packing: packing
    )
  }
}
