#!/usr/bin/env python3
"""Measures each format: records per second of wall time, including the start of the program, and peak memory.

    Benchmarks/formats/measure.py --cdpipe FILE [--check] [--rows N] [--runs N]

The list is random but the same in each run: Chinese mobile numbers in order, with 5 labels, as text in the page cache.
The formats are those of `cdpipe emit --formats --json`. Each file is read back by `cdpipe parse`, stores and `pir` by
`cdpipe cat`; a format that parse can't read has no figure. Workbooks and binary property lists, which cdpipe only reads, are made by
Python. Other programs write and read some of the formats: Python's csv and json
modules, and SQLite's command line. Prints two tables of medians; --check exits with 1 if a bar is missed.
"""

import argparse
import json
import multiprocessing
import pathlib
import plistlib
import shutil
import statistics
import subprocess
import sys
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from lists import make_text
from measuring import DATA, Way, environment, mebibytes, note, peaks_by_process, read_once, rounds

RATE_BARS = {"sqlite": 1e6}
"""The minimum number of records per second when a format is written."""
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


OPTIONS = {"store": ["--max-entries", "4000000000"], "pir": ["--bundle-id", "com.example.app.lookup"]}
"""The options that a format needs."""


def emit_way(cdpipe, name, source, file):
    command = [cdpipe, "emit", "--quiet", "--format", name, "-o", str(file), str(source)]
    return Way(f"out {name}", [("emit", command + OPTIONS.get(name, []))])


def size(file):
    """The bytes of a file, or of the files in a directory."""
    return sum(one.stat().st_size for one in (file.iterdir() if file.is_dir() else [file]))


def parse_way(cdpipe, name, file, count):
    """Returns the way that reads a file back; None if not all of the records are found."""
    command = [cdpipe, "cat", str(file)] if name in OPTIONS else [cdpipe, "parse", "--quiet", str(file)]
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


def figures(runs, count):
    """Returns the rate in records per second, and the peak memory in MiB."""
    return count / statistics.median(run.seconds for run in runs), max(peak for _, peak in peaks_by_process(runs))


def cells(results, way, count):
    if way is None:
        return "— | —"
    rate, peak = figures(results[way.name], count)
    return f"{rate / 1e6:.1f} M | {mebibytes(peak)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cdpipe", required=True)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()

    DATA.mkdir(exist_ok=True)
    source = DATA / f"stats-{arguments.rows}-few-labels.tsv"
    make_text(source, arguments.rows)
    read_once(source)
    formats = [
        (name, DATA / f"formats-{arguments.rows}-{name}.{extension}") for name, extension in formats_of(arguments.cdpipe)]
    out = {name: emit_way(arguments.cdpipe, name, source, file) for name, file in formats}
    peers = peer_ways(source)
    results = rounds([*out.values(), *(way for _, way, _ in peers)], arguments.runs, environment())
    back = {name: parse_way(arguments.cdpipe, name, file, arguments.rows) for name, file in formats}
    reading = [way for way in back.values() if way] + [way for _, _, way in peers]
    made = []
    for name, (extension, make) in READ_ONLY.items():
        file = DATA / f"formats-{arguments.rows}-made.{extension}"
        # In a process of its own: the memory of this one would count as that of the programs that it starts.
        maker = multiprocessing.Process(target=make, args=(file, source))
        maker.start()
        maker.join()
        made.append((name, file, parse_way(arguments.cdpipe, name, file, arguments.rows)))
    reading += [way for _, _, way in made if way]
    results.update(rounds(reading, arguments.runs, environment()))

    print(f"{arguments.rows:,} records, {arguments.runs} rounds; bars: ≤ {MEMORY_BAR:.0f} MiB, "
          + ", ".join(f"{name} ≥ {bar / 1e6:.0f} M records/s" for name, bar in RATE_BARS.items()) + ".\n")
    print("| format | out: records/s | peak MiB | MiB | back in: rows/s | peak MiB | bars |")
    print("|---|---:|---:|---:|---:|---:|---|")
    met = True
    for name, file in formats:
        ways = [way for way in (out[name], back[name]) if way]
        peak = max(figures(results[way.name], 1)[1] for way in ways)
        ok = peak <= MEMORY_BAR and figures(results[out[name].name], arguments.rows)[0] >= RATE_BARS.get(name, 0)
        met = met and ok
        print(f"| {name} | {cells(results, out[name], arguments.rows)} | {size(file) / 2**20:.0f} | "
              f"{cells(results, back[name], arguments.rows)} | {'ok' if ok else 'MISSED'} |")
    for name, file, way in made:
        ok = way is not None and figures(results[way.name], 1)[1] <= MEMORY_BAR
        met = met and ok
        print(f"| {name} | — | — | {size(file) / 2**20:.0f} | {cells(results, way, arguments.rows)} | "
              f"{'ok' if ok else 'MISSED'} |")
    print("\n| other programs | out: records/s | peak MiB | back in: rows/s | peak MiB |\n|---|---:|---:|---:|---:|")
    for what, writing, way in peers:
        print(f"| {what} | {cells(results, writing, arguments.rows)} | {cells(results, way, arguments.rows)} |")
    if arguments.check and not met:
        sys.exit(1)


if __name__ == "__main__":
    main()
