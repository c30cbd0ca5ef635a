// Apple's classes are not Sendable, but frameworks pass them between threads, one thread at a time. These boxes mark
// the places where this happens.

/// A value that is passed to another thread. Only one value per box: Swift 6.3.1 releases an object too often when a
/// tuple that contains a closure is destructured on the other side.
///
/// `@unchecked Sendable`: the code that creates it ensures that the sender releases the value, or that both threads use
/// it alternately, as Apple's frameworks do.
package struct SendableBox<Value>: @unchecked Sendable {
  /// The value.
  package let value: Value

  /// Wraps a value.
  package init(_ value: Value) {
    self.value = value
  }
}

/// A value that is passed to another thread without keeping it alive.
///
/// `@unchecked Sendable`: as with ``SendableBox``; the reference itself is counted atomically.
package final class WeakSendableBox<Value: AnyObject>: @unchecked Sendable {
  /// The value; nil once it is deallocated.
  package private(set) weak var value: Value?

  /// Wraps a value.
  package init(_ value: Value) {
    self.value = value
  }
}
