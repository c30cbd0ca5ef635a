"""libphonenumber's answers, in the output format of the tool `number-answers`.

The oracle is PyPI's phonenumbers, a port of libphonenumber. Not for generating inputs (forms.py) or comparing
(compare_numbers.py).
"""

from __future__ import annotations

import functools
import re
import sys

try:
    import phonenumbers
except ModuleNotFoundError:
    phonenumbers = None

VERSION = "9.0.35"
"""The release whose metadata is in NumberPlan's tables."""

if phonenumbers is None or phonenumbers.__version__ != VERSION:
    found = "nothing" if phonenumbers is None else phonenumbers.__version__
    sys.exit(f"the oracle is phonenumbers {VERSION}, and here is {found}\n  hint: pip install phonenumbers=={VERSION}")

from phonenumbers import phonenumberutil as util  # noqa: E402
from phonenumbers.phonemetadata import PhoneMetadata  # noqa: E402

NO_REGION = "ZZ"
REGIONS = sorted(phonenumbers.SUPPORTED_REGIONS)
NETWORK_CODES = sorted(phonenumbers.COUNTRY_CODES_FOR_NON_GEO_REGIONS)
CALLING_CODES = sorted(phonenumbers.COUNTRY_CODE_TO_REGION_CODE)

ERRORS = {
    phonenumbers.NumberParseException.INVALID_COUNTRY_CODE: "!invalidCountryCode",
    phonenumbers.NumberParseException.NOT_A_NUMBER: "!notANumber",
    phonenumbers.NumberParseException.TOO_SHORT_AFTER_IDD: "!tooShortAfterIDD",
    phonenumbers.NumberParseException.TOO_SHORT_NSN: "!tooShortNSN",
    phonenumbers.NumberParseException.TOO_LONG: "!tooLong",
}
FIELDS = (
    "calling code",
    "national number",
    "leading zeros",
    "extension",
    "possible",
    "valid",
    "region",
    "type",
    "national form",
    "international form",
)

FORMS = phonenumbers.PhoneNumberFormat.NATIONAL, phonenumbers.PhoneNumberFormat.INTERNATIONAL
DIGITS_MAX = 15
UNKNOWN_TYPE = phonenumbers.PhoneNumberType.UNKNOWN


class RememberingRe:
    """Replaces the module `re` in phonenumbers, and compiles every pattern once.

    Python's own cache holds 512 patterns, and all plans together have some thousands: without this class, nearly
    all of the time would be spent on compiling them again.
    """

    compile = staticmethod(functools.lru_cache(maxsize=None)(re.compile))

    def __getattr__(self, name):
        return getattr(re, name)


util.re = RememberingRe()


def metadata(region: str) -> PhoneMetadata:
    """A region's metadata."""
    return PhoneMetadata.metadata_for_region(region, None)


def network_metadata(code: int) -> PhoneMetadata:
    """The metadata of a calling code without a country."""
    return PhoneMetadata.metadata_for_nongeo_region(code, None)


def main_metadata(code: int) -> PhoneMetadata:
    """The metadata of a calling code's main territory, which has its formats."""
    return PhoneMetadata.metadata_for_region_or_calling_code(code, phonenumbers.COUNTRY_CODE_TO_REGION_CODE[code][0])


def possible_lengths(code: int) -> list[int]:
    """The possible lengths of a calling code's national numbers, including those dialled within one area."""
    found: set[int] = set()
    for region in phonenumbers.COUNTRY_CODE_TO_REGION_CODE[code]:
        general = PhoneMetadata.metadata_for_region_or_calling_code(code, region).general_desc
        found.update(general.possible_length, general.possible_length_local_only)
    return sorted(found)


def answer(region: str, text: str) -> str:
    """The line that `number-answers` must write, or `?` and the name of an internal error of the oracle."""
    try:
        number = phonenumbers.parse(text, None if region == NO_REGION else region)
    except phonenumbers.NumberParseException as failure:
        return ERRORS[failure.error_type]
    except Exception as failure:  # noqa: BLE001 - a defect of the oracle's; it is counted and shown
        return f"?{type(failure).__name__}"
    # Validity and type each ask for the region again; `full_answer` is the same by the public functions.
    found = phonenumbers.region_code_for_number(number)
    code = number.country_code
    kind = UNKNOWN_TYPE
    plan = PhoneMetadata.metadata_for_region_or_calling_code(code, found)
    if plan is not None:
        kind = util._number_type_helper(phonenumbers.national_significant_number(number), plan)
    is_valid = found is not None and kind != UNKNOWN_TYPE
    return line(number, is_valid, found, kind)


def full_answer(region: str, text: str) -> str:
    """Like `answer`, with the public functions only: slower, to verify the shortcuts of `answer`."""
    short = answer(region, text)
    if short[0] in "!?":
        return short
    number = phonenumbers.parse(text, None if region == NO_REGION else region)
    return line(
        number,
        phonenumbers.is_valid_number(number),
        phonenumbers.region_code_for_number(number),
        phonenumbers.number_type(number),
    )


def line(number: phonenumbers.PhoneNumber, is_valid: bool, region: str | None, kind: int) -> str:
    """A number's answers as a line."""
    zeros = 0
    if number.italian_leading_zero:
        zeros = 1 if number.number_of_leading_zeros is None else number.number_of_leading_zeros
    possible = phonenumbers.is_possible_number_with_reason(number)
    return (
        f"{number.country_code}\t{number.national_number}\t{zeros}\t{number.extension or ''}\t{possible}"
        f"\t{int(is_valid)}\t{region or ''}\t{kind}\t{forms(number)}"
    )


def forms(number: phonenumbers.PhoneNumber) -> str:
    """A number's national and international form without its extension; empty if it is longer than E.164 allows."""
    if len(f"{number.country_code}{phonenumbers.national_significant_number(number)}") > DIGITS_MAX:
        return "\t"
    plain = phonenumbers.PhoneNumber()
    plain.merge_from(number)
    plain.extension = None
    return "\t".join(phonenumbers.format_number(plain, form) for form in FORMS)
