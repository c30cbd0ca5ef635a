// Whether standard output and standard error show colours: by --color, the environment, and whether they are terminals.
//
// Not for: the colours themselves (TextStyle), or files and JSON, which never have any.

import ArgumentParser
import Synchronization
import SystemIO

/// When to use colours.
enum ColourChoice: String, ExpressibleByArgument, CaseIterable, Sendable {
  case auto, always, never

  // Explicit, because the parser's default looks up the names of all cases at run time, at each start of a filter.
  static var allValueStrings: [String] { allCases.map(\.rawValue) }
  static var allValueDescriptions: [String: String] { [:] }
  var defaultValueDescription: String { rawValue }
}

/// The option that every command has. Parsing it is enough: it applies to the whole process.
struct ColourOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Use colours: on terminals unless NO_COLOR is set (auto), always, or never.", valueName: "when"))
  var color: ColourChoice = .auto

  func validate() {
    // The commands of a typed pipe are parsed after `run`, and most of them without the option.
    if color != .auto { Colour.choose(color) }
  }
}

/// Decides about colours, for each of the two streams separately.
enum Colour {
  private static let choice = Mutex(ColourChoice.auto)

  /// Sets the user's choice.
  static func choose(_ new: ColourChoice) { choice.withLock { $0 = new } }

  /// Whether standard output shows colours.
  static var isOnOutput: Bool { isOn(RunningProcess.isOutputTerminal) }

  /// Whether standard error shows colours.
  static var isOnError: Bool { isOn(RunningProcess.isErrorTerminal) }

  /// The option decides; without it the environment (no-color.org, bixense.com/clicolors); else the stream.
  private static func isOn(_ isTerminal: Bool) -> Bool {
    switch choice.withLock({ $0 }) {
    case .always: return true
    case .never: return false
    case .auto: break
    }
    if let value = RunningProcess.environment("NO_COLOR"), !value.isEmpty { return false }
    if let value = RunningProcess.environment("CLICOLOR_FORCE"), !value.isEmpty, value != "0" { return true }
    if RunningProcess.environment("CLICOLOR") == "0" { return false }
    return isTerminal && !Terminal.isDumb
  }
}
