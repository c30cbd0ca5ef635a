// A refresh on a disk that is really full: a small file system in memory, in its own mount namespace, with N pages or
// names left, from none until there are enough. Also on a read-only file system.
//
// If no file system can be mounted, the suite is skipped, which is reported. PublishKillTests then covers a full disk
// with a limit on file sizes.

import TestSupport
import Testing

/// A namespace in which a file system can be mounted.
enum MountNamespace {
  /// The command that creates one, as an unprivileged user or as root; nil if neither can.
  static func command() async -> String? {
    guard let workshop = try? Workshop() else { return nil }
    for command in ["unshare -rm", "unshare -m"] {
      let probe = try? await Program.shell(
        "mkdir -p disk; \(command) bash -c 'mount -t tmpfs -o size=64k tmpfs disk && echo > disk/file'",
        in: workshop)
      if probe?.status == 0 { return command }
    }
    return nil
  }
}

@Suite(
  "A refresh on a full disk",
  .enabled("here no file system of a test's own may be mounted") { await MountNamespace.command() != nil })
struct FullDiskTests {
  /// Two lists, the old and the new state of one of them, and a file system of 4 MiB with a version in it.
  private static let begin = """
    set -eu
    printf '212-555-0123\\tcompany\\n' > two.tsv
    seq 8613800130000 7 8613800137000 | awk '{ printf "{\\"%.0f\\": \\"label %d\\"},\\n", $1, NR % 7 }' > old.json
    seq 8613800130000 5 8613800137000 | awk '{ printf "{\\"%.0f\\": \\"label %d\\"},\\n", $1, NR % 9 }' > new.json
    mkdir disk
    mount -t tmpfs -o size=4m tmpfs disk
    cd disk
    cp ../nightly.yaml ../two.tsv ../list.key .
    cp ../old.json one.json
    cdpipe run --quiet nightly.yaml
    old=$(readlink public/current)
    cp -a public ../before
    cp ../new.json one.json

    # Whether a run succeeded or not: the current version is complete, and no temporary file is left.
    check() {
      now=$(readlink public/current)
      cdpipe verify --quiet --key \(PublishSite.publicKey) public
      cmp public/current/manifest.json public/manifest.json
      for name in $(grep -o '"name" : "[^"]*\\.cd[a-z]*"' public/manifest.json | cut -d '"' -f 4); do
        [ -f public/current/$name ] || { echo "no $name"; exit 9; }
      done
      [ -f public/current/numbers.csv ]
      left=$(find public -name '*.tmp')
      [ -z "$left" ] || { echo "left: $left"; exit 9; }
    }
    try() {
      status=0
      cdpipe run --quiet nightly.yaml 2> ../errors || status=$?
    }
    report() {
      check
      [ "$now" = "$old" ] && state=old || state=new
      echo "$1 $status $state $(grep -c . ../errors || true)"
    }
    again() {
      cdpipe run --quiet nightly.yaml
      check
      [ "$now" != "$old" ]
      [ "$(ls public/versions | wc -l)" = 2 ]
    }
    restore() {
      rm -rf public
      cp -a ../before public
    }

    """

  private static let pages = """
    for left in $(seq 0 200); do
      restore
      dd if=/dev/zero of=ballast bs=4k 2> /dev/null || true
      truncate -s $(($(stat -c %s ballast) - left * 4096)) ballast
      try
      rm ballast
      report $left
      again
      [ $status = 0 ] && break
    done

    """

  private static let names = """
    used=$(df --output=iused . | tail -1)
    for left in $(seq 0 200); do
      restore
      mount -o remount,nr_inodes=$((used + left)) .
      try
      mount -o remount,nr_inodes=1000 .
      report $left
      again
      [ $status = 0 ] && break
    done

    """

  private static let readOnly = """
    mount -o remount,ro .
    try
    mount -o remount,rw .
    report 0
    again

    """

  /// Runs a script in a namespace and returns its lines: what was left, the status, which version is current, and the
  /// number of printed lines.
  private func lines(_ script: String) async throws -> [[Substring]] {
    let workshop = try Workshop()
    try PublishSite.writePipeline(in: workshop)
    try workshop.write(workshop.work + "/script", Array((Self.begin + script).utf8))
    let namespace = try #require(await MountNamespace.command())
    let outcome = try await Program.shell("\(namespace) bash script", in: workshop)
    #expect(outcome.status == 0, "\(outcome.outputText)\(outcome.errors)")
    return Lines.split(outcome.outputText).map { $0.split(separator: " ") }
  }

  @Test(
    "no space for a page or a name: an error, and the current version stays; with enough space the new one",
    .timeLimit(.minutes(10)),
    arguments: [pages, names])
  func full(script: String) async throws {
    let lines = try await lines(script)
    #expect(lines.count > 5, "\(lines)")
    for line in lines.dropLast() {
      #expect(["73", "74"].contains(line[1]), "\(line)")
      #expect(line[3] != "0", "\(line): nothing was printed")
    }
    // Nearly always the old version: only the saved state of a version is written after it.
    #expect(lines.dropLast().count { $0[2] == "old" } > 5)
    #expect(lines.last.map { $0[1] == "0" && $0[2] == "new" } == true)
  }

  @Test("a disk that can't be written: an error, and the current version stays")
  func readOnly() async throws {
    let lines = try await lines(Self.readOnly)
    #expect(lines.count == 1)
    #expect(
      lines.first.map { ["73", "74"].contains($0[1]) && $0[2] == "old" && $0[3] != "0" } == true, "\(lines)")
  }
}
