// `cdpipe version` and `cdpipe completions`

import ArgumentParser
import CallDeltaReader
import CallManifest
import CallStoreFormat
import InputStages
import MessageRules
import Records
import Runner
import SystemIO

struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Show the versions of the program and its formats, for bug reports.",
    discussion: """
      Lists the versions of the formats that this program writes, and whether the libraries can be opened that some \
      commands need. 'cdpipe --version' prints only the version of the program.
      """)

  @Flag(help: "Print a JSON object.")
  var json = false

  /// The JSON form.
  private struct ProgramDescription: Encodable {
    struct Formats: Encodable {
      var store = Int(HeadLayout.version)
      var delta = Int(DeltaLayout.version)
      var manifest = Manifest.version
      var rules = Int(RulesLayout.version)
      var report = RunReport.version
    }
    struct Library: Encodable {
      var name: String
      var command: String
      var isUsable: Bool
      var isOptional: Bool?
    }

    var version = ProgramVersion.current
    var formats = Formats()
    var libraries =
      ([RuntimeLibrary.curl, .zip] + RuntimeLibrary.decompressors + [.expat, .sqlite, .uchardet]
      + RuntimeLibrary.signing).map {
        Library(
          name: $0.name, command: $0.command, isUsable: $0.isUsable, isOptional: $0.isOptional ? true : nil)
      }
  }

  func run() throws {
    let description = ProgramDescription()
    if json { return StandardOutput.print(JSONLine.text(description)) }
    StandardOutput.print("cdpipe \(description.version)")
    let formats = description.formats
    for (name, version) in [
      ("store format", formats.store), ("delta format", formats.delta), ("manifest", formats.manifest),
      ("compiled rules", formats.rules), ("report", formats.report),
    ] {
      StandardOutput.print(name.padding(to: 17) + "\(version)")
    }
    for library in description.libraries {
      let use = library.isOptional == true ? "optional for" : "needed by"
      let state = library.isUsable ? "usable" : "missing, \(use) '\(library.command)'"
      StandardOutput.print(library.name.padding(to: 17) + state)
    }
  }
}

/// A shell for which there is a completion script.
enum Shell: String, ExpressibleByArgument, CaseIterable {
  case bash, zsh, fish
}

struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions", abstract: "Print the completion script of a shell.",
    discussion: """
      With the script, the TAB key completes commands, options, their values and the names of files. Put it where the \
      shell looks for such scripts; new shells then load it.
      """)

  @Argument(help: ArgumentHelp("The shell.", valueName: "shell"))
  var shell: Shell

  func run() {
    StandardOutput.print(Self.script(for: shell))
  }

  /// The parser's script. The parser always adds its own `help` at the end, whose function would replace the one of
  /// HelpCommand, which completes names.
  private static func script(for shell: Shell) -> String {
    let lines = CDPipe.completionScript(for: CompletionShell(rawValue: shell.rawValue) ?? .bash).split(
      separator: "\n", omittingEmptySubsequences: false)
    var kept = ArraySlice(lines)
    if let start = lines.lastIndex(of: "_cdpipe_help() {"), start != lines.firstIndex(of: lines[start]),
      let end = lines[start...].firstIndex(of: "}")
    {
      kept = lines[..<start] + lines[(end + 1)...]
    }
    return kept.filter { !$0.contains("'help:Show subcommand help information.'") }.joined(separator: "\n")
  }
}
