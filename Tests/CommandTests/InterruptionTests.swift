// Ctrl-C and `kill` while a command waits for its input: it dies of the signal, and no incomplete file is left.

import Subprocess
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Child processes inherit ignored signals, and the tests may run under `nohup`.
private func takeHangUps() { _ = signal(SIGHUP, SIG_DFL) }

@Suite("Interruption")
struct InterruptionTests {
  /// Commands that have an output open while they read.
  static let commands = [
    ["sort", "-o", "out.tsv"],
    ["dedupe", "-o", "out.tsv", "--conflicts", "conflicts.tsv"],
    ["emit", "-o", "out.cdstore"],
    ["emit", "-o", "out.csv"],
    ["emit", "--format", "store", "--max-entries", "3000", "-o", "shards"],
    ["run", "--pipe", "normalize | sort | dedupe | emit -o out.cdstore"],
    ["run", "--threads", "1", "--pipe", "normalize | sort | dedupe | emit -o out.cdstore"],
    ["emit", "-o", "new/inner/out.csv"],
    ["run", "publish.yaml"],
    // More lists than are read at a time: it is interrupted while it writes a spill file.
    ["union", "-o", "out.tsv", "--temp-dir", ".", "-"] + Array(repeating: "empty.tsv", count: 64),
  ]

  /// Publishes for the first time, in a folder that is missing.
  private static let pipeline = Array(
    """
    sources: { path: "-", parse: { format: tsv }, use-last-good: true }
    publish: { directory: new/public }

    """.utf8)

  @Test(
    "a signal leaves nothing behind", .timeLimit(.minutes(10)), arguments: commands,
    [Signal.interrupt, .terminate, .terminalClosed])
  func signals(command: [String], signal: Signal) async throws {
    if signal == .terminalClosed { takeHangUps() }
    let workshop = try Workshop()
    let before = Array("the previous contents\n".utf8)
    try workshop.write(workshop.work + "/out.tsv", before)
    try workshop.write(workshop.work + "/out.cdstore", before)
    try workshop.write(workshop.work + "/publish.yaml", Self.pipeline)
    try workshop.write(workshop.work + "/empty.tsv", [])
    // Enough for some batches, so that shards are started.
    let rows = (0..<20_000).flatMap { Array("\(8_613_800_130_000 + $0)\tlabel\n".utf8) }
    let outcome = try await Program.interrupted(command, by: signal, in: workshop, input: rows)
    #expect(outcome.signal == signal.rawValue, "status \(outcome.status): \(outcome.errors)")
    #expect(outcome.output.isEmpty)
    #expect(workshop.leftovers().isEmpty, "left behind: \(workshop.leftovers())")
    // Directories that were made are gone, too.
    let files = workshop.files().filter { $0.key != "samples/" }
    #expect(
      files == [
        "out.tsv": before, "out.cdstore": before, "publish.yaml": Self.pipeline, "empty.tsv": [],
      ],
      "\(files.keys.sorted())")
  }

  @Test("Ctrl-C ends a shell's loop, not only the command in it", .timeLimit(.minutes(10)))
  func loop() async throws {
    // The signal goes to the shell and to the command, as on a terminal.
    let line = """
      mkfifo open; exec 3<>open
      timeout -k 240 -s INT 1 bash -c 'for number in 1 2; do cdpipe sort -o out.tsv <open; echo "after $number"; done'
      """
    let outcome = try await Program.shell(line, in: try Workshop())
    #expect(outcome.outputText.isEmpty, "\(outcome.outputText)")
    #expect(outcome.status == 124, "\(outcome.errors)")
  }

  @Test("a directory of shards has the former list or the new one after a signal", .timeLimit(.minutes(20)))
  func shards() async throws {
    // It is sent when all new shards are there, and only the manifest is missing.
    let line = """
      list() { seq 8613800130000 8613800189999 | sed "s/$/\t$1/"; }
      list old >old.tsv; cdpipe emit -q --format store --max-entries 3000 -o dir old.tsv
      for turn in 1 2 3 4 5 6 7 8 9 10 11 12; do
        list "$turn" >new.tsv; count=$(ls dir | wc -l)
        cdpipe emit -q --format store --max-entries 3000 -o dir new.tsv & emit=$!
        until [ "$(ls dir | grep -c cdstore)" -gt $((count + 17)) ] || ! kill -0 $emit; do :; done 2>errors
        kill $emit 2>errors; wait $emit 2>errors; cdpipe verify dir >report || { echo "$turn"; cat report; }
      done
      """
    let outcome = try await Program.shell(line, in: try Workshop())
    #expect(outcome.outputText.isEmpty && outcome.status == 0, "\(outcome.outputText)\(outcome.errors)")
  }
}
