// One logical line of a vCard, `[group.]NAME[;PARAMETER…]:VALUE`, and the decoding of its value.
//
// Source: RFC 6350, sections 3.3, 3.4, 5 and 6.4.1; versit's vCard 2.1 for quoted-printable and bare parameters.
//
// Not for: folded lines (VCardLineReader), or the meaning of properties (VCardRows).

import SystemIO

enum VCardLine {
  /// The property's name without its group, from the start of a line.
  @_lifetime(copy line)
  static func name(_ line: Span<UInt8>) -> Span<UInt8> {
    var start = 0
    var end = 0
    while end < line.count, line[end] != UInt8(ascii: ":"), line[end] != UInt8(ascii: ";") {
      if line[end] == UInt8(ascii: ".") { start = end + 1 }
      end += 1
    }
    return line.extracting(start..<end)
  }

  /// The index of the colon after the name and the parameters; nil if there is none yet. A colon in a quoted parameter
  /// is text.
  static func headEnd(_ line: Span<UInt8>) -> Int? {
    var isQuoted = false
    for index in 0..<line.count {
      if line[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
      if line[index] == UInt8(ascii: ":"), !isQuoted { return index }
    }
    return nil
  }

  /// Whether the line's value is quoted-printable.
  static func isQuotedPrintable(_ line: Span<UInt8>) -> Bool {
    has(line, "ENCODING", "QUOTED-PRINTABLE") || hasBare(line, "QUOTED-PRINTABLE")
  }

  /// Whether the line's value is base64 (RFC 2426, section 2.4.1; in version 2.1 by another name).
  private static func isBase64(_ line: Span<UInt8>) -> Bool {
    has(line, "ENCODING", "B") || has(line, "ENCODING", "BASE64") || hasBare(line, "BASE64")
  }

  /// Whether a parameter has a value, ignoring case.
  static func has(_ line: Span<UInt8>, _ parameter: StaticString, _ value: StaticString) -> Bool {
    var isFound = false
    forEachParameter(line) { name, parameterValue in
      if name.equalsIgnoringCase(parameter), parameterValue.equalsIgnoringCase(value) { isFound = true }
    }
    return isFound
  }

  /// Whether the line has a parameter of version 2.1 that consists of a value without a name.
  private static func hasBare(_ line: Span<UInt8>, _ value: StaticString) -> Bool {
    var isFound = false
    forEachParameter(line) { name, parameterValue in
      if name.isEmpty, parameterValue.equalsIgnoringCase(value) { isFound = true }
    }
    return isFound
  }

  /// Calls `body` with each parameter's name, which version 2.1 may omit, and its value without quotes.
  private static func forEachParameter(
    _ line: Span<UInt8>, _ body: (_ name: Span<UInt8>, _ value: Span<UInt8>) -> Void
  ) {
    let end = headEnd(line) ?? line.count
    var start = 0
    var index = 0
    var isQuoted = false
    var isFirst = true
    while index <= end {
      if index < end, line[index] == UInt8(ascii: "\"") { isQuoted.toggle() }
      if index == end || (line[index] == UInt8(ascii: ";") && !isQuoted) {
        if !isFirst { split(line.extracting(start..<index), body) }
        isFirst = false
        start = index + 1
      }
      index += 1
    }
  }

  private static func split(
    _ parameter: Span<UInt8>, _ body: (_ name: Span<UInt8>, _ value: Span<UInt8>) -> Void
  ) {
    var equals = 0
    while equals < parameter.count, parameter[equals] != UInt8(ascii: "=") { equals += 1 }
    if equals == parameter.count { return body(parameter.extracting(0..<0), parameter) }
    var first = equals + 1
    var last = parameter.count
    if last - first >= 2, parameter[first] == UInt8(ascii: "\""), parameter[last - 1] == UInt8(ascii: "\"") {
      first += 1
      last -= 1
    }
    body(parameter.extracting(0..<equals), parameter.extracting(first..<last))
  }

  // MARK: Values

  /// Whether a line's value starts another card.
  static func beginsCard(_ line: Span<UInt8>) -> Bool {
    trimmed(value(line) ?? []).span.equalsIgnoringCase("BEGIN:VCARD")
  }

  /// A line's value as UTF-8: quoted-printable, base64 and Latin-1 are decoded, escapes are not. Nil if the value is
  /// declared as base64 but is not valid base64.
  static func value(_ line: Span<UInt8>) -> ContiguousArray<UInt8>? {
    guard let colon = headEnd(line) else { return [] }
    let raw = line.extracting(colon + 1..<line.count)
    var bytes: ContiguousArray<UInt8> = []
    if isQuotedPrintable(line) {
      decodeQuotedPrintable(raw, &bytes)
    } else if isBase64(line) {
      guard decodeBase64(raw, &bytes) else { return nil }
    } else {
      bytes.append(copying: raw)
    }
    let isLatin =
      has(line, "CHARSET", "ISO-8859-1") || has(line, "CHARSET", "LATIN1")
      || has(line, "CHARSET", "WINDOWS-1252")
    return isLatin ? fromLatin(bytes) : bytes
  }

  private static func decodeQuotedPrintable(_ raw: Span<UInt8>, _ bytes: inout ContiguousArray<UInt8>) {
    var index = 0
    while index < raw.count {
      if raw[index] == UInt8(ascii: "="), index + 2 < raw.count, let high = hex(raw[index + 1]),
        let low = hex(raw[index + 2])
      {
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(raw[index])
        index += 1
      }
    }
  }

  /// Decodes base64 (RFC 4648, section 4), ignoring white space; returns false if it is invalid.
  private static func decodeBase64(_ raw: Span<UInt8>, _ bytes: inout ContiguousArray<UInt8>) -> Bool {
    var bits: UInt32 = 0
    var count = 0
    var isPadded = false
    for index in 0..<raw.count where !raw[index].isASCIISpace {
      if raw[index] == UInt8(ascii: "=") {
        isPadded = true
        continue
      }
      guard !isPadded, let digit = base64Digit(raw[index]) else { return false }
      bits = (bits & 0xFFFF) << 6 | UInt32(digit)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return count < 6
  }

  private static func base64Digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - 0x41
    case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - 0x61 + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 0x30 + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }

  private static func hex(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 0x30
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 0x41 + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 0x61 + 10
    default: nil
    }
  }

  private static func fromLatin(_ bytes: ContiguousArray<UInt8>) -> ContiguousArray<UInt8> {
    var result: ContiguousArray<UInt8> = []
    for byte in bytes {
      if byte < 0x80 {
        result.append(byte)
      } else {
        result.append(0xC0 | byte >> 6)
        result.append(0x80 | byte & 0x3F)
      }
    }
    return result
  }

  /// A text value with its escapes decoded.
  static func unescaped(_ value: Span<UInt8>) -> ContiguousArray<UInt8> {
    var text: ContiguousArray<UInt8> = []
    var index = 0
    while index < value.count {
      if value[index] == UInt8(ascii: "\\"), index + 1 < value.count {
        index += 1
        let isLineFeed = value[index] == UInt8(ascii: "n") || value[index] == UInt8(ascii: "N")
        text.append(isLineFeed ? 0x0A : value[index])
      } else {
        text.append(value[index])
      }
      index += 1
    }
    return text
  }

  /// The parts of a value that semicolons separate, unescaped and without surrounding white space.
  static func parts(_ value: Span<UInt8>) -> [ContiguousArray<UInt8>] {
    var parts: [ContiguousArray<UInt8>] = []
    var start = 0
    var index = 0
    while index <= value.count {
      if index == value.count || value[index] == UInt8(ascii: ";") {
        parts.append(trimmed(unescaped(value.extracting(start..<index))))
        start = index + 1
      } else if value[index] == UInt8(ascii: "\\") {
        index += 1
      }
      index += 1
    }
    return parts
  }

  /// A text without the surrounding white space.
  static func trimmed(_ text: ContiguousArray<UInt8>) -> ContiguousArray<UInt8> {
    var start = 0
    var end = text.count
    while start < end, text[start].isASCIISpace { start += 1 }
    while end > start, text[end - 1].isASCIISpace { end -= 1 }
    return ContiguousArray(text[start..<end])
  }
}
