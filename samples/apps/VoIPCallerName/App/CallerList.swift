// The file with the callers' names that the app ships or downloads, and its state.

import CallStoreReader
import Foundation

/// The state of the list of callers.
nonisolated enum CallerListState: Equatable, Sendable {
  /// The list is in use: how many numbers have a name, and when the file was written.
  case loaded(names: UInt64, written: Date?)
  /// The file does not exist.
  case missing
  /// The file can't be read.
  case damaged
}

/// The store with the callers' names.
nonisolated struct CallerList: Sendable {
  /// The name of the file in the app's bundle.
  static let fileName = "Callers.cdstore"

  /// The store's path.
  let path: String
  /// The country of numbers without a calling code, as two letters.
  let region: String

  /// The store in a bundle, for the country that the user has set.
  static func bundled(in bundle: Bundle = .main) -> CallerList {
    let folder = bundle.resourceURL ?? bundle.bundleURL
    return CallerList(
      path: folder.appendingPathComponent(fileName).path, region: Locale.current.region?.identifier ?? "US")
  }

  /// Opens the store, which needs less than a millisecond.
  func load() -> (callers: CallerDirectory?, state: CallerListState) {
    guard FileManager.default.fileExists(atPath: path) else { return (nil, .missing) }
    guard let callers = try? CallerDirectory(stores: [path], region: region),
      let store = try? CallStore(path: path)
    else { return (nil, .damaged) }
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (
      callers,
      .loaded(
        names: store.entryCounts.identification, written: attributes?[.modificationDate] as? Date)
    )
  }
}
