// Elapsed time for progress and reports. The output of stages never depends on it.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The system clock that never goes back.
package enum MonotonicClock {
  /// Seconds since an unspecified moment, the same for the whole process.
  package static func seconds() -> Double {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }
}
