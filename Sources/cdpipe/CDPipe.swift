// The root command, and how the program starts and ends.

import ArgumentParser
import DirectorySimulation
import Records
import Runner
import SystemIO
import SystemPackage

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
      The stages are filters, joined by pipes: download, unzip, parse, normalize, sort, dedupe, emit. 'cdpipe run \
      FILE.yaml' runs the same stages in one process.
      """,
    version: ProgramVersion.current,
    groupedSubcommands: [
      CommandGroup(
        name: StageRow.Group.stages.rawValue, subcommands: StageTable.commands(.stages)),
      CommandGroup(
        name: StageRow.Group.sets.rawValue,
        subcommands: StageTable.commands(.sets) + [DiffCommand.self]),
      CommandGroup(name: "Parts of lists", subcommands: [SampleCommand.self, SplitCommand.self]),
      CommandGroup(
        name: "Pipelines",
        subcommands: [
          ConvertCommand.self, PreviewCommand.self, InitCommand.self, RunCommand.self, RollbackCommand.self,
          HistoryCommand.self,
          KeysCommand.self, BenchCommand.self,
        ]),
      CommandGroup(name: "Numbers", subcommands: [AnnotateCommand.self, NumberCommand.self]),
      CommandGroup(name: "Messages", subcommands: [ClassifyCommand.self, RulesCommand.self]),
      CommandGroup(
        name: "Stores",
        subcommands: [
          InfoCommand.self, StatsCommand.self, CatCommand.self, LookupCommand.self, VerifyCommand.self,
          ApplyCommand.self,
        ]),
      CommandGroup(name: "The phone", subcommands: [SimulateCommand.self, ScaffoldCommand.self]),
      CommandGroup(
        name: "Help", subcommands: [HelpCommand.self, CompletionsCommand.self, VersionCommand.self]),
    ])

  @Flag(name: .customShort("V"), help: "Show the version, like --version.")
  var version = false

  func validate() throws {
    if version { throw CleanExit.message(ProgramVersion.current) }
  }
}

/// The program's entry point.
package enum CommandLineTool {
  /// Runs the command that was typed and ends the process with its status.
  package static func main() -> Never {
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
    if unsafe setlocale(LC_CTYPE, "C.UTF-8") == nil {
      // The name of the same on Apple's systems.
      _ = unsafe setlocale(LC_CTYPE, "UTF-8")
    }
    let typed = CommandPath(CommandLine.arguments.dropFirst())
    Diagnostics.set { $0.command = typed.name }
    checkArguments()
    do {
      try run(typed)
    } catch {
      end(error, typed)
    }
    endWithOutput(status: 0)
  }

  private static func run(_ typed: CommandPath) throws {
    if let word = typed.unknownWord {
      let known = typed.descendants.map(\.fullName)
      throw Failure.usage(
        CommandText.unknown(word, of: typed.fullName, known: known, isFile: SymbolicLink.exists(word)))
    }
    guard var command = try typed.parse() else {
      let includeHidden = typed.rest.contains("--help-hidden")
      return StandardOutput.print(HelpText(typed, includeHidden: includeHidden).text)
    }
    if !typed.isGroup { return try command.run() }
    if typed.names.isEmpty { return StandardOutput.print(HelpText(typed).text) }
    let known = typed.subcommands.compactMap(\.names.last)
    throw Failure.usage(CommandText.missingSubcommand(known: known))
  }

  /// Rejects arguments that are not UTF-8: they would be parsed as different text. On Linux, Swift reads them from a
  /// file in /proc, and has none, not even the program's name, if that fails.
  private static func checkArguments() {
    guard CommandLine.argc > 0 else {
      let message = CommandText.unreadableArguments(isProcMounted: FileKind(of: "/proc/self") != .none)
      exit(Diagnostics.typed.end(message, ExitStatus.of(.inputOutput)).rawValue)
    }
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let argument = unsafe CommandLine.unsafeArgv[index],
        unsafe String(validatingCString: argument) == nil
      else { continue }
      let shown = PrintableText.line(unsafe String(cString: argument))
      let message = UserMessage("'\(shown)' is not UTF-8", hint: "write texts and file names in UTF-8")
      exit(Diagnostics.typed.end(message, ExitStatus.usage).rawValue)
    }
  }

  /// Flushes standard output and ends the process. Output that could not be written is an error.
  private static func endWithOutput(status: Int32) -> Never {
    let flushed = fflush(nil)
    let code = Errno(rawValue: errno)
    if flushed != 0, code != .brokenPipe {
      let failed = Diagnostics.typed.end(Failure(nil, SystemError(.writeOutput, "-", code)))
      Diagnostics.logEnd(failed.rawValue)
      exit(failed.rawValue)
    }
    Diagnostics.logEnd(status)
    exit(status)
  }

  private static func end(_ error: any Error, _ typed: CommandPath) -> Never {
    if let code = error as? ExitCode { endWithOutput(status: code.rawValue) }
    if let failure = error as? Failure { endWithOutput(status: Diagnostics.typed.end(failure).rawValue) }
    let code = ArgumentProblem.isUsageError(error) ? ExitStatus.usage : CDPipe.exitCode(for: error)
    if code == .success {
      // The version, a completion script or the values for one were requested.
      print(CDPipe.fullMessage(for: error))
      endWithOutput(status: 0)
    }
    _ = Diagnostics.typed.end(typed.message(for: error), code)
    exit(code.rawValue)
  }
}
