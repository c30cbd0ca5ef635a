// A thread. Stages are synchronous and each belongs to one thread, so they need no task scheduler.

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A thread that runs one closure.
package struct WorkerThread: Sendable {
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

  /// Starts a thread.
  package init(name: String, _ run: @escaping @Sendable () -> Void) throws(SystemError) {
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
      let code = unsafe pthread_create(
        &made, nil,
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
  package func join() {
    #if canImport(Glibc)
      pthread_join(thread, nil)
    #else
      unsafe pthread_join(thread, nil)
    #endif
  }

  /// Detaches the thread: nothing will wait for it. Call it once, and not together with `join`.
  package func detach() {
    #if canImport(Glibc)
      pthread_detach(thread)
    #else
      unsafe pthread_detach(thread)
    #endif
  }
}
