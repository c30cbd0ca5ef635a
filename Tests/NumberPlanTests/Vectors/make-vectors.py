#!/usr/bin/env python3
"""Generates NumberPlanTests' vectors with PyPI's phonenumbers, a port of libphonenumber, as the oracle.

    pip install phonenumbers==9.0.35
    python3 make-vectors.py [SEED]

Writes examples.tsv (every example number of every region and kind, in each format) and mutations.tsv (forms of
numbers that people and files use, chosen at random from the seed). A row is

    region TAB input TAB answer [TAB carrier code TAB source]

with ZZ for no region. The answer is that of the tool number-answers: ! and the error, or calling code, national
number, leading zeros, extension, possibility, valid, region and type, with tabs between; possibility and type are the
oracle's own integers (ValidationResult, PhoneNumberType). The carrier code that was stripped and the source of the
calling code (the oracle's CountryCodeSource) follow. In an input, backslash and tab are written \\\\ and \\t.
"""
import pathlib
import random
import sys

import phonenumbers as pn

SEED = int(sys.argv[1]) if len(sys.argv) > 1 else 20260117
MUTATIONS = 20000
FAILURES = {
    pn.NumberParseException.INVALID_COUNTRY_CODE: "!invalidCountryCode",
    pn.NumberParseException.NOT_A_NUMBER: "!notANumber",
    pn.NumberParseException.TOO_SHORT_AFTER_IDD: "!tooShortAfterIDD",
    pn.NumberParseException.TOO_SHORT_NSN: "!tooShortNSN",
    pn.NumberParseException.TOO_LONG: "!tooLong",
}
TYPES = [value for value in pn.PhoneNumberType.values() if value not in (pn.PhoneNumberType.UNKNOWN,)]
REGIONS = sorted(pn.SUPPORTED_REGIONS)
CODES = sorted(pn.COUNTRY_CODE_TO_REGION_CODE)


def row(region, text):
    """One line of a vector file."""
    shown = text.replace("\\", "\\\\").replace("\t", "\\t")
    try:
        number = pn.parse(text, None if region == "ZZ" else region, keep_raw_input=True)
    except pn.NumberParseException as failure:
        return f"{region}\t{shown}\t{FAILURES[failure.error_type]}"
    zeros = (number.number_of_leading_zeros or 1) if number.italian_leading_zero else 0
    answer = [
        number.country_code, number.national_number, zeros, number.extension or "",
        pn.is_possible_number_with_reason(number), int(pn.is_valid_number(number)),
        pn.region_code_for_number(number) or "", pn.number_type(number),
        number.preferred_domestic_carrier_code or "", number.country_code_source,
    ]
    return "\t".join([region, shown, *map(str, answer)])


def example_numbers():
    """(region, number) for every kind, and for the networks without a country."""
    for region in REGIONS:
        for kind in TYPES:
            number = pn.example_number_for_type(region, kind)
            if number is not None:
                yield region, number
    for code in sorted(pn.COUNTRY_CODES_FOR_NON_GEO_REGIONS):
        number = pn.example_number_for_non_geo_entity(code)
        if number is not None:
            yield "ZZ", number


def examples():
    seen = set()
    for region, number in example_numbers():
        formats = [pn.PhoneNumberFormat.E164, pn.PhoneNumberFormat.INTERNATIONAL]
        if region != "ZZ":
            formats.append(pn.PhoneNumberFormat.NATIONAL)
        for form in formats:
            line = row(region, pn.format_number(number, form))
            if line not in seen:
                seen.add(line)
                yield line


FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")
ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
PERSIAN = str.maketrans("0123456789", "۰۱۲۳۴۵۶۷۸۹")
DEVANAGARI = str.maketrans("0123456789", "०१२३४५६७८९")
FRONT = ["Tel: ", "(", "电话", "\u200e", "call ", "++", "\uff0b", "#", "*", " ", "tel:+", "+ ", "'", "= ", "00"]
BACK = ["", " ", ")", ".", ",", " ext. 12", " x1234", "#", ";ext=7", ",,55", " - 12#", "号", "\u200f", " / 123", "/x9",
        " доб. 5", " ДОБ 5", " EXTENSIÓN 3", "x", "~3", " int 44", ";isub=12", "'", " anexo 22", "ｘｔ９", " ext 123456789012345678901", "\ufffd",
        ";phone-context=+44", ";phone-context=+1-2", "#;phone-context=+123-4", ";phone-context=example.com",
        ";phone-context=a.b.;x", ";phone-context=", ";phone-context=-a", ";ext=5;phone-context=+39", ";phone-context=+7;ext=1"]
BETWEEN = [" ", "-", ".", "  ", "(0)", "/", "\u2010", "\u3000", "\u00a0", "~", "x", "xx", "*", "a", "\t", ",", "–", "+", "_"]


def mutate(rng, region, number):
    """A text that a person might write, or a file might contain, for this number."""
    nsn = pn.national_significant_number(number)
    code = str(number.country_code)
    meta = pn.PhoneMetadata.metadata_for_region(region, None) if region != "ZZ" else None
    digits = list(nsn)
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2, 4])):
        change = rng.randrange(4)
        if change == 0 and digits:
            digits[rng.randrange(len(digits))] = rng.choice("0123456789")
        elif change == 1 and len(digits) > 1:
            del digits[rng.randrange(len(digits))]
        elif change == 2:
            digits.insert(rng.randrange(len(digits) + 1), rng.choice("0123456789"))
        else:
            digits = digits[: rng.randrange(len(digits) + 1)] or ["0"]
    nsn = "".join(digits)
    front = rng.choice(["", "", "+" + code, "+" + code, code, "00" + code, "011" + code, "0", "1", "8", "06", "810" + code,
                        "+" + code + "0", "+" + code + "1", "idd", "carrier", "+" + str(rng.choice(CODES)), "15", "9", "000"])
    if front == "idd":
        front = rng.choice(["00", "011", "0011", "119", "001", "0014", "140", "1790", "990", "005", "8~10"]) + code
    elif front == "carrier":
        front = {"CN": "17951", "BR": "015", "CO": "03", "KR": "08", "AR": "0", "CR": "1900", "MX": "01"}.get(
            region, (meta and meta.national_prefix or "0") + rng.choice(["", "0", "1", "15"]))
    text = front + nsn
    if rng.random() < 0.35:
        for _ in range(rng.randrange(1, 4)):
            place = rng.randrange(len(text) + 1)
            text = text[:place] + rng.choice(BETWEEN) + text[place:]
    if rng.random() < 0.06:
        text = text.translate(rng.choice([FULL_WIDTH, ARABIC, PERSIAN, DEVANAGARI]))
    if rng.random() < 0.05:
        place = rng.randrange(len(text) + 1)
        text = text[:place] + "".join(rng.choice("ABCxyzNIT") for _ in range(rng.randrange(1, 6))) + text[place:]
    if rng.random() < 0.08:
        text = rng.choice(FRONT) + text
    if rng.random() < 0.15:
        text = text + rng.choice(BACK)
    if rng.random() < 0.02:
        text = rng.choice(["tel:", "TEL:", "(tel:"]) + text
    if rng.random() < 0.01:
        text = text + "".join(rng.choice("0123456789") for _ in range(rng.randrange(10, 60)))
    return text


def mutations():
    rng = random.Random(SEED)
    numbers = list(example_numbers())
    by_code = {}
    for region, number in numbers:
        by_code.setdefault(number.country_code, []).append(region)
    seen = set()
    while len(seen) < MUTATIONS:
        home, number = rng.choice(numbers)
        region = rng.choice([home, home, home, home, rng.choice(by_code[number.country_code]), rng.choice(REGIONS), "ZZ"])
        if rng.random() < 0.15:
            # The plans with captures, transform rules and carriers get more than their share.
            region = rng.choice(["AR", "BR", "CN", "CO", "JP", "MX", "MG", "GG", "IM", "JE", "SM", "NF", "GA", "AG", "BO",
                                 "KR", "LU", "FO", "CC", "BY", "LT", "HU", "RU", "KZ", "IT", "VA"])
            number = rng.choice([n for r, n in numbers if r == region])
        text = mutate(rng, region, number)
        if "\n" in text:
            continue
        line = row(region, text)
        if line not in seen:
            seen.add(line)
            yield line


def main():
    folder = pathlib.Path(__file__).parent
    print(f"phonenumbers {pn.__version__}, seed {SEED}")
    for name, lines in (("examples.tsv", examples()), ("mutations.tsv", mutations())):
        text = f"# phonenumbers {pn.__version__}, seed {SEED}, make-vectors.py\n" + "".join(line + "\n" for line in lines)
        (folder / name).write_text(text, encoding="utf-8")
        print(f"{name}: {text.count(chr(10)) - 1} rows, {len(text.encode())} bytes")


main()
