// Counts the single numbers in which two lists differ, from the records that only one of them has.

import CallDeltaReader
import CallStoreReader
package import Records
import SystemPackage

/// The counts of single numbers in which two lists differ.
///
/// A number that both have counts only if its label differs, also when the records that contain it have other limits.
package struct NumberChanges: Codable, Equatable, Sendable {
  /// A file whose records only one of the lists has.
  package enum Part: Equatable, Sendable {
    case removals(delta: String)
    case additions(delta: String)
    case store(String)
  }

  package var added: UInt64
  /// Numbers of the old list alone.
  package var removed: UInt64
  /// Numbers of both lists whose labels differ.
  package var relabelled: UInt64

  package init(added: UInt64 = 0, removed: UInt64 = 0, relabelled: UInt64 = 0) {
    self.added = added
    self.removed = removed
    self.relabelled = relabelled
  }

  /// Counts the numbers of two sequences of records: those that only the old list has, and those that only the new one
  /// has. The records of each are disjoint and ascending over all parts.
  ///
  /// - Complexity: O(records of the parts); one batch of each sequence in memory. Ranges are not expanded.
  package init(old: [Part], new: [Part]) throws(Failure) {
    self.init()
    var old = RecordSequence(old)
    var new = RecordSequence(new)
    try old.advance()
    try new.advance()
    // The first number of each current record that has not been compared yet.
    var oldFirst = old.first
    var newFirst = new.first
    while oldFirst != .max || newFirst != .max {
      if oldFirst < newFirst {
        let end = min(old.last, newFirst &- 1)
        removed &+= end &- oldFirst &+ 1
        oldFirst = try old.front(after: end)
      } else if newFirst < oldFirst {
        let end = min(new.last, oldFirst &- 1)
        added &+= end &- newFirst &+ 1
        newFirst = try new.front(after: end)
      } else {
        let end = min(old.last, new.last)
        if !old.hasSameLabel(as: new) { relabelled &+= end &- oldFirst &+ 1 }
        oldFirst = try old.front(after: end)
        newFirst = try new.front(after: end)
      }
    }
  }
}

/// The records of several parts, one after another.
private struct RecordSequence {
  /// The parts that have not been opened yet; the next one is last.
  private var rest: [NumberChanges.Part]
  private var reader: PartReader?
  /// The first and the last number of the current record; `.max` after the last record.
  private(set) var first: UInt64 = 0
  private(set) var last: UInt64 = 0

  init(_ parts: [NumberChanges.Part]) {
    rest = parts.reversed()
  }

  mutating func advance() throws(Failure) {
    reader?.advance()
    while true {
      if let reader, try reader.hasRecord() {
        (first, last) = (reader.first, reader.last)
        return
      }
      guard let part = rest.popLast() else {
        reader = nil
        (first, last) = (.max, .max)
        return
      }
      reader = try PartReader.open(part)
    }
  }

  /// The first number after `end`, up to which this sequence has been compared.
  mutating func front(after end: UInt64) throws(Failure) -> UInt64 {
    if last > end { return end &+ 1 }
    try advance()
    return first
  }

  func hasSameLabel(as other: RecordSequence) -> Bool {
    guard let reader, let otherReader = other.reader else { return false }
    return reader.hasSameLabel(as: otherReader)
  }
}

private final class PartReader {
  private let store: CallStore
  private var walk: RecordWalk
  private let path: String

  private init(_ store: consuming CallStore, at path: String) {
    walk = RecordWalk(store)
    self.store = store
    self.path = path
  }

  static func open(_ part: NumberChanges.Part) throws(Failure) -> PartReader {
    switch part {
    case .removals(let path): return PartReader(try openStore(of: path, \.removals), at: path)
    case .additions(let path): return PartReader(try openStore(of: path, \.additions), at: path)
    case .store(let path):
      do throws(CallStoreError) {
        return PartReader(try CallStore(path: path), at: path)
      } catch {
        throw .unreadableStore(error, path: path)
      }
    }
  }

  private static func openStore(
    of path: String, _ part: KeyPath<DeltaHeader, Range<Int>>
  ) throws(Failure) -> CallStore {
    let file: FileDescriptor
    do {
      file = try FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
    } catch {
      throw .unreadableDelta(.cannotOpen((error as? Errno ?? .ioError).rawValue), path: path)
    }
    defer { try? file.close() }
    let header: DeltaHeader
    do throws(CallDeltaError) {
      header = try DeltaHeader(descriptor: file.rawValue)
    } catch {
      throw .unreadableDelta(error, path: path)
    }
    do throws(CallStoreError) {
      return try CallStore(descriptor: file.rawValue, part: header[keyPath: part])
    } catch {
      throw .unreadableStore(error, path: path)
    }
  }

  var first: UInt64 { walk.first }
  var last: UInt64 { walk.last }

  func hasRecord() throws(Failure) -> Bool { try walk.hasRecord(store, at: path) }

  func advance() { walk.advance() }

  func hasSameLabel(as other: PartReader) -> Bool {
    store.hasSame(walk.label, as: other.walk.label, of: other.store)
  }
}
