"""Forms with text around the number: words, a second number, extensions, a URI's parameters.

Each function accepts a Draw and returns the region to ask with and the text.
"""

from __future__ import annotations

import alphabets
from alphabets import AFTER, BEFORE, SECOND
from draws import CODES, Draw, extension


def junk_around(d: Draw):
    region = d.region()
    number = d.any_form(region)
    text = d.one(BEFORE) + (d.punctuated(number) if d.chance(0.5) else number)
    return d.asked(region), (text + d.one(AFTER)) if d.chance(0.7) else text


def second_number(d: Draw):
    region = d.region()
    second = d.digits(2, 6) if d.chance(0.6) else d.any_form(region)
    return d.asked(region), d.punctuated(d.any_form(region)) + d.one(SECOND) + second


def extensions(d: Draw):
    region = d.region()
    text = d.any_form(region)
    if d.chance(0.4):
        text = d.punctuated(text)
    script = d.one(alphabets.NATIVE_DIGITS) if d.chance(0.08) else ""
    return d.asked(region), text + extension(d, script)


def two_extensions(d: Draw):
    region = d.region()
    text = d.any_form(region) if d.chance(0.8) else d.digits(1, 4)
    return region, text + extension(d) + d.one(["", " ", "/"]) + extension(d)


def isub(d: Draw):
    region = d.region()
    text = (
        d.one(["", "tel:"])
        + d.any_form(region)
        + d.one([";isub=", ";ISUB=", ";isub", ";isub=;isub=", " ;isub="])
        + d.digits(0, 8)
    )
    return d.asked(region), text + (
        d.one([";ext=", ";phone-context=", "abc"]) + d.digits(0, 4) if d.chance(0.4) else ""
    )


CONTEXT_NAMES = [*[";phone-context="] * 8, ";Phone-Context=", ";phone-context", "phone-context="]
URI_HEADS = ["tel:", "tel:", "", "", "TEL:", "Call tel:", "tel: ", "tel:tel:", "abc ", "+", "tel", "sip:"]


def context(d: Draw, region: str) -> str:
    """A phone-context's value, valid or not. Few and short labels, because the oracle tries every way to divide them."""
    where = d.below(12)
    if where < 4:
        return "+" + CODES[region]
    if where == 4:
        return "+" + CODES[region] + d.digits(0, 4)
    if where == 5:
        return d.one(alphabets.DOMAINS)
    if where == 6:
        return d.one(alphabets.ODD_CONTEXTS)
    if where == 7:
        return "+" + d.text("0123456789-.()", 1, 7)
    if where == 8:
        return d.text(["a", "b1", "1", "-", ".", "Z", "_", "٣", "\u017f", "é"], 1, 6)
    if where == 9:
        return d.one(alphabets.PLUS_SIGNS) + CODES[region]
    return "+" + CODES[d.region()]


def phone_context(d: Draw):
    """As RFC 3966 defines it."""
    region = d.region()
    number = d.punctuated(d.national(region), [*"-.()"]) if d.chance(0.4) else d.national(region)
    middle = d.one(["", "", ";ext=" + d.digits(1, 6), ";isub=" + d.digits(1, 6)])
    where = "+" + CODES[d.region() if d.chance(0.2) else region] if d.chance(0.7) else d.one(alphabets.DOMAINS)
    tail = d.one(["", "", ";ext=1", ";a=b"])
    return d.asked(region), f"{d.one(['tel:', 'tel:', ''])}{number}{middle};phone-context={where}{tail}"


def odd_phone_context(d: Draw):
    region = d.region()
    number = d.any_form(region) if d.chance(0.3) else d.national(region)
    if d.chance(0.3):
        number = d.punctuated(number)
    middle = d.one(["", "", "", "", ";ext=" + d.digits(0, 5), ";isub=" + d.digits(0, 5), extension(d), d.one(AFTER)])
    tail = d.one(
        ["", "", "", "", ";ext=" + d.digits(1, 5), ";isub=1", ";a=b", ";", d.one(AFTER), ";phone-context=+1", "tel:12"]
    )
    return d.asked(region), "".join([d.one(URI_HEADS), number, middle, d.one(CONTEXT_NAMES), context(d, region), tail])


KINDS = (
    junk_around, second_number, extensions, two_extensions, isub, phone_context, odd_phone_context,
)  # fmt: skip
