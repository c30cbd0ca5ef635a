"""Random numbers: digits that match a region's plan, prefixes, punctuation and surrounding characters.

Not for kinds of forms (forms.py and the modules that it imports).
"""

from __future__ import annotations

import random

import alphabets
import oracle
import patterns

TYPES = (
    "general_desc", "fixed_line", "mobile", "toll_free", "premium_rate", "shared_cost", "personal_number", "voip",
    "pager", "uan", "voicemail", "no_international_dialling",
)  # fmt: skip


def number_patterns(plan) -> list[str]:
    """Returns the patterns of a plan's types of numbers."""
    found = (getattr(plan, name, None) for name in TYPES)
    return [each.national_number_pattern for each in found if each and each.national_number_pattern]


PLANS = {region: oracle.metadata(region) for region in oracle.REGIONS}
PATTERNS = {region: number_patterns(plan) for region, plan in PLANS.items()}
NETWORK_PATTERNS = {code: number_patterns(oracle.network_metadata(code)) for code in oracle.NETWORK_CODES}
CODES = {region: str(plan.country_code) for region, plan in PLANS.items()}
LENGTHS = {code: oracle.possible_lengths(code) for code in oracle.CALLING_CODES}
SHARED = [
    region
    for region in oracle.REGIONS
    if len(oracle.phonenumbers.COUNTRY_CODE_TO_REGION_CODE[PLANS[region].country_code]) > 1
]
WITH_RULES = [region for region in oracle.REGIONS if "(" in (PLANS[region].national_prefix_for_parsing or "")]
"""Regions whose prefix has captures or choices."""


class Draw:
    """A stream of random choices, with helpers for frequent ones."""

    def __init__(self, seed: str):
        self.lot = random.Random(seed)
        self.random = self.lot.random

    def below(self, count: int) -> int:
        return int(self.random() * count)

    def chance(self, share: float) -> bool:
        return self.random() < share

    def one(self, items):
        return items[int(self.random() * len(items))]

    def text(self, items, least: int, most: int) -> str:
        """`least` to `most` pieces."""
        return "".join([self.one(items) for _ in range(least + self.below(most - least + 1))])

    def digits(self, least: int, most: int) -> str:
        return self.text("0123456789", least, most)

    def digits_of_length(self, length: int) -> str:
        return str(self.below(10**length)).zfill(length)

    def region(self) -> str:
        """Any region; those that share a calling code and those with odd prefixes are more frequent."""
        where = self.random()
        if where < 0.6:
            return self.one(oracle.REGIONS)
        return self.one(SHARED if where < 0.8 else WITH_RULES)

    def asked(self, own: str) -> str:
        """The region to parse with: mostly the number's own."""
        where = self.random()
        if where < 0.8:
            return own
        return oracle.NO_REGION if where < 0.85 else self.region()

    def national(self, region: str) -> str:
        """Digits that match one of the region's patterns; one time in ten, slightly changed."""
        digits = patterns.draw(self.one(PATTERNS[region]), self.lot)
        return self.mutated(digits) if self.chance(0.1) else digits

    def prefix(self, region: str) -> str:
        """A prefix of national digits: the national prefix, or a string that its pattern removes."""
        plan = PLANS[region]
        if plan.national_prefix_for_parsing and self.chance(0.6):
            return patterns.draw(plan.national_prefix_for_parsing, self.lot)
        return plan.national_prefix or "0"

    def idd(self, region: str) -> str:
        """An international prefix as dialled in a region."""
        plan = PLANS[region]
        if plan.preferred_international_prefix and self.chance(0.3):
            return plan.preferred_international_prefix
        if not plan.international_prefix:
            return "00"
        return patterns.draw(plan.international_prefix, self.lot)

    def international(self) -> str:
        """Calling code and digits, sometimes of a network."""
        if self.chance(0.06):
            code = self.one(oracle.NETWORK_CODES)
            return str(code) + patterns.draw(self.one(NETWORK_PATTERNS[code]), self.lot)
        region = self.region()
        return CODES[region] + self.national(region)

    def any_form(self, region: str) -> str:
        """A number in one of the simple forms, as a base for other kinds."""
        where = self.random()
        if where < 0.3:
            return self.national(region)
        if where < 0.55:
            return self.prefix(region) + self.national(region)
        if where < 0.8:
            return "+" + CODES[region] + self.national(region)
        if where < 0.9:
            return self.idd(region) + self.international()
        return CODES[region] + self.national(region)

    def mutated(self, digits: str) -> str:
        """One or two digits changed, inserted, removed, doubled or swapped."""
        for _ in range(1 + self.below(2)):
            at = self.below(len(digits) + 1)
            way = self.below(6)
            if way == 0:
                digits = digits[:at] + self.one("0123456789") + digits[at + 1 :]
            elif way == 1:
                digits = digits[:at] + self.one("0123456789") + digits[at:]
            elif way == 2:
                digits = digits[:at] + digits[at + 1 :]
            elif way == 3:
                digits = digits[:at] + digits[max(0, at - 3) : at] + digits[at:]
            elif way == 4:
                digits = digits[:at]
            else:
                digits = digits[:at] + digits[at : at + 2][::-1] + digits[at + 2 :]
        return digits

    def punctuated(self, text: str, separators=alphabets.SEPARATORS) -> str:
        """Separators inserted at two to four positions."""
        for _ in range(2 + self.below(3)):
            at = self.below(len(text) + 1)
            text = text[:at] + self.one(separators) + text[at:]
        return text


EXTENSION_FRONTS = ["", "", " ", ",", "\t", "\u00a0", "  "]
EXTENSION_COLONS = ["", "", " ", ":", ".", "．", "-", ": -,"]
EXTENSION_ENDS = ["", "", "", "#", "##", " "]


def extension(d: Draw, script: str = "") -> str:
    """A label and digits, of one script if `script` is set, and sometimes a #."""
    label = d.one(alphabets.EXTENSION_LABELS)
    if d.chance(0.1):
        label = "".join(c.upper() if d.chance(0.5) else c.lower() for c in label)
    # The maximum length of each kind of label is 20, 15, 9 or 6.
    most = d.one([3, 5, 6, 7, 9, 10, 15, 16, 20, 21])
    digits = d.digits(most, most) if d.chance(0.3) else d.digits(0, most)
    if script:
        digits = digits.translate({48 + value: script[value] for value in range(10)})
    return "".join([d.one(EXTENSION_FRONTS), label, d.one(EXTENSION_COLONS), digits, d.one(EXTENSION_ENDS)])
