// `cdpipe run --explain`: the shell pipeline that is equivalent to a pipeline file.

import PipeStage
import Publishing
import SystemIO

extension PipelineBuilder {
  /// The equivalent shell pipeline, with a comment on what a shell can't do.
  var shell: String {
    guard let publish else { return commands }
    let staging = PublishedFolder(publish.directory).staging
    return commands + "# A shell can't check '\(staging)' and make it the current version in one step.\n"
  }

  /// The commands of the shell pipeline.
  var commands: String {
    let heads = sources.map(\.shell)
    // A failed source must fail the pipeline. A shell detects that only if the next source is not started.
    var text = heads.count == 1 ? heads[0] : "{ " + heads.joined(separator: " && ") + "; }"
    for stage in shared { text += " \\\n  | " + stage.shell }
    for emit in emits.dropLast() { text += " \\\n  | tee >(\(emit.shell))" }
    return "set -o pipefail\n" + text + " \\\n  | " + emits[emits.count - 1].shell + "\n"
  }
}

extension PipelineBuilder.SourceInvocation {
  /// The commands of the source as they would be typed.
  fileprivate var shell: String {
    var commands = download.map { [$0.value.shell] } ?? []
    var stages = stages.map { (shell: $0.shell, readsBytes: $0.options.input == .bytes) }
    if paths.count == 1 {
      stages[0].shell += " " + Self.argument(paths[0])
    } else if paths.count > 1 {
      // Each file has its own format and header, so each is read by commands of its own.
      let ofFile = stages.prefix { $0.readsBytes }
      stages.removeFirst(ofFile.count)
      commands.append(Self.loop(ofFile.map(\.shell), over: paths))
    }
    commands += stages.map(\.shell)
    return commands.joined(separator: " \\\n  | ")
  }

  /// A file as the argument of a command.
  private static func argument(_ path: String) -> String {
    ShellQuoting.quoted(path.hasPrefix("-") && path != InputFile.standardInput ? "./" + path : path)
  }

  /// The commands that each file goes through, one file after another. The first failure ends the loop.
  private static func loop(_ commands: [String], over paths: [String]) -> String {
    var commands = commands
    commands[0] += " \"$file\""
    let files = paths.map { " \\\n    " + argument($0) }.joined()
    return "for file in\(files); do\n    \(commands.joined(separator: " | ")) || exit\n  done"
  }
}
