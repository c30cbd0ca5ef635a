"""Random strings that match a regular expression.

For the metadata's patterns: literals, classes, groups, choices and counts. It is not a general tool: any other construct
is an error, so that no part of a pattern is ignored silently.
"""

from __future__ import annotations

import functools
import random
from typing import Callable

try:
    from re import _constants as kinds, _parser as parser
except ImportError:  # before Python 3.11
    import sre_constants as kinds
    import sre_parse as parser

Maker = Callable[[random.Random, list], None]

REPEATS_MAX = 6
"""The maximum of repetitions for `+` and `*`; the metadata has very few of them."""

DIGITS = "0123456789"


@functools.lru_cache(maxsize=None)
def compiled(pattern: str) -> Maker:
    """Returns a function that appends the pieces of one matching string to a list."""
    return sequence(parser.parse(pattern))


def draw(pattern: str, lot: random.Random) -> str:
    """Returns one matching string."""
    pieces: list[str] = []
    compiled(pattern)(lot, pieces)
    return "".join(pieces)


def sequence(items) -> Maker:
    makers = [maker(kind, value) for kind, value in items]

    def make(lot, pieces):
        for each in makers:
            each(lot, pieces)

    return make


def maker(kind, value) -> Maker:
    if kind is kinds.LITERAL:
        return lambda lot, pieces: pieces.append(chr(value))
    if kind is kinds.IN:
        members = class_members(value)
        return lambda lot, pieces: pieces.append(members[int(lot.random() * len(members))])
    if kind is kinds.SUBPATTERN:
        return sequence(value[-1])
    if kind is kinds.BRANCH:
        choices = [sequence(choice) for choice in value[1]]
        return lambda lot, pieces: choices[int(lot.random() * len(choices))](lot, pieces)
    if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT):
        return repeat(*value)
    if kind is kinds.AT:
        return lambda lot, pieces: None
    raise ValueError(f"patterns.py does not know {kind}")


def repeat(least: int, most, items) -> Maker:
    each = sequence(items)
    if most is kinds.MAXREPEAT:
        most = least + REPEATS_MAX

    def make(lot, pieces):
        for _ in range(least + int(lot.random() * (most - least + 1))):
            each(lot, pieces)

    return make


def class_members(items) -> str:
    members = ""
    for kind, value in items:
        if kind is kinds.LITERAL:
            members += chr(value)
        elif kind is kinds.RANGE:
            members += "".join(map(chr, range(value[0], value[1] + 1)))
        elif kind is kinds.CATEGORY and value is kinds.CATEGORY_DIGIT:
            members += DIGITS
        else:
            raise ValueError(f"patterns.py does not know {kind} in a class")
    return members
