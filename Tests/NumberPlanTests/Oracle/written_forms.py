"""Forms that differ in notation: libphonenumber's formats, punctuation, scripts, plus signs.

Each function accepts a Draw and returns the region to ask with and the text.
"""

from __future__ import annotations

import alphabets
import oracle
import patterns
from draws import CODES, NETWORK_PATTERNS, Draw, extension
from oracle import phonenumbers

FORMATS = range(4)
"""E164, INTERNATIONAL, NATIONAL and RFC3966."""


def number_of(d: Draw, region: str) -> phonenumbers.PhoneNumber:
    digits = d.national(region)
    zeros = len(digits) - len(digits.lstrip("0"))
    number = phonenumbers.PhoneNumber(country_code=int(CODES[region]), national_number=int(digits or "0"))
    if 0 < zeros < len(digits):
        number.italian_leading_zero = True
        number.number_of_leading_zeros = zeros
    if d.chance(0.1):
        number.extension = d.digits(1, 7)
    return number


def formatted(d: Draw):
    region = d.region()
    return d.asked(region), phonenumbers.format_number(number_of(d, region), d.one(FORMATS))


def out_of_country(d: Draw):
    region, abroad = d.region(), d.region()
    return abroad, phonenumbers.format_out_of_country_calling_number(number_of(d, region), abroad)


def with_carrier(d: Draw):
    region = d.one(["BR", "AR", "CO", "CL", "MX", "KR", "TR", "CR", "HN", "IR", d.region(), d.region()])
    carrier = d.digits(1, 4)
    return region, phonenumbers.format_national_number_with_carrier_code(number_of(d, region), carrier)


def for_mobile(d: Draw):
    region = d.region()
    asked = d.asked(region)
    dialled = phonenumbers.format_number_for_mobile_dialing(number_of(d, region), asked, d.chance(0.5))
    return asked, dialled or d.national(region)


def in_original(d: Draw):
    region = d.region()
    try:
        number = phonenumbers.parse(d.punctuated(d.any_form(region)), region, keep_raw_input=True)
    except phonenumbers.NumberParseException:
        return formatted(d)
    return region, phonenumbers.format_in_original_format(number, region)


def keeping_letters(d: Draw):
    region, abroad = d.region(), d.region()
    text = d.national(region)
    text = text[: len(text) // 2] + d.text(alphabets.LETTERS, 3, 5)
    try:
        number = phonenumbers.parse(text, region, keep_raw_input=True)
        return abroad, phonenumbers.format_out_of_country_keeping_alpha_chars(number, abroad)
    except (phonenumbers.NumberParseException, AttributeError, TypeError):
        return region, text


def by_network(d: Draw):
    code = d.one(oracle.NETWORK_CODES)
    digits = patterns.draw(d.one(NETWORK_PATTERNS[code]), d.lot)
    number = phonenumbers.PhoneNumber(country_code=code, national_number=int(digits))
    return d.one([oracle.NO_REGION, d.region()]), phonenumbers.format_number(number, d.one(FORMATS))


def punctuated(d: Draw):
    region = d.region()
    return d.asked(region), d.punctuated(d.any_form(region))


def odd_punctuation(d: Draw):
    region = d.region()
    marks = [*alphabets.DASHES, *alphabets.SPACES, *alphabets.PUNCTUATION, *alphabets.MARKS, *alphabets.INVISIBLE]
    return d.asked(region), d.punctuated(d.any_form(region), marks)


def optional_prefix(d: Draw):
    """+44 (0)20 …"""
    region = d.region()
    return d.asked(
        region
    ), f"{d.one(['+', '00', ''])}{CODES[region]} {d.one(['(0)', '(0) ', '[0]', '0-', '(', '(+'])}{d.national(region)}"


def native_digits(d: Draw):
    """One script's digits, or several mixed; with random plus signs and separators."""
    region = d.region()
    text = d.any_form(region)
    if d.chance(0.5):
        text = d.punctuated(text)
    script = d.one(alphabets.NATIVE_DIGITS)
    mixed = d.chance(0.3)
    made = [
        (d.one(alphabets.NATIVE_DIGITS) if mixed else script)[int(c)] if c.isdecimal() and d.chance(0.9) else c
        for c in text
    ]
    return d.asked(region), "".join(made) + (extension(d, script) if d.chance(0.2) else "")


def full_width(d: Draw):
    region = d.region()
    text = d.punctuated(d.any_form(region))
    if d.chance(0.4):
        text += d.one(alphabets.EXTENSION_LABELS) + d.digits(1, 6)
    return d.asked(region), text.translate(alphabets.FULL_WIDTH)


def plus_signs(d: Draw):
    own = d.region()
    text = d.one(alphabets.PLUS_SIGNS) + CODES[own] + d.national(own)
    if d.chance(0.3):
        at = d.below(len(text) + 1)
        text = text[:at] + d.one(alphabets.PLUS_SIGNS) + text[at:]
    return d.one([oracle.NO_REGION, own, d.region()]), text


KINDS = (
    formatted, out_of_country, with_carrier, for_mobile, in_original, keeping_letters, by_network, punctuated,
    odd_punctuation, optional_prefix, native_digits, full_width, plus_signs,
)  # fmt: skip
