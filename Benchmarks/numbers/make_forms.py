#!/usr/bin/env python3
"""Generates phone numbers as people write them, one per line: REGION TAB TEXT.

    Benchmarks/numbers/make_forms.py [--lines 1000000] FILE

Four forms in equal shares: national with punctuation, international with a plus sign, international as dialled from
another region, and bare national digits. The numbers fit their region's common mobile and area codes; nearly all are
valid. The same arguments produce the same bytes. A million lines are about 20 MB and take a few seconds.
"""

from __future__ import annotations

import argparse
import random
from typing import NamedTuple

SEED = 20240601


class Plan(NamedTuple):
    region: str
    code: str
    prefix: str
    idd: str
    shapes: list[str]


PLANS = [
    Plan(region, code, prefix.strip("-"), idd, shapes.split())
    for region, code, prefix, idd, shapes in [
        ("AR", "54", "0", "00", "11NXXXXXXX 351NXXXXXX"),
        ("AT", "43", "0", "00", "664NXXXXXX 1NXXXXXX"),
        ("AU", "61", "0", "0011", "412XXXXXX 29NXXXXXX"),
        ("BE", "32", "0", "00", "47NXXXXXX 2NXXXXXX"),
        ("BR", "55", "0", "0015", "1197XXXXXXX 2133XXXXXX"),
        ("CA", "1", "1", "011", "416NXXXXXX 604NXXXXXX"),
        ("CH", "41", "0", "00", "78NXXXXXX 44NXXXXXX"),
        ("CN", "86", "0", "00", "138XXXXXXXX 10NXXXXXXX 755NXXXXXXX"),
        ("DE", "49", "0", "00", "1512XXXXXXX 30NXXXXXXX 89NXXXXXXX"),
        ("EG", "20", "0", "00", "100NXXXXXX 22NXXXXXX"),
        ("ES", "34", "-", "00", "612XXXXXX 91NXXXXXX"),
        ("FR", "33", "0", "00", "61XXXXXXX 14NXXXXXX"),
        ("GB", "44", "0", "00", "7400XXXXXX 207NXXXXXX"),
        ("HK", "852", "-", "001", "51NXXXXX 21NXXXXX"),
        ("ID", "62", "0", "008", "812NXXXXXXX 21NXXXXXXX"),
        ("IN", "91", "0", "00", "98XXXXXXXX 22NXXXXXXX"),
        ("IT", "39", "-", "00", "347XXXXXXX 06NXXXXXXX"),
        ("JP", "81", "0", "010", "90NXXXXXXX 33NXXXXXX"),
        ("KR", "82", "0", "002", "10NXXXXXXX 2NXXXXXXX"),
        ("MX", "52", "-", "00", "55NXXXXXXX 33NXXXXXXX"),
        ("NL", "31", "0", "00", "61NXXXXXX 20NXXXXXX"),
        ("PL", "48", "-", "00", "512XXXXXX 22NXXXXXX"),
        ("PT", "351", "-", "00", "91NXXXXXX 21NXXXXXX"),
        ("RU", "7", "8", "810", "912XXXXXXX 495NXXXXXX"),
        ("SE", "46", "0", "00", "70NXXXXXX 8NXXXXXX"),
        ("SG", "65", "-", "001", "81NXXXXX 61NXXXXX"),
        ("TH", "66", "0", "001", "81NXXXXXX 2NXXXXXX"),
        ("TR", "90", "0", "00", "532NXXXXXX 212NXXXXXX"),
        ("TW", "886", "0", "002", "912NXXXXX 22NXXXXXX"),
        ("US", "1", "1", "011", "201NXXXXXX 415NXXXXXX 650NXXXXXX"),
        ("VN", "84", "0", "00", "912NXXXXX 24NXXXXXXX"),
        ("ZA", "27", "0", "00", "71NXXXXXX 11NXXXXXX"),
    ]
]
"""Regions with their prefixes and number patterns: X is any digit, N a digit from 2 to 9. `-` means none."""


def digits(shape: str, lot: random.Random) -> str:
    """Returns a random number that fits a pattern."""
    return "".join(
        str(int(lot.random() * 10)) if c == "X" else str(2 + int(lot.random() * 8)) if c == "N" else c for c in shape
    )


def grouped(number: str, lot: random.Random) -> str:
    """Formats national digits with punctuation: area code, then two groups."""
    middle = 3 + (len(number) - 3) // 2
    head, body, tail = number[:3], number[3:middle], number[middle:]
    style = lot.randrange(4)
    if style == 0:
        return f"({head}) {body}-{tail}"
    return (" ", "-", ".")[style - 1].join((head, body, tail))


def line(index: int, lot: random.Random) -> str:
    """Returns the line of an index; the forms alternate."""
    plan = lot.choice(PLANS)
    number = digits(lot.choice(plan.shapes), lot)
    form = index % 4
    if form == 0:
        return f"{plan.region}\t{grouped(plan.prefix + number, lot)}\n"
    if form == 1:
        text = f"{plan.code} {grouped(number, lot)}" if lot.random() < 0.5 else plan.code + number
        return f"{plan.region}\t+{text}\n"
    if form == 2:
        abroad = lot.choice(PLANS)
        return f"{abroad.region}\t{abroad.idd}{plan.code}{number}\n"
    return f"{plan.region}\t{plan.prefix}{number}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=1_000_000, help="the number of lines (%(default)s)")
    parser.add_argument("file", help="the output file")
    options = parser.parse_args()
    lot = random.Random(SEED)
    with open(options.file, "w", encoding="ascii") as file:
        file.writelines(line(index, lot) for index in range(options.lines))


if __name__ == "__main__":
    main()
