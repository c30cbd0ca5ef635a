// Writes the fields of a record in the text form, from bytes.
//
// Not for: fields that are strings (RecordFields.bytes).

extension RecordFields {
  /// Adds a field, escaped.
  package static func appendEscaped(_ bytes: Span<UInt8>, to result: inout ContiguousArray<UInt8>) {
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
  package static func appendTail(
    source: Span<UInt8>, score: Span<UInt8>, to result: inout ContiguousArray<UInt8>
  ) {
    if source.isEmpty && score.isEmpty { return }
    result.append(Byte.tab)
    appendEscaped(source, to: &result)
    if score.isEmpty { return }
    result.append(Byte.tab)
    for index in 0..<score.count { result.append(score[index]) }
  }
}
