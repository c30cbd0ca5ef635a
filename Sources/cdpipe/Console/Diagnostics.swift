// Messages on standard error, prefixed with the command's name and written one line at a time; exit statuses.

import ArgumentParser
import Records
import Runner
import Synchronization

/// Writes a command's messages to standard error.
struct Diagnostics: Sendable {
  /// The subcommand's name; empty for `cdpipe` itself.
  let command: String

  private static let settings = Mutex(LogSettings())
  /// The keys that messages name instead of options; nil outside runs of pipeline files.
  private static let keyNames = Mutex<KeyNames?>(nil)

  var name: String { command.isEmpty ? "cdpipe" : "cdpipe \(command)" }

  /// Sets the format of all following messages.
  static func set(_ newSettings: LogSettings) {
    settings.withLock { $0 = newSettings }
  }

  /// Makes all following messages name the keys of a pipeline file instead of options.
  static func setKeyNames(_ names: KeyNames) {
    keyNames.withLock { $0 = names }
  }

  /// The names of keys in a run of a pipeline file; otherwise nil.
  static var names: KeyNames? { keyNames.withLock { $0 } }

  /// A line about a stage, with the names of keys in a run of a pipeline file.
  static func named(_ line: String, of stage: StageName?) -> String { names?.text(line, of: stage) ?? line }

  /// The message of an error, as it is shown and reported.
  static func message(of failure: Failure) -> UserMessage {
    let message = failure.userMessage
    // `--strict` of the run, not of parse, ends it at the first reject.
    let kept: Set<String> = failure.isBecauseOfRejects ? ["strict"] : []
    return names?.message(message, of: failure.stage, keeping: kept) ?? message
  }

  /// Writes a line: unchanged as text, or as a JSON object with the source that it is about, if there is one.
  func log(_ line: String, _ level: LogLevel = .info, source: String? = nil) {
    log(StyledText(URLRedaction.text(line)), level, hint: nil, source: source)
  }

  private func log(
    _ line: StyledText, _ level: LogLevel, hint: String?, source: String? = nil, exitStatus: Int32? = nil
  ) {
    let settings = Diagnostics.settings.withLock { $0 }
    switch settings.format {
    case .text:
      var text = line
      text.append("\n")
      if let hint { text.append("  \("hint:", .hint) \(hint)\n") }
      // Any line may contain a name from the user or from a file.
      ErrorStream.write(text.text(isColoured: Colour.isOnError, printable: PrintableText.lines))
    case .json:
      var object = LogLine(line.plain, command: name, level: level, settings, hint: hint)
      object.source = source?.isEmpty ?? true ? nil : source
      object.exitStatus = exitStatus
      ErrorStream.write(object.text)
    }
  }

  /// Reports why the command ended and returns its exit status.
  func end(_ failure: Failure) -> ExitCode {
    switch failure.errorClass {
    case .readerGone: return .success
    // The stage has already printed a notice, unless --quiet.
    case .unchanged: return ExitStatus.unchanged
    default: break
    }
    let sentence = Self.message(of: failure)
    let who = failure.stage.map { "cdpipe \($0.rawValue)" } ?? name
    return end(
      sentence, who: who, ExitStatus.of(failure.errorClass), source: failure.sourceName)
  }

  /// Reports why the command ended and returns its exit status.
  func end(
    _ sentence: UserMessage, who: String? = nil, _ status: ExitCode, source: String? = nil
  ) -> ExitCode {
    log("\("\(who ?? name):", .error) \(sentence.message)", .error, hint: sentence.hint, source: source)
    return status
  }

  /// Writes a warning with its hint.
  func warn(_ sentence: UserMessage, source: String? = nil) {
    let stage = StageName(rawValue: command)
    let sentence = Self.names?.message(sentence, of: stage) ?? sentence
    log(
      "\(name): \("warning:", .warning) \(sentence.message)", .warning, hint: sentence.hint, source: source)
  }

  /// Writes the last message of a process that logs JSON: its exit status.
  static func logEnd(_ status: Int32) {
    let settings = Self.settings.withLock { $0 }
    guard settings.format == .json else { return }
    let hasFailed = ![ExitCode.success, ExitStatus.unchanged].contains(ExitCode(status))
    Diagnostics(command: "").log(
      StyledText("\(settings.command): \(RunSummary.ended(status))"), hasFailed ? .error : .info, hint: nil,
      exitStatus: status)
  }
}
