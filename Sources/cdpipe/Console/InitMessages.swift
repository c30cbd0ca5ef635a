// The messages of `cdpipe init`, apart from the pipeline file that it writes (PipelineDraft).

import Runner
package import Records

/// Messages about a new pipeline file.
package enum InitMessages {
  /// The file exists.
  package static func exists(_ file: String) -> UserMessage {
    UserMessage("'\(file)' exists", hint: "replace it with --force, or name another file with -o FILE")
  }

  /// The country of a source's numbers is not recognised.
  package static func noRegion(_ source: String, file: String) -> UserMessage {
    UserMessage(
      "source '\(PrintableText.line(source))': the country of the numbers is not recognised",
      hint: "set 'region' in '\(file)'")
  }

  /// The file was written, and how to run it.
  package static func written(_ file: String) -> String {
    "wrote '\(file)'; run it with: \(PipelineDraft.run(file))"
  }
}
