// The root command, and how the program starts and ends.

import ArgumentParser
import DirectorySimulation
import PipeStage
import SystemIO
import SystemPackage
import UserMessages

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

struct CDPipe: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cdpipe",
    abstract: "Turn phone-number lists into data for an iPhone's Call Directory extension.",
    discussion: """
      The stages are filters, joined by pipes:

        cdpipe download URL | cdpipe unzip | cdpipe parse \\
          | cdpipe normalize --region CN | cdpipe sort | cdpipe dedupe \\
          | cdpipe emit -o numbers.cdstore

      'cdpipe run FILE.yaml' runs the same stages in one process.
      """,
    version: ProgramVersion.current,
    groupedSubcommands: [
      CommandGroup(
        name: StageRow.Group.stages.rawValue, subcommands: StageTable.commands(.stages)),
      CommandGroup(
        name: StageRow.Group.sets.rawValue,
        subcommands: StageTable.commands(.sets) + [DiffCommand.self]),
      CommandGroup(
        name: "Pipelines", subcommands: [RunCommand.self, RollbackCommand.self, BenchCommand.self]),
      CommandGroup(name: "Numbers", subcommands: [NumberCommand.self]),
      CommandGroup(name: "Messages", subcommands: [ClassifyCommand.self, RulesCommand.self]),
      CommandGroup(
        name: "Stores",
        subcommands: [
          InfoCommand.self, CatCommand.self, LookupCommand.self, VerifyCommand.self, ApplyCommand.self,
        ]),
      CommandGroup(name: "The phone", subcommands: [SimulateCommand.self, ScaffoldCommand.self]),
    ])
}

/// The program's entry point.
public enum CommandLineTool {
  /// Runs the command that was typed and ends the process with its status.
  public static func main() -> Never {
    StandardDescriptors.reserve()
    #if os(Linux)
      // `simulate --memory-limit` starts this program again, as an extension.
      if LoadingExtension.runIfRequested() { exit(0) }
    #endif
    ProcessMemory.returnLargeBlocks()
    // A closed pipe is a write error and must not end the process.
    _ = signal(SIGPIPE, SIG_IGN)
    // The same applies to the limit on file sizes (`ulimit -f`): writing fails with EFBIG, and partial files are
    // removed.
    _ = signal(SIGXFSZ, SIG_IGN)
    // In --entry, `?` matches one character, not one byte. Nothing else here depends on the locale.
    _ = unsafe setlocale(LC_CTYPE, "C.UTF-8")
    checkArguments()
    do {
      var command = try typedAlone() ?? CDPipe.parseAsRoot()
      try command.run()
    } catch {
      end(error)
    }
    endWithOutput(status: 0)
  }

  /// Parses the subcommand without the root command, which has no options and costs a fifth of the instructions of a
  /// start. Returns nil for errors and requests for help: the root command reports those with the full command name.
  private static func typedAlone() -> (any ParsableCommand)? {
    let typed = CommandLine.arguments.dropFirst()
    guard let name = typed.first,
      let command = CDPipe.configuration.subcommands.first(where: { $0.configuration.commandName == name }),
      command.configuration.subcommands.isEmpty
    else { return nil }
    let parsed = try? command.parseAsRoot(Array(typed.dropFirst()))
    // Help is a command, too.
    return parsed.flatMap { type(of: $0) == command ? $0 : nil }
  }

  /// Rejects arguments that are not UTF-8: they would be parsed as different text. On Linux, Swift reads them from a
  /// file, and has none, not even the program's name, if that fails.
  private static func checkArguments() {
    guard CommandLine.argc > 0 else {
      exit(
        Diagnostics(command: "").end(
          UserMessage(
            "cannot read the arguments of this process", hint: "allow more open files with 'ulimit -n NUMBER'"
          ),
          ExitStatus.of(.inputOutput)
        ).rawValue)
    }
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let typed = unsafe CommandLine.unsafeArgv[index],
        unsafe String(validatingCString: typed) == nil
      else { continue }
      let shown = PrintableText.line(unsafe String(cString: typed))
      exit(
        Diagnostics(command: typedCommand().name).end(
          UserMessage("'\(shown)' is not UTF-8", hint: "write texts and file names in UTF-8"),
          ExitStatus.usage
        ).rawValue)
    }
  }

  /// Flushes standard output and ends the process. Output that could not be written is an error.
  private static func endWithOutput(status: Int32) -> Never {
    let flushed = fflush(nil)
    let code = Errno(rawValue: errno)
    if flushed != 0, code != .brokenPipe {
      exit(
        Diagnostics(command: typedCommand().name).end(StageError(nil, SystemError(.writeOutput, "-", code)))
          .rawValue)
    }
    exit(status)
  }

  private static func end(_ error: any Error) -> Never {
    if let code = error as? ExitCode { endWithOutput(status: code.rawValue) }
    let code = CDPipe.exitCode(for: error)
    if code == .success {
      // Help or the version was requested.
      print(CDPipe.fullMessage(for: error))
      endWithOutput(status: 0)
    }
    let (name, help) = typedCommand()
    let message = CDPipe.message(for: error)
    _ = Diagnostics(command: name).end(UserMessage(message, hint: "see '\(help) --help'"), code)
    exit(code.rawValue)
  }

  /// Returns the subcommand that was typed and its name for `--help`; `cdpipe` if it does not exist.
  private static func typedCommand() -> (name: String, help: String) {
    let names = CDPipe.configuration.subcommands.compactMap { $0.configuration.commandName }
    guard CommandLine.arguments.count > 1, names.contains(CommandLine.arguments[1]) else {
      return ("", "cdpipe")
    }
    return (CommandLine.arguments[1], "cdpipe \(CommandLine.arguments[1])")
  }
}
