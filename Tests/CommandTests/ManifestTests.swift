// Manifests against docs/formats/manifest.schema.json, by an independent program.

import Testing

@Suite("Manifest")
struct ManifestTests {
  /// A new directory, and one with deltas, a split, an empty shard, a bootstrap store, sources and rows.
  private static let script = #"""
    set -e
    seq 8613800138100 2 8613800138300 | sed 's/$/\ta/' | cdpipe emit --format store --max-entries 20 --fill 90% --bootstrap 7 -o one
    printf '%s\n' 'sources: { path: two.tsv, parse: { format: lines } }' 'emit:' \
      '  { format: store, path: two, baseline: one, max-entries: 20, bootstrap: 3, date: 2026-03-31, block: ["b*"] }' > two.yaml
    { seq 8613800138101 1 8613800138150 | sed 's/$/\tb/'; echo 'no number'; seq 8613800138200 2 8613800138260 | sed 's/$/\ta/'; } > two.tsv
    cdpipe run -q two.yaml
    cdpipe emit --allow-empty --format store -o three < /dev/null
    seq 1 9999 | awk '{ print $0 "\tlabel " $0 }' | cdpipe emit --format store --max-entries 6000 -o four
    """#

  @Test("every manifest matches the schema")
  func schema() async throws {
    let workshop = try Workshop()
    let made = try await Program.shell(Self.script, in: workshop)
    #expect(made.status == 0, "\(made.errors)")
    let check = Program.root + "/Tests/CommandTests/Programs/validate_json.py"
    let schema = Program.root + "/docs/formats/manifest.schema.json"
    let names = "one/manifest.json two/manifest.json three/manifest.json four/manifest.json"
    let outcome = try await Program.shell("python3 '\(check)' '\(schema)' \(names)", in: workshop)
    #expect(outcome.status == 0, "\(outcome.outputText)\(outcome.errors)")
    // The checker detects errors, too.
    let wrong = try await Program.shell(
      #"sed 's/"from" : 1,/"from" : 0,/' one/manifest.json > wrong.json; "#
        + "python3 '\(check)' '\(schema)' wrong.json", in: workshop)
    #expect(wrong.status == 1)
    #expect(wrong.outputText.contains("shards[0].from"))
    let facts = try await Program.shell(
      #"grep -o -e '"deltas"' -e '"bootstrap"' -e '"rows"' -e '"sources"' -e '"baseline"' -e '"date"' "#
        + "two/manifest.json | sort -u | wc -l", in: workshop)
    #expect(facts.outputText == "6\n")
  }
}
