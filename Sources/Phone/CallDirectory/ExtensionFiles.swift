// The files that an extension loads, in a folder that it shares with its app.
//
// Not for choosing the file that the next request loads (LoadPlan), or for the manifest: the app reads the manifest and
// puts each extension's files into one folder.

import CallDeltaReader

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The files of an extension, and the record of what iOS has loaded of them.
///
///     let files = ExtensionFiles(folder: container.path + "/0001")
///     let fed = try files.feed(request)          // removals first, then additions, ascending
///     request.end { expired in fed.ended(expired: expired) }
///
/// The files may be replaced at any time and in any order, by renaming. Every combination of old and new files is
/// loaded correctly; at worst, loading starts from scratch.
public struct ExtensionFiles: Sendable, Equatable {
  /// The maximum number of entries that a request may add: iOS rejects 2,000,000 (found in its builds and measured by
  /// others).
  public static let additionsMax = 1_999_999
  /// The maximum number of deltas of an extension: as many as `cdpipe emit` writes for a shard.
  public static let deltasMax = DeltaLimits.stepsMax

  /// The name of the store in a folder.
  public static let storeName = "numbers.cdstore"
  /// The name of the bootstrap store.
  public static let bootstrapName = "bootstrap.cdstore"
  /// The name of the record.
  public static let recordName = "loaded.cdrecord"
  /// The name of a delta. Steps are counted from 1.
  public static func deltaName(_ step: Int) -> String { "\(step).cddelta" }

  /// The path of the store.
  public var store: String
  /// The paths of deltas, in the order of their steps. Either they start from the store, and their result is the wanted
  /// state; or the store is their result, and they update phones that have loaded the previous store. Other deltas are
  /// ignored.
  public var deltas: [String]
  /// The path of a small store that is loaded first on a phone without entries, so that some numbers are recognised
  /// within a second.
  public var bootstrap: String?
  /// The path of the record, in a folder that the extension can write to.
  public var record: String
  /// The maximum number of entries that a request adds. The following requests add the rest.
  public var additionsMax = Self.additionsMax

  /// Creates a value from the paths of the files.
  public init(store: String, deltas: [String] = [], bootstrap: String? = nil, record: String) {
    self.store = store
    self.deltas = deltas
    self.bootstrap = bootstrap
    self.record = record
  }

  /// Finds the files of a folder by their names: `numbers.cdstore`, `bootstrap.cdstore`, `1.cddelta`, `2.cddelta` … up
  /// to the first that is missing, and `loaded.cdrecord`.
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
