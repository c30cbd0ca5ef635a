// The example repository of a list: three nights, pull requests, a rollback, and what must not happen.

import Testing

@Suite("The example repository of a list")
struct ListRepositoryTests {
  /// A repository that has published its first version, with a copy of its site in `first`.
  private static func published(_ variables: [String: String] = [:]) async throws -> ListRepository {
    let list = try await ListRepository()
    let first = try await list.run("publish", variables.merging(["FIRST": "true"]) { $1 })
    try #require(first.status == 0, "\(first.outputText)\(first.errors)")
    try await list.shell("cp -R job/site first")
    return list
  }

  @Test("three nights: the first version, the same list, a change, which an app gets as a delta")
  func nights() async throws {
    let list = try await Self.published()
    #expect(try await list.summary().contains("63 numbers, first version"))
    let installed = try await list.shell("cat installed; cdpipe lookup +12025550113 first")
    #expect(installed.contains("apt-get install"))
    #expect(installed.hasSuffix("12025550113\tFraud\n"))

    let same = try await list.run("publish")
    #expect(same.status == 0, "\(same.outputText)\(same.errors)")
    #expect(try await list.summary().contains("nothing has changed"))
    try await list.shell("diff -r first job/site")

    try await list.change(
      "echo '+1 (202) 555-0199,Survey' >> numbers.csv; sed -i 2d numbers.csv", branch: "more")
    let check = try await list.run("check", branch: "more")
    #expect(check.status == 0, "\(check.outputText)\(check.errors)")
    #expect(try await list.summary().contains("1 number added, 1 removed, 0 relabelled"))
    try await list.shell("cd list; git merge --quiet more; git push --quiet origin main")
    let changed = try await list.run("publish")
    #expect(changed.status == 0, "\(changed.outputText)\(changed.errors)")
    try await list.shell(
      """
      old=$(ls first/0001-*.cdstore) new=$(ls job/site/0001-*.cdstore) delta=$(ls job/site/0001-*.cddelta)
      cdpipe apply "$old" "$delta" -o applied.cdstore; cmp applied.cdstore "$new"; ! cmp -s "$old" "$new"
      """)
    let commits = try await list.shell("git -C server.git rev-list --count published")
    #expect(commits == "1\n")
  }

  @Test(
    "a pull request with a mistake fails with its reason, and publishing it changes nothing",
    arguments: [
      ("echo '+1 202 555 01,Fraud' >> numbers.csv", "numbers.csv row 64", true),
      ("echo '+33 1 99 00 00 01,Fraud' >> numbers.csv", "63 of 64 numbers are valid in US", true),
      ("sed -i 20,40d numbers.csv", "more than max-change (20%)", true),
      ("sed -i 's/region/regoin/' nightly.yaml", "unknown key 'regoin'", true),
      ("sed -n '5s/+1\\(...\\)555/(\\1) 555-/p' numbers.csv >> numbers.csv", "occurs twice", false),
    ])
  func mistakes(commands: String, reason: String, isRefused: Bool) async throws {
    let list = try await Self.published()
    try await list.change(commands, branch: "mistake")
    let check = try await list.run("check", branch: "mistake")
    #expect(check.status != 0, "\(check.outputText)\(check.errors)")
    #expect(try await list.summary().contains(reason), "\(check.outputText)")
    guard isRefused else { return }
    let before = try await list.shell("git -C server.git rev-parse published")
    let publish = try await list.run("publish", branch: "mistake")
    #expect(publish.status != 0, "\(publish.outputText)\(publish.errors)")
    #expect(try await list.shell("git -C server.git rev-parse published; ls -d job/site || true") == before)
  }

  @Test("a rollback lasts until the list is corrected")
  func rollback() async throws {
    let list = try await Self.published()
    try await list.change("sed -i 's/,Fraud/,Survey/' numbers.csv")
    let second = try await list.run("publish")
    #expect(second.status == 0, "\(second.outputText)\(second.errors)")
    let unknown = try await list.run("publish", ["ROLLBACK": "zzz"])
    #expect(unknown.status == 66, "\(unknown.outputText)\(unknown.errors)")
    let back = try await list.run("publish", ["ROLLBACK": "previous"])
    #expect(back.status == 0, "\(back.outputText)\(back.errors)")
    try await list.shell("diff -r first job/site")
    let night = try await list.run("publish")
    #expect(night.status == 0, "\(night.outputText)\(night.errors)")
    try await list.shell("diff -r first job/site")
    try await list.change("sed -i 's/^+12025550113,.*/+12025550113,Fraud/' numbers.csv")
    let corrected = try await list.run("publish")
    #expect(corrected.status == 0, "\(corrected.outputText)\(corrected.errors)")
    try await list.shell("! diff -r first job/site > /dev/null; ls job/site/0001-*.cddelta")
  }

  @Test("a lost history is not started again, and another one is not replaced")
  func history() async throws {
    let unpublished = try await ListRepository()
    let check = try await unpublished.run("check")
    #expect(check.status == 0, "\(check.outputText)\(check.errors)")
    let early = try await unpublished.run("publish")
    #expect(early.status == 1)
    #expect(try await unpublished.summary().contains("the branch 'published' is missing"))

    let list = try await Self.published()
    let unreachable = try await list.run(
      "publish", ["FIRST": "true"], interference: ("scripts/restore.sh", "mv server.git away"))
    #expect(unreachable.status == 128, "\(unreachable.outputText)\(unreachable.errors)")
    try await list.shell("mv away server.git")
    // Another run has published since this one has read the branch.
    let late = try await list.run(
      "publish",
      interference: (
        "scripts/save.sh",
        "cd server.git; other=$(git -c user.name=a -c user.email=a@a commit-tree main^{tree} -m x); git update-ref refs/heads/published $other"
      ))
    #expect(late.status == 1, "\(late.outputText)\(late.errors)")
    #expect(late.errors.contains("stale info"), "\(late.errors)")
    // The branch is there, but not the folder.
    let empty = try await list.run("publish", ["FIRST": "true"])
    #expect(empty.status == 66, "\(empty.outputText)\(empty.errors)")
  }

  @Test("signed versions: the key is in no file afterwards, and without it nothing is published")
  func signed() async throws {
    let key =
      "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n-----END PRIVATE KEY-----"
    let list = try await Self.published(["SIGNING_KEY": key])
    let verify = "cdpipe verify --quiet --key \(PublishSite.publicKey)"
    try await list.shell("\(verify) job/site; ! grep -r 'PRIVATE KEY' job summary; [ -z \"$(ls $TMPDIR)\" ]")
    let check = try await list.run("check")
    #expect(check.status == 0, "\(check.outputText)\(check.errors)")
    let without = try await list.run("publish")
    #expect(without.status == 1, "\(without.outputText)\(without.errors)")
    #expect(try await list.summary().contains("SIGNING_KEY is missing"))
    try await list.change("sed -i 3d numbers.csv")
    let next = try await list.run("publish", ["SIGNING_KEY": key])
    #expect(next.status == 0, "\(next.outputText)\(next.errors)")
    let back = try await list.run("publish", ["SIGNING_KEY": key, "ROLLBACK": "previous"])
    #expect(back.status == 0, "\(back.outputText)\(back.errors)")
    try await list.shell("\(verify) job/site; cmp first/manifest.json job/site/manifest.json")
  }

  @Test("a package with another checksum is not installed")
  func checksum() async throws {
    let list = try await ListRepository()
    let outcome = try await list.run(
      "check", interference: ("scripts/install_cdpipe.sh", "echo other > cdpipe.deb"))
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("does not have the checksum"), "\(outcome.errors)")
    try await list.shell("[ ! -e installed ]")
  }
}
