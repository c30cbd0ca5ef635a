// How much memory programs had while they ran: looked at now and then until they end.
//
// When a program has ended the system only tells what it had together with what this process had when it started it, and
// that is more than a small filter needs.

import Synchronization
import SystemIO

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Looks at programs' memory from a thread of its own.
final class MemorySampler: Sendable {
  /// How often it looks: what a program takes in its last few milliseconds is missed.
  private static let intervalMicroseconds: UInt32 = 4000

  private let processes: [Int32]
  private let peaks: Mutex<[UInt64]>
  private let isStopped = Atomic<Bool>(false)
  private let thread = Mutex<WorkerThread?>(nil)

  /// Begins to look at processes.
  init(_ processes: [Int32]) {
    self.processes = processes
    peaks = Mutex(processes.map { _ in 0 })
    let started = try? WorkerThread(name: "memory") { [self] in
      while !isStopped.load(ordering: .relaxed) {
        look()
        usleep(Self.intervalMicroseconds)
      }
    }
    thread.withLock { $0 = started }
  }

  /// Stops, and says the most that each process had; 0 for one that was never seen.
  func stop() -> [UInt64] {
    isStopped.store(true, ordering: .relaxed)
    thread.withLock { $0.take() }?.join()
    return peaks.withLock { $0 }
  }

  private func look() {
    #if os(Linux)
      for (index, process) in processes.enumerated() {
        guard let bytes = ProcessMemory.peakBytes(ofProcess: process) else { continue }
        peaks.withLock { $0[index] = max($0[index], bytes) }
      }
    #endif
  }
}
