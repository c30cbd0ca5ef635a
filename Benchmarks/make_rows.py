#!/usr/bin/env python3
"""Generates JSON rows like {"8616881486368": "骚扰电话"} between [ and ].

    Benchmarks/make_rows.py --rows 10000000 Benchmarks/data/rows-10000000.json

The numbers are generated: Chinese mobile numbers of 13 digits in pseudo-random order. The same arguments produce the
same bytes. Ten million rows are about 350 MB and take about 15 seconds.
"""

import argparse
import os
import random

SEED = 20240601

LABELS = ["骚扰电话", "诈骗电话", "广告推销", "房产中介", "快递送餐"]
"""The labels of a typical list; additional labels are numbered."""

PREFIXES = (
    "130 131 132 133 134 135 136 137 138 139 145 147 149 150 151 152 153 155 156 157 158 159 165 166 167 "
    "170 171 172 173 175 176 177 178 180 181 182 183 184 185 186 187 188 189"
).split()
"""The prefixes of Chinese mobile numbers. 43 prefixes of 100,000,000 numbers provide the 2 ** 32 numbers that can be
requested."""

DISTINCT_MAX = 1 << 32
PREFIX_NUMBERS = 100_000_000

CHUNK_ROWS = 100_000
"""The number of rows that are generated and written at once, about 3.5 MB. More is not faster."""


def number(index):
    """Returns the number of an index. Different indices below 2 ** 32 result in different numbers.

    Every step is invertible (an odd factor, a shift folded in), so the numbers are distinct without remembering any.
    """
    mixed = ((index + SEED) * 0x9E3779B1) & 0xFFFFFFFF
    mixed ^= mixed >> 16
    mixed = (mixed * 0x85EBCA6B) & 0xFFFFFFFF
    mixed ^= mixed >> 13
    mixed = (mixed * 0xC2B2AE35) & 0xFFFFFFFF
    return mixed ^ (mixed >> 16)


def chunks(rows, labels, duplicates, distinct_labels):
    """Yields the rows in texts of up to CHUNK_ROWS rows.

    `duplicates` percent of the rows repeat the number of a random earlier row, with their own label.
    """
    lot = random.Random(SEED)
    heads = ['{"86' + prefix for prefix in PREFIXES]
    names = (LABELS + [f"标记{index}" for index in range(len(LABELS), labels)])[:labels]
    tails = [f'": "{name}"}},\n' for name in names]
    duplicate_below = duplicates / 100
    fresh = 0
    draw = lot.random
    for start in range(0, rows, CHUNK_ROWS):
        count = min(CHUNK_ROWS, rows - start)
        indices = []
        for _ in range(count):
            if fresh and draw() < duplicate_below:
                indices.append(int(draw() * fresh))
            else:
                indices.append(fresh)
                fresh += 1
        pieces = [divmod(number(index), PREFIX_NUMBERS) for index in indices]
        if distinct_labels:
            yield "".join(
                [f'{heads[p]}{n:08d}": "标记{row}"}},\n' for row, (p, n) in enumerate(pieces, start)]
            )
        else:
            chosen = lot.choices(tails, k=count)
            yield "".join([f"{heads[p]}{n:08d}{tail}" for (p, n), tail in zip(pieces, chosen)])


def main():
    parser = argparse.ArgumentParser(description="Generates JSON rows.")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--labels", type=int, default=len(LABELS), help="the number of different labels")
    parser.add_argument("--distinct-labels", action="store_true", help="a distinct label per row")
    parser.add_argument("--duplicates", type=float, default=10, metavar="PERCENT",
                        help="the share of rows that repeat an earlier number")
    parser.add_argument("output")
    arguments = parser.parse_args()
    if not 0 <= arguments.rows <= DISTINCT_MAX:
        parser.error(f"--rows must be from 0 to {DISTINCT_MAX}")
    if not 0 <= arguments.duplicates <= 100:
        parser.error("--duplicates must be from 0 to 100")
    if arguments.labels < 1:
        parser.error("--labels must be at least 1")

    os.makedirs(os.path.dirname(os.path.abspath(arguments.output)), exist_ok=True)
    # The next benchmark must not mistake an incomplete file for a complete one.
    unfinished = arguments.output + ".unfinished"
    with open(unfinished, "wb") as file:
        file.write(b"[\n")
        for text in chunks(arguments.rows, arguments.labels, arguments.duplicates, arguments.distinct_labels):
            file.write(text.encode("utf-8"))
        file.write(b"]\n")
    os.replace(unfinished, arguments.output)


if __name__ == "__main__":
    main()
