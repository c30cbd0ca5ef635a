// A value that one thread gives and others wait for.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A place for one value: the first one given stays, and whoever waits gets it.
///
/// `@unchecked Sendable`: `value` is read and written with `mutex` held, and nowhere else.
@safe
public final class OneAnswer<Value: Sendable>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let given = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value?

  /// Makes an empty place.
  public init() {
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(given, nil)
  }

  deinit {
    unsafe pthread_cond_destroy(given)
    unsafe pthread_mutex_destroy(mutex)
    unsafe given.deallocate()
    unsafe mutex.deallocate()
  }

  /// Gives the value, unless there is one. Returns whether it was the first.
  @discardableResult
  public func give(_ value: Value) -> Bool {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    if self.value != nil { return false }
    self.value = value
    unsafe pthread_cond_broadcast(given)
    return true
  }

  /// The value, if there is one already.
  public var present: Value? {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return value
  }

  /// Waits for the value.
  public func wait() -> Value {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while true {
      if let value { return value }
      unsafe pthread_cond_wait(given, mutex)
    }
  }

  /// Waits for the value; nil when it did not come in time.
  public func wait(atMost limit: Duration) -> Value? {
    var deadline = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &deadline)
    let (seconds, attoseconds) = limit.components
    // A limit of centuries is none; this one can't overflow.
    let nanoseconds = deadline.tv_nsec + Int(attoseconds / 1_000_000_000)
    deadline.tv_sec += Int(clamping: min(max(seconds, 0), 1 << 40)) + nanoseconds / 1_000_000_000
    deadline.tv_nsec = nanoseconds % 1_000_000_000
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while value == nil {
      let code = unsafe pthread_cond_timedwait(given, mutex, &deadline)
      if code == ETIMEDOUT { break }
    }
    return value
  }
}
