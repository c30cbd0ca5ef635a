// A delta carried out on a store: the base store, less the removals, with the additions, in order.
//
// Exact or not at all: a removal that is not there, an addition that stands in the way, a result with another hash
// than the delta's header names, each ends it.

public import CallDeltaReader
import CallStoreFormat
public import CallStoreReader
public import CallStoreWriter
public import PipeStage
public import SystemIO

/// Carries deltas out.
public enum DeltaApplication {
  /// Writes the store that comes of `delta` carried out on `base` into an empty file.
  ///
  /// The file's content is the result only when nothing is thrown. Failures have no stage.
  ///
  /// - Complexity: O(records of all three stores); one batch of each in memory.
  public static func apply(
    _ delta: borrowing CallDelta, at deltaPath: String, to base: borrowing CallStore, at basePath: String,
    into file: inout OutputFile
  ) throws(StageError) -> StoreSummary {
    let header = delta.header
    guard base.contentHash == header.baselineHash else {
      throw StageError(
        nil,
        DeltaError.otherBaseline(delta: deltaPath, wanted: header.baselineHash, found: base.contentHash))
    }
    var encoder = StoreEncoder()
    var merge = DeltaMerge(base, delta)
    do throws(DeltaMerge.Trouble) {
      while try merge.step(base, delta, &encoder) {
        guard encoder.isDrainDue else { continue }
        do throws(SystemError) {
          try encoder.drain { (bytes) throws(SystemError) in try file.write(bytes) }
        } catch {
          throw .system(error)
        }
      }
    } catch {
      throw error.failure(deltaPath, basePath)
    }
    let summary: StoreSummary
    do throws(StoreEncodingError) {
      summary = try encoder.finish()
    } catch {
      throw StageError(nil, DeltaError.notForStore(error))
    }
    do throws(SystemError) {
      try encoder.drain { (bytes) throws(SystemError) in try file.write(bytes) }
    } catch {
      throw StageError(nil, error)
    }
    guard summary.contentHash == header.resultHash else {
      throw StageError(
        nil,
        DeltaError.wrongResult(delta: deltaPath, wanted: header.resultHash, computed: summary.contentHash))
    }
    return summary
  }
}

/// Three walks merged.
struct DeltaMerge: ~Copyable {
  private var base: RecordWalk
  private var removals: RecordWalk
  private var additions: RecordWalk

  /// Why a merge ends early.
  enum Trouble: Error {
    case base(CallStoreError)
    case removals(CallStoreError)
    case additions(CallStoreError)
    case encoding(StoreEncodingError)
    case doesNotFit(UInt64)
    case system(SystemError)

    func failure(_ deltaPath: String, _ basePath: String) -> StageError {
      switch self {
      case .base(let error): StageError(nil, DeltaError.unreadableStore(error, path: basePath))
      case .removals(let error):
        StageError(nil, DeltaError.unreadableDelta(.removals(error), path: deltaPath))
      case .additions(let error):
        StageError(nil, DeltaError.unreadableDelta(.additions(error), path: deltaPath))
      case .encoding(.notAscending(_, let number)), .doesNotFit(let number):
        StageError(nil, DeltaError.doesNotFit(delta: deltaPath, number: number))
      case .encoding(let error): StageError(nil, DeltaError.notForStore(error))
      case .system(let error): StageError(nil, error)
      }
    }
  }

  init(_ store: borrowing CallStore, _ delta: borrowing CallDelta) {
    base = RecordWalk(store)
    removals = RecordWalk(delta.removals)
    additions = RecordWalk(delta.additions)
  }

  /// Takes one record, or drops one that is removed. Returns false behind the end.
  mutating func step(
    _ store: borrowing CallStore, _ delta: borrowing CallDelta, _ encoder: inout StoreEncoder
  ) throws(Trouble) -> Bool {
    let hasBase = try Self.has(&base, store) { .base($0) }
    let hasRemoval = try Self.has(&removals, delta.removals) { .removals($0) }
    if hasRemoval {
      guard hasBase, base.first <= removals.first else { throw .doesNotFit(removals.first) }
      if base.first == removals.first {
        guard base.last == removals.last, base.kind == removals.kind,
          store.hasSame(base.label, as: removals.label, of: delta.removals)
        else { throw .doesNotFit(removals.first) }
        base.advance()
        removals.advance()
        return true
      }
    }
    let hasAddition = try Self.has(&additions, delta.additions) { .additions($0) }
    do throws(StoreEncodingError) {
      if hasAddition, !hasBase || additions.first < base.first {
        try additions.append(from: delta.additions, to: &encoder)
        additions.advance()
      } else if hasBase {
        try base.append(from: store, to: &encoder)
        base.advance()
      } else {
        return false
      }
    } catch {
      throw .encoding(error)
    }
    return true
  }

  private static func has(
    _ walk: inout RecordWalk, _ store: borrowing CallStore, _ trouble: (CallStoreError) -> Trouble
  ) throws(Trouble) -> Bool {
    do throws(CallStoreError) {
      return try walk.hasRecord(store)
    } catch {
      throw trouble(error)
    }
  }
}
