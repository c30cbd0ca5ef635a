// Finds the parts of a sorted file by binary search, checked against the file's sample instead of reading it.

package import Records
package import SystemIO
import SystemPackage

/// Finds parts of a file without reading it.
///
/// The sample proves that the file is sorted, and that no cut is inside a range of it.
package struct PartSearch: Sendable {
  private let sampleFile: String
  /// The sample of the file.
  package let sample: ListSample
  private let calls: any SystemCalls

  /// Reads the file's sample.
  package init(sample file: String, calls: any SystemCalls = KernelCalls()) throws(Failure) {
    sample = try ListSample.read(one: file, calls: calls)
    sampleFile = file
    self.calls = calls
  }

  /// Finds the parts of a file. The number of records is not known.
  ///
  /// - Complexity: O(cuts · log bytes).
  package func parts(of list: String, cuts: [UInt64]) throws(Failure) -> [ListPart] {
    for cut in cuts {
      guard let run = sample.covered.run(forbidding: cut) else { continue }
      let covered = run.first...max(run.first, run.last)
      throw Failure(.split, SplitError.cutInSample(sample: sampleFile, covered: covered, cut: cut))
    }
    let calls = self.calls
    let file = try asFailure(.split) { () throws(SystemError) in try InputFile(list, calls: calls) }
    guard let size = file.size, list != InputFile.standardInput else {
      throw Failure(.split, SplitError.needsFile(list: list))
    }
    guard size == sample.bytes else {
      throw Failure(.split, SplitError.otherSample(sample: sampleFile, list: list))
    }
    var lines = LineSearch(list, file.descriptor, size: size, calls)
    var parts = [ListPart(number: 1, from: ListPart.numberMin, offset: 0)]
    for cut in cuts {
      let offset = try lines.firstLine(atOrAbove: cut, from: parts[parts.count - 1].offset)
      parts.append(ListPart(number: parts.count + 1, from: cut, offset: offset))
    }
    for index in parts.indices {
      let end = index + 1 < parts.count ? parts[index + 1].offset : size
      parts[index].bytes = end - parts[index].offset
      if parts[index].bytes > 0 { parts[index].first = try lines.number(at: parts[index].offset) }
    }
    // The descriptor must stay open until here.
    _ = consume file
    return parts
  }
}

/// Binary search over the lines of a file.
private struct LineSearch: ~Copyable {
  /// The number of bytes that are searched first for the start or the end of a line; few lines are longer.
  private static let nearBytes = 512
  private static let lineBytesMax = RecordLine.bytesMax + 1

  private let list: String
  private let size: UInt64
  private var window: FileWindow

  init(_ list: String, _ file: FileDescriptor, size: UInt64, _ calls: any SystemCalls) {
    self.list = list
    self.size = size
    window = FileWindow(
      file, size: size, capacity: Self.lineBytesMax, readAhead: 2 * Self.nearBytes, calls: calls)
  }

  /// The offset of the first line whose number is not below a cut; the size if there is none. `start` is the start of a
  /// line that is not after it.
  mutating func firstLine(atOrAbove cut: UInt64, from start: UInt64) throws(Failure) -> UInt64 {
    // All lines that start below `low` are below the cut; all from `high` on are not.
    var low = start
    var high = size
    while low < high {
      let middle = low + (high - low) / 2
      let line = try lineStart(before: middle, from: low)
      if try number(at: line) < cut { low = try lineEnd(after: middle) } else { high = line }
    }
    return low
  }

  /// The first number of the record at an offset.
  mutating func number(at offset: UInt64) throws(Failure) -> UInt64 {
    let count = Int(min(UInt64(PhoneNumber.digitsMax + 1), size - offset))
    try load(offset, count)
    let digits = window.bytes(offset, count)
    guard let number = Decimal.read(digits.span, from: 0, to: count) else { throw invalid(offset) }
    return number.value
  }

  /// The start of the line with the byte at an offset; `low` is the start of a line that is not after it.
  private mutating func lineStart(before offset: UInt64, from low: UInt64) throws(Failure) -> UInt64 {
    for reach in [Self.nearBytes, Self.lineBytesMax] {
      let count = Int(min(UInt64(reach), offset - low))
      try load(offset - UInt64(count), count)
      var start = offset
      while start > offset - UInt64(count) {
        if window.byte(start - 1) == UInt8(ascii: "\n") { return start }
        start -= 1
      }
      if start == low { return low }
    }
    throw invalid(offset)
  }

  /// The offset after the line with the byte at an offset.
  private mutating func lineEnd(after offset: UInt64) throws(Failure) -> UInt64 {
    for reach in [Self.nearBytes, Self.lineBytesMax] {
      let count = Int(min(UInt64(reach), size - offset))
      try load(offset, count)
      for end in offset..<offset + UInt64(count) where window.byte(end) == UInt8(ascii: "\n") {
        return end + 1
      }
      if offset + UInt64(count) == size { return size }
    }
    throw invalid(offset)
  }

  private mutating func load(_ offset: UInt64, _ count: Int) throws(Failure) {
    let isLoaded: Bool
    do throws(Errno) {
      isLoaded = try window.load(offset, count)
    } catch {
      throw Failure(.split, SystemError(.readInput, list, error))
    }
    // The file was truncated meanwhile.
    if !isLoaded { throw invalid(offset) }
  }

  private func invalid(_ offset: UInt64) -> Failure {
    Failure(.split, SplitError.notARecordAt(list: list, byte: offset))
  }
}
