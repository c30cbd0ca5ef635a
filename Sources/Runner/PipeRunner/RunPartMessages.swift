// Messages about the parts of a run.

package import Records

/// Messages about the parts of a run.
package enum RunPartMessages {
  /// A source that the pipeline file does not have.
  package static func unknownSource(_ name: String, in file: String, names: [String]) -> UserMessage {
    let shown = names.prefix(10).map { PrintableText.line($0) }.joined(separator: ", ")
    return UserMessage(
      "'\(PrintableText.line(file))' has no source '\(PrintableText.line(name))'",
      hint: "use one of its sources: \(shown)\(names.count > 10 ? ", …" : "")")
  }

  /// A part on standard output, without a name for the file of its conflicts.
  package static let unnamedPart = UserMessage(
    "the pipeline writes conflicts, whose file is named like the part",
    hint: "name the part with --output FILE")

  /// The accounts do not have a source of the pipeline file.
  package static func missingSource(_ name: String, _ accounts: String, file: String) -> UserMessage {
    let name = PrintableText.line(name)
    return UserMessage(
      "'\(PrintableText.line(accounts))' has no counts of the source '\(name)'",
      hint:
        "read it with 'cdpipe run \(ShellQuoting.quoted(file)) --only-source \(ShellQuoting.quoted(name)) --until "
        + "sort', and merge the reports of all tasks")
  }

  /// The accounts are those of another pipeline.
  package static func otherPipeline(_ accounts: String, _ name: String, expected: String) -> UserMessage {
    UserMessage(
      "'\(PrintableText.line(accounts))' is the report of the pipeline '\(PrintableText.line(name))', not of "
        + "'\(PrintableText.line(expected))'")
  }

  /// A required source that its task could not use.
  package static func unusedSource(_ name: String, _ accounts: String, _ reason: String) -> UserMessage {
    UserMessage(
      "the source '\(PrintableText.line(name))' is required, and its task could not use it: "
        + PrintableText.line(reason))
  }

  /// The stages of a source in the accounts are not those of the pipeline file.
  package static func otherStages(_ accounts: String, source: String) -> UserMessage {
    UserMessage(
      "'\(PrintableText.line(accounts))' is the report of another pipeline: the stages of the source "
        + "'\(PrintableText.line(source))' are different")
  }

  /// The accounts do not have the counts of the last stage of the tasks.
  package static func missingStage(_ stage: StageName, _ accounts: String) -> UserMessage {
    UserMessage(
      "'\(PrintableText.line(accounts))' has no counts of \(stage.rawValue)",
      hint: "merge the reports of all tasks that ended with it")
  }

  /// A source that is not required, and that its task could not use.
  package static func leftOut(_ name: String, _ reason: String) -> String {
    "cdpipe run: source '\(PrintableText.line(name))' is left out: \(PrintableText.line(reason))"
  }

  /// A task failed.
  package static func failedTask(_ accounts: String, _ reason: String) -> UserMessage {
    UserMessage(
      "'\(PrintableText.line(accounts))' has the report of a failed task: \(PrintableText.line(reason))",
      hint: "repeat that task, and merge the reports again")
  }

  /// No task could use its source.
  package static func noSource(_ accounts: String) -> UserMessage {
    UserMessage("no source could be used: '\(PrintableText.line(accounts))' has no counts")
  }

  /// A file that is not a plan of slices.
  package static func notAPlan(_ path: String) -> UserMessage {
    UserMessage(
      "'\(PrintableText.line(path))' is not a plan of slices",
      hint: "write one with 'cdpipe run FILE.yaml --only-source NAME --plan-slices 256MiB -o plan.json'")
  }

  /// A plan of the slices of another source.
  package static func otherSource(_ path: String, _ name: String, expected: String) -> UserMessage {
    UserMessage(
      "'\(PrintableText.line(path))' is the plan of the source '\(PrintableText.line(name))', not of "
        + "'\(PrintableText.line(expected))'")
  }

  /// A slice that a plan does not have.
  package static func noSuchSlice(_ number: Int, _ path: String, count: Int) -> UserMessage {
    UserMessage(
      "'\(PrintableText.line(path))' has no slice \(number)",
      hint: count == 1 ? "it has only slice 1" : "choose 1 to \(count)")
  }

  /// The reports of some slices of a source are missing.
  package static func missingSlices(_ source: String, read: Int, of count: Int) -> UserMessage {
    UserMessage(
      "the reports have \(read) of the \(count) slices of the source '\(PrintableText.line(source))'",
      hint: "merge the reports of all tasks")
  }

  /// A slice of a source that was read twice, or together with the whole source.
  package static func repeatedSource(_ source: String, _ path: String) -> UserMessage {
    UserMessage(
      "'\(PrintableText.line(path))' has counts of the source '\(PrintableText.line(source))' that another report "
        + "has, too",
      hint: "merge the report of each task once")
  }

  /// A slice that was not planned with the others.
  package static func differentPlans(_ source: String, _ path: String) -> UserMessage {
    UserMessage(
      "'\(PrintableText.line(path))' has a slice of the source '\(PrintableText.line(source))' of another plan than "
        + "the earlier reports",
      hint: "read all slices of one plan, and merge their reports")
  }

  /// A file that is not a report.
  package static func notAReport(_ path: String) -> UserMessage {
    UserMessage(
      "'\(PrintableText.line(path))' is not a report of 'cdpipe run'",
      hint: "write one with 'cdpipe run --report FILE.json'")
  }

  /// A report that was written by a newer version.
  package static func newerReport(_ path: String, version: Int) -> UserMessage {
    UserMessage(
      "'\(PrintableText.line(path))' is a report in version \(version) of the format, which is newer than this program",
      hint: "use the same version of cdpipe everywhere")
  }

  /// A report of a whole run among those to be merged.
  package static func completeRun(_ path: String) -> UserMessage {
    UserMessage(
      "'\(PrintableText.line(path))' is the report of a complete run",
      hint: "merge the reports of runs with --until")
  }

  /// Reports of different pipelines.
  package static func differentPipelines(_ one: String, _ other: String, _ path: String) -> UserMessage {
    UserMessage(
      "'\(PrintableText.line(path))' is the report of the pipeline '\(PrintableText.line(other))', and those before it "
        + "are of '\(PrintableText.line(one))'")
  }
}
