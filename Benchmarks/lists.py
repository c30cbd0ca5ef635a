"""Writes lists in the text form for benchmarks: Chinese mobile numbers in ascending or random order.

Not for: the JSON rows of the comparison with databases (make_rows.py).
"""

import multiprocessing
import random
import sys

from measuring import note

SEED = 20261123
LABELS = ["骚扰电话", "诈骗电话", "广告推销", "房产中介", "快递送餐"]


def write_text(file, count, distinct=False, shuffled=False):
    """Writes records in the text form, unless the file exists already."""
    if file.exists():
        return
    note(f"Making {file.name}")
    lot = random.Random(SEED)
    numbers = []
    number = 8613 * 10 ** 9
    for _ in range(count):
        number += 1 + int(lot.random() * 1000)
        numbers.append(number)
    if shuffled:
        lot.shuffle(numbers)
    partial = file.with_suffix(".partial")
    with open(partial, "w", encoding="utf-8") as output:
        for number in numbers:
            label = f"label {number}" if distinct else LABELS[int(lot.random() * 5)]
            output.write(f"{number}\t{label}\n")
    partial.rename(file)


def make_text(file, count, distinct=False, shuffled=False):
    """Calls write_text in a process of its own: the memory of this one counts as that of the programs that it
    starts."""
    writer = multiprocessing.Process(target=write_text, args=(file, count, distinct, shuffled))
    writer.start()
    writer.join()
    if writer.exitcode != 0:
        sys.exit(f"can't make {file.name}")
