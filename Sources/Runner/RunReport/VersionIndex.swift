// What happened to a published folder, as `cdpipe-report` reads it for an index page.

/// The history of a published folder.
package struct VersionIndex: Codable, Equatable, Sendable {
  /// The value that distinguishes an index from a report.
  package static let format = "cdpipe-index"
  /// The version of the format.
  package static let version = 1

  package var format = Self.format
  package var version = Self.version
  /// The program's version.
  package var cdpipe = ""
  /// The folder's path, as it was typed.
  package var directory = ""
  /// When the index was written, in UTC to the second.
  package var written = ""
  /// Why the last run failed; nil if it did not, or is unknown.
  package var failure: RunReport.RunError?
  /// What happened, oldest first.
  package var events: [RunReport.Event] = []

  /// Creates an empty index.
  package init() {}
}
