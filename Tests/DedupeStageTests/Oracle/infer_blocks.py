#!/usr/bin/env python3
"""Compares `cdpipe dedupe --infer` with a model that fills the blocks number by number, by libphonenumber's Python port.

    PYTHONPATH=$(scripts/python-packages.sh) Tests/DedupeStageTests/Oracle/infer_blocks.py .build/release/cdpipe \\
      [--seed S] [--lists N]

A random list has numbers and ranges in blocks at the borders of countries and types, some dense, and an allow list that is
subtracted after the inference. Every number must have the same label and source.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile

import phonenumbers

REGIONS = ["AR", "AU", "BR", "CH", "CN", "DE", "ES", "FR", "GB", "IT", "JP", "KZ", "MX", "PL", "RU", "US"]
RULES = [[(10, 4)], [(10, 2), (100, 3)], [(10, 4), (100, 3)], [(100, 20)], [(10, 3), (100, 4), (1000, 2)], [(10, 9)]]
LABELS = ["spam", "", "骚扰电话", "a label", "fraud"]

kinds: dict[int, tuple | None] = {}


def kind(number: int) -> tuple | None:
    """The country and the type of a number; None if it is not valid."""
    if number not in kinds:
        try:
            parsed = phonenumbers.parse(f"+{number}")
            valid = phonenumbers.is_valid_number(parsed)
        except phonenumbers.NumberParseException:
            valid = False
        kinds[number] = (
            (parsed.country_code, phonenumbers.region_code_for_number(parsed), phonenumbers.number_type(parsed))
            if valid
            else None
        )
    return kinds[number]


def is_uniform(first: int, size: int) -> bool:
    found = kind(first)
    return found is not None and all(kind(number) == found for number in range(first + 1, first + size))


def inferred(listed: dict[int, str], rules: list[tuple[int, int]]) -> dict[int, str]:
    """The label of each number that is added."""
    parts, dense = list(listed), {}
    for size, least in rules:
        counts: dict[int, int] = {}
        for part in parts:
            counts[part - part % size] = counts.get(part - part % size, 0) + 1
        parts = [first for first, count in counts.items() if count >= least and is_uniform(first, size)]
        dense = {first: length for first, length in dense.items() if first - first % size not in parts}
        dense |= dict.fromkeys(parts, size)
    added = {}
    for first, size in dense.items():
        votes: dict[str, int] = {}
        for number in range(first, first + size):
            if number in listed:
                votes[listed[number]] = votes.get(listed[number], 0) + 1
        # max() returns the first of equal ones.
        label = max(votes, key=lambda label: votes[label])
        added |= {number: label for number in range(first, first + size) if number not in listed}
    return added


def random_list(lot: random.Random) -> list[tuple[int, int, str]]:
    """Disjoint records in ascending order."""
    records = []
    for region in lot.sample(REGIONS, 3):
        # A mobile number, and one of another type: the blocks around them cross the borders of a plan.
        kind_of = lot.choice([phonenumbers.PhoneNumberType.MOBILE, phonenumbers.PhoneNumberType.TOLL_FREE])
        example = phonenumbers.example_number_for_type(region, kind_of) or phonenumbers.example_number(region)
        base = int(phonenumbers.format_number(example, phonenumbers.PhoneNumberFormat.E164)[1:])
        base -= base % 1000 + lot.choice([0, 0, 1000, 5000, 95_000])
        at = base
        while at < base + 2000:
            share = lot.choice([2, 3, 8, 40])
            last = at + (lot.randrange(30) if lot.random() < 0.1 else 0)
            records.append((at, last, lot.choice(LABELS)))
            at = last + 1 + lot.randrange(share)
    return sorted(set(records))


def disjoint(records: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    kept: list[tuple[int, int, str]] = []
    for record in records:
        if not kept or record[0] > kept[-1][1]:
            kept.append(record)
    return kept


def written(records: list[tuple[int, int, str]]) -> str:
    return "".join(f"{first}{'' if first == last else f'..{last}'}\t{label}\ts\n" for first, last, label in records)


def expanded(text: str) -> dict[int, tuple[str, str]]:
    numbers = {}
    for line in text.splitlines():
        span, label, source = (line.split("\t") + ["", ""])[:3]
        first, _, last = span.partition("..")
        for number in range(int(first), int(last or first) + 1):
            numbers[number] = (label, source)
    return numbers


def compare(program: str, lot: random.Random) -> tuple[int, int]:
    """Compares one list; returns how many numbers it has and how many were added."""
    records = disjoint(random_list(lot))
    rules = lot.choice(RULES)
    listed = {number: label for first, last, label in records for number in range(first, last + 1)}
    added = inferred(listed, rules)
    expected = {number: (label, "s") for number, label in listed.items()}
    expected |= {number: (label, "inferred") for number, label in added.items()}
    allowed = set(lot.sample(sorted(expected), len(expected) // 20))
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as allow:
        allow.write("".join(f"{number}\n" for number in sorted(allowed)))
        allow.flush()
        rule = ",".join(f"{size}:{count}" for size, count in rules)
        deduped = subprocess.run(
            [program, "dedupe", "--infer", rule], input=written(records), capture_output=True, text=True, check=True
        ).stdout
        result = subprocess.run(
            [program, "subtract", "-", allow.name], input=deduped, capture_output=True, text=True, check=True
        ).stdout
    expected = {number: fields for number, fields in expected.items() if number not in allowed}
    found = expanded(result)
    if found != expected:
        differing = sorted(set(found.items()) ^ set(expected.items()))[:5]
        sys.exit(f"infer_blocks.py: --infer {rule}: {differing}")
    return len(listed), len(added)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--lists", type=int, default=200)
    arguments = parser.parse_args()
    lot = random.Random(arguments.seed)
    sums = [0, 0]
    for _ in range(arguments.lists):
        counts = compare(arguments.program, lot)
        sums = [sums[0] + counts[0], sums[1] + counts[1]]
    print(f"{arguments.lists} lists with {sums[0]} numbers, {sums[1]} inferred: equal (seed {arguments.seed})")


main()
