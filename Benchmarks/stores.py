"""Measures stores: their size compared with their information content, SQLite and Roaring bitmaps, and their reading
speed. The part `stores`.

The lists are random but the same in each run. The size of numbers is compared with log2 of the binomial coefficient
C(universe, n), that of labels with their entropy; the texts of labels are excluded on both sides. A Roaring bitmap
(pyroaring) contains only the numbers; SQLite has a table by number without a rowid, with labels as small integers.
"""

import bisect
import collections
import itertools
import json
import math
import pathlib
import random
import sqlite3
import subprocess
import tempfile

from measuring import HERE, needed, note, pinned
from results import Part

SEED = 20240601
SIZE_BAR = 1.15
"""The maximum size of numbers and of labels relative to their information content."""
RATE_BAR = 100
"""The minimum number of million entries per second for lists with at most ten labels."""
LOOKUP_BAR = 500
"""The maximum nanoseconds per lookup in such lists."""
ENTRIES_MAX = 1_999_999
"""The entries of the lists that are read: the most that one request to iOS accepts."""
ROUNDS = 9
"""The number of times each is read; the best counts."""


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


def size_lists(lot, count):
    """Yields lists by name, with the size of the universe that the numbers are drawn from."""
    mobiles = numbers(lot, count, 7000 * count, 8613 * 10 ** 9)
    wide = numbers(lot, count, 10_000 * count, 8610 * 10 ** 9)
    five = [f"label {name}" for name in labels(lot, count, [1] * 5)]
    many = [f"label {name}" for name in labels(lot, count, zipf(4096))]
    yield f"{count:,} of {7000 * count:,}, 5 labels", list(zip(mobiles, five)), 7000 * count
    yield f"{count:,} of {10_000 * count:,}, 5 labels", list(zip(wide, five)), 10_000 * count
    yield f"{count:,} of {10_000 * count:,}, 4,096 labels by Zipf's law", list(zip(wide, many)), 10_000 * count


def sizes(part, lot, cdpipe, folder, count):
    rows, of_all_numbers, of_all_labels = [], [], []
    for name, pairs, universe in size_lists(lot, count):
        store = emit(cdpipe, folder / "list.cdstore", pairs)
        plain = emit(cdpipe, folder / "plain.cdstore", [(number, "x") for number, _ in pairs])
        texts = sum(len(text.encode()) + 4 for text in {text for _, text in pairs}) - 5
        bound = log2_choose(universe, len(pairs))
        of_numbers, of_labels = plain * 8 / bound, (store - plain - texts) * 8 / entropy([text for _, text in pairs])
        of_all_numbers.append(of_numbers)
        of_all_labels.append(of_labels)
        table, bitmap = sqlite_size(folder / "list.sqlite", pairs), roaring_size(pairs)
        rows.append([name, f"{store:,}", f"{store * 8 / len(pairs):.2f}", f"{of_numbers:.3f}", f"{of_labels:.3f}",
                     f"{table:,} ({table / store:.1f} ×)", f"{bitmap:,}" if bitmap else "not installed"])
        note(" | ".join(rows[-1]))
        part.figure(f"{name}: times smaller than SQLite", table / store, at_least=1, peer="SQLite")
    part.text("Sizes in bytes.")
    part.table(["list", "store", "bits a number", "numbers: × bound", "labels: × entropy", "SQLite", "Roaring, numbers alone"], rows)
    part.figure("numbers, times their information", max(of_all_numbers), at_most=SIZE_BAR)
    part.figure("labels, times their entropy", max(of_all_labels), at_most=SIZE_BAR)


def rate_lists(lot, count):
    """Yields lists by name: labels, options, and whether the bars apply to them."""
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


def rates(part, lot, cdpipe, folder, rate, count):
    rows = []
    wide = numbers(lot, count, 5000 * count, 8610 * 10 ** 9)
    for name, names, options, has_bar in rate_lists(lot, count):
        store = folder / "list.cdstore"
        emit(cdpipe, store, zip(wide, names()), *options)
        done = subprocess.run([*pinned(), str(rate), store, str(ROUNDS)], check=True, stdout=subprocess.PIPE)
        result = json.loads(done.stdout)
        fast, hit, miss = result["entries_per_second"] / 1e6, result["hit_ns"], result["miss_ns"]
        rows.append([name, f"{fast:.0f} M", hit, miss])
        if has_bar:
            part.figure(f"{name}: entries per second", fast, "M", at_least=RATE_BAR)
            part.figure(f"{name}: lookup", max(hit, miss), "ns", at_most=LOOKUP_BAR)
    part.text(f"Reading {count:,} entries: one core, CPU time of the process, the best of {ROUNDS} rounds.")
    part.table(["labels", "entries/s", "lookup of a present number, ns", "of an absent number, ns"], rows)


def measure(name, options):
    rate = HERE / "store/.build/release/store-rate"
    part, lot = Part(name, rows=options.rows), random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder:
        sizes(part, lot, options.cdpipe, pathlib.Path(folder), min(options.rows, 1_000_000))
        if needed(options, rate):
            rates(part, lot, options.cdpipe, pathlib.Path(folder), rate, min(options.rows, ENTRIES_MAX))
    return part
