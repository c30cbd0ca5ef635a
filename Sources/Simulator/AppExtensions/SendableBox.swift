// Apple's classes are not Sendable, and yet frameworks pass them from one thread to another, one at a time. This declares it
// where it happens.

/// A value that is handed to another thread. One value each: Swift 6.3.1 releases an object too often when a tuple with a
/// closure in it is taken apart again on the other side.
///
/// `@unchecked Sendable`: the code that creates one ensures that the sender releases the value, or that both threads use it
/// alternately, as Apple's frameworks do.
package struct SendableBox<Value>: @unchecked Sendable {
  /// The value.
  package let value: Value

  /// Hands a value over.
  package init(_ value: Value) {
    self.value = value
  }
}

/// A value that is handed to another thread, which does not keep it alive.
///
/// `@unchecked Sendable`: as with ``SendableBox``; the reference itself is counted atomically.
package final class WeakSendableBox<Value: AnyObject>: @unchecked Sendable {
  /// The value, while somebody else holds it.
  package private(set) weak var value: Value?

  /// Hands a value over.
  package init(_ value: Value) {
    self.value = value
  }
}
