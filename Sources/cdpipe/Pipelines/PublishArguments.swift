// The keys of `publish` and of a source's checks in a pipeline file. No command has these options; they are parsed like
// options so that error messages are alike. Their help is what `cdpipe run --schema` writes.

import ArgumentParser
import Records
import Runner

/// A count of rows or numbers.
private enum Count {
  @Sendable static func typed(_ text: String) throws -> UInt64 {
    guard let count = UInt64(text) else { throw ValidationError("expected a count, such as 1000") }
    return count
  }
}

private enum Seconds {
  private static let max = 86_400.0

  @Sendable static func typed(_ text: String) throws -> Double {
    guard let seconds = Double(text), seconds > 0, seconds <= max else {
      throw ValidationError("expected a number of seconds above 0, at most 86400, such as 600")
    }
    return seconds
  }
}

/// A version is not published if there are more.
enum RejectLimitOfVersion: RejectLimitUse {
  static let help = ArgumentHelp(
    "Refuse a version if more rows were rejected.", valueName: "n|p%")
  static let transform: (@Sendable (String) throws -> RejectLimit)? = { text in
    guard let limit = RejectLimit(argument: text) else {
      throw ValidationError("expected a count or a percentage up to 100%, such as 500 or 5%")
    }
    return limit
  }
}

/// A source is not used if there are more.
enum RejectLimitOfSource: RejectLimitUse {
  static let help = ArgumentHelp(
    "Fail the source if more of its rows are rejected.", valueName: "p%")
  static let transform: (@Sendable (String) throws -> RejectLimit)? = { text in
    RejectLimit(percent: try Percentage.typed(text).percent)
  }
}

/// The keys of `publish`.
struct PublishArguments: KeyedArguments {
  static let keys: [String: KeyTraits] = SigningArguments.keys.merging(["directory": .path]) { own, _ in own }

  @Option("The published folder, relative to the pipeline file. Required.", value: "dir")
  var directory = ""

  @Option("Keep the last N versions.", value: "n")
  var keep = 7

  @Option("Remove versions that are older than N days.", value: "days")
  var keepDays: Int?

  @Option("Write deltas from the last N versions.", value: "n")
  var deltas = 1

  @Option("Refuse a version with fewer single numbers.", value: "n", transform: Count.typed)
  var minEntries: UInt64?

  @Option(
    "Refuse a version that removes more of the current version's numbers than this, or adds more.",
    value: "p%",
    transform: Percentage.typed)
  var maxChange: Percentage?

  @OptionGroup var maxRejects: RejectLimitOption<RejectLimitOfVersion>

  @OptionGroup var signing: SigningArguments

  @Flag(help: "Publish without a signature after signed versions, which apps with the key refuse.")
  var allowUnsigned = false

  func validate() throws {
    try refuse(directory == "-", "\(option: "directory") must be the path of a folder")
    try require(
      (1...PublishOptions.keepMax).contains(keep), "\(option: "keep") must be 1 to \(PublishOptions.keepMax)")
    try require(
      (0...PublishOptions.deltasMax).contains(deltas),
      "\(option: "deltas") must be 0 to \(PublishOptions.deltasMax)")
    if let keepDays, !(1...36_500).contains(keepDays) {
      throw ValidationError("\(option: "keep-days") must be 1 to 36500")
    }
  }

  var options: PublishOptions {
    var options = PublishOptions(directory: directory)
    options.keep = keep
    options.keepDays = keepDays
    options.deltas = deltas
    options.minEntries = minEntries
    options.maxChangePercent = maxChange?.percent
    options.allowsUnsigned = allowUnsigned
    signing.apply(to: &options)
    return options
  }
}

struct SourceCheckArguments: ParsableArguments {
  @Option("Fail the source if it has fewer usable rows.", value: "n", transform: Count.typed)
  var minRows: UInt64?

  @Option("Fail the source if it has more rows.", value: "n", transform: Count.typed)
  var maxRows: UInt64?

  @Option(
    "Fail the source if its records have more phone numbers together.", value: "n",
    transform: Count.typed)
  var maxNumbers: UInt64?

  @Option(
    "Fail the source if more of its ranges contain the same number.", value: "n",
    transform: Count.typed)
  var maxOverlaps: UInt64?

  @OptionGroup var maxRejects: RejectLimitOption<RejectLimitOfSource>

  @Option(
    "Fail the source if it is a named pipe that does not end within this many seconds.", value: "seconds",
    transform: Seconds.typed)
  var pipeTimeout: Double?

  @Option(
    "With publish: fail the source if its number of usable rows has changed by more than this since the last run.",
    value: "p%",
    transform: Percentage.typed)
  var maxChange: Percentage?

  /// The keys of a source that are its checks: each property is one.
  static let keys: [String] = Mirror(reflecting: SourceCheckArguments()).children.compactMap { property in
    property.label?.dropFirst().reduce(into: "") { key, letter in
      key += letter.isUppercase ? "-\(letter.lowercased())" : String(letter)
    }
  }

  var checks: SourceChecks {
    var checks = SourceChecks()
    checks.minRows = minRows
    checks.maxRows = maxRows
    checks.maxNumbers = maxNumbers
    checks.maxOverlaps = maxOverlaps
    checks.pipeSeconds = pipeTimeout
    if case .percent(let percent) = maxRejects.limit?.limit { checks.maxRejectsPercent = percent }
    checks.maxChangePercent = maxChange?.percent
    return checks
  }
}

/// A number of days, hours, minutes or seconds.
struct Period: Equatable {
  let seconds: Int64

  private static let units: [Character: Int64] = ["d": 86_400, "h": 3_600, "m": 60, "s": 1]

  @Sendable static func typed(_ text: String) throws -> Period {
    guard let unit = text.last.flatMap({ units[$0] }),
      let count = UInt32(text.dropLast()), count > 0,
      Int64(count) * unit <= PublishOptions.signatureSecondsMax
    else {
      throw ValidationError(
        "expected a number of days, hours, minutes or seconds up to 3650d, such as 14d or 36h")
    }
    return Period(seconds: Int64(count) * unit)
  }
}

struct SigningArguments: ParsableArguments {
  static let keys: [String: KeyTraits] = ["sign": KeyTraits(isPath: true, isList: true)]

  @Option("Sign the version with the private key in FILE. Repeatable.", value: "file", completion: .file())
  var sign: [String] = []

  @Option(
    "The signature is valid for this long, such as 36h (default: 14d).", value: "period",
    transform: Period.typed)
  var expires: Period?

  func validate() throws {
    // The message must not repeat it.
    try refuse(
      sign.contains(where: { $0.contains("PRIVATE KEY") || $0.contains("\n") }),
      "\(option: "sign") must be the path of a file with a private key, not the key")
    try refuse(sign.contains(""), "\(option: "sign") must be the path of a file with a private key")
    try refuse(expires != nil && sign.isEmpty, "\(option: "expires") needs a private key to sign with")
  }

  func apply(to options: inout PublishOptions) {
    options.signingKeys = sign
    if let expires { options.signatureSeconds = expires.seconds }
  }
}
