"""Characters that matter for parsing phone numbers.

Not for combining them (forms.py).
"""

from __future__ import annotations

import re
import unicodedata

ALL = "".join(chr(code) for code in range(0x110000) if not 0xD800 <= code <= 0xDFFF)

NATIVE_DIGITS: list[str] = []
"""The digits 0 to 9 of every script, ten characters each (`\\d` in a regular expression)."""
for zero in re.findall(r"\d", ALL):
    if unicodedata.digit(zero) == 0:
        NATIVE_DIGITS.append("".join(chr(ord(zero) + value) for value in range(10)))

OTHER_DIGITS = "²³¹⁰⁴⁹₀₉①⑨⓪❶➀፩፱᧚"
"""Digits according to `unicodedata.digit`, but not `\\d`."""

NUMERALS = "ⅣⅫ½一二三〇九十㊀"
"""Numbers to people, but letters or numbers other than digits in Unicode."""

FULL_WIDTH = {code - 0xFEE0: code for code in range(0xFF01, 0xFF5F)} | {0x20: 0x3000}
"""For str.translate: ASCII to its full-width forms."""

PLUS_SIGNS = [
    "+",
    "＋",
    "++",
    "+＋",
    "＋＋＋",
    "+ ",
    " +",
    "(+",
    "+(",
    "⁺",
    "₊",
    "﹢",
    "➕",
    "∔",
    "+-",
    "-+",
    "+00",
    "0+",
]
"""Two of them are plus signs for libphonenumber; the others are not, or are in odd combinations."""

DASHES = "-‐‑‒–—―−ー－﹣⁃"
SPACES = "  \u00a0\u00ad\u200b\u2060\u3000\u2003\u2009\u202f\u205f\u1680\ufeff\t\n\r\v\f\x1c\x1f\x85\u2028\u2029"
PUNCTUATION = "()（）［］.[]/~⁓∼～．／〜·•,，、:：;；_|\\<>{}'\"“”"
SEPARATORS = [" ", "-", ".", "/", "(", ")", ") ", " (", "  ", "–", "−", "\u00a0", "\u200b", "　", "~", "ー", "．", "／"]
"""Separators in real numbers, most frequent first."""

MARKS = "\u0301\u0300\u0308\u20e3\ufe0f\u034f\u0327\u05b0"
INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\u202a\u202c\u2060\u2066\ufeff\u00ad\u061c\u180e\x00\x01\x7f"

LABEL_LETTERS = "a-zóдобｅｉｎｔｘ"
FOLDING = [c for c in re.findall(f"(?i)[{LABEL_LETTERS}]", ALL) if not c.isascii()]
"""Non-ASCII characters that match a letter of an extension's label without regard to case."""
UPPER_TO_ASCII = [c for c in ALL if not c.isascii() and len(c.upper()) == 1 and c.upper().isascii()]
"""Characters whose capital is an ASCII letter: in vanity numbers they are read as it."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
OTHER_LETTERS = "éñçßÅøاлשあア中电話전ДОБабвΩµ"
MASKS = "xX*#?＃＊Ｘｘ"

SOUP = [
    *("0123456789" * 4), *"+++＋;=,#x*eXtn", *DASHES, *SPACES, *PUNCTUATION, *MARKS, *INVISIBLE,
    *FOLDING, *UPPER_TO_ASCII, *LETTERS, *OTHER_LETTERS, *MASKS, *OTHER_DIGITS, *NUMERALS,
    *(digits[value] for digits in NATIVE_DIGITS for value in (0, 1, 7)),
    ";ext=", ";isub=", ";phone-context=", "tel:", "ext", "доб", "anexo", "int", "extensio\u0301n", "extensión",
    ",,", "//x", "/ x",
]  # fmt: skip
"""Pieces for random text."""

PLAIN_SOUP = [
    *("0123456789" * 5), *"++＋;,,#xX*/\\~-. ()", "ext", ";ext=", " x", "/x", "0", "00",
    "٣", "７", "ab", "é", "\u0301", "\n",
]  # fmt: skip
"""Fewer kinds of pieces, so that more of the texts are numbers."""

EXTENSION_LABELS = [
    ";ext=", " ext. ", "ext", " extn ", "extensi", "extensio", "extension", " extensión ", "extensio\u0301n",
    "extensiones", "xt", "xtn", " x", "X", "x:", "x.", " #", "#", "＃", "~", "～", " int ", "int.", "ｉｎｔ", "ｅｘｔ",
    "ｅｘｔｎ", "ｘｔ", "ｘ", "доб", " доб. ", "ДОБ", "Доб:", "anexo", " Anexo ", "ANEXO:", ",", ",,", ", ,", ",,,",
    ",,,,,,,", ";", "; ", ",;", ",ext ", "\text", "\xa0ext\xa0", " ext．", "ext:-", " - ", "-", "  ",
    "\u0434\u043e\u0431\xa0-", "EXTENSIÓN", "EXTENSIO\u0301N", "ｉＮｔ", "Ｘ", "exten\u017fion",
    "EXTEN\u017fI\xd3N", "\u0131nt", "\u0130nt", "\u1c81\u1c82\u0431", "ane\u0445o", "e xt", "ext ext", "wew",
    "pin", "转", "内線", " Durchwahl ", "poste ", ";EXT=", ";ext =", ";;ext=", ";Ext=", "x;ext=", ",x", ",,x",
    ";x", "#x", "xx", "x x", "x~", "int x", "доб доб", "xtensio", "e", "ex", "en",
]  # fmt: skip
"""Labels of extensions: all that libphonenumber recognises, in upper and lower case, and similar ones."""

BEFORE = [
    "Tel: ", "tel:", "T. ", "电话：", "Call me at ", "(", "[", "<", "☎", "#", "*", "**21*", "*67", "-", "/", "~",
    ".", ";", ",", "x", "ext", "\n", "\ufeff", "'", '"', "（", "1) ", "No. 2: ",
]  # fmt: skip
"""Text before numbers."""

AFTER = [
    ")", "]", ">", " (home)", " 电话", " abc", " a", "#", "*", "##", "-", "--", "/", " or", ";", ",", ".", "\n",
    "\r\n", " x", " ext", "_", "'", "é", "²", "Ⅳ", " и", "\u0301", "&", "#\n", "x\n",
]  # fmt: skip
"""Text after numbers."""

SECOND = [
    "/", " / ", "\\", "/x", "/ x", " / x", "\\x", "\\  x", "//", "; ", ", ", " or ", "\n", "\t", "~", " - ",
    "/X", "x", "／", "/\xa0x",
]  # fmt: skip
"""Text between two numbers, or between a number and a second extension."""

DOMAINS = [
    "example.com", "a", "a.b", "www.example.com.", "x-y.de", "a--b", "1.a", "1", "1a", "a1", "a-", "-a", "a..b",
    ".", "domain.1", "example.com2", "ex_ample", "例.jp", "٣.com", "a.٣",
]  # fmt: skip
"""Domain names of a phone-context; half of them are invalid."""

ODD_CONTEXTS = [
    "", "+", "+-", "+a", "+1a", "1", "44", "＋1", "+.", "+()", "+(1)", "+1-", "+-1", "++1", "+٤٤", "+1 ", " +1",
    "+1\n", "a\n", "+1;x", "a;b", "+44-(20).", "+1#",
]  # fmt: skip
"""Other values of a phone-context; most of them are invalid."""
