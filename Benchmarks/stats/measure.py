#!/usr/bin/env python3
"""Measures `cdpipe stats`: records per second of wall time, including the start of the program, and peak memory.

    Benchmarks/stats/measure.py --cdpipe FILE [--check] [--rows N] [--runs N]

The lists are random but the same in each run: Chinese mobile numbers with 5 labels or with a distinct label per record,
as a store, as text in order, and as text in random order. The files are in the page cache. Prints a table of medians;
--check exits with 1 if a bar is missed.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from lists import make_text
from measuring import DATA, Way, environment, mebibytes, note, peaks_by_process, read_once, rounds

STORE_BAR = 100e6
"""The minimum number of records per second from a store."""
TEXT_BAR = 20e6
"""The minimum number of records per second from text in order with few labels."""
MEMORY_BAR = 64.0
"""The maximum peak memory in MiB."""


def write_store(cdpipe, text):
    file = text.with_suffix(".cdstore")
    if not file.exists():
        note(f"Making {file.name}")
        command = [cdpipe, "emit", "--quiet", "--max-entries", "4000000000", "-o", str(file), str(text)]
        subprocess.run(command, check=True)
    return file


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cdpipe", required=True)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()

    DATA.mkdir(exist_ok=True)
    few, distinct, shuffled = (
        DATA / f"stats-{arguments.rows}-{name}.tsv" for name in ("few-labels", "distinct-labels", "random-order"))
    for file, is_distinct, is_shuffled in ((few, False, False), (distinct, True, False), (shuffled, False, True)):
        make_text(file, arguments.rows, is_distinct, is_shuffled)
    files = [
        ("store, 5 labels", write_store(arguments.cdpipe, few), STORE_BAR),
        ("store, a distinct label per record", write_store(arguments.cdpipe, distinct), None),
        ("text, 5 labels", few, TEXT_BAR),
        ("text, 5 labels, random order", shuffled, None),
        ("text, a distinct label per record", distinct, None),
    ]
    for _, file, _ in files:
        read_once(file)
    ways = [Way(name, [("stats", [arguments.cdpipe, "stats", str(file)])]) for name, file, _ in files]
    results = rounds(ways, arguments.runs, environment())

    print(f"{arguments.rows:,} records, {arguments.runs} rounds.\n")
    print("| list | wall s | records/s | bar | peak MiB | bar |\n|---|---:|---:|---|---:|---|")
    met = True
    for name, _, bar in files:
        runs = results[name]
        seconds = statistics.median(run.seconds for run in runs)
        rate = arguments.rows / seconds
        peak = max(peak for _, peak in peaks_by_process(runs))
        fast, small = bar is None or rate >= bar, peak <= MEMORY_BAR
        met = met and fast and small
        shown = "" if bar is None else f"≥ {bar / 1e6:.0f} M: {'ok' if fast else 'MISSED'}"
        print(f"| {name} | {seconds:.2f} | {rate / 1e6:.0f} M | {shown} | {mebibytes(peak)} | "
              f"≤ {MEMORY_BAR:.0f}: {'ok' if small else 'MISSED'} |")
    if arguments.check and not met:
        sys.exit(1)


if __name__ == "__main__":
    main()
