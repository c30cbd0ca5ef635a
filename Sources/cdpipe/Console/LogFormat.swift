// The format of messages on standard error: text, or one JSON object per line for log collectors.

import ArgumentParser
import SystemIO
import Records

/// The format of messages.
enum LogFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  case text, json
}

/// The severity of a message.
enum LogLevel: String, Encodable, Sendable {
  case info, warning, error
}

/// How messages are written, and what all messages of the process have in common.
struct LogSettings: Sendable {
  var format = LogFormat.text
  /// The command that was typed, such as `cdpipe run`. Other commands in messages are its stages.
  var command = ""
  /// The pipeline's file; nil for a typed pipe.
  var pipeline: String?
}

/// A message as a JSON object.
struct LogLine: Encodable {
  var time: String
  var level: LogLevel
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

  /// Parses a line of text output: `cdpipe parse: list.json:3: …`, or a continuation of the previous line.
  init(_ line: String, command: String, level: LogLevel, _ settings: LogSettings, hint: String? = nil) {
    time = WallClock.text(WallClock.seconds())
    self.level = level
    self.hint = hint
    pipeline = settings.pipeline
    let parts = Self.parts(line)
    self.command = parts?.command ?? command
    message = parts?.message ?? String(line.drop { $0 == " " })
    if self.command != settings.command, self.command.hasPrefix("cdpipe ") {
      stage = String(self.command.dropFirst("cdpipe ".count))
    }
  }

  /// The command and the message of a line; nil for a line without a command.
  private static func parts(_ line: String) -> (command: String, message: String)? {
    guard line.hasPrefix("cdpipe"), let colon = line.firstRange(of: ": ") else { return nil }
    let who = line[..<colon.lowerBound]
    guard who.count <= "cdpipe intersect".count, !who.contains("'") else { return nil }
    return (String(who), String(line[colon.upperBound...]))
  }

  /// The object as a line, with its line feed.
  var text: String { JSONLine.text(self) + "\n" }
}
