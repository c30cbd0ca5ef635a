// Apple's classes are not Sendable, and yet frameworks hand them from one thread to another, one at a time. This says so
// where it happens.

/// A value that is handed to another thread. One value each: Swift 6.3.1 releases an object too often when a tuple with a
/// closure in it is taken apart again on the other side.
///
/// `@unchecked Sendable`: whoever makes one sees to it that the giver lets go of the value, or that the two use it as
/// Apple's frameworks do, in turn.
package struct HandedOver<Value>: @unchecked Sendable {
  /// The value.
  package let value: Value

  /// Hands a value over.
  package init(_ value: Value) {
    self.value = value
  }
}

/// A value that is handed to another thread, which does not keep it alive.
///
/// `@unchecked Sendable`: as with ``HandedOver``; the reference itself is counted atomically.
package final class WeaklyHandedOver<Value: AnyObject>: @unchecked Sendable {
  /// The value, while somebody else holds it.
  package private(set) weak var value: Value?

  /// Hands a value over.
  package init(_ value: Value) {
    self.value = value
  }
}
