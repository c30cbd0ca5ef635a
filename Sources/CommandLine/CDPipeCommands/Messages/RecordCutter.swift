// Bytes cut into lines, or into CSV records whose quoted fields may have line ends (RFC 4180).
//
// Not for: lists of numbers, whose formats and repairs are the parse stage's.

/// A record that was cut out, or the beginning of one that is too long.
struct CutRecord {
  var bytes: ContiguousArray<UInt8>
  var line: UInt64
  var byte: UInt64
  var isTooLong: Bool
}

/// Cuts bytes into records.
struct RecordCutter {
  /// The longest record. A message has a few thousand bytes; nothing longer is held.
  static let bytesMax = 1 << 20

  let quotes: Bool
  private var record: ContiguousArray<UInt8> = []
  private var isTooLong = false
  private var isQuoted = false
  private var line: UInt64 = 1
  private var byte: UInt64 = 0
  private var startLine: UInt64 = 1
  private var startByte: UInt64 = 0

  /// Makes a cutter; with `quotes` a line end between quotes does not end a record.
  init(quotes: Bool) {
    self.quotes = quotes
  }

  /// Takes bytes, and gives every record that ends in them.
  mutating func cut<Failure: Error>(
    _ bytes: Span<UInt8>, _ take: (CutRecord) throws(Failure) -> Void
  ) throws(Failure) {
    for index in 0..<bytes.count {
      let next = bytes[index]
      byte += 1
      if quotes, next == UInt8(ascii: "\"") { isQuoted.toggle() }
      if next == 0x0A {
        line += 1
        // A quote that nobody closes must not swallow the rest: a record that is too long ends at its line.
        if !isQuoted || isTooLong {
          try end(take)
          continue
        }
      }
      if record.count < Self.bytesMax { record.append(next) } else { isTooLong = true }
    }
  }

  /// Gives the last record, if no line end came behind it.
  mutating func finish<Failure: Error>(_ take: (CutRecord) throws(Failure) -> Void) throws(Failure) {
    if !record.isEmpty { try end(take) }
  }

  private mutating func end<Failure: Error>(_ take: (CutRecord) throws(Failure) -> Void) throws(Failure) {
    if record.last == 0x0D { record.removeLast() }
    let done = CutRecord(bytes: record, line: startLine, byte: startByte, isTooLong: isTooLong)
    record.removeAll(keepingCapacity: true)
    isTooLong = false
    isQuoted = false
    startLine = line
    startByte = byte
    try take(done)
  }

  /// The fields of a CSV record; nil when its quotes don't fit together.
  static func fields(_ record: ContiguousArray<UInt8>) -> [String]? {
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
