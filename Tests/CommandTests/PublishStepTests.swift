// `kill -9` before every change that publishing makes to its folder: the current version is complete, and the next run
// continues normally.

#if os(Linux)
  import Glibc
  import TestSupport
  import Testing

  @Suite("A refresh that is killed before a change")
  struct PublishStepTests {
    /// The functions of libc that change a folder. The long form adds those that change files.
    private static let functions =
      ["renameat", "symlinkat", "mkdirat"]
      + (TestEffort.isLong
        ? ["flock", "fsync", "ftruncate", "linkat", "openat", "pwrite", "unlinkat", "write"] : [])

    /// Runs the pipeline again and again, each time killed one call later, until a run ends by itself.
    ///
    /// - Parameters:
    ///   - prepare: called before each run.
    ///   - check: called after each run that was killed, with the calls that it made.
    private func killEverywhere(
      _ site: PublishSite, prepare: () async throws -> Void,
      check: (_ moment: String, _ calls: [String]) async throws -> Void
    ) async throws {
      let shim = try await FaultShim(in: site.workshop)
      var kills = 0
      for function in Self.functions {
        var number = 1
        while number < 1000 {
          try await prepare()
          let run = try await shim.run(
            "cdpipe run --quiet nightly.yaml", "\(function):kill@\(number)", path: "public",
            in: site.workshop)
          if run.outcome.status == 0 { break }
          let moment = "before \(function) \(number)"
          #expect(run.outcome.status == 128 + SIGKILL, "\(moment): \(run.outcome.errors)")
          try await check(moment, run.calls.dropLast())
          number += 1
          kills += 1
        }
        #expect(number < 1000, "\(function)")
        try await site.recover("after \(function)")
      }
      // If no run was killed, the test would test nothing.
      #expect(kills > 10)
    }

    @Test("in a later run", .timeLimit(.minutes(20)))
    func later() async throws {
      let site = try PublishSite("later")
      for _ in 0..<3 {
        try site.change()
        try await site.recover("before")
      }
      try await killEverywhere(site) {
        try site.change()
      } check: { moment, calls in
        let isNew = calls.contains { $0.hasPrefix("rename") && $0.contains("public/current\t") }
        #expect(try await (site.current() != site.old) == isNew, "\(moment)")
        try await site.recover(moment)
      }
    }

    @Test("while a damaged version is rebuilt", .timeLimit(.minutes(20)))
    func repair() async throws {
      let site = try PublishSite("repair")
      try await site.recover("before")
      let old = site.old
      let damage =
        "printf x | dd of=$(ls public/current/0*.cdstore | head -1) bs=1 seek=200 conv=notrunc status=none; rm public/current/numbers.csv"
      try await killEverywhere(site) {
        _ = try await Program.shell(damage, in: site.workshop)
      } check: { moment, _ in
        // The version is in place, and no more of it is missing.
        let there = try await Program.shell(
          "readlink public/current; cd public/current/ && for name in $(grep -o '\"name\" : \"[^\"]*\\.cd[a-z]*\"' manifest.json | cut -d '\"' -f 4); do "
            + "[ -f $name ] || echo no $name; done", in: site.workshop)
        #expect(there.outputText == old, "\(moment): \(there.errors)")
        try await site.recover(moment)
        #expect(site.old == old, "\(moment)")
      }
    }

    @Test("in the first run", .timeLimit(.minutes(20)))
    func first() async throws {
      let site = try PublishSite("first")
      try await killEverywhere(site) {
        _ = try await Program.shell("rm -rf public", in: site.workshop)
      } check: { moment, _ in
        try await site.recover(moment)
        let versions = try await Program.shell("ls public/versions | wc -l", in: site.workshop)
        #expect(versions.outputText == "1\n", "\(moment)")
      }
    }

    @Test("the shim makes calls fail, moves single bytes, and names the calls")
    func shim() async throws {
      let site = try PublishSite("shim")
      let shim = try await FaultShim(in: site.workshop)
      let command = "cdpipe run --quiet nightly.yaml"
      let failed = try await shim.run(
        command, "renameat:errno=EIO@1", path: "public/current", in: site.workshop)
      #expect(failed.outcome.status == 74, "\(failed.outcome.errors)")
      #expect(failed.outcome.errors.contains("Input/output error"))
      let short = try await shim.run(command, "pwrite:short@1", in: site.workshop)
      #expect(short.outcome.status == 0, "\(short.outcome.errors)")
      #expect(short.calls.contains { $0.hasPrefix("flock ") && $0.hasSuffix("/public/.lock") })
      _ = try await site.current()
      let unknown = try await shim.run(command, "renameat:stop@1", in: site.workshop)
      #expect(unknown.outcome.status == 2, "\(unknown.outcome.errors)")
    }

    @Test("no variable of the environment ends a run")
    func variable() async throws {
      let site = try PublishSite("variable")
      let outcome = try await Program.shell(
        "CDPIPE_TEST_KILL_AT=locked cdpipe run --quiet nightly.yaml", in: site.workshop)
      #expect(outcome.status == 0, "\(outcome.status) \(outcome.errors)")
      _ = try await site.current()
    }
  }
#endif
