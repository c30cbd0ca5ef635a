"""Sorted inputs of dedupe: overlapping ranges, one number in many records, scores of all sizes.

Not for: the whole pipe, which peak_memory.py measures.
"""

import random

SEED = 20261121
RECORDS = 1_000_000


def write(path, line):
    chance = random.Random(SEED)
    with open(path, "w", encoding="utf-8") as file:
        for i in range(RECORDS):
            file.write(line(chance, i))


def overlapping(path):
    """Each range begins inside a thousand others, and their widths differ."""
    write(path, lambda r, i: f"{8613000000000 + i}..{8613000000000 + i + 1000 + r.randrange(1000)}\t标记{i % 9}\ts{i % 4}\t{i % 77}\n")


def under_narrow(path):
    """Pairs of a wide and a narrow range: the wide one ends while narrow ones still win over it."""
    write(path, lambda r, i: f"{8613000000000 + i // 2}..{8613000000000 + i // 2 + (1 if i % 2 else 3)}\t标记{i % 9}\n")


def one_number(path):
    """A million different records for one number."""
    write(path, lambda r, i: f"8613800138000\t标记\tsource {i}\t{r.randrange(1000)}\n")


def scored(path):
    """Random 63-bit scores; numbers with gaps; every fiftieth record is a range."""
    write(path, lambda r, i: f"{8613000000000 + 20 * i}" + (f"..{8613000000000 + 20 * i + 9}" if i % 50 == 0 else "")
          + f"\tlabel {i}\t\t{r.getrandbits(63)}\n")


INPUTS = [
    ("dedupe, overlapping ranges", overlapping, "--keep first"),
    ("dedupe, overlapping, every decision", overlapping, "--keep highest-score --conflicts conflicts.tsv"),
    ("dedupe, wide ranges under narrow ones", under_narrow, "--keep last --conflicts conflicts.jsonl"),
    ("dedupe, one number", one_number, "--keep most-frequent --conflicts conflicts.tsv"),
    ("dedupe, a limit", scored, "--limit 500000 --coalesce --conflicts conflicts.tsv"),
]
"""The name, the function that writes the input, and the options."""
