// The messages of `cdpipe init`, apart from the pipeline file that it writes (PipelineDraft).

/// Messages about a new pipeline file.
public enum InitMessages {
  /// The file exists.
  public static func exists(_ file: String) -> UserMessage {
    UserMessage("'\(file)' exists", hint: "replace it with --force, or name another file with -o FILE")
  }

  /// The country of a source's numbers is not recognised.
  public static func noRegion(_ source: String, file: String) -> UserMessage {
    UserMessage(
      "source '\(PrintableText.line(source))': the country of the numbers is not recognised",
      hint: "set 'region' in '\(file)'")
  }

  /// The file was written, and how to run it.
  public static func written(_ file: String) -> String {
    "wrote '\(file)'; run it with: \(PipelineDraft.run(file))"
  }
}
