// A delta file, opened: which store it changes, which store comes of it, and the records to remove and to add.
//
// Not for: carrying it out on a store file (CallDeltaWriter). An extension walks the two stores with StoreCursor and
// hands the removals and then the additions to the system.

public import CallStoreReader

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Why a delta can't be read. It carries data; whoever shows it makes the sentence.
public enum CallDeltaError: Error, Equatable, Sendable {
  /// The file can't be opened or read; the value is the `errno`.
  case cannotOpen(Int32)
  /// The file does not start as a delta does.
  case notADelta
  /// A version of the format that this reader does not know.
  case unsupportedVersion(Int)
  /// The file starts as a delta does and lacks its end, or has something behind it.
  case wrongLength
  /// The header's checksum fails, or what it guards contradicts itself.
  case damagedHeader
  /// The store of the removals can't be read.
  case removals(CallStoreError)
  /// The store of the additions can't be read.
  case additions(CallStoreError)
}

/// What the header of a delta says.
public struct DeltaHeader: Equatable, Sendable {
  /// The content hash of the store that the delta changes, 32 bytes.
  public var baselineHash: [UInt8]
  /// The content hash of the store that comes of it, 32 bytes.
  public var resultHash: [UInt8]
  /// Which step on the way from one emitted store to the next this is, from 1.
  public var step: Int
  /// How many steps there are.
  public var steps: Int
  /// The size of the store of removals in bytes.
  public var removalsLength: Int
  /// The size of the store of additions in bytes.
  public var additionsLength: Int

  /// Makes a header.
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

/// A delta, its two stores mapped and not read, as ``CallStore`` says.
///
///     let delta = try CallDelta(path: "0003-….cddelta")
///     guard delta.header.baselineHash == store.contentHash else { return loadAll() }
///     var cursor = StoreCursor(delta.removals)
///
/// A delta belongs to one thread at a time.
public struct CallDelta: ~Copyable {
  /// What the header says.
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
    // Nothing but a regular file is taken; without O_NONBLOCK a pipe would be waited for until somebody opens its other end.
    repeat {
      descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else { throw .cannotOpen(errno) }
    defer { close(descriptor) }
    try self.init(descriptor: descriptor)
  }

  /// Opens the file that a descriptor names. The descriptor stays the caller's and may be closed.
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
