// The files that an extension loads, in a folder that it shares with its app: their content hashes, what of them is
// loaded, and why they can't be. The app reads the manifest and puts each extension's files into one folder.

// Errors carry those of the files that failed: one import is enough.
@_exported public import CallDeltaReader
import CallStoreFormat
public import CallStoreReader

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
  /// The path of the user's ``OwnList``; nil for none. Numbers that it allows are left out. If it changes, an extension
  /// whose numbers it concerns loads its store again.
  public var ownList: String?
  /// The maximum number of entries that a request adds. The following requests add the rest.
  public var additionsMax = Self.additionsMax

  /// Whether the numbers to load are those that the own list blocks, without a store.
  private(set) var blocksOwnList = false

  /// The files of the extension that blocks the numbers of a user's own list, and nothing else.
  ///
  /// - Parameters:
  ///   - ownList: the path of the list. Without a file, nothing is blocked.
  ///   - record: the path of the record, in a folder that the extension can write to.
  public init(blocking ownList: String, record: String) {
    self.init(store: ownList, record: record)
    self.ownList = ownList
    blocksOwnList = true
  }

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

extension ExtensionFiles {
  /// Reads the files' hashes. A bootstrap store that can't be read or is too large for one request counts as missing,
  /// because the store contains all of its entries.
  func hashes() throws(CallDirectoryError) -> ExtensionFileHashes {
    let own = try own()
    if blocksOwnList {
      var hashes = ExtensionFileHashes(store: own.blocked.hash, bootstrap: nil, deltas: [])
      hashes.own = own
      return hashes
    }
    guard deltas.count <= Self.deltasMax else { throw .tooManyDeltas(limit: Self.deltasMax) }
    var numbers = NumberBounds()
    var ends: [DeltaEnds] = []
    for path in deltas {
      let delta = try Self.delta(path)
      ends.append(DeltaEnds(from: delta.header.baselineHash, to: delta.header.resultHash))
      numbers.add(delta.additions)
    }
    let first = bootstrap.flatMap { bootstrapHash($0) }
    let opened = try Self.store(store)
    numbers.add(opened)
    var hashes = ExtensionFileHashes(store: opened.contentHash, bootstrap: first, deltas: ends)
    hashes.own = own
    // A rule for other numbers does not cost this extension a load.
    if let range = numbers.range { hashes.allowed = own.allowed.overlapping(range).tag }
    return hashes
  }

  /// The user's own list; an empty one if there is none.
  func own() throws(CallDirectoryError) -> OwnList {
    guard let ownList else { return OwnList() }
    do throws(OwnListError) {
      return try OwnList(path: ownList)
    } catch {
      guard case .file(let code) = error else { throw .store(.notAStore, path: ownList) }
      throw .store(.cannotOpen(code), path: ownList)
    }
  }

  private func bootstrapHash(_ path: String) -> [UInt8]? {
    guard let opened = try? CallStore(path: path), opened.entryCount <= UInt64(clamping: additionsMax) else {
      return nil
    }
    return opened.contentHash
  }

  static func store(_ path: String) throws(CallDirectoryError) -> CallStore {
    do throws(CallStoreError) { return try CallStore(path: path) } catch { throw .store(error, path: path) }
  }

  static func delta(_ path: String) throws(CallDirectoryError) -> CallDelta {
    do throws(CallDeltaError) { return try CallDelta(path: path) } catch { throw .delta(error, path: path) }
  }
}

/// The lowest and the highest number of several stores.
private struct NumberBounds {
  private(set) var range: ClosedRange<UInt64>?

  mutating func add(_ store: borrowing CallStore) {
    guard let first = store.firstNumber, let last = store.lastNumber, first <= last else { return }
    range = min(first, range?.lowerBound ?? first)...max(last, range?.upperBound ?? last)
  }
}

extension CallStore {
  /// The count of single numbers of both kinds, as iOS counts them.
  var entryCount: UInt64 { entryCount(of: .blocking) &+ entryCount(of: .identification) }
}

/// The progress of loading an extension's files.
public struct LoadProgress: Equatable, Sendable {
  /// The step that the next request will load, if iOS accepts it.
  public var next: LoadStep
  /// The count of entries that the remaining requests will add.
  public var entriesToCome: UInt64
  /// Whether everything is loaded.
  public var isComplete: Bool { next == .nothing }

  /// Creates a progress.
  public init(next: LoadStep, entriesToCome: UInt64) {
    self.next = next
    self.entriesToCome = entriesToCome
  }
}

/// A reload that the app has requested: see ``ExtensionFiles/beginReload()``.
public struct ExtensionReload: Sendable {
  fileprivate let journal: LoadJournal
  fileprivate let former: UInt64?

  /// Records the result that iOS reported to the app: whether the reload ended with an error. This way the result is
  /// known even if the extension's process ended before it received it.
  ///
  /// A reload that iOS did not start (unknown extension, disabled, already loading) changed nothing and need not be
  /// reported. After a reported failure, the next load starts from scratch.
  public func ended(failed: Bool) {
    // If a process ends before it writes anything, the record is still that of the previous request, although iOS has
    // removed its entries because the load failed.
    guard let last = journal.lastIfReadable, failed || last.request != former else { return }
    journal.recordAppReport(of: last.request, isLoaded: !failed)
  }
}

extension ExtensionFiles {
  /// Prepares for a reload that the app is about to request.
  ///
  ///     let reload = files.beginReload()
  ///     manager.reloadExtension(withIdentifier: identifier) { error in reload.ended(failed: error != nil) }
  public func beginReload() -> ExtensionReload {
    let journal = LoadJournal(self)
    return ExtensionReload(journal: journal, former: journal.lastIfReadable?.request)
  }

  /// The progress according to the journal. iOS may have removed everything since, for example because the user
  /// disabled the extension; the next request detects that.
  ///
  /// - Complexity: O(deltas); no record is read.
  public func progress() throws(CallDirectoryError) -> LoadProgress {
    let hashes = try hashes()
    let last = try LoadJournal(self).last()
    let next = LoadPlan.next(hashes, loaded: last?.trusted(without: hashes.allowed) ?? .unknown)
    var toCome: UInt64 = 0
    var deltaAt: Int? = nil
    switch next {
    case .nothing: return LoadProgress(next: next, entriesToCome: 0)
    case .bootstrap:
      toCome = try Self.store(bootstrap ?? "").entryCount &+ Self.store(store).entryCount
    case .store(let after):
      let whole = blocksOwnList ? hashes.own.blocked.count : try Self.store(store).entryCount
      let done = after == nil ? 0 : last?.added ?? 0
      toCome = whole &- min(done, whole)
    case .delta(let place, let after):
      let whole = try Self.delta(deltas[place]).additions.entryCount
      let done = after == nil ? 0 : last?.added ?? 0
      toCome = whole &- min(done, whole)
      deltaAt = place + 1
    }
    // After the store, the deltas that start from it are loaded.
    let rest = deltaAt ?? hashes.deltas.lastIndex { $0.from == hashes.store } ?? hashes.deltas.count
    for place in rest..<max(rest, hashes.deltas.count) {
      toCome = toCome &+ (try Self.delta(deltas[place]).additions.entryCount)
    }
    return LoadProgress(next: next, entriesToCome: toCome)
  }
}

/// Why an extension's files can't be loaded.
public enum CallDirectoryError: Error, Equatable, Sendable {
  /// A store can't be read or is damaged; also for the user's own list, see ``OwnList/init(path:)``.
  case store(CallStoreError, path: String)
  /// A delta can't be read or is damaged.
  case delta(CallDeltaError, path: String)
  /// There are more deltas than ``ExtensionFiles/deltasMax``.
  case tooManyDeltas(limit: Int)
  /// A file was replaced while it was being read. The next request uses the new file.
  case replaced(path: String)
  /// The record of what is loaded can't be changed, or may not be read: the value is the `errno`. Loading anyway would
  /// leave a wrong record, or remove entries that are loaded.
  case record(Int32, path: String)
  /// Two stores of a lookup have overlapping ranges of numbers.
  case overlap(String, String)

  /// The file that is there and may not be read, with the `errno`; nil for another error. On iOS, protected files can't
  /// be read before the first unlock: what they contain is unknown, not lost.
  package var deniedFile: (code: Int32, path: String)? {
    switch self {
    case .record(let code, let path), .store(.cannotOpen(let code), let path),
      .delta(.cannotOpen(let code), let path):
      FileProtection.isDenial(code) ? (code, path) : nil
    default: nil
    }
  }
}

/// The error of a load that did not finish.
public struct FeedError: Error, Equatable, Sendable {
  /// The cause of the failure.
  public var cause: CallDirectoryError
  /// Whether entries had been added or removed. If not, the entries loaded before may be kept: see
  /// ``ExtensionFiles/mayKeep(_:)``.
  public var hasChanged: Bool

  /// Creates an error.
  public init(_ cause: CallDirectoryError, hasChanged: Bool) {
    self.cause = cause
    self.hasChanged = hasChanged
  }
}
