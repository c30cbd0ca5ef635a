// The options of commands as data, read from their declarations: what is known, which values are accepted, what may have
// been meant. Read only when something is wrong, or when a message names an option: a start takes no longer.

import ArgumentParser
import FoundationEssentials
import InputStages
import Records
import Synchronization

/// The arguments that a type declares.
struct OptionTable: Sendable, Decodable {
  struct Argument: Decodable, Sendable {
    struct Name: Decodable, Sendable {
      var kind: String
      var name: String
    }

    /// `positional`, `option` or `flag`.
    var kind: String
    var isOptional: Bool
    var isRepeating: Bool
    var parsingStrategy: String
    var names: [Name]?
    var valueName: String?
    /// The values that it accepts, if they are a choice.
    var allValues: [String]?
    var abstract: String?
    var defaultValue: String?

    /// The names without dashes.
    var words: [String] { names?.map(\.name) ?? [] }
    /// The long name, the last of several; nil for a positional argument, or an option that has only a short one.
    var name: String? { names?.last { $0.kind == "long" }?.name }
    var hasValue: Bool { kind == "option" }
    /// As the parser names it: `--keep <which>`.
    var synopsis: String {
      let value = "<\(valueName ?? "")>"
      guard let name = name.map({ "--\($0)" }) ?? words.first.map({ "-\($0)" }) else { return value }
      return hasValue ? "\(name) \(value)" : name
    }
  }

  /// The parser's description of a command.
  private struct Command: Decodable {
    var arguments: [Argument]?
  }
  private enum CodingKeys: String, CodingKey { case command }

  let arguments: [Argument]

  init(from decoder: any Decoder) throws {
    let command = try decoder.container(keyedBy: CodingKeys.self).decode(Command.self, forKey: .command)
    arguments = command.arguments ?? []
  }

  private static let tables = Mutex<[ObjectIdentifier: OptionTable]>([:])

  static func of(_ type: any ParsableArguments.Type) -> OptionTable {
    tables.withLock { tables in
      if let known = tables[ObjectIdentifier(type)] { return known }
      guard let table = try? JSONDecoder().decode(OptionTable.self, from: Data(type._dumpHelp().utf8)) else {
        preconditionFailure("the parser describes \(type) in its own form")
      }
      tables[ObjectIdentifier(type)] = table
      return table
    }
  }

  /// The option or flag with a name, long or short, without its dashes.
  func option(_ word: some StringProtocol) -> Argument? {
    arguments.first { $0.words.contains(String(word)) }
  }

  /// The long names that a pipeline file may use as keys: those of the type itself.
  var names: [String] { arguments.compactMap(\.name).filter { !Self.ofEveryCommand.contains($0) } }

  /// Flags that the parser adds.
  private static let ofEveryCommand: Set<String> = ["help", "version"]

  /// The first of the typed words that looks like an option and is none.
  func unknownOption(_ typed: [String]) -> String? {
    var followsOption = false
    for word in typed {
      if word == "--" { return nil }
      let isValue = followsOption
      followsOption = false
      guard word.hasPrefix("-"), word.count > 1, !isValue else { continue }
      if !word.hasPrefix("--") {
        guard let first = word.dropFirst().first, let option = option(String(first)) else { return word }
        followsOption = option.hasValue && word.count == 2
        continue
      }
      let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let option = option(parts[0]) else { return "--\(parts[0])" }
      if option.hasValue, parts.count == 1 {
        followsOption = option.parsingStrategy == "unconditional"
      }
    }
    return nil
  }

  /// The sentence about an unknown option, as the parser writes it.
  func sentence(ofUnknown option: String) -> String {
    let names = arguments.flatMap(\.words).filter { $0.count > 1 }.map { "--\($0)" }
    let nearest = option.hasPrefix("--") ? KeySuggestion.nearest(option, names, distanceMax: 3) : nil
    return "Unknown option '\(option)'" + (nearest.map { ". Did you mean '\($0)'?" } ?? "")
  }
}

/// Does not accept arguments unless a condition holds.
func require(_ condition: Bool, _ message: @autoclosure () -> String) throws(ValidationError) {
  if !condition { throw ValidationError(message()) }
}

/// Does not accept arguments if a condition holds.
func refuse(_ condition: Bool, _ message: @autoclosure () -> String) throws(ValidationError) {
  if condition { throw ValidationError(message()) }
}

/// Arguments that a check of this program does not accept.
struct UsageError: Error, CustomStringConvertible {
  let message: UserMessage

  init(_ message: UserMessage) { self.message = message }

  var description: String { message.sentence }
}

/// What the parser found wrong with arguments. The types of its errors are internal: their cases and values are read by
/// reflection. What is not recognised is shown with the parser's sentence.
struct ArgumentProblem {
  enum Cause: String {
    case unknownOption, unexpectedExtraValues, noValue, missingValueForOption, unexpectedValueForOption,
      unableToParseValue, userValidationError
  }

  /// What is wrong; nil for anything else.
  private(set) var kind: Cause?
  /// The option's name without dashes; nil for a positional argument.
  private(set) var option: String?
  private(set) var value: String?
  /// What a check of this program threw.
  private(set) var cause: (any Error)?

  init(_ error: any Error) {
    let parserError = Mirror(reflecting: error).children.first { $0.label == "parserError" }?.value ?? error
    guard let found = Mirror(reflecting: parserError).children.first, let label = found.label,
      let kind = Cause(rawValue: label)
    else { return }
    self.kind = kind
    if let cause = found.value as? any Error {
      self.cause = cause
      return
    }
    for part in Mirror(reflecting: found.value).children {
      if let value = part.value as? String {
        self.value = value
      } else if let cause = part.value as? any Error {
        self.cause = cause
      } else if part.label == ".1" {
        option = Self.text(in: part.value)
      }
    }
  }

  /// The first text in a value: that of an option's name, which is in a case of an enum.
  private static func text(in value: Any) -> String? {
    if let text = value as? String { return text }
    if let letter = value as? Character { return String(letter) }
    for child in Mirror(reflecting: value).children {
      if let text = text(in: child.value) { return text }
    }
    return nil
  }

  /// Whether a check of this program did not accept the arguments.
  static func isUsageError(_ error: any Error) -> Bool {
    (ArgumentProblem(error).cause ?? error) is UsageError
  }

  /// What other programs call the values of options, and extensions of files in place of formats.
  private static let otherValues = [
    "vcf": ["vcard"], "contacts": ["vcard"], "txt": ["lines", "tsv"], "text": ["lines", "tsv"],
    "list": ["lines"],
    "excel": ["xlsx", "csv"], "xls": ["xlsx", "csv"], "xlsm": ["xlsx", "csv"], "xlsx": ["csv"],
    "ods": ["csv"], "db": ["sqlite"],
    "database": ["sqlite"],
    "sql": ["sqlite"], "ndjson": ["jsonl", "json"], "jsonlines": ["jsonl", "json"], "json": ["jsonl"],
    "jsonl": ["json"], "xml": ["phonebook"], "fritzbox": ["phonebook"], "fritz": ["phonebook"],
    "cdstore": ["store"],
    "sia": ["yacb"], "yml": ["yaml"], "livecallerid": ["pir"],
  ]

  /// The message about a value that is none of a choice, in one line, with the one that may be meant. `name` is an option
  /// or a key.
  static func message(
    of value: String, for name: String, _ choice: [String], isListed: Bool = false
  ) -> UserMessage {
    let start = "The value '\(value)' is invalid for '\(name)'"
    let meant = otherValues[value.lowercased()]?.first(where: choice.contains)
    var hint = (meant ?? KeySuggestion.nearest(value, choice)).map { "did you mean '\($0)'?" }
    // Only spreadsheets are taken for CSV, and only a command that writes stores, too, has the second option.
    if meant == "csv", choice.contains("store") {
      hint = "write CSV: \(option: "format", "csv") \(option: "csv-safe")"
    }
    switch isListed ? .max : choice.count {
    case 0: return UserMessage(start)
    case 1...2: return UserMessage("\(start). Please provide \(oneOf(choice, " and ")).", hint: hint)
    case 3..<6: return UserMessage("\(start). Please provide \(oneOf(choice, " or ")).", hint: hint)
    default: return UserMessage("\(start). Use one of: \(choice.joined(separator: ", "))", hint: hint)
    }
  }

  /// The sentence about a value that is not accepted: because of `cause`, or because it is none of a choice.
  func sentence(of name: String, _ choice: [String], _ text: (any Error) -> String) -> String {
    let value = value ?? ""
    if let cause { return "The value '\(value)' is invalid for '\(name)': \(text(cause))" }
    return Self.message(of: value, for: name, choice).sentence
  }

  private static func oneOf(_ choice: [String], _ last: String) -> String {
    let quoted = choice.map { "'\($0)'" }
    return "one of "
      + [quoted.dropLast().joined(separator: ", "), quoted.last ?? ""].filter { !$0.isEmpty }
      .joined(separator: last)
  }
}

extension CommandPath {
  /// What other programs call an option of a command.
  private static let otherOptions = ["diff": ["--stat": "--summary"]]
  /// What an option of another command is called in a command that has a different one with its name.
  private static let renamedOptions = ["convert": ["header": "template-header"]]

  /// The message for arguments that the parser does not accept, with the value or option that may have been meant. In it,
  /// options are marked.
  func message(for error: any Error) -> UserMessage {
    let problem = ArgumentProblem(error)
    if let message = ((problem.cause ?? error) as? UsageError)?.message, message.hint != nil {
      return message
    }
    let help = "see '\(fullName) --help'"
    let sentence = CDPipe.message(for: error)
    var table: OptionTable { OptionTable.of(command) }
    switch problem.kind {
    case .unknownOption, .noValue, .userValidationError:
      let typed = OperandRuns(rest, of: command).words
      guard !isGroup, let unknown = table.unknownOption(typed) else { break }
      if let meant = Self.otherOptions[names.last ?? ""]?[unknown] {
        return UserMessage("Unknown option '\(unknown)'", hint: "did you mean '\(meant)'?")
      }
      // The parser reports missing arguments and failed checks first.
      if problem.kind != .unknownOption { return UserMessage(table.sentence(ofUnknown: unknown), hint: help) }
    case .unableToParseValue:
      let argument =
        problem.option.map { table.option($0) } ?? table.arguments.first { $0.kind == "positional" }
      guard problem.cause == nil, let argument, let choice = argument.allValues, let value = problem.value
      else { break }
      let message = ArgumentProblem.message(of: value, for: argument.synopsis, choice)
      let renamed = problem.option.flatMap { Self.renamedOptions[names.last ?? ""]?[$0] }
      return UserMessage(
        message.sentence,
        hint: renamed.map { "for a text before the records, use \(option: $0)" } ?? message.hint ?? help)
    default: break
    }
    return UserMessage(sentence, hint: help)
  }
}
