// Elapsed time and the time of day, for progress, reports and ages in days. The output of stages never depends on them.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

public enum MonotonicClock {
  /// Seconds since an unspecified moment, the same for the whole process.
  public static func seconds() -> Double {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }
}

public enum ProcessorClock {
  /// The processor time that this thread has used, in seconds.
  public static func threadSeconds() -> Double {
    var now = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }
}

public enum WallClock {
  public static func seconds() -> Double {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }

  /// Whole seconds since 1970, for ages in days.
  public static func wholeSeconds() -> Int64 { Int64(seconds()) }

  /// Formats seconds since 1970 as ISO 8601 in UTC, to the second: `2026-03-31T04:05:06Z`.
  public static func text(_ seconds: Double) -> String {
    // The last second of the year 9999; a later year would have five digits.
    text(ofWhole: Int64(max(0, min(seconds, 253_402_300_799))))
  }

  /// Formats whole seconds since 1970, of the years 1 to 9999, in the same way.
  public static func text(ofWhole seconds: Int64) -> String {
    var moment = time_t(seconds)
    var parts = unsafe tm()
    unsafe gmtime_r(&moment, &parts)
    func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let year = unsafe String(parts.tm_year + 1900)
    let zeros = String(repeating: "0", count: max(0, 4 - year.count))
    let date = unsafe "\(zeros)\(year)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
    let time = unsafe "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    return "\(date)T\(time)Z"
  }
}
