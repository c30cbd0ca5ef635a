// `kill -9` at any moment of a refresh, and at every named step: the current version is complete, and the next run
// continues normally.
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
  /// A pipeline file that publishes, with shards that split and deltas from three versions.
  static let pipeline = """
    sources:
      - { name: one, url: one.json, region: CN }
      - { name: two, path: two.tsv, region: US, required: false }
    emit:
      - { format: store, max-entries: 400, bootstrap: 10 }
      - { path: numbers.csv }
    publish: { directory: public, keep: 3, deltas: 3 }

    """
  /// The steps in the order of a run.
  static let steps = [
    "locked", "cleaned", "fetched", "staged", "written", "judged", "synced", "placed", "current", "durable",
    "noted", "pruned",
  ]

  /// A refresh with its folder, and helpers to check the result.
  private final class Site {
    let workshop: Workshop
    var generator: SplitMix64
    var old = ""

    init(_ name: String) throws {
      workshop = try Workshop()
      generator = SplitMix64(test: name)
      try workshop.write(workshop.work + "/nightly.yaml", Array(PublishKillTests.pipeline.utf8))
      try workshop.write(workshop.work + "/two.tsv", Array("212-555-0123\tcompany\n".utf8))
      try change()
    }

    /// A list that differs from the previous one.
    func change() throws {
      var text = "[\n"
      for _ in 0..<Int.random(in: 500...1500, using: &generator) {
        let number = Int.random(in: 0..<5000, using: &generator)
        text += "{\"\(13_800_130_000 + number)\": \"label \(number % 7)\"},\n"
      }
      try workshop.write(workshop.work + "/one.json", Array((text + "]\n").utf8))
    }

    func run(_ arguments: [String] = []) async throws -> Outcome {
      try await Program.run(
        try Program.path(), ["run", "--quiet", "nightly.yaml"] + arguments, in: workshop)
    }

    /// The current version, after `verify` has accepted it and its files are those in its manifest.
    func current() async throws -> String {
      let link = try await Program.shell("readlink public/current", in: workshop)
      let check = try await Program.shell(
        "cmp public/current/manifest.json public/manifest.json && cdpipe verify public/current/*.cdstore && cd public/current && "
          + "for name in $(grep -o '\"name\" : \"[^\"]*\\.cd[a-z]*\"' manifest.json | cut -d '\"' -f 4); do "
          + "[ -f $name ] || { echo no $name; exit 9; }; done; [ -f numbers.csv ]",
        in: workshop)
      #expect(check.status == 0, "\(link.outputText): \(check.outputText) \(check.errors)")
      return link.outputText
    }

    /// The next run succeeds, publishes the same as a run that was never killed, and leaves no temporary files.
    func recover(_ moment: String) async throws {
      let next = try await run()
      #expect(next.status == 0, "\(moment): \(next.errors)")
      old = try await current()
      let leftovers = try await Program.shell(
        "find public \\( -name '*.tmp' -o -name '.*.tmp' \\); ls public/versions | wc -l", in: workshop)
      #expect(
        leftovers.outputText.split(separator: "\n").count == 1
          && (Int(leftovers.outputText.dropLast()) ?? 9) <= 3,
        "\(moment): \(leftovers.outputText)")
    }
  }

  @Test("killed at random moments", .timeLimit(.minutes(10)))
  func moments() async throws {
    let count = unsafe getenv("CDPIPE_KILLS").flatMap { unsafe Int(String(cString: $0)) } ?? 30
    let site = try Site("killed")
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

  @Test("killed at every step", .timeLimit(.minutes(2)), arguments: steps)
  func step(name: String) async throws {
    let site = try Site("step \(name)")
    try await site.recover("before")
    let old = site.old
    try site.change()
    let outcome = try await Program.shell(
      "CDPIPE_TEST_KILL_AT=\(name) cdpipe run --quiet nightly.yaml", in: site.workshop)
    #expect(outcome.status == 128 + SIGKILL, "\(name): \(outcome.status) \(outcome.errors)")
    let isNew = Self.steps.firstIndex(of: name)! >= Self.steps.firstIndex(of: "current")!
    #expect(try await (site.current() != old) == isNew, "\(name)")
    try await site.recover(name)
  }

  @Test(
    "killed while a damaged version is rebuilt", .timeLimit(.minutes(5)),
    arguments: ["judged", "synced", "mending", "placed", "current", "durable", "noted", "pruned"])
  func repair(name: String) async throws {
    let site = try Site("repair \(name)")
    try await site.recover("before")
    let old = site.old
    let damage =
      "printf x | dd of=$(ls public/current/0*.cdstore | head -1) bs=1 seek=200 conv=notrunc status=none; rm public/current/numbers.csv"
    let outcome = try await Program.shell(
      "\(damage); CDPIPE_TEST_KILL_AT=\(name) cdpipe run --quiet nightly.yaml", in: site.workshop)
    #expect(outcome.status == 128 + SIGKILL, "\(name): \(outcome.status) \(outcome.errors)")
    // The version is in place, and no more of it is missing.
    let there = try await Program.shell(
      "readlink public/current; cd public/current/ && for name in $(grep -o '\"name\" : \"[^\"]*\\.cd[a-z]*\"' manifest.json | cut -d '\"' -f 4); do "
        + "[ -f $name ] || echo no $name; done", in: site.workshop)
    #expect(there.outputText == old, "\(name): \(there.errors)")
    try await site.recover(name)
    #expect(site.old == old, "\(name)")
  }

  @Test("killed in its first run", arguments: steps)
  func firstRun(name: String) async throws {
    let site = try Site("first \(name)")
    _ = try await Program.shell(
      "CDPIPE_TEST_KILL_AT=\(name) cdpipe run --quiet nightly.yaml", in: site.workshop)
    try await site.recover(name)
    let versions = try await Program.shell("ls public/versions | wc -l", in: site.workshop)
    #expect(versions.outputText == "1\n", "\(name)")
  }

  @Test("Ctrl-C and kill end it cleanly", .timeLimit(.minutes(5)), arguments: [Signal.interrupt, .terminate])
  func signals(signal: Signal) async throws {
    let site = try Site("signal")
    try await site.recover("before")
    let old = site.old
    // A source that never ends (the pipe stays open), so that the run is in progress when the signal arrives. Without
    // job control, a shell starts background processes with Ctrl-C ignored.
    let line = """
      set -m; mkfifo slow; exec 3<>slow; printf '212-555-0100\\tslow\\n' >&3
      cdpipe run --quiet nightly.yaml --set sources.two.path=slow & run=$!
      for _ in $(seq 500); do [ -d public/versions/.new.tmp ] && break; sleep 0.01; done
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
    let site = try Site("full")
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
    let site = try Site("two")
    let line = """
      mkfifo slow; exec 3<>slow; printf '212-555-0100\\tslow\\n' >&3
      cdpipe run --quiet nightly.yaml --set sources.two.path=slow & run=$!
      for _ in $(seq 500); do [ -s public/.lock ] && break; sleep 0.01; done
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
