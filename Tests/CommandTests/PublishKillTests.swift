// `kill -9` at any moment of a refresh: the current version is complete, and the next run continues normally.
//
// CDPIPE_KILLS sets the number of random moments (default: 30; 300 is the full form).

import Subprocess
import SystemPackage
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("A refresh that is killed")
struct PublishKillTests {
  @Test("killed at random moments", .timeLimit(.minutes(10)))
  func moments() async throws {
    let count = unsafe getenv("CDPIPE_KILLS").flatMap { unsafe Int(String(cString: $0)) } ?? 30
    let site = try PublishSite("killed")
    let clock = ContinuousClock()
    var whole = Duration.zero
    for _ in 0..<3 {
      try site.change()
      let start = clock.now
      try await site.recover("before")
      whole = max(whole, clock.now - start)
    }
    var killed = 0
    for number in 1...count {
      try site.change()
      let moment = whole * Double.random(in: 0..<1, using: &site.generator)
      let status = try await Program.killed(
        ["run", "--quiet", "nightly.yaml"], after: moment, in: site.workshop)
      if status != 0 { killed += 1 }
      // The duration of a run depends on the load of the machine: it may be shorter than this, or longer.
      whole = status == 0 ? moment : whole * 1.05
      #expect(status == 0 || status == 128 + SIGKILL, "\(number): \(status)")
      _ = try await site.current()
      try await site.recover("kill \(number)")
    }
    // If every run ended before its kill, the test would test nothing.
    #expect(killed > count / 10, "\(killed) of \(count)")
  }

  @Test(
    "Ctrl-C and kill end it cleanly", .timeLimit(.minutes(10)), arguments: [Signal.interrupt, .terminate])
  func signals(signal: Signal) async throws {
    let site = try PublishSite("signal")
    try await site.recover("before")
    let old = site.old
    // A source that never ends (the pipe stays open), so that the run is in progress when the signal arrives. Without
    // job control, a shell starts background processes with Ctrl-C ignored.
    let line = """
      set -m; mkfifo slow; exec 3<>slow; printf '212-555-0100\\tslow\\n' >&3
      cdpipe run --quiet nightly.yaml --set sources.two.path=slow & run=$!
      for _ in $(seq 12000); do [ -d public/versions/.new.tmp ] && break; sleep 0.01; done
      kill -\(signal.rawValue) $run; wait $run; status=$?; rm slow; exit $status
      """
    let outcome = try await Program.shell(line, in: site.workshop)
    #expect(outcome.status == 128 + signal.rawValue, "\(outcome.errors)")
    let left = try await Program.shell("find public -name '*.tmp'", in: site.workshop)
    #expect(left.outputText.isEmpty, "\(left.outputText)")
    #expect(try await site.current() == old)
  }

  @Test("a full disk, and a read-only folder, leave the current version")
  func fullDisk() async throws {
    let site = try PublishSite("full")
    try await site.recover("before")
    let old = site.old
    try site.change()
    // A limit on file sizes: for a program it is the same as a full disk, at several places.
    for kilobytes in [0, 1, 2, 4, 8, 16] {
      let outcome = try await Program.shell(
        "trap '' XFSZ; ulimit -f \(kilobytes); cdpipe run --quiet nightly.yaml", in: site.workshop)
      if outcome.status == 0 { break }
      #expect([73, 74].contains(outcome.status), "\(kilobytes): \(outcome.status) \(outcome.errors)")
      #expect(try await site.current() == old)
    }
    try await site.recover("full")
    let new = site.old
    try site.change()
    let outcome = try await Program.shell(
      "chmod a-w public public/versions; as-user cdpipe run --quiet nightly.yaml; status=$?; chmod u+w public public/versions; exit $status",
      in: site.workshop)
    #expect(outcome.status == 73, "\(outcome.status) \(outcome.errors)")
    #expect(try await site.current() == new)
    try await site.recover("read-only")
  }

  @Test("two at once: one publishes, the other ends with 75")
  func twoAtOnce() async throws {
    let site = try PublishSite("two")
    let line = """
      mkfifo slow; exec 3<>slow; printf '212-555-0100\\tslow\\n' >&3
      cdpipe run --quiet nightly.yaml --set sources.two.path=slow & run=$!
      for _ in $(seq 12000); do [ -s public/.lock ] && break; sleep 0.01; done
      cdpipe run --quiet nightly.yaml; status=$?
      kill -9 $run; wait $run 2>/dev/null; rm slow
      # The process that held the lock is dead, so the lock is free whatever the file contains.
      cdpipe run --quiet nightly.yaml && exit $status
      """
    let outcome = try await Program.shell(line, in: site.workshop)
    #expect(outcome.status == 75, "\(outcome.errors)")
    #expect(outcome.errors.contains("cdpipe run: 'public' is locked by process "))
    _ = try await site.current()
  }
}
