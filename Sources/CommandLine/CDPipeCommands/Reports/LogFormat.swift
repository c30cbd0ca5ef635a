// How a run's messages are written to standard error: as sentences, or as a JSON object a line for who collects logs.

import ArgumentParser
import SystemIO

/// The form of messages.
enum LogFormat: String, ExpressibleByArgument, CaseIterable, Sendable {
  case text, json
}

/// How much a message matters.
enum LogLevel: String, Encodable, Sendable {
  case info, warning, error
}

/// A message as an object.
struct LogLine: Encodable {
  var time: String
  var level: LogLevel
  var command: String
  var message: String
  var hint: String?

  /// Takes a line apart as it would be printed: `cdpipe parse: list.json:3: …`, or one that belongs to the line before.
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

  /// The line, with its end.
  var text: String { JSONLine.text(self) + "\n" }
}
