// `cdpipe completions`

import ArgumentParser

/// A shell for which there is a completion script.
enum Shell: String, ExpressibleByArgument, CaseIterable {
  case bash, zsh, fish

  /// The parser's name of the shell.
  fileprivate var parserShell: CompletionShell {
    switch self {
    case .bash: .bash
    case .zsh: .zsh
    case .fish: .fish
    }
  }
}

struct CompletionsCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions", abstract: "Print the completion script of a shell.",
    discussion: """
      With the script, the TAB key completes commands, options, their values and the names of files. Put it where the \
      shell looks for such scripts; new shells then load it.
      """)

  static let examples = [
    Example("Try completions in this bash", "source <(cdpipe completions bash)"),
    Example(
      "Install them for bash",
      """
      dir=~/.local/share/bash-completion/completions
      mkdir -p "$dir" && cdpipe completions bash > "$dir/cdpipe"
      """),
    Example(
      "Install them for zsh, in a directory of $fpath", "cdpipe completions zsh > _cdpipe"),
    Example(
      "Install them for fish",
      """
      mkdir -p ~/.config/fish/completions
      cdpipe completions fish > ~/.config/fish/completions/cdpipe.fish
      """),
  ]

  @Argument(help: ArgumentHelp("The shell.", valueName: "shell"))
  var shell: Shell

  func run() {
    StandardOutput.print(Self.script(for: shell))
  }

  /// The parser's script. The parser always adds its own `help` at the end, whose function would replace the one of
  /// HelpCommand, which completes names.
  private static func script(for shell: Shell) -> String {
    let lines = CDPipe.completionScript(for: shell.parserShell).split(
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
