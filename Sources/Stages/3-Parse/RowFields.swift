// One row as most formats find it: four fields of plain bytes, which have not been checked or escaped, and without the
// constants of the options. Used by all formats except JSON, which copies fewer bytes.
//
// Not for: finding the fields (the readers).

import Records

/// The fields of one row, unescaped and unchecked. A reader reuses one for all rows.
struct RowFields {
  /// The number's text.
  package var number: ContiguousArray<UInt8> = []
  /// The label; empty when there is none.
  package var label: ContiguousArray<UInt8> = []
  /// The source; empty when there is none.
  package var source: ContiguousArray<UInt8> = []
  /// The score's digits; empty when there is none.
  package var score: ContiguousArray<UInt8> = []

  /// Makes empty fields.
  init() {}

  /// Adds the last number of a range to the number, as in the text form: `first..last`.
  mutating func appendLast(_ last: ContiguousArray<UInt8>) {
    if last.isEmpty || last == number { return }
    number += "..".utf8
    number += last
  }

  /// Empties the fields and keeps their memory.
  package mutating func removeAll() {
    number.removeAll(keepingCapacity: true)
    label.removeAll(keepingCapacity: true)
    source.removeAll(keepingCapacity: true)
    score.removeAll(keepingCapacity: true)
  }
}

/// The fields that are the same for every row.
struct ConstantFields {
  package var number: ContiguousArray<UInt8>?
  var label: ContiguousArray<UInt8>?
  var source: ContiguousArray<UInt8>?
  var score: ContiguousArray<UInt8>?

  init(_ options: ParseOptions) {
    number = options.numberField?.constantBytes
    label = options.labelField?.constantBytes
    source = options.sourceField?.constantBytes
    // In its shortest form. A text that is not a score is kept, so that each row is rejected.
    score = options.scoreField?.constantBytes
    if let text = score, let number = Int64(String(decoding: text, as: UTF8.self)) {
      score = ContiguousArray(String(number).utf8)
    }
  }
}

extension RowFields {
  /// Writes the record fields of a row: its label, source and score, escaped, with the constants.
  ///
  /// Throws the reason why the row can't be used. Also checks the number's text, and converts it to a whole number.
  mutating func writeFields(
    _ constants: ConstantFields, to recordFields: inout ContiguousArray<UInt8>
  ) throws(ParseReject) {
    if constants.number == nil { try SpreadsheetNumber.makeWhole(&number) }
    let text = constants.number ?? number
    let label = constants.label ?? label
    let source = constants.source ?? source
    if text.count > RawRowBatch.textBytesMax {
      throw .numberTooLong(bytes: text.count, limit: RawRowBatch.textBytesMax)
    }
    guard UTF8Check.isValid(text.span) else { throw .invalidUTF8 }
    recordFields.removeAll(keepingCapacity: true)
    RecordFields.appendEscaped(label.span, to: &recordFields)
    let score = try Self.canonicalScore(constants.score ?? score)
    RecordFields.appendTail(source: source.span, score: score.span, to: &recordFields)
    if recordFields.count > RecordFields.bytesMax {
      throw .fieldsTooLong(bytes: recordFields.count, limit: RecordFields.bytesMax)
    }
    guard UTF8Check.isValid(recordFields.span) else { throw .invalidUTF8 }
  }

  /// Returns the shortest form of a 64-bit integer; an empty text stays empty.
  static func canonicalScore(_ text: ContiguousArray<UInt8>) throws(ParseReject) -> ContiguousArray<UInt8> {
    if text.isEmpty { return text }
    guard text.count <= RawRowBatch.textBytesMax, let score = Int64(String(decoding: text, as: UTF8.self))
    else { throw .badScore }
    return ContiguousArray(String(score).utf8)
  }
}

extension RowWriter {
  /// Adds a row made from the bytes of `window` from `start` to `end`, or rejects those bytes.
  mutating func add(
    _ fields: inout RowFields, madeOf window: Span<UInt8>, from start: Int, to end: Int
  ) throws(Failure) {
    var recordFields: ContiguousArray<UInt8> = []
    do throws(ParseReject) {
      try fields.writeFields(constants, to: &recordFields)
    } catch {
      return try reject(window, from: start, to: end, error)
    }
    if let number = constants.number {
      try add(number.span, recordFields.span)
    } else {
      try add(fields.number.span, recordFields.span)
    }
  }
}
