// A refresh with its folder, and helpers to check the result of a run that was killed.

import SystemPackage
import TestSupport
import Testing

/// A refresh with its folder, and helpers to check the result.
final class PublishSite {
  /// A pipeline file that publishes, with shards that split and deltas from three versions.
  private static let pipeline = """
    sources:
      - { name: one, url: one.json, region: CN }
      - { name: two, path: two.tsv, region: US, required: false }
    emit:
      - { format: store, max-entries: 400, bootstrap: 10 }
      - { path: numbers.csv }
    publish: { directory: public, keep: 3, deltas: 3, sign: list.key }

    """
  /// The first key of RFC 8032, section 7.1.
  private static let privateKey = """
    -----BEGIN PRIVATE KEY-----
    MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
    -----END PRIVATE KEY-----

    """
  /// The public key.
  static let publicKey = "ed25519:d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"

  let workshop: Workshop
  var generator: SplitMix64
  var old = ""

  init(_ name: String) throws {
    workshop = try Workshop()
    generator = SplitMix64(test: name)
    try Self.writePipeline(in: workshop)
    try workshop.write(workshop.work + "/two.tsv", Array("212-555-0123\tcompany\n".utf8))
    try change()
  }

  /// Writes the pipeline file `nightly.yaml` and its key.
  static func writePipeline(in workshop: Workshop) throws {
    try workshop.write(workshop.work + "/nightly.yaml", Array(pipeline.utf8))
    try workshop.write(workshop.work + "/list.key", Array(privateKey.utf8), mode: 0o600)
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

  /// The current version, after `verify` has accepted it with its signature, and its files are those in its manifest.
  func current() async throws -> String {
    let link = try await Program.shell("readlink public/current", in: workshop)
    let check = try await Program.shell(
      "cmp public/current/manifest.json public/manifest.json && cmp public/current/manifest.json.sig public/manifest.json.sig && "
        + "cdpipe verify --key \(Self.publicKey) public && cd public/current && "
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
