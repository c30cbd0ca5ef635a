// The JSON Schema of pipeline files has the keys that the program accepts, no more and no fewer.

import Testing

@Suite("The schema of pipeline files")
struct PipelineSchemaTests {
  /// Options of commands that are no keys: those of the run, and those that print something else.
  private static let keys = #"""
    import json, re, subprocess, sys
    root = sys.argv[1]
    schema = json.load(open(root + "/docs/formats/pipeline.schema.json", encoding="utf-8"))
    told = json.loads(subprocess.check_output(["cdpipe", "--experimental-dump-help"]))
    commands = {command["commandName"]: command for command in told["command"]["subcommands"]}
    of_run = {"rejects", "max-rejects", "strict", "progress", "quiet", "version", "help", "output", "threads"}
    others = {"unzip": {"list", "json"}, "parse": {"formats"}, "sort": {"check", "merge"}, "generate": {"count-only"}}
    own = {"emit": {"path"}, "generate": {"patterns"}, "parse": {"strict"}}
    def same(place, keys, wanted):
        keys = set(keys) - {"include"}
        assert keys == wanted, f"{place}: only in the schema {sorted(keys - wanted)}, not there {sorted(wanted - keys)}"
    for name in "download unzip parse normalize sort dedupe emit generate".split():
        options = {[one["name"] for one in option["names"] if len(one["name"]) > 1][-1]
                   for option in commands[name]["arguments"] if option["kind"] != "positional"}
        same(name, schema["$defs"][name]["properties"], options - of_run - others.get(name, set()) | own.get(name, set()))
    def known(text, *options):
        open("wrong.yaml", "w").write(text)
        run = subprocess.run(["cdpipe", "run", "--explain", "wrong.yaml", *options], capture_output=True, text=True)
        return set(re.search("known here: (.*)", run.stderr).group(1).split(", ")) - {"include"}
    same("the file", schema["properties"], known("sources: { path: a }\nkey: 1\n"))
    same("sources", schema["$defs"]["source"]["properties"], known("sources: { path: a, key: 1 }\n"))
    source = open(root + "/Sources/CommandLine/CDPipeCommands/Publishing/PublishArguments.swift").read()
    source = source[source.index("struct PublishArguments"):source.index("func validate")]
    same("publish", schema["$defs"]["publish"]["properties"],
         {re.sub("([A-Z])", r"-\1", name).lower() for name in re.findall(r"\n  var (\w+)", source)})
    print("the same")
    """#

  @Test("its keys are those that the program accepts")
  func keys() async throws {
    let workshop = try Workshop()
    try workshop.write(workshop.work + "/keys.py", Array(Self.keys.utf8))
    let outcome = try await Program.shell("python3 keys.py '\(Program.root)'", in: workshop)
    #expect(outcome.outputText == "the same\n", "\(outcome.errors)")
  }

  @Test("the pipeline files that people can run are of it, and others are not")
  func files() async throws {
    let workshop = try Workshop()
    let wrong = """
      printf 'sources: { path: a, regoin: CN }\\n' > a.yaml
      printf 'sources: { path: a }\\nsort: { memory: [1] }\\npublish: { keep: 0 }\\n' > b.yaml
      check="python3 '\(Program.root)/Tests/CommandTests/validate_json.py' '\(Program.root)/docs/formats/pipeline.schema.json'"
      python3 -c 'import yaml' || { echo 'no yaml'; exit; }
      eval "$check '\(Program.root)'/pipelines/*.yaml" || exit 9
      eval "$check a.yaml"; eval "$check b.yaml" && exit 9; true
      """
    let outcome = try await Program.shell(wrong, in: workshop)
    if outcome.outputText == "no yaml\n" { return }
    #expect(outcome.status == 0, "\(outcome.outputText)\(outcome.errors)")
    #expect(outcome.outputText.contains("a.yaml: sources has 'regoin'"), "\(outcome.outputText)")
    #expect(outcome.outputText.contains("b.yaml: publish.keep"), "\(outcome.outputText)")
  }
}
