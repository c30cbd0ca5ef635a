"""Forms that differ in their digits: prefixes, calling codes, carriers, networks, lengths.

Each function accepts a Draw and returns the region to ask with and the text.
"""

from __future__ import annotations

import alphabets
import oracle
import patterns
from draws import CODES, LENGTHS, NETWORK_PATTERNS, PATTERNS, PLANS, SHARED, WITH_RULES, Draw


def bare_national(d: Draw):
    region = d.region()
    return d.asked(region), d.national(region)


def with_prefix(d: Draw):
    region = d.region()
    return region, (PLANS[region].national_prefix or "0") + d.national(region)


def with_parsed_prefix(d: Draw):
    """A prefix that the pattern for removing prefixes matches, with its carrier codes."""
    region = d.one(WITH_RULES) if d.chance(0.7) else d.region()
    pattern = PLANS[region].national_prefix_for_parsing
    prefix = patterns.draw(pattern, d.lot) if pattern else "0"
    rest = d.national(region)
    return region, prefix + (d.mutated(rest) if d.chance(0.2) else rest)


def prefix_only(d: Draw):
    """Prefixes that match a part of the number itself, or without a number after them."""
    region = d.one(WITH_RULES) if d.chance(0.7) else d.region()
    return region, d.prefix(region) + d.digits(0, 8)


def plus(d: Draw):
    own = d.region()
    asked = oracle.NO_REGION if d.chance(0.4) else d.region() if d.chance(0.5) else own
    return asked, "+" + CODES[own] + d.national(own)


def plus_with_prefix(d: Draw):
    own = d.region()
    return d.one([own, oracle.NO_REGION]), f"+{CODES[own]}{d.prefix(own)}{d.national(own)}"


def idd(d: Draw):
    asked = d.region()
    rest = d.international()
    return asked, d.idd(asked) + ("0" if d.chance(0.05) else "") + rest


def idd_short(d: Draw):
    """Very few digits, or an unknown calling code, after the international prefix."""
    asked = d.region()
    return asked, d.idd(asked) + d.digits(0, 6)


def idd_with_prefix(d: Draw):
    asked, own = d.region(), d.region()
    return asked, d.idd(asked) + CODES[own] + d.prefix(own) + d.national(own)


def plus_then_idd(d: Draw):
    """A plus sign before an international prefix: the second attempt after an unknown calling code."""
    asked = d.region()
    where = d.below(4)
    if where == 0:
        return asked, "+" + d.idd(asked) + d.international()
    if where == 1:
        return asked, "+" + d.prefix(asked) + d.national(asked)
    if where == 2:
        return asked, "+0" + CODES[asked] + d.national(asked)
    return asked, "+" + d.national(asked)


def code_without_plus(d: Draw):
    region = d.region()
    return d.asked(region), CODES[region] + d.national(region)


def code_and_prefix_without_plus(d: Draw):
    region = d.region()
    return region, CODES[region] + d.prefix(region) + d.national(region)


def code_twice(d: Draw):
    region = d.region()
    return d.asked(region), d.one(["", "+", "00"]) + CODES[region] * 2 + d.national(region)


def mutated(d: Draw):
    region = d.region()
    return d.asked(region), d.mutated(d.any_form(region))


def random_digits(d: Draw):
    return d.region(), d.digits(1, 20)


def random_international(d: Draw):
    return d.one([oracle.NO_REGION, d.region()]), "+" + d.digits(1, 19)


def known_code_random_rest(d: Draw):
    return d.one([oracle.NO_REGION, d.region()]), "+" + str(d.one(oracle.CALLING_CODES)) + d.digits(0, 16)


def possible_length(d: Draw):
    """Any digits, in a length that some number of the calling code has."""
    code = d.one(oracle.CALLING_CODES)
    return oracle.NO_REGION, f"+{code}{d.digits_of_length(d.one(LENGTHS[code]))}"


def one_digit_off(d: Draw):
    """A matching number with one digit changed: most boundaries of the patterns are there."""
    region = d.region()
    digits = patterns.draw(d.one(PATTERNS[region]), d.lot)
    at = d.below(len(digits))
    return oracle.NO_REGION, f"+{CODES[region]}{digits[:at]}{d.below(10)}{digits[at + 1 :]}"


def unknown_code(d: Draw):
    code = str(d.below(1000))
    return d.one([oracle.NO_REGION, d.region()]), d.one(["+", "+0", "00"]) + code + d.digits(4, 12)


def zeros(d: Draw):
    """Leading zeros, only zeros, and zeros elsewhere: Italian numbers and others."""
    region = d.one(["IT", "SM", "VA", "CI", "GA", "CG", "SN", "DE", d.region(), d.region()])
    digits = d.text(["0"], 1, 6) + d.one([d.digits(0, 9), d.national(region), d.text(["0"], 1, 12)])
    return region, d.one(["", "", "+" + CODES[region], CODES[region]]) + digits


def networks(d: Draw):
    code = d.one(oracle.NETWORK_CODES)
    digits = patterns.draw(d.one(NETWORK_PATTERNS[code]), d.lot)
    asked = d.one([oracle.NO_REGION, d.region()])
    if d.chance(0.2):
        digits = d.mutated(digits)
    front = d.one(["+", "+", d.idd(asked) if asked != oracle.NO_REGION else "+", ""])
    return asked, f"{front}{code}{digits}"


def shared_codes(d: Draw):
    """Numbers of regions that share a calling code, parsed with another one of these regions."""
    own, asked = d.one(SHARED), d.one(SHARED)
    return asked, d.one(["", "+" + CODES[own], CODES[own], CODES[asked]]) + d.national(own)


def short(d: Draw):
    region = d.region()
    where = d.below(3)
    if where == 0:
        return region, d.one(
            ["110", "112", "119", "120", "911", "999", "100", "10086", "12306", "95588", "0", "1", "00", "01"]
        )
    return region, d.one(["", "", "+", "+" + CODES[region]]) + d.digits(1, 6)


def long(d: Draw):
    """17 to 60 digits."""
    region = d.region()
    front = d.one(["", "+", "+" + CODES[region], CODES[region], d.idd(region), d.prefix(region)])
    if d.chance(0.2):
        front += d.text(["0"], 1, 40)
    return d.asked(region), front + d.digits(14, 60)


def limits(d: Draw):
    """Texts of about 250 characters, of one to four bytes each."""
    region = d.region()
    number = d.any_form(region)
    total = d.one([60, 120, 249, 250, 250, 251, 251, 252, 300])
    filler = d.one([*"-. ()x0*１٣", *alphabets.SPACES, "𝟎", "é", "😀", "电"])
    way = d.below(3)
    space = max(0, total - len(number))
    if way == 0:
        return region, number + filler * space
    if way == 1:
        return region, filler * space + number
    at = d.below(len(number) + 1)
    return region, number[:at] + filler * space + number[at:]


def vanity(d: Draw):
    """Letters instead of digits."""
    region = d.region()
    text = d.any_form(region)
    at = d.below(len(text) + 1)
    letters = d.text(
        d.one([alphabets.LETTERS, "XxNnTtEe", [*alphabets.LETTERS, *alphabets.UPPER_TO_ASCII, *alphabets.FOLDING]]),
        1,
        8,
    )
    text = text[:at] + letters + (text[at + len(letters) :] if d.chance(0.7) else text[at:])
    return d.asked(region), d.punctuated(text) if d.chance(0.4) else text


def masks(d: Draw):
    """Masks with x, # and similar characters."""
    region = d.region()
    text = d.any_form(region)
    at = d.below(len(text) + 1)
    mask = d.one(alphabets.MASKS) * (1 + d.below(8))
    text = text[:at] + mask + (text[at + len(mask) :] if d.chance(0.7) else text[at:])
    return d.asked(region), d.punctuated(text) if d.chance(0.4) else text


def format_of_plan(d: Draw):
    """Digits for one of the formats of a calling code, so that each of them is compared."""
    code = d.one(oracle.CALLING_CODES)
    plan = oracle.main_metadata(code)
    if not plan.number_format:
        return oracle.NO_REGION, f"+{code}{d.digits(5, 12)}"
    form = d.one(plan.number_format)
    digits = patterns.draw(form.pattern, d.lot)
    if form.leading_digits_pattern:
        digits = (patterns.draw(form.leading_digits_pattern[-1], d.lot) + digits)[: len(digits)]
    return oracle.NO_REGION, f"+{code}{digits}"


KINDS = (
    bare_national, with_prefix, with_parsed_prefix, prefix_only, plus, plus_with_prefix, idd, idd_short,
    idd_with_prefix, plus_then_idd, code_without_plus, code_and_prefix_without_plus, code_twice, mutated,
    random_digits, random_international, known_code_random_rest, unknown_code, zeros, networks, shared_codes,
    short, long, limits, vanity, masks, format_of_plan,
)  # fmt: skip
