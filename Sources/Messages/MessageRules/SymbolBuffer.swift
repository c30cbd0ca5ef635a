// A folded text: symbols in a buffer of fixed size.

/// The symbols of a folded text. What does not fit is left out, and the buffer records it; the limits of a text are those
/// of real ones.
@safe
package struct SymbolBuffer: ~Copyable {
  /// Symbols 0 after the last one, for loops that look some symbols ahead.
  package static let padding = KeywordPrefixes.symbols - 1

  private let start: UnsafeMutablePointer<UInt16>
  /// How many symbols fit.
  package let capacity: Int
  /// How many symbols there are.
  package private(set) var count = 0
  /// Whether there was more than fits: the text does not end where the symbols do.
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

  /// Lets `fill` replace the symbols; it gets the capacity, and returns how many it wrote and
  /// whether there were more.
  @inline(__always)
  package mutating func fill(
    _ fill: (UnsafeMutablePointer<UInt16>, _ capacity: Int) -> (count: Int, isCut: Bool)
  ) {
    let (written, isCut) = unsafe fill(start, capacity)
    precondition(written >= 0 && written <= capacity, "more symbols were written than the capacity")
    count = written
    self.isCut = isCut
    // What looks some symbols ahead finds none that matter.
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
