// `cdpipe rules`: checking, compiling, explaining, importing and exporting rule files.

import ArgumentParser
import CallManifest
import CallStoreReader
import MessageRules
import MessageRulesCompiler
import NumberPlan
import Records
import Runner
import StoreWriting
import SystemIO
import SystemPackage

struct RulesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rules", abstract: "Check, compile, explain, import and export message rules.",
    subcommands: [
      RulesCheckCommand.self, RulesCompileCommand.self, RulesExplainCommand.self, RulesImportCommand.self,
      RulesExportCommand.self,
    ])

}

struct RulesCheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check a rule file for errors.",
    discussion: "The exit status is 65 if there are errors. Warnings are printed; the exit status stays 0.")

  @Argument(help: ArgumentHelp("The rule file (YAML or JSON).", valueName: "file"), completion: .ruleFile)
  var file: String

  @Flag(quiet: "Print errors and warnings only.")
  var quiet = false

  @Flag(help: "Print a JSON object.")
  var json = false

  @OptionGroup var colours: ColourOptions

  func run() throws {
    let rules = try RulesOpening.ruleFile(file)
    let bytes = try RulesOpening.compile(rules)
    let (keywords, warnings) = RulesOpening.check(rules, bytes)
    for warning in warnings { Diagnostics.typed.log(warning) }
    if json {
      StandardOutput.print(RulesText.json(rules, file: file, keywords: keywords, warnings: warnings))
    } else if !quiet {
      let counts =
        Figures.counted(UInt64(rules.rules.count), "rule") + ", "
        + Figures.counted(UInt64(keywords), "keyword")
      StandardOutput.print("\(file): \(counts): valid")
    }
  }
}

struct RulesCompileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compile", abstract: "Compile a rule file into the binary form that a phone maps.",
    discussion: """
      The same rule file always results in the same bytes. With --sign, FILE.sig is written beside them: apps that have \
      the public key use no others.
      """)

  @Argument(help: ArgumentHelp("The rule file (YAML or JSON).", valueName: "file"), completion: .ruleFile)
  var file: String

  @Option(output: .written)
  var output: String

  @Option("Sign the rules with the private key in FILE. Repeatable.", value: "file", completion: .file())
  var sign: [String] = []

  @Option(
    "The signature is valid for this long, such as 90d (default: 365d).", value: "period",
    transform: Period.typed)
  var expires: Period?

  @OptionGroup var colours: ColourOptions

  func run() throws {
    Interruption.cleanUp()
    if OutputNames.isRead(output, by: [file]) {
      throw Failure.usage("'\(output)' is the rule file and would be overwritten")
    }
    if !sign.isEmpty, output == "-" {
      throw Failure.usage("--sign needs a file for the rules", hint: "write them with -o FILE")
    }
    try refuse(expires != nil && sign.isEmpty, "--expires needs a private key to sign with")
    let bytes = try RulesOpening.compile(try RulesOpening.ruleFile(file))
    for path in RulesOpening.missingStores(bytes, relativeTo: file) {
      Diagnostics.typed.log("the store '\(path)' is missing; applying these rules needs it")
    }
    let signature = try signature(of: bytes)
    try write(bytes, to: output)
    if let signature {
      try write(ContiguousArray(signature), to: RulesSigning.path(of: output))
      Diagnostics.typed.log("wrote '\(RulesSigning.path(of: output))': put it beside the rules on the server")
    }
    reportFormerSignature()
  }

  /// Apps refuse rules beside the signature of former ones.
  private func reportFormerSignature() {
    guard sign.isEmpty, output != "-" else { return }
    let path = RulesSigning.path(of: output)
    guard (try? InputFile.bytes(of: path, limit: ManifestSignature.bytesMax)) != nil else { return }
    Diagnostics.typed.log(
      "'\(path)' is the signature of former rules: sign these with --sign KEYFILE, or remove it")
  }

  private func signature(of bytes: ContiguousArray<UInt8>) throws(Failure) -> [UInt8]? {
    if sign.isEmpty { return nil }
    let former = try? InputFile.bytes(
      of: RulesSigning.path(of: output), limit: ManifestSignature.bytesMax)
    return try RulesSigning.signature(
      of: bytes, keys: sign, validSeconds: expires?.seconds ?? RulesSigning.defaultSeconds,
      now: WallClock.wholeSeconds(), former: former)
  }
}

/// Writes bytes to a file, or to standard output for `-`.
private func write(_ bytes: ContiguousArray<UInt8>, to path: String) throws(Failure) {
  try OutputNames.check([path])
  let sink = try FileSink(path, calls: KernelCalls())
  var chunk = ByteChunk(capacity: max(bytes.count, 1))
  chunk.append(bytes.span)
  try sink.receive(&chunk)
  try sink.finish()
}

private func write(_ result: RuleExchange.Result, to path: String) throws(Failure) {
  for note in result.notes { Diagnostics.typed.log(note) }
  try write(ContiguousArray(result.text.utf8), to: path)
}

struct RulesExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Show which rule matches a message, and why.",
    discussion: "Lists the tests that were made, rule by rule. The exit status is 1 if no rule matches.")

  @Argument(
    help: ArgumentHelp("The rule file (YAML or JSON), or compiled rules.", valueName: "file"),
    completion: .ruleFile)
  var file: String

  @Option("The sender of the message.", value: "sender")
  var sender = ""

  @Option("The text of the message.", value: "text")
  var text: String

  @Option("The receiver's country.", value: "cc", completion: .region)
  var country: String?

  @Flag(help: "Print a JSON object.")
  var json = false

  @OptionGroup var colours: ColourOptions

  func run() throws {
    if let country, !CountryName.isOne(country) {
      throw Failure.usage("--country: unknown country code '\(country)'", hint: CountryName.hint)
    }
    let rules = try RulesOpening.rules(file)
    let stores = try RuleStores(rules.storePaths, relativeTo: file)
    var classifier = MessageClassifier(rules, isInStore: stores.contains)
    let sender = ContiguousArray(sender.utf8)
    let text = ContiguousArray(text.utf8)
    let explanation = classifier.explain(sender: sender.span, body: text.span, receiver: country)
    try stores.check()
    if json {
      StandardOutput.print(explanation.json { classifier.rules.name(ofRule: $0) })
    } else {
      StandardOutput.print(explanation.lines { classifier.rules.name(ofRule: $0) })
    }
    if explanation.verdict.rule == nil { throw ExitStatus.no }
  }
}

/// The applications whose filters can be imported and exported.
enum RulesFormat: String, ExpressibleByArgument, CaseIterable {
  case bouncer, simplyfiltersms

  var exchange: RuleExchange.Application {
    switch self {
    case .bouncer: .bouncer
    case .simplyfiltersms: .simplyFilterSMS
    }
  }
}

struct RulesImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Convert another application's filters to a rule file.",
    discussion: """
      Reads Bouncer's list of filters, or a file exported by Simply Filter SMS. Filters without a counterpart are \
      skipped and listed.
      """)

  @Argument(help: ArgumentHelp("The application's file.", valueName: "file"), completion: .ruleFile)
  var file: String

  @Option("The application.", value: "format")
  var format: RulesFormat

  @Option(output: .written)
  var output = "-"

  @OptionGroup var colours: ColourOptions

  func run() throws {
    Interruption.cleanUp()
    let text = try RulesOpening.text(file)
    try write(
      try RuleExchange.importing(text, path: file, from: format.exchange), to: output)
  }
}

struct RulesExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Convert rules to another application's filters.",
    discussion:
      "These applications have only keywords and expressions. Rules that need more are skipped and listed.")

  @Argument(help: ArgumentHelp("The rule file (YAML or JSON).", valueName: "file"), completion: .ruleFile)
  var file: String

  @Option("The application.", value: "format")
  var format: RulesFormat

  @Option(output: .written)
  var output = "-"

  @OptionGroup var colours: ColourOptions

  func run() throws {
    Interruption.cleanUp()
    try write(
      RuleExchange.exporting(try RulesOpening.ruleFile(file), to: format.exchange),
      to: output)
  }
}

// Opens rules for a command: a rule file is compiled in memory; compiled rules are mapped. Also opens the stores that
// rules name.

/// Opens rule files and compiled rules.
enum RulesOpening {
  /// The maximum size of compiled rules that are copied, in bytes: the most that an app downloads.
  private static let compiledBytesMax = 16 << 20

  /// Reads a file up to the maximum size of a rule file.
  static func text(_ path: String) throws(Failure) -> [UInt8] {
    let text = try asFailure(nil) { () throws(SystemError) in
      try InputFile.bytes(of: path, limit: RuleFile.bytesMax)
    }
    if text.count > RuleFile.bytesMax {
      throw Failure(
        nil, .badData, "too-large",
        "'\(path)' is larger than \(Figures.bytes(RuleFile.bytesMax)): is it a rule file?")
    }
    return text
  }

  /// Reads a rule file. Prints all of its errors but the last.
  static func ruleFile(_ path: String) throws(Failure) -> RuleFile {
    let text = try text(path)
    do throws(RuleErrors) {
      return try RuleFileReader.read(text, file: path, isRegion: { Region($0) != nil })
    } catch {
      let failures = error.list.map { Failure.invalidRules($0.userMessage) }
      for failure in failures.dropLast() { _ = Diagnostics.typed.end(failure) }
      throw failures[failures.count - 1]
    }
  }

  static func compile(_ file: RuleFile) throws(Failure) -> ContiguousArray<UInt8> {
    do throws(RuleError) {
      return ContiguousArray(try RuleCompiler.compile(file))
    } catch {
      throw .invalidRules(error.userMessage)
    }
  }

  /// The number of keywords of a compiled rule file, and its warnings; keywords that fold to the same text count once.
  static func check(
    _ file: RuleFile, _ bytes: ContiguousArray<UInt8>
  ) -> (keywords: Int, warnings: [String]) {
    do throws(CompiledRulesError) {
      let rules = try CompiledRules(bytes: bytes.span)
      return (rules.keywordCount, file.warnings(rules))
    } catch {
      return (0, [])
    }
  }

  static func storePaths(_ bytes: ContiguousArray<UInt8>) -> [String] {
    do throws(CompiledRulesError) {
      return try CompiledRules(bytes: bytes.span).storePaths
    } catch {
      return []
    }
  }

  /// The stores that compiled rules name and that can't be opened; their paths are relative to the rule file.
  static func missingStores(_ bytes: ContiguousArray<UInt8>, relativeTo rules: String) -> [String] {
    storePaths(bytes).map { RuleStores.path(of: $0, relativeTo: rules) }
      .filter { (try? InputFile($0)) == nil }
  }

  static func compiled(_ path: String) throws(Failure) -> ContiguousArray<UInt8> {
    guard isCompiled(path) else { return try compile(try ruleFile(path)) }
    let bytes = try asFailure(nil) { () throws(SystemError) in
      ContiguousArray(try InputFile.bytes(of: path, limit: compiledBytesMax))
    }
    _ = try rules(bytes, path)
    return bytes
  }

  static func rules(_ path: String) throws(Failure) -> CompiledRules {
    do throws(CompiledRulesError) {
      if isCompiled(path) { return try CompiledRules(path: path) }
    } catch {
      switch error {
      case .cannotOpen(let code), .cannotMap(let code):
        throw .invalidRules(error.userMessage(path: path), .opening(code))
      default: throw .invalidRules(error.userMessage(path: path))
      }
    }
    return try rules(try compile(try ruleFile(path)), path)
  }

  private static func rules(
    _ bytes: ContiguousArray<UInt8>, _ path: String
  ) throws(Failure) -> CompiledRules {
    do throws(CompiledRulesError) {
      return try CompiledRules(bytes: bytes.span)
    } catch {
      throw .invalidRules(error.userMessage(path: path))
    }
  }

  /// Whether a file starts like compiled rules.
  static func isCompiled(_ path: String) -> Bool {
    guard path != InputFile.standardInput, var file = try? InputFile(path) else { return false }
    var chunk = ByteChunk(capacity: 8)
    _ = try? file.read(into: &chunk)
    return chunk.count == 8 && CompiledRules.hasSignature(chunk.span)
  }
}

extension Failure {
  fileprivate static func invalidRules(
    _ message: UserMessage, _ errorClass: ErrorClass = .badData
  ) -> Failure {
    Failure(nil, errorClass, "rules", message)
  }
}

/// The stores that rules name.
final class RuleStores {
  private final class Opened {
    let store: CallStore
    let path: String

    init(_ path: String) throws(Failure) {
      do throws(CallStoreError) {
        store = try CallStore(path: path)
      } catch {
        throw .unreadableStore(error, path: path)
      }
      self.path = path
    }
  }

  private let stores: [Opened]
  /// The first error of a lookup.
  private var failure: Failure?

  static func path(of path: String, relativeTo rules: String) -> String {
    FilePath(rules).removingLastComponent().pushing(FilePath(path)).string
  }

  init(_ paths: [String], relativeTo rules: String) throws(Failure) {
    stores = try paths.map { (path) throws(Failure) in
      try Opened(Self.path(of: path, relativeTo: rules))
    }
  }

  func contains(_ store: Int, _ number: UInt64) -> Bool {
    guard stores.indices.contains(store) else { return false }
    do throws(CallStoreError) {
      return try stores[store].store.record(of: number) != nil
    } catch {
      failure = failure ?? .unreadableStore(error, path: stores[store].path)
      return false
    }
  }

  /// Throws if a store could not be read.
  func check() throws(Failure) {
    if let failure { throw failure }
  }
}
