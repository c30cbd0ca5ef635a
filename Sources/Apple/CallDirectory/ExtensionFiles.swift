// What one extension is to load: its files in a folder that it shares with its app.
//
// Not for: which of them the next request loads (LoadPlan), or the manifest, which is the app's business: the app puts
// one extension's files into one folder, and the extension looks no further.

import CallDeltaReader

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The files of one extension, and the record of how much of them iOS has.
///
///     let files = ExtensionFiles(folder: container.path + "/0001")
///     let fed = try files.feed(request)          // removals first, then additions, ascending
///     request.complete()                          // and then, when iOS has said how it ended:
///     fed.ended(expired: false)
///
/// The files may be replaced at any time, in any order, by renaming: whatever mixture a request finds is loaded rightly,
/// at the worst from the start.
public struct ExtensionFiles: Sendable, Equatable {
  /// The most entries that one request may add: iOS refuses 2,000,000 (seen in its builds, and measured by others).
  public static let additionsMax = 1_999_999
  /// The most deltas of an extension: as many as one emitted store can lead to.
  public static let deltasMax = DeltaLimits.stepsMax

  /// The store's name in a folder.
  public static let storeName = "numbers.cdstore"
  /// The name of the bootstrap store.
  public static let bootstrapName = "bootstrap.cdstore"
  /// The record's name.
  public static let recordName = "loaded.cdrecord"
  /// The name of a delta, counted from 1.
  public static func deltaName(_ step: Int) -> String { "\(step).cddelta" }

  /// The path of the store.
  public var store: String
  /// The paths of deltas, in the order of their steps. Either the first one changes the store, and what comes of the
  /// last is wanted; or the store is what comes of the last, and the deltas are for those who have the former one.
  /// Deltas of which neither is true are not looked at.
  public var deltas: [String]
  /// The path of a small store that is loaded first when nothing is, so that something is recognised within a second.
  public var bootstrap: String?
  /// The path of the record, in a folder that the extension may write to.
  public var record: String
  /// The most entries that a request adds. What is more comes with the next requests.
  public var additionsMax = Self.additionsMax

  /// Names the files one by one.
  public init(store: String, deltas: [String] = [], bootstrap: String? = nil, record: String) {
    self.store = store
    self.deltas = deltas
    self.bootstrap = bootstrap
    self.record = record
  }

  /// Finds the files of a folder by their names: `numbers.cdstore`, `bootstrap.cdstore` and `1.cddelta`, `2.cddelta` …
  /// as far as there are any, `loaded.cdrecord`.
  public init(folder: String) {
    let place = folder.utf8.last == UInt8(ascii: "/") ? folder : folder + "/"
    store = place + Self.storeName
    record = place + Self.recordName
    let first = place + Self.bootstrapName
    bootstrap = Self.exists(first) ? first : nil
    deltas = []
    while deltas.count < Self.deltasMax, Self.exists(place + Self.deltaName(deltas.count + 1)) {
      deltas.append(place + Self.deltaName(deltas.count + 1))
    }
  }

  private static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }
}
