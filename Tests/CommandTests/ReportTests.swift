// Reports and metrics of runs, checked by independent programs.

import Testing

@Suite("Reports")
struct ReportTests {
  /// Runs of all kinds: a single file, shards, failures at the start, in the middle and at the end, and hostile names.
  private static let script = #"""
    cat > two.yaml <<'END'
    name: "two \"lists\" \\ <b>"
    sources:
      - { name: marked, path: samples/marked.json, normalize: { region: CN } }
      - { name: mine, path: mine.tsv, parse: { format: lines } }
    dedupe: { conflicts: conflicts.tsv, keep: last }
    emit:
      - { format: store, path: shards, max-entries: 2000, block: ["诈骗*"] }
      - { path: one.cdstore }
      - { path: one.csv }
    END
    printf '%s\n' $'8613800138000\t<script>alert(1)</script>' $'8613800138001..8613800138099\ta\\tb' 'no number' '1' $'99999\t' > mine.tsv
    cdpipe run -q two.yaml --report first.json --metrics first.prom
    echo $'8675599999998\tnew' >> mine.tsv
    cdpipe run -q two.yaml --report second.json --metrics second.prom --set emit.1.baseline=shards --threads 1
    cdpipe run -q two.yaml --report third.json
    cdpipe run -q two.yaml --report failed.json --metrics second.prom --set sources.mine.path=absent.tsv 2> errors && exit 1
    cdpipe run -q two.yaml --report refused.json --max-rejects 1% --set sources.marked.path=mine.tsv 2>> errors && exit 1
    cdpipe run -q two.yaml --report mistaken.json --metrics mistaken.prom --set dedupe.keep=best 2>> errors && exit 1
    cdpipe run -q --pipe 'parse mine.tsv --format lines | normalize | sort | dedupe' --report typed.json > /dev/null
    seq 10000 | awk '{ printf "%.0f\tlabel %d\n", 8613800000000 + $1 * 100003, $1 }' | cdpipe run -q --pipe 'emit -o many.tsv' --report many.json
    true
    """#

  private static let facts = #"""
    import json
    reports = {name: json.load(open(name + ".json")) for name in
               "first second third failed refused mistaken typed many".split()}
    first, second, third = reports["first"], reports["second"], reports["third"]
    csv = open("one.csv", encoding="utf-8", newline="").read().split("\r\n")[1:-1]
    assert third["rows"]["written"] == len(csv)
    rows = third["rows"]
    assert rows["isBalanced"] and rows["read"] + rows["splits"] == sum(
        rows[key] for key in ("written", "duplicates", "rejects", "leftOut", "removed", "joined")), rows
    # Labels and prefixes, counted here from what was written.
    labels, prefixes = {}, {}
    for line in csv:
        numbers, label = line.split(",")[:2]
        ends = [int(number) for number in numbers.split("..")]
        count = ends[-1] - ends[0] + 1
        labels[label] = labels.get(label, 0) + count
        prefixes[str(ends[0])[:5]] = prefixes.get(str(ends[0])[:5], 0) + count
    reported = {item["name"]: item["entries"] for item in third["labels"]["items"]}
    assert reported == labels and "others" not in third["labels"], (reported, labels)
    assert all(prefixes[item["name"]] == item["entries"] for item in third["prefixes"]["items"])
    assert third["callingCodes"]["items"][0]["regions"] == ["CN"]
    assert third["callingCodes"]["items"][0]["entries"] == sum(labels.values())
    # Sources, stages, rejects.
    assert [source["name"] for source in third["sources"]] == ["marked", "mine"]
    assert [stage["stage"] for stage in third["sources"][0]["stages"]] == ["unzip", "parse", "normalize"]
    dedupe = third["stages"][1]
    assert dedupe["stage"] == "dedupe" and dedupe["conflicts"] == len(open("conflicts.tsv").readlines())
    uses = {(use["stage"], use["reason"]): use for use in third["rejects"]}
    assert sum(use["count"] for use in third["rejects"]) == rows["rejects"]
    assert uses["parse", "missing-number"]["examples"][0]["text"] == "no number"
    # Outputs, and what is different from before.
    shards, store, table = third["outputs"]
    manifest = json.load(open("shards/manifest.json"))
    assert shards["contentID"] == manifest["contentID"] and shards["entries"] == manifest["entries"]
    assert [shard["name"] for shard in shards["shards"]] == [shard["name"] for shard in manifest["shards"]]
    assert "change" not in first["outputs"][0] and "change" not in first["outputs"][2]
    change = second["outputs"][0]["change"]
    assert change["from"] == first["outputs"][0]["contentID"] and not change["isUnchanged"]
    assert (change["removals"], change["additions"]) == (0, 1), change
    assert change["numbers"] == {"added": 1, "removed": 0, "relabelled": 0}, change
    assert change["shardsKept"] == len(second["outputs"][0]["shards"]) - 1
    assert second["outputs"][1]["change"]["entries"] == first["outputs"][1]["entries"]
    assert third["outputs"][1]["change"]["isUnchanged"]
    # The ones that failed.
    failed, refused, mistaken = reports["failed"], reports["refused"], reports["mistaken"]
    assert [r["failure"]["exitStatus"] for r in (failed, refused, mistaken)] == [66, 65, 64]
    assert [r["failure"].get("stage") for r in (failed, refused, mistaken)] == ["unzip", "parse", None]
    messages = open("errors", encoding="utf-8").read()
    for report in (failed, refused, mistaken):
        assert report["status"] == "failed" and report["failure"]["message"] in messages and not report["outputs"]
    assert reports["typed"]["pipeline"] == "" and "labels" not in reports["typed"]
    many = reports["many"]
    assert len(many["labels"]["items"]) == 50 and "count" not in many["labels"]["others"]
    assert many["labels"]["others"]["entries"] == 9950
    assert all(report["run"]["peakMemoryBytes"] > 1 << 20 for report in reports.values())
    # Metrics.
    def metrics(name):
        return dict(line.rsplit(" ", 1) for line in open(name, encoding="utf-8") if not line.startswith("#"))
    before, after = metrics("first.prom"), metrics("second.prom")
    label = '{pipeline="two \\"lists\\" \\\\ <b>"}'
    assert before["cdpipe_run_success" + label] == "1\n" and after["cdpipe_run_success" + label] == "0\n"
    assert after["cdpipe_run_exit_status" + label] == "66\n"
    # Yesterday's success is still known.
    key = "cdpipe_run_last_success_timestamp_seconds" + label
    assert float(before[key]) <= float(after[key]) <= float(after["cdpipe_run_timestamp_seconds" + label])
    assert metrics("mistaken.prom")[key] == "0\n"
    # So is when each source was read, and every series is there before its first event.
    read = {name: value for name, value in before.items() if name.startswith("cdpipe_source_read_timestamp_seconds")}
    assert len(read) == 2 and all(float(value) == float(before[key]) for value in read.values()), read
    # The second run succeeded, too; the failed one kept its times.
    assert all(float(read[name]) <= float(after[name]) <= float(after[key]) for name in read)
    for name in read:
        labels = name.partition("{")[2].rstrip("}")
        for remedy in ("last-good", "left-out", "failed"):
            series = "cdpipe_source_trouble{%s,remedy=\"%s\"}" % (labels, remedy)
            assert before[series] == "0\n" and series in after, series
    size = "cdpipe_list_numbers" + label
    assert float(after[size]) == float(before[size]) + 1 > 1 and metrics("mistaken.prom")[size] == "0\n"
    for kind in ("added", "removed", "relabelled"):
        assert before["cdpipe_changed_numbers" + label[:-1] + ',change="%s"}' % kind] == "0\n"
    assert before["cdpipe_published_version" + label[:-1] + ',version=""}'] == "1\n"
    print("valid")
    """#

  @Test("reports and metrics match their formats, and their figures match the outputs")
  func reports() async throws {
    let workshop = try Workshop()
    let made = try await Program.shell(Self.script, in: workshop)
    #expect(made.status == 0, "\(made.errors)")
    let folder = Program.root + "/Tests/CommandTests/Programs"
    let schema = Program.root + "/docs/formats/report.schema.json"
    let names = "first second third failed refused mistaken typed many"
    let valid = try await Program.shell(
      "python3 '\(folder)/validate_json.py' '\(schema)' $(printf '%s.json ' \(names))", in: workshop)
    #expect(valid.status == 0, "\(valid.outputText)\(valid.errors)")
    let metrics = try await Program.shell("python3 '\(folder)/check_metrics.py' *.prom", in: workshop)
    #expect(metrics.status == 0, "\(metrics.outputText)\(metrics.errors)")
    try workshop.write(workshop.work + "/facts.py", Array(Self.facts.utf8))
    let facts = try await Program.shell("python3 facts.py", in: workshop)
    #expect(facts.outputText == "valid\n", "\(facts.errors)")
    #expect(workshop.leftovers().isEmpty)
  }

  /// Two versions of a list with 40 labels in three countries.
  private static let versions = #"""
    cat > night.yaml <<'END'
    sources: { path: list.tsv, parse: { format: lines } }
    emit: { format: store }
    publish: { directory: public, deltas: 0 }
    END
    seq 3000 | awk '{ printf "%s%06d\tlabel %d\n", $1 % 3 ? "+8613800" : "+49151000", $1 * 7, $1 % 40 }' > list.tsv
    cdpipe run -q night.yaml --report first.json
    cp -r public/versions/* old
    awk 'NR % 11 { sub(/label 3/, "name 3"); print }' list.tsv > new.tsv
    seq 500 | awk '{ printf "+33612%06d\tnew\n", $1 }' >> new.tsv
    mv new.tsv list.tsv
    cdpipe run -q night.yaml --report second.json
    cdpipe diff --summary --json old public > summary.json 2> errors || true
    head -100 list.tsv > short.tsv
    cdpipe run -q night.yaml --set sources.path=short.tsv --set publish.min-entries=200 --report refused.json 2>> errors && exit 1
    cdpipe cat old > old.tsv
    cdpipe cat public > new.tsv
    """#

  private static let comparison = #"""
    import json
    first, second, refused, summary = (json.load(open(name + ".json")) for name in "first second refused summary".split())
    assert "changes" not in first and [event["entries"] for event in first["history"]] == [3000]
    changes, kinds = second["changes"], ("added", "removed", "relabelled")
    assert changes["from"] == first["published"]["version"] == second["history"][1]["replaced"]
    assert changes["numbers"] == summary["total"] and all(changes["numbers"].values()), changes["numbers"]
    assert second["history"][1]["isCurrent"] and not second["history"][0]["isCurrent"]
    def counts(item): return [item[kind] for kind in kinds]
    for key, name, rest in (("labels", "label", "moreLabels"), ("countries", "callingCode", "moreCountries")):
        assert [(item["name"], counts(item)) for item in changes[key]["items"]] == [
            (str(item[name]), counts(item)) for item in summary[key]], key
        assert ("others" in changes[key]) == (rest in summary)
    assert len(changes["labels"]["items"]) == 20
    others, more = changes["labels"]["others"], summary["moreLabels"]
    assert (others["count"], counts(others)) == (more["count"], counts(more))
    assert {item["name"]: item["country"] for item in changes["countries"]["items"]} == {
        "33": "France", "49": "Germany", "86": "China"}
    old, new = (dict(line.rstrip("\n").split("\t") for line in open(name)) for name in ("old.tsv", "new.tsv"))
    for kind in kinds:
        examples = changes["examples"][kind]
        assert len(examples) == 10 and examples == sorted(examples, key=lambda example: example["first"])
        for example in examples:
            number = str(example["first"])
            assert example["last"] == example["first"]
            assert (old.get(number), new.get(number)) == {
                "added": (None, example["label"]), "removed": (example["label"], None),
                "relabelled": (example.get("before"), example["label"])}[kind], example
    # They are spread over the list.
    assert {str(example["first"])[:2] for example in changes["examples"]["removed"]} == {"49", "86"}
    # A refused result is compared, too.
    assert refused["status"] == "failed" and refused["changes"]["from"] == second["published"]["version"]
    assert refused["changes"]["numbers"] == {"added": 0, "removed": len(new) - 100, "relabelled": 0}
    assert len(refused["history"]) == 2
    print("valid")
    """#

  @Test("the changes in a report are those of diff, and the examples those of the lists")
  func changes() async throws {
    let workshop = try Workshop()
    let made = try await Program.shell(Self.versions, in: workshop)
    #expect(made.status == 0, "\(made.errors)")
    let valid = try await Program.shell(
      "python3 '\(Program.root)/Tests/CommandTests/Programs/validate_json.py' "
        + "'\(Program.root)/docs/formats/report.schema.json' first.json second.json refused.json",
      in: workshop)
    #expect(valid.status == 0, "\(valid.outputText)\(valid.errors)")
    try workshop.write(workshop.work + "/comparison.py", Array(Self.comparison.utf8))
    let outcome = try await Program.shell("python3 comparison.py", in: workshop)
    #expect(outcome.outputText == "valid\n", "\(outcome.errors)")
  }

  @Test("the checkers find errors")
  func checkers() async throws {
    let workshop = try Workshop()
    let script = #"""
      cdpipe run -q --pipe 'parse samples/seed.json' --report good.json --metrics good.prom > /dev/null
      sed 's/"status" : "done"/"status" : "well"/' good.json > wrong.json
      sed 's/success{pipeline=""}/success{pipeline="}/' good.prom > wrong.prom
      sed '/^# TYPE cdpipe_run_success/d' good.prom > untyped.prom
      """#
    let made = try await Program.shell(script, in: workshop)
    #expect(made.status == 0, "\(made.errors)")
    let folder = Program.root + "/Tests/CommandTests/Programs"
    let wrong = try await Program.shell(
      "python3 '\(folder)/validate_json.py' '\(Program.root)/docs/formats/report.schema.json' wrong.json",
      in: workshop)
    #expect(wrong.status == 1)
    #expect(wrong.outputText.contains("status"))
    let good = try await Program.shell("python3 '\(folder)/check_metrics.py' good.prom", in: workshop)
    #expect(good.status == 0, "\(good.outputText)")
    for name in ["wrong.prom", "untyped.prom"] {
      let outcome = try await Program.shell("python3 '\(folder)/check_metrics.py' \(name)", in: workshop)
      #expect(outcome.status == 1, "\(name)")
    }
  }
}
