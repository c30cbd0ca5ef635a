// The labels of a batch as text, for records whose labels may be new to the store.
//
// Not for: what they are called in it (StoreNames).

public import CallStoreFormat

/// Where a label's bytes stand in its batch's text, and what kind of record it makes.
public struct LabelSpan: Sendable {
  private let startByte: UInt32
  private let byteCount: UInt32
  /// What kind of record it makes.
  public let kind: StoreKind
  /// Whether those bytes are the label; otherwise it is to be had elsewhere, without its escapes.
  public let isPlain: Bool

  /// A label's place. A batch's text is shorter than 4 GiB.
  public init(start: Int, count: Int, kind: StoreKind, isPlain: Bool) {
    startByte = UInt32(start)
    byteCount = UInt32(count)
    self.kind = kind
    self.isPlain = isPlain
  }

  /// The first byte's place in the text.
  public var start: Int { Int(startByte) }
  /// How many bytes those are.
  public var count: Int { Int(byteCount) }
}

/// The labels of a batch: their text, and each one's place in it.
public struct BatchLabels: ~Copyable, ~Escapable {
  let text: Span<UInt8>
  let places: Span<LabelSpan>

  /// Labels that stand in `text`.
  @_lifetime(copy text, copy places)
  public init(text: Span<UInt8>, places: Span<LabelSpan>) {
    self.text = text
    self.places = places
  }

  /// A label's bytes.
  @_lifetime(copy self)
  borrowing func label(_ place: LabelSpan) -> Span<UInt8> {
    text.extracting(place.start..<place.start &+ place.count)
  }
}
