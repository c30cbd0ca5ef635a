// A value that one thread sets and others wait for.

import SystemIO

/// Holds one value: the first value that is set stays, and every waiter receives it.
///
/// `@unchecked Sendable`: `value` is accessed only while `lock` is held.
public final class OneAnswer<Value: Sendable>: @unchecked Sendable {
  private let lock = ConditionLock()
  private var value: Value?

  /// Creates an empty box.
  public init() {}

  /// Sets the value unless it is set already. Returns whether it was the first.
  @discardableResult
  public func give(_ value: Value) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    if self.value != nil { return false }
    self.value = value
    lock.broadcast()
    return true
  }

  /// The value; nil if it is not set yet.
  public var present: Value? {
    lock.lock()
    defer { lock.unlock() }
    return value
  }

  /// Waits for the value.
  public func wait() -> Value {
    lock.lock()
    defer { lock.unlock() }
    while true {
      if let value { return value }
      lock.wait()
    }
  }

  /// Waits for the value; nil if it is not set in time.
  public func wait(atMost limit: Duration) -> Value? {
    let deadline = ConditionLock.Deadline(after: limit)
    lock.lock()
    defer { lock.unlock() }
    while value == nil, lock.wait(until: deadline) {}
    return value
  }
}
