// A folded text: symbols in a buffer of fixed size.

/// The symbols of a folded text. Symbols that don't fit are omitted, which the buffer records; the limits are those of
/// real texts.
@safe
package struct SymbolBuffer: ~Copyable {
  /// The number of zeros after the last symbol, for loops that look ahead.
  package static let padding = KeywordPrefixes.symbols - 1

  private let start: UnsafeMutablePointer<UInt16>
  /// The number of symbols that fit.
  package let capacity: Int
  /// The number of symbols.
  package private(set) var count = 0
  /// Whether symbols were omitted, so that the text continues after the last one.
  package private(set) var isCut = false

  /// Makes an empty buffer.
  package init(capacity: Int) {
    unsafe start = .allocate(capacity: capacity + Self.padding)
    unsafe start.initialize(repeating: 0, count: capacity + Self.padding)
    self.capacity = capacity
  }

  deinit {
    unsafe start.deallocate()
  }

  /// The symbols, and the padding after them, for loops that respect the count.
  @inline(__always)
  var pointer: UnsafePointer<UInt16> { unsafe UnsafePointer(start) }

  /// Lets `fill` replace the symbols. It receives the capacity, and returns the number of symbols that it wrote and
  /// whether there were more.
  @inline(__always)
  package mutating func fill(
    _ fill: (UnsafeMutablePointer<UInt16>, _ capacity: Int) -> (count: Int, isCut: Bool)
  ) {
    let (written, isCut) = unsafe fill(start, capacity)
    precondition(written >= 0 && written <= capacity, "more symbols were written than the capacity")
    count = written
    self.isCut = isCut
    // A loop that looks ahead finds zeros.
    for index in 0..<Self.padding { unsafe start[written + index] = 0 }
  }

  /// The symbols.
  package var symbols: Span<UInt16> {
    @_lifetime(borrow self)
    borrowing get {
      let symbols = unsafe Span(_unsafeStart: UnsafePointer(start), count: count)
      return unsafe _overrideLifetime(symbols, borrowing: self)
    }
  }
}
