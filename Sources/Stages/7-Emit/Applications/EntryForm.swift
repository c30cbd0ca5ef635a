// What a list of another application looks like: texts around the number of each entry.
//
// Not for: writing them (EntryTarget), or formats that are not such texts.

import Records

/// The form of a list: a header, entries with a separator between them, a footer.
protocol EntryForm {
  /// The bytes before the first entry.
  var header: [UInt8] { get }
  /// The bytes between two entries.
  var separator: [UInt8] { get }
  /// The bytes after the last entry.
  var footer: [UInt8] { get }
  /// The numbers of open digits that a pattern may have, if the format writes ranges as patterns. Numbers outside such
  /// blocks are written one by one.
  var openDigits: ClosedRange<Int> { get }
  /// The bytes before and after the number of an entry. They depend only on the other fields of the record.
  func surroundings(_ fields: RecordFields.Fields) -> (before: [UInt8], after: [UInt8])
  /// Appends a number, or the pattern of a block if the format writes ranges as patterns.
  func append(_ block: NumberBlock, to text: inout [UInt8])
  /// The fields whose contents the format can't represent, so that ``surroundings(_:)`` writes something else.
  func replaced(in fields: RecordFields.Fields) -> RecordFieldSet
}

extension EntryForm {
  var header: [UInt8] { [] }
  var separator: [UInt8] { [] }
  var footer: [UInt8] { [] }
  var openDigits: ClosedRange<Int> { NumberBlock.anyOpenDigits }
  func replaced(in fields: RecordFields.Fields) -> RecordFieldSet { [] }
}
