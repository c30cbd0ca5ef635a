// Which fields of a record a row is made of, by their names: what the user chose, and what the format has where the
// user chose nothing. Common to the formats of other applications.
//
// Not for: finding the fields (the readers), or tables, whose columns have positions too.

import CallRecord
import PipeStage

/// A set of the four fields of a row.
struct FieldSet: OptionSet {
  var rawValue: UInt8

  static let number = FieldSet(rawValue: 1)
  static let label = FieldSet(rawValue: 2)
  static let source = FieldSet(rawValue: 4)
  static let score = FieldSet(rawValue: 8)
}

/// The names of the fields that a row is made of; nil: nothing in the input is.
struct NamedFields {
  var number: ContiguousArray<UInt8>?
  var label: ContiguousArray<UInt8>?
  var source: ContiguousArray<UInt8>?
  var score: ContiguousArray<UInt8>?

  /// Takes what was chosen, and the format's own names for the rest.
  init(
    _ options: ParseOptions, number: StaticString, label: StaticString? = nil, source: StaticString? = nil,
    score: StaticString? = nil
  ) {
    self.number = Self.name(options.numberField, number)
    self.label = Self.name(options.labelField, label)
    self.source = Self.name(options.sourceField, source)
    self.score = Self.name(options.scoreField, score)
  }

  private static func name(_ chosen: FieldSelector?, _ usual: StaticString?) -> ContiguousArray<UInt8>? {
    if let chosen { return chosen.nameBytes }
    return usual.map { ContiguousArray("\($0)".utf8) }
  }

  /// The fields that are called `name`.
  func fields(named name: Span<UInt8>) -> FieldSet {
    var fields: FieldSet = []
    if let number, name.equals(number) { fields.insert(.number) }
    if let label, name.equals(label) { fields.insert(.label) }
    if let source, name.equals(source) { fields.insert(.source) }
    if let score, name.equals(score) { fields.insert(.score) }
    return fields
  }

  /// What the field that is the number is called.
  var numberName: String { String(decoding: number ?? [], as: UTF8.self) }
}

extension RowFields {
  /// Sets some of the fields to one text.
  mutating func set(_ fields: FieldSet, _ text: borrowing ContiguousArray<UInt8>) {
    if fields.contains(.number) { number = copy text }
    if fields.contains(.label) { label = copy text }
    if fields.contains(.source) { source = copy text }
    if fields.contains(.score) { score = copy text }
  }
}

/// Where a record begins in its input.
struct RecordPosition: Equatable {
  /// The line; the first is 1.
  var line: UInt64 = 1
  /// The byte; the first is 0.
  var byte: UInt64 = 0
}

extension RowWriter {
  /// Adds a row whose record began at `place`, or rejects it; its number stands for the rejected text.
  mutating func add(_ fields: inout RowFields, at place: RecordPosition) throws(StageError) {
    var recordFields: ContiguousArray<UInt8> = []
    do throws(ParseReject) {
      try fields.writeFields(constants, to: &recordFields)
    } catch {
      return try reject(fields, at: place, error)
    }
    if let number = constants.number {
      try add(number.span, recordFields.span)
    } else {
      try add(fields.number.span, recordFields.span)
    }
  }

  /// Rejects a record: what is known of it stands for its text, the number before all.
  mutating func reject(
    _ fields: borrowing RowFields, at place: RecordPosition, _ reason: ParseReject
  ) throws(StageError) {
    if fields.number.isEmpty {
      try reject(line: place.line, byte: place.byte, reason, text: fields.label.span)
    } else {
      try reject(line: place.line, byte: place.byte, reason, text: fields.number.span)
    }
  }
}

extension Span where Element == UInt8 {
  /// Whether the bytes are those of `other`.
  func equals(_ other: borrowing ContiguousArray<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in 0..<count where self[index] != other[index] { return false }
    return true
  }

  /// Whether the bytes are those of a word.
  func equals(_ word: StaticString) -> Bool {
    guard count == word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { letters in
      for index in 0..<letters.count where unsafe letters[index] != self[index] { return false }
      return true
    }
  }

  /// Whether the bytes from `start` on are those of an ASCII word in capitals, whatever case they are in.
  func startsIgnoringCase(_ word: StaticString, at start: Int = 0) -> Bool {
    guard count - start >= word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { letters in
      for index in 0..<letters.count where unsafe letters[index] != self[start + index].asciiCapital {
        return false
      }
      return true
    }
  }

  /// Whether the bytes are those of an ASCII word in capitals, whatever case they are in.
  func equalsIgnoringCase(_ word: StaticString) -> Bool {
    count == word.utf8CodeUnitCount && startsIgnoringCase(word)
  }

  /// Whether the bytes are those of `other` but for the case of ASCII letters.
  func equalsIgnoringCase(_ other: borrowing ContiguousArray<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in 0..<count where self[index].asciiCapital != other[index].asciiCapital { return false }
    return true
  }

  /// The index of the first byte of the quoted `key` of a JSON object with a colon behind it, from `start` on;
  /// nil if there is none.
  func firstKey(_ key: StaticString, from start: Int = 0) -> Int? {
    let length = key.utf8CodeUnitCount
    var index = start
    while index + length + 2 <= count {
      if self[index] == UInt8(ascii: "\""), self[index + length + 1] == UInt8(ascii: "\""),
        extracting(index + 1..<index + 1 + length).equals(key)
      {
        var next = index + length + 2
        while next < count, self[next].isASCIISpace { next += 1 }
        if next < count, self[next] == UInt8(ascii: ":") { return index }
      }
      index += 1
    }
    return nil
  }

  /// The index of the first byte from `start` on that is no white space, or the count.
  func skippingSpace(from start: Int = 0) -> Int {
    var index = start
    while index < count, self[index].isASCIISpace { index += 1 }
    return index
  }
}

extension UInt8 {
  var asciiCapital: UInt8 { self &- 0x61 < 26 ? self - 0x20 : self }
  var isASCIISpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}

extension ContiguousArray where Element == UInt8 {
  /// The bytes of a span.
  init(copying bytes: Span<UInt8>) {
    self = []
    append(bytes)
  }

  /// Adds bytes at the end.
  mutating func append(_ bytes: Span<UInt8>) {
    for index in 0..<bytes.count { append(bytes[index]) }
  }
}
