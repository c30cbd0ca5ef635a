// Messages on standard error, one entry at a time: as text, or as one JSON object per line for log collectors; and the exit
// statuses.

import ArgumentParser
import Records
import Runner
import Synchronization
import SystemIO

enum LogFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  case text, json
}

/// How messages are written, and what all messages of the process have in common.
struct LogSettings: Sendable {
  var format = LogFormat.text
  /// The command that was typed, such as `run`. Other commands in messages are its stages.
  var command = ""
  /// Whether what is opened and recognised is shown.
  var isVerbose = false
  /// The pipeline's file; nil for a typed pipe.
  var pipeline: String?
}

/// Writes a command's messages to standard error.
struct Diagnostics: Sendable {
  /// The subcommand's name; empty for `cdpipe` itself.
  let command: String

  private static let settings = Mutex(LogSettings())
  /// How messages name options.
  private static let naming = Mutex<@Sendable (_ text: String, _ stage: StageName?) -> String>(
    { text, _ in OptionText.typed(text) })

  /// Changes the settings of all following messages.
  static func set(_ change: (inout LogSettings) -> Void) { settings.withLock { change(&$0) } }

  /// The messages of the command that was typed.
  static var typed: Diagnostics { Diagnostics(command: settings.withLock { $0.command }) }

  static var isVerbose: Bool { settings.withLock { $0.isVerbose } }

  /// Makes all following messages name options as the keys of a pipeline file, or as those of another command.
  static func setNaming(_ newNaming: @escaping @Sendable (_ text: String, _ stage: StageName?) -> String) {
    naming.withLock { $0 = newNaming }
  }

  /// A text about a stage, with its options as they are typed or, in a run of a pipeline file, as keys.
  static func shown(_ text: String, of stage: StageName?) -> String { naming.withLock { $0 }(text, stage) }

  static func message(of failure: Failure) -> UserMessage {
    failure.userMessage.mapped { shown($0, of: failure.stage) }
  }

  // MARK: Writing

  func log(_ text: String, _ level: LogEntry.Level = .info, source: String? = nil) {
    var entry = LogEntry(command, text)
    entry.level = level
    entry.source = source
    log(entry)
  }

  /// Writes a row that was left out, as a message of the stage that left it out.
  static func log(_ reject: Reject, _ level: LogEntry.Level = .warning, source: String? = nil) {
    Diagnostics(command: reject.stage.rawValue).log(RejectText.text(reject), level, source: source)
  }

  func warn(_ sentence: UserMessage, source: String? = nil) {
    var entry = LogEntry(command, sentence.sentence, hint: sentence.suggestion)
    entry.level = .warning
    entry.showsLevel = true
    entry.source = source
    log(entry)
  }

  /// Writes an entry. Its further lines are this command's.
  func log(_ entry: LogEntry) {
    let settings = Self.settings.withLock { $0 }
    let stage = StageName(rawValue: entry.command ?? command)
    var entry = entry
    entry.text = Self.shown(KeyRedaction.text(URLRedaction.text(entry.text)), of: stage)
    entry.hint = entry.hint.map { Self.shown(KeyRedaction.text($0), of: stage) }
    switch settings.format {
    case .text: ErrorStream.write(entry.line(isColoured: Colour.isOnError))
    case .json: ErrorStream.write(JSONLine.text(JSONEntry(entry, command, settings)) + "\n")
    }
  }

  private struct JSONEntry: Encodable {
    var time = WallClock.text(WallClock.seconds())
    var level: LogEntry.Level
    var command: String
    /// The stage that the message is about; nil for the whole run.
    var stage: String?
    /// The source that the message is about, in a run of several.
    var source: String?
    var pipeline: String?
    var message: String
    var hint: String?
    /// The exit status; only in the last message.
    var exitStatus: Int32?

    init(_ entry: LogEntry, _ command: String, _ settings: LogSettings) {
      let name = entry.command ?? command
      level = entry.level
      self.command = name.isEmpty ? "cdpipe" : "cdpipe \(name)"
      stage = name.isEmpty || name == settings.command ? nil : name
      source = entry.source.flatMap { $0.isEmpty ? nil : $0 }
      pipeline = settings.pipeline
      message = entry.message
      hint = entry.hint
      exitStatus = entry.exitStatus
    }
  }

  // MARK: Ending

  /// Reports why the command ended and returns its exit status.
  func end(_ failure: Failure) -> ExitCode {
    switch failure.errorClass {
    case .readerGone: return .success
    // The stage has already printed a notice, unless --quiet.
    case .unchanged: return ExitStatus.unchanged
    default: break
    }
    return end(
      Self.message(of: failure), of: failure.stage, ExitStatus.of(failure.errorClass),
      source: failure.sourceName)
  }

  /// Reports why the command, or a stage of it, ended and returns its exit status.
  func end(
    _ sentence: UserMessage, of stage: StageName? = nil, _ status: ExitCode, source: String? = nil
  ) -> ExitCode {
    var entry = LogEntry(stage?.rawValue ?? command, sentence.message, hint: sentence.hint)
    entry.level = .error
    entry.showsLevel = true
    entry.source = source
    log(entry)
    return status
  }

  /// Writes the last message of a process that logs JSON: its exit status.
  static func logEnd(_ status: Int32) {
    let settings = Self.settings.withLock { $0 }
    guard settings.format == .json else { return }
    let hasFailed = ![ExitCode.success, ExitStatus.unchanged].contains(ExitCode(status))
    var entry = LogEntry(settings.command, RunSummary.ended(status))
    entry.level = hasFailed ? .error : .info
    entry.exitStatus = status
    Diagnostics(command: settings.command).log(entry)
  }
}

extension Failure {
  /// The command was used in a wrong way.
  static func usage(_ message: UserMessage) -> Failure { Failure(nil, .usage, "usage", message) }
  static func usage(_ text: String, hint: String? = nil) -> Failure { usage(UserMessage(text, hint: hint)) }
}
