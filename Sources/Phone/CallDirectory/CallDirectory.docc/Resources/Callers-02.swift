import CallDirectory

/// The callers that the app's extensions know.
final class Callers: Sendable {
  private let lookup: CallerLookup

  init(folders: [String]) throws(CallDirectoryError) {
    lookup = try CallerLookup(folders.map { ExtensionFiles(folder: $0) })
  }

  /// The name to show, or nil for a caller that is not known.
  func name(of number: UInt64) -> String? {
    guard let caller = try? lookup.caller(number), !caller.label.isEmpty else { return nil }
    return caller.label
  }

  /// Whether to decline a call.
  func isBlocked(_ number: UInt64) -> Bool {
    (try? lookup.caller(number))?.isBlocked ?? false
  }
}
