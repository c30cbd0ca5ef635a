#!/usr/bin/env python3
"""Compares the columns of `cdpipe annotate` with libphonenumber, row by row.

    pip install phonenumbers==9.0.35
    python3 compare_annotate.py [--rows N] [--seed N] [--cdpipe FILE]

Each region has a table with a number a row, in the forms that libphonenumber writes and as people dial. The number of a
row must be that of the rules in compare_normalize.py, with its country, type and validity; the other cells must be as
they were. Exits 1 if a row differs.
"""

from __future__ import annotations

import argparse
import collections
import csv
import io
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Tests/NormalizeStageTests/Oracle"))

import compare_normalize  # noqa: E402 - finds the oracle, and checks its version
import oracle  # noqa: E402
from draws import CODES, Draw  # noqa: E402
from oracle import phonenumbers  # noqa: E402

TYPES = {
    0: "fixed-line", 1: "mobile", 2: "fixed-line-or-mobile", 3: "toll-free", 4: "premium-rate", 5: "shared-cost",
    6: "voip", 7: "personal-number", 8: "pager", 9: "uan", 10: "voicemail",
}  # fmt: skip
FORMER_TRUNKS = dict.fromkeys((30, 39, 45, 47, 48, 351, 371, 372, 420), ("0",))
"""Trunk prefixes that countries have given up, by calling code."""
FORMER_TRUNKS[52] = ("01", "02", "044", "045", "1")
HEADER = ["row", "phone", "note"]


def texts(region: str, seed: int, count: int) -> list[str]:
    """Numbers as people and libphonenumber write them, about one in ten slightly wrong."""
    draw = Draw(f"{seed}/{region}")
    found = []
    while len(found) < count:
        text = draw.any_form(region)
        if draw.chance(0.6):
            number = phonenumbers.PhoneNumber(country_code=int(CODES[region]))
            digits = draw.national(region)
            number.national_number = int(digits or "0")
            zeros = len(digits) - len(digits.lstrip("0"))
            if 0 < zeros < len(digits):
                number.italian_leading_zero, number.number_of_leading_zeros = True, zeros
            text = phonenumbers.format_number(number, draw.below(4))
        found.append(text)
    return found


def cells(number: phonenumbers.PhoneNumber) -> list[str]:
    """The added cells of a row with a number."""
    is_valid = phonenumbers.is_valid_number(number)
    return ["+" + compare_normalize.e164(number), phonenumbers.region_code_for_number(number) or "",
            TYPES.get(phonenumbers.number_type(number), ""), str(is_valid).lower(),
            "" if is_valid else "not-valid"]  # fmt: skip


def wanted(text: str, region: str) -> list[str]:
    """The added cells of a row."""
    outcome = compare_normalize.wanted(text, region)
    number = compare_normalize.parsed(text, region)
    if not isinstance(number, str) and not phonenumbers.is_valid_number(number):
        digits = phonenumbers.national_significant_number(number)
        for former in FORMER_TRUNKS.get(number.country_code, ()):
            without = compare_normalize.parsed(f"+{number.country_code}{digits.removeprefix(former)}", None)
            is_former = digits.startswith(former) and not isinstance(without, str)
            if is_former and phonenumbers.is_valid_number(without):
                return cells(without)
    if outcome.text[0] == "!":
        return ["", "", "", "false", outcome.text[1:]]
    # The digits of some countries' numbers are others with a plus sign: national prefixes are removed after it, too.
    if isinstance(number, str) or compare_normalize.e164(number) != outcome.text:
        number = phonenumbers.parse("+" + outcome.text, None)
    return ["+" + outcome.text, *cells(number)[1:]]


def rule(text: str, reason: str) -> str:
    """The documented rule by which a row has no number though libphonenumber may read one; empty if there is none."""
    if reason == "missing-number" and not text:
        return "an empty cell"
    if reason == "not-a-number" and "~" in text:
        return "a tilde stands for a range of numbers"
    if reason == "too-short" and re.fullmatch("(0+|8)[0-9]{2,5}", text):
        return "an area code alone"
    if reason == "date" and re.fullmatch(r"\d\d\.\d\d\.\d\d", text):
        return "a date"
    return ""


def compare(region: str, rows: list[str], cdpipe: str, reasons: collections.Counter) -> int:
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(HEADER)
    writer.writerows([index, text, "as it was"] for index, text in enumerate(rows))
    options = ["annotate", "--quiet", "--region", region, "--number", "phone", "-"]
    answers = list(csv.reader(io.StringIO(compare_normalize.run([cdpipe, *options], table.getvalue().encode()).decode())))
    if len(answers) != len(rows) + 1:
        sys.exit(f"{region}: {len(answers) - 1} rows, not {len(rows)}")
    different = 0
    for index, (text, found) in enumerate(zip(rows, answers[1:])):
        expected = wanted(text, region)
        explained = rule(text, found[7]) if found[7] != expected[4] else ""
        reasons[explained or expected[4] or "valid"] += 1
        if found != [str(index), text, "as it was", *expected] and not explained:
            different += 1
            print(f"{region}\t{text}\tannotate {found[3:]}\twanted {expected}")
    return different


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000, help="the number of rows (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="the seed of the numbers (%(default)s)")
    parser.add_argument("--cdpipe", default=str(ROOT / ".build/release/cdpipe"), help="the program (%(default)s)")
    options = parser.parse_args()
    reasons: collections.Counter = collections.Counter()
    each = -(-options.rows // len(oracle.REGIONS))
    different = sum(
        compare(region, texts(region, options.seed, each), options.cdpipe, reasons) for region in oracle.REGIONS)
    for reason, count in reasons.most_common():
        print(f"{count:8}  {reason}")
    print(f"{sum(reasons.values())} rows, seed {options.seed}: {different} differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
