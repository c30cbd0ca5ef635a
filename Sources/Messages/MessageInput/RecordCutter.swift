// Splits bytes into lines, or into CSV records whose quoted fields may contain line ends (RFC 4180).
//
// Not for lists of numbers, which the parse stage reads.

/// A record, or the start of one that is too long.
public struct CutRecord {
  /// The record's bytes, without its line end; truncated if `isTooLong`.
  public var bytes: ContiguousArray<UInt8>
  /// The line on which the record starts, from 1.
  public var line: UInt64
  /// The offset of the record's first byte in the input, from 0.
  public var byte: UInt64
  /// Whether the record exceeds the maximum length.
  public var isTooLong: Bool
}

/// Splits bytes into records.
public struct RecordCutter {
  /// The maximum length of a record in bytes; a long message has a few thousand.
  public static let bytesMax = 1 << 20

  /// Whether quoted fields may contain line ends.
  public let quotes: Bool
  private var record: ContiguousArray<UInt8> = []
  private var isTooLong = false
  private var isQuoted = false
  private var line: UInt64 = 1
  private var byte: UInt64 = 0
  private var startLine: UInt64 = 1
  private var startByte: UInt64 = 0

  /// Creates a cutter. With `quotes`, a line end inside quotes does not end a record.
  public init(quotes: Bool) {
    self.quotes = quotes
  }

  /// Appends bytes and calls `body` with every record that ends in them.
  public mutating func cut<Failure: Error>(
    _ bytes: Span<UInt8>, _ body: (CutRecord) throws(Failure) -> Void
  ) throws(Failure) {
    for index in 0..<bytes.count {
      let next = bytes[index]
      byte += 1
      if quotes, next == UInt8(ascii: "\"") { isQuoted.toggle() }
      if next == 0x0A {
        line += 1
        // An unclosed quote must not swallow the rest: a record that is too long ends at its line end.
        if !isQuoted || isTooLong {
          try end(body)
          continue
        }
      }
      if record.count < Self.bytesMax { record.append(next) } else { isTooLong = true }
    }
  }

  /// Ends the input: calls `body` with the last record if it has no line end.
  public mutating func finish<Failure: Error>(_ body: (CutRecord) throws(Failure) -> Void) throws(Failure) {
    if !record.isEmpty { try end(body) }
  }

  private mutating func end<Failure: Error>(_ body: (CutRecord) throws(Failure) -> Void) throws(Failure) {
    if record.last == 0x0D { record.removeLast() }
    let done = CutRecord(bytes: record, line: startLine, byte: startByte, isTooLong: isTooLong)
    record.removeAll(keepingCapacity: true)
    isTooLong = false
    isQuoted = false
    startLine = line
    startByte = byte
    try body(done)
  }

  /// Splits a CSV record into fields; nil if its quotes don't match.
  public static func fields(_ record: ContiguousArray<UInt8>) -> [String]? {
    var fields: [String] = []
    var field: [UInt8] = []
    var at = 0
    while true {
      if at < record.count, record[at] == UInt8(ascii: "\"") {
        at += 1
        while true {
          guard at < record.count else { return nil }
          if record[at] == UInt8(ascii: "\"") {
            at += 1
            guard at < record.count, record[at] == UInt8(ascii: "\"") else { break }
          }
          field.append(record[at])
          at += 1
        }
        guard at == record.count || record[at] == UInt8(ascii: ",") else { return nil }
      } else {
        while at < record.count, record[at] != UInt8(ascii: ",") {
          field.append(record[at])
          at += 1
        }
      }
      fields.append(String(decoding: field, as: UTF8.self))
      field.removeAll()
      guard at < record.count else { return fields }
      at += 1
    }
  }
}
