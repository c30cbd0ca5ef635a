// Rows and rejects of formats whose records can't be located by their bytes in the window: the reader reports the
// position of each record.
//
// Not for: formats that are read in place (RowWriter).

import Records

/// The start of a record in its input.
struct RecordPosition: Equatable {
  /// The line; the first is 1.
  var line: UInt64 = 1
  /// The byte offset; the first is 0.
  var byte: UInt64 = 0
}

extension RowWriter {
  /// Adds a row whose record starts at `place`, or rejects it, with its number as the text.
  mutating func add(_ fields: inout RowFields, at place: RecordPosition) throws(Failure) {
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

  /// Rejects a record, with its number as the text, or its label if it has no number.
  mutating func reject(
    _ fields: borrowing RowFields, at place: RecordPosition, _ reason: ParseReject
  ) throws(Failure) {
    if fields.number.isEmpty {
      try reject(line: place.line, byte: place.byte, reason, text: fields.label.span)
    } else {
      try reject(line: place.line, byte: place.byte, reason, text: fields.number.span)
    }
  }
}
