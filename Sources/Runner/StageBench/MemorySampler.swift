// Samples the memory of processes until they end.
//
// The peak that the system reports for a process that has ended includes this process's memory at the time of the fork,
// which is more than a small filter needs.

import Synchronization
import SystemIO

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Samples the memory of processes from its own thread.
package final class MemorySampler: Sendable {
  /// The interval between samples. Peaks in a process's last few milliseconds are missed.
  private static let intervalMicroseconds: UInt32 = 4000

  private let processes: [Int32]
  private let peaks: Mutex<[UInt64]>
  private let isStopped = Atomic<Bool>(false)
  private let thread = Mutex<WorkerThread?>(nil)

  /// Starts sampling.
  package init(_ processes: [Int32]) {
    self.processes = processes
    peaks = Mutex(processes.map { _ in 0 })
    let started = try? WorkerThread(name: "memory") { [self] in
      while !isStopped.load(ordering: .relaxed) {
        sample()
        usleep(Self.intervalMicroseconds)
      }
    }
    thread.withLock { $0 = started }
  }

  /// Stops, and returns the peak of each process; 0 for one that was never sampled.
  package func stop() -> [UInt64] {
    isStopped.store(true, ordering: .relaxed)
    thread.withLock { $0.take() }?.join()
    return peaks.withLock { $0 }
  }

  private func sample() {
    #if os(Linux)
      for (index, process) in processes.enumerated() {
        guard let bytes = ProcessMemory.peakBytes(ofProcess: process) else { continue }
        peaks.withLock { $0[index] = max($0[index], bytes) }
      }
    #endif
  }
}
