#!/usr/bin/env python3
"""Answers five questions about complaints with `cdpipe run` and with DuckDB: votes, age, labels, sources, dense blocks. The
part `votes`; DuckDB runs in a process of its own:

    Benchmarks/votes.py QUESTION FOLDER OUT.tsv
"""

import multiprocessing
import pathlib
import random
import shutil
import subprocess
import sys

import complaints
from measuring import DATA, HERE, Way, environment, note, peak_of, ratios, read_once, rounds, way_table

DAYS = 125
NOW = "2026-05-13"
"""The day of the last file."""
SOURCES = 7
"""The sources: that of a file is the rest of its position."""
FREQUENT = 0.5
"""The share of the rows with one number: 5,000,000 of 10,000,000."""

SPEED_BAR, MEMORY_BAR = 4.0, 64.0
"""The minimum speed-up over DuckDB, and the maximum peak memory in MiB."""

PARSE = "number: Company_Phone_Number, label: Subject, date: Created_Date"
QUESTIONS = {
    "three votes": ("", "{combine: count, min-count: 3}"),
    "last ninety days": (f", max-age: 90d, now: {NOW}", "{combine: count}"),
    "most frequent label": ("", "{keep: most-frequent, combine: sum}"),
    "two sources": ("", "{min-sources: 2, combine: count}"),
    "newest label": ("", "{keep: newest, combine: count}"),
    "dense blocks": ("", "{infer: '10:4,100:3', combine: count}"),
}
"""The keys of `parse` and `dedupe` for each question."""

ROWS = """(SELECT ('1' || Company_Phone_Number)::UBIGINT AS number, Subject AS label, Created_Date AS time,
  Created_Date::DATE AS day, parse_filename(filename, true)::INT AS file
  FROM read_csv('{folder}/days/*.csv', header=true, filename=true, delim=',', quote='"', auto_detect=false,
    columns={{'Company_Phone_Number': 'VARCHAR', 'Created_Date': 'TIMESTAMP', 'Violation_Date': 'VARCHAR',
      'Consumer_City': 'VARCHAR', 'Consumer_State': 'VARCHAR', 'Consumer_Area_Code': 'VARCHAR', 'Subject': 'VARCHAR',
      'Recorded_Message_Or_Robocall': 'VARCHAR'}})
  WHERE Company_Phone_Number IS NOT NULL)"""
FIRST = "arg_min(label, time)"
"""The label of the first record: the files follow one another, and in a file the times ascend."""
COUNTED = "SELECT number, " + FIRST + " AS label, count(*) AS votes FROM rows GROUP BY number"
QUERIES = {
    "three votes": COUNTED + " HAVING count(*) >= 3",
    "last ninety days": f"SELECT number, {FIRST} AS label, count(*) AS votes FROM rows "
    f"WHERE day >= DATE '{NOW}' - 90 GROUP BY number",
    "most frequent label": "SELECT number, first(label ORDER BY times DESC, first) AS label, sum(times)::BIGINT AS votes FROM "
    "(SELECT number, label, count(*) AS times, min(time) AS first FROM rows GROUP BY number, label) GROUP BY number",
    "two sources": COUNTED + f" HAVING count(DISTINCT file % {SOURCES}) >= 2",
    "newest label": "SELECT number, arg_min(label, (-epoch(day), time)) AS label, count(*) AS votes FROM rows GROUP BY number",
    "dense blocks": f""", listed AS ({COUNTED}),
      tens AS (SELECT number // 10 AS block FROM listed GROUP BY block HAVING count(*) >= 4),
      hundreds AS (SELECT block // 10 AS hundred FROM tens GROUP BY hundred HAVING count(*) >= 3),
      added AS (
        SELECT block * 10 + step AS number FROM tens, range(10) AS steps(step)
        UNION SELECT hundred * 100 + step FROM hundreds, range(100) AS steps(step))
      SELECT number, '' AS label, NULL AS votes FROM (SELECT number FROM listed UNION SELECT number FROM added)""",
}


def rows(day, count):
    """Returns the rows of a day. Half of them have one number; the others repeat few numbers often and many seldom, in blocks
    of which some are dense."""
    lot = random.Random(day)
    date = f"2026-{1 + day // 28:02d}-{1 + day % 28:02d}"
    subjects = lot.choices(list(complaints.SUBJECTS), list(complaints.SUBJECTS.values()), k=count)
    found = []
    for row, subject in enumerate(subjects):
        area = complaints.AREA_CODES[int(lot.random() * len(complaints.AREA_CODES))]
        chosen = lot.random()
        number = "2025550100" if chosen < FREQUENT else f"{area}{2_000_000 + int(lot.random() ** 4 * 4_000_000)}"
        if chosen > 1 - complaints.WITHOUT_NUMBER:
            number = ""
        time = f"{row // 3600:02d}:{row // 60 % 60:02d}:{row % 60:02d}"
        found.append(f"{number},{date} {time},,Town {row % 2000},,{area},{subject},Y\r\n")
    return found


def write_lists(folder, each):
    partial = folder.with_suffix(".unfinished")
    shutil.rmtree(partial, ignore_errors=True)
    (partial / "days").mkdir(parents=True)
    for day in range(DAYS):
        complaints.write(partial / "days" / f"{day:03d}.csv", rows(day, each))
    partial.rename(folder)


def lists(count):
    """Returns the folder of the lists; makes them if they are missing, in a process of its own (measuring.py)."""
    each = max(1, count // DAYS)
    folder = DATA / f"votes-{each}"
    if not folder.exists():
        note(f"Making {folder.name}")
        writer = multiprocessing.Process(target=write_lists, args=(folder, each))
        writer.start()
        writer.join()
        if writer.exitcode != 0:
            sys.exit(f"can't make {folder.name}")
    for file in (folder / "days").iterdir():
        read_once(file)
    return folder


def pipeline(folder, question):
    """Writes the pipeline file of a question; returns it."""
    parse, dedupe = QUESTIONS[question]
    file = folder / f"{question.replace(' ', '-')}.yaml"
    with open(file, "w", encoding="utf-8") as text:
        text.write("sources:\n")
        for day in range(DAYS):
            text.write(f"- {{path: days/{day:03d}.csv, parse: {{{PARSE}, source: '=s{day % SOURCES}'{parse}}}, region: US}}\n")
        # With the default, 64 MiB, all rows of the last ninety days are sorted in memory.
        text.write(f"sort: {{memory: 40M}}\ndedupe: {dedupe}\nemit:\n  - {{path: {file.with_suffix('.tsv')}, format: tsv}}\n")
    return file


def answer(question, folder, output):
    """Answers a question with DuckDB: number, label and votes, ascending."""
    import duckdb

    duckdb.sql(
        f"COPY (WITH rows AS {ROWS.format(folder=folder)} {QUERIES[question]} ORDER BY number) TO '{output}' "
        "(FORMAT csv, DELIMITER '\t', HEADER false, QUOTE '')")


def is_same(question, ours, theirs):
    """Whether both have the same numbers, and the same labels and votes if the question is about them."""
    fields = "$1" if question == "dense blocks" else '$1 "\\t" $2 "\\t" $4'
    # A range stands for each of its numbers.
    script = ('cmp -s <(awk -F "\\t" \'{ n = split($1, ends, "[.][.]"); if (n == 1) print %s; '
              'else for (at = ends[1]; at <= ends[2]; at++) printf "%%.0f\\n", at }\' "$1") <(cut -f %s "$2")')
    columns = "1" if question == "dense blocks" else "1-3"
    command = ["bash", "-c", script % (fields, columns), "cmp", str(ours), str(theirs)]
    return subprocess.run(command, check=False).returncode == 0


def measure(name, options):
    from results import Part, pypi_version

    folder = lists(options.rows)
    has_peer = pypi_version("duckdb")
    if not has_peer:
        note("skipped: DuckDB is not installed")
    part = Part(name, rows=options.rows, rounds=options.runs)
    part.text(f"{folder.name}: {DAYS} files, half of the rows with one number; {options.runs} rounds.")
    for question in QUESTIONS:
        file, theirs = pipeline(folder, question), folder / f"{question.replace(' ', '-')}.duckdb.tsv"
        ways = [Way(question, [("run", [options.cdpipe, "run", str(file), "--quiet"])])]
        peer = f"DuckDB, {question}"
        if has_peer:
            command = [sys.executable, str(HERE / "votes.py"), question, str(folder), str(theirs)]
            ways.append(Way(peer, [("DuckDB", command)]))
        found = rounds(ways, options.runs, environment())
        way_table(part, found)
        part.figure(f"{question}: peak", peak_of(found[question]), "MiB", at_most=MEMORY_BAR)
        if has_peer:
            part.figure(
                f"{question}: times faster than DuckDB", ratios(found[question], found[peer]), at_least=SPEED_BAR, peer=peer)
            part.same(f"The answers to '{question}'", is_same(question, file.with_suffix(".tsv"), theirs))
    return part


if __name__ == "__main__":
    answer(sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3])
