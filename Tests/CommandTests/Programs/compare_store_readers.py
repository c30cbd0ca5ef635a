#!/usr/bin/env python3
"""Compares docs/formats/read_store.py and `cdpipe cat` on stores that cdpipe wrote from random lists.

    Tests/CommandTests/Programs/compare_store_readers.py CDPIPE [SEED]

The lists are of every kind: labels in each mode, ranges, both kinds of entries, no records. Both readers must return
the records of the list; otherwise the program prints the seed and exits 1.
"""

import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
READER = ROOT / "docs" / "formats" / "read_store.py"
sys.path.insert(0, str(READER.parent))
sys.dont_write_bytecode = True
import read_store  # noqa: E402


def rows(lot, count, gap, ranges_in_1000, label):
    """Ascending, disjoint records: first, last, label."""
    last = 0
    for index in range(count):
        first = last + lot.randint(1, gap)
        last = first + (lot.randint(1, 1 << lot.randint(0, 20)) if lot.random() * 1000 < ranges_in_1000 else 0)
        yield first, last, label(index)


def lists(lot):
    """Yields each kind of list with its name."""
    yield "empty", []
    yield "one record", rows(lot, 1, 10 ** 15 - 1, 0, lambda index: "x")
    yield "no labels", rows(lot, lot.randint(1, 500), 10 ** 9, 100, lambda index: "")
    yield "one label", rows(lot, lot.choice([31, 32, 33, 12_000]), 10 ** 6, 0, lambda index: "spam")
    yield "five labels", rows(lot, 11_000, 10 ** 8, 0, lambda index: f"l{lot.randrange(5)}")
    yield "both kinds", rows(lot, 25_000, 50, 20, lambda index: lot.choice(["b1", "b2", "i1", "i2", "i3", ""]))
    yield "rare labels", rows(lot, 12_000, 10 ** 7, 5, lambda index: f"r{index % 7}" if lot.random() < 0.03 else "often")
    yield "ranges only", rows(lot, 700, 10 ** 9, 1000, lambda index: f"l{index % 3}")
    yield "many labels", rows(lot, 24_000, 10 ** 6, 0, lambda index: f"m{int(lot.random() ** 3 * 6000)}")
    yield "distinct labels", rows(lot, 9_000, 10 ** 6, 10, lambda index: f"own {index}")
    yield "odd labels", rows(lot, 2_000, 3, 0, lambda index: lot.choice(["\t", "\\", "a\nb", "骚扰电话", "é" * 300, "b\r"]))
    yield "far apart", rows(lot, 900, 10 ** 12, 0, lambda index: "far")


def escaped(text):
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def main():
    cdpipe = str(pathlib.Path(sys.argv[1]).resolve())
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().getrandbits(32)
    lot = random.Random(seed)
    print(f"compare_store_readers.py: seed {seed}")
    with tempfile.TemporaryDirectory() as folder:
        store = pathlib.Path(folder) / "list.cdstore"
        for name, some in lists(lot):
            wanted = [(first, last, label) for first, last, label in some if last < 10 ** 15]
            text = "".join(
                (f"{first}" if first == last else f"{first}..{last}") + (f"\t{escaped(label)}" if label else "") + "\n"
                for first, last, label in wanted).encode()
            emit = [cdpipe, "emit", "--allow-empty", "--block", "b*", "--max-entries", str(10 ** 14), "-o", str(store)]
            subprocess.run(emit, input=text, check=True)
            kinds = [(first, last, label.encode(), int(label != "" and not label.startswith("b")))
                     for first, last, label in wanted]
            if read_store.records(store.read_bytes()) != kinds:
                sys.exit(f"{name}, seed {seed}: read_store.py reads other records than were written")
            ours = subprocess.run([cdpipe, "cat", str(store)], check=True, capture_output=True).stdout
            theirs = subprocess.run([sys.executable, str(READER), str(store)], check=True, capture_output=True).stdout
            if not text == ours == theirs:
                sys.exit(f"{name}, seed {seed}: cdpipe cat or read_store.py differs from the list")
            damaged = bytearray(store.read_bytes())
            damaged[lot.randrange(len(damaged))] ^= 1 << lot.randrange(8)
            store.write_bytes(damaged)
            refused = subprocess.run([sys.executable, str(READER), str(store)], capture_output=True).returncode
            if refused == 0:
                sys.exit(f"{name}, seed {seed}: read_store.py accepts a damaged store")
            print(f"{name}: {len(wanted)} records")


if __name__ == "__main__":
    main()
