// `cdpipe run --explain`: the shell script that is equivalent to a pipeline file.

import Records
import Runner
import SystemIO

extension PipelineBuilder {
  /// The equivalent shell script, with comments on what a shell can't do.
  var shell: String {
    var text = commands
    let copied = sources.filter(\.usesLastGood).map { "'\($0.name)'" }
    if !copied.isEmpty {
      let names = PrintableText.line(copied.joined(separator: ", "))
      text += "# A shell can't use the last good copy of a source: \(names).\n"
    }
    if let publish {
      let staging = PublishedFolder(publish.directory).staging
      text += "# A shell can't check '\(staging)' and make it the current version in one step.\n"
    }
    return text
  }

  /// The commands of the script. A command can't know whether the ones before it succeed, so the records are written to
  /// a temporary file: if any of these commands fails, the script ends before an output is replaced.
  var commands: String {
    var pipe = sources.count == 1 ? sources[0].shell(indent: "") : "{\n\(heads)}"
    for stage in shared { pipe += " \\\n  | " + stage.shell }
    let emits = emits.map { "\($0.shell) \"$temp/records\"\n" }.joined()
    return """
      set -eo pipefail
      temp=$(mktemp -d)
      trap 'rm -r "$temp"' EXIT
      \(pipe) >"$temp/records"
      \(emits)
      """
  }

  /// The commands of several sources, one after another. If none is required, at least one must be usable.
  private var heads: String {
    let needsOne = !sources.contains { $0.isRequired }
    var text = ""
    for source in sources {
      text +=
        source.isRequired
        ? "  \(source.shell(indent: "  "))\n" : source.optionalShell(isCounted: needsOne)
    }
    return text + (needsOne ? "  [ \"$used\" ] || exit \"$status\"\n" : "")
  }
}

extension PipelineBuilder.SourceInvocation {
  /// The commands of the source as they would be typed; all lines but the first are indented.
  fileprivate func shell(indent: String) -> String {
    var commands = download.map { [$0.value.shell] } ?? []
    var stages = stages.map { (shell: $0.shell, readsBytes: $0.options.input == .bytes) }
    if paths.count == 1 {
      stages[0].shell += " " + Self.argument(paths[0])
    } else if paths.count > 1 {
      // Each file has its own format and header, so each is read by commands of its own.
      let ofFile = stages.prefix { $0.readsBytes }
      stages.removeFirst(ofFile.count)
      commands.append(Self.loop(ofFile.map(\.shell), over: paths, indent))
    }
    commands += stages.map(\.shell)
    return commands.joined(separator: " \\\n\(indent)  | ")
  }

  /// The commands of a source that is not required: if one fails, none of the source's records are used. A counted
  /// source sets `used` or `status`.
  fileprivate func optionalShell(isCounted: Bool) -> String {
    let message = "source \(ShellQuoting.quoted(name)) 'is left out: it is not required'"
    return [
      "if \(shell(indent: "  ")) >\"$temp/source\"; then", "  cat \"$temp/source\"",
      isCounted ? "  used=yes" : nil, "else", isCounted ? "  status=$?" : nil, "  echo \(message) >&2", "fi",
    ].compactMap { $0 }.map { "  \($0)\n" }.joined()
  }

  /// A file as the argument of a command.
  private static func argument(_ path: String) -> String {
    ShellQuoting.quoted(path.hasPrefix("-") && path != InputFile.standardInput ? "./" + path : path)
  }

  /// The commands that each file goes through, one file after another. The first failure ends the loop.
  private static func loop(_ commands: [String], over paths: [String], _ indent: String) -> String {
    var commands = commands
    commands[0] += " \"$file\""
    let files = paths.map { " \\\n\(indent)    " + argument($0) }.joined()
    let body = "\(indent)    \(commands.joined(separator: " | ")) || exit"
    return "for file in\(files); do\n\(body)\n\(indent)  done"
  }
}
