"""Measures message rules: messages per second on one core, the time from process start to the first answer, and the
private memory of open rules. The rules have generated keywords, the messages 160 characters. The part `messages`.
"""

import os
import re
import subprocess
import tempfile

from measuring import RELEASE, environment, needed
from results import Part
from start import milliseconds

KEYWORDS, MESSAGES = 10_000, 500_000
RATE_MIN = 1
"""In million messages per second."""
FIRST_MAX = 5.0
DIRTY_MAX = 1024
STARTS = 51
KINDS = {"latin": "Latin letters", "han": "Chinese", "mixed": "Chinese with Latin, digits and signs"}


def lines(*command):
    """Returns the lines that a program prints, keyed by the text before the first tab."""
    said = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return dict(line.split("\t", 1) for line in said.splitlines())


def figure(text):
    return float(re.match(r"-?[0-9.]+(e-?[0-9]+)?", text)[0])


def measure(name, options):
    program = str(RELEASE / "message-rate")
    if not needed(options, program):
        return None
    keywords, messages, starts = (100, 1000, 3) if options.smoke else (KEYWORDS, MESSAGES, STARTS)
    part = Part(name, keywords=keywords, messages=messages)
    with tempfile.TemporaryDirectory() as folder:
        rules = os.path.join(folder, "words.cdrules")
        rates = lines(program, str(keywords), str(messages), rules)
        size = os.path.getsize(rules)
        part.text(f"{keywords:,} keywords, compiled to {size:,} bytes; messages of 160 characters; one core, medians of {starts} "
                  "starts.")
        for kind, what in KINDS.items():
            part.figure(f"messages of {what} per second", figure(rates[kind]) / 1e6, "M", at_least=RATE_MIN)
        firsts = [lines(program, "--first", rules) for _ in range(starts)]
        opened = [figure(first["opened and answered"]) for first in firsts]
        part.figure("rules opened and the first message answered", opened, "ms", at_most=FIRST_MAX)
        message = os.path.join(folder, "message.jsonl")
        with open(message, "w", encoding="utf-8") as file:
            file.write('{"sender":"+8613800138000","text":"晚上一起吃饭吗","country":"CN"}\n')
        command = [options.cdpipe, "classify", "--rules", rules, message]
        whole = [milliseconds(command, environment()) for _ in range(starts)]
        part.figure("`cdpipe classify` with one message, start to end", whole, "ms", at_most=FIRST_MAX)
        dirty = [figure(first["written to"]) for first in firsts if "written to" in first]
        if dirty:
            part.figure("memory written to, open and asked", max(dirty), "KiB", at_most=DIRTY_MAX)
    return part
