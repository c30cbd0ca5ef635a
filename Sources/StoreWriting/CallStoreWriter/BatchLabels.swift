// The labels of a batch as text, for records whose labels may be new to the store.
//
// Not for: the names of the labels in the store (StoreNames).

package import CallStoreFormat

/// The position of a label's bytes in its batch's text, and the kind of its records.
package struct LabelSpan: Sendable {
  private let startByte: UInt32
  private let byteCount: UInt32
  /// The kind of the label's records.
  package let kind: StoreKind
  /// Whether the bytes are the label. False if they contain escapes.
  package let isPlain: Bool

  /// Makes a span. A batch's text is shorter than 4 GiB.
  package init(start: Int, count: Int, kind: StoreKind, isPlain: Bool) {
    startByte = UInt32(start)
    byteCount = UInt32(count)
    self.kind = kind
    self.isPlain = isPlain
  }

  /// The offset of the first byte in the text.
  package var start: Int { Int(startByte) }
  /// The number of bytes.
  package var count: Int { Int(byteCount) }
}

/// The labels of a batch: their text, and the span of each.
package struct BatchLabels: ~Copyable, ~Escapable {
  let text: Span<UInt8>
  let spans: Span<LabelSpan>

  /// Makes the labels of a text.
  @_lifetime(copy text, copy spans)
  package init(text: Span<UInt8>, spans: Span<LabelSpan>) {
    self.text = text
    self.spans = spans
  }

  /// A label's bytes.
  @_lifetime(copy self)
  borrowing func label(_ span: LabelSpan) -> Span<UInt8> {
    text.extracting(span.start..<span.start &+ span.count)
  }
}
