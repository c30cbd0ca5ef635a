#!/usr/bin/env python3
"""Prints every character and its folded form, by Python's own normalization and case folding.

One line per scalar: hexadecimal, a tab, the folded scalars separated by spaces. Independent of the generator of the
tables: it uses whole normalization forms, not single steps. Exits 77 if Python has another Unicode version.
"""
import sys
import unicodedata

VERSION = "14.0.0"
MARKS = [
    (0x0300, 0x036F), (0x0483, 0x0489), (0x0591, 0x05BD), (0x05BF, 0x05BF), (0x05C1, 0x05C2), (0x05C4, 0x05C5),
    (0x05C7, 0x05C7), (0x0610, 0x061A), (0x0640, 0x0640), (0x064B, 0x065F), (0x0670, 0x0670), (0x1AB0, 0x1AFF),
    (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE00, 0xFE0F), (0xFE20, 0xFE2F), (0xE0100, 0xE01EF),
    (0x0951, 0x0954), (0x1CD0, 0x1CD2), (0x1CD4, 0x1CE8), (0x1CED, 0x1CED), (0x1CF4, 0x1CF4), (0x1CF7, 0x1CF9),
    (0x2DE0, 0x2DFF), (0x302A, 0x302F), (0xA66F, 0xA672), (0xA674, 0xA67D), (0xA69E, 0xA69F), (0xA8E0, 0xA8F1),
    (0x101FD, 0x101FD), (0x102E0, 0x102E0), (0x1CF00, 0x1CF2D), (0x1CF30, 0x1CF46), (0x1D165, 0x1D169),
    (0x1D16D, 0x1D172), (0x1D17B, 0x1D182), (0x1D185, 0x1D18B), (0x1D1AA, 0x1D1AD), (0x1D242, 0x1D244),
]
FILLERS = {0x115F, 0x1160, 0x3164, 0xFFA0, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x034F}
SPACES = {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0x1680, 0x2028, 0x2029}


def skipped(character):
    scalar = ord(character)
    return (
        scalar in FILLERS or unicodedata.category(character) == "Cf"
        or any(first <= scalar <= last for first, last in MARKS)
    )


def number(character):
    if character == "\u3007":
        return "0"
    if ord(character) < 0x80 or unicodedata.category(character) not in ("Nd", "No"):
        return None
    value = unicodedata.numeric(character, -1)
    return str(int(value)) if value == int(value) and 0 <= value <= 50 else None


def enclosed(character):
    """The letter in parentheses, or in a black circle or square."""
    words = unicodedata.name(character, "").split()
    forms = ("PARENTHESIZED LATIN", "NEGATIVE CIRCLED", "NEGATIVE SQUARED")
    if len(words) > 4 and " ".join(words[:2]) in forms and words[-2] == "LETTER" and len(words[-1]) == 1:
        return words[-1].lower() if "SMALL" in words else words[-1]
    return None


def parts(character):
    """Decomposes a character, without marks; Korean syllables are not decomposed."""
    letter = enclosed(character)
    if letter is not None:
        return letter
    digits = number(character)
    if digits is not None:
        return digits
    if "\uAC00" <= character <= "\uD7A3":
        return character
    decomposed = unicodedata.normalize("NFKD", character)
    if decomposed == character:
        return character
    return "".join(number(part) or part for part in decomposed)


def fold(character):
    if skipped(character):
        return ""
    if ord(character) in SPACES:
        return " "
    if character in "\u309B\u309C":
        return chr(ord(character) - 2)
    once = "".join(part for part in parts(character) if not skipped(part))
    twice = "".join(parts(part) for part in "".join(part.casefold() for part in once))
    return "".join(part for part in twice if not skipped(part))


def main():
    if unicodedata.unidata_version != VERSION:
        sys.exit(77)
    for scalar in range(0x110000):
        if 0xD800 <= scalar < 0xE000:
            continue
        print(f"{scalar:X}\t{' '.join(f'{ord(part):X}' for part in fold(chr(scalar)))}")


main()
