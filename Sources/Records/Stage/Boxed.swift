// A value that is stored apart from its owner.

/// Stores a value in memory of its own, so that a large and mostly absent property adds one word to its owner: a
/// pipeline may have tens of thousands of sources.
package indirect enum Boxed<Value> {
  /// The value.
  case value(Value)

  /// The value.
  package var value: Value {
    switch self {
    case .value(let value): value
    }
  }
}

extension Boxed: Sendable where Value: Sendable {}
