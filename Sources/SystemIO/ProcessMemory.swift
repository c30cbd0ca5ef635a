// The process's memory and CPU time: how freed memory returns to the system, peaks and limits.

import CIntrinsics

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The process's memory and CPU time.
package enum ProcessMemory {
  /// Makes the allocator return large blocks to the system when they are freed. Call this before any is allocated.
  package static func returnLargeBlocks() {
    cdp_return_large_blocks()
  }

  /// The peak resident memory in bytes; 0 if the system does not report it.
  ///
  /// On Linux this is `VmHWM`: `getrusage` also counts the memory that the process had before it executed this program.
  package static func peakBytes() -> UInt64 {
    #if os(Linux)
      return peakBytes(of: "self") ?? 0
    #else
      var usage = rusage()
      return unsafe getrusage(RUSAGE_SELF, &usage) == 0 ? UInt64(clamping: usage.ru_maxrss) : 0
    #endif
  }

  #if os(Linux)
    /// The peak resident memory of another process so far, in bytes; nil if it has ended.
    package static func peakBytes(ofProcess identifier: Int32) -> UInt64? {
      peakBytes(of: String(identifier))
    }

    private static func peakBytes(of process: String) -> UInt64? {
      guard let file = unsafe fopen("/proc/\(process)/status", "r") else { return nil }
      defer { unsafe fclose(file) }
      // The file has about 60 lines.
      var page = [UInt8](repeating: 0, count: 8192)
      let count = unsafe page.withUnsafeMutableBytes { unsafe fread($0.baseAddress, 1, $0.count, file) }
      for line in String(decoding: page[..<count], as: UTF8.self).split(separator: "\n") {
        guard line.hasPrefix("VmHWM:") else { continue }
        return UInt64(line.filter { $0.isASCII && $0.isNumber }).map { $0 * 1024 }
      }
      return nil
    }
  #endif

  /// The main memory of the machine in bytes; `Int.max` if the system does not report it.
  package static var physicalBytes: Int {
    let pages = sysconf(Int32(_SC_PHYS_PAGES))
    let page = sysconf(Int32(_SC_PAGESIZE))
    let (bytes, overflow) = pages.multipliedReportingOverflow(by: page)
    return pages > 0 && page > 0 && !overflow ? bytes : Int.max
  }

  /// The limit of the memory that the process may reserve, in bytes (`ulimit -v`, `ulimit -d`); nil if there is none.
  package static var limitBytes: Int? {
    #if os(Linux)
      let kinds = [RLIMIT_AS, RLIMIT_DATA].map { CInt($0.rawValue) }
    #else
      let kinds = [RLIMIT_DATA]
    #endif
    var lowest: Int?
    for kind in kinds {
      var limit = rlimit()
      guard unsafe getrlimit(kind, &limit) == 0, limit.rlim_cur < UInt64(Int.max) else { continue }
      lowest = min(lowest ?? Int.max, Int(limit.rlim_cur))
    }
    return lowest
  }

  /// The CPU time of all threads of the process, in seconds.
  package static func cpuSeconds() -> Double {
    var now = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
  }
}
