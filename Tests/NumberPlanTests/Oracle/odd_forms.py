"""Forms with rare characters: case folding, marks, invisible characters, random text.

Each function accepts a Draw and returns the region to ask with and the text.
"""

from __future__ import annotations

import alphabets
import oracle
from draws import Draw


def folding(d: Draw):
    """Characters that become or match ASCII letters only by case folding."""
    region = d.region()
    text = d.any_form(region)
    odd = [*alphabets.FOLDING, *alphabets.UPPER_TO_ASCII]
    for _ in range(1 + d.below(3)):
        at = d.below(len(text) + 1)
        text = text[:at] + d.one(odd) + text[at:]
    if d.chance(0.3):
        text += d.text(["A", "b", "Z", "1"], 1, 4)
    return d.asked(region), text


def marks(d: Draw):
    """Combining marks, zero-width and no-break spaces, controls."""
    region = d.region()
    return d.asked(region), d.punctuated(
        d.any_form(region), [*alphabets.MARKS, *alphabets.INVISIBLE, *alphabets.SPACES]
    )


def soup(d: Draw):
    return d.one([oracle.NO_REGION, d.region(), d.region()]), d.text(alphabets.SOUP, 1, 24)


def plain_soup(d: Draw):
    region = d.region()
    return d.one([oracle.NO_REGION, region, region]), d.one(["", "+", "0"]) + d.text(alphabets.PLAIN_SOUP, 2, 20)


def soup_in_number(d: Draw):
    region = d.region()
    return d.asked(region), d.punctuated(d.any_form(region), alphabets.SOUP)


KINDS = (
    folding, marks, soup, plain_soup, soup_in_number,
)  # fmt: skip
