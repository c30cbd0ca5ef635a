// Threads, and the locks with which one waits for another. Stages are synchronous and each belongs to one thread, so they
// need no task scheduler. State that no thread waits for needs only a Mutex of the Synchronization module.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// Not unsafe: on Apple's systems the handle is a pointer, which nothing here follows.
@safe
public struct WorkerThread: Sendable {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  #if canImport(Glibc)
    private let thread: pthread_t
  #else
    // The handle may be passed between threads; the thread is joined at most once, by its owner.
    nonisolated(unsafe) private let thread: pthread_t
  #endif

  public init(name: String, _ run: @escaping @Sendable () -> Void) throws(SystemError) {
    let body = unsafe Unmanaged.passRetained(Body(run)).toOpaque()
    #if canImport(Glibc)
      var started = pthread_t()
      let code = unsafe pthread_create(
        &started, nil,
        { argument in
          unsafe Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
          return nil
        }, body)
    #else
      var made: pthread_t?
      var attributes = pthread_attr_t()
      unsafe pthread_attr_init(&attributes)
      defer { unsafe pthread_attr_destroy(&attributes) }
      // Like on Linux, where a thread has as much as the main thread. The default is 512 KiB.
      unsafe pthread_attr_setstacksize(&attributes, 8 * 1024 * 1024)
      let code = unsafe pthread_create(
        &made, &attributes,
        { argument in
          unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
          return nil
        }, body)
    #endif
    guard code == 0 else {
      unsafe Unmanaged<Body>.fromOpaque(body).release()
      throw SystemError(.startThread, name, Errno(rawValue: code))
    }
    #if canImport(Glibc)
      thread = started
    #else
      unsafe thread = made!
    #endif
  }

  /// Waits until the closure has returned. Call it once.
  public func join() {
    #if canImport(Glibc)
      pthread_join(thread, nil)
    #else
      unsafe pthread_join(thread, nil)
    #endif
  }

  /// Detaches the thread: nothing will wait for it. Call it once, and not together with `join`.
  public func detach() {
    #if canImport(Glibc)
      pthread_detach(thread)
    #else
      unsafe pthread_detach(thread)
    #endif
  }
}

@safe
public struct ConditionLock: ~Copyable, @unchecked Sendable {
  fileprivate let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  public init() {
    unsafe pthread_mutex_init(mutex, nil)
    unsafe pthread_cond_init(changed, nil)
  }

  deinit {
    unsafe pthread_cond_destroy(changed)
    unsafe pthread_mutex_destroy(mutex)
    unsafe changed.deallocate()
    unsafe mutex.deallocate()
  }

  public func lock() { unsafe pthread_mutex_lock(mutex) }
  public func unlock() { unsafe pthread_mutex_unlock(mutex) }

  /// Releases the lock, waits for a signal and acquires the lock again. It may also return without a signal, so check
  /// the condition again. Call it only while holding the lock.
  public func wait() { unsafe pthread_cond_wait(changed, mutex) }

  /// Waits like ``wait()``, but not beyond a deadline. Returns false once the deadline has passed.
  public func wait(until deadline: Deadline) -> Bool {
    var time = deadline.time
    return unsafe pthread_cond_timedwait(changed, mutex, &time) != ETIMEDOUT
  }

  public func signal() { unsafe pthread_cond_signal(changed) }
  public func broadcast() { unsafe pthread_cond_broadcast(changed) }

  /// A moment after which a thread stops waiting.
  public struct Deadline: Sendable {
    fileprivate let time: timespec

    public init(after limit: Duration) {
      var time = timespec()
      unsafe clock_gettime(CLOCK_REALTIME, &time)
      let (seconds, attoseconds) = limit.components
      let nanoseconds = time.tv_nsec + Int(attoseconds / 1_000_000_000)
      // The upper bound, 35,000 years, keeps the sum from overflowing.
      time.tv_sec += Int(clamping: min(max(seconds, 0), 1 << 40)) + nanoseconds / 1_000_000_000
      time.tv_nsec = nanoseconds % 1_000_000_000
      self.time = time
    }
  }
}

/// A condition variable for one of several conditions that threads wait for with the same lock.
@safe
public struct WaitCondition: ~Copyable, @unchecked Sendable {
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  public init() { unsafe pthread_cond_init(changed, nil) }

  deinit {
    unsafe pthread_cond_destroy(changed)
    unsafe changed.deallocate()
  }

  /// Waits like ``ConditionLock/wait()``, but for ``signal()`` of this value. Call it only while holding `lock`.
  public func wait(holding lock: borrowing ConditionLock) { unsafe pthread_cond_wait(changed, lock.mutex) }

  public func signal() { unsafe pthread_cond_signal(changed) }
  public func broadcast() { unsafe pthread_cond_broadcast(changed) }
}
