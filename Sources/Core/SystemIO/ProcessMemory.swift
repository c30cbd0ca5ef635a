// How the process keeps memory, so that what it used is not held for later, and how much it had.

import CMalloc

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The process's memory.
public enum ProcessMemory {
  /// From now on large blocks go back to the system when they are freed. Call it before the first of them.
  public static func returnLargeBlocks() {
    cdp_return_large_blocks()
  }

  /// The most memory that the process has had in main memory at a time, in bytes; 0 if the system does not say.
  ///
  /// On Linux it is `VmHWM`: `getrusage` also counts what the process had before it became this program.
  public static func peakBytes() -> UInt64 {
    #if os(Linux)
      return peakBytes(of: "self") ?? 0
    #else
      var usage = rusage()
      return unsafe getrusage(RUSAGE_SELF, &usage) == 0 ? UInt64(clamping: usage.ru_maxrss) : 0
    #endif
  }

  #if os(Linux)
    /// The most memory that another process has had so far, in bytes; nil when it is gone.
    public static func peakBytes(ofProcess identifier: Int32) -> UInt64? {
      peakBytes(of: String(identifier))
    }

    private static func peakBytes(of process: String) -> UInt64? {
      guard let file = unsafe fopen("/proc/\(process)/status", "r") else { return nil }
      defer { unsafe fclose(file) }
      // The file is a page of some 60 lines.
      var page = [UInt8](repeating: 0, count: 8192)
      let count = unsafe page.withUnsafeMutableBytes { unsafe fread($0.baseAddress, 1, $0.count, file) }
      for line in String(decoding: page[..<count], as: UTF8.self).split(separator: "\n") {
        guard line.hasPrefix("VmHWM:") else { continue }
        return UInt64(line.filter { $0.isASCII && $0.isNumber }).map { $0 * 1024 }
      }
      return nil
    }
  #endif

  /// The main memory of the machine, in bytes; `Int.max` if the system does not say.
  public static var physicalBytes: Int {
    let pages = sysconf(Int32(_SC_PHYS_PAGES))
    let page = sysconf(Int32(_SC_PAGESIZE))
    let (bytes, overflow) = pages.multipliedReportingOverflow(by: page)
    return pages > 0 && page > 0 && !overflow ? bytes : Int.max
  }

  /// The most memory that the process may reserve, whether it uses it or not, in bytes (`ulimit -v`, `ulimit -d`); nil for
  /// no limit.
  public static var limitBytes: Int? {
    #if os(Linux)
      let kinds = [RLIMIT_AS, RLIMIT_DATA].map { CInt($0.rawValue) }
    #else
      let kinds = [RLIMIT_DATA]
    #endif
    var least: Int?
    for kind in kinds {
      var limit = rlimit()
      guard unsafe getrlimit(kind, &limit) == 0, limit.rlim_cur < UInt64(Int.max) else { continue }
      least = min(least ?? Int.max, Int(limit.rlim_cur))
    }
    return least
  }

  /// The processors' time that the process has used, of all its threads, in seconds.
  public static func cpuSeconds() -> Double {
    var now = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }
}
