// The JSON output of commands against the schemas that docs/formats/output.md lists, by an independent program.

import Testing

@Suite("The schemas of JSON output")
struct OutputSchemaTests {
  /// Writes at least one file for each schema, NAME.….json, or .jsonl for one object per line: valid and
  /// damaged files, empty and hostile labels, all optional keys.
  private static let script = #"""
    set -e
    printf '%s\n' $'10..19\tformer\tyesterday\t1' $'8613800138000\tgone' $'8613800138001\tsame\ty' > old.tsv
    printf '%s\n' 5 $'12..14\tn"e\\\\w' $'999999999999\t房产中介' $'8613800138001\tsame\tz\t7' > new.tsv
    no() { "$@" || [ $? = 1 ]; }
    no cdpipe diff --json old.tsv new.tsv > diff.1.jsonl
    no cdpipe diff --json --all-fields old.tsv new.tsv > diff.2.jsonl
    no cdpipe diff --json --summary old.tsv new.tsv > diff-summary.1.json 2> errors
    no cdpipe diff --json --summary --all-fields --top 1 old.tsv new.tsv > diff-summary.2.json 2>> errors
    seq 5000 | sed 's/.*/&\tlabel &/' | cdpipe diff --json --summary old.tsv - > diff-summary.3.json 2>> errors && exit 9
    cdpipe diff --json --summary old.tsv old.tsv > diff-summary.4.json 2>> errors
    cdpipe emit -q --format store -o one --baseline none --max-entries 9 --fill 50% --block '' old.tsv
    cdpipe emit -q --format store -o two --baseline one --max-entries 9 --block '' new.tsv
    cdpipe emit -q --allow-empty -o empty.cdstore < /dev/null
    cdpipe cat --json two/*.cdstore > cat.jsonl
    cdpipe cat --json empty.cdstore > cat.empty.jsonl
    cdpipe emit -q --format pir --bundle-id com.example.app.lookup --shards 2 --block 'n*' -o pir new.tsv
    cdpipe cat --json pir > cat.pir.jsonl
    cdpipe lookup --json "$(ls two/*.cdstore | tail -n 1)" 999999999999 > lookup.jsonl
    cdpipe lookup --json 999999999999 one two pir > lookup.2.jsonl || true
    cdpipe lookup --json --prefix 1 one two pir > lookup.3.jsonl
    ls two/*.cddelta > names
    for name in two one pir two/*.cdstore two/*.cddelta empty.cdstore; do cdpipe info --json "$name" > "info.${name//\//-}.json"; done
    { head -c 300 "$(ls two/*.cdstore | head -n 1)"; printf x; } > damaged.cdstore
    { head -c 300 "$(head -n 1 names)"; printf x; } > damaged.cddelta
    cp -r pir damaged-pir && echo x >> damaged-pir/block-0.binpb
    no cdpipe verify --json two two/*.cd* damaged.cdstore damaged.cddelta old.tsv pir damaged-pir > verify.jsonl 2>> errors
    no cdpipe number --json --region CN 0755-12345678 abc 1380013800X '+8613800138000 ext. 5' 00861380013800 012 1 \
      0015555555555 > number.jsonl
    cdpipe parse --formats --json > parse-formats.jsonl
    cdpipe parse --encodings --json > parse-encodings.jsonl
    cdpipe emit --formats --json > emit-formats.jsonl
    printf '%s\n' 'sources:' '  - { name: a, path: new.tsv, parse: { format: lines } }' \
      '  - { url: "http://127.0.0.1:9/list.csv?key=secret", required: false, download: { retries: 0 } }' > two.yaml
    cdpipe run --check --json two.yaml > run-check.1.json
    printf '%s\n' 'name: "x"' 'sources: { path: new.tsv, parse: { format: lines }, normalize: { region: CN } }' \
      'publish: { directory: public }' 'emit: [ { format: store }, { path: all.csv } ]' > publish.yaml
    cdpipe run --check --json publish.yaml > run-check.2.json
    cdpipe run --check --json publish.yaml --set path=absent > run-check.3.json 2>> errors && exit 9
    cdpipe run --check --json publish.yaml --set publish.keep=x > run-check.4.json 2>> errors && exit 9
    echo 'sources: { pth: a }' > wrong.yaml
    cdpipe run --check --json wrong.yaml > run-check.5.json 2>> errors && exit 9
    printf '%s\n' 'sources: [{ path: new.tsv }, { path: absent, required: false }]' > missing.yaml
    cdpipe run --check --json missing.yaml > run-check.6.json 2>> errors
    cdpipe run --check --json two.yaml --set sources.a.select.keep=country=CN --set dedupe.min-score=0 > run-check.7.json
    cdpipe run --log-format json publish.yaml 2> log.1.jsonl
    echo $'8675599999998\tnew' >> new.tsv; cdpipe run --log-format json publish.yaml 2> log.2.jsonl
    cdpipe run --log-format json two.yaml --set sources.a.path=absent 2> log.3.jsonl > /dev/null && exit 9
    echo bad > bad.tsv; cdpipe run --log-format json two.yaml --set sources.a.path=bad.tsv 2> log.4.jsonl > /dev/null && exit 9
    echo bad | cdpipe run --log-format json --pipe 'parse | normalize' 2> log.5.jsonl && exit 9
    cdpipe rollback public 2>> errors
    cdpipe run -q publish.yaml
    cdpipe rollback --list --json public > rollback-list.1.jsonl
    cdpipe history --json public > history.1.jsonl
    cdpipe keys generate -o schema.key > schema.pub 2>> errors
    cdpipe run -q publish.yaml --set publish.directory=signed --set publish.sign=schema.key
    cdpipe run -q publish.yaml --set publish.directory=signed --set publish.sign=schema.key
    cdpipe rollback --list --json signed > rollback-list.2.jsonl
    cdpipe history --json signed > history.2.jsonl
    cdpipe verify --json --key "$(cat schema.pub)" signed > verify.2.jsonl
    cdpipe verify --json --key "$(cat schema.pub)" two pir > verify.3.jsonl 2>> errors && exit 9
    cdpipe rules check --json samples/message-rules.yaml > rules-check.json
    no cdpipe rules explain --json samples/message-rules.yaml --sender 95588 --text '验证码 1234' > rules-explain.1.json
    no cdpipe rules explain --json samples/message-rules.yaml --sender x --text y > rules-explain.2.json
    cdpipe classify --rules samples/message-rules.yaml --evaluate expected --json samples/messages.jsonl \
      > classify-evaluate.1.json 2>> errors
    printf '%s\n' 'rules:' '  - { action: junk, when: { body: { contains: x, contains-none: x } } }' \
      '  - { action: junk }' '  - { action: allow }' > never.yaml
    cdpipe classify --rules never.yaml --evaluate expected --json samples/messages.jsonl > classify-evaluate.2.json
    cdpipe classify --rules never.yaml --evaluate expected --json /dev/null > classify-evaluate.3.json
    for name in seed.json marked.zip saracroche.json contacts.vcf spam.sqlite ranges.tsv; do
      cdpipe preview --json "samples/$name" > "preview.$name.json" 2>> errors
    done
    cdpipe unzip --list --json samples/marked.zip > unzip-list.jsonl
    cdpipe simulate --json two > simulate.json
    cdpipe sort old.tsv new.tsv -o both.tsv
    cdpipe sample both.tsv -o both.sample
    cdpipe split --json --parts 3 both.tsv -o parts > split.1.jsonl 2>> errors
    printf '%s\n' 4 13 8613800138002 > cuts
    cdpipe split --json --at cuts --move-cuts --offsets both.tsv > split.2.jsonl 2>> errors
    cdpipe split --json --parts 2 --offsets --sample both.sample both.tsv > split.3.jsonl 2>> errors
    cdpipe stats --json two old.tsv > stats.json
    cdpipe version --json > version.json
    cdpipe bench --rows 500 --runs 1 --json > bench.json 2>> errors
    """#

  private static let facts = #"""
    import glob, json
    def lines(name):
        return [json.loads(line) for line in open(name, encoding="utf-8")]
    # The last message of each run has the exit status, and no other one has it.
    statuses = [[line.get("exitStatus") for line in lines(f"log.{number}.jsonl")] for number in (1, 2, 3, 4, 5)]
    assert [one[-1] for one in statuses] == [0, 0, 66, 65, 65], statuses
    assert not any(status is not None for one in statuses for status in one[:-1]), statuses
    assert all(line["pipeline"] == "publish.yaml" for line in lines("log.1.jsonl"))
    assert not any("pipeline" in line for line in lines("log.5.jsonl"))
    assert any(line.get("source") == "a" and line.get("stage") for line in lines("log.4.jsonl")), lines("log.4.jsonl")
    # The same counts by label, by country, in total, and in the published change.
    for name in glob.glob("diff-summary.*.json"):
        summary = json.load(open(name, encoding="utf-8"))
        for kind in ("added", "removed", "relabelled"):
            labels = summary["labels"] + [summary[key] for key in ("moreLabels", "otherLabels") if key in summary]
            countries = summary["countries"] + ([summary["moreCountries"]] if "moreCountries" in summary else [])
            assert summary["total"][kind] == sum(one[kind] for one in labels) == sum(one[kind] for one in countries), name
    assert json.load(open("diff-summary.3.json"))["otherLabels"]["added"] == 5000 - 4096
    # The events of a folder, and what published versions have.
    events = lines("history.1.jsonl") + lines("history.2.jsonl")
    assert [one["event"] for one in events] == ["withdrawn", "rolledBack", "published", "published", "unchanged", "published"]
    assert all(set(one) >= {"entries", "kinds", "bytes"} for one in events if one["event"] == "published"), events
    assert events[2]["changes"]["added"] == 1 and events[2]["replaced"] == events[3]["version"], events
    assert "signedUntil" in lines("rollback-list.2.jsonl")[0] and "signedUntil" not in lines("rollback-list.1.jsonl")[0]
    assert "secret" not in open("run-check.1.json").read()
    assert {line["isValid"] for line in lines("verify.jsonl")} == {True, False}
    assert {line["kind"] for line in lines("cat.jsonl")} == {"blocking", "identification"}
    print("valid")
    """#

  @Test("the output of every command with --json matches its schema")
  func schemas() async throws {
    let workshop = try Workshop()
    let made = try await Program.shell(Self.script, in: workshop)
    #expect(made.status == 0, "\(made.errors)")
    let check = #"""
      schemas=$1/docs/formats
      # Other tests make manifests and reports.
      for name in $(sed -n 's/.*(\([a-z-]*\)[.]schema[.]json).*/\1/p' "$schemas/output.md" | grep -v -e manifest -e report)
      do ls "$name".*json* > /dev/null || exit 1; done
      for file in *.json *.jsonl; do
        python3 "$1/Tests/CommandTests/Programs/validate_json.py" "$schemas/${file%%.*}.schema.json" "$file" || exit 1
      done
      # The checker finds an error in any line.
      sed '2s/"isValid"/"is"/' verify.jsonl > verify.wrong
      mv verify.wrong wrong.jsonl
      python3 "$1/Tests/CommandTests/Programs/validate_json.py" "$schemas/verify.schema.json" wrong.jsonl && exit 1
      true
      """#
    try workshop.write(workshop.work + "/check.sh", Array(check.utf8))
    let valid = try await Program.shell("bash check.sh '\(Program.root)'", in: workshop)
    #expect(valid.status == 0, "\(valid.outputText)\(valid.errors)")
    #expect(valid.outputText.contains("wrong.jsonl:2"))
    try workshop.write(workshop.work + "/facts.py", Array(Self.facts.utf8))
    let facts = try await Program.shell("python3 facts.py", in: workshop)
    #expect(facts.outputText == "valid\n", "\(facts.errors)")
  }
}
