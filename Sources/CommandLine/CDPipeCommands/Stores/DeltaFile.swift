// Deltas for the commands that read stores: told from a store by their first bytes, shown, verified.

import ArgumentParser
import CallDeltaReader
import CallDeltaWriter
import CallStoreFormat
import CallStoreReader
import ContentHash
import FoundationEssentials
import SystemPackage

/// A delta file by its path.
enum DeltaFile {
  /// Whether the file at a path starts as a delta does. What can't be read is none.
  static func isDelta(_ path: String) -> Bool {
    guard
      let file = try? FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
    else { return false }
    defer { try? file.close() }
    return DeltaHeader.isDelta(descriptor: file.rawValue)
  }

  /// Checks all of the delta at a path.
  static func verify(_ path: String) throws(DeltaVerificationError) -> DeltaHeader {
    let file: FileDescriptor
    do {
      file = try FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec])
    } catch {
      throw .unreadable(.cannotOpen((error as? Errno ?? .ioError).rawValue))
    }
    defer { try? file.close() }
    return try DeltaVerification.verify(descriptor: file.rawValue)
  }
}

/// What a delta holds, as `info` shows it.
struct DeltaFacts: Encodable {
  /// Numbers of one of the two stores.
  struct Side: Encodable {
    var records: UInt64
    var entries: UInt64
  }
  var file: String
  var bytes: Int
  var from: String
  var to: String
  var step: Int
  var steps: Int
  var removals: Side
  var additions: Side

  init(_ path: String) throws(CallDeltaError) {
    let delta = try CallDelta(path: path)
    file = path
    bytes = delta.header.additions.upperBound
    from = Hexadecimal.text(delta.header.baselineHash)
    to = Hexadecimal.text(delta.header.resultHash)
    step = delta.header.step
    steps = delta.header.steps
    removals = Self.side(delta.removals)
    additions = Self.side(delta.additions)
  }

  private static func side(_ store: borrowing CallStore) -> Side {
    Side(
      records: store.recordCount(of: .blocking) + store.recordCount(of: .identification),
      entries: store.entryCount(of: .blocking) + store.entryCount(of: .identification))
  }

  static func show(_ path: String, isJSON: Bool, _ voice: Diagnostics) throws {
    let facts: DeltaFacts
    do throws(CallDeltaError) {
      facts = try DeltaFacts(path)
    } catch {
      throw voice.end(DeltaMessages.sentence(error, path), DeltaMessages.status(error))
    }
    guard !isJSON else {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return print(String(decoding: try encoder.encode(facts), as: UTF8.self))
    }
    func line(_ name: String, _ value: String) { print(name.padding(to: 16) + value) }
    func side(_ side: Side) -> String {
      "\(Figures.grouped(side.records)) records, \(Figures.grouped(side.entries)) entries"
    }
    line("delta", path)
    line("from", facts.from)
    line("to", facts.to)
    line("step", "\(facts.step) of \(facts.steps)")
    line("size", "\(Figures.grouped(UInt64(facts.bytes))) bytes")
    line("removals", side(facts.removals))
    line("additions", side(facts.additions))
  }
}
