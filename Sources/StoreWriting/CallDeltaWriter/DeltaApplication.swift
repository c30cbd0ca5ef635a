// Applies a delta to a store: the base store, minus the removals, plus the additions, in order.
//
// The result is exact, or an error is thrown: for a removal that the store does not contain, for an addition
// that overlaps a record, and for a result whose content hash is not the one in the delta's header.

package import CallDeltaReader
import CallStoreFormat
package import CallStoreReader
import Hashing
package import Records
package import SystemIO

package enum DeltaApplication {
  /// Applies `delta` to `base` and writes the resulting store to an empty file. The paths are for messages.
  ///
  /// If it throws, the content of the file is undefined.
  ///
  /// - Complexity: O(records of all three stores); one batch of each in memory.
  package static func apply(
    _ delta: borrowing CallDelta, at deltaPath: String, to base: borrowing CallStore, at basePath: String,
    into file: inout OutputFile
  ) throws(Failure) -> StoreSummary {
    let header = delta.header
    guard base.contentHash == header.baselineHash else {
      throw Failure(
        nil, .badData, "other-baseline",
        "'\(deltaPath)' applies to the store \(Hexadecimal.text(header.baselineHash)), but this one is "
          + Hexadecimal.text(base.contentHash),
        hint: "list the deltas in the order of their steps, starting from the store's content hash")
    }
    var encoder = StoreEncoder()
    var merge = DeltaMerge(delta, at: deltaPath, base, at: basePath)
    while try merge.step(base, delta, &encoder) {
      if encoder.isDrainDue { try encoder.drain(into: &file) }
    }
    let summary = encoder.finish()
    try encoder.drain(into: &file)
    guard summary.contentHash == header.resultHash else {
      throw Failure(
        nil, .badData, "wrong-result",
        "'\(deltaPath)' should result in the store \(Hexadecimal.text(header.resultHash)), but resulted in "
          + Hexadecimal.text(summary.contentHash), hint: Failure.damagedHint)
    }
    return summary
  }
}

extension StoreEncoder {
  mutating func drain(into file: inout OutputFile) throws(Failure) {
    try asFailure(nil) { () throws(SystemError) in
      try drain { (bytes) throws(SystemError) in try file.write(bytes) }
    }
  }
}

struct DeltaMerge: ~Copyable {
  private var base: RecordWalk
  private var removals: RecordWalk
  private var additions: RecordWalk
  private let deltaPath: String
  private let basePath: String

  init(
    _ delta: borrowing CallDelta, at deltaPath: String, _ store: borrowing CallStore, at basePath: String
  ) {
    base = RecordWalk(store)
    removals = RecordWalk(delta.removals)
    additions = RecordWalk(delta.additions)
    self.deltaPath = deltaPath
    self.basePath = basePath
  }

  /// Appends one record to `encoder`, or skips one that is removed. Returns false after the last record.
  mutating func step(
    _ store: borrowing CallStore, _ delta: borrowing CallDelta, _ encoder: inout StoreEncoder
  ) throws(Failure) -> Bool {
    let hasBase = try base.hasRecord(store, at: basePath)
    if try Self.hasRecord(&removals, delta.removals, CallDeltaError.removals, deltaPath) {
      guard hasBase, base.first <= removals.first else {
        throw .doesNotFit(delta: deltaPath, number: removals.first)
      }
      if base.first == removals.first {
        guard base.last == removals.last, base.kind == removals.kind,
          store.hasSame(base.label, as: removals.label, of: delta.removals)
        else { throw .doesNotFit(delta: deltaPath, number: removals.first) }
        base.advance()
        removals.advance()
        return true
      }
    }
    let hasAddition = try Self.hasRecord(
      &additions, delta.additions, CallDeltaError.additions, deltaPath)
    guard hasBase || hasAddition else { return false }
    do throws(StoreEncodingError) {
      if hasAddition, !hasBase || additions.first < base.first {
        try additions.append(from: delta.additions, to: &encoder)
        additions.advance()
      } else {
        try base.append(from: store, to: &encoder)
        base.advance()
      }
    } catch .notAscending(_, let number) {
      throw .doesNotFit(delta: deltaPath, number: number)
    } catch {
      throw error.failure(nil, row: 0)
    }
    return true
  }

  private static func hasRecord(
    _ walk: inout RecordWalk, _ store: borrowing CallStore,
    _ asDeltaError: (CallStoreError) -> CallDeltaError, _ path: String
  ) throws(Failure) -> Bool {
    do throws(CallStoreError) {
      return try walk.hasRecord(store)
    } catch {
      throw .unreadableDelta(asDeltaError(error), path: path)
    }
  }
}

extension Failure {
  fileprivate static let damagedHint = "one of the two is damaged: run 'cdpipe verify' on both"

  fileprivate static func doesNotFit(delta: String, number: UInt64) -> Failure {
    Failure(
      nil, .badData, "does-not-fit", "'\(delta)' does not fit the store at \(number)", hint: damagedHint)
  }

  package static func unreadableDelta(_ error: CallDeltaError, path: String) -> Failure {
    var errorClass = ErrorClass.badData
    if case .cannotOpen(let code) = error { errorClass = .opening(code) }
    return Failure(nil, errorClass, "unreadable-delta", error.userMessage(path: path))
  }
}

// MARK: - The full check of a delta

/// Why a delta is not valid.
package enum DeltaVerificationError: Error, Equatable, Sendable {
  case unreadable(CallDeltaError)
  case removals(StoreVerificationError)
  case additions(StoreVerificationError)

  package var errorClass: ErrorClass {
    switch self {
    case .unreadable(.cannotOpen(let code)), .removals(.unreadable(.cannotOpen(let code))),
      .additions(.unreadable(.cannotOpen(let code))):
      .opening(code)
    default: .badData
    }
  }
}

package enum DeltaVerification {
  /// Checks a delta by an open file's descriptor, and returns its header. The caller keeps the descriptor.
  @discardableResult
  package static func verify(descriptor: Int32) throws(DeltaVerificationError) -> DeltaHeader {
    let header = try throwing(DeltaVerificationError.unreadable) { () throws(CallDeltaError) in
      try DeltaHeader(descriptor: descriptor)
    }
    func verify(
      _ part: Range<Int>, _ thrown: (StoreVerificationError) -> DeltaVerificationError
    ) throws(DeltaVerificationError) {
      _ = try throwing(thrown) { () throws(StoreVerificationError) in
        try StoreVerification.verify(descriptor: descriptor, part: part)
      }
    }
    try verify(header.removals, DeltaVerificationError.removals)
    try verify(header.additions, DeltaVerificationError.additions)
    return header
  }
}

// MARK: - What is wrong with a delta

extension CallDeltaError {
  /// Describes why a delta can't be read.
  package func userMessage(path: String) -> UserMessage {
    switch self {
    case .cannotOpen(let code): CallStoreError.cannotOpen(code).userMessage(path: path)
    case .notADelta: UserMessage("'\(path)' is not a delta")
    case .unsupportedVersion(let version):
      UserMessage(
        "'\(path)' has version \(version) of the delta format, which this cdpipe does not support",
        hint: "use a newer cdpipe")
    case .wrongLength: UserMessage("'\(path)' is truncated or has extra bytes at its end", hint: emitAgain)
    case .damagedHeader:
      UserMessage("'\(path)' is damaged: the checksum of its header is wrong", hint: emitAgain)
    case .removals(let error): part("removals", .unreadable(error), path)
    case .additions(let error): part("additions", .unreadable(error), path)
    }
  }
}

extension DeltaVerificationError {
  /// Describes why a delta is not valid.
  package func userMessage(path: String) -> UserMessage {
    switch self {
    case .unreadable(let error): error.userMessage(path: path)
    case .removals(let error): part("removals", error, path)
    case .additions(let error): part("additions", error, path)
    }
  }
}

private let emitAgain = "emit or download it again"

/// Describes an error in one of a delta's two stores.
private func part(_ name: String, _ error: StoreVerificationError, _ path: String) -> UserMessage {
  let reason: String =
    switch error {
    case .unreadable(.damaged(let section)): "the checksum of \(section.phrase) is wrong"
    case .unreadable(.unsupportedVersion(let version)):
      "version \(version) of the store format is not supported"
    case .unreadable: "not a complete store"
    case .wrongContentHash: "the content hash is wrong"
    }
  return UserMessage("'\(path)' is damaged: in the store of its \(name): \(reason)", hint: emitAgain)
}
