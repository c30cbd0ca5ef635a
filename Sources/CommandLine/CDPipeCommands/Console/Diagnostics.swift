// Messages on standard error, prefixed with the command's name and written one line at a time; exit statuses.

import ArgumentParser
import PipeStage
import Synchronization
import UserMessages

/// Writes a command's messages to standard error.
struct Diagnostics: Sendable {
  /// The subcommand's name; empty for `cdpipe` itself.
  let command: String

  private static let format = Mutex(LogFormat.text)
  /// The keys that messages name instead of options; nil outside runs of pipeline files.
  private static let keyNames = Mutex<KeyNames?>(nil)

  var name: String { command.isEmpty ? "cdpipe" : "cdpipe \(command)" }

  /// Sets the format of all following messages.
  static func setFormat(_ newFormat: LogFormat) {
    format.withLock { $0 = newFormat }
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
  static func message(of failure: StageError) -> UserMessage {
    let message = failure.userMessage
    // `--strict` of the run, not of parse, ends it at the first reject.
    let kept: Set<String> = failure.cause is RejectLimitError ? ["strict"] : []
    return names?.message(message, of: failure.stage, keeping: kept) ?? message
  }

  /// Writes a line: unchanged as text, or as a JSON object.
  func log(_ line: String, _ level: LogLevel = .info) {
    log(StyledText(URLRedaction.text(line)), level, hint: nil)
  }

  private func log(_ line: StyledText, _ level: LogLevel, hint: String?) {
    switch Diagnostics.format.withLock({ $0 }) {
    case .text:
      var text = line
      text.append("\n")
      if let hint { text.append("  \("hint:", .hint) \(hint)\n") }
      // Any line may contain a name from the user or from a file.
      ErrorStream.write(text.text(isColoured: Colour.isOnError, printable: PrintableText.lines))
    case .json: ErrorStream.write(LogLine(line.plain, command: name, level: level, hint: hint).text)
    }
  }

  /// Reports why the command ended and returns its exit status.
  func end(_ failure: StageError) -> ExitCode {
    switch failure.cause.errorClass {
    case .readerGone: return .success
    // The stage has already printed a notice, unless --quiet.
    case .unchanged: return ExitStatus.unchanged
    default: break
    }
    let sentence = Self.message(of: failure)
    let who = failure.stage.map { "cdpipe \($0.rawValue)" } ?? name
    return end(sentence, who: who, ExitStatus.of(failure.cause.errorClass))
  }

  /// Reports why the command ended and returns its exit status.
  func end(_ sentence: UserMessage, who: String? = nil, _ status: ExitCode) -> ExitCode {
    log("\("\(who ?? name):", .error) \(sentence.message)", .error, hint: sentence.hint)
    return status
  }

  /// Writes a warning with its hint.
  func warn(_ sentence: UserMessage) {
    let stage = StageName(rawValue: command)
    let sentence = Self.names?.message(sentence, of: stage) ?? sentence
    log("\(name): \("warning:", .warning) \(sentence.message)", .warning, hint: sentence.hint)
  }
}
