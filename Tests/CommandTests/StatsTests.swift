// `cdpipe stats --json` against its schema and against a computation in Python.

import Testing

@Suite("Stats")
struct StatsTests {
  private static let script = #"""
    set -e
    cdpipe sort samples/ranges.tsv > ranges.tsv
    cdpipe parse samples/marked.json | cdpipe normalize --region CN -q > marked.tsv
    for rest in 2 0 1; do awk "NR % 3 == $rest" marked.tsv; done > mixed.tsv
    printf '21\tx\tsrc\t1\n999\n80012345678\n11234567890\ty\tsrc\n' >> mixed.tsv
    cdpipe stats --json --top 0 mixed.tsv ranges.tsv > all.json
    cdpipe stats --json --top 2 mixed.tsv > few.json
    cdpipe stats --json < /dev/null > empty.json
    seq 8613800100000 8613800170000 | awk '{ print $0 "\tlabel " $0 }' | cdpipe stats --json > many.json
    printf '1..999999999999999\n' | cdpipe stats --json > world.json
    cdpipe stats --json -q --region CN samples/marked.json > raw.json
    printf '%s\n' '1\ta\t\t3\t2026-11-20' '2\ta\t\t-1\t2026-10-02' '3..6\tb\t\t\t2026-11-01' 7 | sed 's/\\t/\t/g' \
      | cdpipe stats --json --top 1 > votes.json
    printf '13800138000\nno number\n' | cdpipe stats --json -q --region CN > bad.json
    """#

  /// Counts lines in Python. The ranges in the sample lie in one prefix each, but for one.
  private static let facts = #"""
    import collections, json
    def read(name):
        with open(name, encoding="utf-8") as file:
            for line in file:
                number, label, source = (line.rstrip("\n").split("\t") + ["", ""])[:3]
                first, _, last = number.partition("..")
                yield int(first), int(last or first), label.replace("\\t", "\t").replace("\\\\", "\\"), source
    rows = list(read("mixed.tsv")) + list(read("ranges.tsv"))
    every = json.load(open("all.json"))
    assert every["records"] == len(rows) and every["ranges"] == sum(last > first for first, last, *_ in rows)
    assert every["numbers"] == sum(last - first + 1 for first, last, *_ in rows)
    def counts(name):
        assert "others" not in every[name], name
        return {item["name"]: (item["records"], item["numbers"]) for item in every[name]["items"]}
    def expected(key):
        records, numbers = collections.Counter(), collections.Counter()
        for row in rows:
            records[key(row)] += 1
            numbers[key(row)] += row[1] - row[0] + 1
        return {name: (records[name], numbers[name]) for name in records}
    assert counts("labels") == expected(lambda row: row[2])
    assert counts("sources") == expected(lambda row: row[3])
    for name in ("countries", "types", "prefixes"):
        items = every[name]["items"]
        assert sum(item["numbers"] for item in items) == every["numbers"], name
        assert sum(item["records"] for item in items) == every["records"], name
        assert [item["numbers"] for item in items] == sorted((item["numbers"] for item in items), reverse=True)
        assert abs(sum(item["percent"] for item in items) - 100) < 0.1
    by_code = collections.Counter()
    for item in every["countries"]["items"]:
        by_code[item.get("callingCode")] += item["numbers"]
    assert by_code[None] == 2 and by_code[800] == 1 and by_code[82] == 100_000_000, by_code
    assert {"name": "South Korea", "region": "KR"}.items() <= every["countries"]["items"][0].items()
    shared = [item for item in every["countries"]["items"] if item.get("callingCode") == 1 and not item["name"]]
    assert len(shared) == 1 and shared[0]["numbers"] > 1 and "region" not in shared[0]
    few = json.load(open("few.json"))
    assert len(few["labels"]["items"]) == 2 and few["labels"]["others"]["count"] == len({row[2] for row in read("mixed.tsv")}) - 2
    empty = json.load(open("empty.json"))
    assert empty["inputs"] == ["-"] and empty["numbers"] == 0 and empty["countries"] == {"items": []}
    many = json.load(open("many.json"))
    assert len(many["labels"]["items"]) == 10 and "count" not in many["labels"]["others"]
    assert many["labels"]["others"]["records"] == 70001 - 10
    world = json.load(open("world.json"))
    for name in ("countries", "types", "prefixes"):
        total = sum(item["numbers"] for item in world[name]["items"]) + world[name]["others"]["numbers"]
        assert total == world["numbers"] == 999_999_999_999_999, name
        assert "count" not in world[name]["others"]
    votes, raw_counts = json.load(open("votes.json")), json.load(open("raw.json"))
    assert votes["scores"] == {"records": 2, "median": -1, "largest": 3, "sum": 2}, votes["scores"]
    days = votes["days"]
    assert (days["records"], days["median"], days["newest"]) == (3, "2026-11-01", "2026-11-20"), days
    assert [(item["name"], item["numbers"]) for item in days["months"]["items"]] == [("2026-11", 5)], days
    assert days["months"]["others"]["numbers"] == 2 and "scores" not in raw_counts and "days" not in raw_counts
    raw, marked = json.load(open("raw.json")), list(read("marked.tsv"))
    assert raw["records"] == len(marked) and raw["numbers"] == len(marked)
    bad = json.load(open("bad.json"))
    assert bad["records"] == 1 and bad["rejects"] == 1
    print("valid")
    """#

  @Test("counts match their schema, and those of Python")
  func counts() async throws {
    let workshop = try Workshop()
    let made = try await Program.shell(Self.script, in: workshop)
    #expect(made.status == 0, "\(made.errors)")
    let check = "python3 '\(Program.root)/Tests/CommandTests/Programs/validate_json.py' "
    let schema = "'\(Program.root)/docs/formats/stats.schema.json' "
    let valid = try await Program.shell(
      check + schema + "all.json few.json empty.json many.json world.json raw.json bad.json votes.json",
      in: workshop)
    #expect(valid.status == 0, "\(valid.outputText)\(valid.errors)")
    // The checker detects errors, too.
    let wrong = try await Program.shell(
      #"sed 's/"toll-free"/"free"/' all.json > wrong.json; "# + check + schema + "wrong.json", in: workshop)
    #expect(wrong.status == 1)
    #expect(wrong.outputText.contains("types.items"), "\(wrong.outputText)")
    try workshop.write(workshop.work + "/facts.py", Array(Self.facts.utf8))
    let facts = try await Program.shell("python3 facts.py", in: workshop)
    #expect(facts.outputText == "valid\n", "\(facts.errors)")
    #expect(workshop.leftovers().isEmpty)
  }
}
