// How several threads parse parts of an input: each assumes the position where its part starts, and the parser accepts the
// result if the parts before it have ended there. Otherwise it reads the part itself, so nothing depends on the parts.
//
// Not for: the threads (InputDivision).

import BasicContainers
import Records

/// Where a part of an input has ended, for a parser that did not read it.
struct PartEnd: Sendable {
  var position: ReaderPosition
  /// The number of its line feeds.
  var lines: UInt64
}

extension RowParser {
  /// The position that has been reached, if what follows may be read by other threads.
  var position: ReaderPosition? {
    guard held.isEmpty, validator == nil, !endsLinesWithReturns, !needsAllBytes else { return nil }
    return reader?.position
  }

  /// Reads the head of an input whose parts this parser will read. Its rows are not those of a part: the caller drops
  /// them. Returns false if the head does not suffice.
  func readHead(_ head: DividedHead) throws(Failure) -> Bool {
    encoding = head.encoding
    let bytes = head.bytes
    try parse(bytes.span)
    let last = takeHeld()
    _ = try readWindow(last.span, isEnd: false)
    return reader?.resume(at: ReaderPosition()) ?? false
  }

  /// Reads a part that starts at a byte of the input, at an assumed position. Lines are counted from 1. Returns nil if the
  /// part does not end between two records, or if the parser that reads the other parts must see it.
  func readPart(
    _ bytes: Span<UInt8>, at byte: UInt64, from position: ReaderPosition
  ) throws(Failure) -> PartEnd? {
    guard let reader, reader.resume(at: position) else { return nil }
    rows.enter(atByte: byte)
    guard try readWindow(bytes, isEnd: false) == bytes.count, !rows.hasInvalidText,
      let end = reader.position
    else { return nil }
    try rows.flush()
    return PartEnd(position: end, lines: rows.windowLine - 1)
  }

  /// Accepts a part that another thread has read, if it started where this parser is, or else reads it.
  func add(_ part: inout InputPart) throws(Failure) {
    guard let end = part.end, let position, position == part.start, let reader,
      reader.resume(at: end.position)
    else {
      part.discard()
      return try parse(part.bytes.span)
    }
    try rows.flush()
    let lines = rows.windowLine - 1
    for index in part.result.rejects.indices {
      guard case .line(let line, let byte, let input) = part.result.rejects[index].place else { continue }
      part.result.rejects[index].place = .line(lines + line, byte: byte, input: input)
    }
    try part.result.pass(to: context)
    try part.rows.pass(to: &rows)
    rows.skip(bytes: part.bytes.count, lines: end.lines)
  }
}
