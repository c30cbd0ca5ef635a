#!/usr/bin/env python3
"""Compares `cdpipe normalize` with libphonenumber on real lists, number by number.

    pip install phonenumbers==9.0.35
    python3 compare_normalize.py [--cn-marked FILE] [--ftc FILE] [--lines FILE --region CC] [--cdpipe FILE] [--show N]

`--cn-marked` is a list of Chinese numbers as JSON rows, read by `cdpipe parse`; `--ftc` a day of U.S. complaints as
CSV, of which the column Company_Phone_Number is used; `--lines` has one number per line. libphonenumber's result is
that of parsing with the region and formatting as E.164.

normalize differs from it on purpose if libphonenumber's number is not valid. Each difference is listed with its
reason, which must be one of these:

    remark                      a count in brackets or digits after a pause follow the number
    two readings                the digits may begin with the region's calling code, or with an area code
    split calling code          a blank is inside the calling code
    extra digits                without a few digits at its start or end, the text is a valid number
    carries its calling code    the digits start with the region's calling code and are possible after it
    mask                        trailing wildcards are a range
    rejected                    libphonenumber reads no number, or one that is not possible, for that reason

The expected result is computed here with libphonenumber, by the documented order of rules. Any other result is an
unexplained difference: exit status 1.
"""

from __future__ import annotations

import argparse
import collections
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "Tests/NumberPlanTests/Oracle"))

from oracle import phonenumbers  # noqa: E402 - checks the version

FIELD = "Company_Phone_Number"
E164_DIGITS_MAX = 15
MASK_DIGITS_MAX = 15
"""The number of digits that an open `*` can stand for."""

ERRORS = {
    phonenumbers.NumberParseException.INVALID_COUNTRY_CODE: "invalid-country-code",
    phonenumbers.NumberParseException.NOT_A_NUMBER: "not-a-number",
    phonenumbers.NumberParseException.TOO_SHORT_AFTER_IDD: "too-short",
    phonenumbers.NumberParseException.TOO_SHORT_NSN: "too-short",
    phonenumbers.NumberParseException.TOO_LONG: "too-long",
}
POSSIBLE = (phonenumbers.ValidationResult.IS_POSSIBLE, phonenumbers.ValidationResult.IS_POSSIBLE_LOCAL_ONLY)
IMPOSSIBLE = {
    phonenumbers.ValidationResult.INVALID_COUNTRY_CODE: "invalid-country-code",
    phonenumbers.ValidationResult.TOO_SHORT: "too-short",
    phonenumbers.ValidationResult.INVALID_LENGTH: "invalid-length",
    phonenumbers.ValidationResult.TOO_LONG: "too-long",
}
REMARK = re.compile(r"\s*[(\[][^(\[]*[)\]]$|(?<![A-Za-z])([Pp]+|[Ww]+)\d{1,5}$")
REMARK_DIGITS = range(1, 6)
EXTRA_DIGITS_MAX = 4
LAST_DIGITS = re.compile(
    r"\d{7,} \d{1,4}$|\d{4,} \d$|(?<!\d)\d\d \d{4}$| [-\u2013\u2014] \d$|\d{7,} \d{1,2}-\d{1,2}$|\d \d-\d\d$"
    r"| \d{1,2}(?:[A-Za-z]+| ?[+$\xd7\u20a0-\u20bf])$|\d\d \d(?:[)%.]|[^\x00-\xa0\u2000-\u206f\u3000-\u303f]+)$"
    r"|\d\D+\d{3,}(?:\D+\d\d(?!\d))*\D+\d\d \d$| \d[.:/\u2013\u2014]+\d{1,3}$| \d{1,3}[.:/\u2013\u2014]+\d$"
    r"|\d{7,} \d\d[.:/\u2013\u2014]+\d\d$",
    re.ASCII,
)
"""The last digits of a text that may not belong to its number."""
COUNT = re.compile(r"^\D*(?<!\+)(?P<count>[1-9]\d{0,3})(?!\d)\D*(?:\+|(?P<trunk>0\d*))", re.ASCII)
MASK = re.compile(r"[#*?xX][#*?xX .()/-]*$")


@dataclass(frozen=True)
class Outcome:
    """The result for a text: a number or a range as normalize writes it, or `!` and the reject's code."""

    text: str
    reason: str = ""


def parsed(text: str, region: str | None):
    """Returns libphonenumber's number, or the code of its error."""
    try:
        return phonenumbers.parse(text, region)
    except phonenumbers.NumberParseException as failure:
        return ERRORS[failure.error_type]


def e164(number) -> str:
    return f"{number.country_code}{phonenumbers.national_significant_number(number)}"


def possibility_of(number) -> int:
    """libphonenumber's result; but an area code alone, whose zero is still there, is not dialled within its area."""
    possibility = phonenumbers.is_possible_number_with_reason(number)
    is_area = possibility == phonenumbers.ValidationResult.IS_POSSIBLE_LOCAL_ONLY and number.italian_leading_zero
    return phonenumbers.ValidationResult.TOO_SHORT if is_area else possibility


def plain(text: str, region: str) -> str:
    """Returns libphonenumber's own result: E.164 digits, or `!` and the code of the error."""
    number = parsed(text, region)
    return f"!{number}" if isinstance(number, str) else e164(number)


def may_have_extra_digits(text: str) -> bool:
    """Whether a few digits before or after a valid number may not belong to it, by the way they are written."""
    brackets = REMARK.search(text) if text[-1:] in (")", "]") else None
    if LAST_DIGITS.search(text) or brackets and len(re.sub(r"\D", "", brackets.group())) in REMARK_DIGITS:
        return True
    count = COUNT.match(text)
    if not count:
        return False
    return not count["trunk"] or len(count["count"]) <= 2 or count.end() < len(text)


def has_extra_digits(text: str, region: str, whole: str) -> bool:
    """Whether a text is another valid number without a few digits at its start or its end."""
    groups = list(re.finditer(r"[0-9]+", text))
    if len(groups) < 2 or re.search(r"[A-Za-z]{3}", text[groups[0].start() :]):
        return False
    rests = []
    dropped = 0
    is_marked = text[: groups[0].start()].endswith("+")
    for group, after in zip(groups, groups[1:]):
        dropped += len(group.group())
        if is_marked or len(group.group()) > EXTRA_DIGITS_MAX or dropped > EXTRA_DIGITS_MAX + 2:
            break
        plus = text.find("+", group.end(), after.start())
        rests.append(text[plus if plus >= 0 else after.start() :])
    dropped = 0
    for index in range(len(groups) - 1, 0, -1):
        dropped += len(groups[index].group())
        if dropped > EXTRA_DIGITS_MAX:
            break
        rests.append(text[: groups[index - 1].end()])
    numbers = [parsed(rest, region) for rest in rests]
    return any(
        not isinstance(number, str) and phonenumbers.is_valid_number(number) and e164(number) != whole
        for number in numbers
    )


def is_read_two_ways(text: str, region: str, number) -> bool:
    """Whether the digits of a valid number, written without a trunk prefix, may begin with the calling code."""
    national = phonenumbers.national_significant_number(number)
    metadata = phonenumbers.PhoneMetadata.metadata_for_region(region)
    code = str(number.country_code)
    if "+" in text or re.sub(r"\D", "", text) != national or not national.startswith(code):
        return False
    if metadata is None or metadata.national_prefix_for_parsing is None:
        return False
    other = parsed("+" + national, None)
    return not isinstance(other, str) and phonenumbers.is_valid_number(other)


def splits_calling_code(text: str, number) -> bool:
    first = re.match(r"\D*\+\D*(\d+)(?=\D*\d)", text)
    return first is not None and len(first.group(1)) < len(str(number.country_code))


def is_formatted(text: str, number) -> bool:
    """Whether the digits are in the groups of the country's format."""
    formats = (phonenumbers.PhoneNumberFormat.NATIONAL, phonenumbers.PhoneNumberFormat.INTERNATIONAL)
    return any(
        [len(group) for group in re.findall("[0-9]+", text)]
        == [len(group) for group in re.findall("[0-9]+", phonenumbers.format_number(number, form))]
        for form in formats
    )


def checked(text: str, region: str, number, reason: str = "") -> Outcome:
    """The outcome for a possible number, unless the text may have digits that do not belong to it."""
    is_valid = phonenumbers.is_valid_number(number)
    is_certain = is_valid and (not may_have_extra_digits(text) or is_formatted(text, number))
    if not is_certain and has_extra_digits(text, region, e164(number)):
        return Outcome("!extra-digits", "extra digits")
    return limited(e164(number), reason)


def wanted(text: str, region: str, possible: tuple = POSSIBLE) -> Outcome:
    """Returns the expected result of normalize for a text, by the order of its rules."""
    number = parsed(text, region)
    if not isinstance(number, str) and phonenumbers.is_valid_number(number):
        if is_read_two_ways(text, region, number):
            return Outcome("!ambiguous", "two readings")
        if splits_calling_code(text, number):
            return Outcome("!invalid-country-code", "split calling code")
        return checked(text, region, number)
    remark = REMARK.search(text)
    if remark and len(re.sub(r"\D", "", remark.group())) in REMARK_DIGITS:
        front = parsed(text[: remark.start()], region)
        if isinstance(front, str) or not phonenumbers.is_valid_number(front):
            return Outcome("!not-a-number", "remark")
        return limited(e164(front), "remark")
    # With a plus sign before them, the digits are read as if they began with a calling code.
    carried = parsed("+" + text.lstrip("+＋"), None)
    if (
        not isinstance(carried, str)
        and carried.country_code == phonenumbers.country_code_for_region(region)
        and possibility_of(carried) in possible
    ):
        return checked(text, region, carried, "carries its calling code")
    if isinstance(number, str):
        return Outcome(f"!{number}", "rejected")
    possibility = possibility_of(number)
    if possibility in possible:
        return checked(text, region, number)
    return Outcome(f"!{IMPOSSIBLE.get(possibility, 'too-short')}", "rejected")


def limited(digits: str, reason: str = "") -> Outcome:
    return Outcome(digits, reason) if len(digits) <= E164_DIGITS_MAX else Outcome("!too-long", "rejected")


def wanted_mask(text: str, region: str) -> Outcome | None:
    """Returns the ranges of wildcards at the end; None without wildcards.

    A range goes from the lowest to the highest number that the wildcards allow, if all between are of one plan. An open
    `*` stands for any number of digits: every count with a range, except for numbers dialled in one area only.
    """
    match = MASK.search(text)
    if not match:
        return None
    head = text[: match.start()]
    # Letters, or wildcards followed by digits, are not a mask: libphonenumber decides.
    if not re.search(r"\d", head) or re.search(r"[A-Za-z#*?]", head):
        return None
    if "*" not in match.group():
        return Outcome(mask_range(head, len(re.sub(r"[^#?xX]", "", match.group())), region, POSSIBLE), "mask")
    found = {mask_range(head, count, region, POSSIBLE[:1]) for count in range(MASK_DIGITS_MAX + 1)}
    ranges = sorted((each for each in found if each[0] != "!"), key=lambda each: int(each.split("..")[0]))
    return Outcome(", ".join(ranges) or "!bad-pattern", "mask")


def mask_range(head: str, count: int, region: str, possible: tuple) -> str:
    """Returns the range of a prefix with `count` wildcards, as normalize writes it."""
    low, high = (wanted(head + digit * count, region, possible).text for digit in "09")
    for end in (low, high):
        if end[0] == "!":
            return end
    if int(high) - int(low) != 10**count - 1:
        return "!bad-pattern"
    return low if low == high else f"{low}..{high}"


def escaped(text: str) -> str:
    """A text as a field of a raw row."""
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def unescaped(text: str) -> str:
    parts = text.split("\\\\")
    return "\\".join(part.replace("\\t", "\t").replace("\\n", "\n").replace("\\r", "\r") for part in parts)


def run(arguments: list[str], given: bytes) -> bytes:
    """Returns a command's output. Rejects are not a failure."""
    done = subprocess.run(arguments, input=given, capture_output=True)
    if done.returncode:
        sys.exit(f"{' '.join(arguments)}: status {done.returncode}\n{done.stderr.decode(errors='replace')}")
    return done.stdout


def normalized(cdpipe: str, texts: list[str], region: str) -> list[str]:
    """Returns the result of `cdpipe normalize` for each text. A row's label is its index, so results can't be mixed up."""
    rows = "".join(f"{escaped(text)}\t{index}\n" for index, text in enumerate(texts))
    found: list[str] = [""] * len(texts)
    with tempfile.TemporaryDirectory() as folder:
        rejects = pathlib.Path(folder, "rejects.tsv")
        arguments = [cdpipe, "normalize", "--quiet", "--region", region, "--rejects", str(rejects)]
        for line in run(arguments, rows.encode()).decode().splitlines():
            number, label = line.split("\t")
            # An open `*` produces a range for each length.
            found[int(label)] = ", ".join(filter(None, (found[int(label)], number)))
        for line in rejects.read_text(encoding="utf-8").splitlines() if rejects.exists() else []:
            stage, place, code, _ = line.split("\t")
            if stage != "normalize" or not place.startswith("row "):
                sys.exit(f"an odd reject: {line}")
            found[int(place[4:]) - 1] = f"!{code}"
    return found


def compare(name: str, texts: list[str], region: str, cdpipe: str, show: int) -> int:
    """Prints the differences of one list, and returns the count of unexplained ones."""
    reasons: collections.Counter = collections.Counter()
    listed: collections.Counter = collections.Counter()
    unexplained = 0
    found = normalized(cdpipe, texts, region)
    for text, ours in zip(texts, found):
        theirs = plain(text, region)
        expected = wanted_mask(text, region) or wanted(text, region)
        is_right = ours == expected.text
        if is_right and ours == theirs:
            reasons["the same number, or the same error"] += 1
            continue
        reason = (expected.reason or "valid") if is_right else "UNEXPLAINED"
        if reason == "rejected":
            reason = f"rejected: {ours[1:]}"
        unexplained += not is_right
        reasons[reason] += 1
        listed[reason] += 1
        if not is_right or listed[reason] <= show:
            more = "" if is_right else f", wanted {expected.text} ({expected.reason or 'libphonenumber'})"
            place = f"{name}\t{region}\t{escaped(text)}"
            print(f"{place}\tlibphonenumber {theirs}\tnormalize {ours or 'nothing'}\t{reason}{more}")
    print(f"\n{name}: {len(texts)} numbers, region {region}")
    for reason, count in reasons.most_common():
        print(f"{count:8}  {reason}")
    print()
    return unexplained


def cn_marked(cdpipe: str, path: str) -> list[str]:
    """The numbers' texts as `cdpipe parse` finds them."""
    rows = run([cdpipe, "parse", "--quiet", path], b"").decode()
    return [unescaped(line.split("\t")[0]) for line in rows.splitlines()]


def ftc(path: str) -> list[str]:
    with open(path, encoding="utf-8", newline="") as file:
        return [row[FIELD] or "" for row in csv.DictReader(file)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cn-marked", metavar="FILE", help="JSON rows; region CN")
    parser.add_argument("--ftc", metavar="FILE", help=f"CSV with a field {FIELD}; region US")
    parser.add_argument("--lines", metavar="FILE", help="a number a line; needs --region")
    parser.add_argument("--region", metavar="CC", help="the region of --lines")
    parser.add_argument("--cdpipe", default=str(ROOT / ".build/release/cdpipe"), help="the program (%(default)s)")
    parser.add_argument("--show", type=int, default=1_000_000, help="differences listed of each reason (all)")
    options = parser.parse_args()
    if not os.access(options.cdpipe, os.X_OK):
        parser.error(f"there is no '{options.cdpipe}'\n  hint: `make build` makes it")
    if not (options.cn_marked or options.ftc or options.lines):
        parser.error("there is nothing to compare")
    if options.lines and not options.region:
        parser.error("--lines needs --region")
    lists = []
    if options.cn_marked:
        lists.append(("cn-marked", cn_marked(options.cdpipe, options.cn_marked), "CN"))
    if options.ftc:
        lists.append(("ftc", ftc(options.ftc), "US"))
    if options.lines:
        text = pathlib.Path(options.lines).read_text(encoding="utf-8")
        lists.append((options.lines, text.split("\n")[: text.count("\n")], options.region))
    unexplained = sum(compare(*each, options.cdpipe, options.show) for each in lists)
    print(f"{unexplained} differences without an explanation")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
