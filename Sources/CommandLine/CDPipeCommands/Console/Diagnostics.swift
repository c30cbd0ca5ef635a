// Messages on standard error, prefixed with the command's name and written one line at a time; exit statuses.

import ArgumentParser
import PipeStage
import Synchronization
import SystemIO
import SystemPackage
import UserMessages

/// Writes a command's messages to standard error.
struct Diagnostics: Sendable {
  /// The subcommand's name; empty for `cdpipe` itself.
  let command: String

  private static let format = Mutex(LogFormat.text)

  var name: String { command.isEmpty ? "cdpipe" : "cdpipe \(command)" }

  /// Sets the format of all following messages.
  static func setFormat(_ newFormat: LogFormat) {
    format.withLock { $0 = newFormat }
  }

  /// Writes a line: unchanged as text, or as a JSON object.
  func log(_ line: String, _ level: LogLevel = .info) {
    log(line, level, hint: nil)
  }

  private func log(_ line: String, _ level: LogLevel, hint: String?) {
    let text =
      switch Diagnostics.format.withLock({ $0 }) {
      // Any line may contain a name from the user or from a file.
      case .text:
        PrintableText.lines(line) + "\n"
          + (hint.map { "  hint: \(PrintableText.lines($0))\n" } ?? "")
      case .json: LogLine(line, command: name, level: level, hint: hint).text
      }
    Diagnostics.write(text)
  }

  /// Reports why the command ended and returns its exit status.
  func end(_ failure: StageError) -> ExitCode {
    switch failure.cause.errorClass {
    case .readerGone: return .success
    // The stage has already printed a notice, unless --quiet.
    case .unchanged: return Status.unchanged
    default: break
    }
    let sentence = failure.userMessage
    let who = failure.stage.map { "cdpipe \($0.rawValue)" } ?? name
    return end(sentence, who: who, Status.of(failure.cause.errorClass))
  }

  /// Reports why the command ended and returns its exit status.
  func end(_ sentence: UserMessage, who: String? = nil, _ status: ExitCode) -> ExitCode {
    log("\(who ?? name): \(sentence.message)", .error, hint: sentence.hint)
    return status
  }

  /// Writes to standard error. Errors are ignored, because there is nowhere to report them.
  static func write(_ text: String) {
    format.withLock { _ in
      var text = text
      _ = try? text.withUTF8 { unsafe try FileDescriptor.standardError.writeAll($0) }
    }
  }
}

/// The exit statuses, after sysexits.h.
enum Status {
  /// The answer is no, such as for a number that is not found or lists that differ.
  static let no = ExitCode(1)
  /// Nothing has changed, with `--fail-unchanged`; sysexits.h has no status for that.
  static let unchanged = ExitCode(3)
  static let usage = ExitCode(64)
  static let badData = ExitCode(65)
  static let noInput = ExitCode(66)

  static func of(_ errorClass: ErrorClass) -> ExitCode {
    switch errorClass {
    case .badData: badData
    case .noInput: noInput
    case .unavailable: ExitCode(69)
    case .cannotCreate: ExitCode(73)
    case .inputOutput: ExitCode(74)
    case .usage: usage
    case .tryLater: ExitCode(75)
    case .readerGone: .success
    case .unchanged: unchanged
    }
  }
}
