// Ctrl-C and `kill`: unfinished files are removed, and the process ends with status 130 or 143.

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The handling of SIGINT, SIGTERM and SIGHUP.
public enum Interruption {
  private static let action = Mutex<(@Sendable () -> Void)?>(nil)

  /// Sets what a signal does before unfinished files are removed; nil for nothing. It must not wait for long, because the
  /// user waits for the end of the process.
  package static func onSignal(_ newAction: (@Sendable () -> Void)?) {
    action.withLock { $0 = newAction }
  }

  /// Makes these signals remove unfinished files and end the process with status 128 + the signal's number.
  ///
  /// The signals are blocked in this thread and in every thread started later, and one thread waits for them: unlike a
  /// signal handler, it may take locks. Call this before any other thread starts. Only the first call has an effect.
  public static func cleanUp() { once }

  private static let once: Void = begin()

  private static func begin() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for number in [SIGINT, SIGTERM, SIGHUP] {
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
      guard unsafe sigwait(&waiting, &received) == 0 else { return }
      let action = Interruption.action.withLock { $0 }
      action?()
      UnpublishedFiles.shared.removeAllAndEnd(status: 128 + received)
    }
  }
}
