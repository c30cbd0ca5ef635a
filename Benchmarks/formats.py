"""Measures each format: records per second of wall time, including the start of the program, and peak memory. The part
`formats`.

The list is random but the same in each run: Chinese mobile numbers in order, with 5 labels, as text in the page cache.
The formats are those of `cdpipe emit --formats --json`. Each file is read back by `cdpipe parse`, stores and `pir` by
`cdpipe cat`; a format that parse can't read has no figure. Workbooks and binary property lists, which cdpipe only reads,
are made by Python. Other programs write and read some of the formats: Python's csv and json modules, and SQLite's command
line.
"""

import json
import multiprocessing
import plistlib
import shutil
import statistics
import subprocess
import sys
import zipfile

from lists import make_text
from measuring import DATA, Way, environment, mebibytes, note, peak_of, ratios, read_once, rounds
from results import Part

PEERS = {"Python csv": "csv", "Python json": "jsonl"}
"""The other programs, and the format that they write and read. SQLite's command line makes another table."""

RATE_BARS = {"sqlite": 1}
"""The minimum number of million records per second when a format is written."""
MEMORY_BAR = 64.0
"""The maximum peak memory in MiB."""

WRITE_CSV = """
import csv, sys
with open(sys.argv[1], encoding="utf-8") as rows, open(sys.argv[2], "w", encoding="utf-8", newline="") as output:
    writer = csv.writer(output)
    writer.writerow(["number", "label"])
    writer.writerows(line.rstrip("\\n").split("\\t") for line in rows)
"""
READ_CSV = """
import csv, sys
with open(sys.argv[1], encoding="utf-8", newline="") as rows:
    for row in csv.reader(rows): sys.stdout.write("\\t".join(row) + "\\n")
"""
WRITE_JSON = """
import json, sys
with open(sys.argv[1], encoding="utf-8") as rows, open(sys.argv[2], "w", encoding="utf-8") as output:
    for line in rows:
        number, label = line.rstrip("\\n").split("\\t")
        output.write(json.dumps({"number": int(number), "label": label}, ensure_ascii=False) + "\\n")
"""
READ_JSON = """
import json, sys
with open(sys.argv[1], encoding="utf-8") as rows:
    for line in rows:
        row = json.loads(line)
        sys.stdout.write(f"{row['number']}\\t{row['label']}\\n")
"""
IMPORT = [
    "PRAGMA journal_mode = OFF;", "PRAGMA synchronous = OFF;",
    "CREATE TABLE records(number INTEGER PRIMARY KEY, label TEXT);", ".mode tabs",
]
"""What SQLite's command line runs before it imports the list."""


def formats_of(cdpipe):
    """Returns the formats as (name, extension)."""
    listed = subprocess.run([cdpipe, "emit", "--formats", "--json"], stdout=subprocess.PIPE, check=True)
    rows = [json.loads(line) for line in listed.stdout.splitlines()]
    return [(row["format"], (row["extensions"] or [row["format"]])[0]) for row in rows]


def make_workbook(file, source):
    """Writes a list as a workbook: numbers as numbers, labels as shared texts, as spreadsheet programs do."""
    texts, relations = {}, "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    relation = '<Relationship Id="r%d" Type="' + relations + '/%s" Target="%s"/>'
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("_rels/.rels", "<Relationships>%s</Relationships>" % (relation % (1, "officeDocument", "xl/workbook.xml")))
        archive.writestr(
            "xl/workbook.xml",
            '<workbook xmlns:r="%s"><sheets><sheet name="list" sheetId="1" r:id="r1"/></sheets></workbook>' % relations)
        archive.writestr(
            "xl/_rels/workbook.xml.rels", "<Relationships>%s%s</Relationships>" % (
                relation % (1, "worksheet", "sheet.xml"), relation % (2, "sharedStrings", "strings.xml")))
        with archive.open("xl/sheet.xml", "w", force_zip64=True) as sheet, open(source, encoding="utf-8") as rows:
            sheet.write(b"<worksheet><sheetData>")
            for index, line in enumerate(rows, 1):
                number, label = line.rstrip("\n").split("\t")
                sheet.write(b'<row r="%d"><c r="A%d"><v>%s</v></c><c r="B%d" t="s"><v>%d</v></c></row>' % (
                    index, index, number.encode(), index, texts.setdefault(label, len(texts))))
            sheet.write(b"</sheetData></worksheet>")
        archive.writestr("xl/strings.xml", "<sst>%s</sst>" % "".join("<si><t>%s</t></si>" % text for text in texts))


def make_binary_list(file, source):
    """Writes a list as a binary property list."""
    with open(source, encoding="utf-8") as rows, open(file, "wb") as output:
        plistlib.dump(
            [dict(zip(("number", "title"), line.rstrip("\n").split("\t"))) for line in rows], output,
            fmt=plistlib.FMT_BINARY)


READ_ONLY = {"xlsx": ("xlsx", make_workbook), "plist, binary": ("plist", make_binary_list)}
"""The formats that cdpipe only reads: the extension, and what makes a list."""


OPTIONS = {
    "store": ["--max-entries", "4000000000"], "pir": ["--bundle-id", "com.example.app.lookup"],
    "template": ["--template", "{e164},{label|csv}"],
}
"""The options that a format needs."""


def emit_way(cdpipe, name, source, file):
    command = [cdpipe, "emit", "--quiet", "--format", name, "-o", str(file), str(source)]
    return Way(f"out {name}", [("emit", command + OPTIONS.get(name, []))])


def size(file):
    """The bytes of a file, or of the files in a directory."""
    return sum(one.stat().st_size for one in (file.iterdir() if file.is_dir() else [file]))


def parse_way(cdpipe, name, file, count):
    """Returns the way that reads a file back; None if not all of the records are found."""
    command = [cdpipe, "cat", str(file)] if name in ("store", "pir") else [cdpipe, "parse", "--quiet", str(file)]
    tried = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    found = tried.stdout.count(b"\n")
    if tried.returncode != 0 or found != count:
        note(f"{name}: {found} of {count} rows are read back, status {tried.returncode}")
        return None
    return Way(f"in {name}", [("parse", command)])


def peer_ways(source):
    """Returns the ways of other programs: what, the way that writes, the way that reads."""
    python = [sys.executable, "-c"]
    csv_file, json_file, database = (DATA / f"formats-peer.{name}" for name in ("csv", "jsonl", "sqlite"))
    ways = [
        ("Python csv", python + [WRITE_CSV, str(source), str(csv_file)], python + [READ_CSV, str(csv_file)]),
        ("Python json", python + [WRITE_JSON, str(source), str(json_file)], python + [READ_JSON, str(json_file)]),
    ]
    if shutil.which("sqlite3"):
        lines = [*IMPORT, f".import '{source}' records", "CREATE INDEX records_label ON records(label);"]
        options = [option for line in lines for option in ("-cmd", line)]
        shell = 'rm -f "$0" && exec sqlite3 "$@" "$0" .exit'
        ways.append((
            "sqlite3 .import", ["sh", "-c", shell, str(database), *options],
            ["sqlite3", str(database), "SELECT number, label FROM records"]))
    return [(what, Way(f"out {what}", [("peer", out)]), Way(f"in {what}", [("peer", back)])) for what, out, back in ways]


def measure(name, options):
    # Formats are slower than the other parts.
    count = max(options.rows // 10, 1)
    source = DATA / f"stats-{count}-few-labels.tsv"
    make_text(source, count)
    read_once(source)
    formats = [
        (form, DATA / f"formats-{count}-{form}.{extension}") for form, extension in formats_of(options.cdpipe)]
    out = {form: emit_way(options.cdpipe, form, source, file) for form, file in formats}
    peers = peer_ways(source)
    results = rounds([*out.values(), *(way for _, way, _ in peers)], options.runs, environment())
    back = {form: parse_way(options.cdpipe, form, file, count) for form, file in formats}
    reading = [way for way in back.values() if way] + [way for _, _, way in peers]
    made = []
    for form, (extension, make) in READ_ONLY.items():
        file = DATA / f"formats-{count}-made.{extension}"
        # In a process of its own: the memory of this one would count as that of the programs that it starts.
        maker = multiprocessing.Process(target=make, args=(file, source))
        maker.start()
        maker.join()
        made.append((form, file, parse_way(options.cdpipe, form, file, count)))
    reading += [way for _, _, way in made if way]
    results.update(rounds(reading, options.runs, environment()))

    def rates(way):
        return [count / one.seconds / 1e6 for one in results[way.name]]

    def cells(way):
        return [f"{statistics.median(rates(way)):.1f} M", mebibytes(peak_of(results[way.name]))] if way else ["—", "—"]

    part = Part(name, rows=options.rows, rounds=options.runs)
    part.text(f"{count:,} records, {options.runs} rounds.")
    rows = [[form, *cells(out[form]), f"{size(file) / 2**20:.0f}", *cells(back[form])] for form, file in formats]
    rows += [[form, "—", "—", f"{size(file) / 2**20:.0f}", *cells(way)] for form, file, way in made]
    part.table(["format", "out: records/s", "peak MiB", "MiB", "back in: rows/s", "peak MiB"], rows)
    part.table(["other programs", "out: records/s", "peak MiB", "back in: rows/s", "peak MiB"],
               [[what, *cells(writing), *cells(way)] for what, writing, way in peers])
    for form, bar in RATE_BARS.items():
        part.figure(f"{form}, out: records per second", rates(out[form]), "M", at_least=bar)
    ours = [*out.values(), *(way for way in back.values() if way), *(way for _, _, way in made if way)]
    part.figure("the highest peak", max(peak_of(results[way.name]) for way in ours), "MiB", at_most=MEMORY_BAR)
    peer_rates = {what: (writing, way) for what, writing, way in peers}
    for what, form in PEERS.items():
        if what in peer_rates and form in out and back[form]:
            for direction, own, peer in (("out", out[form], peer_rates[what][0]), ("in", back[form], peer_rates[what][1])):
                faster = ratios(results[own.name], results[peer.name])
                part.figure(f"{form}, {direction}: times faster than {what}", faster, at_least=1, peer=what)
    return part
