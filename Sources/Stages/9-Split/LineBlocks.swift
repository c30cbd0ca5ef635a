// Reads a text in blocks of whole lines, and checks the numbers of a sorted list. TextRecords copies records to batches;
// here the bytes stay as they are.

import BasicContainers
import Records
import SystemIO

/// The lines of a file or of standard input, one block after another. Memory: one buffer.
struct LineBlocks: ~Copyable {
  /// The number of bytes of an invalid line that a message may quote.
  private static let quotedBytesMax = 256

  /// The name of the file as the user typed it.
  let name: String
  let stage: StageName
  /// The size in bytes if it is a regular file.
  let size: UInt64?
  private var file: InputFile
  private var buffer: ByteChunk
  private var isAtEnd = false
  /// The offset in the file of the block's first byte.
  private(set) var offset: UInt64 = 0
  private(set) var count = 0
  /// The number of the current line, from 1.
  private(set) var number: UInt64 = 0
  private(set) var start = 0
  /// The end of the current line in the block, without its line feed.
  private(set) var end = 0
  private var next = 0
  /// The numbers of the current record.
  private(set) var first: UInt64 = 0
  private(set) var last: UInt64 = 0

  /// Opens a file, or standard input for `-`.
  init(_ name: String, _ stage: StageName, calls: any SystemCalls) throws(Failure) {
    let opened = try asFailure(stage) { () throws(SystemError) in try InputFile(name, calls: calls) }
    self.name = name
    self.stage = stage
    size = opened.size
    file = opened
    buffer = ByteChunk()
  }

  /// The current line, without its line feed.
  var line: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { buffer.span.extracting(start..<end) }
  }

  @_lifetime(borrow self)
  func bytes(_ range: Range<Int>) -> Span<UInt8> { buffer.span.extracting(range) }

  /// The start of the current line, for a message.
  var quotation: [UInt8] {
    [UInt8](copying: buffer.span.extracting(start..<min(end, start + Self.quotedBytesMax)))
  }

  /// Whether the current line ends in a line feed. Only the last one may lack it.
  var isTerminated: Bool { end < count }

  /// Reads the next block; false at the end of the file. Call it after all lines of the block before.
  mutating func nextBlock() throws(Failure) -> Bool {
    offset += UInt64(count)
    buffer.bytes.removeSubrange(0..<count)
    (count, start, end, next) = (0, 0, 0, 0)
    while count == 0, !isAtEnd {
      if buffer.freeCapacity == 0 {
        end = buffer.count
        number += 1
        throw tooLong
      }
      let known = buffer.count
      try read()
      count = isAtEnd ? buffer.count : linesEnd(after: known)
    }
    if offset == 0, let content = BinaryContent(buffer.span) {
      throw .binaryInput(stage, name, content)
    }
    return count > 0
  }

  /// Advances to the next line of the block; false if there are no more.
  @inline(__always)
  mutating func nextLine() -> Bool {
    guard next < count else { return false }
    start = next
    end = min(LineScan.lineFeed(in: buffer.span, from: start), count)
    next = end + 1
    number += 1
    return true
  }

  /// Advances to the next line of the file; false at its end.
  mutating func advance() throws(Failure) -> Bool {
    while !nextLine() { guard try nextBlock() else { return false } }
    return true
  }

  var tooLong: Failure { notARecord(.lineTooLong) }

  func notARecord(_ reason: TextFormReject) -> Failure {
    Failure(
      stage, .badData, "not-a-record",
      "\(InputName.plain(name)):\(number): \(reason.text): \(PrintableText.quoted(quotation))",
      hint: "convert the list first: cdpipe parse \(name == "-" ? "" : ShellQuoting.quoted(name) + " ")"
        + "| cdpipe normalize --region CC | cdpipe sort")
  }

  /// The end of the last complete line, if it is among the bytes from `known` on; otherwise 0.
  private func linesEnd(after known: Int) -> Int {
    let bytes = buffer.span
    var end = bytes.count
    while end > known {
      if bytes[end - 1] == UInt8(ascii: "\n") { return end }
      end -= 1
    }
    return 0
  }

  private mutating func read() throws(Failure) {
    do throws(SystemError) {
      if try file.read(into: &buffer) == 0 { isAtEnd = true }
    } catch {
      throw Failure(stage, error)
    }
  }

  // MARK: Records

  /// The offset in the file of the current line.
  var lineOffset: UInt64 { offset + UInt64(start) }

  /// Advances to the next line of the block, which must be a record that does not start below the one before; false if
  /// there are no more.
  @inline(__always)
  mutating func nextRecord() throws(Failure) -> Bool {
    guard nextLine() else { return false }
    let previous = first
    do throws(RecordLineError) {
      let head = try RecordLine.head(line)
      first = head.first
      last = head.last
    } catch {
      throw notARecord(error == .notANumber ? .notANumber : .notARange)
    }
    if end - start > RecordLine.bytesMax { throw tooLong }
    if first < previous { throw notSorted(previous) }
    return true
  }

  private func notSorted(_ previous: UInt64) -> Failure {
    Failure(
      stage, .badData, "not-sorted",
      "\(InputName.plain(name)):\(number): \(first) comes after \(previous): input is not sorted",
      hint: name == "-"
        ? "add 'cdpipe sort' before this command" : "run 'cdpipe sort \(ShellQuoting.quoted(name))' first")
  }
}
