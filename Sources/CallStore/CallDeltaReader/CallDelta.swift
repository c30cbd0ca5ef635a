// An open delta file: the store that it changes, the store that results, and the records to remove and to add.
//
// Not for: applying it to a store file (CallDeltaWriter). An extension walks the two stores with StoreCursor and passes
// the removals and then the additions to the system.

// The stores of a delta are read like any other: one import is enough.
@_exported public import CallStoreReader

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Why a delta can't be read. It carries data; the caller writes the message.
public enum CallDeltaError: Error, Equatable, Sendable {
  /// The file can't be opened or read; the value is the `errno`.
  case cannotOpen(Int32)
  /// The file does not start like a delta.
  case notADelta
  /// The file has a version of the format that this reader does not support.
  case unsupportedVersion(Int)
  /// The file starts like a delta, but is truncated or has extra bytes at its end.
  case wrongLength
  /// The header's checksum is wrong, or its fields contradict each other.
  case damagedHeader
  /// The store of the removals can't be read.
  case removals(CallStoreError)
  /// The store of the additions can't be read.
  case additions(CallStoreError)
}

/// The header of a delta.
public struct DeltaHeader: Equatable, Sendable {
  /// The content hash of the store that the delta changes, 32 bytes.
  public var baselineHash: [UInt8]
  /// The content hash of the store that results, 32 bytes.
  public var resultHash: [UInt8]
  /// The number of this step between two emitted stores, from 1.
  public var step: Int
  /// The number of steps between the two stores.
  public var steps: Int
  /// The size of the store of removals in bytes.
  public var removalsLength: Int
  /// The size of the store of additions in bytes.
  public var additionsLength: Int

  /// Makes a header. The hashes have 32 bytes each.
  public init(
    baselineHash: [UInt8], resultHash: [UInt8], step: Int, steps: Int, removalsLength: Int,
    additionsLength: Int
  ) {
    self.baselineHash = baselineHash
    self.resultHash = resultHash
    self.step = step
    self.steps = steps
    self.removalsLength = removalsLength
    self.additionsLength = additionsLength
  }

  /// The removals' bytes in the file.
  public var removals: Range<Int> { DeltaLayout.bytes..<(DeltaLayout.bytes + removalsLength) }
  /// The additions' bytes in the file.
  public var additions: Range<Int> { removals.upperBound..<(removals.upperBound + additionsLength) }
}

/// A delta. Its two stores are mapped, and read and checked like any `CallStore`.
///
///     let delta = try CallDelta(path: "0003-….cddelta")
///     if delta.header.baselineHash == store.contentHash {
///       var cursor = StoreCursor(delta.removals)
///       while try cursor.nextEntries(of: delta.removals, into: &batch) { show(batch.firsts[0], batch.count) }
///     }
///
/// Several threads may use a delta at a time.
public struct CallDelta: ~Copyable, Sendable {
  /// The delta's header.
  public let header: DeltaHeader
  /// The records of the baseline that are not in the result.
  public let removals: CallStore
  /// The records of the result that are not in the baseline.
  public let additions: CallStore

  /// Opens the file at a path.
  ///
  /// - Complexity: O(blocks + bytes of the label tables).
  public init(path: String) throws(CallDeltaError) {
    var descriptor: Int32
    // Only regular files are accepted. Without O_NONBLOCK, opening a pipe would wait for a writer.
    repeat {
      descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else { throw .cannotOpen(errno) }
    defer { close(descriptor) }
    try self.init(descriptor: descriptor)
  }

  /// Opens a delta by an open file's descriptor. The caller keeps the descriptor and may close it.
  public init(descriptor: Int32) throws(CallDeltaError) {
    let read = try DeltaHeader(descriptor: descriptor)
    let removed = try Self.store(descriptor, read.removals) { .removals($0) }
    let added = try Self.store(descriptor, read.additions) { .additions($0) }
    header = read
    removals = removed
    additions = added
  }

  private static func store(
    _ descriptor: Int32, _ part: Range<Int>, _ failure: (CallStoreError) -> CallDeltaError
  ) throws(CallDeltaError) -> CallStore {
    do throws(CallStoreError) {
      return try CallStore(descriptor: descriptor, part: part)
    } catch {
      throw failure(error)
    }
  }
}
