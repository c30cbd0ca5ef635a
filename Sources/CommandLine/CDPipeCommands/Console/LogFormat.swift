// The format of messages on standard error: text, or one JSON object per line for log collectors.

import ArgumentParser
import SystemIO
import UserMessages

/// The format of messages.
enum LogFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  case text, json
}

/// The severity of a message.
enum LogLevel: String, Encodable, Sendable {
  case info, warning, error
}

/// A message as a JSON object.
struct LogLine: Encodable {
  var time: String
  var level: LogLevel
  var command: String
  var message: String
  var hint: String?

  /// Parses a line of text output: `cdpipe parse: list.json:3: …`, or a continuation of the previous line.
  init(_ line: String, command: String, level: LogLevel, hint: String? = nil) {
    time = WallClock.text(WallClock.seconds())
    self.level = level
    self.command = command
    self.hint = hint
    message = String(line.drop { $0 == " " })
    guard line.hasPrefix("cdpipe"), let colon = line.firstRange(of: ": ") else { return }
    let who = line[..<colon.lowerBound]
    guard who.count <= "cdpipe intersect".count, !who.contains("'") else { return }
    self.command = String(who)
    message = String(line[colon.upperBound...])
  }

  /// The object as a line, with its line feed.
  var text: String { JSONLine.text(self) + "\n" }
}
