// A repository made from samples/list-repository, its server, and the jobs of its workflow, run as GitHub runs them: each
// in a new checkout, with the steps of the workflow file.

import TestSupport
import Testing

/// A list's repository.
struct ListRepository {
  let workshop: Workshop
  private let workflow: [String]
  /// The variables that GitHub would take from the workflow file.
  private let settings = [
    "CDPIPE_PACKAGE": "file://$WORK/cdpipe.deb",
    "CDPIPE_SHA256": "$(sha256sum < $WORK/cdpipe.deb | cut -c 1-64)",
  ]

  /// Creates the repository with the branch `main` on a server, and a package to install.
  init() async throws {
    workshop = try Workshop()
    let source = Program.root + "/samples/list-repository"
    workflow = Lines.split(
      String(decoding: try FileTree.read(source + "/.github/workflows/publish.yml"), as: UTF8.self))
    try workshop.write(
      workshop.path + "/bin/sudo", Array("#!/bin/sh\necho \"$*\" >> '\(workshop.work)/installed'\n".utf8),
      mode: 0o755)
    try await shell(
      """
      echo package > cdpipe.deb; git init --quiet --bare -b main server.git; cp -R '\(source)' list; cd list; git init --quiet -b main
      git remote add origin "file://$WORK/server.git"; \(Self.commit) && git push --quiet origin main
      """)
  }

  private static let commit =
    "git add -A && git -c user.name=a -c user.email=a@localhost commit --quiet -m Change"

  /// Runs commands in the folder with the server `server.git` and the maintainer's checkout `list`. They must succeed.
  @discardableResult
  func shell(_ commands: String) async throws -> String {
    let outcome = try await Program.shell("set -e; WORK=$PWD; \(commands)", in: workshop)
    try #require(outcome.status == 0, "\(commands)\n\(outcome.outputText)\(outcome.errors)")
    return outcome.outputText
  }

  /// Commits a change that commands make in the checkout, as a branch on the server.
  func change(_ commands: String, branch: String = "main") async throws {
    try await shell(
      "cd list; git checkout --quiet -B \(branch); \(commands); \(Self.commit) && git push --quiet --force origin \(branch); git checkout --quiet main"
    )
  }

  /// The steps of a job that run commands.
  private func steps(_ job: String) -> [String] {
    let start = workflow.firstIndex(of: "  \(job):").map { $0 + 1 } ?? workflow.endIndex
    return workflow[start...].prefix { !$0.hasPrefix("  ") || $0.hasPrefix("   ") || $0.isEmpty }.compactMap {
      line in
      let parts = line.split(separator: "run: ", maxSplits: 1)
      return parts.count == 2 && parts[0].allSatisfy { " -".contains($0) } ? String(parts[1]) : nil
    }
  }

  /// Runs a job with variables that the workflow file sets, in a checkout of a branch. Its site is in `job/site`, its
  /// summary in `summary`.
  ///
  /// - Parameter interference: what happens on the server before a step.
  func run(
    _ job: String, branch: String = "main", _ variables: [String: String] = [:],
    interference: (step: String, commands: String)? = nil
  ) async throws -> Outcome {
    let steps = steps(job)
    #expect(steps.count >= 3, "\(job): \(steps)")
    var script = "WORK=$PWD; rm -rf job; : > summary; export GITHUB_STEP_SUMMARY=$WORK/summary\n"
    for (name, value) in settings.merging(variables, uniquingKeysWith: { $1 }) {
      #expect(workflow.contains { $0.contains(" \(name): ") }, "\(name)")
      script += "export \(name)=\"\(value)\"\n"
    }
    script +=
      "git clone --quiet --depth 1 --branch \(branch) \"file://$WORK/server.git\" job && cd job || exit 99\n"
    for step in steps {
      if let interference, step == interference.step {
        script += "(cd ..; \(interference.commands)) || exit 99\n"
      }
      // GitHub runs a step like this.
      script += "bash -e -c '\(step)' || exit\n"
    }
    return try await Program.shell(script, in: workshop)
  }

  /// What the last job reported.
  func summary() async throws -> String { try await shell("cat summary") }
}
