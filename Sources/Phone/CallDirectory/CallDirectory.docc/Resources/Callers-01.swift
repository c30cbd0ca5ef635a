import CallDirectory

/// The callers that the app's extensions know.
final class Callers: Sendable {
  private let lookup: CallerLookup

  init(folders: [String]) throws(CallDirectoryError) {
    lookup = try CallerLookup(folders.map { ExtensionFiles(folder: $0) })
  }
}
