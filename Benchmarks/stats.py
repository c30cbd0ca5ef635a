"""Measures `cdpipe stats`: records per second of wall time, including the start of the program, and peak memory. The part
`stats`.

The lists are random but the same in each run: Chinese mobile numbers with 5 labels or with a distinct label per record,
as a store, as text in order, and as text in random order. The files are in the page cache.
"""

import subprocess

from lists import make_text
from measuring import DATA, Way, environment, note, peak_of, read_once, rounds, way_table
from results import Part

STORE_BAR = 100
"""The minimum number of million records per second from a store."""
TEXT_BAR = 20
"""The minimum number of million records per second from text in order with few labels."""
MEMORY_BAR = 64.0
"""The maximum peak memory in MiB."""


def write_store(cdpipe, text):
    file = text.with_suffix(".cdstore")
    if not file.exists():
        note(f"Making {file.name}")
        command = [cdpipe, "emit", "--quiet", "--max-entries", "4000000000", "-o", str(file), str(text)]
        subprocess.run(command, check=True)
    return file


def measure(name, options):
    few, distinct, shuffled = (
        DATA / f"stats-{options.rows}-{kind}.tsv" for kind in ("few-labels", "distinct-labels", "random-order"))
    for file, is_distinct, is_shuffled in ((few, False, False), (distinct, True, False), (shuffled, False, True)):
        make_text(file, options.rows, is_distinct, is_shuffled)
    files = [
        ("store, 5 labels", write_store(options.cdpipe, few), STORE_BAR),
        ("store, a distinct label per record", write_store(options.cdpipe, distinct), None),
        ("text, 5 labels", few, TEXT_BAR),
        ("text, 5 labels, random order", shuffled, None),
        ("text, a distinct label per record", distinct, None),
    ]
    for _, file, _ in files:
        read_once(file)
    ways = [Way(what, [("stats", [options.cdpipe, "stats", str(file)])]) for what, file, _ in files]
    results = rounds(ways, options.runs, environment())
    part = Part(name, rows=options.rows, rounds=options.runs)
    part.text(f"{options.rows:,} records, {options.runs} rounds.")
    way_table(part, results)
    for what, _, bar in files:
        rates = [options.rows / run.seconds / 1e6 for run in results[what]]
        part.figure(f"{what}: records per second", rates, "M", at_least=bar)
        part.figure(f"{what}: peak", peak_of(results[what]), "MiB", at_most=MEMORY_BAR)
    return part
