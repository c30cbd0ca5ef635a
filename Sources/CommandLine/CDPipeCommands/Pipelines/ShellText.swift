// `cdpipe run --explain`: the shell pipeline that is equivalent to a pipeline file.

import PipeStage
import Publishing

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
    var commands = download.map { [$0.shell] } ?? []
    for (index, stage) in stages.enumerated() {
      var shell = stage.shell
      if index == 0, let path {
        shell += " " + ShellQuoting.quoted(path.hasPrefix("-") ? "./" + path : path)
      }
      commands.append(shell)
    }
    return commands.joined(separator: " \\\n  | ")
  }
}
