// What a path names that a reading command accepts: one file, a directory of shards, or one for Live Caller
// ID Lookup.

import BasicContainers
import CallManifest
package import CallStoreFormat
import CallStoreReader
package import Records
package import SystemIO
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A list as a user names it.
///
/// A directory can be named by its own path, its manifest, its published folder, or a link to one of these.
/// Links are resolved once, so that all files are of one version, even if another one is published meanwhile.
package enum ListInput: Sendable {
  /// A store or another file; `-` is standard input. It may be missing.
  case file(String)
  case shards(ShardFolder)
  /// A Live Caller ID Lookup directory, the output of `cdpipe emit --format pir`.
  case lookup(CallerIDFolder)

  /// Finds out what a path names. The manifest of a directory is read; stores are not opened.
  package init(
    _ path: String, calls: any SystemCalls = KernelCalls(), _ use: ShardUse = .input
  ) throws(Failure) {
    guard path != InputFile.standardInput else {
      self = .file(path)
      return
    }
    switch try Self.kind(of: FilePath(path), calls) {
    case .directory:
      guard try Self.kind(of: FilePath(path).appending(Manifest.fileName), calls) == .regular else {
        throw try Self.missingManifest(in: path, calls, use)
      }
      self = try Self.list(path, calls, use)
    case .regular where try Self.isManifest(path, calls):
      self = try Self.list(path, calls, use)
    case .none:
      if let error = try Self.brokenLink(path, calls) { throw error }
      self = .file(path)
    case .regular, .other:
      self = .file(path)
    }
  }

  package static func directory(
    _ path: String, calls: any SystemCalls = KernelCalls(), _ use: ShardUse = .input
  ) throws(Failure) -> ShardFolder {
    switch try ListInput(path, calls: calls, use) {
    case .shards(let directory): return directory
    case .lookup: throw .notShards(path: path)
    case .file:
      // A missing file is reported as such.
      _ = try asShards(use) { () throws(SystemError) in try InputFile(path, calls: calls, waits: false) }
      throw .notShards(path: path)
    }
  }

  /// The paths of the files that reading the list may open: the file itself, or the manifest and all files that it
  /// names.
  package var paths: [String] {
    switch self {
    case .file(let path): [path]
    case .shards(let directory): [directory.manifestPath] + directory.files.map(\.path)
    case .lookup(let directory): directory.names.map { directory.file($0) }
    }
  }

  /// Whether a directory was replaced by another one since it was found.
  var isReplaced: Bool {
    switch self {
    case .file: false
    case .shards(let directory): directory.isReplaced
    case .lookup(let directory): directory.isReplaced
    }
  }

  /// Whether a directory was replaced, or its name leads to another one by now.
  func isReplaced(at name: String) -> Bool {
    let manifest: String
    switch self {
    case .file: return false
    case .shards(let directory): manifest = directory.manifestPath
    case .lookup(let directory): manifest = directory.manifestPath
    }
    guard let location = try? ManifestLocation(name, calls: KernelCalls()) else { return isReplaced }
    return location.path != manifest || isReplaced
  }

  /// The paths of the stores to read, in the order of their numbers. Those of a directory are checked against its
  /// manifest by their headers; a file is not opened. Throws for a Live Caller ID Lookup directory, which has none.
  package func storePaths() throws(Failure) -> [String] {
    switch self {
    case .file(let path): [path]
    case .shards(let directory): try directory.checkHeaders()
    case .lookup(let directory): throw .notShards(path: directory.manifestPath)
    }
  }

  /// The directory of a manifest, or of its own path.
  private static func list(
    _ path: String, _ calls: any SystemCalls, _ use: ShardUse
  ) throws(Failure) -> ListInput {
    let (location, head) = try asShards(use) { () throws(SystemError) in
      let location = try ManifestLocation(path, calls: calls)
      return (
        location, try InputFile.bytes(of: location.path, limit: CallerIDManifest.bytesMax, calls: calls)
      )
    }
    guard CallerIDManifest.isOne(head) else { return .shards(try ShardFolder(path, calls: calls, use)) }
    do throws(Failure) {
      return .lookup(try CallerIDFolder(manifestAt: location.path, calls: calls))
    } catch {
      throw error.ofShards
    }
  }

  /// The kind of file at a path. An error of the machine is not a missing file.
  private static func kind(of path: FilePath, _ calls: any SystemCalls) throws(Failure) -> FileKind {
    try asShards { () throws(SystemError) in try FileKind(checking: path, calls: calls) }
  }

  // MARK: What is missing

  /// The number of stores or directories that a message names.
  private static let namedListsMax = 3

  /// Why a directory can't be read.
  private static func missingManifest(
    in path: String, _ calls: any SystemCalls, _ use: ShardUse
  ) throws(Failure) -> Failure {
    let directory = FilePath(path)
    let current = directory.appending(PublishedNames.current)
    // The manifest of a published folder is a link through `current`.
    if let error = try brokenLink(current.string, calls) { return error }
    if try kind(of: directory.appending(PublishedNames.versions), calls) == .directory,
      try kind(of: current, calls) == .none
    {
      return .notPublished(directory: path, use)
    }
    if let error = try brokenLink(directory.appending(Manifest.fileName).string, calls) { return error }
    return try asShards(use) { () throws(SystemError) in
      let stores = try Directory.names(path, calls: calls) { $0.hasSuffix(".cdstore") }
      func paths(_ names: [String]) -> [String] {
        names.prefix(namedListsMax).map { directory.appending($0).string }
      }
      guard stores.isEmpty else { return .storesOnly(directory: path, stores: paths(stores), use) }
      let lists = try Directory.names(path, calls: calls) {
        FileKind(of: directory.appending($0).appending(Manifest.fileName), calls: calls) == .regular
      }
      guard lists.isEmpty else { return .directoriesOnly(directory: path, directories: paths(lists), use) }
      return .noManifest(directory: path, use)
    }
  }

  /// The error for a link whose destination is missing; nil for any other path.
  private static func brokenLink(_ path: String, _ calls: any SystemCalls) throws(Failure) -> Failure? {
    try asShards { () throws(SystemError) in
      guard let destination = try SymbolicLink.read(path, calls: calls),
        try FileKind(checking: FilePath(path), calls: calls) == .none
      else { return nil }
      return .brokenLink(path: path, destination: destination)
    }
  }

  /// The number of bytes that a manifest's format is searched in. `cdpipe emit` sorts the keys, and only the countries
  /// come before it.
  private static let headBytes = 64 << 10

  /// Whether a regular file is a manifest, by its name or its first bytes. Other JSON files may be lists.
  private static func isManifest(_ path: String, _ calls: any SystemCalls) throws(Failure) -> Bool {
    if FilePath(path).lastComponent?.string == Manifest.fileName { return true }
    let head = try asShards { () throws(SystemError) in
      try InputFile.bytes(of: path, limit: headBytes, calls: calls)
    }
    guard head.first == UInt8(ascii: "{") else { return false }
    let formats = [Manifest.format, CallerIDManifest.format].map { Array("\"\($0)\"".utf8) }
    return head.indices.contains { index in
      head[index] == UInt8(ascii: "\"") && formats.contains { head[index...].starts(with: $0) }
    }
  }
}

// Looks up numbers in stores and in directories, whose files are opened when a number needs them.

/// Looks up numbers in lists. Stores stay open between lookups.
package final class ListLookup {
  /// The maximum number of stores that are open at a time: those of an app with 50 extensions. Each one needs up to
  /// 200 KiB, and 8 bytes per block.
  package static let openStoresMax = 64
  /// The number of lookups after which the memory of the pages that were read is released.
  private static let lookupsPerRelease: UInt64 = 4096
  /// The same for batches of records.
  private static let batchesPerRelease = 64

  /// A number that was found in a list.
  package struct Match: Equatable, Sendable {
    /// The list's name, as the user typed it.
    package var list: String
    /// What a phone does with the number.
    package var kind: StoreKind
    package var first: UInt64
    package var last: UInt64
    package var label: String
  }

  /// An open store, and when it was last used.
  private final class OpenStore {
    let store: CallStore
    var lastUse: UInt64 = 0

    init(_ store: consuming CallStore) {
      self.store = store
    }
  }

  /// The maximum number of attempts to look up a number in a directory that others replace meanwhile.
  private static let attemptsMax = 100
  /// Waits a millisecond for a directory that is not there in the moment between two of its states.
  var pause: () -> Void = { usleep(1_000) }

  private var lists: [(name: String, input: ListInput)]
  private var stores: [String: OpenStore] = [:]
  /// The number of lookups in stores so far.
  private var lookups: UInt64 = 0

  /// Opens lists by the paths of their stores, which may be others than their names. The stores of a directory are opened
  /// later.
  package init(
    _ paths: [String], names: [String]? = nil, calls: any SystemCalls = KernelCalls()
  ) throws(Failure) {
    var lists: [(name: String, input: ListInput)] = []
    for (name, path) in zip(names ?? paths, paths) {
      lists.append((name, try ListInput(path, calls: calls)))
    }
    self.lists = lists
    for list in lists {
      if case .file(let path) = list.input { _ = try store(at: path) }
    }
  }

  /// The names of the lists, as the user typed them.
  package var names: [String] { lists.map(\.name) }

  package var openStores: Int { stores.count }

  /// The records that contain a number, in the order of their lists: at most one of each list.
  ///
  /// - Complexity: O(log shards + log blocks) for each list, once the store is open; O(rows of a shard) for a Live Caller
  ///   ID Lookup directory.
  package func matches(of number: UInt64) throws(Failure) -> [Match] {
    var matches: [Match] = []
    for index in lists.indices {
      if let match = try match(number, inList: index) { matches.append(match) }
    }
    return matches
  }

  /// The record of one list. If a directory was replaced, it is opened again: the record is of one of its states.
  private func match(_ number: UInt64, inList index: Int) throws(Failure) -> Match? {
    var attempts = 1
    while true {
      do throws(Failure) {
        let (name, input) = lists[index]
        switch input {
        case .file(let path): return try match(number, name, path, in: store(at: path))
        case .shards(let directory):
          guard let shard = directory.manifest.shardIndex(of: number) else { return nil }
          let store = directory.shards[shard].store
          return try match(number, name, store.path, in: self.store(of: store))
        case .lookup(let directory): return try Self.match(number, name, in: directory)
        }
      } catch {
        guard opensAgain(index, &attempts) else { throw error }
      }
    }
  }

  /// Opens a directory again after an error, if it was replaced. Returns false if the error remains.
  private func opensAgain(_ index: Int, _ attempts: inout Int) -> Bool {
    guard attempts < Self.attemptsMax, lists[index].input.isReplaced else { return false }
    attempts += 1
    if !reopen(index) { pause() }
    return true
  }

  /// Opens the directories again that were replaced, or whose links lead to other ones by now. A directory that can't be
  /// opened stays as it is.
  package func refresh() {
    for (index, list) in lists.enumerated() where list.input.isReplaced(at: list.name) { reopen(index) }
  }

  /// Opens a directory again; returns false if there is none.
  @discardableResult
  private func reopen(_ index: Int) -> Bool {
    guard let input = try? ListInput(lists[index].name) else { return false }
    if case .file = input { return false }
    for path in lists[index].input.paths { stores[path] = nil }
    lists[index].input = input
    return true
  }

  private func match(
    _ number: UInt64, _ name: String, _ path: String, in opened: OpenStore
  ) throws(Failure) -> Match? {
    countLookup(in: opened)
    return try readingStore(path) { () throws(CallStoreError) -> Match? in
      guard let record = try opened.store.record(of: number) else { return nil }
      return Match(
        list: name, kind: record.kind, first: record.first, last: record.last,
        label: opened.store.text(of: record.label))
    }
  }

  // MARK: Ranges

  /// Passes on the records that overlap some ranges, which ascend and are disjoint: one list after another, and ascending
  /// in each list. With each record comes its first number in the ranges.
  ///
  /// If a directory is replaced after some of its records were passed on, that is an error.
  ///
  /// - Complexity: O(log blocks + records of a block) for each range with records, and O(records that are passed on), once
  ///   the stores are open; O(rows) for a Live Caller ID Lookup directory.
  package func forEachMatch(
    in ranges: [ClosedRange<UInt64>], _ receive: (UInt64, Match) throws(Failure) -> Void
  ) throws(Failure) {
    for index in lists.indices {
      var attempts = 1
      var isBegun = false
      while true {
        do throws(Failure) {
          try forEachMatch(in: ranges, inList: index) { (number, match) throws(Failure) in
            isBegun = true
            try receive(number, match)
          }
          break
        } catch {
          guard !isBegun, opensAgain(index, &attempts) else { throw error }
        }
      }
    }
  }

  private func forEachMatch(
    in ranges: [ClosedRange<UInt64>], inList index: Int,
    _ receive: (UInt64, Match) throws(Failure) -> Void
  ) throws(Failure) {
    let (name, input) = lists[index]
    switch input {
    case .file(let path): try forEachMatch(in: ranges, name, path, in: store(at: path), receive)
    case .shards(let directory):
      for store in directory.shards.map(\.store) {
        guard let first = store.description.first, let last = store.description.last,
          ranges.contains(where: { $0.lowerBound <= last && first <= $0.upperBound })
        else { continue }
        let opened = try throwing({ directory.explained($0) }) { () throws(Failure) in
          try self.store(of: store)
        }
        try forEachMatch(in: ranges, name, store.path, in: opened, receive)
      }
    case .lookup(let directory):
      var records = CallerIDRecords(directory, name: name)
      var batch = RecordBatch()
      while try records.next(&batch) {
        for row in 0..<batch.count {
          let number = batch.firsts[row]
          guard ranges.contains(where: { $0.contains(number) }) else { continue }
          let label = RecordFields.fields(batch[fieldsAt: row]).label
          let kind: StoreKind = records.areBlocked[row] ? .blocking : .identification
          try receive(number, Match(list: name, kind: kind, first: number, last: number, label: label))
        }
        batch.removeAll()
      }
    }
  }

  private func forEachMatch(
    in ranges: [ClosedRange<UInt64>], _ name: String, _ path: String, in opened: OpenStore,
    _ receive: (UInt64, Match) throws(Failure) -> Void
  ) throws(Failure) {
    countLookup(in: opened)
    var batch = StoreBatch()
    var batches = 0
    // The start of the first record after those that were read.
    var next: UInt64 = 0
    for range in ranges where range.upperBound >= next {
      let start = max(range.lowerBound, next)
      next = .max
      var cursor = StoreCursor(opened.store, near: start)
      records: while true {
        let hasMore = try readingStore(path) { () throws(CallStoreError) in
          try cursor.nextRecords(of: opened.store, into: &batch)
        }
        guard hasMore else { break }
        for index in 0..<batch.count where batch.lasts[index] >= start {
          let first = batch.firsts[index]
          guard first <= range.upperBound else {
            next = first
            break records
          }
          let match = Match(
            list: name, kind: batch.kinds[index], first: first, last: batch.lasts[index],
            label: opened.store.text(of: batch.labels[index]))
          try receive(max(first, range.lowerBound), match)
        }
        batches += 1
        if batches.isMultiple(of: Self.batchesPerRelease) { opened.store.releasePages() }
      }
    }
  }

  private static func match(
    _ number: UInt64, _ name: String, in directory: CallerIDFolder
  ) throws(Failure) -> Match? {
    guard let record = try directory.record(of: number) else { return nil }
    return Match(
      list: name, kind: record.isBlocked ? .blocking : .identification, first: number, last: number,
      label: record.label)
  }

  // MARK: Open stores

  private func countLookup(in opened: OpenStore) {
    lookups += 1
    opened.lastUse = lookups
    if lookups.isMultiple(of: Self.lookupsPerRelease) {
      for opened in stores.values { opened.store.releasePages() }
    }
  }

  private func store(at path: String) throws(Failure) -> OpenStore {
    if let known = stores[path] { return known }
    return add(
      OpenStore(try readingStore(path) { () throws(CallStoreError) in try CallStore(path: path) }), path)
  }

  private func store(of shard: ManifestStore) throws(Failure) -> OpenStore {
    if let known = stores[shard.path] { return known }
    return add(OpenStore(try shard.open()), shard.path)
  }

  /// Keeps a store open, and closes the one that was not used for the longest time if there are too many.
  private func add(_ opened: OpenStore, _ path: String) -> OpenStore {
    if stores.count >= Self.openStoresMax,
      let oldest = stores.min(by: { $0.value.lastUse < $1.value.lastUse })?.key
    {
      stores[oldest] = nil
    }
    opened.lastUse = lookups
    stores[path] = opened
    return opened
  }
}
