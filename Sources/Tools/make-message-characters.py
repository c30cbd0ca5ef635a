#!/usr/bin/env python3
"""Writes Sources/C/CMessageTables/MessageTables.c: the character properties for folding messages.

    python3 make-message-characters.py          # with a Python whose Unicode is VERSION, such as 3.11

One step of every decomposition with its kind, full case folding, digits, and runs of characters of one class and
script. Only the rule compiler uses them: a compiled rule file has its own table, so that a phone folds as the server
that compiled it did. Scripts are read from the characters' names, of which the first word is the script.
"""
import pathlib
import sys
import unicodedata

VERSION = "14.0.0"
LINE = 118

# The classes, as MessageRules' FoldKind numbers them.
OTHER, LETTER, DIGIT, SEPARATOR, SKIP, CJK = 0, 1, 2, 4, 5, 7

# The scripts that a rule can name, in the order of MessageRules' TextScript.
SCRIPTS = [
    "COMMON", "LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "HEBREW", "ARABIC", "DEVANAGARI", "BENGALI", "GURMUKHI",
    "GUJARATI", "TAMIL", "TELUGU", "KANNADA", "MALAYALAM", "SINHALA", "THAI", "LAO", "TIBETAN", "MYANMAR", "GEORGIAN",
    "ETHIOPIC", "KHMER", "MONGOLIAN", "HAN", "HIRAGANA", "KATAKANA", "BOPOMOFO", "HANGUL", "OTHER",
]
EAST_ASIAN = {"HAN", "HIRAGANA", "KATAKANA", "BOPOMOFO", "HANGUL"}

# Marks that decorate a letter of any script. Excluded are vowel signs and the like, which change the word, and the
# voicing marks of Japanese syllables.
MARK_BLOCKS = [
    (0x0300, 0x036F), (0x0483, 0x0489), (0x0591, 0x05BD), (0x05BF, 0x05BF), (0x05C1, 0x05C2), (0x05C4, 0x05C5),
    (0x05C7, 0x05C7), (0x0610, 0x061A), (0x0640, 0x0640), (0x064B, 0x065F), (0x0670, 0x0670), (0x1AB0, 0x1AFF),
    (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE00, 0xFE0F), (0xFE20, 0xFE2F), (0xE0100, 0xE01EF),
    (0x0951, 0x0954), (0x1CD0, 0x1CD2), (0x1CD4, 0x1CE8), (0x1CED, 0x1CED), (0x1CF4, 0x1CF4), (0x1CF7, 0x1CF9),
    (0x2DE0, 0x2DFF), (0x302A, 0x302F), (0xA66F, 0xA672), (0xA674, 0xA67D), (0xA69E, 0xA69F), (0xA8E0, 0xA8F1),
    (0x101FD, 0x101FD), (0x102E0, 0x102E0), (0x1CF00, 0x1CF2D), (0x1CF30, 0x1CF46), (0x1D165, 0x1D169),
    (0x1D16D, 0x1D172), (0x1D17B, 0x1D182), (0x1D185, 0x1D18B), (0x1D1AA, 0x1D1AD), (0x1D242, 0x1D244),
]
# Invisible characters other than format characters, such as the Hangul fillers.
FILLERS = {0x115F, 0x1160, 0x3164, 0xFFA0, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x034F}


def script(character):
    words = unicodedata.name(character, "").replace("-", " ").split()
    if not words or unicodedata.category(character)[0] not in "LN":
        return "COMMON"
    if words[0] in ("FULLWIDTH", "HALFWIDTH"):
        words = words[1:]
    if words[0] in ("CJK", "IDEOGRAPHIC"):
        return "HAN"
    if words[0] in SCRIPTS:
        return words[0]
    if unicodedata.category(character) in ("Lu", "Ll", "Lt", "Lo"):
        decomposed = unicodedata.normalize("NFKD", character)
        return script(decomposed[0]) if decomposed[0] != character else "OTHER"
    return "COMMON"


def is_mark(scalar):
    return any(first <= scalar <= last for first, last in MARK_BLOCKS)


def class_of(scalar):
    character = chr(scalar)
    category = unicodedata.category(character)
    if is_mark(scalar) or scalar in FILLERS or category == "Cf":
        return SKIP, "COMMON"
    of = script(character)
    # Japanese voicing marks are part of a syllable but have no script, because two scripts use them.
    if scalar in (0x3099, 0x309A):
        return CJK, of
    if of in EAST_ASIAN:
        return CJK, of
    if category[0] == "L" or category[0] == "M":
        return LETTER, of
    if category == "Nd":
        return DIGIT, "COMMON"
    if category[0] in "PSZ" or category == "Cc":
        return SEPARATOR, "COMMON"
    return OTHER, "COMMON"


def array(kind, name, values):
    lines, line = [], ""
    for value in values:
        item = f"{value},"
        if len(line) + len(item) > LINE:
            lines.append(line)
            line = ""
        line += item
    return f"const {kind} {name}[] = {{\n" + "\n".join(lines + [line]) + "\n};\n\n"


def maps(name, pairs):
    """Sorted scalars, and for each where its targets begin."""
    scalars, starts, targets = [], [0], []
    for scalar, mapped in pairs:
        scalars.append(scalar)
        targets += mapped
        starts.append(len(targets))
    return (
        f"const uint32_t cmt_{name}_count = {len(scalars)};\n"
        + array("uint32_t", f"cmt_{name}_scalars", scalars)
        + array("uint16_t", f"cmt_{name}_starts", starts)
        + array("uint32_t", f"cmt_{name}_targets", targets)
    )


def main():
    if unicodedata.unidata_version != VERSION:
        sys.exit(f"this Python has Unicode {unicodedata.unidata_version}, the tables are of {VERSION}")
    decompositions, kinds, foldings, digits = [], [], [], []
    starts, values = [], []
    for scalar in range(0x110000):
        if 0xD800 <= scalar < 0xE000:
            continue
        character = chr(scalar)
        decomposition = unicodedata.decomposition(character).split()
        if decomposition:
            tag = decomposition.pop(0) if decomposition[0][0] == "<" else ""
            decompositions.append((scalar, [int(part, 16) for part in decomposition]))
            kinds.append({"": 0, "<wide>": 1, "<narrow>": 1}.get(tag, 2))
        folded = character.casefold()
        if folded != character:
            foldings.append((scalar, [ord(part) for part in folded]))
        value = unicodedata.numeric(character, -1)
        category = unicodedata.category(character)
        # Han numerals such as 一 are words. 〇 is a zero.
        if scalar > 0x7F and category in ("Nd", "No") and value == int(value) and 0 <= value <= 50:
            digits.append((scalar, int(value)))
        elif scalar == 0x3007:
            digits.append((scalar, 0))
        kind, of = class_of(scalar)
        packed = kind | SCRIPTS.index(of) << 3
        if not values or values[-1] != packed:
            starts.append(scalar)
            values.append(packed)
    text = (
        "// Generated, do not edit: see Sources/Tools/make-message-characters.py.\n"
        f"// The facts are those of the Unicode Character Database {VERSION}.\n\n"
        '#include "CMessageTables.h"\n\n'
        + maps("decomposition", decompositions)
        + array("uint8_t", "cmt_decomposition_kinds", kinds)
        + maps("folding", foldings)
        + f"const uint32_t cmt_digit_count = {len(digits)};\n"
        + array("uint32_t", "cmt_digit_scalars", [scalar for scalar, _ in digits])
        + array("uint8_t", "cmt_digit_values", [value for _, value in digits])
        + f"const uint32_t cmt_class_count = {len(starts)};\n"
        + array("uint32_t", "cmt_class_starts", starts)
        + array("uint8_t", "cmt_class_values", values)
    )
    root = pathlib.Path(__file__).resolve().parents[1]
    (root / "C" / "CMessageTables" / "MessageTables.c").write_text(text.rstrip("\n") + "\n")


main()
