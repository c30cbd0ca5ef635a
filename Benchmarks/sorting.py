"""Compares `cdpipe sort` alone with GNU sort, on a file of records in random order. The part `sort`."""

import subprocess

from measuring import DATA, Way, environment, made_rows, peak_of, ratios, read_once, rounds, way_table
from results import Part

CASES = {"few labels": (False, 9.0), "a distinct label per row": (True, 5.0)}
"""Whether each row has its own label, and the minimum speed-up."""
MEMORY_BAR = 96.0
"""The maximum peak memory in MiB."""
OURS, PEER = "cdpipe sort", "GNU sort"


def measure(name, options):
    part = Part(name, rows=options.rows, rounds=options.runs)
    for title, (is_distinct, bar) in CASES.items():
        source = made_rows(options.rows, is_distinct)
        records, ours, theirs = DATA / "records.tsv", DATA / "ours.tsv", DATA / "theirs.tsv"
        with open(records, "wb") as file:
            parse = subprocess.Popen([options.cdpipe, "parse", str(source)], stdout=subprocess.PIPE)
            subprocess.run([options.cdpipe, "normalize", "--region", "CN"], stdin=parse.stdout, stdout=file, check=True)
        read_once(records)
        gnu = ["sort", "-n", "-s", "-k1,1", "-S", "64M", "--parallel=2", str(records)]
        ways = [Way(OURS, [("sort", [options.cdpipe, "sort", str(records)])], ours), Way(PEER, [("sort", gnu)], theirs)]
        results = rounds(ways, options.runs, environment())
        part.text(f"{options.rows:,} records, {title}, {options.runs} rounds.")
        way_table(part, results)
        part.figure(f"{title}: times faster than {PEER}", ratios(results[OURS], results[PEER]), at_least=bar, peer=PEER)
        part.figure(f"{title}: peak", peak_of(results[OURS]), "MiB", at_most=MEMORY_BAR)
        part.same("The outputs", subprocess.run(["cmp", "-s", str(ours), str(theirs)], check=False).returncode == 0)
        for file in (records, ours, theirs):
            file.unlink()
    return part
