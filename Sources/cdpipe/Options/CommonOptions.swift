// The options that several commands share, and the types of their values.

import ArgumentParser
import InputStages
import NumberPlan
import RecordStages
import Records
import Runner
import SystemIO

/// A limit on rejects: a count, or a percentage of the rows read.
struct RejectLimit: ExpressibleByArgument, Equatable {
  let limit: RejectPolicy.Limit

  init(percent: Double) { limit = .percent(percent) }

  init?(argument: String) {
    if argument.hasSuffix("%") {
      guard let percent = Double(argument.dropLast()), percent >= 0, percent <= 100 else { return nil }
      limit = .percent(percent)
    } else {
      guard let count = UInt64(argument) else { return nil }
      limit = .count(count)
    }
  }
}

protocol RejectLimitUse {
  static var help: ArgumentHelp { get }
  /// Parses a value; nil if an invalid one needs no explanation.
  static var transform: (@Sendable (String) throws -> RejectLimit)? { get }
}

/// Limits the rejects of a run, of a version, or of a source.
struct RejectLimitOption<Use: RejectLimitUse>: ParsableArguments {
  @Option var limit: RejectLimit?

  init() {
    let name = NameSpecification.customLong("max-rejects")
    if let transform = Use.transform {
      _limit = Option(wrappedValue: nil, name: name, help: Use.help, transform: transform)
    } else {
      _limit = Option(wrappedValue: nil, name: name, help: Use.help)
    }
  }
}

/// A run ends when there are more.
enum RejectLimitOfRun: RejectLimitUse {
  static let help = ArgumentHelp("Fail if more rows than this are rejected.", valueName: "n|p%")
  static let transform: (@Sendable (String) throws -> RejectLimit)? = nil
}

/// The texts of `-o`: what is written to it.
struct OutputHelp {
  let help: ArgumentHelp

  init(_ text: String, valueName: String = "file") { help = ArgumentHelp(text, valueName: valueName) }

  static let complete = OutputHelp("Write to FILE, which is replaced when the output is complete.")
  static let written = OutputHelp("Write to FILE, which is replaced when everything is written.")
}

extension Flag where Value == Bool {
  /// `-q`.
  init(wrappedValue: Bool, quiet help: ArgumentHelp) {
    self.init(wrappedValue: wrappedValue, name: [.customShort("q"), .long], help: help)
  }
}

// Options with a help text and the name of their value.

extension Option where Value: ExpressibleByArgument {
  init(
    wrappedValue: Value, _ help: String, value: String, name: NameSpecification = .long,
    parsing: SingleValueParsingStrategy = .next, completion: CompletionKind? = nil
  ) {
    self.init(
      wrappedValue: wrappedValue, name: name, parsing: parsing, help: ArgumentHelp(help, valueName: value),
      completion: completion)
  }

  init(
    _ help: String, value: String, name: NameSpecification = .long, completion: CompletionKind? = nil
  ) {
    self.init(name: name, help: ArgumentHelp(help, valueName: value), completion: completion)
  }
}

extension Option {
  init<T: ExpressibleByArgument>(
    _ help: String, value: String, name: NameSpecification = .long,
    parsing: SingleValueParsingStrategy = .next, completion: CompletionKind? = nil
  ) where Value == T? {
    self.init(
      name: name, parsing: parsing, help: ArgumentHelp(help, valueName: value), completion: completion)
  }

  init<T>(
    _ help: String, value: String, completion: CompletionKind? = nil,
    transform: @Sendable @escaping (String) throws -> T
  ) where Value == T? {
    self.init(help: ArgumentHelp(help, valueName: value), completion: completion, transform: transform)
  }

  init<T: ExpressibleByArgument>(
    wrappedValue: [T], _ help: String, value: String, name: NameSpecification = .long,
    completion: CompletionKind? = nil
  ) where Value == [T] {
    self.init(
      wrappedValue: wrappedValue, name: name, help: ArgumentHelp(help, valueName: value),
      completion: completion)
  }

  init<T>(
    wrappedValue: [T], _ help: String, value: String, completion: CompletionKind? = nil,
    transform: @Sendable @escaping (String) throws -> T
  ) where Value == [T] {
    self.init(
      wrappedValue: wrappedValue, help: ArgumentHelp(help, valueName: value), completion: completion,
      transform: transform)
  }
}

extension Option where Value == Int? {
  /// `--threads`.
  init(threads help: String) {
    self.init(parsing: .unconditional, help: ArgumentHelp(help, valueName: "n"))
  }
}

extension NameSpecification {
  fileprivate static var output: NameSpecification { [.customShort("o", allowingJoined: true), .long] }
}

extension Option where Value == String? {
  /// `--files-from`.
  init(filesFrom: Void) {
    self.init(
      help: ArgumentHelp(
        """
        Then read the files that FILE names, one per line, or each ended by a NUL as 'find -print0' writes them; '-' is \
        standard input.
        """, valueName: "file"), completion: .file())
  }

  /// The output of a command that may do without.
  init(output: OutputHelp) {
    self.init(name: .output, help: output.help, completion: .file())
  }
}

extension Option where Value == String {
  /// The output of a command: `-o FILE`.
  init(wrappedValue: String, output: OutputHelp, completion: CompletionKind = .file()) {
    self.init(wrappedValue: wrappedValue, name: .output, help: output.help, completion: completion)
  }

  init(output: OutputHelp, completion: CompletionKind = .file()) {
    self.init(name: .output, help: output.help, completion: completion)
  }
}

/// The options that all filters share.
struct CommonOptions: ParsableArguments {
  @Option(
    "Write every reject to FILE, one per line: stage, position, reason, text.", value: "file",
    completion: .file())
  var rejects: String?

  @OptionGroup var maxRejects: RejectLimitOption<RejectLimitOfRun>

  @Flag(help: "Fail at the first reject.")
  var strict = false

  @Option("Show progress on standard error: if it is a terminal, always, or never.", value: "when")
  var progress: WhenShown = .auto

  @OptionGroup var colours: ColourOptions

  @Flag(quiet: "Print errors only.")
  var quiet = false

  @Flag(
    name: .shortAndLong,
    help: "Show on standard error which files and URLs are read, and what is recognised in them.")
  var verbose = false

  func validate() throws {
    try refuse(quiet && verbose, "--quiet and --verbose exclude each other")
    if verbose { Diagnostics.set { $0.isVerbose = true } }
  }

  var policy: RejectPolicy {
    RejectPolicy(isStrict: strict, limit: maxRejects.limit?.limit, path: rejects)
  }
}

/// The files that a filter reads.
struct InputFiles: ParsableArguments {
  @Argument(
    help: ArgumentHelp("The files to read, in order (default: '-', standard input).", valueName: "file"),
    completion: .file())
  var files: [String] = []

  @Option(filesFrom: ())
  var filesFrom: String?
}

/// A command with ``InputFiles``.
protocol InputFilesCommand: FileOperandsCommand {
  var input: InputFiles { get set }
}

extension InputFilesCommand {
  var filesFrom: String? { input.filesFrom }

  var operands: [String] {
    get { input.files }
    set { input.files = newValue }
  }
}

/// The option that every command has. Parsing it is enough: it applies to the whole process.
struct ColourOptions: ParsableArguments {
  @Option("Use colours: on terminals unless NO_COLOR is set (auto), always, or never.", value: "when")
  var color: WhenShown = .auto

  func validate() {
    // The commands of a typed pipe are parsed after `run`, and most of them without the option.
    if color != .auto { Colour.choose(color) }
  }
}

/// A number of bytes.
struct ByteSize: ExpressibleByArgument, Equatable {
  let bytes: Int

  init(bytes: Int) {
    self.bytes = bytes
  }

  init?(argument: String) {
    guard let bytes = Figures.bytes(in: argument) else { return nil }
    self.bytes = bytes
  }

  var defaultValueDescription: String { Figures.bytes(bytes) }
}

/// A memory size. Negative sizes are parsed, too, so that ``validate()`` can reject them with a message that contains
/// the limits.
struct MemorySize: ExpressibleByArgument, Equatable {
  let bytes: Int

  init(bytes: Int) {
    self.bytes = bytes
  }

  init?(argument: String) {
    let isNegative = argument.hasPrefix("-")
    guard let size = ByteSize(argument: isNegative ? String(argument.dropFirst()) : argument) else {
      return nil
    }
    bytes = isNegative ? -size.bytes : size.bytes
  }

  var defaultValueDescription: String { Figures.bytes(bytes) }

  /// The address space needed in addition to sort's: the program, its other stages, and the 64 MiB that the allocator
  /// reserves per thread. 192 MiB was not enough for a run with four threads.
  private static let restBytes = 384 << 20

  /// Throws if the size is below sort's minimum or above the available memory: a failed allocation would crash the
  /// process.
  func validate() throws {
    let min = SortOptions.memoryMin
    let max = ProcessMemory.physicalBytes
    guard bytes >= min, bytes <= max else {
      throw ValidationError(
        """
        \(option: "memory") must be \(Figures.bytes(min)) to \(Figures.bytes(max)), the memory of this \
        machine
        """)
    }
    let reserved = SortOptions(memory: bytes).reservedBytesMax + Self.restBytes
    let limit = ProcessMemory.limitBytes
    guard let limit, reserved > limit else { return }
    throw ValidationError(
      """
      \(option: "memory") \(Figures.bytes(bytes)) needs up to \(Figures.bytes(reserved)) of address \
      space; the limit of this process is \(Figures.bytes(limit)) (ulimit -v, ulimit -d)
      """)
  }
}

/// A percentage of at least 0%. It may exceed 100%: doubling is a change of 100%.
struct Percentage: Equatable {
  let percent: Double

  /// Parses a percentage. The percent sign is required to distinguish it from a count.
  @Sendable static func typed(_ text: String) throws -> Percentage {
    guard text.hasSuffix("%"), let percent = Double(text.dropLast()), percent >= 0, percent.isFinite else {
      throw ValidationError("expected a percentage, such as 20%")
    }
    return Percentage(percent: percent)
  }
}

/// The option of filters that write records or raw rows.
struct PackingOptions: ParsableArguments {
  /// The environment variable that turns the packed form on for pipes.
  static let variable = "CDPIPE_PACKED"

  @Flag(
    help: """
      Write the packed form instead of text: faster, but only for another cdpipe command in the same pipe. \
      CDPIPE_PACKED=1 does this for all commands whose output is a pipe.
      """)
  var packed = false

  func validate() throws {
    if wantsPackedPipes == nil, let value = RunningProcess.environment(Self.variable) {
      throw ValidationError("\(Self.variable) must be 0 or 1, got '\(value)'")
    }
  }

  /// Whether the environment asks for packed pipes; nil for an invalid value.
  private var wantsPackedPipes: Bool? {
    switch RunningProcess.environment(Self.variable) {
    case nil, "", "0": false
    case "1": true
    default: nil
    }
  }

  func form(output: String) throws -> StreamForm {
    let isStandardOutput = output == OutputFile.standardOutput
    if packed {
      try refuse(
        isStandardOutput ? RunningProcess.isOutputTerminal : RunningProcess.isTerminal(output),
        "\(option: "packed") can't be written to a terminal: pipe it to another cdpipe command")
      return .packed
    }
    return wantsPackedPipes == true && isStandardOutput && RunningProcess.isOutputPipe ? .packed : .text
  }
}

struct CountryArguments: ParsableArguments {
  /// The traits of the options in a pipeline file.
  static let keys: [String: KeyTraits] = ["countries": KeyTraits(isList: true, option: "expect-country")]

  @Option(
    """
    Fail unless at least 90% of the numbers (or --min-valid) are valid numbers of this country. Several are separated \
    by commas. May be repeated.
    """, value: "cc", completion: .region)
  var expectCountry: [String] = []

  @Option(
    "Fail unless at least P% of the numbers are valid in their country.", value: "p%",
    transform: Percentage.typed)
  var minValid: Percentage?

  func validate() throws {
    for code in codes { _ = try Region.typed(code) }
    if let minValid, minValid.percent > 100 {
      throw ValidationError("\(option: "min-valid") must be at most 100%")
    }
  }

  private var codes: [String] {
    expectCountry.flatMap {
      $0.split(separator: ",", omittingEmptySubsequences: false).map { $0.uppercased() }
    }
  }

  /// The check; nil if no option is set.
  var check: CountryCheck? {
    if codes.isEmpty, minValid == nil { return nil }
    return CountryCheck(
      countries: codes, minValidPercent: minValid?.percent ?? CountryCheck.defaultMinValidPercent)
  }
}

extension CompletionKind {
  /// A text that can't be completed. With an argument that has no kind at all, zsh lists an option at the first TAB, and
  /// completes it only at the second.
  static var nothing: CompletionKind { .list([]) }

  /// A store, a delta or a manifest. Directories are always offered.
  static var store: CompletionKind { .file(extensions: ["cdstore", "cddelta", "json"]) }
  static var pipelineFile: CompletionKind { .file(extensions: ["yaml", "yml"]) }
  /// Message rules, as text or compiled.
  static var ruleFile: CompletionKind { .file(extensions: ["yaml", "yml", "json", "cdrules"]) }

  /// The code of a region. The codes are looked up when a shell asks for them, not at each start of a filter.
  static var region: CompletionKind {
    .custom { _, _, prefix in
      let codes = Region.all.map(\.code)
      return prefix.first?.isLowercase == true ? codes.map { $0.lowercased() } : codes
    }
  }

  /// An encoding: those that were tested; iconv accepts others, too.
  static var encoding: CompletionKind {
    .list([ParseOptions.recognisedEncoding] + KnownEncoding.all.map(\.name))
  }
}
