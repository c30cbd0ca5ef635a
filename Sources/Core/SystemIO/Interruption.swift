// Ctrl-C and `kill`: what was half-written is removed, and the process ends with 130 or 143.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The handling of SIGINT, SIGTERM and SIGHUP.
public enum Interruption {
  /// From now on they remove what is half-written and end the process with 128 + the signal.
  ///
  /// Only the first call does anything. The signals are blocked here, and in every thread started later, and one thread waits for them: unlike a
  /// handler it may take locks. Call it before any other thread starts.
  public static func cleanUp() { once }

  private static let once: Void = begin()

  private static func begin() {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    for wanted in [SIGINT, SIGTERM, SIGHUP] {
      // A parent that ignores a signal (nohup) wants its children to.
      var now = sigaction()
      unsafe sigaction(wanted, nil, &now)
      #if canImport(Glibc)
        let ignored = unsafe unsafeBitCast(now.__sigaction_handler.sa_handler, to: Int.self) == 1
      #else
        let ignored = unsafe unsafeBitCast(now.__sigaction_u.__sa_handler, to: Int.self) == 1
      #endif
      if !ignored { unsafe sigaddset(&signals, wanted) }
    }
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    let wanted = signals
    _ = try? WorkerThread(name: "signals") {
      var waiting = wanted
      var received: Int32 = 0
      guard unsafe sigwait(&waiting, &received) == 0 else { return }
      UnpublishedFiles.shared.removeAllAndEnd(status: 128 + received)
    }
  }
}
