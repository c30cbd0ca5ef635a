// A record and a raw row as plain values, for expectations.

/// A record as a plain value.
package struct TestRecord: Hashable, Sendable, CustomStringConvertible {
  package var first: UInt64
  package var last: UInt64
  /// The record fields in the text form.
  package var recordFields: [UInt8]

  package init(_ first: UInt64, _ last: UInt64, _ recordFields: [UInt8]) {
    self.first = first
    self.last = last
    self.recordFields = recordFields
  }

  /// Creates a record; without a last number, it has one number.
  package init(_ first: UInt64, to last: UInt64? = nil, _ recordFields: String = "") {
    self.init(first, last ?? first, Array(recordFields.utf8))
  }

  /// The record's line in the text form, without its line feed.
  package var description: String {
    let numbers = first == last ? "\(first)" : "\(first)..\(last)"
    return recordFields.isEmpty ? numbers : "\(numbers)\t\(String(decoding: recordFields, as: UTF8.self))"
  }
}

/// A raw row as a plain value.
package struct TestRow: Hashable, Sendable, CustomStringConvertible {
  /// Its ordinal in the stream; the first is 1.
  package var ordinal: UInt64
  /// The number's text, not escaped.
  package var text: [UInt8]
  /// The record fields in the text form.
  package var recordFields: [UInt8]

  package init(_ ordinal: UInt64, text: [UInt8], recordFields: [UInt8] = []) {
    self.ordinal = ordinal
    self.text = text
    self.recordFields = recordFields
  }

  package init(_ ordinal: UInt64, _ text: String, _ recordFields: String = "") {
    self.init(ordinal, text: Array(text.utf8), recordFields: Array(recordFields.utf8))
  }

  /// Ordinal, text and record fields, for messages.
  package var description: String {
    "\(ordinal): '\(String(decoding: text, as: UTF8.self))' '\(String(decoding: recordFields, as: UTF8.self))'"
  }
}

/// The records' text form.
package func lines(_ records: [TestRecord]) -> [UInt8] {
  var result: [UInt8] = []
  for record in records {
    result.append(contentsOf: record.description.utf8)
    result.append(UInt8(ascii: "\n"))
  }
  return result
}
