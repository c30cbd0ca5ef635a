// One store on its way to its file: encoded, written, verified, put in place.

import CallRecord
import CallStoreFormat
import CallStoreReader
import CallStoreWriter
import PipeStage
import SystemIO
import SystemPackage

/// A store that is being written.
struct StoreFile: ~Copyable {
  private var encoder: StoreEncoder
  private var file: OutputFile

  init(_ path: String, calls: any SystemCalls) throws(PipeFailure) {
    file = try asPipeFailure(.emit) { () throws(SystemFailure) in try OutputFile(path, calls: calls) }
    encoder = StoreEncoder()
  }

  mutating func append(
    first: UInt64, last: UInt64, kind: StoreKind, label: Span<UInt8>, row: UInt64
  ) throws(PipeFailure) {
    do throws(StoreEncodingError) {
      try encoder.append(first: first, last: last, kind: kind, label: label)
    } catch {
      throw PipeFailure(.emit, EmitFailure.notForStore(error, row: row))
    }
    if encoder.isDrainDue { try drain() }
  }

  /// Ends the store, and reads it back to verify it.
  mutating func seal() throws(PipeFailure) -> StoreSummary {
    let summary: StoreSummary
    do throws(StoreEncodingError) {
      summary = try encoder.finish()
    } catch {
      throw PipeFailure(.emit, EmitFailure.notForStore(error, row: 0))
    }
    try drain()
    guard file.path != OutputFile.standardOutput else { return summary }
    do throws(StoreVerificationError) {
      try StoreVerification.verify(descriptor: file.descriptor.rawValue)
    } catch .unreadable(.cannotOpen(_)) {
      // A device or a pipe can't be read back.
    } catch {
      throw PipeFailure(.emit, EmitFailure.notSound(error, path: file.path))
    }
    return summary
  }

  /// Puts a sealed store in place, under a name that was not known at the beginning, if given.
  consuming func publish(as name: String? = nil) throws(PipeFailure) {
    do throws(SystemFailure) {
      try file.publish(as: name)
    } catch {
      throw PipeFailure(.emit, error)
    }
  }

  private mutating func drain() throws(PipeFailure) {
    try Self.drain(&encoder, into: &file)
  }

  private static func drain(_ encoder: inout StoreEncoder, into file: inout OutputFile) throws(PipeFailure) {
    do throws(SystemFailure) {
      try encoder.drain { (bytes) throws(SystemFailure) in try file.write(bytes) }
    } catch {
      throw PipeFailure(.emit, error)
    }
  }
}

/// What a batch's annotations are in a store: a label without escapes, and a kind.
struct StoreLabels: ~Copyable {
  private let globs: [LabelGlob]
  /// For each annotation of the batch: its kind, and its label if that had escapes.
  private var kinds: [StoreKind] = []
  private var unescaped: [[UInt8]?] = []
  /// The kinds that are known already, for labels that come again and again.
  private var known: [String: StoreKind] = [:]
  /// So many are remembered at the most.
  private static let knownMax = 4096

  init(_ globs: [String]) {
    self.globs = globs.map(LabelGlob.init)
  }

  /// Looks at a batch's annotations.
  mutating func look(at table: borrowing AnnotationTable) {
    kinds.removeAll(keepingCapacity: true)
    unescaped.removeAll(keepingCapacity: true)
    for index in 0..<table.count {
      let annotation = table[index]
      let count = Annotation.labelLength(annotation)
      var isEscaped = false
      for at in 0..<count where annotation[at] == UInt8(ascii: "\\") { isEscaped = true }
      if count == 0 {
        kinds.append(.blocking)
        unescaped.append(nil)
      } else if !isEscaped, globs.isEmpty {
        kinds.append(.identification)
        unescaped.append(nil)
      } else {
        let label = Annotation.fields(annotation).label
        kinds.append(kind(of: label))
        unescaped.append(isEscaped ? Array(label.utf8) : nil)
      }
    }
  }

  private mutating func kind(of label: String) -> StoreKind {
    if let kind = known[label] { return kind }
    let kind: StoreKind = globs.contains { $0.fits(label) } ? .blocking : .identification
    if known.count < Self.knownMax { known[label] = kind }
    return kind
  }

  /// Appends a record whose annotation stands at `index` in the table that was looked at.
  borrowing func append(
    first: UInt64, last: UInt64, _ table: borrowing AnnotationTable, _ index: Int, row: UInt64,
    to store: inout StoreFile
  ) throws(PipeFailure) {
    if let label = unescaped[index] {
      try store.append(first: first, last: last, kind: kinds[index], label: label.span, row: row)
    } else {
      let annotation = table[index]
      let label = annotation.extracting(0..<Annotation.labelLength(annotation))
      try store.append(first: first, last: last, kind: kinds[index], label: label, row: row)
    }
  }
}
