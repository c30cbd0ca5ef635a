#!/usr/bin/env python3
"""Writes Sources/C/CNumberPlanTables/CharacterTables.c: which characters are digits, letters and numbers.

    python3 make-characters.py          # with a Python whose Unicode is VERSION, such as 3.11

The tables exist because the character properties of Swift's library depend on the system: the same text has to be the
same number on a server, on a phone and in the oracle's Python.
"""
import pathlib
import sys
import unicodedata

VERSION = "14.0.0"
LINE = 118


def ranges(wanted):
    """First and last + 1 of each run of wanted scalars."""
    bounds = []
    inside = False
    for scalar in range(0x110001):
        now = scalar < 0x110000 and wanted(unicodedata.category(chr(scalar)))
        if now != inside:
            bounds.append(scalar)
            inside = now
    return bounds


def array(name, values):
    lines, line = [], ""
    for value in values:
        item = f"{value},"
        if len(line) + len(item) > LINE:
            lines.append(line)
            line = ""
        line += item
    return f"const uint32_t {name}[] = {{\n" + "\n".join(lines + [line]) + "\n};\n"


def main():
    if unicodedata.unidata_version != VERSION:
        sys.exit(f"this Python has Unicode {unicodedata.unidata_version}, the tables are of {VERSION}")
    digits = ranges(lambda category: category == "Nd")
    zeros = [zero for first, end in zip(digits[::2], digits[1::2]) for zero in range(first, end, 10)]
    for zero in zeros:
        # Every script has its ten digits in order.
        assert all(unicodedata.digit(chr(zero + value)) == value for value in range(10))
    words = ranges(lambda category: category[0] in "LN")
    text = (
        "// Generated, do not edit: see Sources/Tools/make-characters.py.\n"
        f"// The facts are those of the Unicode Character Database {VERSION}.\n\n"
        '#include "CNumberPlanTables.h"\n\n'
        f"const uint32_t cnp_digit_zero_count_value = {len(zeros)};\n"
        f"const uint32_t cnp_word_bound_count_value = {len(words)};\n\n"
        + array("cnp_digit_zero_values", zeros) + "\n" + array("cnp_word_bound_values", words)
    )
    root = pathlib.Path(__file__).resolve().parents[1]
    (root / "C" / "CNumberPlanTables" / "CharacterTables.c").write_text(text)


main()
