// Reads the rows of one shard, or of a run that was merged from several, in the order of numbers.

package import BasicContainers
package import Records
import Synchronization
package import SystemIO

package enum RowSource {
  case shard(path: String)
  case run(RunFile, Range<Int64>)
}

/// A temporary file of runs: rows in the order of numbers.
package final class RunFile {
  /// The bytes that are collected before they are written.
  private static let flushBytes = 256 << 10

  private(set) var file: TemporaryFile
  private var pending: [UInt8] = []

  init(_ calls: any SystemCalls) throws(SystemError) {
    file = try TemporaryFile(in: TemporaryFile.defaultDirectory, calls: calls)
  }

  func append(_ bytes: Span<UInt8>) throws(SystemError) {
    pending.append(copying: bytes)
    if pending.count >= Self.flushBytes { try flush() }
  }

  /// Writes what was added, and returns the size.
  @discardableResult
  func flush() throws(SystemError) -> Int64 {
    var bytes: [UInt8] = []
    swap(&bytes, &pending)
    try file.append(bytes.span)
    bytes.removeAll(keepingCapacity: true)
    swap(&bytes, &pending)
    return file.size
  }
}

/// Reads rows in one buffer. Call `advance` before reading the first row.
///
/// A shard's file is open only while bytes are read, because more shards are read at a time than files may be open.
package struct KeywordRows: ~Copyable {
  /// The size of a buffer in bytes. It grows if a row is longer.
  private static let bufferBytes = 16 << 10

  package let use: CallerIDUse
  private let source: RowSource
  private let calls: any SystemCalls
  private var chunk = ByteChunk(capacity: 0)
  /// The index of the next row in the chunk.
  private var at = 0
  private var chunkOffset: Int64
  /// The value of the current row. In most lists, many numbers have the same.
  private var value: [UInt8] = []

  private var row = 0..<0
  /// The current row's number; `.max` after the last row.
  package private(set) var number: UInt64 = 0
  package private(set) var isBlocked = false
  /// The caller's name in the current row, as record fields; empty if there is none.
  package private(set) var label: [UInt8] = []

  /// Prepares reading. Nothing is opened.
  package init(_ use: CallerIDUse, _ source: RowSource, calls: any SystemCalls) {
    self.use = use
    self.source = source
    self.calls = calls
    if case .run(_, let range) = source { chunkOffset = range.lowerBound } else { chunkOffset = 0 }
  }

  private var isRun: Bool {
    if case .run = source { true } else { false }
  }

  package var offset: UInt64 { UInt64(chunkOffset) + UInt64(row.lowerBound) }
  /// Whether the current row fills a shard that has no other.
  package var isPadding: Bool { PaddingRows.isPadding(number) && !isBlocked && label.isEmpty }
  /// The length of the current row's value.
  package var valueBytes: Int { value.count }

  package mutating func advance() throws(Failure) {
    while true {
      let found: (keyword: Range<Int>, value: Range<Int>, end: Int)?
      do throws(KeywordRowError) {
        found = try KeywordRow.read(chunk.span, from: at)
      } catch {
        throw rowError("not a row of a keyword database", at: at)
      }
      if let found {
        row = at..<found.end
        at = found.end
        return try accept(keyword: found.keyword, value: found.value)
      }
      if try fill() { continue }
      guard at == chunk.count else { throw rowError("the file ends within a row", at: at) }
      row = at..<at
      number = .max
      return
    }
  }

  func copyRow(to file: RunFile) throws(SystemError) { try file.append(chunk.span.extracting(row)) }

  private mutating func accept(
    keyword: Range<Int>, value found: Range<Int>
  ) throws(Failure) {
    guard let number = Keyword.number(chunk.span.extracting(keyword)) else {
      throw rowError("a keyword is not '+' and an E.164 number", at: row.lowerBound)
    }
    // Two shards may have the same number, which is found when all are merged.
    guard number > self.number || number == self.number && isRun else {
      throw rowError(
        "\(number) comes after \(self.number): the rows of a shard must ascend", at: row.lowerBound)
    }
    self.number = number
    if !found.isEmpty, chunk.span.extracting(found).hasSameBytes(as: value.span) { return }
    let bytes = [UInt8](copying: chunk.span.extracting(found))
    value = bytes
    if let problem = readValue() { throw rowError(problem, at: row.lowerBound) }
  }

  private static let invalidValue = "the value of a row is neither 0 or 1 nor a caller's identity"

  private mutating func readValue() -> String? {
    guard value.count <= KeywordRow.valueBytesMax else { return Self.invalidValue }
    switch use {
    case .block:
      guard value == [BlockValue.blocked] || value == [BlockValue.allowed] else { return Self.invalidValue }
      isBlocked = value[0] == BlockValue.blocked
    case .identity:
      guard let identity = CallIdentity(value.span) else { return Self.invalidValue }
      label = RecordFields.bytes(RecordFields.Fields(label: identity.name))
      guard label.count <= RecordFields.bytesMax else {
        return "a name of \(Figures.grouped(UInt64(label.count))) bytes is longer than the label of a record"
      }
    }
    return nil
  }

  private func rowError(_ reason: String, at index: Int) -> Failure {
    // The rows of a run were valid when they were written.
    guard case .shard(let path) = source else {
      preconditionFailure("the temporary file has other bytes than those that were written")
    }
    return .row(reason, path: path, offset: UInt64(chunkOffset) + UInt64(index))
  }

  // MARK: Bytes

  /// Reads more bytes after those of the next row that are there; false at the end.
  private mutating func fill() throws(Failure) -> Bool {
    let rest = chunk.count - at
    if chunk.freeCapacity == 0, at == 0 {
      var larger = ByteChunk(capacity: max(Self.bufferBytes, 2 * rest))
      larger.append(chunk.span)
      chunk = larger
    } else {
      chunk.bytes.removeSubrange(0..<at)
    }
    chunkOffset += Int64(at)
    at = 0
    let start = chunkOffset + Int64(rest)
    do throws(SystemError) {
      switch source {
      case .shard(let path):
        // A pipe in place of the file must not be waited for.
        let file = try InputFile(path, calls: calls, waits: false)
        return try file.read(into: &chunk, at: start) > 0
      case .run(let runs, let range):
        return try runs.file.read(into: &chunk, at: start, limit: Int(range.upperBound - start)) > 0
      }
    } catch {
      throw Failure(nil, error)
    }
  }
}

// Rows for shards that have none: PIRProcessDatabase writes nothing for an empty file, and a service without
// that shard does not start.
//
// The keywords begin with +999, a country calling code that is not assigned, so that no phone asks for them.
// Source: ITU-T, List of Recommendation E.164 assigned country codes (999: reserved).

/// Makes rows for shards of a database.
package final class PaddingRows: Sendable {
  private static let reserved: ClosedRange<UInt64> = 999_000_000_000_000...999_999_999_999_999

  private let use: CallerIDUse
  private let function: ShardFunction
  /// The first reserved number of each shard, once one is needed.
  private let numbers = Mutex<[UInt64]>([])

  package init(_ use: CallerIDUse, _ function: ShardFunction) {
    self.use = use
    self.function = function
  }

  /// Appends the row of a shard: an identity without a name, or a number that is not blocked.
  ///
  /// - Complexity: the first one O(n log n) with n shards, on average.
  package func append(rowOf index: Int, to bytes: inout UniqueArray<UInt8>) {
    let number = numbers.withLock { numbers in
      if numbers.isEmpty { numbers = find() }
      return numbers[index]
    }
    let valueField = KeywordRow.field(value: use == .block ? [BlockValue.allowed] : [])
    KeywordRow.append(Keyword(number), valueField: valueField.span, to: &bytes)
  }

  private func find() -> [UInt64] {
    var found = [UInt64](repeating: 0, count: function.shards)
    var missing = function.shards
    for number in Self.reserved {
      let index = function.index(Keyword(number).hash)
      if found[index] != 0 { continue }
      found[index] = number
      missing -= 1
      if missing == 0 { break }
    }
    return found
  }

  /// Whether a row is one of these: its number is reserved.
  package static func isPadding(_ number: UInt64) -> Bool { reserved.contains(number) }
}

/// The values of block databases. Source: apple/pir-service-example, ConstructDatabase.
package enum BlockValue {
  package static let blocked: UInt8 = 1
  package static let allowed: UInt8 = 0
}
