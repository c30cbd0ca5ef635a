"""All the inputs: generated kinds, the plans' own examples, and lines of files.

An input is (kind, region, text). The inputs depend only on the seed and the count.
"""

from __future__ import annotations

import csv
import json
import pathlib
from typing import Iterator

import alphabets
import dialled_forms
import odd_forms
import oracle
import parameter_forms
import written_forms
from draws import LENGTHS, Draw, extension
from oracle import phonenumbers

Input = tuple[str, str, str]

MAKERS = (*dialled_forms.KINDS, *written_forms.KINDS, *parameter_forms.KINDS, *odd_forms.KINDS)


def stacked(d: Draw):
    """Two or three of the other kinds combined."""
    region, text = d.one(MAKERS)(d)
    for _ in range(1 + d.below(2)):
        way = d.below(5)
        if way == 0:
            text = d.punctuated(text)
        elif way == 1:
            text = d.one(alphabets.BEFORE) + text + d.one(alphabets.AFTER)
        elif way == 2:
            text += extension(d)
        elif way == 3:
            script = d.one(alphabets.NATIVE_DIGITS)
            text = text.translate({48 + value: script[value] for value in range(10)})
        else:
            at = d.below(len(text) + 1)
            text = text[:at] + d.one(alphabets.SOUP) + text[at + d.below(2) :]
    return region, text


KINDS = [(kind.__name__.replace("_", " "), kind) for kind in (*MAKERS, stacked)]

REAL_REGIONS = {"CN": ("CN", "TW", "HK", oracle.NO_REGION), "US": ("US", "CA", "GB", oracle.NO_REGION)}
"""The regions that a list's numbers are parsed with, in addition to their own."""


def generated(seed: str, count: int) -> Iterator[Input]:
    """Yields `count` inputs, alternating all kinds."""
    d = Draw(seed)
    for index in range(count):
        name, kind = KINDS[index % len(KINDS)]
        region, text = kind(d)
        yield name, region, text


def example_numbers(region: str) -> Iterator[tuple[str, phonenumbers.PhoneNumber]]:
    """Every example number of a region, or of a network when `region` is a calling code, with its home."""
    if region.isdigit():
        number = phonenumbers.example_number_for_non_geo_entity(int(region))
        if number:
            yield oracle.NO_REGION, number
        for kind in phonenumbers.PhoneNumberType.values():
            desc = oracle.util._number_desc_by_type(oracle.network_metadata(int(region)), kind)
            if desc is not None and desc.example_number:
                yield oracle.NO_REGION, phonenumbers.parse(f"+{region}{desc.example_number}", None)
        return
    for kind in phonenumbers.PhoneNumberType.values():
        number = phonenumbers.example_number_for_type(region, kind)
        if number:
            yield region, number
    for number in (phonenumbers.example_number(region), phonenumbers.invalid_example_number(region)):
        if number:
            yield region, number


EXAMPLE_HOMES = [*oracle.REGIONS, *map(str, oracle.NETWORK_CODES)]


def examples(home: str, seed: str, share: float) -> Iterator[Input]:
    """A home's example numbers in the forms that libphonenumber writes: the share `share`, at least one per number."""
    d = Draw(f"{seed}/{home}")
    for region, number in example_numbers(home):
        texts = list(number_texts(region, number, d))
        kept = [each for each in texts if d.chance(share)] or [d.one(texts)]
        for asked, text in kept:
            yield "examples", asked, text


def number_texts(region: str, number: phonenumbers.PhoneNumber, d: Draw) -> Iterator[tuple[str, str]]:
    """A number in national, international and E.164 form; parsed with its region, another one and none."""
    written = [phonenumbers.format_number(number, form) for form in written_forms.FORMATS]
    written.append(phonenumbers.national_significant_number(number))
    written.append(f"{number.country_code}{written[-1]}")
    if region != oracle.NO_REGION:
        written.append(phonenumbers.format_national_number_with_carrier_code(number, d.digits(1, 3)))
        written.append(phonenumbers.format_national_number_with_preferred_carrier_code(number, "15"))
        prefix = phonenumbers.ndd_prefix_for_region(region, True)
        if prefix:
            written.append(prefix + written[4])
    for text in dict.fromkeys(written):
        for asked in dict.fromkeys((region, d.region(), oracle.NO_REGION)):
            yield asked, text
    for abroad in (d.region(), d.region(), d.region()):
        yield abroad, phonenumbers.format_out_of_country_calling_number(number, abroad)
        dialled = phonenumbers.format_number_for_mobile_dialing(number, abroad, d.chance(0.5))
        if dialled:
            yield abroad, dialled
    again = phonenumbers.parse(written[0], oracle.NO_REGION, keep_raw_input=True)
    for asked in (region, d.region()):
        if asked != oracle.NO_REGION:
            yield asked, phonenumbers.format_in_original_format(again, asked)


SWEEP_DIGITS = 4
"""The number of leading digits that are enumerated: patterns seldom look at more of them."""


def sweep(code: int, seed: str) -> Iterator[Input]:
    """Every prefix of a calling code's national numbers, in every possible length, the rest random."""
    d = Draw(f"{seed}/sweep/{code}")
    for length in LENGTHS[code]:
        width = min(SWEEP_DIGITS, length)
        for start in range(10**width):
            rest = d.digits_of_length(length - width) if length > width else ""
            yield "sweep", oracle.NO_REGION, f"+{code}{start:0{width}}{rest}"


def from_corpus(folder: str) -> Iterator[Input]:
    """The inputs that a fuzzer has kept: a byte for the region, then the text."""
    for path in sorted(pathlib.Path(folder).iterdir()):
        data = path.read_bytes()
        try:
            text = data[1:].decode()
        except UnicodeDecodeError:
            continue
        if data:
            region = oracle.REGIONS[data[0]] if data[0] < len(oracle.REGIONS) else oracle.NO_REGION
            yield "corpus", region, text


def unescaped(text: str) -> str:
    """The inverse of `compare_numbers.escaped`."""
    parts = text.split("\\\\")
    return "\\".join(part.replace("\\t", "\t").replace("\\n", "\n").replace("\\r", "\r") for part in parts)


def from_lines(path: str) -> Iterator[Input]:
    """The lines REGION TAB TEXT of a file."""
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            region, _, text = line.rstrip("\n").partition("\t")
            yield f"file {path}", region, unescaped(text)


def cn_marked(path: str) -> Iterator[Input]:
    """The numbers of a list in the shape {"NUMBER": "LABEL"}, also with a comma after the last row."""
    with open(path, encoding="utf-8") as file:
        rows = json.loads(file.read().strip().rstrip("]").rstrip().rstrip(",") + "]")
    for row in rows:
        for text in row:
            for region in REAL_REGIONS["CN"]:
                yield "cn-marked", region, text


def ftc(path: str) -> Iterator[Input]:
    """The numbers of a day's complaints."""
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for region in REAL_REGIONS["US"]:
                yield "ftc", region, row["Company_Phone_Number"] or ""
