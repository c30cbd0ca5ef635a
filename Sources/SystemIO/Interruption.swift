// Ctrl-C and `kill`: unfinished files are removed, and the process ends with status 130 or 143. Ctrl-Z stops it.

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The handling of SIGINT, SIGTERM, SIGHUP and SIGTSTP.
package enum Interruption {
  /// What a signal does to the process.
  package enum Event: Sendable {
    /// It is about to end. Unfinished files are removed after this.
    case ending
    /// Unfinished files are removed, and it ends now.
    case ended
    /// It is about to stop (Ctrl-Z).
    case stopping
    /// It runs again.
    case resumed
  }

  private static let observer = Mutex<(@Sendable (Event) -> Void)?>(nil)

  /// Sets what is called for each event. It must not wait for long, because the user waits for the process.
  package static func observe(_ newObserver: @escaping @Sendable (Event) -> Void) {
    observer.withLock { $0 = newObserver }
  }

  /// Makes these signals remove unfinished files and end the process with status 128 + the signal's number; SIGTSTP
  /// stops it, as without this.
  ///
  /// The signals are blocked in this thread and in every thread started later, and one thread waits for them: unlike a
  /// signal handler, it may take locks. Call this before any other thread starts. Only the first call has an effect.
  package static func cleanUp() { once }

  private static let once: Void = begin()

  private static func begin() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGTSTP] {
      // A signal that the parent process ignores (nohup) stays ignored.
      var now = sigaction()
      unsafe sigaction(number, nil, &now)
      #if canImport(Glibc)
        let ignored = unsafe unsafeBitCast(now.__sigaction_handler.sa_handler, to: Int.self) == 1
      #else
        let ignored = unsafe unsafeBitCast(now.__sigaction_u.__sa_handler, to: Int.self) == 1
      #endif
      if !ignored { unsafe sigaddset(&signals, number) }
    }
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    let blocked = signals
    _ = try? WorkerThread(name: "signals") {
      var waiting = blocked
      var received: Int32 = 0
      while unsafe sigwait(&waiting, &received) == 0 {
        let observer = Interruption.observer.withLock { $0 }
        if received == SIGTSTP {
          observer?(.stopping)
          stop()
          observer?(.resumed)
        } else {
          observer?(.ending)
          UnpublishedFiles.shared.removeAllAndEnd(status: 128 + received) { observer?(.ended) }
        }
      }
    }
  }

  /// Stops the process until it is continued.
  private static func stop() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGTSTP)
    unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    raise(SIGTSTP)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
  }
}
