// The JSON Schema of pipeline files has exactly the keys that the program accepts: `cdpipe run --schema` makes those of stages.

import Testing

@Suite("The schema of pipeline files")
struct PipelineSchemaTests {
  /// The keys of `publish`, which is not a command.
  private static let publishKeys = #"""
    import json, re, sys
    root = sys.argv[1]
    schema = json.load(open(root + "/docs/formats/pipeline.schema.json", encoding="utf-8"))
    keys = set()
    text = open(root + "/Sources/cdpipe/Pipelines/PublishArguments.swift").read()
    for name in ["PublishArguments", "SigningArguments"]:
        source = text
        source = source[source.index("struct " + name):source.index("func validate", source.index("struct " + name))]
        keys |= {re.sub("([A-Z])", r"-\1", key).lower() for key in re.findall(r"\n  (?:@OptionGroup )?var (\w+)", source)} - {"signing"}
    assert set(schema["$defs"]["publish"]["properties"]) - {"include"} == keys, keys
    """#

  @Test("its keys are those of the program")
  func keys() async throws {
    let workshop = try Workshop()
    try workshop.write(workshop.work + "/publish.py", Array(Self.publishKeys.utf8))
    let schema = "'\(Program.root)/docs/formats/pipeline.schema.json'"
    let outcome = try await Program.shell(
      "python3 publish.py '\(Program.root)' "
        + "&& python3 '\(Program.root)/Tests/CommandTests/Programs/pipeline_schema.py' \(schema)",
      in: workshop)
    #expect(outcome.outputText == "the same\n", "\(outcome.errors)")
  }

  @Test("run --schema prints it, with the options of the stages")
  func printed() async throws {
    let outcome = try await Program.shell(
      "cdpipe run --schema | cmp - '\(Program.root)/docs/formats/pipeline.schema.json'", in: try Workshop())
    #expect(outcome.status == 0, "\(outcome.outputText)\(outcome.errors)")
  }

  @Test("runnable pipeline files conform to the schema, and invalid ones do not")
  func files() async throws {
    let workshop = try Workshop()
    let wrong = """
      printf 'sources: { path: a, regoin: CN }\\n' > a.yaml
      printf 'sources: { path: a }\\nsort: { memory: [1] }\\npublish: { keep: 0 }\\n' > b.yaml
      check="python3 '\(Program.root)/Tests/CommandTests/Programs/validate_json.py' '\(Program.root)/docs/formats/pipeline.schema.json'"
      python3 -c 'import yaml' || { echo 'no yaml'; exit; }
      eval "$check '\(Program.root)'/pipelines/*.yaml '\(Program.root)/samples/list-repository/nightly.yaml'" || exit 9
      eval "$check a.yaml"; eval "$check b.yaml" && exit 9; true
      """
    let outcome = try await Program.shell(wrong, in: workshop)
    if outcome.outputText == "no yaml\n" { return }
    #expect(outcome.status == 0, "\(outcome.outputText)\(outcome.errors)")
    #expect(outcome.outputText.contains("a.yaml: sources has 'regoin'"), "\(outcome.outputText)")
    #expect(outcome.outputText.contains("b.yaml: publish.keep"), "\(outcome.outputText)")
  }
}
