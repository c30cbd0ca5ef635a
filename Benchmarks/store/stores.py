#!/usr/bin/env python3
"""Measures stores: their size compared with their information content, SQLite and Roaring bitmaps, and their reading
speed.

    PYTHONPATH=$(scripts/python-packages.sh --bench) Benchmarks/store/stores.py --cdpipe FILE [--rate FILE] [--check]

The lists are random but the same in each run. The size of numbers is compared with log2 of the binomial coefficient
C(universe, n), that of labels with their entropy; the texts of labels are excluded on both sides. A Roaring bitmap
(pyroaring) contains only the numbers; SQLite has a table by number without a rowid, with labels as small integers.
Prints tables; --check exits with 1 if a bar is missed.
"""

import argparse
import bisect
import collections
import itertools
import json
import math
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SEED = 20240601
SIZE_BAR = 1.15
"""The maximum size of numbers and of labels relative to their information content."""
RATE_BAR = 100e6
"""The minimum number of entries per second for lists with at most ten labels."""
LOOKUP_BAR = 500
"""The maximum nanoseconds per lookup in such lists."""


def numbers(lot, count, universe, first):
    found = set()
    while len(found) < count:
        found.add(first + int(lot.random() * universe))
    return sorted(found)


def labels(lot, count, weights):
    ends = list(itertools.accumulate(weights))
    return [bisect.bisect_right(ends, lot.random() * ends[-1]) for _ in range(count)]


def zipf(count):
    return [1 / rank for rank in range(1, count + 1)]


def log2_choose(universe, count):
    return (math.lgamma(universe + 1) - math.lgamma(count + 1) - math.lgamma(universe - count + 1)) / math.log(2)


def entropy(names):
    return -sum(some * math.log2(some / len(names)) for some in collections.Counter(names).values())


def emit(cdpipe, file, pairs, *options):
    text = "".join(f"{number}\t{name}\n" if name else f"{number}\n" for number, name in pairs)
    subprocess.run([cdpipe, "emit", "--quiet", *options, "-o", str(file)], input=text.encode(), check=True)
    return file.stat().st_size


def sqlite_size(file, pairs):
    file.unlink(missing_ok=True)
    codes = {}
    database = sqlite3.connect(file)
    database.execute("CREATE TABLE numbers (number INTEGER PRIMARY KEY, label INTEGER) WITHOUT ROWID")
    rows = ((number, codes.setdefault(name, len(codes))) for number, name in pairs)
    database.executemany("INSERT INTO numbers VALUES (?, ?)", rows)
    database.execute("CREATE TABLE labels (label INTEGER PRIMARY KEY, text TEXT)")
    database.executemany("INSERT INTO labels VALUES (?, ?)", ((code, name) for name, code in codes.items()))
    database.commit()
    database.execute("VACUUM")
    database.close()
    return file.stat().st_size


def roaring_size(pairs):
    try:
        import pyroaring
    except ImportError:
        return None
    bitmap = pyroaring.BitMap64(number for number, _ in pairs)
    bitmap.run_optimize()
    return len(bitmap.serialize())


def size_lists(lot, cdpipe, marked):
    """Yields lists by name, with the size of the universe that the numbers are drawn from."""
    million = 1_000_000
    mobiles = numbers(lot, million, 7 * 10 ** 9, 8613 * 10 ** 9)
    wide = numbers(lot, million, 10 ** 10, 8610 * 10 ** 9)
    five = [f"label {name}" for name in labels(lot, million, [1] * 5)]
    many = [f"label {name}" for name in labels(lot, million, zipf(4096))]
    yield "1,000,000 mobiles of 7 · 10^9, 5 labels", list(zip(mobiles, five)), 7 * 10 ** 9
    yield "1,000,000 of 10^10, 5 labels", list(zip(wide, five)), 10 ** 10
    yield "1,000,000 of 10^10, 4,096 labels by Zipf's law", list(zip(wide, many)), 10 ** 10
    if marked:
        stages = f"parse '{marked}' | normalize --region CN --quiet | sort | dedupe --quiet"
        text = subprocess.run(["bash", "-c", stages.replace("parse", f"'{cdpipe}' parse").replace("| ", f"| '{cdpipe}' ")],
                              check=True, capture_output=True).stdout.decode()
        pairs = [line.split("\t")[:2] for line in text.splitlines()]
        pairs = [(int(pair[0]), pair[1] if len(pair) > 1 else "") for pair in pairs if ".." not in pair[0]]
        yield f"{marked.name}, {len(pairs):,} numbers", pairs, pairs[-1][0] - pairs[0][0] + 1


def sizes(lot, cdpipe, folder, marked):
    lines = ["| list | store | bits a number | numbers: × bound | labels: × entropy | SQLite | Roaring, numbers alone |",
             "|---|---:|---:|---:|---:|---:|---:|"]
    met = True
    for name, pairs, universe in size_lists(lot, cdpipe, marked):
        store = emit(cdpipe, folder / "list.cdstore", pairs)
        plain = emit(cdpipe, folder / "plain.cdstore", [(number, "x") for number, _ in pairs])
        texts = sum(len(text.encode()) + 4 for text in {text for _, text in pairs}) - 5
        bound = log2_choose(universe, len(pairs))
        of_numbers, of_labels = plain * 8 / bound, (store - plain - texts) * 8 / entropy([text for _, text in pairs])
        met = met and of_numbers <= SIZE_BAR and of_labels <= SIZE_BAR
        table, bitmap = sqlite_size(folder / "list.sqlite", pairs), roaring_size(pairs)
        lines.append(f"| {name} | {store:,} | {store * 8 / len(pairs):.2f} | {of_numbers:.3f} | {of_labels:.3f} | "
                     f"{table:,} ({table / store:.1f} ×) | " + (f"{bitmap:,} |" if bitmap else "not installed |"))
        print(lines[-1], file=sys.stderr)
    return lines, met


def rate_lists(lot):
    """Yields lists by name: labels, options, and whether the bars apply to them."""
    count = 1_999_999
    kinds = ["--block", "b*"]
    yield "one label", lambda: ["x"] * count, [], True
    yield "five labels", lambda: [f"l{name}" for name in labels(lot, count, [1] * 5)], [], True
    yield "ten labels", lambda: [f"l{name}" for name in labels(lot, count, [1] * 10)], [], True
    yield "ten labels, one of them 90 %", lambda: [f"l{name}" for name in labels(lot, count, [81] + [1] * 9)], [], True
    yield ("five labels of each kind, randomly mixed",
           lambda: [("b" if name < 5 else "l") + str(name) for name in labels(lot, count, [1] * 10)], kinds, True)
    yield "1,000 labels, equally frequent", lambda: [f"l{name}" for name in labels(lot, count, [1] * 1000)], [], False
    yield "4,096 labels by Zipf's law", lambda: [f"l{name}" for name in labels(lot, count, zipf(4096))], [], False
    yield "a distinct label per row", lambda: [f"own {index}" for index in range(count)], [], False


def rates(lot, cdpipe, folder, rate, rounds):
    lines = ["| 1,999,999 entries | entries/s | lookup of a present number, ns | of an absent number, ns | bars |",
             "|---|---:|---:|---:|---|"]
    met = True
    wide = numbers(lot, 1_999_999, 10 ** 10, 8610 * 10 ** 9)
    for name, names, options, has_bar in rate_lists(lot):
        store = folder / "list.cdstore"
        emit(cdpipe, store, zip(wide, names()), *options)
        pin = ["taskset", "-c", "0"] if hasattr(os, "sched_getaffinity") and 0 in os.sched_getaffinity(0) else []
        result = json.loads(subprocess.run([*pin, rate, store, str(rounds)], check=True, capture_output=True).stdout)
        fast, hit, miss = result["entries_per_second"], result["hit_ns"], result["miss_ns"]
        is_met = fast >= RATE_BAR and max(hit, miss) <= LOOKUP_BAR
        met = met and (is_met or not has_bar)
        shown = ("ok" if is_met else "MISSED") if has_bar else "none"
        lines.append(f"| {name} | {fast / 1e6:.0f} M | {hit} | {miss} | {shown} |")
        print(lines[-1], file=sys.stderr)
    return lines, met


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cdpipe", required=True, help="the program")
    parser.add_argument("--rate", help="store-rate; without it only sizes are measured")
    parser.add_argument("--marked", type=pathlib.Path, help="another list to measure, in the format of cn-marked.json")
    parser.add_argument("--rounds", type=int, default=9,
                        help="the number of times each measurement is made; the best counts (%(default)s)")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a bar is missed")
    options = parser.parse_args()
    lot = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        lines, met = sizes(lot, options.cdpipe, pathlib.Path(folder), options.marked)
        intro = ["`Benchmarks/store/run.sh`. Sizes in bytes; numbers and labels at most "
                 f"{SIZE_BAR} times their information: {'ok' if met else 'MISSED'}.", ""]
        text = [*intro, *lines]
        if options.rate:
            lines, is_fast = rates(lot, options.cdpipe, pathlib.Path(folder), options.rate, options.rounds)
            text += ["", "One core, CPU time of the process, the best of "
                     f"{options.rounds} rounds; bars: ≥ {RATE_BAR / 1e6:.0f} M entries/s, lookup ≤ {LOOKUP_BAR} ns.", "", *lines]
            met = met and is_fast
    print("\n".join(text))
    sys.exit(1 if options.check and not met else 0)


if __name__ == "__main__":
    main()
