// The fields after a record's number: label, source, score, day. Stages pass them on as the text form writes them, escaped,
// so that a stage that only compares or copies them never splits them.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public enum RecordFieldsError: Error, Equatable, Sendable {
  /// Longer than ``RecordFields/bytesMax``.
  case tooLong(bytes: Int)
  /// The label is not UTF-8.
  case notUTF8
  /// The source is not UTF-8, but the label is.
  case sourceNotUTF8
  /// A backslash that starts none of `\\ \t \n \r`.
  case badEscape
  /// A fifth field.
  case tooManyFields(Int)
  /// The third field is not a 64-bit integer in its shortest form.
  case badScore
  /// The fourth field is not a day such as `2026-11-29`.
  case badDay
  /// An unescaped carriage return.
  case strayCarriageReturn
}

/// Operations on record fields: the fields after a record's number, as the text form writes them,
/// `label [TAB source [TAB score [TAB day]]]`, escaped and without trailing empty fields.
///
/// Record fields are spans of bytes and have no type of their own.
public enum RecordFields {
  /// The largest size of record fields in bytes. A phone shows a few dozen characters; 32 KiB is enough for a source
  /// and a long label, and limits every buffer that must hold whole record fields.
  public static let bytesMax = 32 * 1024

  /// Checks that bytes are record fields and returns their canonical length, which excludes trailing tabs, that is
  /// empty fields.
  ///
  /// - Complexity: O(bytes).
  public static func check(_ bytes: Span<UInt8>) throws(RecordFieldsError) -> Int {
    guard bytes.count <= bytesMax else { throw .tooLong(bytes: bytes.count) }
    switch plainText(bytes) {
    case .ascii: return bytes.count
    case .others where UTF8Check.isValid(bytes): return bytes.count
    // Without tabs, the bytes are a label.
    case .others: throw .notUTF8
    case nil: break
    }
    var count = bytes.count
    while count > 0, bytes[count - 1] == Byte.tab { count -= 1 }
    var tabs = 0
    var (scoreStart, dayStart) = (count, count)
    var index = 0
    var isASCII = true
    while index < count {
      let byte = bytes[index]
      if byte == Byte.tab {
        tabs += 1
        if tabs == 2 { scoreStart = index + 1 }
        if tabs == 3 { dayStart = index + 1 }
      } else if byte == Byte.backslash {
        guard index + 1 < count, Byte.isEscaped(bytes[index + 1]) else { throw .badEscape }
        index += 1
      } else if byte == Byte.carriageReturn {
        throw .strayCarriageReturn
      }
      if byte >= 0x80 { isASCII = false }
      index += 1
    }
    guard tabs <= 3 else { throw .tooManyFields(tabs + 1) }
    let scoreEnd = tabs == 3 ? dayStart - 1 : count
    if scoreStart < scoreEnd, score(bytes, from: scoreStart, to: scoreEnd) == nil { throw .badScore }
    if dayStart < count, CalendarDay(bytes.extracting(dayStart..<count)) == nil { throw .badDay }
    if !isASCII, !UTF8Check.isValid(bytes.extracting(0..<count)) {
      throw UTF8Check.isValid(bytes.extracting(0..<labelLength(bytes))) ? .sourceNotUTF8 : .notUTF8
    }
    return count
  }

  /// The bytes of a text without tabs, backslashes and control characters.
  private enum PlainText {
    case ascii
    /// Some of them are not ASCII.
    case others
  }

  /// Classifies bytes; nil if there are tabs, backslashes or control characters among them, or fewer than four bytes.
  ///
  /// - Complexity: O(bytes), eight bytes at a time.
  private static func plainText(_ bytes: Span<UInt8>) -> PlainText? {
    let count = bytes.count
    guard count >= 4 else { return nil }
    let raw = unsafe bytes.bytes
    var all: UInt64 = 0
    var stops: UInt64 = 0
    if count < 8 {
      // Two halves that may overlap.
      let front = unsafe raw.unsafeLoadUnaligned(fromByteOffset: 0, as: UInt32.self)
      let back = unsafe raw.unsafeLoadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
      all = UInt64(front) | UInt64(back) << 32
      stops = LineScan.textStops(all)
    } else {
      // The last word overlaps the one before it.
      var at = 0
      while at < count, stops == 0 {
        let place = min(at, count &- 8)
        let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self)
        all |= word
        stops |= LineScan.textStops(word)
        at &+= 8
      }
    }
    guard stops == 0 else { return nil }
    return all & 0x8080_8080_8080_8080 == 0 ? .ascii : .others
  }

  public struct Fields: Equatable, Sendable {
    /// The text a phone shows; empty for a number that is only blocked.
    public var label: String
    /// The list that the record came from; empty if unknown.
    public var source: String
    /// Votes, complaints or confidence; higher is stronger.
    public var score: Int64?
    /// When the number was reported, or last.
    public var day: CalendarDay?

    public init(label: String = "", source: String = "", score: Int64? = nil, day: CalendarDay? = nil) {
      self.label = label
      self.source = source
      self.score = score
      self.day = day
    }
  }

  /// Splits record fields. The bytes must have passed ``check(_:)``.
  public static func fields(_ bytes: Span<UInt8>) -> Fields {
    var parts: [[UInt8]] = [[]]
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == Byte.tab {
        parts.append([])
      } else if byte == Byte.backslash, index + 1 < bytes.count {
        index += 1
        parts[parts.count - 1].append(Byte.unescaped(bytes[index]))
      } else {
        parts[parts.count - 1].append(byte)
      }
      index += 1
    }
    func text(_ part: Int) -> String {
      part < parts.count ? String(decoding: parts[part], as: UTF8.self) : ""
    }
    let day = parts.count > 3 ? parts[3] : []
    return Fields(label: text(0), source: text(1), score: Int64(text(2)), day: CalendarDay(day.span))
  }

  public static func bytes(_ fields: Fields) -> [UInt8] {
    var result: [UInt8] = []
    appendEscaped(fields.label.utf8, to: &result)
    if !fields.source.isEmpty || fields.score != nil || fields.day != nil {
      result.append(Byte.tab)
      appendEscaped(fields.source.utf8, to: &result)
    }
    if fields.score != nil || fields.day != nil {
      result.append(Byte.tab)
      if let score = fields.score { result.append(contentsOf: String(score).utf8) }
    }
    if let day = fields.day {
      result.append(Byte.tab)
      result.append(contentsOf: day.text.utf8)
    }
    return result
  }

  /// The length of the escaped label at the start of record fields, in bytes.
  @inlinable
  public static func labelLength(_ bytes: Span<UInt8>) -> Int {
    var index = 0
    while index < bytes.count, bytes[index] != 0x09 { index += 1 }
    return index
  }

  static func appendEscaped(_ text: String.UTF8View, to result: inout [UInt8]) {
    for byte in text {
      if let escape = Byte.escape(byte) {
        result.append(Byte.backslash)
        result.append(escape)
      } else {
        result.append(byte)
      }
    }
  }

  private static func score(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int64? {
    guard end - start <= 20 else { return nil }
    var text = ""
    for index in start..<end { text.unicodeScalars.append(Unicode.Scalar(bytes[index])) }
    // Only the canonical form is accepted, so that equal scores are equal bytes.
    guard let score = Int64(text), String(score) == text else { return nil }
    return score
  }
}

extension RecordFields {
  /// The positions of the four fields in record fields, which are escaped.
  public struct Parts: Equatable, Sendable {
    public var label: Range<Int>
    /// The source; empty if unknown.
    public var source: Range<Int>
    /// The digits of the score; empty if there is none.
    public var score: Range<Int>
    /// The day, `2026-11-29`; empty if unknown.
    public var day: Range<Int>
  }

  /// Finds the four fields. The bytes must have passed ``check(_:)``.
  ///
  /// - Complexity: O(bytes).
  public static func parts(_ bytes: Span<UInt8>) -> Parts {
    let count = bytes.count
    let label = labelLength(bytes)
    let sourceStart = min(label + 1, count)
    var sourceEnd = sourceStart
    while sourceEnd < count, bytes[sourceEnd] != Byte.tab { sourceEnd += 1 }
    let scoreStart = min(sourceEnd + 1, count)
    var scoreEnd = scoreStart
    while scoreEnd < count, bytes[scoreEnd] != Byte.tab { scoreEnd += 1 }
    return Parts(
      label: 0..<label, source: sourceStart..<sourceEnd, score: scoreStart..<scoreEnd,
      day: min(scoreEnd + 1, count)..<count)
  }

  /// The day; nil if there is none. The bytes must have passed ``check(_:)``.
  ///
  /// - Complexity: O(bytes).
  public static func day(_ bytes: Span<UInt8>) -> CalendarDay? {
    CalendarDay(bytes.extracting(parts(bytes).day))
  }

  /// The score; 0 if there is none. The bytes must have passed ``check(_:)``.
  ///
  /// - Complexity: O(bytes).
  public static func score(_ bytes: Span<UInt8>) -> Int64 {
    let digits = parts(bytes).score
    guard !digits.isEmpty else { return 0 }
    let isNegative = bytes[digits.lowerBound] == UInt8(ascii: "-")
    // There is one more negative integer than positive ones, so the value is accumulated as a negative number.
    var value: Int64 = 0
    for index in (isNegative ? digits.dropFirst() : digits) {
      value = value &* 10 &- Int64(bytes[index] &- 0x30)
    }
    return isNegative ? value : 0 &- value
  }
}

extension RecordFields {
  public static func appendEscaped(_ bytes: Span<UInt8>, to result: inout ContiguousArray<UInt8>) {
    for index in 0..<bytes.count {
      let byte = bytes[index]
      if byte < 0x20 || byte == Byte.backslash, let letter = Byte.escape(byte) {
        result.append(Byte.backslash)
        result.append(letter)
      } else {
        result.append(byte)
      }
    }
  }

  /// Adds the fields after a label, escaped; trailing empty fields are omitted.
  public static func appendTail(
    source: Span<UInt8>, score: Span<UInt8>, day: CalendarDay? = nil, to result: inout ContiguousArray<UInt8>
  ) {
    if source.isEmpty && score.isEmpty && day == nil { return }
    result.append(Byte.tab)
    appendEscaped(source, to: &result)
    if score.isEmpty && day == nil { return }
    result.append(Byte.tab)
    for index in 0..<score.count { result.append(score[index]) }
    if let day {
      result.append(Byte.tab)
      day.appendText(to: &result)
    }
  }
}
